"""Typing in the grid, in a browser: every edit counts, and everything on the page follows."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import TimeoutError, expect

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
    width = max(64, (box["width"] - 144) / 6)
    starts = [48, *(144 + width * n for n in range(7))]  # after the index: label, six numbers
    return box["x"] + (starts[i] + starts[i + 1]) / 2, box["y"] + HEADER + ROW * row + ROW / 2


def type_into(page, row, column, text):
    """Into the cell's editor, which a double click opens; Streamlit loads it when it is first needed."""
    editor = page.locator("#portal textarea")
    for _ in range(5):
        page.mouse.dblclick(*cell(page, row, column))
        try:
            editor.wait_for(timeout=2000)
            break
        except TimeoutError:
            page.keyboard.press("Escape")
    editor.fill(text)
    editor.press("Enter")
    editor.wait_for(state="detached")


def shown(page, name):
    return float(page.locator(f'[data-cell="{name}"]').get_attribute("data-value"))


def test_an_edit_shows_everywhere(page, settle):
    type_into(page, 2, "v a", "7")
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
    """One after the other without a pause, and two cells a second time."""
    rng = np.random.default_rng(5)
    typed = rng.integers(2, 10, (4, 6))  # row 3: what the first key is changed to again
    for row, column in np.ndindex(3, 6):
        type_into(page, row, COLUMNS[1 + column], str(typed[row, column]))
    for column in (2, 3):
        type_into(page, 0, COLUMNS[1 + column], str(typed[3, column]))
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


# ---- tools

ROWS = "\n".join(",".join(f"{8 * i + j}/7" for j in range(8)) for i in range(12))


def tool(page, name):
    return page.get_by_role("button", name=name, exact=True)


def paste(page, settle, text, into):
    tool(page, "Paste rows…").click()
    page.get_by_role("textbox", name="Rows to paste").fill(text)
    page.get_by_role("radio", name=into, exact=True).click()
    settle(page)
    tool(page, "Put into the grid").click()
    settle(page)


def downloaded(page):
    """What the page computes with, by its own file."""
    with page.expect_download() as download:
        tool(page, "JSON").click()
    return download.value.path().read_bytes()


def tokens(page):
    return json.loads(downloaded(page))["tokens"]


def sideways(page):
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def test_a_pasted_table_of_12_by_8_is_undone_and_redone_to_the_last_bit(page, settle):
    start = tokens(page)
    paste(page, settle, ROWS, "k")
    expect(page.get_by_text("Pasted: 12 rows × 8 columns become k.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Rows to paste")).to_have_count(0)  # put away
    pasted = tokens(page)
    assert pasted["k"] == [[(8 * i + j) / 7 for j in range(8)] for i in range(12)]
    assert [np.shape(pasted[name]) for name in "qv"] == [(12, 8), (12, 2)]
    page.get_by_role("spinbutton", name="Tokens").fill("2")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.get_by_text("Last change: tokens 12 → 2")).to_be_visible()
    for _ in range(2):
        tool(page, "Undo").click()
        settle(page)
    assert tokens(page) == start
    expect(tool(page, "Undo")).to_be_disabled()
    expect(page.get_by_role("spinbutton", name="Tokens")).to_have_value("3")
    tool(page, "Redo").focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(
        900
    )  # a press of a key asks for a rerun of its own when it pauses: nothing may turn back
    settle(page)
    assert tokens(page) == pasted


def test_quick_presses_undo_one_change_each(page, settle):
    """A press is sent before the browser hears of what the last one did; Streamlit may make one of two."""
    paste(page, settle, ROWS, "k")
    tool(page, "Reset to the example").click()
    settle(page)
    paste(page, settle, "1 2 3\n4 5 6", "v")
    for _ in range(3):
        tool(page, "Undo").click()
        page.wait_for_timeout(100)
    settle(page)
    presses = 3
    while tool(page, "Undo").is_enabled():
        tool(page, "Undo").click()
        settle(page)
        presses += 1
    assert tokens(page)["k"] == ARTICLE.k.tolist()
    for undone in range(3):
        assert tool(page, "Redo").is_enabled(), undone
        tool(page, "Redo").click()
        settle(page)
    expect(tool(page, "Redo")).to_be_disabled()
    assert presses <= 5


