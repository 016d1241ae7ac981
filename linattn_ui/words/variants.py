"""What to look at in the two variants of the article's tokens, from the run before and the run after."""

from typing import Any

import numpy as np

from linattn_ui.words.numbers import listed, number, sub, token, vector


def both_rows(before: Any, after: Any, decimals: int = 3) -> str:
    """What the write of a last key with two components fills, and what the last query gets."""
    t, rows = len(after.k) - 1, after.k.shape[1]
    filled = int(np.count_nonzero(after.k[t]))
    where = f"{filled} of {rows} rows" if filled < rows else "both rows" if rows == 2 else f"all {rows} rows"
    said = [f"Its write fills {where}"]
    if after.settings.normalize:
        said[0] += f"; z{sub(t + 1)} = {vector(after.z[t + 1], decimals)}"
    if not after.defined[t]:
        return f"{said[0]}. y{sub(t)} is undefined: the scores sum to 0."
    row = [*after.weights()[t]]
    if after.settings.normalize:
        said.append("shares " + " ".join(number(100 * w, 0) + " %" for w in row))
    else:
        said.append("scores " + " ".join(number(x, decimals) for x in row))
    return f"{', '.join(said)}, y{sub(t)} = {vector(after.y[t], decimals)}."


def same_state(before: Any, after: Any, decimals: int = 3) -> str:
    """What other values for equal keys leave as it was, and what they change."""
    T = len(after.k)
    if not _same(before.S[T], after.S[T]):
        gap = number(float(np.abs(after.S[T] - before.S[T]).max()), decimals)
        return (
            f"φ makes different keys of p₀ and {token(T - 1)} here, so S{sub(T)} changes, by up to {gap}: "
            "this state does tell the two lists apart."
        )
    stay = [f"S{sub(T)}", *([f"z{sub(T)}"] if after.settings.normalize else [])]
    change = [f"S{sub(t)}" for t in range(1, T) if not _same(before.S[t], after.S[t])]
    for t in range(len(after.q)):
        told = f"y{sub(t)} = {vector(after.y[t], decimals)}"
        if not _same(before.y[t], after.y[t]):
            change.append(told)
        elif t == T - 1 and after.defined[t]:
            stay.append(told)
    changes = f"; {listed(change)} change" if change else ""
    return f"{listed(stay)} stay{changes}. The state cannot tell the two lists apart."


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal but for the rounding of sums in another order."""
    size = 1 + np.abs(one[np.isfinite(one)]).max(initial=0)
    return np.allclose(one, other, rtol=1e-12, atol=1e-12 * size, equal_nan=True)
