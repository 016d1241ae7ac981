"""Sentences with numbers in them, and how a number is printed: pure functions, one module a page.

Text without numbers stands in the page where it is read. What one page alone says is in the module of
that page: `from linattn_ui.words import compare`.
"""

from linattn_ui.words.numbers import component, latex_number, listed, number, plain, sub, token, vector
from linattn_ui.words.run import (
    about_map,
    carries,
    drawn,
    example_sets,
    findings,
    map_title,
    softmax_scale,
    story,
    title,
)
from linattn_ui.words.variants import both_rows, same_state

__all__ = [
    "about_map",
    "both_rows",
    "carries",
    "component",
    "drawn",
    "example_sets",
    "findings",
    "latex_number",
    "listed",
    "map_title",
    "number",
    "plain",
    "same_state",
    "softmax_scale",
    "story",
    "sub",
    "title",
    "token",
    "vector",
]