def test_an_edit_still_on_its_way_is_undone_alone(page, settle):
    type_into(page, 2, "v a", "7")
    expect(page.locator('[data-cell="u[0]"]')).to_have_attribute("data-value", "7")
    settle(page)
    type_into(page, 2, "v b", "5")
    tool(page, "Undo").click()
    settle(page)
    page.wait_for_timeout(700)
    settle(page)
    assert tokens(page)["v"] == [[2, 0], [0, 3], [7, 1]]
    tool(page, "Redo").click()
    settle(page)
    assert tokens(page)["v"] == [[2, 0], [0, 3], [7, 5]]


def test_another_example_is_undone_with_its_settings(page, settle):
    page.get_by_role("combobox", name=re.compile("Example")).click()
    page.get_by_role("option", name="Twelve words").click()
    settle(page)
    assert len(tokens(page)["k"]) == 12
    tool(page, "Undo").click()
    settle(page)
    page.wait_for_timeout(700)
    file = json.loads(downloaded(page))
    assert (len(file["tokens"]["k"]), file["settings"]["phi"]) == (3, "identity")
    expect(page.get_by_role("combobox", name=re.compile("Example"))).to_have_value(
        "The article's three tokens"
    )


def test_a_snapshot_of_the_page_restores_it_for_another_visitor(app, settle, tmp_path):
    page = app("/", height=2000)
    paste(page, settle, "the,1/3,2\n<b>,-0.0,4\n$x^{**b**}$,5e-324,1e300", "v")
    page.get_by_text("ELU + 1", exact=True).click()
    settle(page)
    page.get_by_test_id("step").focus()
    page.keyboard.press("ArrowLeft")
    settle(page)
    with page.expect_download() as download:
        page.get_by_test_id("stage").get_by_role("button", name=".json").click()
    file = tmp_path / "step.json"
    download.value.save_as(file)
    there = app("/", height=2000)
    tool(there, "Open a file…").click()
    there.locator("input[type=file]").set_input_files(file)
    expect(there.get_by_text("a snapshot with its settings, step 2 of 3")).to_be_visible()
    settle(there)
    expect(there.get_by_test_id("stage")).to_have_attribute("data-step", "2")
    assert downloaded(there) == downloaded(page)
    assert json.loads(downloaded(there))["tokens"]["labels"] == ["the", "<b>", "$x^{**b**}$"]
    assert [shown(there, f"y[{j}]") for j in (0, 1)] == [shown(page, f"y[{j}]") for j in (0, 1)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_bad_input_is_explained_and_the_last_numbers_stay(app, settle, axe, theme):
    page = app("/", theme=theme, width=360, height=2400)
    type_into(page, 1, "q a", "x")
    alert = page.get_by_role("alert").filter(has_text='Token p₁, column q a: the cell is "x"')
    expect(alert).to_contain_text("Type one such as 0.5, 1/3 or -2e-3.")
    settle(page)
    assert [shown(page, f"y[{j}]") for j in (0, 1)] == [1.5, 0.5]
    paste(page, settle, "1 2\n3", "k")
    expect(page.get_by_text("Rows need equally many cells; line 1 has 2 and line 2 has 1")).to_be_visible()
    expect(page.get_by_role("textbox", name="Rows to paste")).to_have_value("1 2\n3")
    assert sideways(page) <= 0
    assert axe(page) == []
    page.keyboard.press("Escape")
    tool(page, "Open a file…").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "<img src=x>.exe", "mimeType": "application/octet-stream", "buffer": b"MZ"}
    )
    expect(page.get_by_text("A file needs one of the suffixes")).to_be_visible()
    assert [shown(page, f"y[{j}]") for j in (0, 1)] == [1.5, 0.5]
    assert sideways(page) <= 0
    assert axe(page) == []


def test_the_tools_are_reached_by_keyboard_in_their_order(page, settle):
    paste(page, settle, ROWS, "k")
    tool(page, "Undo").focus()
    for name in ("Reset to the example", "Paste rows…", "Open a file…"):  # there is nothing to redo
        page.keyboard.press("Tab")
        expect(tool(page, name)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("A snapshot taken here")).to_be_visible()
