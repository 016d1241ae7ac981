"""How many keys fit into a state."""

from typing import Any

import numpy as np

from linattn_core.mixing import Capacity, state_rank
from linattn_ui.changes import many
from linattn_ui.words.mixing.shared import keys
from linattn_ui.words.numbers import number, sub


def fits(one: Capacity, decimals: int = 3) -> str:
    """What comes back of as many keys as rows, and of one more."""
    d, means = one.d_k, {kind: each.mean(axis=0) for kind, each in one.difference.items()}
    full, over = (int(np.flatnonzero(one.counts == n)[0]) for n in (d, d + 1))
    straight, random = means["orthogonal"], means["random"]
    rows = "one row" if d == 1 else f"{d} rows"
    return (
        f"A state of {rows} gives back {d} orthogonal {keys(d)} with a difference of "
        f"{number(round(straight[full], 12), decimals)}. One more has no direction of its own left: "
        f"{number(straight[over], decimals)}. Random directions overlap from the second key on: "
        f"{number(random[full], decimals)} at {d} {keys(d)}, "
        f"{number(random[-1], decimals)} at {one.counts[-1]}. "
        f"The rank of S stops at {number(one.rank['random'][:, -1].mean(), 1)}."
    )


def own_rank(trace: Any) -> str:
    """The rank of the reader's own state beside its bound."""
    S = trace.S[len(trace.k)]
    bound = min(len(trace.k), *S.shape)
    sizes = zip((len(trace.k), *S.shape), ("token", "row", "column"), strict=True)
    said = f"min({', '.join(many(n, what) for n, what in sizes)}) = {bound}"
    return f"Your tokens: S{sub(len(trace.k))} has rank {state_rank(S)}, and could have {said}."
