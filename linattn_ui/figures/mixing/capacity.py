"""What comes back of how many stored keys."""

import numpy as np
import plotly.graph_objects as go

from linattn_core.mixing import Capacity
from linattn_ui.figures.base import figure
from linattn_ui.theme import Colours


def capacity(one: Capacity, colours: Colours) -> go.Figure:
    """What comes back against the number of stored keys: means over seeds, and bands from least to most."""
    drawn = figure(colours, height=340)
    for kind, colour in (("random", colours["contribution"]), ("orthogonal", colours["positive"])):
        each = one.difference[kind]
        band = np.concatenate([each.min(axis=0), each.max(axis=0)[::-1]])
        drawn.add_scatter(
            x=np.concatenate([one.counts, one.counts[::-1]]),
            y=band,
            fill="toself",
            mode="none",
            fillcolor=colour,
            opacity=0.2,
            hoverinfo="skip",
            showlegend=False,
        )
        line = {"color": colour, "width": 2}
        drawn.add_scatter(x=one.counts, y=each.mean(axis=0), name=f"{kind} keys", mode="lines", line=line)
    _at_rows(drawn, one.d_k, colours, high=True)
    drawn.update_yaxes(title_text="difference", rangemode="tozero")
    return drawn.update_xaxes(title_text="stored keys", rangemode="tozero")


def rank(one: Capacity, colours: Colours) -> go.Figure:
    """The rank of S against the number of stored keys."""
    drawn = figure(colours, height=340)
    for kind, role, dash in (("random", "contribution", "solid"), ("orthogonal", "positive", "dot")):
        drawn.add_scatter(
            x=one.counts,
            y=one.rank[kind].mean(axis=0),
            name=f"{kind} keys",
            mode="lines",
            line={"color": colours[role], "width": 2, "dash": dash},
        )
    _at_rows(drawn, one.d_k, colours, high=False)
    drawn.update_yaxes(title_text="rank of S", rangemode="tozero")
    return drawn.update_xaxes(title_text="stored keys", rangemode="tozero")


def _at_rows(drawn: go.Figure, d_k: int, colours: Colours, *, high: bool) -> None:
    """The line at d_k; its name stands where the curves leave room."""
    place = {"y": 1, "yanchor": "top"} if high else {"y": 0, "yanchor": "bottom"}
    said = {"text": "1 row" if d_k == 1 else f"{d_k} rows", "xanchor": "left", **place}
    drawn.add_vline(x=d_k, line={"color": colours["quiet"], "width": 1, "dash": "dash"}, annotation=said)
