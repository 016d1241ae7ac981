"""Figures of the page "Feature maps"."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_core.map_scores import Scores
from linattn_ui import words
from linattn_ui.figures.base import band, curve, figure, titled
from linattn_ui.theme import Colours

LINES = ("positive", "contribution", "state", "query", "share", "value", "negative", "quiet")
DASHES = ("solid", "dash", "dot")  # so that colour is not all that tells lines apart
POINTS = 1500  # of a scatter; of more pairs every few are drawn
HEIGHT = 320
TICKS = 7  # of a logarithmic axis, at most


def phi_curves(x: np.ndarray, maps: Mapping[str, np.ndarray], chosen: str, colours: Colours) -> go.Figure:
    """φ(x) of every map that works component by component; the chosen one stands out."""
    traces = []
    for title, numbers in sorted(maps.items(), key=lambda pair: pair[0] == chosen):
        mine = title == chosen
        colour, width = colours["positive" if mine else "quiet"], 3 if mine else 1
        traces.append(curve(x, numbers, title, colour, width=width) | _hover(title))
    top = max(4.0, min(8.0, float(np.nanmax(maps[chosen])))) if chosen in maps else 4.0
    upright = titled("φ(x)", upright=True) | {"range": [-1.5, top]}
    across = titled("x, one component of q or k")
    return figure(colours, traces, height=HEIGHT, showlegend=False, xaxis=across, yaxis=upright)


def components(x: np.ndarray, mapped: np.ndarray, colours: Colours) -> go.Figure:
    """Every component of φ([x, 0, …]); of more than eight those that change most."""
    traces = []
    for n, i in enumerate(most_changing(mapped)):
        name, dash = words.component(i), DASHES[n % len(DASHES)]
        traces.append(
            curve(x, mapped[:, i], name, colours[LINES[n]], dash=dash) | _hover(f"component {name}")
        )
    upright, across = titled("component of φ", upright=True), titled("x of the vector [x, 0, …]")
    return figure(colours, traces, height=HEIGHT, xaxis=across, yaxis=upright)


def most_changing(mapped: np.ndarray) -> list[int]:
    """Up to eight columns in their order: those with the largest range."""
    ranges = np.ptp(mapped, axis=0)
    return sorted(int(i) for i in np.argsort(-ranges, kind="stable")[: len(LINES)])


def _hover(title: str) -> dict[str, str]:
    return {"hovertemplate": f"{title} of %{{x:.2f}}: %{{y:.3f}}<extra></extra>"}


def sweep(s: np.ndarray, scores: Scores, colours: Colours, softmax: str) -> go.Figure:
    """The score of q = [s, 0, …] and k along the same axis, here and in softmax."""
    both = ((softmax, scores.softmax, "share"), ("φ(q)·φ(k), scaled", scores.scaled, "positive"))
    traces = [curve(s, numbers, name, colours[role]) | _hover(name) for name, numbers, role in both]
    upright = titled("score", upright=True) | _by_ratio(scores)
    return figure(colours, traces, height=HEIGHT, xaxis=titled("s of the query [s, 0, …]"), yaxis=upright)


def _by_ratio(scores: Scores) -> dict[str, Any]:
    """A logarithmic axis where every score has a logarithm: softmax's line is straight there."""
    if not scores.positive:
        return {"rangemode": "tozero"}
    both = np.log10(np.concatenate([scores.scaled, scores.softmax]))
    low, high = float(both.min()) - 0.1, float(both.max()) + 0.1
    places = [m * 10.0**n for n in range(math.floor(low), math.ceil(high) + 1) for m in (1, 2, 5)]
    inside = [x for x in places if low <= math.log10(x) <= high]
    if len(inside) > TICKS:
        powers = [x for x in inside if f"{x:e}".startswith("1.0")]
        inside = powers[:: -(-len(powers) // TICKS)]
    return {"type": "log", "tickvals": inside, "ticktext": [words.number(x) for x in inside]}


def pairs(scores: Scores, colours: Colours, softmax: str, exponent: str) -> go.Figure:
    """One point a pair of query and token: softmax's exponent, and the score here; the curve is softmax's."""
    every = slice(None, None, -(-len(scores.score) // POINTS))
    x, y = scores.exponent[every], scores.scaled[every]
    signs = (("score ≥ 0, scaled", y >= 0, "positive"), ("score < 0, scaled", y < 0, "negative"))
    hover = {"hovertemplate": f"{exponent} %{{x:.3f}}: score %{{y:.3f}}<extra></extra>"}
    traces = [
        curve(x[chosen], y[chosen], name, colours[role], mode="markers")
        | {"marker": {"color": colours[role], "size": 5, "opacity": 0.6}}
        | hover
        for name, chosen, role in signs
        if chosen.any()
    ]
    along = np.linspace(scores.exponent.min(), scores.exponent.max(), 60)
    traces.append(curve(along, np.exp(along), softmax, colours["share"]) | {"hoverinfo": "skip"})
    upright = titled("score", upright=True) | _by_ratio(scores)
    return figure(colours, traces, height=HEIGHT, xaxis=titled(exponent), yaxis=upright)


def features(
    sizes: Sequence[int], spread: Mapping[str, np.ndarray], alike: float, colours: Colours
) -> go.Figure:
    """Weight elsewhere against the number of features: the mean over seeds in a band from least to most."""
    traces = []
    for (name, by_seed), role in zip(spread.items(), ("positive", "negative"), strict=True):
        traces.append(band(sizes, by_seed.max(axis=1), by_seed.min(axis=1), colours[role]))
        mean = curve(list(sizes), by_seed.mean(axis=1), name, colours[role], mode="lines+markers")
        traces.append(mean | {"hovertemplate": f"{name}, %{{x}} features: %{{y:.3f}}<extra></extra>"})
    dotted = {"color": colours["quiet"], "width": 1, "dash": "dot"}
    ticks = {"type": "log", "tickvals": list(sizes), "ticktext": [f"{m:,}" for m in sizes]}
    return figure(
        colours,
        traces,
        height=HEIGHT,
        xaxis=titled("random features m") | ticks,
        yaxis=titled("weight elsewhere", upright=True) | {"range": [0, 1]},
        shapes=[
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": alike, "y1": alike, "line": dotted}
        ],
    )
