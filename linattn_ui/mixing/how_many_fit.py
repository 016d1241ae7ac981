"""How many keys a state of some rows gives back."""

import streamlit as st

from linattn_core.mixing import Capacity, capacity
from linattn_core.mixing.capacity import MOST_COMPONENTS
from linattn_ui import lesson
from linattn_ui.figures import mixing as draw
from linattn_ui.mixing.scene import TOO_LARGE, Scene
from linattn_ui.words import mixing as say

SEEDS = 8
ABOUT = (
    f"Drawn keys of length 1 without φ, values of as many components, {SEEDS} seeds: lines are means, bands "
    "go from the least to the largest. Difference: √(Σ‖Sᵀk − v‖² ÷ Σ‖v‖²), 0 where each value comes back, "
    "1 where what is mixed in is as large as the values. Reads are not divided: with scores of both signs "
    "their sum says nothing."
)


def show(scene: Scene) -> None:
    """The curve, the rank, and the reader's own state beside them."""
    rows = min(scene.trace.k.shape[1], MOST_COMPONENTS)
    key = f"mixing_rows_{rows}"
    d_k = st.slider("Rows of S", 1, MOST_COMPONENTS, rows, key=key, persist_state="session")
    one = _capacity(d_k)
    st.markdown(say.fits(one, scene.decimals))
    left, right = st.columns([3, 2])
    with left:
        says = "Difference between value and answer against the number of stored keys."
        lesson.chart(draw.capacity(one, scene.colours), "mixing_capacity", says)
    with right:
        lesson.chart(draw.rank(one, scene.colours), "mixing_rank", "Rank of S against the number of keys.")
    own = say.own_rank(scene.trace) if scene.trace.overflow is None else TOO_LARGE
    st.markdown(own)
    st.caption(ABOUT)


@st.cache_data(max_entries=64, show_spinner="Storing keys and reading them back …")
def _capacity(d_k: int) -> Capacity:
    return capacity(d_k, SEEDS)
