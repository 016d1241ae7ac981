"""What the token writes, and how the write comes about under a rule that corrects or removes."""

import numpy as np

from linattn_ui import words
from linattn_ui.equations.step import Line, Step


def lines(step: Step) -> list[Line]:
    """φ where it changes something, what the rule asks of the state, write, state, and z for a division."""
    between = {"k": _corrected, "a": _removed}.get(step.settings.rule.asks or "", lambda step: [])
    found = [*_mapped(step), *between(step), _write(step), _state(step)]
    return found + ([_z(step)] if step.settings.normalize else [])


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


def _decayed(step: Step) -> list[Line]:
    """What the decay leaves of the old state, under a name of its own."""
    t, (symbol, kept) = step.t, step.decay
    if not symbol:
        return []
    left = step.matrix(step.trace.correction(t).decayed[:, :-1])
    title = f"Decayed state: what is left of S{words.sub(t)} for {words.token(t)}"
    return [Line(title, rf"D_{{{t}}} = {symbol}S_{{{t}}}", f"{kept}{step.matrix(step.trace.S[t])}", left)]


def _corrected(step: Step) -> list[Line]:
    """The old answer for the key, the error, and the share of it that is written."""
    trace, t = step.trace, step.t
    found = trace.correction(t)
    state, old, error = found.decayed[:, :-1], step.row(found.old[:-1]), step.row(found.error[:-1])
    answers = Line(
        f"Old answer: what the state returns for the key of {words.token(t)}",
        rf"o_{{{t}}}^\top = k_{{{t}}}^\top {step.kept}",
        step.row(trace.k[t]) + step.matrix(state),
        old,
    )
    lacks = Line(
        "Error: the value less the old answer",
        rf"e_{{{t}}}^\top = v_{{{t}}}^\top - o_{{{t}}}^\top",
        f"{step.row(trace.v[t])} - {old}",
        error,
    )
    part = Line(
        "Share β of the error: what is written",
        rf"u_{{{t}}}^\top = \beta_{{{t}}} {_times(step)}e_{{{t}}}^\top",
        f"{_beta(step)}{error}",
        step.row(trace.u[t]),
    )
    return [*_decayed(step), answers, lacks, part]


def _removed(step: Step) -> list[Line]:
    """What a reads of the undecayed state, and where b takes it."""
    trace, t = step.trace, step.t
    a, b, found = trace.gates["a"][t], trace.gates["b"][t], trace.correction(t)
    taken = step.row((trace.gates["beta"][t] * found.old)[:-1])
    asked = Line(
        f"Asked: what a reads of S{words.sub(t)}, before the decay",
        rf"r_{{{t}}}^\top = \beta_{{{t}}} {_times(step)}a_{{{t}}}^\top S_{{{t}}}",
        f"{_beta(step)}{step.row(a)}{step.matrix(trace.S[t])}",
        taken,
    )
    where = Line(
        "Removal: b takes that to its rows",
        rf"b_{{{t}}} r_{{{t}}}^\top",
        step.column(b) + taken,
        step.matrix(found.removal[:, :-1]),
    )
    return [*_decayed(step), asked, where]


def _times(step: Step) -> str:
    """Between β and a row, in symbols: nothing, or a product component by component."""
    return "" if step.trace.one_map else r"\odot "


def _beta(step: Step) -> str:
    """β before a row: one number, or one for each value component."""
    beta = step.trace.beta[step.t]
    return step.row(beta) + r" \odot " if np.ndim(beta) else step.factor(beta) + r" \cdot "


def _write(step: Step) -> Line:
    trace, t = step.trace, step.t
    what = "what is written" if _u(step) == "u" else "the whole value"
    return Line(
        f"Write of {words.token(t)}: every row is one key component times {what}",
        rf"k_{{{t}}} {_u(step)}_{{{t}}}^\top",
        step.column(trace.k[t]) + step.row(trace.u[t]),
        step.matrix(trace.contribution(t)),
    )


def _u(step: Step) -> str:
    """The letter of what is written: v itself unless the rule makes something of it."""
    rule = step.settings.rule
    return "v" if rule.accumulates or rule.bonus is not None or rule.asks == "a" else "u"


def _state(step: Step) -> Line:
    trace, t = step.trace, step.t
    (symbol, kept), old, removal = step.decay, trace.S[t], trace.correction(t).removal
    title = ": the old state shrinks to γ, then the write is added" if symbol else ""
    state = f"{symbol}S_{{{t}}}"
    if step.settings.rule.asks:
        state, kept, old, title = step.kept, "", trace.correction(t).decayed[:, :-1], ""
    symbols, numbers = [state], [f"{kept}{step.matrix(old)}"]
    if removal is not None:
        symbols, numbers = [*symbols, rf"b_{{{t}}} r_{{{t}}}^\top"], [*numbers, step.matrix(removal[:, :-1])]
    written = rf"k_{{{t}}} {_u(step)}_{{{t}}}^\top"
    return Line(
        f"State after {words.token(t)}{title}",
        rf"S_{{{t + 1}}} = {' + '.join([*symbols, written])}",
        " + ".join([*numbers, step.matrix(trace.contribution(t))]),
        step.matrix(trace.S[t + 1]),
    )


def _z(step: Step) -> Line:
    trace, t = step.trace, step.t
    (symbol, kept), rule, z = step.decay, step.settings.rule, step.column(trace.z[t + 1])
    if rule.asks == "k":
        factor = rf"\beta_{{{t}}} (1 - k_{{{t}}}^\top {symbol}z_{{{t}}})\, "
        written, numbers = f"{factor}k_{{{t}}}", step.factor(trace.u_z[t])
    elif rule.accumulates or rule.bonus is not None:
        written, numbers = f"k_{{{t}}}", ""
    else:
        return Line("Key state z: what the same rule keeps for the value 1", rf"z_{{{t + 1}}}", "", z)
    return Line(
        "Key sum z, kept the same way for the division",
        rf"z_{{{t + 1}}} = {symbol}z_{{{t}}} + {written}",
        f"{kept}{step.column(trace.z[t])} + {numbers}{step.column(trace.k[t])}",
        z,
    )
