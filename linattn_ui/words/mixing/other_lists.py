"""What the state becomes when a token is left out, comes twice, or all come in another order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_core import Reading
from linattn_ui.words.answers import answer
from linattn_ui.words.mixing.shared import after_phi, only_adds, read, same
from linattn_ui.words.numbers import number, plain, sub


def left_out(trace: Any, t: int, reads: Sequence[Reading], names: Sequence[str], decimals: int = 3) -> str:
    """What is missing without one token."""
    taken = reads[0].S - reads[1].S
    if same(reads[1].S, reads[0].S):
        what = f"S is the same: nothing of {plain(names[t])} is left in it"
    elif only_adds(trace) or (trace.settings.rule.accumulates and same(taken, trace.contribution(t))):
        what = f"S loses exactly what {plain(names[t])} wrote"
    else:
        what = f"S changes by up to {number(np.abs(taken).max(), decimals)}{_lost(trace, t, names)}"
    return f"Without {plain(names[t])}, {what}. {_from_to(trace, reads, decimals)}"


def _lost(trace: Any, t: int, names: Sequence[str]) -> str:
    """Why that much is missing; nothing where a write depends on what was there, or φ on the position."""
    if trace.settings.rule.asks is not None:
        return ""
    if trace.settings.phi.positional and t < len(trace.k) - 1:
        return f": what {plain(names[t])} had left there is gone, and later tokens stand one position earlier"
    before = "" if t == 0 and trace.initial is None else ", and one decay less for what came before it"
    return f": what {plain(names[t])} had left there{before}"


def twice(trace: Any, t: int, reads: Sequence[Reading], names: Sequence[str], decimals: int = 3) -> str:
    """What a second copy adds."""
    return f"{_second(trace, t, reads, plain(names[t]), decimals)}. {_from_to(trace, reads, decimals)}"


def _second(trace: Any, t: int, reads: Sequence[Reading], name: str, decimals: int) -> str:
    """What the second copy does to the numerator, and why where it does nothing."""
    once, both = reads
    numerator = same(both.read, once.read)
    if same(both.S, once.S) and np.array_equal(both.z, once.z):
        if not trace.k[t].any():
            return f"The key of {name} is 0{after_phi(trace)}: once or twice, it writes nothing"
        return f"Written twice, {name} changes nothing in S"
    if not only_adds(trace):
        gain = answer(both.read - once.read, decimals)
        if numerator:
            return f"Written twice, {name} leaves the numerator as it is"
        return f"Written twice, {name} changes the numerator by {gain}"
    if numerator:
        why = "its value is 0" if not trace.v[t].any() else f"the query scores {name} 0"
        return f"Written twice, {name} leaves the numerator as it is: {why}"
    if len(trace.k) == 1 and same(both.read, 2 * once.read) and same(both.norm, 2 * once.norm):
        score = " and the score sum alike" if trace.settings.normalize else ""
        return f"Alone and written twice, {name} doubles the numerator{score}"
    part = (answer(n * (both.read - once.read), decimals) for n in (1, 2))
    return f"Written twice, {name} doubles its part of the numerator: from {' to '.join(part)}"


def other_order(trace: Any, order: Sequence[int], reads: Sequence[Reading], decimals: int = 3) -> str:
    """Whether the order of the tokens is in the state."""
    if len(order) == 1:
        return "One token has no other order."
    names = [f"p{sub(t)}" for t in order]
    said = " ".join(names if len(names) <= 6 else [*names[:5], "…"])
    S = f"S{sub(len(order))}"
    end = _from_to(trace, reads, decimals)
    if same(reads[1].S, reads[0].S):
        why = ": a sum has no order" if only_adds(trace) else ""
        return f"In the order {said} {S} comes out the same{why}. {end}"
    gap = number(np.abs(reads[1].S - reads[0].S).max(), decimals)
    because = _order_matters(trace)
    return f"In the order {said} {S} differs by up to {gap}: {because}. {end}"


def _order_matters(trace: Any) -> str:
    if trace.settings.phi.positional:
        return "φ depends on where a token stands"
    if trace.settings.rule.asks is None:
        return "what is written last has decayed least"
    return "what a token writes depends on what is there already"


def _from_to(trace: Any, reads: Sequence[Reading], decimals: int) -> str:
    before, after = (read(trace, one, decimals) for one in reads)
    return (
        f"The query reads {before}, as before."
        if before == after
        else f"The query read {before}; now {after}."
    )
