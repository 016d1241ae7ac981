"""Edit tokens: the grid of texts, its sizes, and the way back to the example."""

from typing import Any

import pandas as pd
import streamlit as st

from linattn_ui import cells, settings, state

SIZES = {"grid_T": "Tokens", "grid_d_k": "Components of q and k", "grid_d_v": "Components of v"}
# What a forged message (rows or columns that do not exist) raises inside st.data_editor.
BROKEN = (IndexError, KeyError, AttributeError, TypeError, ValueError)
VISIBLE_ROWS = 12


def edit() -> pd.DataFrame:
    """Draw the grid; returns its texts as they stand now."""
    st.subheader("Edit tokens")
    above = st.container()  # filled after the editor, which knows whether anything is edited
    st.caption(
        "Type a decimal (0.5), a fraction (1/3) or an exponent (-2e-3), or paste cells from a spreadsheet."
    )
    table = _editor()
    st.caption(
        f"At most {cells.MAX_TOKENS} tokens and {cells.MAX_COMPONENTS} components here; "
        "`linattn_core.run` has no limit but memory."
    )
    with above:
        _sizes()
    return table


def _sizes() -> None:
    *boxes, last = st.columns([1, 1, 1, 1], vertical_alignment="bottom")
    for box, (key, label) in zip(boxes, SIZES.items(), strict=True):
        box.number_input(label, 1, settings.SIZES[key], key=key, on_change=state.resize)
    last.button("Reset to the example", on_click=state.reset, disabled=not state.edited(), width="stretch")


def _editor() -> pd.DataFrame:
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
