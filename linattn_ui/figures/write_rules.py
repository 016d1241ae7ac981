"""Figures of the page "Write rules"."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from linattn_core.recall import Held
from linattn_core.rule_comparison import Losses, Sweep
from linattn_ui import words
from linattn_ui.figures.base import MANY, band, curve, figure, heat_map, limit_of, titled
from linattn_ui.theme import Colours

LINES = ("positive", "share", "negative", "state")  # one a rule, in the order shown
DASHES = ("solid", "dot", "dash", "dashdot")  # so that colour is not all that tells lines apart
MOST = 64  # rows or columns of a map; more are pooled
POOLED = f"Past {MOST} tokens a cell shows the largest of its block."
FAR = 100  # times the smallest: a rule that grows past the others does not set their scale
HEIGHT = 280
CEILING = 1e300  # larger numbers are drawn at this, so that an axis has ends

Axis = dict[str, Any]


def scale_of(maps: Mapping[str, np.ndarray], many: int = 0) -> tuple[float, dict[str, float]]:
    """The end of one scale for all maps, and the largest size of those that go far past it.

    Of `many` tokens the few largest weights do not set the scale: the rest would have no colour.
    """
    sizes = {title: largest(z) for title, z in maps.items()}
    least = min((size for size in sizes.values() if size), default=1.0)
    beyond = {title: size for title, size in sizes.items() if size > FAR * least}
    inside = [z for title, z in maps.items() if title not in beyond]
    return min(limit_of(*inside, share=0.98 if many > MANY else 1.0), CEILING), beyond


def largest(*arrays: np.ndarray) -> float:
    """The largest |entry| that is a number, 0 where there is none."""
    sizes = np.concatenate([np.abs(x[~np.isnan(x)]) for x in arrays])
    return float(sizes.max()) if len(sizes) else 0.0


def state(S: np.ndarray, colours: Colours, *, limit: float) -> go.Figure:
    """One state: key components down, value components across."""
    rows, columns = ([words.component(i) for i in range(n)] for n in S.shape)
    return _map(S, colours, limit, rows, columns, "row", "value component")


def weights(
    w: np.ndarray, seen: np.ndarray, colours: Colours, *, labels: Sequence[str], limit: float, t: int
) -> go.Figure:
    """Effective weights: one row a query, one column a token, a frame around the chosen query."""
    queries = [f"q{words.sub(i)}" for i in range(len(w))]
    return _map(np.where(seen, w, np.nan), colours, limit, queries, _short(labels), "query", "token", t)


def left(share: np.ndarray, colours: Colours, *, labels: Sequence[str]) -> go.Figure:
    """Token down, state across: the share that a token's own key still reads of its value."""
    states = [f"S{words.sub(t + 1)}" for t in range(share.shape[1])]
    return _map(share, colours, 1.0, _short(labels), states, "token", "state")


def _short(labels: Sequence[str]) -> list[str]:
    return [label.split(" ")[0] for label in labels]  # p₀ of "p₀ river": names do not fit beside the cells


