"""Maps that make more components than they get: products of two, or both signs of each."""

import numpy as np

from linattn_core.feature_maps.elementwise import log_relu, relu
from linattn_core.feature_maps.record import FeatureMap, Rows
from linattn_core.feature_maps.vectors import log_softmax_components, softmax_components
from linattn_core.knobs import Knob


def taylor2(x: Rows) -> Rows:
    """[1, x/d^¼, xᵢ²/√(2d), xᵢxⱼ/√d for i < j]: two of them score 1 + s + s²/2, with s = q·k/√d.

    >>> taylor2(np.array([[1.0, -1.0, 0.0, 2.0]]))[0, :5]
    array([ 1.        ,  0.70710678, -0.70710678,  0.        ,  1.41421356])
    """
    d = x.shape[-1]
    squares, products = x * x / (2 * d) ** 0.5, _products(x) / d**0.5
    return np.concatenate([np.ones_like(x[..., :1]), x / d**0.25, squares, products], axis=-1)


def rebased(x: Rows) -> Rows:
    """[xᵢ²/√d, √(2/d) xᵢxⱼ for i < j]: two of them score (q·k)²/d, never below 0.

    >>> rebased(np.array([[1.0, 3.0]])) @ rebased(np.array([[1.0, -1.0]])).T
    array([[2.]])
    """
    d = x.shape[-1]
    return np.concatenate([x * x / d**0.5, _products(x) * (2 / d) ** 0.5], axis=-1)


def _products(x: Rows) -> Rows:
    """xᵢxⱼ for i < j, row by row of the upper triangle."""
    i, j = np.triu_indices(x.shape[-1], 1)
    return x[..., i] * x[..., j]


def dpfp(x: Rows, *, nu: int = 1) -> Rows:
    """u = [relu(x), relu(−x)]; then u times itself turned by 1 … ν places.

    >>> dpfp(np.array([[1.0, -2.0]]))
    array([[2., 0., 0., 0.]])
    """
    u = relu(_both_signs(x))
    return np.concatenate([u * np.roll(u, j, axis=-1) for j in range(1, nu + 1)], axis=-1)


def log_dpfp(x: Rows, *, nu: int = 1) -> Rows:
    """log u plus log u turned: −inf where either is 0."""
    u = log_relu(_both_signs(x))
    return np.concatenate([u + np.roll(u, j, axis=-1) for j in range(1, nu + 1)], axis=-1)


def hedgehog(x: Rows) -> Rows:
    """[softmax(x), softmax(−x)], each over the components: every key then sums to 2.

    >>> hedgehog(np.array([[0.0, 0.0]]))
    array([[0.5, 0.5, 0.5, 0.5]])
    """
    return np.concatenate([softmax_components(x), softmax_components(-x)], axis=-1)


def log_hedgehog(x: Rows) -> Rows:
    """The logs of both halves."""
    return np.concatenate([log_softmax_components(x), log_softmax_components(-x)], axis=-1)


def _both_signs(x: Rows) -> Rows:
    return np.concatenate([x, -x], axis=-1)


MAPS = (
    FeatureMap(
        "taylor2",
        "Taylor series of exp up to the square (Based)",
        taylor2,
        None,
        False,
        (),
        r"\varphi(x) = [1,\ x/d^{1/4},\ x_i^2/\sqrt{2d},\ x_i x_j/\sqrt{d}\,]_{i<j}",
        "Arora et al. 2024, Simple linear attention language models balance the recall-throughput tradeoff",
        width=lambda d: 1 + d + d * (d + 1) // 2,
    ),
    FeatureMap(
        "rebased",
        "all products of two components (ReBased)",
        rebased,
        None,
        False,
        (),
        r"\varphi(x) = [x_i^2/\sqrt{d},\ \sqrt{2/d}\; x_i x_j]_{i<j}",
        "Aksenov et al. 2024, Linear Transformers with Learnable Kernel Functions, without its learned norm",
        width=lambda d: d * (d + 1) // 2,
    ),
    FeatureMap(
        "dpfp",
        "products of ReLUs of both signs (DPFP)",
        dpfp,
        log_dpfp,
        False,
        (Knob("nu", 1, 8, 1, "turns ν", "φ has 2dν components: u times itself turned by 1 … ν places."),),
        r"\varphi(x) = [u \odot \mathrm{turn}_j(u)]_{j=1}^{\nu},\quad u = [\max(x, 0), \max(-x, 0)]",
        "Schlag et al. 2021, Linear Transformers Are Secretly Fast Weight Programmers",
        width=lambda d, *, nu=1: 2 * d * nu,
    ),
    FeatureMap(
        "hedgehog",
        "softmax of both signs (Hedgehog)",
        hedgehog,
        log_hedgehog,
        True,
        (),
        r"\varphi(x) = [\mathrm{softmax}(x),\ \mathrm{softmax}(-x)]",
        "Zhang et al. 2024, LoLCATs, its form of the Hedgehog map, without the learned matrix",
        width=lambda d: 2 * d,
    ),
)
