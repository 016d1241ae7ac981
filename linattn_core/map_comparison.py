"""Every map on the same tokens, beside softmax attention.

Only φ differs: each map is run with the rule `add`, and divides. Softmax is another scoring rule, not the
truth; a difference from it is a fault only of maps that set out to approximate it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.comparison import Comparison, compare
from linattn_core.feature_maps import FEATURE_MAPS, FeatureMap
from linattn_core.feature_maps.random_features import drawn_projection
from linattn_core.ordered import ordered_sum
from linattn_core.random_difference import features_weights
from linattn_core.recurrence import run
from linattn_core.tokens import InputError, Tokens
from linattn_core.trace import Trace

SEEDS = 4  # of the random features that a map of the same size is set against


@dataclass(frozen=True)
class OnTokens:
    """One map on some tokens. Numbers that do not exist are NaN.

    d_phi: components of φ(k). numbers: what the state keeps, d_φ · d_v for S and d_φ for z.
    mean_squared, correlation: of its weights and softmax's, over all pairs that a defined query may see.
    smallest: the smallest |score sum|. undefined: how many queries have no output.
    same_size: mean_squared of as many random features, the mean over four seeds.
    problem: why the tokens cannot be mapped; "" where they can.
    """

    phi: FeatureMap
    d_phi: int = 0
    numbers: int = 0
    mean_squared: float = np.nan
    correlation: float = np.nan
    smallest: float = np.nan
    undefined: int = 0
    same_size: float = np.nan
    problem: str = ""


def compare_maps(
    tokens: Tokens,
    *,
    maps: Sequence[FeatureMap] = FEATURE_MAPS,
    knobs: Mapping[str, Any] | None = None,
    read: str = "causal",
    scale: float | None = None,
) -> list[OnTokens]:
    """Each map on the same tokens; `knobs` where it takes them, else its defaults. scale: of softmax.

    Raises:
        InputError: not even a map without limits can be run on these tokens with this read.
    """
    run(tokens, "identity", read=read)  # what is wrong with all maps is no problem of each
    spent: dict[int, float] = {}  # d_φ -> same_size
    with np.errstate(all="ignore"):  # what leaves the range of floats is NaN
        return [_on(tokens, phi, phi.taken(knobs or {}), read, scale, spent) for phi in maps]


def _on(
    tokens: Tokens,
    phi: FeatureMap,
    knobs: Mapping[str, Any],
    read: str,
    scale: float | None,
    spent: dict[int, float],
) -> OnTokens:
    try:
        trace = run(tokens, phi, read=read, **knobs)
    except InputError as fault:
        return OnTokens(phi, problem=str(fault))
    both, d_phi = compare(trace, scale=scale), trace.k.shape[1]
    if d_phi not in spent:
        spent[d_phi] = _random_features(both, d_phi)
    return OnTokens(
        phi,
        d_phi,
        d_phi * (tokens.v.shape[1] + 1),
        mean_squared(both),
        correlation(both),
        smallest_sum(trace),
        int((~trace.defined).sum()),
        spent[d_phi],
    )


def _random_features(both: Comparison, count: int) -> float:
    """The mean squared difference of as many random features."""
    q, k, want = both.trace.tokens.q, both.trace.tokens.k, both.softmax_weights
    projections = [drawn_projection(count, k.shape[1], seed) for seed in range(SEEDS)]
    differences = [features_weights(q, k, P, both.seen) - want for P in projections]
    return sum(_mean(difference**2, both.seen) for difference in differences) / SEEDS


def _compared(both: Comparison) -> np.ndarray:
    """True for pairs that a defined query may see, (Tq, T)."""
    return both.seen & both.trace.defined[:, None]


def _mean(x: np.ndarray, where: np.ndarray) -> float:
    """The mean of those entries, row by row from left to right; NaN where there is none."""
    with np.errstate(invalid="ignore"):
        return float(ordered_sum(ordered_sum(np.where(where, x, 0))) / np.float64(where.sum()))


def mean_squared(both: Comparison) -> float:
    """The mean of (weight − softmax weight)² over the pairs that are compared."""
    return _mean(both.difference**2, _compared(both))


def correlation(both: Comparison) -> float:
    """Pearson's r of weights and softmax weights over those pairs; NaN where either is the same for all."""
    pairs = _compared(both)
    one, other = (w - _mean(w, pairs) for w in (both.weights, both.softmax_weights))
    together, size = _mean(one * other, pairs), _mean(one**2, pairs) * _mean(other**2, pairs)
    return together / float(np.sqrt(size)) if size > 1e-28 else np.nan


def smallest_sum(trace: Trace) -> float:
    """The smallest |score sum| over the queries; from its log where the plain sum underflows."""
    sizes = np.where(trace.rescaled, 10.0**trace.log10_norm, np.abs(trace.norm))
    return float(sizes.min())
