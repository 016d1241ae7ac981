"""Weights as bars."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_ui import words
from linattn_ui.figures.base import figure, titled
from linattn_ui.theme import Colours

EACH = 12  # tokens whose neighbours are drawn one by one
TICKS = 8  # labels along an axis of tokens
ROOM = 0.08  # of a bar, for a name inside


def shares(asked: Any, colours: Colours, labels: Sequence[str]) -> go.Figure:
    """For each key read back a bar: its own weight, and on top what its neighbours weigh.

    Up to 12 tokens each neighbour has its own piece; of more, the largest one and the rest by sign.
    """
    T = len(labels)
    own, others = np.diagonal(asked.weights()), np.where(np.eye(T, dtype=bool), 0, asked.weights())
    pieces = [_piece(own, "own value", colours["positive"]), *_neighbours(others, colours, labels)]
    title = "weight" if asked.settings.normalize else "score"
    return figure(
        colours,
        [piece for piece in pieces if np.nan_to_num(piece["y"]).any()],
        height=340,
        barmode="relative",
        bargap=0.25,
        showlegend=T > EACH,
        legend_traceorder="normal",
        xaxis=_tokens(labels, EACH),
        yaxis={**titled(title, upright=True), "zeroline": True},
    )


def _neighbours(others: np.ndarray, colours: Colours, labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Each neighbour by name; of many the largest, the rest, and those below 0."""
    if len(labels) <= EACH:
        for s, name in enumerate(labels):
            piece = _piece(others[:, s], name, colours["contribution"])
            yield {**piece, **_named(others[:, s], s, colours)}
        return
    largest = np.where(np.abs(others) == np.abs(others).max(axis=1, keepdims=True), others, 0)
    rest = others - largest
    yield _piece(largest.sum(axis=1), "largest neighbour", colours["contribution"])
    yield _piece(np.maximum(rest, 0).sum(axis=1), "other neighbours", colours["quiet"])
    yield _piece(np.minimum(rest, 0).sum(axis=1), "neighbours below 0", colours["negative"])


def _piece(w: np.ndarray, name: str, colour: str) -> dict[str, Any]:
    """One piece in each bar that has it."""
    return {
        "type": "bar",
        "x": list(range(len(w))),
        "y": w,
        "name": name,
        "marker": {"color": colour},
        "hovertemplate": f"{name}: %{{y:.3g}}<extra></extra>",
    }


def _named(w: np.ndarray, s: int, colours: Colours) -> Mapping[str, Any]:
    """A border, and the token's name where the piece has room for it."""
    edge = {"color": colours["background"], "width": 1}
    return {
        "marker": {"color": colours["contribution"], "line": edge},
        "text": [words.token(s) if abs(x) > ROOM else "" for x in np.nan_to_num(w)],
        "textposition": "inside",
        "textangle": 0,
        "insidetextanchor": "middle",
        "textfont": {"color": colours["background"], "size": 11},
    }


def _tokens(labels: Sequence[str], most: int = TICKS) -> dict[str, Any]:
    """Labels along a narrow axis: a few in full, of more every few by number."""
    every = -(-len(labels) // most)
    places = list(range(0, len(labels), every))
    short = len(labels) <= TICKS and max(map(len, labels)) < 7
    text = [labels[t] if short else words.token(t) for t in places]
    return {"tickvals": places, "ticktext": text, "tickangle": 0, "showgrid": False, "zeroline": False}


def weights(w: np.ndarray, colours: Colours, labels: Sequence[str], title: str) -> go.Figure:
    """One bar a token: what it weighs for one query."""
    bar = _piece(w, title, "") | {
        "marker": {"color": [colours["negative"] if x < 0 else colours["positive"] for x in w]},
        "text": [words.number(float(x), 2) for x in w] if len(w) <= TICKS else None,
        "textposition": "outside",
        "cliponaxis": False,
    }
    y = {**titled(title, upright=True), "zeroline": True}
    return figure(colours, [bar], height=220, bargap=0.25, xaxis=_tokens(labels), yaxis=y)
