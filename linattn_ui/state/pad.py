"""A picture as a pad: a click into it moves two sliders."""

from collections.abc import Sequence

import streamlit as st


def clicked(chart: str, sliders: Sequence[str]) -> None:
    """Callback of a chart: its chosen point's x and y become what the two sliders hold."""
    points = st.session_state[chart]["selection"]["points"]
    if points:
        st.session_state.update(zip(sliders, (float(points[0][axis]) for axis in "xy"), strict=True))
