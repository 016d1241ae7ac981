"""The sections of the page "Feature maps"."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from linattn_core import FEATURE_MAPS, Tokens
from linattn_core.map_comparison import OnTokens, compare_maps
from linattn_core.map_scores import curves, pair_scores, query_reach, sweep_scores, usual_length
from linattn_core.random_difference import MOST, SIZES, alike_elsewhere, below_eps, weight_elsewhere
from linattn_ui import lesson
from linattn_ui.figures import feature_maps as draw
from linattn_ui.settings import Settings
from linattn_ui.words import feature_maps as say
from linattn_ui.words import number
from linattn_ui.words import random_features as say_random

LONGER = 3.0
X = np.linspace(-4, 4, 81)
COLUMNS = {  # of the table: how a number is printed, how wide (so that φ's names fit), and what it is
    "difference²": ("%.3g", 92, "Mean of (weight − softmax weight)² over all pairs of query and token."),
    "correlation": ("%.3f", 88, "Of the weights and softmax's weights, over the same pairs."),
    "smallest sum": ("%.3g", 98, "The smallest |score sum| that an output is divided by."),
    "undefined": ("%d", 82, "Outputs that do not exist because the scores sum to 0."),
    "D": ("%d", 46, "Components of φ(k): rows of the state."),
    "numbers": ("%d", 74, "In the state: D × components of v for S, and D for z."),
    "as tokens": ("%.1f", 80, "A kept list of so many tokens has as many numbers."),
    "random, same D": ("%.3g", 114, "difference² of D random features, the mean of 4 seeds."),
}
EPS = {"eps = 0": 0.0, "eps = 1e-4 inside φ": 1e-4}
KEYS: dict[Any, Any] = {
    Tokens: lambda tokens: (tokens.q.tobytes(), tokens.k.tobytes(), tokens.v.tobytes(), tokens.k.shape)
}


def show(settings: Settings, trace: Any) -> None:
    """One map's curve and scores first, then all maps, then random features."""
    phi, decimals = trace.settings.phi, settings.decimals
    knobs = phi.taken(trace.settings.knobs)
    rows = _rows(trace.tokens, knobs, trace.settings.read, settings.softmax_scale)
    st.markdown(f"**{say.look(rows, phi, decimals, len(trace.k))}**")
    one, along, tokens = st.columns(3)
    with one:
        _curve(trace, phi, knobs)
    with along:
        _sweep(trace, phi, knobs, settings.softmax_scale, decimals)
    with tokens:
        _pairs(trace, settings.softmax_scale, decimals)
    _table(rows, phi, trace, decimals)
    _random(trace.tokens, trace.settings.read, decimals)


@st.cache_resource(max_entries=8, show_spinner="Trying every map …", hash_funcs=KEYS)
def _rows(tokens: Tokens, knobs: Any, read: str, scale: float | None) -> list[OnTokens]:
    """All maps on these tokens: a tenth of a second for 64 of them, four for 512, so it is kept."""
    return compare_maps(tokens, knobs=knobs, read=read, scale=scale)


def _curve(trace: Any, phi: Any, knobs: Any) -> None:
    """What φ makes of one component, or of a vector with one component other than 0."""
    if phi.elementwise:
        st.subheader("φ of one component")
        maps = {say.name(each): curves(each, X, d=1)[:, 0] for each in FEATURE_MAPS if each.elementwise}
        drawn, says = draw.phi_curves(X, maps, say.name(phi), lesson.colours()), "φ(x) for x from −4 to 4."
        about = "The thin lines are the other maps that work component by component."
    else:
        st.subheader("φ of a vector [x, 0, …]")
        mapped = curves(phi, X, d=trace.tokens.k.shape[1] if phi.arrays else 2, knobs=knobs)
        drawn, says = draw.components(X, mapped, lesson.colours()), "The components of φ([x, 0, …])."
        about = say.components(mapped.shape[1], len(draw.most_changing(mapped)))
    lesson.chart(drawn, "maps_curve", says)
    st.caption(f"{about} {say.signs(trace)}")


def _sweep(trace: Any, phi: Any, knobs: Any, scale: float | None, decimals: int) -> None:
    """The score that φ gives while a query grows along a key as long as those on screen."""
    st.subheader("Its score along a key")
    d, length = trace.tokens.k.shape[1], round(usual_length(trace.tokens.k), 2) or 1.0
    s = np.linspace(-1, 1, 81) * query_reach(trace.tokens, length, scale)
    scores = sweep_scores(phi, d, s, length=length, knobs=knobs, scale=scale)
    softmax = f"exp({say.exponent(scale)})"
    lesson.chart(
        draw.sweep(s, scores, lesson.colours(), softmax),
        "maps_sweep",
        f"φ(q)·φ(k) and {softmax} along a key.",
    )
    st.caption(
        f"q = [s, 0, …] and k = [{number(length)}, 0, …], as long as the keys here are on average. "
        f"{say.factor(scores, decimals)}"
    )


