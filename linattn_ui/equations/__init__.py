"""One step of a run as worked equations: symbols, the same with numbers, the result. Pure; LaTeX out.

q and k are after φ. Labels never enter the LaTeX: token 2 is p₂ in titles and an index in formulas.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_ui.equations import reading, writing
from linattn_ui.equations.step import Line, Step

__all__ = ["Line", "document", "worked"]


def worked(trace: Any, written: int, decimals: int = 3) -> list[Line]:
    """The equations of the token written last, in the order write, add, read, divide; [] where none is."""
    if written == 0:
        return []
    with np.errstate(all="ignore"):  # what outgrows a float is printed as words
        step = Step(trace, written - 1, decimals)
        return [*writing.lines(step), *reading.lines(step)]


def document(lines: Sequence[Line]) -> str:
    """All equations for a LaTeX document (amsmath)."""
    body = " \\\\\n".join(f"  & {line.latex}" for line in lines)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
