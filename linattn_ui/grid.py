"""Edit tokens: tools, sizes, the grid of texts, and what the last change was."""

from typing import Any

import pandas as pd
import streamlit as st

from linattn_ui import cells, intake, settings, state, words

LABELS = ("Tokens", "q and k components", "v components")
# What a forged message (rows or columns that do not exist) raises inside st.data_editor.
BROKEN = (IndexError, KeyError, AttributeError, TypeError, ValueError)
VISIBLE_ROWS = 12
LARGE = 1000  # numbers
FORMS = (
    "Rows of numbers as CSV, tab- or semicolon-separated (then 0,5 works, too), JSON, Python or NumPy lists, "
    "or a LaTeX matrix. A first column of words becomes the labels."
)
SAMPLE = "0.5, 1/3\n1, -2e-3"


def edit() -> pd.DataFrame:
    """Draw the grid; returns its texts as they stand now."""
    st.subheader("Edit tokens")
    above = st.container()  # filled after the editor, which knows whether anything is edited
    table = _editor()
    st.caption(_below())
    with above:
        _tools()
        _sizes()
    return table


def _below() -> str:
    lines = [words.plain(state.note())] if state.note() else []
    if state.extras():
        lines.append(f"From the file, without a box here: {words.plain(', '.join(state.extras()))}.")
    lines.append(
        "Type a decimal (0.5), a fraction (1/3) or an exponent (-2e-3). Cells pasted into the grid fill "
        "only the rows it has; Paste rows makes room. "
        f"At most {cells.MAX_TOKENS} tokens and {cells.MAX_COMPONENTS} components here; "
        "a run in Python has no limit but memory."
    )
    return "  \n".join(lines)


def _tools() -> None:
    with st.container(horizontal=True, gap="small"):
        st.button("Undo", on_click=state.undo, disabled=state.next_of("past") is None)
        st.button("Redo", on_click=state.redo, disabled=state.next_of("future") is None)
        st.button("Reset to the example", on_click=state.reset, disabled=not state.edited())
        with st.popover("Paste rows…", key="pasting", on_change="rerun"):
            _paste()
        with st.popover("Open a file…", key="opening", on_change="rerun"):
            _open()


def _paste() -> None:
    """The text, what it is, and what it would become; under the button, which then stays in its place."""
    st.text_area(
        "Rows to paste", key="pasted", placeholder=SAMPLE, help=FORMS, height=120, persist_state="session"
    )
    _into("These rows are", "pasted_into")
    st.button("Put into the grid", on_click=state.paste)
    found = state.preview()
    if isinstance(found, str):
        st.error(words.plain(found))
    elif found is not None:
        st.caption(words.plain(found.said))


def _open() -> None:
    _into("A table without names is", "file_into", state.open_file)
    label = f"A snapshot taken here, or arrays q, k and v ({' '.join(intake.SUFFIXES)})"
    st.file_uploader(label, key=state.upload_key(), on_change=state.open_file)  # type= would raise for others
    fault = state.file_fault()
    if fault:
        st.error(words.plain(fault))


def _into(label: str, key: str, changed: Any = "rerun") -> None:
    names = list(intake.INTO)
    st.segmented_control(
        label,
        names,
        key=key,
        format_func=intake.INTO.__getitem__,
        default="all",
        required=True,
        on_change=changed,
    )


def _sizes() -> None:
    boxes = zip(state.sizes().items(), LABELS, settings.SIZES.values(), strict=True)
    with st.container(horizontal=True, gap="small"):
        for (key, size), label, most in boxes:
            st.number_input(label, 1, most, size, key=key, on_change=state.resize, width=150)


def _shown() -> bool:
    """A large grid is as many bytes as all the rest of the page, so it comes when it is asked for."""
    table = state.texts()
    rows, columns = len(table), len(table.columns) - 1
    if rows * columns <= LARGE:
        return True
    label = f"Show the grid of {rows} tokens × {columns} numbers"
    return st.toggle(label, key="show_grid", persist_state="session")


def _editor() -> pd.DataFrame:
    if not _shown():
        return state.texts()
    base, key = state.editor_input()
    options: dict[str, Any] = {
        "column_config": _columns(base),
        "disabled": ["_index"],
        "num_rows": "fixed",
        "on_change": "ignore",  # typing is not interrupted by reruns: the stage asks for one when it pauses
        "height": 35 * (min(len(base), VISIBLE_ROWS) + 1) + 3,
        "alt": "Tokens: label, query, key and value, one row a token",
    }
    try:
        return state.typed(cells.cleaned(st.data_editor(base, key=key, **options), base))
    except BROKEN:
        state.refuse_edits()
        base, key = state.editor_input()
        return state.typed(cells.cleaned(st.data_editor(base, key=key, **options), base))


def _columns(table: pd.DataFrame) -> dict[str, Any]:
    number = {
        name: st.column_config.TextColumn(name, width=64, alignment="right") for name in table.columns[1:]
    }
    label = st.column_config.TextColumn("label", width=96, pinned=True)
    return {"_index": st.column_config.TextColumn("", width=48, pinned=True), "label": label} | number
