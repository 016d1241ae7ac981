"""The same tokens with one left out, one written twice, or all in another order."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from linattn_core import InputError, Reading
from linattn_core.mixing import reordered
from linattn_ui import figures, lesson, words
from linattn_ui.figures import mixing as draw
from linattn_ui.mixing.scene import TOO_LARGE, Scene
from linattn_ui.words import mixing as say
from linattn_ui.words.answers import answer

CHANGES = {"out": "Leave one out", "twice": "Write one twice", "order": "Another order"}


def show(scene: Scene) -> None:
    """The state before and after, and what one query reads of both."""
    trace, T = scene.trace, len(scene.trace.k)
    if trace.overflow is not None:
        st.info(TOO_LARGE)
        return
    change, t, order = _controls(scene)
    i = lesson.query(trace)
    try:
        reads = [scene.read(i), scene.read(i, order)]
    except InputError as fault:
        st.info(words.plain(str(fault)))
        return
    said = {
        "out": lambda: say.left_out(trace, t, reads, scene.labels, scene.decimals),
        "twice": lambda: say.twice(trace, t, reads, scene.labels, scene.decimals),
        "order": lambda: say.other_order(trace, order, reads, scene.decimals),
    }
    st.markdown(said[change]())
    _pictures(scene, reads, T)
    lesson.table(_table(scene, reads), "mixing_reads", scene.decimals)


def _controls(scene: Scene) -> tuple[str, int, Sequence[int]]:
    """The change, the token it is about, and the order in which tokens are written then."""
    T, (left, right) = len(scene.labels), st.columns(2)
    with left:
        change = st.segmented_control(
            "Change",
            list(CHANGES),
            default="out",
            required=True,
            format_func=CHANGES.__getitem__,
            key="mixing_change",
            persist_state="session",
            wrap=True,
        )
    with right:
        if change == "order":
            help_text = "0 is the last token first; any other number draws an order."
            label, key = "Order", "mixing_order"
            seed = st.number_input(label, 0, 9999, key=key, help=help_text, persist_state="session")
            return change, 0, reordered(T, int(seed))
        t = scene.token("Token", "token")
    copies = 2 if change == "twice" else 0
    return change or "out", t, [s for s in range(T) for _ in range(copies if s == t else 1)]


def _pictures(scene: Scene, reads: Sequence[Reading], T: int) -> None:
    """Both states on one scale, their difference on its own, and z always on its own."""
    before, after = reads
    both = figures.limit_of(before.S, after.S), figures.limit_of(before.z, after.z)
    S, z = after.S - before.S, after.z - before.z
    panels = (
        (f"S{words.sub(T)} ┊ z{words.sub(T)} now", before.S, before.z, both),
        ("With the change", after.S, after.z, both),
        ("Difference, on its own scale", S, z, (figures.limit_of(S), figures.limit_of(z))),
    )
    for column, (title, S, z, limits) in zip(st.columns(3), panels, strict=True):
        with column:
            st.markdown(f"**{title}**")
            drawn = draw.state(S, z, scene.colours, limits=limits)
            says = f"{title}: one row a key component, one column a value component; the last column is z."
            lesson.chart(drawn, f"mixing_{title}", says)


def _table(scene: Scene, reads: Sequence[Reading]) -> pd.DataFrame:
    rows = {
        "": ["now", "with the change"],
        "numerator": [answer(one.read, scene.decimals) for one in reads],
        "score sum": [one.norm for one in reads],
        "y": [answer(one.y, scene.decimals) for one in reads],
    }
    return pd.DataFrame(rows)
