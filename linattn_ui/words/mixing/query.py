"""What any query reads, and where there is nothing to divide by."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_ui.words.answers import no_answer
from linattn_ui.words.mixing.shared import SAME
from linattn_ui.words.numbers import listed, number, plain, vector


def asked(trace: Any, one: Any, names: Sequence[str], decimals: int = 3) -> str:
    """What one typed or dragged query scores, and what it gets."""
    q, scores, total = one.tokens.q[0], one.scores()[0], float(one.norm[0]) + trace.settings.eps
    start = f"q = {vector(q, decimals)} scores {vector(scores, decimals)}{_in_all(one, decimals)}"
    if trace.settings.normalize and total == 0 and not one.defined[0]:
        return f"{start}. Nothing can be divided by 0, so y is undefined."
    if no_answer(one, 0):
        return f"{start}. There is no y: {no_answer(one, 0)}."
    if not trace.settings.normalize:
        return f"{start}. This run does not divide: y = {vector(one.y[0], decimals)}."
    turned = " The sum is below 0, so dividing turns every sign round." if total < 0 else ""
    return (
        f"{start}.{turned} {_heaviest(one.weights()[0], names, decimals)}; y = {vector(one.y[0], decimals)}."
    )


def _in_all(one: Any, decimals: int) -> str:
    """The score sum, what else is in it, and what is added before dividing; "" where there is none."""
    norm, settings = float(one.norm[0]), one.settings
    if np.isnan(norm):
        return ""
    carried = "" if one.initial is None else " with what was carried in"
    eps = f", with eps {number(norm + settings.eps, decimals)}" if settings.normalize and settings.eps else ""
    return f", in all {number(norm, decimals)}{carried}{eps}"


def _heaviest(w: np.ndarray, names: Sequence[str], decimals: int) -> str:
    """Who weighs most, be it below 0; all of them where there are several."""
    top = w[int(np.abs(w).argmax())]
    if top == 0:
        return "No token has any weight"
    which: list[int] = np.flatnonzero(np.isclose(w, top, rtol=SAME, atol=0)).tolist()
    said, each = listed([plain(names[s]) for s in which]), number(top, decimals)
    return f"{said} weighs most, {each}" if len(which) == 1 else f"{said} weigh most, {each} each"


def shaded(signs: np.ndarray, eps: float = 0.0) -> str:
    """How much of the plane cannot be divided by, or turns the signs round."""
    total = "score sum plus eps" if eps else "score sum"
    if np.isnan(signs).all():
        return "This run has no score sum."
    share = float((signs <= 0).mean())
    if share == 0:
        return f"In all of this plane the {total} is above 0."
    here = "All of this plane is shaded" if share == 1 else f"Shaded, {_percent(share)} of this plane"
    if not (signs < 0).any():
        return f"{here}: the {total} is 0, so y is undefined."
    return (
        f"{here}: the {total} is 0 or below. Where it is 0, y is undefined; below 0, dividing turns the sign "
        "of every score round."
    )


def _percent(share: float) -> str:
    """25 %; never 0 or 100 of what is neither."""
    whole = round(100 * share)
    return "less than 1 %" if whole == 0 else "more than 99 %" if whole == 100 else f"{whole} %"
