"""The sections of the page "Compare with softmax"."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from linattn_core import Comparison, compare, sharpened
from linattn_ui import figures, lesson, words
from linattn_ui.figures import compare as draw
from linattn_ui.settings import Settings
from linattn_ui.words import compare as say
from linattn_ui.words.answers import answer

TILES = (
    "Softmax can also be computed tile by tile, so that its T×T weights never stand in memory at once. That "
    "changes where the scores are kept, not what they are: the answer is the one above. Linear attention "
    "changes the score itself, so its answer is another one."
)


def show(settings: Settings, trace: Any) -> None:
    """One query's weights first, then all of them, then y."""
    first, decimals = st.container(), settings.decimals
    t, factor = _controls(trace)
    plain = compare(trace, scale=settings.softmax_scale)
    now = _with_factor(settings, trace, factor) or plain
    labels, queries = lesson.names(trace)
    first.markdown(f"**{say.look(now, t, queries, labels, decimals)}**")
    _query(plain, now, t, labels, factor, decimals)
    _maps(now, t, labels, queries)
    _outputs(now, queries, decimals)
    st.caption(TILES)


def _controls(trace: Any) -> tuple[int, float]:
    left, right = st.columns(2)
    with left:
        t = lesson.query(trace)
    with right:
        key = "compare_factor"
        return t, st.slider("Factor on every q", 1.0, 10.0, 1.0, 0.5, key=key, persist_state="session")


def _with_factor(settings: Settings, trace: Any, factor: float) -> Comparison | None:
    run = settings.attempt(sharpened(trace.tokens, factor))
    return None if run is None else compare(run, scale=settings.softmax_scale)


def _query(
    plain: Comparison, now: Comparison, t: int, labels: Sequence[str], factor: float, decimals: int
) -> None:
    """The chosen query's row as bars, and every sentence that is true of it."""
    seen = [label for label, sees in zip(labels, now.seen[t], strict=True) if sees]
    here, there = (w[t, : len(seen)] for w in (now.weights, now.softmax_weights))
    if seen:
        says = f"Weights of query {t}: this write rule and softmax, one pair a token."
        lesson.chart(draw.row(here, there, lesson.colours(), seen), "compare_row", says)
    weighed = [
        say.gains(now, t, labels, decimals),
        say.zero(now, t, labels, decimals),
        say.negative(now, t, labels, decimals),
        say.unequal_sum(now, t, decimals),
        say.carried(now, t, decimals),
    ]
    said = [
        say.own_left_out(now),
        say.sharper(plain, now, t, factor, decimals) if factor != 1 else "",
    ]
    lesson.bullets([*weighed, *said] if math.isfinite(now.moved[t]) else said)


def _maps(now: Comparison, t: int, labels: Sequence[str], queries: Sequence[str]) -> None:
    """Both maps and their difference on one scale."""
    maps = {
        "This write rule": now.weights,
        "Softmax": now.softmax_weights,
        "Difference": now.difference,
    }
    many = len(labels) > figures.MANY
    limit, colours = figures.limit_of(*maps.values(), share=0.98 if many else 1.0), lesson.colours()
    st.subheader("All queries")
    st.caption(
        "One row a query, one column a token, one scale for all three: blue above 0, red below"
        + (f", full from {words.number(limit)} on. " if many else ". ")
        + f"The framed row is the query above{say.left_empty(now)}"
    )
    for column, (title, w) in zip(st.columns(3), maps.items(), strict=True):
        with column:
            st.markdown(f"**{title}**")
            drawn = draw.weights(w, now.seen, colours, labels=labels, queries=queries, limit=limit, t=t)
            lesson.chart(drawn, f"compare_{title}", f"{title}: weights, one row a query, one column a token.")


def _outputs(now: Comparison, queries: Sequence[str], decimals: int) -> None:
    """Y of both for every query, and how far their weights are apart."""
    title, meaning, apart = say.column(now)
    st.subheader("What they answer")
    st.caption(f"{say.rows(now, decimals)} {meaning} Softmax attention is another answer, not the true one.")
    table = pd.DataFrame(
        {
            "query": queries,
            "y here": [answer(y, decimals) for y in now.y],
            "y softmax": say.softmax_answers(now, decimals),
            title: apart,
        }
    )
    lesson.table(table, "compare_y", decimals)