def _map(
    z: np.ndarray,
    colours: Colours,
    limit: float,
    rows: Sequence[str],
    columns: Sequence[str],
    row_title: str,
    column_title: str,
    t: int | None = None,
) -> go.Figure:
    """A heat map without a colour bar, pooled where it has more cells than there are pixels."""
    step = -(-max(z.shape) // MOST)
    small = pooled(np.clip(z, -CEILING, CEILING), step)
    if small.size > 400 and largest(small) < 1e30:  # half as much to send; colours are all that is seen of it
        small = small.astype(np.float32)
    drawn = heat_map(
        small,
        colours,
        limit=limit,
        rows=rows[::step],
        columns=columns[::step],
        row_title=row_title,
        column_title=column_title,
        outlined=None if t is None else t // step,
        bar=False,
    )
    hover = f"{row_title} %{{y}}, {column_title} %{{x}}: %{{z:.5~g}}<extra></extra>"
    drawn.update_traces(hovertemplate=hover)
    return drawn.update_layout(height=max(150, min(330, 26 * len(small) + 60)))


def pooled(z: np.ndarray, step: int) -> np.ndarray:
    """The number of largest size of each step × step block, sign kept; NaN where a block has none."""
    if step == 1:
        return z
    padded = np.pad(z, [(0, -n % step) for n in z.shape], constant_values=np.nan)
    rows, columns = (n // step for n in padded.shape)
    blocks = padded.reshape(rows, step, columns, step).swapaxes(1, 2).reshape(rows, columns, -1)
    at = np.argmax(np.where(np.isnan(blocks), -1, np.abs(blocks)), axis=2)
    return np.take_along_axis(blocks, at[..., None], axis=2)[..., 0]


def axis_of(title: str, *arrays: np.ndarray) -> Axis:
    """An upright axis from 0 for all of these numbers; of powers of ten where they are very far apart."""
    top, axis = min(largest(*arrays), CEILING), titled(title, upright=True)
    known = np.concatenate([x[np.isfinite(x) & (x > 0)] for x in arrays])
    if not len(known) or top <= 1e3 * float(np.median(known)):
        return axis | {"range": [0, 1.05 * top or 1], "nticks": 6}
    high, low = float(np.log10(top)), max(float(np.log10(known.min())), -3.0)
    ends = [low - 0.05 * (high - low), high + 0.05 * (high - low)]
    return axis | {"type": "log", "range": ends, "nticks": 6, "exponentformat": "power"}


def _upright(x: float, colour: str) -> dict[str, Any]:
    """A dotted line from the bottom to the top."""
    line = {"color": colour, "width": 1, "dash": "dot"}
    return {"type": "line", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}


def losses(each: Losses, colours: Colours, *, labels: Sequence[str], axis: Axis, t: int) -> go.Figure:
    """Loss of every token before its write and after it, on the same axis for every rule."""
    places, every = list(range(len(labels))), -(-len(labels) // 8)
    sides = (("before", each.loss_before, "quiet"), ("after", each.loss_after, "positive"))
    log = axis.get("type") == "log"
    drawn = [
        {"x": places, "y": np.clip(numbers, 1e-12 if log else 0, CEILING), "name": title}
        | {"hovertemplate": f"p%{{x}} {title}: %{{y:.5~g}}<extra></extra>"}
        | (
            {"type": "bar", "marker": {"color": colours[role]}}
            if len(labels) <= MANY and not log
            else {"type": "scatter", "mode": "lines", "line": {"color": colours[role], "width": 2}}
        )
        for title, numbers, role in sides
    ]
    ticks = {"tickvals": places[::every], "ticktext": _short(labels)[::every], "showgrid": False}
    ticks |= {"zeroline": False}
    mark = [_upright(t, colours["query"])]
    return figure(colours, drawn, height=HEIGHT, xaxis=ticks, yaxis=axis, shapes=mark, bargap=0.25)


def sweep(
    swept: Mapping[str, Sweep], what: str, colours: Colours, beta: float | None, border: float
) -> go.Figure:
    """`loss` or `size` against β; lines at the β in use and where β k·k of the longest key is 2."""
    curves = {rule: np.minimum(getattr(each, what), CEILING) for rule, each in swept.items()}
    x = next(iter(swept.values())).beta
    lines = [_nth(n, x, numbers, rule, colours) for n, (rule, numbers) in enumerate(curves.items())]
    marks = [("β here", beta, "quiet", 1.0), ("β k·k = 2", border, "negative", 0.14)]
    shown = [mark for mark in marks if mark[1] is not None and mark[1] <= 2]
    notes = [
        {"text": text, "x": at, "y": y, "yref": "paper", "showarrow": False, "yanchor": "top"}
        | {
            "xanchor": "left" if at < 1 else "right",
            "xshift": 4 if at < 1 else -6,
            "font": {"color": colours[role], "size": 12},
        }
        for text, at, role, y in shown
        if at is not None
    ]
    return figure(
        colours,
        lines,
        height=HEIGHT,
        xaxis=titled("β") | {"range": [0, 2.02], "zeroline": False},
        yaxis=axis_of(what, *curves.values()),
        shapes=[_upright(at, colours[role]) for _, at, role, _ in shown if at is not None],
        annotations=notes,
    )


def again(shares: np.ndarray, colours: Colours) -> go.Figure:
    """‖v − Sᵀk‖ after 0, 1, 2, … writes of one token, as a share of the first."""
    y = np.minimum(shares, CEILING)
    line = _nth(0, np.arange(len(y)), y, "error", colours, "lines+markers")
    axes = {
        "xaxis": titled("writes of the same token") | {"zeroline": False},
        "yaxis": axis_of("error, as a share of the first", y),
    }
    return figure(colours, [line], height=HEIGHT, **axes, showlegend=False)


def _nth(n: int, x: Any, y: Any, title: str, colours: Colours, mode: str = "lines") -> dict[str, Any]:
    """The n-th of several lines."""
    hover = f"{title}, %{{x:.4~g}}: %{{y:.4~g}}<extra></extra>"
    return curve(x, y, title, colours[LINES[n]], mode=mode, dash=DASHES[n]) | {"hovertemplate": hover}


def held(curves: Mapping[str, Held], colours: Colours, *, axis: Axis) -> go.Figure:
    """Difference against the number of pairs: the mean over seeds, in the band of the middle 80 % of them."""
    bands = [
        band(each.counts.tolist(), each.high, each.low, colours[LINES[n]])
        for n, each in enumerate(curves.values())
    ]
    lines = [_nth(n, each.counts, each.mean, rule, colours) for n, (rule, each) in enumerate(curves.items())]
    dotted = {"color": colours["quiet"], "width": 1, "dash": "dot"}
    nothing = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": dotted}
    across = titled("pairs stored") | {"rangemode": "tozero"}
    return figure(colours, bands + lines, height=HEIGHT + 40, xaxis=across, yaxis=axis, shapes=[nothing])


def recall(shares: Mapping[str, np.ndarray], sizes: Sequence[int], colours: Colours) -> go.Figure:
    """Words brought back against d_k."""
    lines = [
        _nth(n, list(sizes), numbers, rule, colours, "lines+markers")
        for n, (rule, numbers) in enumerate(shares.items())
    ]
    ticks = {"type": "log", "tickvals": list(sizes), "ticktext": [str(size) for size in sizes]}
    upright = titled("words brought back", upright=True) | {"range": [0, 1.03], "tickformat": ".0%"}
    axes = {"xaxis": titled("d_k, rows of S") | ticks, "yaxis": upright}
    return figure(colours, lines, height=HEIGHT + 40, **axes)
