"""What the state becomes when a token is left out, comes twice, or all come in another order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_core import Reading
from linattn_ui.words.mixing.shared import read, same
from linattn_ui.words.numbers import number, plain, sub, vector


def left_out(trace: Any, t: int, reads: Sequence[Reading], names: Sequence[str], decimals: int = 3) -> str:
    """What is missing without one token."""
    taken = reads[0].S - reads[1].S
    if same(reads[1].S, reads[0].S):
        what = f"S is the same: nothing of {plain(names[t])} is left in it"
    elif same(taken, trace.contribution(t)) and trace.settings.rule.accumulates:
        what = f"S loses exactly what {plain(names[t])} wrote"
    else:
        what = f"S changes by up to {number(np.abs(taken).max(), decimals)}"
        if trace.alpha is not None and trace.settings.rule.asks is None:
            what += f": what {plain(names[t])} had left there, and one decay less for the tokens before it"
    return f"Without {plain(names[t])}, {what}. {_from_to(trace, reads, decimals)}"


def twice(trace: Any, t: int, reads: Sequence[Reading], names: Sequence[str], decimals: int = 3) -> str:
    """What a second copy adds."""
    gain, name = reads[1].read - reads[0].read, plain(names[t])
    if len(trace.k) == 1 and same(reads[1].read, 2 * reads[0].read):
        start = f"Alone and written twice, {name} doubles the numerator"
        start += " and the score sum alike" if trace.settings.normalize else ""
    elif trace.settings.rule.accumulates and trace.alpha is None and not trace.settings.phi.positional:
        doubled = (vector(x.tolist(), decimals) for x in (gain, 2 * gain))
        start = f"Written twice, {name} doubles its part of the numerator: from {' to '.join(doubled)}"
    else:
        start = f"Written twice, {name} adds {vector(gain.tolist(), decimals)} to the numerator"
    return f"{start}. {_from_to(trace, reads, decimals)}"


def other_order(trace: Any, order: Sequence[int], reads: Sequence[Reading], decimals: int = 3) -> str:
    """Whether the order of the tokens is in the state."""
    if len(order) == 1:
        return "One token has no other order."
    names = [f"p{sub(t)}" for t in order]
    said = " ".join(names if len(names) <= 6 else [*names[:5], "…"])
    S = f"S{sub(len(order))}"
    end = _from_to(trace, reads, decimals)
    if same(reads[1].S, reads[0].S):
        return f"In the order {said} {S} comes out the same: a sum has no order. {end}"
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
