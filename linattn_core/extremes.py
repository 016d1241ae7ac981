"""Runs whose sums leave the range of floats, in row-scaled form: exact algebra, nothing over- or underflows.

With l = log φ(k), row i of the state is kept as exp(cᵢ) · R[i], where c is the running maximum of l,
decayed like the state. Then qᵀ[S | z] = exp(m) · wᵀR with w = exp(log φ(q) + c − m) and m the largest
exponent, so the ratio needs no exp(m). Columns are scaled by powers of two the same way, for values near
the largest float. A shift per key would change the weights; a shift per row that the query undoes does not.
Computed in float64 whatever the run's dtype: the aim is the answer that the plain sums could not hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linattn_core.ordered import ordered_dot
from linattn_core.rule_knobs import columns

if TYPE_CHECKING:
    from linattn_core.trace import Trace

LOG2 = np.log(2.0)


@dataclass(frozen=True, eq=False)
class Logs:
    """What the form starts from: log_q (Tq, d_φ), log_k (T, d_φ), v (T, d_v), log_alpha (T, d_φ)."""

    log_q: np.ndarray
    log_k: np.ndarray
    v: np.ndarray
    log_alpha: np.ndarray

    def without_writes(self) -> Logs:
        """The same run with nothing to write, to follow a carried state alone."""
        return Logs(self.log_q, np.full_like(self.log_k, -np.inf), np.zeros_like(self.v), self.log_alpha)


def logs(trace: Trace) -> Logs | None:
    """The logs of a run, or None where the form does not apply.

    It needs a map with a log, a rule that only accumulates, and a z to divide by.
    """
    settings = trace.settings
    without_z = trace.initial is not None and trace.initial[1] is None
    if settings.phi.log_phi is None or not settings.rule.accumulates or without_z:
        return None
    taken = settings.phi.taken(settings.knobs)
    typed = [table.astype(settings.dtype).astype(float) for table in (trace.tokens.q, trace.tokens.k)]
    with np.errstate(all="ignore"):
        log_q, log_k = (settings.phi.log_phi(x, **taken) for x in typed)
        return Logs(log_q, log_k, trace.v.astype(float), np.broadcast_to(_log_alpha(trace), log_k.shape))


def _log_alpha(trace: Trace) -> np.ndarray:
    """log α: as it was given, because exp(−800) is 0 and its log would forget what is still there."""
    if trace.alpha is None:
        return np.zeros(1)
    if "gamma" in trace.settings.knobs:
        return np.log(trace.alpha.astype(float))
    given = trace.settings.knobs.get("log_decay", trace.tokens.log_decay)
    return columns(given).astype(trace.settings.dtype).astype(float)


@dataclass(frozen=True, eq=False)
class RowScaled:
    """One state: row i of [S | z] is exp(c[i]) · R[i], column j of S is 2**shift[j] times that."""

    c: np.ndarray
    shift: np.ndarray
    R: np.ndarray

    def read(self, log_q: np.ndarray) -> tuple[np.ndarray, float]:
        """qᵀ[S | z] without its column shift, divided by exp(m); and m, 0 where q meets only zeros."""
        a = log_q + self.c
        m = a.max()
        if m == -np.inf:
            return np.zeros(self.R.shape[1]), 0.0
        return ordered_dot(np.exp(a - m), self.R), m


def start(trace: Trace) -> RowScaled:
    """The state carried in, or the empty one."""
    if trace.initial is None:
        (_, d_phi), d_v = trace.k.shape, trace.v.shape[1]
        return RowScaled(np.full(d_phi, -np.inf), np.zeros(d_v, int), np.zeros((d_phi, d_v + 1)))
    S0, z0 = trace.S[0].astype(float), trace.z[0].astype(float)
    log_S0, log_z0 = np.log(np.abs(S0)), np.log(np.abs(z0))
    c = np.where(z0 != 0, log_z0, log_S0.max(axis=1))
    exponent = minus(log_S0, c[:, None])
    shift = np.maximum(np.ceil(exponent.max(axis=0) / LOG2), 0).astype(int)
    R = np.sign(S0) * np.exp(exponent - shift * LOG2)
    return RowScaled(c, shift, np.column_stack([R, np.sign(z0)]))


def minus(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a − b, with log 0 − log 0 = log 0: a row that is empty stays empty."""
    return np.where(a == -np.inf, -np.inf, a - b)


def states(logs: Logs, state: RowScaled) -> Iterator[RowScaled]:
    """The states before token 0, 1, … and after the last one: T + 1 of them."""
    yield state
    for log_k, v, log_alpha in zip(logs.log_k, logs.v, logs.log_alpha, strict=True):
        kept = state.c + log_alpha
        c = np.maximum(kept, log_k)
        shift = np.maximum(state.shift, np.frexp(v)[1])
        old = np.exp(minus(kept, c))[:, None] * state.R
        old[:, :-1] = np.ldexp(old[:, :-1], state.shift - shift)
        value = np.append(np.ldexp(v, -shift), 1.0)
        state = RowScaled(c, shift, old + np.exp(minus(log_k, c))[:, None] * value)
        yield state


def log_keys(logs: Logs) -> Iterator[np.ndarray]:
    """log φ(k_s) + the log decays since, (T, d_φ), before token 0, 1, … and after the last one."""
    log_k = np.full_like(logs.log_k, -np.inf)
    yield log_k
    for t, log_alpha in enumerate(logs.log_alpha):
        log_k = log_k + log_alpha
        log_k[t] = logs.log_k[t]
        yield log_k
