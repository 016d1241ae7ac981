"""What the query reads: the numerator, by the matrix and by the kept list, and what it is divided by."""

import numpy as np

from linattn_ui import words
from linattn_ui.equations.step import Line, Step, shown

UNDEFINED = r"\text{undefined: the scores sum to 0}"


def lines(step: Step) -> list[Line]:
    """Read and divide; [] for a token whose query does not exist."""
    trace = step.trace
    if step.t >= len(trace.q):
        return []
    found = [_numerator(step)] + ([_by_token(step)] if trace.one_map else [])
    return found + ([_score_sum(step), _divided(step)] if trace.settings.normalize else [_undivided(step)])


def _numerator(step: Step) -> Line:
    trace, t, r = step.trace, step.t, step.read_from
    symbol, own = _met(step)
    with_own = "" if own is None else ", with its own token weighted by u"
    state = step.matrix(trace.S[r])
    numbers = state if own is None else rf"\left({state} + {step.matrix(own[:, :-1])}\right)"
    return Line(
        f"Numerator: the query weights the rows of S{words.sub(r)} and adds them{with_own}",
        rf"{step.scale}q_{{{t}}}^\top {symbol}",
        step.scaled(step.row(trace.q[t]) + numbers),
        step.row(trace.read[t]),
    )


def _met(step: Step) -> tuple[str, np.ndarray | None]:
    """The matrix that is read, in symbols, and what the query's own token adds to [S | z], if anything."""
    trace, t, r = step.trace, step.t, step.read_from
    if trace.bonus is None:
        return rf"S_{{{r}}}", None
    own = (trace.bonus * trace.k[t])[:, None] * np.append(trace.v[t], 1)
    return rf"(S_{{{r}}} + \mathrm{{diag}}(u)\, k_{{{t}}} v_{{{t}}}^\top)", own


def _by_token(step: Step) -> Line:
    trace, t = step.trace, step.t
    last = step.read_from - (trace.bonus is None)
    score = rf"({step.scale}q_{{{t}}}^\top k_i)" if trace.alpha is None else rf"a_{{{t}i}}"
    if not trace.settings.rule.accumulates:
        score = rf"w_{{{t}i}}"
    symbols, terms = rf"\sum_{{i=0}}^{{{last}}} {score}\, v_i^\top", _terms(step, last + 1)
    if trace.initial is not None:
        symbols, terms = rf"{symbols} + c_{{{t}}}^\top", [*terms, step.row(_carried_read(step))]
    decayed = ", decay included" if trace.alpha is not None else ""
    decayed = ", later writes included" if trace.settings.rule.asks else decayed
    return Line(
        f"The same numerator from the kept list: score{decayed} × value of every token read",
        symbols if last >= 0 or trace.initial is not None else "0",
        " + ".join(terms),
        step.row(trace.read[t]),
    )


def _terms(step: Step, count: int) -> list[str]:
    scores, v = step.trace.scores()[step.t], step.trace.v
    return [r"\cdots" if i is None else step.factor(scores[i]) + step.row(v[i]) for i in shown(count)]


def _carried_read(step: Step) -> np.ndarray:
    """What the query reads of the state carried in, before the division."""
    trace, t = step.trace, step.t
    below = trace.norm[t] + trace.settings.eps if trace.settings.normalize else 1.0
    return trace.carried[t] * below


def _score_sum(step: Step) -> Line:
    trace, t, r = step.trace, step.t, step.read_from
    z, own = step.column(trace.z[r]), _met(step)[1]
    return Line(
        f"Score sum: the same query reads z{words.sub(r)}",
        rf"{step.scale}q_{{{t}}}^\top {_met_z(step)}",
        step.scaled(
            step.row(trace.q[t]) + (z if own is None else rf"\left({z} + {step.column(own[:, -1])}\right)")
        ),
        step.number(trace.norm[t]),
    )


def _met_z(step: Step) -> str:
    r, t = step.read_from, step.t
    return rf"z_{{{r}}}" if step.trace.bonus is None else rf"(z_{{{r}}} + \mathrm{{diag}}(u)\, k_{{{t}}})"


def _divided(step: Step) -> Line:
    trace, t = step.trace, step.t
    eps, scale = trace.settings.eps, step.scale
    below = rf"{scale}q_{{{t}}}^\top {_met_z(step)}" + (r" + \varepsilon" if eps else "")
    under = step.number(trace.norm[t]) + (f" + {step.number(eps)}" if eps else "")
    rescaled = ", scaled row by row because the plain sums do not fit a float" if trace.rescaled[t] else ""
    return Line(
        f"Divide by the score sum, not by the number of tokens{rescaled}",
        rf"y_{{{t}}}^\top = \frac{{{scale}q_{{{t}}}^\top {_met(step)[0]}}}{{{below}}}",
        "" if rescaled else rf"\frac{{{step.row(trace.read[t])}}}{{{under}}}",
        step.row(trace.y[t]) if trace.defined[t] else UNDEFINED,
    )


def _undivided(step: Step) -> Line:
    trace, t = step.trace, step.t
    return Line(
        "Output: this run does not divide",
        rf"y_{{{t}}}^\top = {step.scale}q_{{{t}}}^\top {_met(step)[0]}",
        "",
        step.row(trace.y[t]),
    )
