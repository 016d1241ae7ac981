"""Sums in the order a reader would add them: from left to right, each product rounded, then added.

Nothing here calls BLAS, `einsum` or the pairwise `np.sum`: their order depends on the build and
on the size, so the last bit would too. In this order a browser or a pocket calculator
gets the same bits, and a token that comes later cannot change an earlier sum.
The first term starts the sum (not 0.0 + the first term, which would turn −0.0 into 0.0).
"""

import numpy as np

SMALL = 8192  # numbers; up to here one call that keeps every partial sum is several times as fast as a loop


def ordered_dot(a: np.ndarray, b: np.ndarray, seen: np.ndarray | None = None) -> np.ndarray:
    """((a₀ b₀ + a₁ b₁) + a₂ b₂) + …: rows of b weighted by the components of a.

    a (…, d) and b (…, d, n) give (…, n); a (m, d) and b (d, n) give (m, n).
    seen (…, d): leave out the terms where it is False, and not merely add their 0, which turns −0.0 into 0.0.

    >>> ordered_dot(np.array([1.0, 1.0]), np.array([[3.0, 1.0], [0.0, 3.0]]))
    array([3., 4.])
    """
    if a.ndim == 1 and seen is None and b.size <= SMALL:
        return np.add.accumulate(a[:, None] * b)[-1]  # the same sums, all of them kept for a moment
    total = a[..., 0, None] * b[..., 0, :]
    if seen is not None:
        total = np.where(seen[..., 0, None], total, 0)
    for i in range(1, a.shape[-1]):
        longer = total + a[..., i, None] * b[..., i, :]
        total = longer if seen is None else np.where(seen[..., i, None], longer, total)
    return total


def ordered_sum(x: np.ndarray) -> np.ndarray:
    """(x₀ + x₁) + x₂ + … along the last axis: (…, d) gives (…).

    >>> float(ordered_sum(np.array([0.1, 0.2, -0.3])))
    5.551115123125783e-17
    """
    total = x[..., 0]
    for i in range(1, x.shape[-1]):
        total = total + x[..., i]
    return total


def frozen(array: np.ndarray) -> np.ndarray:
    """The same array, read-only: a figure cannot change what another one shows."""
    array.setflags(write=False)
    return array
