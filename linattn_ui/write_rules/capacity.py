"""How many drawn pairs each rule holds, and how many words it brings back."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from linattn_core import recall
from linattn_core.update_rules import BETA, GAMMA
from linattn_ui import lesson
from linattn_ui.figures import write_rules as draw
from linattn_ui.theme import Colours
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules.scene import Scene

KEYS = {"random": "Every key once", "repeated": "Every key twice: the second value counts"}
RULES = {rule: rule.replace("_", " ") for rule in recall.STORES}
PATIENCE = 0.3  # s, before a bar shows how far it is
ABOUT = (
    "Not the tokens above but pairs of a drawn key of length 1 and a drawn value, stored one after another; "
    f"then every key is asked for its last value, not divided. Lines: the mean of {recall.SEEDS} seeds; "
    "bands: the middle 80 % of them. Dotted: what answering 0 would give."
)
ABOUT_WORDS = (
    f"The values are now {recall.WORDS} words, and a key brings back the word with the largest component of "
    "Sᵀk. So the answer may be far from the value and the word still right."
)


@st.fragment
def show(scene: Scene) -> None:
    """The difference against the number of pairs, then associative recall against the rows of S."""
    st.caption(ABOUT)
    d_k, n, gamma, beta = _choices()
    held, shares = _computed(d_k, n, gamma, beta)
    _held(held, d_k, scene.colours)
    _recalled(shares, n, scene.colours)


def _choices() -> tuple[int, int, float, float]:
    """Rows, pairs to recall, γ and β of all writes."""
    first, second, third, fourth = st.columns(4)
    d_k = first.select_slider("Rows of S, d_k", recall.SIZES, 8, key="recall_d_k", persist_state="session")
    gamma, beta = (
        box.slider(title, knob.low, knob.high, x, 0.05, key=f"recall_{knob.name}", persist_state="session")
        for box, title, knob, x in (
            (second, "γ of these pairs", GAMMA, 0.9),
            (third, "β of these pairs", BETA, 1.0),
        )
    )
    n = fourth.select_slider(
        "Pairs to recall words of", recall.COUNTS[2:], 16, key="recall_n", persist_state="session"
    )
    return d_k, n, gamma, beta


def _computed(d_k: int, n: int, gamma: float, beta: float) -> tuple[Mapping[Any, Any], Mapping[Any, Any]]:
    """Both results of each kind of key and rule, one after another, with a bar where that takes a while."""
    jobs = [(keys, rule) for keys in KEYS for rule in RULES]
    place, began, held, shares = st.empty(), time.monotonic(), {}, {}
    for done, (keys, rule) in enumerate(jobs):
        if time.monotonic() - began > PATIENCE:
            place.progress(done / len(jobs), f"{KEYS[keys]}, {RULES[rule]} …")
        held[keys, rule] = _held_by(rule, keys, d_k, gamma, beta)
        shares[keys, rule] = _recalled_by(rule, keys, n, gamma, beta)
    place.empty()
    return held, shares


@st.cache_data(max_entries=256, show_spinner=False)
def _held_by(rule: str, keys: str, d_k: int, gamma: float, beta: float) -> recall.Held:
    return recall.held(rule, keys, d_k, gamma=gamma, beta=beta)


@st.cache_data(max_entries=256, show_spinner=False)
def _recalled_by(rule: str, keys: str, n: int, gamma: float, beta: float) -> Sequence[float]:
    each = (recall.accuracy(rule, keys, n, d_k, gamma=gamma, beta=beta) for d_k in recall.SIZES)
    return [float(accuracy.mean()) for accuracy in each]


def _held(held: Mapping[Any, recall.Held], d_k: int, colours: Colours) -> None:
    axis = draw.axis_of("difference² ÷ value²", *(one.high for one in held.values()))
    for column, keys in zip(st.columns(2), KEYS, strict=True):
        with column:
            st.markdown(f"**{KEYS[keys]}**")
            curves = {title: held[keys, rule] for rule, title in RULES.items()}
            says = f"Difference against pairs stored, {keys} keys."
            lesson.chart(draw.held(curves, colours, axis=axis), f"rules_held_{keys}", says)
            st.markdown(say.held(curves, d_k))


def _recalled(shares: Mapping[Any, Sequence[float]], n: int, colours: Colours) -> None:
    st.subheader("How many words come back")
    st.caption(ABOUT_WORDS)
    for column, keys in zip(st.columns(2), KEYS, strict=True):
        with column:
            st.markdown(f"**{KEYS[keys]}**")
            curves = {title: np.array(shares[keys, rule]) for rule, title in RULES.items()}
            says = f"Words brought back against d_k, {keys} keys."
            lesson.chart(draw.recall(curves, recall.SIZES, colours), f"rules_recall_{keys}", says)
            st.markdown(say.recalled(curves, recall.SIZES, n))
