"""Two lists of values that end in one state."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_core import Reading
from linattn_core.mixing import kept_keys
from linattn_ui.words.mixing.shared import keys, read, same
from linattn_ui.words.numbers import component, listed, number, plain, sub, token, vector


def way_title(way: np.ndarray) -> str:
    """Which tokens trade: p₀ and p₂."""
    touched: list[str] = [token(t) for t in np.flatnonzero(way).tolist()]
    return f"{touched[0]} alone" if len(touched) == 1 else listed(touched)


def freedom(trace: Any, count: int) -> str:
    """How many numbers of the list the state does not hold; `count` is the number of ways to trade."""
    T, d_v = trace.v.shape
    if count == 0:
        which = "This key is" if T == 1 else f"These {T} keys are"
        return (
            f"{which} linearly independent, so no other values give this state: whoever knows the keys "
            f"can work out {'the value' if T == 1 else 'all values'}."
        )
    lost = f"{count * d_v} of the list's {T * d_v} value numbers"
    return (
        f"{T - count} of the {T} {keys(T)} {'is' if T - count == 1 else 'are'} linearly independent. "
        f"Even to those who know the keys, the state does not tell {lost}."
    )


def trade(trace: Any, other: Any, way: np.ndarray, i: int, names: Sequence[str], decimals: int = 3) -> str:
    """Which values change to what."""
    each = [
        f"{plain(names[t])} from {number(trace.v[t, i], decimals)} to {number(other.v[t, i], decimals)}"
        for t in np.flatnonzero(way).tolist()
    ]
    if same(trace.v, other.v):
        return "Both lists are the same here: move the slider away from 0."
    return f"Component {component(i)} of the values goes {listed(each)}."


def why(trace: Any, way: np.ndarray, names: Sequence[str], decimals: int = 3) -> str:
    """Why the state does not notice."""
    kept, touched, S = kept_keys(trace), np.flatnonzero(way).tolist(), f"S{sub(len(trace.k))}"
    decayed = "" if trace.alpha is None else ", after all decay"
    if len(touched) == 1:
        row = vector(kept[touched[0]], decimals)
        return f"{S} keeps {row} of the key of {plain(names[touched[0]])}{decayed}: any value is lost in it."
    if len(touched) > 3 or kept.shape[1] > 6:
        return f"The {len(touched)} keys, as {S} keeps them{decayed}, add up to 0 with these factors."
    terms = " + ".join(f"{number(way[t], decimals)}·{vector(kept[t], decimals)}" for t in touched)
    return f"Their keys, as {S} keeps them{decayed}, add up to 0: {terms.replace('+ −', '− ')}."


def alike(trace: Any, again: Any, reads: Sequence[Reading], query: str, decimals: int = 3) -> str:
    """How far the two states and the reads of one query are apart."""
    T = sub(len(trace.k))
    gaps = np.append(again.S[-1] - trace.S[-1], again.z[-1] - trace.z[-1])
    gap = float(np.nanmax(np.abs(gaps)))  # z is none where the run began without
    rounding = "" if gap == 0 else ", which is rounding"
    yours, others = (read(trace, one, decimals) for one in reads)
    both = f"{yours} from both" if yours == others else f"{yours} from yours and {others} from the other"
    return (
        f"S{T} and z{T} of the two lists differ by {number(gap, decimals)}{rounding}. The query of "
        f"{plain(query)} reads {both}. No query can tell the two lists apart."
    )
