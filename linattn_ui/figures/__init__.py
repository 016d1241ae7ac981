"""Arrays in, `go.Figure` out: nothing here computes a result or knows Streamlit. One module a page.

Every function takes `colours` (see theme.py): a figure is drawn for one theme, and draws no background.
"""

from linattn_ui.figures.base import MANY, bars, figure, heat_map, limit_of, lines, names, text, titled

__all__ = ["MANY", "bars", "figure", "heat_map", "limit_of", "lines", "names", "text", "titled"]
