"""Two lists of values that end in one state."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_core import Reading
from linattn_core.mixing import kept_keys
from linattn_ui.words.mixing.shared import keys, read, same
from linattn_ui.words.numbers import component, listed, number, plain, sub, token, vector

ROUNDING = 1e-12  # of the largest number kept: less is printed as 0


def way_title(way: np.ndarray) -> str:
    """Which tokens trade: p₀ and p₂."""
    touched: list[str] = [token(t) for t in np.flatnonzero(way).tolist()]
    return f"{touched[0]} alone" if len(touched) == 1 else listed(touched)


def freedom(trace: Any, count: int) -> str:
    """How many numbers of the list the state does not hold; `count` is the number of ways to trade."""
    T, d_v = trace.v.shape
    if count == 0:
        which = "this key is" if T == 1 else f"these {T} keys are"
        return (
            f"{_start(trace, which)} linearly independent, so no other values give this state: whoever knows "
            f"{_needed(trace)} can work out {'the value' if T == 1 else 'all values'}."
        )
    if count == T:
        which, whose = ("the key is", "its value") if T == 1 else (f"all {T} keys are", "their values")
        return f"{_start(trace, which)} 0, so the state tells nothing of {whose}."
    which = f"{T - count} of the {T} {keys(T)} {'is' if T - count == 1 else 'are'}"
    return (
        f"{_start(trace, which)} linearly independent. Even to those who know the keys, the state does not "
        f"tell {count * d_v} of the list's {T * d_v} value numbers."
    )


def _kept_whole(trace: Any) -> bool:
    """Whether the last state holds every φ(k) as it was written."""
    return trace.settings.rule.accumulates and trace.alpha is None


def _start(trace: Any, which: str) -> str:
    """Of which keys it is said: as typed, after φ, or what the state has left of them."""
    T = len(trace.k)
    if not _kept_whole(trace):
        return f"As S{sub(T)} keeps {'it' if T == 1 else 'them'}, {which}"
    return which[:1].upper() + which[1:] if trace.settings.phi.key == "identity" else f"After φ, {which}"


def _needed(trace: Any) -> str:
    """What somebody has to know to work the values out."""
    T = len(trace.k)
    know = "the keys" if _kept_whole(trace) else f"what S{sub(T)} keeps of {'it' if T == 1 else 'them'}"
    return know if trace.initial is None else f"{know}, and what was carried in,"


def always(trace: Any) -> str:
    """Which tokens have another list with the same state whatever their numbers are."""
    d = trace.k.shape[1]
    what = "key components" if trace.settings.phi.key == "identity" else "components of φ(k)"
    more = f"ore tokens than {what}, here {d}, always leave a way."
    return f"Two tokens with one key, or m{more}" if _one_key_stays_one(trace) else f"M{more}"


def _one_key_stays_one(trace: Any) -> bool:
    """Whether the state keeps two tokens' one key in one direction: φ, decay and the rule all leave it so."""
    even = trace.alpha is None or bool((trace.alpha == trace.alpha[:, :1]).all())
    return even and trace.settings.rule.asks is None and not trace.settings.phi.positional


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
    kept = np.where(np.abs(kept) <= ROUNDING * np.abs(kept).max(), 0, kept)
    later = "" if trace.alpha is None else ", after all decay"
    later = later if trace.settings.rule.asks is None else ", after all later writes"
    if len(touched) == 1:
        row = vector(kept[touched[0]], decimals)
        return f"{S} keeps {row} of the key of {plain(names[touched[0]])}{later}: any value is lost in it."
    if len(touched) > 3 or kept.shape[1] > 6:
        return (
            f"The {len(touched)} keys, as {S} keeps them{later}, add up to 0 once each is multiplied by what "
            "its value gains."
        )
    terms = " + ".join(f"{number(way[t], decimals)}·{vector(kept[t], decimals)}" for t in touched)
    return f"Their keys, as {S} keeps them{later}, add up to 0: {terms.replace('+ −', '− ')}."


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
        f"{plain(query)} reads {both}. No query of S{T} can tell the two lists apart."
    )
