"""Random features: their dot product is exp(q·k/√d) on average, and comes nearer with their number."""

from functools import lru_cache

import numpy as np

from linattn_core.drawn import normal
from linattn_core.feature_maps.record import FeatureMap, Rows
from linattn_core.knobs import ArrayKnob, Knob
from linattn_core.ordered import frozen, ordered_dot, ordered_sum

STREAM = 2**32  # past every seed of random tokens: the same seed there draws other numbers


def favor(x: Rows, *, features: int = 64, seed: int = 0, projection: np.ndarray | None = None) -> Rows:
    """exp(Px/d^¼ − ‖x‖²/(2√d)) / √m, with P (m, d): no eps inside, and nothing shared between tokens.

    Libraries subtract the largest exponent of all keys, which a later token can change, and add 1e-4.
    Neither is needed: where these numbers leave the range of floats, a run goes on with log_favor.

    >>> favor(np.zeros((1, 2)), features=4)
    array([[0.5, 0.5, 0.5, 0.5]])
    """
    return np.exp(log_favor(x, features=features, seed=seed, projection=projection))


def log_favor(x: Rows, *, features: int = 64, seed: int = 0, projection: np.ndarray | None = None) -> Rows:
    """Px/d^¼ − ‖x‖²/(2√d) − ½ log m."""
    P = drawn_projection(features, x.shape[-1], seed) if projection is None else projection
    scaled = x / x.shape[-1] ** 0.25
    half = ordered_sum(scaled * scaled)[..., None] / 2
    return ordered_dot(scaled, P.T.astype(x.dtype)) - half - 0.5 * float(np.log(len(P)))


def customary(x: Rows, projection: np.ndarray, *, shared: bool, eps: float = 1e-4) -> Rows:
    """(exp(Px/d^¼ − ‖x‖²/(2√d) − c) + eps) / √m, as libraries compute it; to be shown, not to be used.

    c is the largest Px/d^¼ of each vector, for queries, or `shared` by all keys, where it is not causal.
    """
    half = ordered_sum(x * x)[..., None] / (2 * x.shape[-1] ** 0.5)
    u = ordered_dot(x / x.shape[-1] ** 0.25, projection.T.astype(x.dtype))
    largest = u.max() if shared else u.max(axis=-1, keepdims=True)
    return (np.exp(u - half - largest) + eps) / len(projection) ** 0.5


@lru_cache(maxsize=8)  # φ(q), φ(k) and their logs ask for the same
def drawn_projection(features: int, d: int, seed: int) -> np.ndarray:
    """(features, d): normal rows, orthogonal within blocks of d. More features begin with the same rows."""
    blocks = -(-features // d)
    directions, lengths = np.split(normal(blocks * 2 * d * d, STREAM + seed).reshape(blocks, 2, d, d), 2, 1)
    sizes = np.sqrt(ordered_sum(lengths[:, 0] ** 2))  # as long as normal rows are
    rows = _orthonormal(directions[:, 0]) * sizes[..., None]
    return frozen(rows.reshape(-1, d)[:features].copy())


def _orthonormal(blocks: np.ndarray) -> np.ndarray:
    """Gram–Schmidt in each block (…, d, d): a row loses its part along every row above it."""
    rows = blocks.copy()
    for i in range(rows.shape[-1]):
        length = np.sqrt(ordered_sum(rows[..., i, :] ** 2))[..., None]
        row = rows[..., i, :] = rows[..., i, :] / np.where(length == 0, 1, length)
        below = rows[..., i + 1 :, :]
        below -= ordered_sum(below * row[..., None, :])[..., None] * row[..., None, :]
    return rows


def _width(d: int, *, features: int = 64, seed: int = 0, projection: np.ndarray | None = None) -> int:
    """The rows of P."""
    return features if projection is None else len(projection)


MAPS = (
    FeatureMap(
        "favor",
        "random features (Performer)",
        favor,
        log_favor,
        True,
        (
            Knob(
                "features",
                1,
                4096,
                64,
                "random features m",
                "φ has m components. The more, the nearer φ(q)·φ(k) is to exp(q·k/√d).",
            ),
            Knob("seed", 0, 2**31 - 1, 0, "seed of the features", "Another seed draws other features."),
        ),
        r"\varphi(x) = \tfrac{1}{\sqrt{m}} \exp\!\big(P x/d^{1/4} - \lVert x \rVert^2/(2\sqrt{d})\big)",
        "Choromanski et al. 2021, Rethinking Attention with Performers, positive orthogonal features",
        arrays=(ArrayKnob("projection", ("features", "seed"), "P, one row per feature."),),
        width=_width,
    ),
)
