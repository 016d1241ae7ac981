"""The effective weights of one query under several rules."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_ui.words.numbers import listed, number, plain, sub
from linattn_ui.words.write_rules.step import SAME, Traces, grouped, no_answer, numbers

RULES = "\0"  # stands for the rules that the same is true of


def weights(traces: Traces, t: int, names: Sequence[str], decimals: int = 3) -> list[str]:
    """Sums, weights below 0, and what later writes took out, for query t."""
    none = [rule for rule, trace in traces.items() if no_answer(trace, trace.weights()[t])]
    sums = {rule: trace.weights()[t].sum() for rule, trace in traces.items() if rule not in none}
    lines = [f"The weights of q{sub(t)} sum to {numbers(sums, decimals)}."] if sums else []
    if none:
        lines.append(f"Under {listed(none)} q{sub(t)} has no weights, because its scores sum to 0.")
    for say in (_negative, _taken):
        said = {rule: say(trace, t, names, decimals) for rule, trace in traces.items()}
        lines += [text.replace(RULES, rules) for text, rules in grouped(said).items() if text]
    return lines


def _negative(trace: Any, t: int, names: Sequence[str], decimals: int) -> str:
    w = trace.weights()[t]
    below = np.flatnonzero(w < -SAME)
    if not len(below):
        return ""
    s = int(below[np.argmin(w[below])])
    least = f"that of {plain(names[s])}, {number(float(w[s]), decimals)}"
    many = "1 weight is" if len(below) == 1 else f"{len(below)} weights are"
    return (
        f"Under {RULES} {many} below 0, the least {least}: its value is subtracted from what q{sub(t)} reads."
    )


def _taken(trace: Any, t: int, names: Sequence[str], decimals: int) -> str:
    """The earlier token whose score a correcting rule changed most, against q·k."""
    if trace.settings.rule.asks != "k":
        return ""
    plainly = trace.settings.scale * (trace.k @ trace.q[t])
    last = len(trace.k) - 1 if trace.settings.read == "full" else t - trace.settings.read_before_write
    gone = np.abs(trace.scores()[t] - plainly)[: max(last, 0)]
    if not len(gone) or not gone.max() > SAME:
        return ""
    s = int(np.argmax(gone))
    replaced = (trace.k[s + 1 : last + 1] == trace.k[s]).all(axis=1).any()
    changed = "later writes" if trace.alpha is None else "decay and later writes"
    why = f"{changed} changed what is left of it"
    if replaced:
        why = "a later token with the same key replaced it"
    scores = (number(float(x), decimals) for x in (plainly[s], trace.scores()[t, s]))
    return f"q{sub(t)}·k of {plain(names[s])} is {f' but its score under {RULES} is '.join(scores)}: {why}."
