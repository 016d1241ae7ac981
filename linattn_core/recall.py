"""How many pairs of key and value each write rule can hold: what comes back, and how often the right one.

Keys have length 1, as after φ; nothing is divided, since random keys give scores below 0. Pairs are stored
one after another in SEEDS runs at once: the seeds are the first axis of every array.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linattn_core.drawn import uniform
from linattn_core.examples import random_tokens
from linattn_core.inputs import one_of, whole
from linattn_core.mixing.capacity import square_sums, unit_keys
from linattn_core.ordered import frozen, ordered_dot

KEYS = ("random", "repeated")
STORES = ("add", "decay", "delta", "gated_delta")
COUNTS = (1, 2, 4, 8, 12, 16, 24, 32)
SEEDS = 100
SIZES = (2, 4, 8, 16, 32)  # d_k of the recall task
WORDS = 16  # values that an answer of the recall task is looked up in


def store(rule: str, k: np.ndarray, v: np.ndarray, *, gamma: float = 1.0, beta: float = 1.0) -> np.ndarray:
    """S (seeds, d_k, d_v) once the pairs k (seeds, n, d_k), v (seeds, n, d_v) are written one by one.

    Raises:
        InputError: no such rule.
    """
    one_of("rule", rule, STORES)
    S = np.zeros((len(k), k.shape[2], v.shape[2]))
    for t in range(k.shape[1]):
        k_t, u = k[:, t], v[:, t]
        if rule in ("decay", "gated_delta"):
            S = gamma * S
        if rule in ("delta", "gated_delta"):
            u = beta * (u - ordered_dot(k_t, S))
        S = S + k_t[:, :, None] * u[:, None, :]
    return S


@dataclass(frozen=True, eq=False)
class Pairs:
    """k (seeds, n, d_k), v (seeds, n, d_v), and the pairs that are asked: the last one of every key."""

    k: np.ndarray
    v: np.ndarray
    asked: slice


def pairs(keys: str, n: int, d_k: int) -> Pairs:
    """n pairs. Keys "random": all different; "repeated": ⌈n/2⌉ keys, then the same ones with new values.

    Raises:
        InputError: no such keys, n outside 1 … COUNTS[-1], or d_k below 1.
    """
    one_of("keys", keys, KEYS)
    n, d_k = whole("n", n, 1, COUNTS[-1]), whole("d_k", d_k, 1)
    k, v = _drawn(d_k)
    different = n if keys == "random" else -(-n // 2)
    return Pairs(k[:, np.arange(n) % different], v[:, :n], slice(n - different, n))


@lru_cache(maxsize=len(SIZES))
def _drawn(d_k: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys of length 1 and values, (SEEDS, COUNTS[-1], d_k): fewer pairs are the first of these."""
    drawn = [random_tokens(COUNTS[-1], d_k, d_k, seed) for seed in range(1, SEEDS + 1)]
    keys = np.array([unit_keys("random", each.k) for each in drawn])
    return frozen(keys), frozen(np.array([each.v for each in drawn]))


def difference(rule: str, keys: str, n: int, d_k: int, *, gamma: float, beta: float) -> np.ndarray:
    """Σ‖Sᵀk − v‖² / Σ‖v‖² over the pairs asked, (seeds,): 0 where all come back, 1 as if all were 0."""
    stored = pairs(keys, n, d_k)
    S = store(rule, stored.k, stored.v, gamma=gamma, beta=beta)
    k, v = stored.k[:, stored.asked], stored.v[:, stored.asked]
    with np.errstate(all="ignore"):
        return square_sums(ordered_dot(k, S[:, None]) - v) / square_sums(v)


@dataclass(frozen=True, eq=False)
class Held:
    """`difference` for each number of pairs, (n,): the mean over seeds, and the middle 80 % of them."""

    counts: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def held(rule: str, keys: str, d_k: int, *, gamma: float = 1.0, beta: float = 1.0) -> Held:
    """What `rule` gives back of each number of pairs in COUNTS."""
    by_seed = np.array([difference(rule, keys, n, d_k, gamma=gamma, beta=beta) for n in COUNTS])
    low, high = np.quantile(by_seed, [0.1, 0.9], axis=1)
    return Held(np.array(COUNTS), frozen(by_seed.mean(axis=1)), frozen(low), frozen(high))


def accuracy(rule: str, keys: str, n: int, d_k: int, *, gamma: float = 1.0, beta: float = 1.0) -> np.ndarray:
    """Associative recall: the share of keys, (SEEDS,), that bring back the word stored last with them.

    A word is one of WORDS one-hot values, drawn for each pair; the largest component of Sᵀk names the word
    recalled, and where two are largest, none is.
    """
    stored = pairs(keys, n, d_k)
    word = np.array([np.floor(uniform(n, seed) * WORDS) for seed in range(1, SEEDS + 1)]).astype(int)
    S = store(rule, stored.k, np.eye(WORDS)[word], gamma=gamma, beta=beta)
    k, wanted = stored.k[:, stored.asked], word[:, stored.asked]
    answers = ordered_dot(k, S[:, None])
    own = np.take_along_axis(answers, wanted[..., None], axis=2)
    return ((answers >= own).sum(axis=2) == 1).mean(axis=1)
