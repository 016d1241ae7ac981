"""What each form costs against T."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_core import Sizes, form
from linattn_ui import words
from linattn_ui.figures.base import curve, figure, titled
from linattn_ui.theme import Colours

POINTS = 200  # of a curve
HOVER = "{}: %{{y:,.0f}} at T = %{{x:,}}<extra></extra>"


def costs(
    now: Sizes,
    marked: Sequence[int],
    forms: Mapping[str, tuple[str, str, str]],
    colours: Colours,
    *,
    cost: str,
    break_even: float,
    log: bool,
) -> go.Figure:
    """A cost against T, one curve a form, points at the marked lengths, a dashed line at the break-even.

    cost: "multiply_adds" or "kept".   forms: key -> what each of the two is called, the role of its colour.
    """
    T = lengths(2 * max(now.T, int(break_even) + 1), log)
    traces = []
    for key, (work, kept, role) in forms.items():
        title, count = work if cost == "multiply_adds" else kept, getattr(form(key), cost)
        along, points = count(replace(now, T=T)), [float(count(replace(now, T=at))) for at in marked]
        look = {"hovertemplate": HOVER.format(title)}
        traces.append(curve(T, along.astype(float), title, colours[role]) | look)
        dots = curve(list(marked), points, title, colours[role], mode="markers") | look
        traces.append(dots | {"marker": {"color": colours[role], "size": 9}, "showlegend": False})
    return figure(colours, traces, height=360, **_layout(break_even, colours["quiet"], log))


def _layout(break_even: float, colour: str, log: bool) -> dict[str, Any]:
    """Linear axes from 0 on, or logarithmic ones; the dashed line and what it is."""
    dashed = {"color": colour, "width": 1, "dash": "dash"}
    ends = {"x0": break_even, "x1": break_even, "y0": 0, "y1": 1, "yref": "paper"}
    axis = {"type": "log"} if log else {"type": "linear", "rangemode": "tozero"}
    star = {
        "text": f"T* = {words.number(break_even, 1)}",
        "x": float(np.log10(break_even)) if log else break_even,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "xshift": 3,
        "showarrow": False,
        "font": {"color": colour},
    }
    return {
        "xaxis": axis | titled("tokens T"),
        "yaxis": axis | {"exponentformat": "power"},
        "shapes": [{"type": "line", "line": dashed, **ends}],
        "annotations": [star],
        "legend": {"y": -0.22, "yanchor": "top"},
    }


def lengths(longest: int, log: bool) -> np.ndarray:
    """Whole lengths from 1 on, evenly spaced on the axis."""
    spaced = np.geomspace(1, longest, POINTS) if log else np.linspace(1, longest, POINTS)
    return np.unique(np.round(spaced).astype(np.int64))
