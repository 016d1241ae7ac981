"""Arrays in, `go.Figure` out: nothing here computes a result or knows Streamlit. One module a page.

Every function takes `colours` (see theme.py): a figure is drawn for one theme, and draws no background.
"""

from linattn_ui.figures.base import MANY, limit_of, names

__all__ = ["MANY", "limit_of", "names"]
