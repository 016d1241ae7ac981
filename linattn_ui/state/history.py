"""Undo and redo: what stood in the grid before every change, and what was undone since the last one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

MOST = 100  # changes
MOST_CELLS = 2_000_000  # in all tables kept: some 16 MB, as equal texts are shared


@dataclass(frozen=True, eq=False)
class Moment:
    """The grid as it stood between two changes.

    came: what came with the texts and no cell shows (see tokens.py).
    choices: the sidebar's choices, where the change that ended this moment set them, too.
    """

    table: pd.DataFrame
    came: Mapping[str, Any]
    choices: Mapping[str, Any] | None = None


def _kept() -> dict[str, list[Moment]]:
    return st.session_state.setdefault("history", {"past": [], "future": []})


def record(moment: Moment) -> None:
    """A change begins: this is where undo leads, and what was undone before is gone."""
    kept = _kept()
    kept["past"].append(moment)
    kept["future"].clear()
    while len(kept["past"]) > MOST or _cells(kept["past"]) > MOST_CELLS:
        del kept["past"][0]


def _cells(moments: list[Moment]) -> int:
    return sum(moment.table.size for moment in moments[:-1])  # the last one always stays


def next_of(direction: str) -> Moment | None:
    """Where undo ("past") or redo ("future") leads; None where it leads nowhere."""
    moments = _kept()[direction]
    return moments[-1] if moments else None


def go(direction: str, now: Moment) -> None:
    """The next moment of that direction is the present now; `now` is where the other direction leads."""
    kept = _kept()
    kept[direction].pop()
    kept["future" if direction == "past" else "past"].append(now)
