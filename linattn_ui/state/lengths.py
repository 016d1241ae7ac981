"""How often the length T was doubled on the page of the two orders."""

import streamlit as st


def double(key: str, most: int) -> None:
    """Callback: the slider under `key` one step further."""
    st.session_state[key] = min(st.session_state.get(key, 0) + 1, most)
