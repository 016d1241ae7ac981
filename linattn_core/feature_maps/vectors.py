"""Maps that scale a whole vector, d_φ = d: a component depends on all of x."""

import numpy as np

from linattn_core.feature_maps.record import FeatureMap, Rows
from linattn_core.ordered import ordered_sum


def softmax_components(x: Rows) -> Rows:
    """exp(x − max) / Σ exp(x − max) inside each vector; every key then sums to 1."""
    share = np.exp(x - x.max(axis=-1, keepdims=True))
    return share / ordered_sum(share)[..., None]


def log_softmax_components(x: Rows) -> Rows:
    """x − max − log Σ exp(x − max)."""
    below = x - x.max(axis=-1, keepdims=True)
    return below - np.log(ordered_sum(np.exp(below)))[..., None]


def l2(x: Rows) -> Rows:
    """x / ‖x‖; a zero vector stays zero. Scaling by a power of two first is exact and cannot overflow.

    >>> l2(np.array([[3e200, 4e200], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    _, exponent = np.frexp(np.abs(x).max(axis=-1, keepdims=True))
    scaled = np.ldexp(x, -exponent)
    length = np.sqrt(ordered_sum(scaled * scaled))[..., None]
    return scaled / np.where(length == 0, 1, length)


MAPS = (
    FeatureMap(
        "softmax",
        "softmax inside each vector (not softmax attention)",
        softmax_components,
        log_softmax_components,
        True,
        (),
        r"\varphi(x)_i = e^{x_i} / \textstyle\sum_j e^{x_j}",
        "Shen et al. 2021, Efficient Attention, the map of its queries, here for keys too",
    ),
    FeatureMap(
        "l2",
        "unit length",
        l2,
        None,
        False,
        (),
        r"\varphi(x) = x / \lVert x \rVert",
        "Yang et al. 2024, Parallelizing Linear Transformers with the Delta Rule, its query and key norm",
    ),
)
