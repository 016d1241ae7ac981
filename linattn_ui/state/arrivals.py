"""Pasted rows and opened files on their way into the grid."""

from typing import Any

import pandas as pd
import streamlit as st

from linattn_core import InputError
from linattn_core.numerals import quoted
from linattn_ui import intake
from linattn_ui.intake import Arrival
from linattn_ui.state import choices, step, tokens


def preview() -> Arrival | str | None:
    """What the pasted text would become, or the sentence why it cannot; None where nothing is pasted.

    It is read once, not in every rerun: ten thousand rows take a second.
    """
    text, into, table = _pasted()
    if not text.strip():
        return None
    last = st.session_state.get("preview")
    if last is None or last[:2] != (text, into) or last[2] is not table:
        last = (text, into, table, _read(text, into, table))
        st.session_state["preview"] = last
    return last[3]


def _pasted() -> tuple[str, str, pd.DataFrame]:
    text = st.session_state.get("pasted") or ""
    return str(text), into("pasted_into"), st.session_state["grid"]["cur"]


def into(key: str) -> str:
    """Which table the rows become."""
    chosen = st.session_state.get(key)
    return chosen if chosen in intake.INTO else "all"


def _read(text: str, into: str, table: pd.DataFrame) -> Arrival | str:
    try:
        return intake.pasted(text, into, table)
    except InputError as fault:
        return str(fault)


def paste() -> None:
    """Callback: the pasted rows into the grid; where they do not fit, the text stays to be mended."""
    tokens.settle()
    arrival = preview()
    if not isinstance(arrival, Arrival):
        return
    st.session_state.update({"pasted": "", "pasting": False, "preview": None})
    _take(arrival, f"Pasted: {arrival.said}")


def open_file() -> None:
    """Callback: the chosen file into the grid, or the sentence why not; then the file stays to be seen."""
    file = st.session_state.get(upload_key())
    st.session_state["file_fault"] = None
    if file is None:
        return
    tokens.settle()
    table = st.session_state["grid"]["cur"]
    try:
        arrival = intake.opened(file.name, file.getvalue(), into("file_into"), table)
    except InputError as fault:
        st.session_state["file_fault"] = str(fault)
        return
    st.session_state.update({"opening": False, "upload": st.session_state.get("upload", 0) + 1})
    _take(arrival, f"Opened {quoted(file.name)}: {arrival.said}")


def upload_key() -> str:
    """The key of the box for files; a new one empties it."""
    return f"upload_{st.session_state.get('upload', 0)}"


def file_fault() -> str | None:
    """Why the chosen file could not be opened."""
    return st.session_state.get("file_fault")


def _take(arrival: Arrival, note: str) -> None:
    """One change of everything that arrived."""
    came: dict[str, Any] = {}
    if arrival.tokens is not None:
        came = {"source": arrival.tokens, "extras": st.session_state["grid"]["came"]["usual"]}
    if arrival.settings is not None:
        came["extras"] = choices.take(arrival.settings)
    tokens.replace(arrival.table, came, note, with_choices=arrival.settings is not None)
    if arrival.settings is not None:
        step.go_to(arrival.step)
    st.rerun()  # of all: the sidebar says what follows from the tokens
