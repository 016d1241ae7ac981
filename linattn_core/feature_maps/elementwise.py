"""Maps of each component on its own: φ has a curve, and d_φ = d."""

import numpy as np

from linattn_core.feature_maps.record import FeatureMap, Rows


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


MAPS = (
    FeatureMap(
        "identity",
        "none (vectors already transformed)",
        identity,
        None,
        False,
        (),
        r"\varphi(x) = x",
        "no map: scores are plain dot products and may be negative",
        elementwise=True,
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
        elementwise=True,
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
        elementwise=True,
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
        elementwise=True,
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
        elementwise=True,
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
        elementwise=True,
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
        elementwise=True,
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
        elementwise=True,
    ),
)
