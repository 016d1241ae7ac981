"""Where in the plane of two query components the score sum can be divided by."""

from collections.abc import Sequence

import numpy as np

from linattn_core.mixing.last_state import ask
from linattn_core.ordered import frozen
from linattn_core.trace import Trace


def denominator_signs(
    trace: Trace, q: np.ndarray, axes: tuple[int, int], xs: Sequence[float], ys: Sequence[float]
) -> np.ndarray:
    """The sign of norm + eps, (len(ys), len(xs)), for q (d_k,) with its two components `axes` set to x and y.

    −1, 0 or 1; NaN where norm is none.
    """
    queries = np.tile(np.asarray(q, float), (len(ys) * len(xs), 1))
    x, y = np.meshgrid(xs, ys)
    queries[:, axes[0]], queries[:, axes[1]] = x.ravel(), y.ravel()
    asked = ask(trace, queries)
    with np.errstate(all="ignore"):
        total = asked.norm + asked.norm.dtype.type(trace.settings.eps)
        signs = np.where(asked.rescaled, asked.division.sign, np.sign(total))
    return frozen(signs.reshape(len(ys), len(xs)))
