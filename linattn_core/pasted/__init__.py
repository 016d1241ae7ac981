"""Pasted text as rows of numbers. Nothing is evaluated: every form is split at its signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from linattn_core.inputs import of_kind
from linattn_core.limits import small_enough
from linattn_core.pasted.record import Pasted
from linattn_core.tokens import InputError

if TYPE_CHECKING:
    from linattn_core.pasted.table import Table

__all__ = ["Pasted", "parse_rows", "parse_table"]


def parse_rows(text: str) -> Pasted:
    r"""CSV, TSV, semicolons, blanks, JSON, Python and NumPy lists, or a LaTeX matrix as rows of numbers.

    Raises:
        InputError: the text is no table of finite numbers; the message names row, column and text.

    >>> parse_rows("the; 0,5; 1/4\ncat; 1; -2e-3").rows
    [[0.5, 0.25], [1.0, -0.002]]
    >>> parse_rows("[[1. 2.]\n [3. 4.]]").rows
    [[1.0, 2.0], [3.0, 4.0]]
    >>> parse_rows(r"\begin{pmatrix} 1 & \frac{1}{2} \\ 0 & −1 \end{pmatrix}").rows
    [[1.0, 0.5], [0.0, -1.0]]
    """
    return parse_table(text).numbers()


def parse_table(text: str) -> Table:
    """The same as cells of text, before any is read as a number.

    Raises:
        InputError: the text is no table.
    """
    of_kind("text", text, str, "a text", "Pass what was pasted.")
    small_enough("A text", len(text))
    text = text.removeprefix("\ufeff")
    if re.match(r"\s*\{\s*[\"'}]", text):
        raise InputError(
            "A table needs rows of numbers; this is a JSON object with names. "
            "Load it as a .json file, or paste one of its lists."
        )
    from linattn_core.pasted.delimited import delimited  # here, since a run needs none of them
    from linattn_core.pasted.latex import is_latex, latex
    from linattn_core.pasted.lists import is_list, lists

    form = latex if is_latex(text) else lists if is_list(text) else delimited
    return form(text)
