"""What every part of the page draws from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from linattn_core import Reading, reading
from linattn_ui import words
from linattn_ui.theme import Colours

TOO_LARGE = "S holds numbers that are too large to print, so there is nothing to compare here."


@dataclass(frozen=True, eq=False)
class Scene:
    """The run, the run with its keys as queries, what tokens and queries are called, decimals, colours."""

    trace: Any
    asked: Any
    labels: Sequence[str]
    queries: Sequence[str]
    decimals: int
    colours: Colours

    def read(self, t: int, order: Sequence[int] | None = None) -> Reading:
        """What query t reads of the last state, or of the state that another order ends in."""
        T = len(self.trace.k)
        return reading(self.trace, self.trace.tokens.q[t], range(T) if order is None else order)

    def token(self, label: str, key: str) -> int:
        """A menu of the tokens; none where there is just one."""
        if len(self.labels) == 1:
            return 0
        return pick(label, self.labels, key)


def pick(label: str, titles: Sequence[str], key: str, first: int = 0) -> int:
    """A menu of titles, and which of them is chosen; it starts anew where there are more or fewer of them."""
    key = f"mixing_{key}_{len(titles)}"
    return st.selectbox(
        label, range(len(titles)), first, format_func=titles.__getitem__, key=key, persist_state="session"
    )


def component(label: str, count: int, key: str, first: int = 0) -> int:
    """A menu of the components a, b, …"""
    return pick(label, [words.component(i) for i in range(count)], key, first)
