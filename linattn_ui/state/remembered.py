"""Results remembered from one rerun to the next: most reruns change nothing that a run depends on."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st


def remembered(name: str, made_of: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """make(), or what it gave last time under this name, made of the same. What raises is forgotten."""
    before = st.session_state.get(name)
    if before is None or not _alike(before[0], made_of):
        before = st.session_state[name] = (made_of, make())
    return before[1]


def _alike(one: Any, other: Any) -> bool:
    """Whether both are one object, equal numbers or texts, or made of such in the same order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(_alike(one[name], other[name]) for name in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, int | float | str):
        return repr(one) == repr(other)  # 0.0 is not -0.0
    return one is other
