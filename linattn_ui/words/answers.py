"""How an answer is printed, and why there is none."""

from typing import Any

import numpy as np

from linattn_ui.words.numbers import number, vector


def answer(y: np.ndarray, decimals: int = 3) -> str:
    """[1.5, 0.5]; one word where a component is no number.

    >>> answer(np.array([1.5, 0.5])), answer(np.array([np.nan, np.nan]))
    ('[1.5, 0.5]', 'undefined')
    """
    return "undefined" if np.isnan(y).any() else vector(y.tolist(), decimals)


def no_answer(trace: Any, t: int) -> str:
    """Why query t gets no numbers; "" where it gets some."""
    if np.isfinite(trace.y[t]).all():
        return ""
    norm, eps = float(trace.norm[t]), trace.settings.eps
    if not trace.settings.normalize:
        return "the numerator leaves the range of floats, which ends at 1.8e308"
    if norm + eps == 0 or (trace.division.rescaled[t] and trace.division.log_total[t] == -np.inf):
        return (
            "the scores sum to 0" if eps == 0 else f"the scores sum to {number(norm)}, and eps makes that 0"
        )
    return "the sums leave the range of floats, which ends at 1.8e308"
