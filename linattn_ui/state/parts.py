"""Which part a page shows of itself: the address says it, and the menu of the page."""

from collections.abc import Sequence

import streamlit as st


def forget() -> None:
    """First thing in every rerun: the page has not drawn its menu yet, or has none."""
    st.session_state["part_of"] = None


def ask(part: str | None) -> None:
    """What a link says, for the next menu that is drawn; None is the first part."""
    st.session_state["part"] = part


def menu_key(key: str, names: Sequence[str]) -> str:
    """The key of a page's menu, with what is chosen under it."""
    asked = st.session_state.pop("part", st.session_state.get(key))
    st.session_state[key] = asked if asked in names else names[0]
    st.session_state["part_of"] = (key, names[0])
    return key


def shown() -> str | None:
    """The part that the page shows; None for its first one, or where it has none."""
    if st.session_state["part_of"] is None:
        return None
    key, first = st.session_state["part_of"]
    return None if st.session_state[key] == first else st.session_state[key]
