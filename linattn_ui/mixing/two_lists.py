"""Two different lists of values that end in the same state."""

from typing import Any

import numpy as np
import streamlit as st

from linattn_core import InputError, reading
from linattn_core.mixing import other_values, run_again, usual_amount, ways
from linattn_ui import figures, lesson, words
from linattn_ui.figures import mixing as draw
from linattn_ui.mixing.scene import TOO_LARGE, Scene, component, pick
from linattn_ui.words import mixing as say

MOST = 24  # ways in the menu
NUMBERS = 4  # columns with room for them in a quarter of the page


def show(scene: Scene) -> None:
    """The other list, both states, and the reason."""
    trace = scene.trace
    if trace.overflow is not None:
        st.info(TOO_LARGE)
        return
    try:
        known = ways(trace)
    except InputError as fault:
        st.info(words.plain(str(fault)))
        return
    st.markdown(say.freedom(trace, len(known)))
    if not len(known):
        st.caption(say.always(trace))
        return
    way, i, times, t = _controls(scene, known)
    other = other_values(trace, way, i, times * usual_amount(trace.tokens.v))
    again = run_again(trace, other, range(len(trace.k)))
    reads = [reading(each, trace.tokens.q[t], range(len(trace.k))) for each in (trace, again)]
    _pictures(scene, again, way)
    said = [
        say.trade(trace, again, way, i, scene.labels, scene.decimals),
        say.why(trace, way, scene.labels, scene.decimals),
        say.alike(trace, again, reads, scene.queries[t], scene.decimals),
    ]
    lesson.bullets(said)


def _controls(scene: Scene, known: np.ndarray) -> tuple[np.ndarray, int, float, int]:
    """Which tokens trade, in which component of the value, how far; and which query to read with."""
    many, d_v = len(known) > 1, scene.trace.v.shape[1]
    boxes = iter(st.columns(2 + many + (d_v > 1)))
    way, i = known[0], 0
    if many:
        titles = [say.way_title(way) for way in known[:MOST]]
        more = f" ({MOST} of {len(known)} ways)" if len(known) > MOST else ""
        with next(boxes):
            way = known[pick(f"Values that trade{more}", titles, "way")]
    if d_v > 1:
        with next(boxes):
            i = component("Component of the value", d_v, "component")
    with next(boxes):
        times = st.slider("How far", -4.0, 4.0, 1.0, 0.5, key="mixing_far", persist_state="session")
    with next(boxes):
        return way, i, times, lesson.query(scene.trace)


def _pictures(scene: Scene, again: Any, way: np.ndarray) -> None:
    """Both lists on one scale, then both states on another."""
    v, T, colours = scene.trace.v, len(scene.trace.k), scene.colours
    limit, changed = figures.limit_of(v, again.v), np.flatnonzero(way).tolist()
    limits = figures.limit_of(scene.trace.S[T], again.S[T]), figures.limit_of(again.z[T])
    first, second, third, fourth = st.columns(4)
    for column, title, values in ((first, "Your values", v), (second, "Other values", again.v)):
        drawn = draw.values(values, colours, labels=scene.labels, limit=limit, changed=changed, most=NUMBERS)
        _panel(column, title, drawn, f"{title}: one row a token; framed rows differ between the lists.")
    for column, title, run in ((third, "Your", scene.trace), (fourth, "The other", again)):
        drawn = draw.state(run.S[T], run.z[T], colours, limits=limits, most=NUMBERS)
        says = f"{title} list's last state, one row a key component; z, the last column, has its own scale."
        _panel(column, f"{title} list's S{words.sub(T)} ┊ z{words.sub(T)}", drawn, says)


def _panel(column: Any, title: str, drawn: Any, says: str) -> None:
    with column:
        st.markdown(f"**{title}**")
        lesson.chart(drawn, f"mixing_{title}", says)
