"""How well a state of d_k rows gives back n stored values: keys of unit length, plain reads, no φ.

A read back is Sᵀk_i = v_i + Σ (k_i·k_j) v_j: what is not v_i comes from keys that are not orthogonal to k_i.
Not divided by the score sum, which has no meaning where scores may be negative.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linattn_core.examples import random_tokens
from linattn_core.feature_maps import feature_map
from linattn_core.ordered import frozen, ordered_dot, ordered_sum

KINDS = ("random", "orthogonal")
MOST_COMPONENTS, MOST_SEEDS, MOST_COUNTS = 32, 16, 24
REACH = 4  # up to this many times d_k keys are stored


@dataclass(frozen=True, eq=False)
class Capacity:
    """For each kind of key and each number of stored keys in `counts` (n,), what comes back.

    difference: (seeds, n): √(Σ‖Sᵀk − v‖² / Σ‖v‖²), 0 where every value comes back.
    rank: (seeds, n): linearly independent rows of S.
    """

    d_k: int
    counts: np.ndarray
    difference: Mapping[str, np.ndarray]
    rank: Mapping[str, np.ndarray]


def capacity(d_k: int, seeds: int = 8) -> Capacity:
    """Store 1 … 4 d_k keys and read each back, with values of d_k components; seeds 1 … `seeds`.

    Sizes past MOST_COMPONENTS and MOST_SEEDS are cut to those.
    """
    d_k, seeds = min(d_k, MOST_COMPONENTS), min(seeds, MOST_SEEDS)
    counts = _counts(d_k)
    results = {kind: _differences(kind, d_k, counts, seeds) for kind in KINDS}
    difference = {kind: frozen(result[0]) for kind, result in results.items()}
    return Capacity(
        d_k, frozen(counts), difference, {kind: frozen(result[1]) for kind, result in results.items()}
    )


def _counts(d_k: int) -> np.ndarray:
    """Numbers of stored keys to try, d_k and d_k + 1 among them."""
    spread = np.linspace(1, REACH * d_k, min(REACH * d_k, MOST_COUNTS)).round().astype(int)
    return np.union1d(spread, [d_k, d_k + 1])


def _differences(kind: str, d_k: int, counts: np.ndarray, seeds: int) -> tuple[np.ndarray, np.ndarray]:
    N = int(counts[-1])
    drawn = [random_tokens(N, d_k, d_k, seed) for seed in range(1, seeds + 1)]
    keys, values = np.array([unit_keys(kind, each.k) for each in drawn]), np.array([each.v for each in drawn])
    S, difference, rank = np.zeros((seeds, d_k, d_k)), [], []
    for n in range(1, N + 1):
        S = S + keys[:, n - 1, :, None] * values[:, n - 1, None, :]
        if n in counts:
            wrong = ordered_dot(keys[:, :n], S[:, None]) - values[:, :n]
            difference.append(np.sqrt(square_sums(wrong) / square_sums(values[:, :n])))
            rank.append(np.linalg.matrix_rank(S))
    return np.array(difference).T, np.array(rank).T


def unit_keys(kind: str, drawn: np.ndarray) -> np.ndarray:
    """Keys of length 1, (N, d_k): the drawn directions, or the axes one after another, again from the first.

    More than d_k keys cannot all be orthogonal; key d_k points where key 0 does.
    """
    N, d_k = drawn.shape
    if kind == "orthogonal":
        return np.eye(d_k)[np.arange(N) % d_k]
    keys = feature_map("l2").phi(drawn)
    keys[~keys.any(axis=1), 0] = 1  # a drawn vector of zeros has no direction
    return keys


def square_sums(x: np.ndarray) -> np.ndarray:
    """Σ x² over all but the first axis."""
    return ordered_sum(ordered_sum(x * x))


def state_rank(S: np.ndarray) -> int:
    """How many rows of S are linearly independent: at most one for each token, each row, each column."""
    return int(np.linalg.matrix_rank(S))
