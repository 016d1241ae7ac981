"""What the queries of a plane are divided by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linattn_core.mixing.last_state import ask
from linattn_core.ordered import frozen
from linattn_core.trace import Trace

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def denominators(
    trace: Trace, q: ArrayLike, axes: tuple[int, int], xs: ArrayLike, ys: ArrayLike
) -> np.ndarray:
    """norm + eps, (len(ys), len(xs)), for q (d_k,) with its two components `axes` set to x and y.

    Its sign alone, −1 or 1, where plain sums leave the range of floats; NaN where there is none.
    """
    x, y = np.meshgrid(xs, ys)
    queries = np.tile(np.asarray(q, float), (x.size, 1))
    queries[:, axes[0]], queries[:, axes[1]] = x.ravel(), y.ravel()
    asked = ask(trace, queries)
    with np.errstate(all="ignore"):
        total = asked.norm + asked.norm.dtype.type(trace.settings.eps)
    return frozen(np.where(asked.rescaled, asked.division.sign, total).reshape(x.shape))
