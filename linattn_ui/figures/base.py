"""What the figures of all pages share: a bare figure, heat maps on one signed scale, bars, lines."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_ui import words
from linattn_ui.theme import Colours

CELLS_WITH_NUMBERS = 8  # rows or columns; more would not fit a third of a page
FONT = '"Source Sans", sans-serif'  # the page's own
MANY = 16  # labels; more get no line of their own
PARTS = ("xaxis", "yaxis", "margin", "legend")  # of a layout, that a page adds to
LINE = 22  # px of height that a row of text or bars takes
ROOM = 0.25  # of the bars' range, left of one below 0 for its number beside the names; half right of all


def figure(colours: Colours, traces: Sequence[Mapping[str, Any]], *, height: int, **layout: Any) -> go.Figure:
    """A figure without a background of its own: narrow margins, the page's text colour, nothing to drag.

    Traces and layout are dictionaries: adding parts to a figure one by one takes several times as long.
    A part of the layout that is a dictionary here too (an axis, the margin, the legend) is added to.
    """
    axis = {
        "automargin": True,
        "fixedrange": True,
        "gridcolor": colours["rule"],
        "linecolor": colours["rule"],
        "zerolinecolor": colours["quiet"],
    }
    page: dict[str, Any] = {
        "template": "none",
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": colours["text"], "size": 13, "family": FONT},
        "dragmode": False,
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
        "xaxis": axis,
        "yaxis": axis,
    }
    parts = {name: page[name] | part if name in PARTS else part for name, part in layout.items()}
    return go.Figure(list(traces), page | parts)


def titled(title: str, *, upright: bool = False) -> dict[str, Any]:
    """The part of an axis that says what it counts; of an upright one beside its numbers, not on them."""
    beside = {"standoff": 6} if upright else {}
    return {"title": {"text": title, "font": {"size": 13}} | beside}


def curve(x: Any, y: Any, title: str, colour: str, *, mode: str = "lines", **line: Any) -> dict[str, Any]:
    """A line over x; `line` is how it is drawn where not plain (dash=, width=)."""
    look = {"color": colour, "width": 2} | line
    return {"type": "scatter", "x": x, "y": y, "name": title, "mode": mode, "line": look}


def band(x: Sequence[float], one: np.ndarray, other: np.ndarray, colour: str) -> dict[str, Any]:
    """The range between two edges, behind the line of what lies in it."""
    edge = {"x": [*x, *reversed(x)], "y": [*one, *other[::-1]], "fill": "toself", "fillcolor": colour}
    look = {"mode": "none", "opacity": 0.18, "hoverinfo": "skip", "showlegend": False}
    return {"type": "scatter"} | edge | look


def text(label: str) -> str:
    """A label as Plotly shows it as it is: its few HTML tags would be carried out.

    >>> text("<b>a</b> & b")
    '‹b›a‹/b› ＆ b'
    """
    return label.replace("<", "‹").replace(">", "›").replace("&", "＆")


def names(labels: Sequence[str], longest: int = 12) -> list[str]:
    """Labels of an axis, each of its own: equal ones would share a place. Long ones are cut.

    >>> names(["cat", "cat"])
    ['p₀ cat', 'p₁ cat']
    >>> names(["p0", "p1"])
    ['p₀', 'p₁']
    """
    said = [_short(text(" ".join(label.split())), longest) for label in labels]
    return [
        words.token(t) if label in ("", f"p{t}") else f"{words.token(t)} {label}"
        for t, label in enumerate(said)
    ]


def _short(label: str, longest: int) -> str:
    return label if len(label) <= longest else label[: longest - 1] + "…"


def limit_of(*arrays: np.ndarray, share: float = 1.0) -> float:
    """The largest finite |entry|, for one scale over several maps; 1 where all is 0 or nothing is finite.

    share < 1: the size that this share of the entries other than 0 does not pass, so that a few large ones
    do not leave the rest without colour.
    """
    sizes = np.concatenate([np.abs(x[np.isfinite(x) & (x != 0)]) for x in arrays])
    if share == 1 or not len(sizes):
        return float(sizes.max(initial=0)) or 1.0
    return float(np.quantile(sizes, share))


def signed(colours: Colours, numbered: bool) -> list[list[Any]]:
    """Plotly's colour scale from the least to the largest: 0 is the page's background.

    It ends earlier where numbers stand in the cells; without them small differences should be seen.
    """
    least, most = ("below", "above") if numbered else ("negative", "positive")
    return [[0, colours[least]], [0.5, colours["background"]], [1, colours[most]]]


def heat_map(
    z: np.ndarray,
    colours: Colours,
    *,
    limit: float,
    rows: Sequence[str],
    columns: Sequence[str],
    row_title: str = "row",
    column_title: str = "column",
    digits: int = 2,
    outlined: int | None = None,
    bar: bool = True,
) -> go.Figure:
    """A matrix as colours, row 0 at the top; ±limit are the ends of the scale and 0 its middle.

    Numbers stand in the cells up to 8×8. NaN is left empty. outlined: a row with a frame around it.
    The titles are said where one points; along the axes they would take the room of the cells.
    """
    shown = max(z.shape) <= CELLS_WITH_NUMBERS
    cells = {
        "type": "heatmap",
        "z": z,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": signed(colours, numbered=shown),
        "showscale": bar,
        "colorbar": {"thickness": 10, "len": 0.9, "outlinewidth": 0, "nticks": 5},
        "text": [[_cell(x, digits) for x in row] for row in z] if shown else None,
        "texttemplate": "%{text}" if shown else None,
        "textfont": {"size": 12, "color": colours["text"]},
        "hovertemplate": f"{row_title} %{{y}}, {column_title} %{{x}}: %{{z}}<extra></extra>",
        "xgap": 1 if shown else 0,
        "ygap": 1 if shown else 0,
    }
    bare = {"showgrid": False, "zeroline": False}
    return figure(
        colours,
        [cells],
        height=max(220, min(460, LINE * len(z) + 120)),
        xaxis=_ticks(columns, most=8) | bare | {"side": "top"},
        yaxis=_ticks(rows) | bare | {"autorange": "reversed"},
        shapes=[] if outlined is None else [_frame(outlined, z.shape[1], colours)],
    )


def _frame(row: int, columns: int, colours: Colours) -> Mapping[str, Any]:
    ends = {"x0": -0.5, "x1": columns - 0.5, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", "line": {"color": colours["query"], "width": 2}} | ends


def _cell(x: float, digits: int) -> str:
    """0.5 for 0.5, 0 for 0 alone, 0.00 for what rounds to it; past ordinary sizes as in a sentence."""
    if not np.isfinite(x) or abs(x) >= 1000:
        return "" if np.isnan(x) else words.number(float(x), digits)
    plain = f"{abs(x):.{digits}f}"
    return plain if x and not float(plain) else words.number(round(float(x), digits), digits)


def _ticks(labels: Sequence[str], most: int = MANY) -> dict[str, Any]:
    """A tick for each label; of many only every few."""
    every = -(-len(labels) // most)
    places = list(range(0, len(labels), every))
    return {
        "tickvals": places,
        "ticktext": [labels[i] for i in places],
        "tickangle": 0 if every == 1 else None,
    }


def bars(
    labels: Sequence[str],
    series: Mapping[str, tuple[np.ndarray, str]],
    colours: Colours,
    *,
    value_title: str = "",
) -> go.Figure:
    """Bars in groups, one group a label: title -> (one number a label, colour).

    Up to 16 labels lie one under the other with their numbers, the first at the top; more stand side by side.
    """
    lying, places = len(labels) <= MANY, list(range(len(labels)))
    groups = [
        {
            "type": "bar",
            "x": numbers if lying else places,
            "y": places if lying else numbers,
            "name": title,
            "orientation": "h" if lying else "v",
            "marker": {"color": colour},
            "text": [_cell(x, 3) for x in numbers] if lying else None,
            "textposition": "outside",
            "textfont": {"size": 11},
            "constraintext": "none",
            "cliponaxis": False,
            "hovertemplate": f"{title}: %{{{'x' if lying else 'y'}}}<extra></extra>",
        }
        for title, (numbers, colour) in series.items()
    ]
    named = _ticks(labels) | {"showgrid": False, "zeroline": False}
    valued = titled(value_title, upright=not lying) | {"rangemode": "tozero"}
    every = np.concatenate([numbers for numbers, _ in series.values()])
    low, high = (float(end(every[np.isfinite(every)], initial=0)) for end in (np.min, np.max))
    if lying and high > low:
        size = high - low
        valued |= {"range": [low - ROOM * size if low < 0 else 0, high + ROOM / 2 * size if high > 0 else 0]}
    if lying:
        height = 70 + len(labels) * (LINE * len(series) // 2 + 14)
        axes = {"xaxis": valued, "yaxis": named | {"autorange": "reversed"}}
    else:
        height, axes = 300, {"xaxis": named, "yaxis": valued}
    return figure(colours, groups, height=height, bargap=0.3, **axes)
