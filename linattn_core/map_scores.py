"""The scores that φ gives, beside softmax's exp(scale · q·k): over a range, and for tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.feature_maps import FeatureMap
from linattn_core.ordered import frozen, ordered_dot, ordered_sum
from linattn_core.positions import visible
from linattn_core.tokens import Tokens
from linattn_core.trace import Trace


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of a map, (n,), and softmax's exp(scale · q·k) for the same q and k; exponent: scale · q·k."""

    exponent: np.ndarray
    score: np.ndarray
    softmax: np.ndarray

    @property
    def positive(self) -> bool:
        """Whether every score, here and in softmax, has a logarithm."""
        return all(bool((np.isfinite(x) & (x > 0)).all()) for x in (self.score, self.softmax))

    @property
    def factor(self) -> float:
        """The number that brings the scores nearest to softmax's: it stands in their sum too and divides out.

        Nearest by the mean of logs where there are logs, else by least squares.
        """
        if self.positive:
            return float(np.exp(np.mean(self.exponent - np.log(self.score))))
        with np.errstate(all="ignore"):
            together, size = self.score * self.softmax, self.score * self.score
        held = np.isfinite(together) & np.isfinite(size)
        total = float(size[held].sum())
        return float(together[held].sum()) / total if total else 0.0

    @property
    def scaled(self) -> np.ndarray:
        """factor · score, (n,)."""
        return frozen(self.factor * self.score)


def pair_scores(trace: Trace, *, scale: float | None = None) -> Scores:
    """Of every query and every token that it may see, in the order of queries."""
    seen = visible(trace.settings, len(trace.k), len(trace.q))
    factor = trace.tokens.k.shape[1] ** -0.5 if scale is None else scale
    exponent = (factor * ordered_dot(trace.tokens.q, trace.tokens.k.T))[seen]
    return _scores(exponent, trace.scores()[seen])


def sweep_scores(
    phi: FeatureMap,
    d: int,
    s: np.ndarray,
    *,
    length: float = 1.0,
    knobs: Mapping[str, Any] | None = None,
    scale: float | None = None,
) -> Scores:
    """Of q = [s, 0, …] and k = [length, 0, …], (n,), both with d components."""
    q, k = (curves(phi, x, d=d, knobs=knobs) for x in (s, np.array([length])))
    exponent = (d**-0.5 if scale is None else scale) * length * s
    with np.errstate(all="ignore"):
        return _scores(exponent, ordered_dot(q, k.T)[:, 0])


def usual_length(x: np.ndarray) -> float:
    """The root of the mean squared length of some vectors (n, d)."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(ordered_sum(ordered_sum(x * x)) / len(x)))


def query_reach(tokens: Tokens, length: float, scale: float | None = None) -> float:
    """How long a query may be: twice the usual, with a softmax exponent up to 4 for a key of that length."""
    factor = abs(tokens.k.shape[1] ** -0.5 if scale is None else scale)
    most = 4 / (factor * length) if factor else np.inf
    return min(max(2 * usual_length(tokens.q), 1.0), most)


def _scores(exponent: np.ndarray, score: np.ndarray) -> Scores:
    with np.errstate(over="ignore"):
        return Scores(frozen(exponent), frozen(score), frozen(np.exp(exponent)))


def curves(
    phi: FeatureMap, x: np.ndarray, *, d: int = 2, knobs: Mapping[str, Any] | None = None
) -> np.ndarray:
    """φ([x, 0, …]) of vectors with d components, (n, d_φ); each stands at the first position.

    >>> from linattn_core import feature_map
    >>> curves(feature_map("elu1"), np.array([-1.0, 1.0]), d=1)
    array([[0.36787944],
           [2.        ]])
    """
    rows, taken = np.zeros((len(x), d)), phi.taken(knobs or {})
    rows[:, 0] = x
    with np.errstate(all="ignore"):
        if phi.positional:
            return np.concatenate([phi.phi(row[None], **taken) for row in rows])
        return phi.phi(rows, **taken)
