"""Figures of the page "Feature maps"."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_core.map_scores import Scores
from linattn_ui import words
from linattn_ui.figures.base import figure
from linattn_ui.theme import Colours

LINES = ("positive", "contribution", "state", "query", "share", "value", "negative", "quiet")
DASHES = ("solid", "dash", "dot")  # so that colour is not all that tells lines apart
POINTS = 1500  # of a scatter; of more pairs every few are drawn
HEIGHT = 320
TICKS = 7  # of a logarithmic axis, at most
BAND = 0.18  # opacity of the range over seeds


def curve(x: np.ndarray, maps: Mapping[str, np.ndarray], chosen: str, colours: Colours) -> go.Figure:
    """φ(x) of every map that works component by component; the chosen one stands out."""
    drawn = figure(colours, height=HEIGHT, showlegend=False)
    for title, numbers in sorted(maps.items(), key=lambda pair: pair[0] == chosen):
        mine = title == chosen
        line = {"color": colours["positive" if mine else "quiet"], "width": 3 if mine else 1}
        drawn.add_scatter(x=x, y=numbers, name=title, mode="lines", line=line, hovertemplate=_hover(title))
    top = max(4.0, min(8.0, float(np.nanmax(maps[chosen])))) if chosen in maps else 4.0
    drawn.update_yaxes(**_title("φ(x)"), range=[-1.5, top])
    return drawn.update_xaxes(title_text="x, one component of q or k")


def components(x: np.ndarray, mapped: np.ndarray, colours: Colours) -> go.Figure:
    """Every component of φ([x, 0, …]); of more than eight those that change most."""
    drawn = figure(colours, height=HEIGHT)
    for n, i in enumerate(most_changing(mapped)):
        name = words.component(i)
        line = {"color": colours[LINES[n]], "width": 2, "dash": DASHES[n % len(DASHES)]}
        drawn.add_scatter(
            x=x, y=mapped[:, i], name=name, mode="lines", line=line, hovertemplate=_hover(f"component {name}")
        )
    drawn.update_yaxes(**_title("component of φ"))
    return drawn.update_xaxes(title_text="x of the vector [x, 0, …]")


def most_changing(mapped: np.ndarray) -> list[int]:
    """Up to eight columns in their order: those with the largest range."""
    ranges = np.ptp(mapped, axis=0)
    return sorted(int(i) for i in np.argsort(-ranges, kind="stable")[: len(LINES)])


def _title(text: str) -> Mapping[str, Any]:
    """The title of an upright axis, beside its numbers and not on them."""
    return {"title": {"text": text, "standoff": 6}}


def _hover(title: str) -> str:
    return f"{title} of %{{x:.2f}}: %{{y:.3f}}<extra></extra>"


def sweep(s: np.ndarray, scores: Scores, colours: Colours, softmax: str) -> go.Figure:
    """The score of q = [s, 0, …] and k along the same axis, here and in softmax."""
    drawn = figure(colours, height=HEIGHT)
    for name, numbers, role in (
        (softmax, scores.softmax, "share"),
        ("φ(q)·φ(k), scaled", scores.scaled, "positive"),
    ):
        line = {"color": colours[role], "width": 2}
        drawn.add_scatter(x=s, y=numbers, name=name, mode="lines", line=line, hovertemplate=_hover(name))
    drawn.update_yaxes(**_title("score"), **_by_ratio(scores))
    return drawn.update_xaxes(title_text="s of the query [s, 0, …]")


def _by_ratio(scores: Scores) -> Mapping[str, Any]:
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
    drawn = figure(colours, height=HEIGHT)
    every = slice(None, None, -(-len(scores.score) // POINTS))
    x, y = scores.exponent[every], scores.scaled[every]
    for name, chosen, role in (("score ≥ 0", y >= 0, "positive"), ("score < 0", y < 0, "negative")):
        if chosen.any():
            drawn.add_scatter(
                x=x[chosen],
                y=y[chosen],
                name=f"{name}, scaled",
                mode="markers",
                marker={"color": colours[role], "size": 5, "opacity": 0.6},
                hovertemplate=f"{exponent} %{{x:.3f}}: score %{{y:.3f}}<extra></extra>",
            )
    along = np.linspace(scores.exponent.min(), scores.exponent.max(), 60)
    line = {"color": colours["share"], "width": 2}
    drawn.add_scatter(x=along, y=np.exp(along), name=softmax, mode="lines", line=line, hoverinfo="skip")
    return drawn.update_xaxes(title_text=exponent).update_yaxes(**_title("score"), **_by_ratio(scores))


def features(
    sizes: Sequence[int], spread: Mapping[str, np.ndarray], alike: float, colours: Colours
) -> go.Figure:
    """Weight elsewhere against the number of features: the mean over seeds in a band from least to most."""
    drawn = figure(colours, height=HEIGHT)
    for (name, by_seed), role in zip(spread.items(), ("positive", "negative"), strict=True):
        low, high, mean = by_seed.min(axis=1), by_seed.max(axis=1), by_seed.mean(axis=1)
        drawn.add_scatter(
            x=[*sizes, *reversed(sizes)],
            y=[*high, *low[::-1]],
            fill="toself",
            fillcolor=colours[role],
            opacity=BAND,
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )
        line = {"color": colours[role], "width": 2}
        drawn.add_scatter(
            x=list(sizes),
            y=mean,
            name=name,
            mode="lines+markers",
            line=line,
            hovertemplate=f"{name}, %{{x}} features: %{{y:.3f}}<extra></extra>",
        )
    drawn.add_hline(y=alike, line={"color": colours["quiet"], "width": 1, "dash": "dot"})
    drawn.update_yaxes(**_title("weight elsewhere"), range=[0, 1])
    ticks = {"tickvals": list(sizes), "ticktext": [f"{m:,}" for m in sizes]}
    return drawn.update_xaxes(type="log", title_text="random features m", **ticks)
