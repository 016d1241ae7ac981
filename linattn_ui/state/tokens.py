"""The grid of texts: `base` is what the editor was given, `cur` what it shows, `rev` numbers the bases."""

from typing import Any

import pandas as pd
import streamlit as st

from linattn_ui import cells
from linattn_ui import settings as choices
from linattn_ui.settings import SIZES
from linattn_ui.state import step


def start_grid(tokens: Any) -> None:
    """The grid of these tokens; they are what "reset" comes back to and "edited" is measured against."""
    texts = cells.texts(tokens)
    rev = st.session_state["grid"]["rev"] if "grid" in st.session_state else -1
    st.session_state["grid"] = {"rev": rev, "source": tokens, "start": texts, "wide": texts}
    put(texts)


def put(table: pd.DataFrame) -> None:
    """Other texts into the grid. From callbacks only: the widgets of this rerun are not drawn yet."""
    grid = st.session_state["grid"]
    grid |= {"base": table, "cur": table, "rev": grid["rev"] + 1}
    for key, size in sizes().items():
        st.session_state[key] = size


def sizes() -> dict[str, int]:
    """The sizes of the grid under the keys of its boxes."""
    return dict(zip(SIZES, cells.sizes(st.session_state["grid"]["cur"]), strict=True))


def put_tokens(tokens: Any) -> None:
    """Callback of a button that changes the example's tokens."""
    put(cells.texts(tokens))
    st.rerun()  # of all: the sidebar says what follows from the tokens


def reset() -> None:
    """Callback: back to the example's tokens."""
    put(st.session_state["grid"]["start"])
    st.rerun()


def resize() -> None:
    """Callback: the grid in the sizes asked for. What no longer fits is kept for when it fits again."""
    grid = st.session_state["grid"]
    grid["wide"] = cells.merged(grid["wide"], grid["cur"])
    asked = {
        key: st.session_state[key]
        for key, high in SIZES.items()
        if choices.within(st.session_state[key], 1, high)
    }
    T, d_k, d_v = (int(size) for size in (sizes() | asked).values())
    rested, _ = st.session_state["rest"]
    if T != len(grid["cur"]) and (rested is None or rested > T):
        step.go_to_end()
    put(cells.resize(grid["wide"], T, d_k, d_v))


def editor_input() -> tuple[pd.DataFrame, str]:
    """What to give the editor, and its key."""
    grid = st.session_state["grid"]
    key = f"grid_{grid['rev']}"
    if key not in st.session_state:  # first drawn, or back from another page: Streamlit dropped the edits
        grid["base"] = grid["cur"]
    return grid["base"], key


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Keep what the editor shows."""
    st.session_state["grid"]["cur"] = table
    return table


def refuse_edits() -> None:
    """The editor could not make sense of a message: start it again from its last texts."""
    grid = st.session_state["grid"]
    grid |= {"base": grid["cur"], "rev": grid["rev"] + 1}


def source() -> Any:
    """The tokens that the grid started from."""
    return st.session_state["grid"]["source"]


def edited() -> bool:
    """Whether the grid says something else than the example."""
    return not cells.same(st.session_state["grid"]["cur"], st.session_state["grid"]["start"])
