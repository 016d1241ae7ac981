"""One step of a run as worked equations: symbols, the same with numbers, the result. Pure; LaTeX out.

q and k are after φ. Labels never enter the LaTeX: token 2 is p₂ in titles and an index in formulas.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linattn_ui import words

MOST = 6  # components or terms printed in full; of more, the first two and the last
FITS = 48  # characters of matrices that stand side by side on a wide screen
UNDEFINED = r"\text{undefined: the scores sum to 0}"


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

    def number(self, x: float) -> str:
        """One number."""
        return words.latex_number(x, self.decimals)

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
        columns = _kept(M.shape[1])
        rows = [r" & ".join(_cell(self, M, i, j) for j in columns) for i in _kept(M.shape[0])]
        return r"\begin{pmatrix} " + r" \\ ".join(rows) + r" \end{pmatrix}"


def worked(trace: Any, written: int, decimals: int = 3) -> list[Line]:
    """The equations of the token written last, in the order write, add, read, divide; [] where none is."""
    if written == 0:
        return []
    with np.errstate(all="ignore"):  # what outgrows a float is printed as words
        return _worked(Step(trace, written - 1, decimals))


def _worked(step: Step) -> list[Line]:
    trace = step.trace
    lines = [*_mapped(step), _write(step), _state(step)]
    divides = trace.settings.normalize
    lines += [_z(step)] if divides else []
    if step.t >= len(trace.q):
        return lines
    lines += [_numerator(step), _by_token(step)]
    return lines + ([_score_sum(step), _divided(step)] if divides else [_undivided(step)])


def document(lines: Sequence[Line]) -> str:
    """All equations for a LaTeX document (amsmath)."""
    body = " \\\\\n".join(f"  & {line.latex}" for line in lines)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def _mapped(step: Step) -> list[Line]:
    trace, t = step.trace, step.t
    if trace.settings.phi.key == "identity":
        return []
    pairs = {"k": (trace.tokens.k, trace.k)}
    if t < len(trace.q):
        pairs["q"] = (trace.tokens.q, trace.q)
    return [
        Line(
            f"φ of the {'key' if name == 'k' else 'query'} (below, {name} means φ({name}))",
            rf"\varphi({name}_{{{t}}})^\top",
            rf"\varphi{step.row(typed[t])}",
            step.row(mapped[t]),
        )
        for name, (typed, mapped) in pairs.items()
    ]


def _write(step: Step) -> Line:
    trace, t = step.trace, step.t
    u = _u(step)
    return Line(
        f"Write of {words.token(t)}: every row is one key component times the whole value",
        rf"k_{{{t}}} {u}_{{{t}}}^\top",
        step.column(trace.k[t]) + step.row(trace.u[t]),
        step.matrix(trace.contribution(t)),
    )


def _u(step: Step) -> str:
    return "v" if step.trace.settings.rule.accumulates else "u"


def _state(step: Step) -> Line:
    trace, t = step.trace, step.t
    symbol, kept = _decay(step)
    return Line(
        f"State after {words.token(t)}"
        + (": the old state shrinks to γ, then the write is added" if symbol else ""),
        rf"S_{{{t + 1}}} = {symbol}S_{{{t}}} + k_{{{t}}} {_u(step)}_{{{t}}}^\top",
        f"{kept}{step.matrix(trace.S[t])} + {step.matrix(trace.contribution(t))}",
        step.matrix(trace.S[t + 1]),
    )


def _z(step: Step) -> Line:
    trace, t = step.trace, step.t
    title = "Key sum z, kept the same way for the division"
    if not trace.settings.rule.accumulates:
        return Line(title, rf"z_{{{t + 1}}}", "", step.column(trace.z[t + 1]))
    symbol, kept = _decay(step)
    return Line(
        title,
        rf"z_{{{t + 1}}} = {symbol}z_{{{t}}} + k_{{{t}}}",
        f"{kept}{step.column(trace.z[t])} + {step.column(trace.k[t])}",
        step.column(trace.z[t + 1]),
    )


def _decay(step: Step) -> tuple[str, str]:
    """The factor before the old state, in symbols and in numbers: one γ, or one for each row."""
    if step.trace.alpha is None:
        return "", ""
    alpha, t = step.trace.alpha[step.t], step.t
    if (alpha == alpha[0]).all():
        return rf"\gamma_{{{t}}} ", rf"{step.number(alpha[0])} "
    entries = ", ".join(r"\dots" if i is None else step.number(alpha[i]) for i in _kept(len(alpha)))
    return rf"\mathrm{{diag}}(\gamma_{{{t}}})\, ", rf"\mathrm{{diag}}({entries})\, "


def _numerator(step: Step) -> Line:
    trace, t, r = step.trace, step.t, step.read_from
    return Line(
        f"Numerator: the query weights the rows of S{words.sub(r)} and adds them",
        rf"{step.scale}q_{{{t}}}^\top S_{{{r}}}",
        step.scaled(step.row(trace.q[t]) + step.matrix(trace.S[r])),
        step.row(trace.read[t]),
    )


def _by_token(step: Step) -> Line:
    trace, t = step.trace, step.t
    last = step.read_from - 1
    score = rf"({step.scale}q_{{{t}}}^\top k_i)" if trace.alpha is None else rf"a_{{{t}i}}"
    if not trace.settings.rule.accumulates:
        score = rf"a_{{{t}i}}"
    symbols, terms = rf"\sum_{{i=0}}^{{{last}}} {score}\, v_i^\top", _terms(step, last + 1)
    if trace.initial is not None:
        symbols, terms = rf"{symbols} + c_{{{t}}}^\top", [*terms, step.row(_carried_read(step))]
    decayed = ", decay included" if trace.alpha is not None else ""
    return Line(
        f"The same numerator from the kept list: score{decayed} × value of every token read",
        symbols if last >= 0 or trace.initial is not None else "0",
        " + ".join(terms),
        step.row(trace.read[t]),
    )


def _terms(step: Step, count: int) -> list[str]:
    scores, v = step.trace.scores()[step.t], step.trace.v
    return [r"\cdots" if i is None else _factor(step, scores[i]) + step.row(v[i]) for i in _kept(count)]


def _factor(step: Step, x: float) -> str:
    text = step.number(x)
    return rf"({text})" if text.startswith("-") else text


def _carried_read(step: Step) -> np.ndarray:
    """What the query reads of the state carried in, before the division."""
    trace, t = step.trace, step.t
    below = trace.norm[t] + trace.settings.eps if trace.settings.normalize else 1.0
    return trace.carried[t] * below


def _score_sum(step: Step) -> Line:
    trace, t, r = step.trace, step.t, step.read_from
    return Line(
        f"Score sum: the same query reads z{words.sub(r)}",
        rf"{step.scale}q_{{{t}}}^\top z_{{{r}}}",
        step.scaled(step.row(trace.q[t]) + step.column(trace.z[r])),
        step.number(trace.norm[t]),
    )


def _divided(step: Step) -> Line:
    trace, t, r = step.trace, step.t, step.read_from
    eps, scale = trace.settings.eps, step.scale
    below = rf"{scale}q_{{{t}}}^\top z_{{{r}}}" + (r" + \varepsilon" if eps else "")
    under = step.number(trace.norm[t]) + (f" + {step.number(eps)}" if eps else "")
    rescaled = ", scaled row by row because the plain sums do not fit a float" if trace.rescaled[t] else ""
    return Line(
        f"Divide by the score sum, not by the number of tokens{rescaled}",
        rf"y_{{{t}}}^\top = \frac{{{scale}q_{{{t}}}^\top S_{{{r}}}}}{{{below}}}",
        "" if rescaled else rf"\frac{{{step.row(trace.read[t])}}}{{{under}}}",
        step.row(trace.y[t]) if trace.defined[t] else UNDEFINED,
    )


def _undivided(step: Step) -> Line:
    trace, t, r = step.trace, step.t, step.read_from
    return Line(
        "Output: this run does not divide",
        rf"y_{{{t}}}^\top = {step.scale}q_{{{t}}}^\top S_{{{r}}}",
        "",
        step.row(trace.y[t]),
    )


def _width(latex: str) -> int:
    """Characters side by side in the matrices of a LaTeX text, a command counted as one."""
    matrices = re.findall(r"\\begin{pmatrix}(.*?)\\end{pmatrix}", latex)
    rows = ([len(re.sub(r"\\[a-z]+", "x", row)) for row in matrix.split(r"\\")] for matrix in matrices)
    return sum(map(max, rows))


def _kept(n: int) -> list[int | None]:
    """Which of n entries are printed; None stands for dots."""
    return list(range(n)) if n <= MOST else [0, 1, None, n - 1]


def _cell(step: Step, M: np.ndarray, i: int | None, j: int | None) -> str:
    if i is None:
        return r"\ddots" if j is None else r"\vdots"
    return r"\cdots" if j is None else step.number(M[i, j])
