"""How far random features are from the softmax attention that they set out to approximate.

Means over many products of thousands of terms: here alone matrices are multiplied in whatever order is fast.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linattn_core.all_pairs import softmax
from linattn_core.feature_maps.random_features import customary, drawn_projection, log_favor
from linattn_core.ordered import frozen, ordered_sum
from linattn_core.tokens import Tokens

SIZES, SEEDS = (4, 16, 64, 256, 1024), 8
MOST = 64  # tokens that are looked at


def weight_elsewhere(
    tokens: Tokens,
    *,
    factor: float = 1.0,
    eps: float = 0.0,
    sizes: Sequence[int] = SIZES,
    seeds: int = SEEDS,
    read: str = "causal",
) -> np.ndarray:
    """½ Σ |weight − softmax weight|, the mean over queries: one row a number of features, one column a seed.

    factor: q and k are that much longer, on both sides. eps: 1e-4 is what libraries add inside φ, after
    taking off the largest exponent of all keys; 0 adds nothing. The first 64 tokens stand for all.
    """
    q, k, want, seen = _longer(tokens, factor, read)
    drawn = [drawn_projection(max(sizes), k.shape[1], seed) for seed in range(seeds)]
    with np.errstate(all="ignore"):  # what leaves the range of floats is NaN
        weights = [[features_weights(q, k, P[:m], seen, eps) for P in drawn] for m in sizes]
    return frozen(np.array([[_elsewhere(w, want) for w in row] for row in weights]))


def alike_elsewhere(tokens: Tokens, *, factor: float = 1.0, read: str = "causal") -> float:
    """The same difference where every token that may be seen weighs the same."""
    _, _, want, seen = _longer(tokens, factor, read)
    return _elsewhere(seen / ordered_sum(seen * 1.0)[:, None], want)


def below_eps(tokens: Tokens, *, factor: float = 1.0, eps: float = 1e-4, count: int = 64) -> float:
    """The share of the components of φ(k) that are less than the eps added to them, of seed 0."""
    _, k, _, _ = _longer(tokens, factor, "full")
    P = drawn_projection(count, k.shape[1], 0)
    with np.errstate(all="ignore"):
        return float((customary(k, P, shared=True, eps=0.0) * count**0.5 < eps).mean())


def _longer(tokens: Tokens, factor: float, read: str) -> tuple[np.ndarray, ...]:
    """Q, k of the first tokens times the factor, softmax's weights of them, and True where a query sees."""
    most = np.finfo(float).max / max(factor, 1)
    q, k = (factor * np.clip(x[:MOST], -most, most) for x in (tokens.q, tokens.k))
    _, want = softmax(Tokens(q, k, tokens.v[: len(k)]), read=read)
    return q, k, want, np.tri(*want.shape, dtype=bool) | (read == "full")


def _elsewhere(weights: np.ndarray, want: np.ndarray) -> float:
    """½ Σ |difference| over the tokens, the mean over the queries."""
    return float(ordered_sum(ordered_sum(np.abs(weights - want)) / 2) / len(want))


def features_weights(
    q: np.ndarray, k: np.ndarray, P: np.ndarray, seen: np.ndarray, eps: float = 0.0
) -> np.ndarray:
    """φ(q)·φ(k) over its sum, (Tq, T), 0 where nothing is seen; with eps, φ is what libraries compute."""
    if eps:
        mapped_q, mapped_k = customary(q, P, shared=False, eps=eps), customary(k, P, shared=True, eps=eps)
    else:
        mapped_q, mapped_k = _in_range(log_favor(q, projection=P), log_favor(k, projection=P))
    scores = np.where(seen, mapped_q @ mapped_k.T, 0)
    sums = ordered_sum(scores)[:, None]
    return scores / np.where(sums == 0, 1, sums)


def _in_range(log_q: np.ndarray, log_k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both with a factor for each feature, which their product is without, and one for each query."""
    largest = log_k.max(axis=0)
    along = log_q + largest
    return np.exp(along - along.max(axis=1, keepdims=True)), np.exp(log_k - largest)