def _pairs(trace: Any, scale: float | None, decimals: int) -> None:
    """The scores of the pairs on screen."""
    st.subheader("Its scores here")
    scores, exponent = pair_scores(trace, scale=scale), say.exponent(scale)
    drawn = draw.pairs(scores, lesson.colours(), f"exp({exponent})", exponent)
    lesson.chart(drawn, "maps_pairs", f"One point a pair of query and token: {exponent} and the score.")
    st.caption(f"{say.scores(scores)} {say.factor(scores, decimals)}")


def _table(rows: Sequence[OnTokens], phi: Any, trace: Any, decimals: int) -> None:
    """Every map on these tokens, and the sentences that name them."""
    st.subheader("All maps on these tokens")
    (d_k, d_v), queries = (trace.tokens.k.shape[1], trace.tokens.v.shape[1]), len(trace.q)
    st.caption(
        "Each with the write rule add, divided by the score sum, so that only φ differs. Differences are "
        "from the weights of softmax attention, another scoring rule. They are a fault only of maps made to "
        f"approximate it: {say.made_to(FEATURE_MAPS)}. A click on a heading sorts."
    )
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(format=f, width=w, help=h) for name, (f, w, h) in COLUMNS.items()
    }
    columns |= {"map": st.column_config.TextColumn(width=86, pinned=True)}
    columns |= {"φ": st.column_config.TextColumn(width=248)}
    st.dataframe(
        _frame(rows, phi, d_k + d_v),
        key="maps_table",
        hide_index=True,
        placeholder="–",
        height=35 * (len(rows) + 1) + 3,
        column_config=columns,
    )
    mine = next(row for row in rows if row.phi is phi)
    alone = len(trace.k) == 1  # every weight is 1
    said = [
        "" if alone else say.nearest(rows, decimals),
        say.undefined(rows, queries),
        say.kept(mine, d_k, d_v),
        "" if alone else say.same_size(rows, phi, decimals),
        say.refused(rows),
    ]
    lesson.bullets(said)


def _frame(rows: Sequence[OnTokens], phi: Any, width: int) -> pd.DataFrame:
    """One row a map; NaN is an empty cell."""
    return pd.DataFrame(
        {
            "map": [f"{row.phi.key} ◄" if row.phi is phi else row.phi.key for row in rows],
            "difference²": [row.mean_squared for row in rows],
            "correlation": [row.correlation for row in rows],
            "smallest sum": [row.smallest for row in rows],
            "undefined": [row.undefined for row in rows],
            "D": [row.d_phi for row in rows],
            "numbers": [row.numbers for row in rows],
            "as tokens": [row.numbers / width for row in rows],
            "random, same D": [row.same_size for row in rows],
            "φ": [say.name(row.phi) for row in rows],
        }
    )


@st.cache_resource(max_entries=8, show_spinner="Drawing random features …", hash_funcs=KEYS)
def _spread(tokens: Tokens, factor: float, read: str) -> tuple[dict[str, np.ndarray], float, float]:
    """Weight elsewhere with and without eps; the same where all tokens weigh alike; features below eps."""
    spread = {name: weight_elsewhere(tokens, factor=factor, eps=eps, read=read) for name, eps in EPS.items()}
    return spread, alike_elsewhere(tokens, factor=factor, read=read), below_eps(tokens, factor=factor)


def _random(tokens: Tokens, read: str, decimals: int) -> None:
    """Difference against number of features, as typed and where vectors are longer."""
    st.subheader("Random features: how many are enough")
    if len(tokens.k) == 1:
        st.caption(say_random.one_token())
        return
    first = f" The first {MOST} tokens stand for all." if len(tokens.k) > MOST else ""
    st.caption(
        "φ of the map favor has m random components, and φ(q)·φ(k) is exp(q·k/√d) on average. Libraries add "
        "an eps inside φ, after taking off the largest exponent of all keys, which a later key can change. "
        "Bands: the least and the most of 8 seeds. Dotted: every token weighs the same." + first
    )
    for column, factor in zip(st.columns(2), (1.0, LONGER), strict=True):
        spread, alike, below = _spread(tokens, factor, read)
        drawn = draw.features(SIZES, spread, alike, lesson.colours())
        exact, customary = spread.values()
        with column:
            st.markdown("**q and k as typed**" if factor == 1 else f"**q and k × {factor:g}**")
            lesson.chart(drawn, f"maps_random_{factor:g}", "Weight elsewhere against random features.")
            st.caption(
                say_random.as_typed(SIZES, exact, customary, decimals)
                if factor == 1
                else say_random.longer(SIZES, exact, customary, alike, below, factor, decimals)
            )
