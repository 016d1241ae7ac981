"""Where a correcting write makes its error smaller, and where larger."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linattn_core.ordered import frozen, ordered_dot, ordered_sum
from linattn_core.rule_comparison.losses import key_sizes, loss
from linattn_core.rule_knobs import at
from linattn_core.trace import Trace


def eigenvalues(trace: Trace) -> np.ndarray:
    """1 − β k·k, (T,): what a correcting write makes of the part of S along its key, and of v − Sᵀk.

    1 for rules that correct nothing of it. 0 replaces it, below 0 it changes sign, and past −1, where
    β k·k > 2, each such write makes it larger.
    """
    beta = trace.beta
    if beta is None or trace.settings.rule.asks != "k":
        return np.ones(len(trace.k))
    return 1 - (beta if beta.ndim == 1 else beta.max(axis=1)) * key_sizes(trace)


@dataclass(frozen=True, eq=False)
class Sweep:
    """For each β (n,): the mean loss of all keys at the end, and √Σ S², (n,), never divided."""

    beta: np.ndarray
    loss: np.ndarray
    size: np.ndarray


def sweep(trace: Trace, beta: np.ndarray) -> Sweep:
    """The run with every β of `beta` instead of its own, all in one pass: one block of columns for each."""
    rule, (T, d_v), n = trace.settings.rule, trace.v.shape, len(beta)
    shares = np.repeat(beta, d_v).astype(trace.k.dtype)
    values, S = np.tile(trace.v, n), np.tile(trace.S[0], n)
    with np.errstate(all="ignore"):
        for t in range(T):
            S, _ = rule.step(S, trace.k[t], values[t], **at(trace.gates, t) | {"beta": shares})
        each = loss(ordered_dot(trace.k, S).reshape(T, n, d_v), trace.v[:, None, :])
        sizes = np.sqrt(ordered_sum(ordered_sum((S * S).reshape(len(S), n, d_v).transpose(1, 0, 2))))
        return Sweep(beta, frozen(ordered_sum(each.T) / T), frozen(sizes))


def written_again(eigenvalue: float, times: int) -> np.ndarray:
    """‖v − Sᵀk‖ after 0, 1, … `times` corrections with one key, as a share of the first, (times + 1,)."""
    with np.errstate(all="ignore"):
        return np.cumprod(np.concatenate([[1.0], np.full(times, abs(eigenvalue))]))
