"""Lists of values, and states."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from linattn_ui import words
from linattn_ui.figures.base import CELLS_WITH_NUMBERS, heat_map
from linattn_ui.theme import Colours

TICKS = 8  # labels above many columns


def values(
    v: np.ndarray,
    colours: Colours,
    *,
    labels: Sequence[str],
    limit: float,
    changed: Sequence[int],
    most: int = CELLS_WITH_NUMBERS,
) -> go.Figure:
    """The list of values, one row a token, with a frame around each row that changed; numbers as below."""
    columns = [words.component(i) for i in range(v.shape[1])]
    drawn = heat_map(v, colours, limit=limit, rows=labels, columns=columns, row_title="token", bar=False)
    if v.shape[1] > most:
        _without_numbers(drawn)
    left, right = -0.5, v.shape[1] - 0.5
    corners = [(left, -0.5), (right, -0.5), (right, 0.5), (left, 0.5), (left, -0.5), (np.nan, np.nan)]
    x, y = (np.array([corner[i] for corner in corners]) for i in (0, 1))
    drawn.add_scatter(  # one line with gaps: a shape for each row would cost ten times the heat map
        x=np.tile(x, len(changed)),
        y=(np.array(changed)[:, None] + y).ravel(),
        mode="lines",
        line={"color": colours["contribution"], "width": 2},
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
    drawn.update_yaxes(autorange=None, range=[len(v) - 0.5, -0.5])
    return drawn.update_xaxes(range=[left, right])


def state(
    S: np.ndarray,
    z: np.ndarray,
    colours: Colours,
    *,
    limits: tuple[float, float],
    most: int = CELLS_WITH_NUMBERS,
) -> go.Figure:
    """S, and apart from it z in grey: its own scale is the second limit. Numbers up to `most` columns."""
    d_k, d_v = S.shape
    rows, columns = ([words.component(i) for i in range(d)] for d in (d_k, d_v))
    drawn = heat_map(S, colours, limit=limits[0], rows=rows, columns=columns, bar=False)
    drawn.add_heatmap(
        x=[d_v + 0.2],
        y=list(range(d_k)),
        z=z[:, None],
        zmin=-limits[1],
        zmax=limits[1],
        colorscale=[[0, colours["below"]], [0.5, colours["background"]], [1, colours["above_z"]]],
        showscale=False,
        text=[[words.number(float(x), 2)] for x in z],
        texttemplate="%{text}",
        textfont={"size": 12, "color": colours["text"]},
        hovertemplate="z, row %{y}: %{z}<extra></extra>",
        xgap=1,
        ygap=1,
    )
    if d_k > CELLS_WITH_NUMBERS or d_v > most:
        _without_numbers(drawn)
    ticks = list(range(0, d_v, -(-d_v // TICKS)))
    named = {"tickvals": [*ticks, d_v + 0.2], "ticktext": [*(columns[i] for i in ticks), "z"], "tickangle": 0}
    return drawn.update_xaxes(range=[-0.5, d_v + 0.7], **named)


def _without_numbers(drawn: go.Figure) -> None:
    drawn.update_traces({"text": None, "texttemplate": None, "xgap": 0, "ygap": 0}, {"type": "heatmap"})
