"""Step through: how one token changes the state and is read."""

import streamlit as st

from linattn_ui import frame, grid, state, walk

settings = frame.begin("Step through")
picture = st.container()  # drawn above the grid, filled after it
trace, problem = state.last_good(settings, grid.edit())
with picture:
    frame.say(settings, trace, problem)
    walk.show(trace, settings, state.edited(), state.go())
    walk.downloads(trace, settings)
