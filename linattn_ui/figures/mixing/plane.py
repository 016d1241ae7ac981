"""The plane of two query components."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from linattn_ui import words
from linattn_ui.figures.base import figure
from linattn_ui.theme import Colours

NAMED = 12  # keys with a name beside them


def plane(
    keys: np.ndarray,
    q: np.ndarray,
    signs: np.ndarray,
    colours: Colours,
    *,
    places: np.ndarray,
    axes: Sequence[str],
    labels: Sequence[str],
) -> go.Figure:
    """Two components of the typed keys, (T, 2), and of q, (2,), as arrows; shaded where signs ≤ 0.

    An invisible grid of points at `places` takes clicks: a heat map sends none.
    """
    ends, fine = [places[0], places[-1]], np.linspace(places[0], places[-1], len(signs))
    drawn = figure(colours, height=420, showlegend=False, margin_t=20, clickmode="event+select")
    drawn.add_heatmap(
        x=fine,
        y=fine,
        z=(signs <= 0).astype(np.uint8),
        zmin=0,
        zmax=1,
        colorscale=[[0, "rgba(0,0,0,0)"], [1, colours["negative"]]],
        opacity=0.3,
        showscale=False,
        hoverinfo="skip",
    )
    few = len(labels) <= NAMED
    _arrows(drawn, keys, colours["key"], opacity=1 if few else 0.6)
    _arrows(drawn, q[None], colours["query"], width=4)
    if few:
        _names(drawn, keys, _shared(keys, labels), colours["key"], "top right")
    _names(drawn, q[None], ["q"], colours["query"], "bottom right")
    x, y = np.meshgrid(places, places)
    unseen = {"opacity": 0}
    drawn.add_scatter(
        x=np.round(x.ravel(), 12),
        y=np.round(y.ravel(), 12),
        mode="markers",
        marker={"symbol": "square", "size": 12, "opacity": 0},
        selected_marker=unseen,
        unselected_marker=unseen,
        hovertemplate="q = [%{x:.3g}, %{y:.3g}]<extra></extra>",
    )
    drawn.update_xaxes(title_text=f"component {axes[0]}", range=ends, constrain="domain")
    return drawn.update_yaxes(
        title_text=f"component {axes[1]}", range=ends, scaleanchor="x", constrain="domain"
    )


def _shared(tips: np.ndarray, labels: Sequence[str]) -> list[str]:
    """Names of keys with one tip stand there together, at the first of them."""
    at: dict[tuple[float, ...], list[str]] = {}
    for tip, label in zip(tips.tolist(), labels, strict=True):
        at.setdefault(tuple(tip), []).append(label)
    names = {tip: words.listed(group) for tip, group in at.items()}
    return [names.pop(tuple(tip), "") for tip in tips.tolist()]


def _arrows(drawn: go.Figure, tips: np.ndarray, colour: str, *, width: int = 2, opacity: float = 1) -> None:
    """From the origin to each tip."""
    x, y = (np.column_stack([0 * tips[:, i], tips[:, i], np.full(len(tips), np.nan)]).ravel() for i in (0, 1))
    head = {"symbol": "arrow", "size": [0, 6 + 3 * width, 0] * len(tips), "angleref": "previous"}
    drawn.add_scatter(
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": colour, "width": width},
        marker={**head, "color": colour, "opacity": 1, "line": {"width": 0}},
        opacity=opacity,
        hoverinfo="skip",
    )


def _names(drawn: go.Figure, tips: np.ndarray, labels: Sequence[str], colour: str, beside: str) -> None:
    """A name beside each tip."""
    font = {"color": colour, "size": 14}
    shown = {"mode": "text", "text": list(labels), "textposition": beside, "textfont": font}
    drawn.add_scatter(x=tips[:, 0], y=tips[:, 1], hoverinfo="skip", **shown)
