"""Feature maps φ: each vector is mapped on its own, and the dot product of two results is a score.

To add one: write the function (and, where no component can be negative, its log), then append a
FeatureMap to FEATURE_MAPS. Menus, formulas, links, exports and tests read that tuple.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linattn_core.knobs import Knob, find
from linattn_core.ordered import ordered_sum

Rows = np.ndarray  # (n, d) in, (n, d_φ) out, one vector per row; the dtype that comes in goes out


@dataclass(frozen=True)
class FeatureMap:
    """A φ and what the reader is told about it.

    positive: φ(x) > 0 for every finite x, so no score sum can be 0.
    log_phi: log φ(x), exact where φ(x) itself over- or underflows; None where φ(x) may be negative.
    """

    key: str
    title: str
    phi: Callable[..., Rows]
    log_phi: Callable[..., Rows] | None
    positive: bool
    knobs: tuple[Knob, ...]
    latex: str
    source: str


def identity(x: Rows) -> Rows:
    """x itself: the products may still be reordered, but a score may be negative."""
    return x.copy()


def elu1(x: Rows) -> Rows:
    """elu(x) + 1: x + 1 where x > 0, exp(x) elsewhere.

    >>> elu1(np.array([[-800.0, 0.0, 1.0]]))
    array([[0., 1., 2.]])
    """
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def log_elu1(x: Rows) -> Rows:
    """log(x + 1) where x > 0, x elsewhere."""
    return np.where(x > 0, np.log1p(np.maximum(x, 0)), x)


def relu(x: Rows) -> Rows:
    """max(x, 0): a vector without a positive component becomes 0 and scores 0 with everything."""
    return np.maximum(x, 0)


def log_relu(x: Rows) -> Rows:
    """log x where x > 0, −inf elsewhere."""
    return np.log(np.maximum(x, 0))


def relu2(x: Rows) -> Rows:
    """max(x, 0)²."""
    return np.maximum(x, 0) ** 2


def log_relu2(x: Rows) -> Rows:
    """2 log x where x > 0, −inf elsewhere."""
    return 2 * log_relu(x)


def exp(x: Rows) -> Rows:
    """exp(x) of each component; exp(q)·exp(k) is not exp(q·k)."""
    return np.exp(x)


def softplus(x: Rows) -> Rows:
    """log(1 + exp(x)), without forming exp(x)."""
    return np.logaddexp(x.dtype.type(0), x)


def log_softplus(x: Rows) -> Rows:
    """log log(1 + exp(x)); below log(rounding unit) that is x to the last digit."""
    low = np.log(np.finfo(x.dtype).eps)
    return np.where(x < low, x, np.log(softplus(np.maximum(x, low))))


def sigmoid(x: Rows) -> Rows:
    """1 / (1 + exp(−x)), without a large exponential."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def log_sigmoid(x: Rows) -> Rows:
    """−log(1 + exp(−x))."""
    return -softplus(-x)


def tanh1(x: Rows) -> Rows:
    """1 + tanh x, as 2 sigmoid(2x): the sum would cancel below −19."""
    return 2 * sigmoid(2 * x)


def log_tanh1(x: Rows) -> Rows:
    """log 2 + log sigmoid(2x)."""
    return np.log(x.dtype.type(2)) + log_sigmoid(2 * x)


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


FEATURE_MAPS = (
    FeatureMap(
        "identity",
        "none (vectors already transformed)",
        identity,
        None,
        False,
        (),
        r"\varphi(x) = x",
        "no map: scores are plain dot products and may be negative",
    ),
    FeatureMap(
        "elu1",
        "ELU + 1",
        elu1,
        log_elu1,
        True,
        (),
        r"\varphi(x) = \mathrm{elu}(x) + 1",
        "Katharopoulos et al. 2020, Transformers are RNNs, §3.2",
    ),
    FeatureMap(
        "relu",
        "ReLU",
        relu,
        log_relu,
        False,
        (),
        r"\varphi(x) = \max(x, 0)",
        "Kasai et al. 2021, Finetuning Pretrained Transformers into RNNs, without its learned matrix",
    ),
    FeatureMap(
        "relu2",
        "squared ReLU",
        relu2,
        log_relu2,
        False,
        (),
        r"\varphi(x) = \max(x, 0)^2",
        "So et al. 2021, Primer, where it is an activation",
    ),
    FeatureMap(
        "exp",
        "exp of each component",
        exp,
        identity,
        True,
        (),
        r"\varphi(x) = e^{x}",
        "Zhang et al. 2024, The Hedgehog & the Porcupine, one half of its map, without the learned matrix",
    ),
    FeatureMap(
        "softplus",
        "softplus",
        softplus,
        log_softplus,
        True,
        (),
        r"\varphi(x) = \log(1 + e^{x})",
        "a smooth ReLU that is never 0",
    ),
    FeatureMap(
        "sigmoid",
        "sigmoid",
        sigmoid,
        log_sigmoid,
        True,
        (),
        r"\varphi(x) = 1 / (1 + e^{-x})",
        "between 0 and 1: large components all look alike",
    ),
    FeatureMap(
        "tanh1",
        "1 + tanh",
        tanh1,
        log_tanh1,
        True,
        (),
        r"\varphi(x) = 1 + \tanh x",
        "between 0 and 2: the sigmoid of 2x, doubled",
    ),
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


def feature_map(key: str) -> FeatureMap:
    """The map called `key`.

    Raises:
        InputError: no map has that key.
    """
    return find("feature map", FEATURE_MAPS, key)
