"""Weights as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_core.mixing import own_and_others
from linattn_ui import words
from linattn_ui.figures.base import figure
from linattn_ui.theme import Colours

EACH = 12  # tokens whose neighbours are drawn one by one
TICKS = 8  # labels along an axis of tokens


def shares(asked: Any, colours: Colours, labels: Sequence[str]) -> go.Figure:
    """For each key read back a bar: its own weight, and on top what its neighbours weigh.

    Up to 12 tokens each neighbour has its own piece; of more, the largest one and the rest by sign.
    """
    T, drawn = len(labels), figure(colours, height=340, barmode="relative", bargap=0.25)
    own, _ = own_and_others(asked)
    _pieces(drawn, own, "own value", colours["positive"], colours)
    others = np.where(np.eye(T, dtype=bool), 0, asked.weights())
    if T <= EACH:
        for s, name in enumerate(labels):
            _pieces(drawn, others[:, s], name, colours["contribution"], colours, inside=words.token(s))
    else:
        largest = np.where(np.abs(others) == np.abs(others).max(axis=1, keepdims=True), others, 0)
        rest = others - largest
        _pieces(drawn, largest.sum(axis=1), "largest neighbour", colours["contribution"], colours)
        _pieces(drawn, np.maximum(rest, 0).sum(axis=1), "other neighbours", colours["quiet"], colours)
        _pieces(drawn, np.minimum(rest, 0).sum(axis=1), "neighbours below 0", colours["negative"], colours)
    title = "weight" if asked.settings.normalize else "score"
    drawn.update_layout(legend_traceorder="normal", showlegend=T > EACH)
    drawn.update_yaxes(title_text=title, zeroline=True)
    return drawn.update_xaxes(**_ticks(labels, EACH), showgrid=False, zeroline=False)


def _pieces(
    drawn: go.Figure, w: np.ndarray, name: str, colour: str, colours: Colours, inside: str = ""
) -> None:
    """One piece in each bar that has it; `inside` is what stands in a piece with room for it."""
    if np.nan_to_num(w).any():
        drawn.add_bar(
            x=list(range(len(w))),
            y=w,
            name=name,
            marker={"color": colour, "line": {"color": colours["background"], "width": 1 if inside else 0}},
            text=[inside if abs(x) > 0.08 else "" for x in np.nan_to_num(w)] if inside else None,
            textposition="inside",
            textangle=0,
            insidetextanchor="middle",
            textfont={"color": colours["background"], "size": 11},
            hovertemplate=f"{name}: %{{y:.3g}}<extra></extra>",
        )


def _ticks(labels: Sequence[str], most: int = TICKS) -> dict[str, Any]:
    """Labels along a narrow axis: up to 8 in full, of more every few by number."""
    every = -(-len(labels) // most)
    places = list(range(0, len(labels), every))
    text = [labels[t] if every == 1 and len(labels[t]) < 7 else words.token(t) for t in places]
    return {"tickvals": places, "ticktext": text, "tickangle": 0}


def weights(w: np.ndarray, colours: Colours, labels: Sequence[str], title: str) -> go.Figure:
    """One bar a token: what it weighs for one query."""
    drawn = figure(colours, height=220, bargap=0.25)
    drawn.add_bar(
        x=list(range(len(w))),
        y=w,
        marker_color=[colours["negative"] if x < 0 else colours["positive"] for x in w],
        text=[words.number(float(x), 2) for x in w] if len(w) <= TICKS else None,
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{x}: %{y:.3g}<extra></extra>",
    )
    drawn.update_yaxes(title_text=title, zeroline=True)
    return drawn.update_xaxes(**_ticks(labels), showgrid=False, zeroline=False)
