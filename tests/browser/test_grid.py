"""Typing in the grid, in a browser: every edit counts, and everything on the page follows."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from linattn_core import Tokens, example, run

HEADER, ROW = 35, 35  # px
COLUMNS = ["label", "q a", "q b", "k a", "k b", "v a", "v b"]
ARTICLE = example("article").tokens


@pytest.fixture
def page(app):
    return app("/", height=2000)


def cell(page, row, column):
    """The middle of the grid's cell on screen: the grid is a canvas and has no elements to find."""
    canvas = page.get_by_test_id("stDataFrame").locator("canvas").first
    canvas.scroll_into_view_if_needed()
    box, i = canvas.bounding_box(), COLUMNS.index(column)
    starts = [
        48,
        144,
        *[144 + (box["width"] - 144) * n / 6 for n in range(1, 7)],
    ]  # index, label, six numbers
    return box["x"] + (starts[i] + starts[i + 1]) / 2, box["y"] + HEADER + ROW * row + ROW / 2


def warm(page):
    """Open and leave a cell's editor: Streamlit loads it when it is first needed."""
    page.mouse.dblclick(*cell(page, 0, "v b"))
    page.locator("#portal textarea").wait_for()
    page.keyboard.press("Escape")
    page.locator("#portal textarea").wait_for(state="detached")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(100)  # ten keys a second


def shown(page, name):
    return float(page.locator(f'[data-cell="{name}"]').get_attribute("data-value"))


def test_an_edit_shows_everywhere(page, settle):
    warm(page)
    page.mouse.click(*cell(page, 2, "v a"))
    press(page, "7", "Enter")
    expect(page.locator('[data-cell="u[0]"]')).to_have_attribute("data-value", "7")
    settle(page)
    trace = run(Tokens(ARTICLE.q, ARTICLE.k, [[2, 0], [0, 3], [7, 1]]), "identity")
    assert [shown(page, f"S_after[0,{j}]") for j in (0, 1)] == trace.S[3][0].tolist()
    assert [shown(page, f"y[{j}]") for j in (0, 1)] == trace.y[2].tolist() == [4.5, 0.5]
    expect(page.get_by_test_id("caption")).to_contain_text("[9, 1]; 9÷2, 1÷2 = [4.5, 0.5]")
    formulas = page.locator(".katex-display annotation").all_text_contents()
    assert any("4.5 & 0.5" in text for text in formulas)
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    file = json.loads(download.value.path().read_text())
    assert file["tokens"]["v"] == [[2, 0], [0, 3], [7, 1]]
    assert file["results"]["y"][2] == [4.5, 0.5]


def test_twenty_quick_edits_are_all_kept(page, settle):
    """Column by column with the keyboard alone, and two cells a second time."""
    warm(page)
    rng = np.random.default_rng(5)
    typed = rng.integers(2, 10, (4, 6))  # row 3: what the first key is changed to again
    page.mouse.click(*cell(page, 0, "q a"))
    for column in range(6):
        for row in range(3):
            press(page, str(typed[row, column]), "Enter" if row < 2 else "Tab")
        press(page, "ArrowUp", "ArrowUp")
    page.mouse.click(*cell(page, 0, "k a"))
    for column in (2, 3):
        press(page, str(typed[3, column]), "Tab")
    typed[0, 2:4] = typed[3, 2:4]
    q, k, v = np.split(typed[:3].astype(float), [2, 4], axis=1)
    trace = run(Tokens(q, k, v), "identity")
    expect(page.locator('[data-cell="S_after[1,0]"]')).to_have_attribute(
        "data-value", f"{trace.S[3][1, 0]:g}"
    )
    settle(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    tokens = json.loads(download.value.path().read_text())["tokens"]
    assert [tokens[name] for name in "qkv"] == [table.tolist() for table in (q, k, v)]
    assert [shown(page, f"y[{j}]") for j in (0, 1)] == trace.y[2].tolist()
    expect(page.get_by_role("alert")).to_have_count(0)
