"""The stage on a screen: nothing jumps or overflows; light, dark and a phone are readable."""

import numpy as np
import pytest
from playwright.sync_api import expect
from stage_cases import STRANGE, cases

pytest_plugins = ["stage_server"]

# Labels are text


LABELLED = """(stage) => [
    stage.querySelector('[data-testid=caption]').textContent,
    stage.querySelector(`[data-token="${stage.dataset.step - 1}"] [role=rowheader]`).textContent,
    ...['html', '[data-testid=stMain]'].map((name) => document.querySelector(name).scrollWidth),
]"""


@pytest.mark.parametrize("width", [1440, 360])
def test_labels_are_text_and_push_nothing_aside(bare, width):
    stage = bare("labels", width=width)
    stage.page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    steps = stage.each(range(1, len(STRANGE) + 1), LABELLED)
    for label, (caption, name, *widths) in zip(STRANGE, steps, strict=True):
        start = label.partition("\n")[0][:17]
        assert start in caption
        assert start in name
        assert max(widths) <= width
    assert stage.root.locator("img, a, strong, code, math").count() == 0


def widest(stage):
    """The width that the page would need in order not to scroll sideways."""
    return stage.page.evaluate(
        "Math.max(...['html', '[data-testid=stMain]'].map(s => document.querySelector(s).scrollWidth))"
    )


# Nothing jumps

BOXES = """(stage) => {
    const box = (selector) => stage.querySelector(selector).getBoundingClientRect();
    const place = ({x, y, width}) => [x, y, width];
    const a = box('.lane.a'), cell = box('[data-cell="write[0,0]"]'), row = box('[data-token="0"]');
    const sizes = [a.height, cell.width, cell.height, row.height, box('[data-cell="y[0]"]').y];
    return [...[a, box('.lane.b'), box('.divide')].flatMap(place), ...sizes];
}"""
PAINTED = """(stage) => [
    ...[...stage.querySelectorAll('.lanes .cell, td')].map((node) => node.style.backgroundColor)
        .filter(Boolean),
    ...[...stage.querySelectorAll('canvas')].slice(1).map((canvas) => canvas.toDataURL())]"""  # S₀ is empty
COLOURS = """(stage) => [...stage.querySelectorAll('.lanes .cell')]
    .map((node) => [node.dataset.value, node.style.backgroundColor])"""


@pytest.fixture(params=[1300, 1140])
def narrower(stage, request):
    """At 1300 px some captions take two lines and some one; at 1140 px the stage is as wide as in the app."""
    stage.page.set_viewport_size({"width": request.param, "height": 780})
    yield stage
    stage.page.set_viewport_size({"width": 1440, "height": 780})


@pytest.mark.parametrize("name", ["article", "sentence", "delta", "rwkv7"])
def test_nothing_moves_from_step_to_step(narrower, name):
    narrower.show(name)
    boxes = narrower.each(range(1, len(cases()[name].tokens.k) + 1), BOXES)
    np.testing.assert_allclose(boxes, [boxes[0]] * len(boxes), atol=0.5)


@pytest.mark.parametrize("name", ["article", "sentence"])
def test_a_colour_means_one_number_at_all_steps(stage, name):
    stage.show(name)
    steps = stage.each(range(1, len(cases()[name].tokens.k) + 1), COLOURS)
    pairs = [pair for step in steps for pair in step]
    assert {colour for value, colour in pairs if float(value) == 0} == {""}
    colours = {}
    for value, colour in pairs:
        assert colours.setdefault(float(value), colour) == colour
    assert len(set(colours.values())) > 2


@pytest.mark.parametrize("name", ["article", "sentence"])
def test_pointing_moves_nothing(narrower, name):
    narrower.show(name)
    boxes = narrower.root.evaluate(BOXES)
    for cell in ("S_after[0,0]", "y[0]", "score[0]", "softmax_y[0]"):
        narrower.point(cell)
        np.testing.assert_allclose(narrower.root.evaluate(BOXES), boxes, atol=0.5)


# Dark, light, phone


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_stage_is_readable_in_both_themes(bare, axe, theme, width):
    stage = bare("article", theme=theme, width=width)
    expect(stage.root).to_have_attribute("data-theme", theme)
    if width == 360:
        stage.part("tab-divide").click()
    stage.part("softmax").click()
    stage.cell("y[0]").click()
    assert axe(stage.page) == []
    stage.show("sentence")
    stage.part("by-operation").click()
    stage.press("ArrowLeft")
    assert axe(stage.page) == []
    stage.show("delta")
    assert axe(stage.page) == []


@pytest.mark.parametrize("name", ["article", "long"])
def test_another_theme_paints_anew_and_leaves_everything_in_its_place(bare, name):
    stage = bare(name, step=2)
    stage.cell("y[0]").click()
    before = stage.root.evaluate(PAINTED), stage.shown(), stage.text("arithmetic")
    for theme in ("dark", "light"):
        stage.page.emulate_media(color_scheme=theme)
        expect(stage.root).to_have_attribute("data-theme", theme)
        now = stage.root.evaluate(PAINTED), stage.shown(), stage.text("arithmetic")
        assert now[1:] == before[1:]
        changed = [one != other for one, other in zip(now[0], before[0], strict=True)]
        assert sum(changed) == (len(changed) if theme == "dark" else 0)


TABLES = """(stage) => [...stage.querySelectorAll('.lanes [role=table]')]
    .filter((node) => node.checkVisibility({visibilityProperty: true})).map((node) => node.ariaLabel)"""
