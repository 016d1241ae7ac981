"""Lists of values, and states."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from linattn_ui import words
from linattn_ui.figures.base import heat_map
from linattn_ui.theme import Colours

NUMBERS, TICKS = 8, 8  # columns with numbers in their cells, and labels above more of them


def values(
    v: np.ndarray, colours: Colours, *, labels: Sequence[str], limit: float, changed: Sequence[int]
) -> go.Figure:
    """The list of values, one row a token, with a frame around each row that changed."""
    columns = [words.component(i) for i in range(v.shape[1])]
    drawn = heat_map(v, colours, limit=limit, rows=labels, columns=columns, row_title="token", bar=False)
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
    return drawn.update_xaxes(range=[left, right])


def state(S: np.ndarray, z: np.ndarray, colours: Colours, *, limits: tuple[float, float]) -> go.Figure:
    """S, and apart from it z in grey: it has its own scale, the second limit."""
    d_k, d_v = S.shape
    rows, columns = ([words.component(i) for i in range(d)] for d in (d_k, d_v))
    drawn = heat_map(S, colours, limit=limits[0], rows=rows, columns=columns, bar=False)
    shown = max(d_k, d_v) <= NUMBERS
    beside = d_v + 0.2
    drawn.add_heatmap(
        x=[beside],
        y=list(range(d_k)),
        z=z[:, None],
        zmin=-limits[1],
        zmax=limits[1],
        colorscale=[[0, colours["negative"]], [0.5, colours["background"]], [1, colours["quiet"]]],
        showscale=False,
        text=[[words.number(float(x), 2)] for x in z] if shown else None,
        texttemplate="%{text}" if shown else None,
        textfont={"size": 12},
        hovertemplate="z, row %{y}: %{z}<extra></extra>",
        xgap=1 if shown else 0,
        ygap=1 if shown else 0,
    )
    ticks = list(range(0, d_v, -(-d_v // TICKS)))
    named = {"tickvals": [*ticks, beside], "ticktext": [*(columns[i] for i in ticks), "z"], "tickangle": 0}
    return drawn.update_xaxes(range=[-0.5, beside + 0.5], **named)
