"""Figures of the page "Compare with softmax"."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from linattn_ui.figures.base import bars, heat_map
from linattn_ui.theme import Colours


def weights(
    w: np.ndarray,
    seen: np.ndarray,
    colours: Colours,
    *,
    labels: Sequence[str],
    queries: Sequence[str],
    limit: float,
    t: int,
) -> go.Figure:
    """One row a query, one column a token; empty where a query may not see, a frame around the chosen one."""
    return heat_map(
        np.where(seen, w, np.nan),
        colours,
        limit=limit,
        rows=queries,
        columns=[label.split(" ")[0] for label in labels],  # p₀ of "p₀ river": names do not fit above columns
        row_title="query",
        column_title="token",
        outlined=t,
    )


def row(linear: np.ndarray, softmax: np.ndarray, colours: Colours, labels: Sequence[str]) -> go.Figure:
    """The weights of one query as pairs of bars, one pair a token."""
    pairs = {
        "this write rule": (linear, colours["positive"]),
        "softmax": (softmax, colours["share"]),
    }
    return bars(labels, pairs, colours, value_title="weight")
