"""A figure from its parts at once: handed over one by one, each part costs Plotly milliseconds."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go

from linattn_ui.figures.base import figure
from linattn_ui.theme import Colours


def assemble(colours: Colours, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> go.Figure:
    """The bare figure of all pages with these traces; a part of the layout that is a mapping is added to."""
    bare = _bare(tuple(colours.items()))
    merged = {
        name: bare[name] | part if isinstance(part, Mapping) and name in bare else part
        for name, part in layout.items()
    }
    return go.Figure({"data": list(traces), "layout": bare | merged})


@lru_cache(maxsize=4)
def _bare(colours: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """The layout of the bare figure in one theme."""
    return figure(dict(colours), height=100).to_dict()["layout"]
