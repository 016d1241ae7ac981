"""Any query: sliders, or a click into the plane of two components."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from linattn_core.mixing import ask, denominators
from linattn_ui import lesson, words
from linattn_ui.figures import mixing as draw
from linattn_ui.mixing.scene import Scene, component
from linattn_ui.state import pad
from linattn_ui.words import mixing as say

PLACES = 41  # along each side of the plane, where a click may put q
FINE = 2 * PLACES - 1  # the same for the shading
MOST_SLIDERS = 16
CHART = "mixing_plane"
ALT = "The plane of two query components: keys and query as arrows"
ABOUT = "Click to move q there. The thick arrow is q, the thin ones are keys, all as typed, before φ."


def show(scene: Scene) -> None:
    """The query in its plane, the weights that follow, and what it gets."""
    home = scene.trace.tokens.q[lesson.query(scene.trace, "Start from query")]
    reach = _reach(scene)
    left, right = st.columns(2)
    with right:
        axes = _axes(len(home))
        q = _sliders(home, axes, reach)
        one = ask(scene.trace, [q])
        st.markdown(say.asked(scene.trace, one, scene.labels, scene.decimals))
        title = "weight" if scene.trace.settings.normalize else "score"
        drawn = draw.weights(one.weights()[0], scene.colours, scene.labels, title)
        lesson.chart(drawn, "mixing_weights", "What each token weighs for this query.")
    with left:
        if len(home) > 1:
            _plane(scene, q, axes, reach, [_key(home, i, reach) for i in axes])
        else:
            st.caption("Queries have one component here, so there is no plane: the slider is all.")


def _reach(scene: Scene) -> float:
    """Half a side of the plane: 1, 2 or 5 times a power of ten, past every key and query."""
    tokens = scene.trace.tokens
    most = max(np.abs(tokens.q).max(), np.abs(tokens.k).max()) * 1.2 or 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if most <= step * power)


def _axes(d_k: int) -> tuple[int, int]:
    """The components that the plane shows."""
    if d_k <= 2:
        return 0, d_k - 1
    one, other = st.columns(2)
    with one:
        i = component("Across", d_k, "across")
    with other:
        j = component("Up", d_k, "up", 1)
    return i, j


def _key(home: np.ndarray, i: int, reach: float) -> str:
    """Key of a slider: another start is another slider."""
    return f"mixing_q_{i}_{home[i]:g}_{reach:g}"


def _sliders(home: np.ndarray, axes: Sequence[int], reach: float) -> np.ndarray:
    """The query: what the sliders say; components without one stay as the start has them."""
    q, rest = home.copy(), [i for i in range(min(len(home), MOST_SLIDERS)) if i not in axes]
    for i in dict.fromkeys(axes):
        q[i] = _slider(home, i, reach)
    if rest:
        with st.expander("The other components"):
            for n, column in enumerate(st.columns(4) * -(-len(rest) // 4)):
                if n < len(rest):
                    with column:
                        q[rest[n]] = _slider(home, rest[n], reach)
    return q


def _slider(home: np.ndarray, i: int, reach: float) -> float:
    return st.slider(
        f"q {words.component(i)}",
        -reach,
        reach,
        float(home[i]),
        reach / 20,
        key=_key(home, i, reach),
        format="%g",
        persist_state="session",
    )


def _plane(scene: Scene, q: np.ndarray, axes: tuple[int, int], reach: float, keys: Sequence[str]) -> None:
    """The picture that takes clicks, and how much of it is shaded where the run divides."""
    if axes[0] == axes[1]:
        st.info("A plane has two different components: choose another one.")
        return
    settings = scene.trace.settings
    fine = np.linspace(-reach, reach, FINE)
    sums = denominators(scene.trace, q, axes, fine, fine) if settings.normalize else None
    drawn = draw.plane(
        scene.trace.tokens.k[:, axes],
        q[list(axes)],
        sums,
        scene.colours,
        places=np.linspace(-reach, reach, PLACES),
        axes=[words.component(i) for i in axes],
        labels=[words.token(t) for t in range(len(scene.labels))],
    )
    st.plotly_chart(
        drawn,
        theme=None,
        key=CHART,
        on_select=lambda: pad.clicked(CHART, keys),
        selection_mode="points",
        alt=ALT if sums is None else f"{ALT}; shaded where the score sum is ≤ 0",
        config={"displayModeBar": False},
    )
    st.caption(ABOUT if sums is None else f"{ABOUT} {say.shaded(np.sign(sums), settings.eps)}")
