"""The plane of two query components."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_ui import words
from linattn_ui.figures.base import figure, limit_of, titled
from linattn_ui.theme import Colours

NAMED = 8  # keys with a name beside them
EDGE = 1e-6  # of the largest sum: a sum of 0 is drawn as so far below it, for it is shaded too


def plane(
    keys: np.ndarray,
    q: np.ndarray,
    sums: np.ndarray | None,
    colours: Colours,
    *,
    places: np.ndarray,
    axes: Sequence[str],
    labels: Sequence[str],
) -> go.Figure:
    """Two components of the typed keys, (T, 2), and of q, (2,), as arrows; shaded where sums ≤ 0.

    An invisible grid of points at `places` takes clicks: a heat map sends none.
    """
    few = len(labels) <= NAMED
    side = {"range": [places[0], places[-1]], "constrain": "domain"}
    traces = [
        *([] if sums is None else [_shaded(sums, places, colours["negative"])]),
        _arrows(keys, colours["key"], opacity=1 if few else 0.6),
        _arrows(q[None], colours["query"], width=4),
        *([_names(keys, _shared(keys, labels), colours["key"], "top right")] if few else []),
        _names(q[None], ["q"], colours["query"], "bottom right"),
        _clicks(places),
    ]
    return figure(
        colours,
        traces,
        height=420,
        showlegend=False,
        margin={"l": 8, "r": 8, "t": 20, "b": 8},
        clickmode="event+select",
        xaxis={**titled(f"component {axes[0]}"), **side},
        yaxis={**titled(f"component {axes[1]}", upright=True), **side, "scaleanchor": "x"},
    )


def _shaded(sums: np.ndarray, places: np.ndarray, colour: str) -> Mapping[str, Any]:
    """Filled where −sum is above 0, as Plotly fills; the edge runs between the places where it is known."""
    fine, size = np.linspace(places[0], places[-1], len(sums)), limit_of(sums)
    below = -np.where(sums > 0, np.maximum(sums / size, EDGE), np.minimum(sums / size, -EDGE)).clip(-1, 1)
    return {
        "type": "contour",
        "x": fine,
        "y": fine,
        "z": below.astype(np.float32),
        "zmin": -1,
        "zmax": 1,
        "autocontour": False,
        "contours": {"start": 0, "end": 0, "size": 1, "coloring": "fill", "showlines": False},
        "colorscale": [[0, "rgba(0,0,0,0)"], [0.5, "rgba(0,0,0,0)"], [0.5, colour], [1, colour]],
        "opacity": 0.3,
        "showscale": False,
        "hoverinfo": "skip",
    }


def _clicks(places: np.ndarray) -> Mapping[str, Any]:
    x, y = np.meshgrid(places, places)
    unseen = {"marker": {"opacity": 0}}
    return {
        "type": "scatter",
        "x": np.round(x.ravel(), 12),
        "y": np.round(y.ravel(), 12),
        "mode": "markers",
        "marker": {"symbol": "square", "size": 12, "opacity": 0},
        "selected": unseen,
        "unselected": unseen,
        "hovertemplate": "q = [%{x:.3g}, %{y:.3g}]<extra></extra>",
    }


def _shared(tips: np.ndarray, labels: Sequence[str]) -> list[str]:
    """Names of keys with one tip stand there together, at the first of them."""
    at: dict[tuple[float, ...], list[str]] = {}
    for tip, label in zip(tips.tolist(), labels, strict=True):
        at.setdefault(tuple(tip), []).append(label)
    names = {tip: words.listed(group) for tip, group in at.items()}
    return [names.pop(tuple(tip), "") for tip in tips.tolist()]


def _arrows(tips: np.ndarray, colour: str, *, width: int = 2, opacity: float = 1) -> Mapping[str, Any]:
    """From the origin to each tip."""
    x, y = (np.column_stack([0 * tips[:, i], tips[:, i], np.full(len(tips), np.nan)]).ravel() for i in (0, 1))
    head = {"symbol": "arrow", "size": [0, 6 + 3 * width, 0] * len(tips), "angleref": "previous"}
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "line": {"color": colour, "width": width},
        "marker": {**head, "color": colour, "opacity": 1, "line": {"width": 0}},
        "opacity": opacity,
        "hoverinfo": "skip",
    }


def _names(tips: np.ndarray, labels: Sequence[str], colour: str, beside: str) -> Mapping[str, Any]:
    """A name beside each tip."""
    font = {"color": colour, "size": 14}
    shown = {"mode": "text", "text": list(labels), "textposition": beside, "textfont": font}
    return {"type": "scatter", "x": tips[:, 0], "y": tips[:, 1], "hoverinfo": "skip", **shown}
