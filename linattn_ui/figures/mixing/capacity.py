"""What comes back of how many stored keys."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_core.mixing import Capacity
from linattn_ui.figures.base import band, curve, figure, titled
from linattn_ui.theme import Colours

ROLES = {"random": "contribution", "orthogonal": "positive"}


def capacity(one: Capacity, colours: Colours) -> go.Figure:
    """What comes back against the number of stored keys: means over seeds, and bands from least to most."""
    traces = []
    for kind, each in one.difference.items():
        colour = colours[ROLES[kind]]
        traces.append(band(one.counts.tolist(), each.min(axis=0), each.max(axis=0), colour))
        traces.append(_mean(one.counts, each, kind, colour))
    return _drawn(one, traces, colours, "difference", high=True)


def rank(one: Capacity, colours: Colours) -> go.Figure:
    """The rank of S against the number of stored keys."""
    dashes = {"random": "solid", "orthogonal": "dot"}
    traces = [
        _mean(one.counts, each, kind, colours[ROLES[kind]], dash=dashes[kind])
        for kind, each in one.rank.items()
    ]
    return _drawn(one, traces, colours, "rank of S", high=False)


def _mean(counts: np.ndarray, each: np.ndarray, kind: str, colour: str, **line: Any) -> dict[str, Any]:
    return curve(counts, each.mean(axis=0), f"{kind} keys", colour, **line)


def _drawn(
    one: Capacity, traces: list[dict[str, Any]], colours: Colours, title: str, *, high: bool
) -> go.Figure:
    """The curves, and a line at d_k whose name stands where they leave room."""
    line = {"color": colours["quiet"], "width": 1, "dash": "dash"}
    place = {"y": 1, "yanchor": "top"} if high else {"y": 0, "yanchor": "bottom"}
    said = {"text": "1 row" if one.d_k == 1 else f"{one.d_k} rows", "xanchor": "left", "showarrow": False}
    at = {"xref": "x", "yref": "y domain"}
    return figure(
        colours,
        traces,
        height=340,
        xaxis={**titled("stored keys"), "rangemode": "tozero"},
        yaxis={**titled(title, upright=True), "rangemode": "tozero"},
        shapes=[{"type": "line", "x0": one.d_k, "x1": one.d_k, "y0": 0, "y1": 1, "line": line, **at}],
        annotations=[{"x": one.d_k, **said, **place, **at}],
    )
