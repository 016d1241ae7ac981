"""One equation, and the step of a run that it is about."""

import re
from typing import Any, NamedTuple

import numpy as np

from linattn_ui import words

MOST = 6  # components or terms printed in full; of more, the first two and the last
FITS = 48  # characters of matrices that stand side by side on a wide screen


class Line(NamedTuple):
    """One equation: what it says, in symbols, with numbers, and what comes out."""

    title: str
    symbols: str
    numbers: str
    result: str

    @property
    def latex(self) -> str:
        """Symbols = numbers = result, without what is empty; one below the other where they are wide."""
        symbols, *rest = (part for part in self[1:] if part)
        if _width(self.numbers) + _width(self.result) <= FITS:
            return " = ".join([symbols, *rest])
        return rf"\begin{{aligned}} {symbols} & = " + r" \\ & = ".join(rest) + r" \end{aligned}"


class Step(NamedTuple):
    """What every equation needs: the run, its token t, and how numbers are printed."""

    trace: Any
    t: int
    decimals: int

    @property
    def read_from(self) -> int:
        """Which S the query reads: S[T], S[t] or S[t+1]."""
        settings = self.trace.settings
        if settings.read == "full":
            return len(self.trace.k)
        return self.t if settings.read_before_write else self.t + 1

    @property
    def scale(self) -> str:
        """The factor s of every score, in symbols; nothing where it is 1."""
        return "" if self.trace.settings.scale == 1 else r"s\, "

    @property
    def settings(self) -> Any:
        """The choices of the run."""
        return self.trace.settings

    @property
    def kept(self) -> str:
        """What the write is added to, in symbols: S[t], or what the decay leaves of it."""
        return f"S_{{{self.t}}}" if self.trace.alpha is None else f"D_{{{self.t}}}"

    @property
    def decay(self) -> tuple[str, str]:
        """The factor before the old state, in symbols and in numbers: one γ, or one for each row."""
        if self.trace.alpha is None:
            return "", ""
        alpha, t = self.trace.alpha[self.t], self.t
        if (alpha == alpha[0]).all():
            return rf"\gamma_{{{t}}} ", rf"{self.number(alpha[0])} "
        entries = ", ".join(r"\dots" if i is None else self.number(alpha[i]) for i in shown(len(alpha)))
        return rf"\mathrm{{diag}}(\gamma_{{{t}}})\, ", rf"\mathrm{{diag}}({entries})\, "

    def number(self, x: float) -> str:
        """One number."""
        return words.latex_number(x, self.decimals)

    def factor(self, x: float) -> str:
        """One number before a matrix: in brackets where it is negative."""
        text = self.number(x)
        return rf"({text})" if text.startswith("-") else text

    def scaled(self, text: str) -> str:
        """Numbers with the factor s before them."""
        scale = self.trace.settings.scale
        return text if scale == 1 else rf"{self.number(scale)} \cdot {text}"

    def row(self, x: np.ndarray) -> str:
        """A row vector."""
        return self.matrix(np.atleast_2d(x))

    def column(self, x: np.ndarray) -> str:
        """A column vector."""
        return self.matrix(np.atleast_2d(x).T)

    def matrix(self, M: np.ndarray) -> str:
        """A matrix; past 6 rows or columns the middle ones are dots."""
        columns = shown(M.shape[1])
        rows = [r" & ".join(_cell(self, M, i, j) for j in columns) for i in shown(M.shape[0])]
        return r"\begin{pmatrix} " + r" \\ ".join(rows) + r" \end{pmatrix}"


def _width(latex: str) -> int:
    """Characters side by side in the matrices of a LaTeX text, a command counted as one."""
    matrices = re.findall(r"\\begin{pmatrix}(.*?)\\end{pmatrix}", latex)
    rows = ([len(re.sub(r"\\[a-z]+", "x", row)) for row in matrix.split(r"\\")] for matrix in matrices)
    return sum(map(max, rows))


def shown(n: int) -> list[int | None]:
    """Which of n entries are printed; None stands for dots."""
    return list(range(n)) if n <= MOST else [0, 1, None, n - 1]


def _cell(step: Step, M: np.ndarray, i: int | None, j: int | None) -> str:
    if i is None:
        return r"\ddots" if j is None else r"\vdots"
    return r"\cdots" if j is None else step.number(M[i, j])
