"""May the brackets move? (QKᵀ)V against Q(KᵀV) on the same tokens, and whether an average comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linattn_core.all_pairs import softmax
from linattn_core.ordered import frozen, ordered_dot, ordered_sum
from linattn_core.positions import visible
from linattn_core.recurrence import run
from linattn_core.tokens import Tokens

if TYPE_CHECKING:
    from linattn_core.feature_maps import FeatureMap
    from linattn_core.trace import Trace


@dataclass(frozen=True, eq=False)
class Brackets:
    """Both orders before any division, and their scores.

    scores (Tq, T), 0 where not seen; seen (Tq, T).   scores_first, state_first (Tq, d_v).
    rounding: so much may the two differ because sums are rounded in another order.
    For softmax the scores are its weights, and state_first is what moving the brackets past it would give.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    S: np.ndarray
    scores: np.ndarray
    seen: np.ndarray
    scores_first: np.ndarray
    state_first: np.ndarray
    rounding: float

    @property
    def difference(self) -> float:
        """max |scores first − state first|; NaN where one of them is not a number."""
        with np.errstate(invalid="ignore"):
            return float(np.abs(self.scores_first - self.state_first).max())

    @property
    def equal(self) -> bool:
        """Whether rounding explains the whole difference."""
        return self.difference <= self.rounding < np.inf

    @property
    def least_score(self) -> float:
        """The least score of a key that its query sees."""
        return float(self.scores[self.seen].min())

    @property
    def sums(self) -> np.ndarray:
        """The score sum of each query, (Tq,)."""
        return ordered_sum(self.scores)

    @property
    def averages(self) -> bool:
        """No score below 0 and every sum above it: dividing by the sum gives a weighted average."""
        return self.least_score >= 0 and bool((self.sums > 0).all())


def brackets(tokens: Tokens, phi: str | FeatureMap, read: str = "causal", **knobs: Any) -> Brackets:
    """(φ(Q)φ(K)ᵀ)V and φ(Q)(φ(K)ᵀV), which associativity makes equal.

    Raises:
        InputError: as `run`.
    """
    trace = run(tokens, phi, "add", read=read, normalize=False, **knobs)
    seen = visible(trace.settings, len(trace.k), len(trace.q))
    with np.errstate(all="ignore"):
        first = ordered_dot(trace.scores(), trace.v)
        return _both(trace, seen, trace.scores(), first, trace.read, _rounding(trace))


def softmax_brackets(tokens: Tokens, read: str = "causal", scale: float | None = None) -> Brackets:
    """softmax(s QKᵀ)V, and s Q(KᵀV): the order that is left once softmax no longer stands between.

    Raises:
        InputError: as `softmax`.
    """
    y, weights = softmax(tokens, scale=scale, read=read)
    trace = run(tokens, "identity", "add", read=read, normalize=False)
    factor = tokens.q.shape[1] ** -0.5 if scale is None else scale
    seen = visible(trace.settings, len(trace.k), len(trace.q))
    with np.errstate(all="ignore"):
        return _both(trace, seen, weights, y, factor * trace.read, abs(factor) * _rounding(trace))


def _both(
    trace: Trace, seen: np.ndarray, scores: np.ndarray, first: np.ndarray, other: np.ndarray, rounding: float
) -> Brackets:
    return Brackets(
        trace.q, trace.k, trace.v, trace.S, scores, frozen(seen), frozen(first), frozen(other), rounding
    )


def _rounding(trace: Trace) -> float:
    """2 (T + d_φ) ε · max |Q| (|K|ᵀ|V|): the customary bound on what two orders of one sum may differ by."""
    q, k, v = (np.abs(table.astype(float)) for table in (trace.q, trace.k, trace.v))
    terms = len(k) + k.shape[1]
    return float(2 * terms * np.finfo(float).eps * ordered_dot(q, ordered_dot(k.T, v)).max())
