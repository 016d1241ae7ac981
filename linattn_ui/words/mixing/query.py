"""What any query reads, and where there is nothing to divide by."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_ui.words.mixing.shared import SAME
from linattn_ui.words.numbers import listed, number, plain, vector


def asked(trace: Any, one: Any, names: Sequence[str], decimals: int = 3) -> str:
    """What one typed or dragged query scores, and what it gets."""
    q, scores, total = one.tokens.q[0], one.scores()[0], float(one.norm[0]) + trace.settings.eps
    start = (
        f"q = {vector(q, decimals)} scores {vector(scores, decimals)}, in all {number(one.norm[0], decimals)}"
    )
    if not trace.settings.normalize:
        return f"{start}. This run does not divide: y = {vector(one.y[0], decimals)}."
    if not one.defined[0]:
        return f"{start}. Nothing can be divided by 0, so y is undefined."
    turned = " The sum is below 0, so dividing turns every sign round." if total < 0 else ""
    return (
        f"{start}.{turned} {_heaviest(one.weights()[0], names, decimals)}; y = {vector(one.y[0], decimals)}."
    )


def _heaviest(w: np.ndarray, names: Sequence[str], decimals: int) -> str:
    """Who weighs most, be it below 0; all of them where there are several."""
    top = w[int(np.abs(w).argmax())]
    which: list[int] = np.flatnonzero(np.isclose(w, top, rtol=SAME, atol=0)).tolist()
    said, each = listed([plain(names[s]) for s in which]), number(top, decimals)
    return f"{said} weighs most, {each}" if len(which) == 1 else f"{said} weigh most, {each} each"


def shaded(signs: np.ndarray) -> str:
    """How much of the plane cannot be divided by, or turns the signs round."""
    share = float((signs <= 0).mean())
    if np.isnan(signs).all():
        return "This run has no score sum."
    if share == 0:
        return "In all of this plane the score sum is above 0."
    return (
        f"Shaded, {number(100 * share, 0)} % of this plane: the score sum is 0 or below. Where it is 0, y is "
        "undefined; below 0, dividing turns the sign of every score round."
    )
