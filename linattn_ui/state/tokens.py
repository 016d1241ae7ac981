"""The grid of texts: `base` is what the editor was given, `cur` what it shows, `rev` numbers the bases.

The size boxes get new keys (`boxes` counts) whenever something else changed the sizes: a message that a
browser sent before it heard of that then says nothing about the new boxes.

`came` holds what came with the texts and no cell shows: `home`, the example's tokens, which "reset" comes
back to; `start`, their texts, which "edited" is measured against; `source`, the tokens whose β and decay
count; `extras`, keywords of `run` that no widget holds, and `usual`, those of the example.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from linattn_ui import cells, changes
from linattn_ui import settings as choices
from linattn_ui.settings import SIZES
from linattn_ui.state import history, step


def start_grid(tokens: Any, extras: Mapping[str, Any] | None = None) -> None:
    """The grid of an example's tokens, and the keywords of `run` that no widget holds."""
    texts, extras = cells.texts(tokens), extras or {}
    came = {"home": tokens, "start": texts, "source": tokens, "extras": extras, "usual": extras}
    if "grid" in st.session_state:
        replace(texts, came, "Another example, with its settings.", with_choices=True)
    else:
        st.session_state["grid"] = {"rev": -1, "boxes": -1, "came": {}, "note": ""}
        put(texts, came)


def put(table: pd.DataFrame, came: Mapping[str, Any] | None = None, wide: pd.DataFrame | None = None) -> None:
    """Other texts into the grid, outside of the history; `wide` is what comes back where the grid grows."""
    grid = st.session_state["grid"]
    grid |= {"base": table, "cur": table, "rev": grid["rev"] + 1, "came": grid["came"] | dict(came or {})}
    if wide is None:
        grid["boxes"] += 1
    grid["wide"] = table if wide is None else wide


def replace(
    table: pd.DataFrame,
    came: Mapping[str, Any] | None = None,
    note: str = "",
    *,
    wide: pd.DataFrame | None = None,
    with_choices: bool = False,
) -> None:
    """The same as one change, which undo takes back: with the sidebar's choices where they change as well."""
    settle()
    grid = st.session_state["grid"]
    history.record(_moment(with_choices))
    grid["note"] = note or _said("Last change", grid["cur"], table)
    _follow(len(grid["cur"]), len(table))
    put(table, came, wide)


def sizes() -> dict[str, int]:
    """The sizes of the grid under the keys of its boxes: grid_T, later grid_T_1, …"""
    grid = st.session_state["grid"]
    keys = [f"{name}_{grid['boxes']}" if grid["boxes"] else name for name in SIZES]
    return dict(zip(keys, cells.sizes(grid["cur"]), strict=True))


def put_tokens(tokens: Any) -> None:
    """Callback of a button that changes the example's tokens."""
    replace(cells.texts(tokens), {"source": tokens})
    st.rerun()  # of all: the sidebar says what follows from the tokens


def reset() -> None:
    """Callback: back to the example's tokens."""
    came = st.session_state["grid"]["came"]
    replace(came["start"], {"source": came["home"], "extras": came["usual"]}, "Back to the example.")
    st.rerun()


def resize() -> None:
    """Callback: the grid in the sizes asked for. What no longer fits is kept for when it fits again.

    A message that a browser sent before it heard of new boxes calls this for those that are gone.
    """
    settle()
    grid, now = st.session_state["grid"], sizes()
    ends = zip(
        ((st.session_state.get(key, size), size) for key, size in now.items()), SIZES.values(), strict=True
    )
    asked = [int(x) if choices.within(x, 1, high) else size for (x, size), high in ends]
    if asked == list(now.values()):
        return
    wide = cells.merged(grid["wide"], grid["cur"])
    replace(cells.resize(wide, *asked), wide=wide)


def _follow(before: int, T: int) -> None:
    """Another number of tokens: the stage shows the last one, unless it rests at an earlier one."""
    rested, _ = st.session_state["rest"]
    if T != before and (rested is None or rested > T):
        step.go_to_end()


def undo() -> None:
    """Callback: as it was before the last change."""
    _travel("past", "Undone")


def redo() -> None:
    """Callback: the last undone change again."""
    _travel("future", "Redone")


def _travel(direction: str, word: str) -> None:
    settle()
    there, grid = history.next_of(direction), st.session_state["grid"]
    if there is None:
        return
    history.go(direction, _moment(there.choices is not None))
    st.session_state.update(there.choices or {})
    settings = "" if there.choices is None else ", and the settings"
    grid["note"] = _said(word, grid["cur"], there.table) + settings
    _follow(len(grid["cur"]), len(there.table))
    put(there.table, there.came)
    st.rerun()


def _moment(with_choices: bool = False) -> history.Moment:
    grid = st.session_state["grid"]
    seen = st.session_state["seen"] if with_choices else None
    return history.Moment(grid["cur"], grid["came"], seen)


def see() -> None:
    """Remember the sidebar's choices: once a callback runs, a menu holds the new one already."""
    names = {*choices.fallbacks(), *choices.RANDOM, "example", "set_by_example"} - {*choices.PICTURE}
    st.session_state["seen"] = {name: st.session_state[name] for name in names}


def editor_input() -> tuple[pd.DataFrame, str]:
    """What to give the editor, and its key."""
    grid = st.session_state["grid"]
    key = f"grid_{grid['rev']}"
    if key not in st.session_state:  # first drawn, or back from another page: Streamlit dropped the edits
        grid["base"] = grid["cur"]
    return grid["base"], key


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Keep what the editor shows; where it is something new, that is one change."""
    grid = st.session_state["grid"]
    after = changes.settled(grid["cur"], table)
    if after is not grid["cur"]:
        history.record(_moment())
        grid |= {"note": _said("Last change", grid["cur"], after), "cur": after}
    return after


def settle() -> None:
    """Keep what was typed since the last rerun: a callback comes before the editor hands it out."""
    grid = st.session_state["grid"]
    message = st.session_state.get(f"grid_{grid['rev']}")
    if message is not None:
        typed(changes.applied(grid["base"], message))


def texts() -> pd.DataFrame:
    """What the grid shows, or would show where it is not drawn."""
    return st.session_state["grid"]["cur"]


def refuse_edits() -> None:
    """The editor could not make sense of a message: start it again from its last texts."""
    grid = st.session_state["grid"]
    grid |= {"base": grid["cur"], "rev": grid["rev"] + 1}


def source() -> Any:
    """The tokens that the grid started from."""
    return st.session_state["grid"]["came"]["source"]


def extras() -> dict[str, Any]:
    """Keywords of `run` that came with the tokens; arrays only while the grid has the sizes of the tokens."""
    grid = st.session_state["grid"]
    fits = cells.fits(grid["cur"], source())
    return {name: x for name, x in grid["came"]["extras"].items() if fits or isinstance(x, int | float | str)}


def note() -> str:
    """What the last change was, in one line; empty before the first."""
    return st.session_state["grid"]["note"]


def _said(what: str, before: pd.DataFrame, after: pd.DataFrame) -> str:
    return f"{what}: {changes.said(before, after) or 'no other number'}"


def edited() -> bool:
    """Whether the grid says something else than the example."""
    grid = st.session_state["grid"]
    return grid["came"]["source"] is not grid["came"]["home"] or not cells.same(
        grid["cur"], grid["came"]["start"]
    )
