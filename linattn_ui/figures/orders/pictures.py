"""A product with its factors, and the states one after another, all with one size of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_core import Brackets
from linattn_ui import words
from linattn_ui.figures.base import figure, limit_of, signed
from linattn_ui.figures.orders.matrices import Matrix, Scale
from linattn_ui.theme import Colours

COLOURED = 64  # rows or columns of a matrix; a larger one is only a frame, to size
LONGEST = 5  # characters of a number in a cell
MOST = 12  # states in a picture


@dataclass(frozen=True)
class Sheet:
    """What is drawn so far."""

    colours: Colours
    scale: Scale
    traces: list[dict[str, Any]] = field(default_factory=list)
    shapes: list[dict[str, Any]] = field(default_factory=list)
    texts: list[dict[str, Any]] = field(default_factory=list)

    def matrix(self, m: Matrix, x: float, y: float) -> None:
        """Its cells where they can be told apart, its frame, its name; top left corner at (x, y)."""
        (rows, columns), colour = m.x.shape, self.colours[m.role]
        if max(rows, columns) <= COLOURED:
            self.traces.append(_cells(m, x, y, self.colours, self.scale.digits))
        else:
            self.shapes.append(_filled(m, x, y, self.colours["rule"]))
        self.box(x, y, columns, rows, colour)
        left, above = m.side == "left", m.side == "top"
        self.text(
            m.label,
            (x + columns if left else x, y if above else y + rows),
            colour,
            xanchor="right" if left else "left",
            yanchor="bottom" if above else "top",
            borderpad=2,
        )

    def box(self, x: float, y: float, width: float, height: float, colour: str, line: int = 2) -> None:
        """A frame."""
        ends = {"x0": x, "x1": x + width, "y0": y, "y1": y + height}
        self.shapes.append({"type": "rect", "line": {"color": colour, "width": line}, **ends})

    def text(self, text: str, at: tuple[float, float], colour: str, size: int = 12, **anchors: Any) -> None:
        """A name or a sign."""
        font = {"color": colour, "size": size}
        place = {"x": at[0], "y": at[1], "align": "left", "showarrow": False}
        self.texts.append({"text": text, "font": font, **place, **anchors})

    def drawn(self, tall: float) -> go.Figure:
        """All of it as a picture `tall` cells high, as wide as every other."""
        axis = {"visible": False, "constrain": "domain"}
        ends, down = [-0.1, self.scale.width + 0.1], [tall + 0.05, -0.05]
        layout = {
            "xaxis": axis | {"range": ends, "constraintoward": "left"},
            "yaxis": axis | {"range": down, "constraintoward": "top", "scaleanchor": "x"},
            "margin": {"l": 40, "r": 32, "t": 24, "b": 38},
            "shapes": self.shapes,
            "annotations": self.texts,
            "showlegend": False,
        }
        height = round(self.scale.cell * tall) + 62
        return figure(self.colours, self.traces, height=height, **layout)


def product(left: Matrix, top: Matrix, result: Matrix, colours: Colours, scale: Scale) -> go.Figure:
    """Left × top = result, as on paper: row i of the left meets column j of the top in cell (i, j)."""
    sheet, x, y = Sheet(colours, scale), left.x.shape[1] + scale.gap, len(top.x) + scale.gap
    for m, at_x, at_y in ((left, 0, y), (top, x, 0), (result, x, y)):
        sheet.matrix(m, at_x, at_y)
    return sheet.drawn(y + len(left.x))


def row(
    left: Matrix, right: Matrix, result: Matrix, colours: Colours, scale: Scale, *, last: bool = False
) -> go.Figure:
    """Left × right = result, side by side.   last: a frame around the last row of left and result."""
    sheet, x = Sheet(colours, scale), 0.0
    middle = min(len(left.x), len(right.x)) / 2
    for sign, m in (("", left), ("×", right), ("=", result)):
        if sign:
            sheet.text(sign, (x - scale.gap / 2, middle), colours["text"], 14)
        sheet.matrix(m, x, 0)
        if last and m is not right:
            sheet.box(x, len(m.x) - 1, m.x.shape[1], 1, colours["query"], 3)
        x += m.x.shape[1] + scale.gap
    return sheet.drawn(max(len(left.x), len(right.x)))


def states(S: np.ndarray, shown: Sequence[int], colours: Colours, scale: Scale) -> go.Figure:
    """States one after another; the last one, which alone is kept, in the state's colour."""
    (_, d_k, d_v), sheet, limit = S.shape, Sheet(colours, scale), limit_of(S)
    across = _fit(scale.width, d_v, scale)
    for place, t in enumerate(shown):
        y, x = (n * (d + scale.gap) for n, d in zip(divmod(place, across), (d_k, d_v), strict=True))
        name, kept = f"S{words.sub(t)}", t == len(S) - 1
        colour = colours["state" if kept else "quiet"]
        sheet.traces.append(_cells(Matrix(name, S[t], "", "", limit), x, y, colours, scale.digits))
        sheet.box(x, y, d_v, d_k, colour, 2 if kept else 1)
        sheet.text(name, (x, y), colour, 10, xanchor="left", yanchor="bottom", borderpad=0)
    down = -(-len(shown) // across)
    return sheet.drawn(down * (d_k + scale.gap) - scale.gap)


def shown_states(both: Brackets, scale: Scale) -> list[int]:
    """Which of S₁ … S_T have room: all, or evenly spaced ones with the last among them."""
    T, d_k, d_v = len(both.k), *both.S.shape[1:]
    most = min(T, MOST, _fit(scale.tall, d_k, scale) * _fit(scale.width, d_v, scale))
    return sorted(T - i * T // most for i in range(most))


def _fit(room: float, d: int, scale: Scale) -> int:
    """How many matrices of d rows or columns stand in that room."""
    return max(1, int((room + scale.gap) // (d + scale.gap)))


def _cells(m: Matrix, x: float, y: float, colours: Colours, digits: int | None) -> dict[str, Any]:
    """A heat map of the matrix; numbers in its cells where `digits` says how many decimals fit."""
    z = np.where(np.tri(*m.x.shape, dtype=bool), m.x, np.nan) if m.masked else m.x
    drawn = {
        "type": "heatmap",
        "z": z,
        "x0": x + 0.5,
        "y0": y + 0.5,
        "zmin": -m.limit,
        "zmax": m.limit,
        "colorscale": signed(colours, numbered=digits is not None),
        "showscale": False,
        "hovertemplate": f"{m.name}: %{{z:.6g}}<extra></extra>",
        "hoverongaps": False,
    }
    if digits is None:
        return drawn
    text = [[_text(n, digits) for n in row] for row in z]
    font = {"color": colours["text"]}  # it shrinks with its cell
    return drawn | {"text": text, "texttemplate": "%{text}", "textfont": font, "xgap": 1, "ygap": 1}


def _text(x: float, digits: int) -> str:
    """1.5; nothing for what does not exist or is too long for a cell."""
    text = words.number(round(float(x), digits), digits) if np.isfinite(x) else ""
    return text if len(text) <= LONGEST else ""


def _filled(m: Matrix, x: float, y: float, colour: str) -> dict[str, Any]:
    """A matrix too large for cells: its whole area, or what is below its diagonal."""
    rows, columns = m.x.shape
    edge = f"L{x + columns},{y + rows}" if m.masked else f"H{x + columns} V{y + rows}"
    path = f"M{x},{y} {edge} H{x} Z"
    return {"type": "path", "path": path, "fillcolor": colour, "line": {"width": 0}, "layer": "below"}