NARROW = """(stage) => [...stage.querySelectorAll('.lanes .cell')]
    .filter((node) => node.checkVisibility()).map((node) => node.getBoundingClientRect().width)"""


@pytest.mark.parametrize("name", ["article", "sentence", "delta", "delta_wide"])
def test_a_phone_shows_one_table_at_a_time(bare, name):
    stage = bare(name, width=360)
    tabs = stage.root.get_by_role("tab")
    assert tabs.all_text_contents() == ["write", "add", "read", "list" if "delta" in name else "divide"]
    for tab in tabs.all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        assert len(stage.root.evaluate(TABLES)) == 1
        assert min(stage.root.evaluate(NARROW), default=30) >= 30
        expect(stage.cell("y[0]")).to_be_in_viewport(ratio=1)
        assert widest(stage) <= 360
    for seen in (stage.part("caption"), stage.part("step"), stage.root.locator(".film button").last):
        expect(seen).to_be_visible()


def test_many_columns_leave_the_list_in_sight(bare):
    stage = bare("broad", width=1280)
    assert stage.root.locator(".lane.b").bounding_box()["width"] > 200
    expect(stage.cell("score[0]")).to_be_in_viewport(ratio=1)


CUT = """(stage) => [...stage.querySelectorAll('.lanes .grid .n')]
    .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1)
    .map((node) => [node.dataset.cell, node.textContent])"""


def test_numbers_of_a_narrow_cell_fit_it(bare):
    stage = bare("small", width=1440)
    assert stage.root.evaluate(CUT) == []


@pytest.mark.parametrize("name", ["long", "large"])
def test_a_large_matrix_stays_within_a_phone(bare, name):
    stage = bare(name, width=360)
    for tab in stage.root.get_by_role("tab").all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        assert widest(stage) <= 360


def test_a_phone_without_division_keeps_the_list(bare):
    stage = bare("undivided", width=360)
    assert stage.root.get_by_role("tab").all_text_contents() == ["write", "add", "read", "list"]
    stage.part("tab-list").click()
    assert len(stage.root.evaluate(TABLES)) == 1
    expect(stage.cell("score[0]")).to_be_visible()


# In the app


def inside(page, locator):
    """The whole of it is on the screen."""
    box, screen = locator.bounding_box(), page.viewport_size
    ends = (box["x"] + box["width"], box["y"] + box["height"])
    return box["x"] >= 0 and box["y"] >= 0 and ends[0] <= screen["width"] and ends[1] <= screen["height"]


def test_the_app_opens_on_the_whole_argument(app):
    page = app("/")
    stage = page.get_by_test_id("stage")
    values = {
        "S_after[0,0]": "3", "S_after[0,1]": "1", "S_after[1,0]": "0", "S_after[1,1]": "3",
        "z_after[0]": "2", "z_after[1]": "1", "score[0]": "1", "score[1]": "0", "score[2]": "1",
        "read[0]": "3", "read[1]": "1", "norm": "2", "y[0]": "1.5", "y[1]": "0.5",
    }  # fmt: skip
    for name, text in values.items():
        expect(stage.locator(f'[data-cell="{name}"] >> visible=true')).to_have_text(text)
    for name in ("caption", "step"):
        assert inside(page, stage.get_by_test_id(name))
    assert inside(page, stage.locator('[data-cell="S_before[0,0]"]'))
    assert inside(page, stage.locator(".divide"))
    stage.get_by_test_id("softmax").click()
    softmax = stage.locator("[data-cell^=softmax_y] >> visible=true")
    expect(softmax).to_have_text(["1.203", "0.994"])


def test_delta_replaces_the_old_answer_on_one_screen(app):
    page = app("/?example=article&rule=delta")
    stage = page.get_by_test_id("stage")
    values = {
        "S_before[0,0]": "2", "v_typed[0]": "1", "old[0]": "2", "old[1]": "0", "error[0]": "−1",
        "error[1]": "1", "u[0]": "−1", "S_after[0,0]": "1", "S_after[0,1]": "1", "S_after[1,0]": "0",
        "S_after[1,1]": "3", "score[0]": "0", "score[2]": "1", "read[0]": "1", "y[0]": "1", "y[1]": "1",
    }  # fmt: skip
    for name, text in values.items():
        cell = stage.locator(f'[data-cell="{name}"] >> visible=true')
        expect(cell).to_have_text(text)
        assert inside(page, cell)
    for part in (stage.get_by_test_id("caption"), stage.locator(".lanes"), stage.locator(".divide")):
        assert inside(page, part)


def test_twelve_words_under_delta_fit_a_screen(app):
    page = app("/?example=sentence&rule=delta&phi=l2")
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", "12", timeout=30_000)
    for part in (stage.get_by_test_id("caption"), stage.locator(".lanes"), stage.locator(".divide")):
        assert inside(page, part)


def test_twelve_words_fit_a_screen_too(app):
    page = app("/")
    page.get_by_test_id("stSidebar").get_by_label("Example").click()
    page.get_by_role("option", name="twelve words").click()
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", "12")
    for part in (stage.get_by_test_id("caption"), stage.locator(".lanes"), stage.locator(".divide")):
        assert inside(page, part)


def test_a_phone_shows_caption_and_answer_of_the_app(app):
    page = app("/", width=360)
    stage = page.get_by_test_id("stage")
    assert inside(page, stage.get_by_test_id("caption"))
    assert inside(page, stage.locator('[data-cell="y[0]"]'))
