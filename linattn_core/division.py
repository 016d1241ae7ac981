"""y = read / (norm + eps): the last step, where numbers stop existing or leave the range of floats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linattn_core import extremes
from linattn_core.all_pairs import carried_reads
from linattn_core.ordered import frozen, ordered_sum
from linattn_core.positions import queries_of_state, state_of_each_query

if TYPE_CHECKING:
    from linattn_core.trace import Trace


@dataclass(frozen=True, eq=False)
class Division:
    """y (Tq, d_v) and, for each query, (Tq,): whether y exists, log10 |norm|, whether y is row-scaled.

    For row-scaled queries (norm + eps) / scale is sign · exp(log_total).
    """

    y: np.ndarray
    defined: np.ndarray
    log10_norm: np.ndarray
    rescaled: np.ndarray
    sign: np.ndarray
    log_total: np.ndarray


def divide(trace: Trace) -> Division:
    """The textbook division in the run's dtype; row-scaled where the plain sums cannot hold the answer."""
    with np.errstate(all="ignore"):
        norm = trace.reads[:, -1]  # NaN where there is none
        total = norm + norm.dtype.type(trace.settings.eps)
        y = trace.read / total[:, None] if trace.settings.normalize else trace.read.copy()
        log10_norm, rescaled = np.log10(np.abs(norm)), beyond_floats(trace)
        division = Division(y, np.ones(len(y), bool), log10_norm, rescaled, np.ones(len(y)), np.zeros(len(y)))
        if trace.logs is not None and rescaled.any():
            _row_scaled(trace, trace.logs, division)
        if trace.settings.normalize:
            plain = np.isfinite(total) & (total != 0)
            exists = np.where(rescaled, np.isfinite(division.log_total), plain)
            division.defined[:] = exists & ~np.isnan(y).any(axis=1)
            y[~division.defined] = np.nan
    for array in vars(division).values():
        frozen(array)
    return division


def beyond_floats(trace: Trace) -> np.ndarray:
    """True for queries whose plain sums are not the answer, (Tq,); only maps with a log can do better.

    That is: norm or read is not finite, norm is subnormal, or what underflow may have taken from it is not
    small beside it. Ordinary numbers are far from all of these.
    """
    if trace.logs is None:
        return np.zeros(len(trace.q), bool)
    norm, limits = np.abs(trace.norm.astype(float)), np.finfo(trace.norm.dtype)
    bad = ~np.isfinite(norm) | (norm < limits.tiny)
    if trace.settings.normalize:
        bad |= ~np.isfinite(trace.read).all(axis=1)
    return bad | (lost_to_underflow(trace, trace.logs) > norm * float(limits.eps))


def lost_to_underflow(trace: Trace, logs: extremes.Logs) -> np.ndarray:
    """At most this much of norm is missing, (Tq,), because φ(q), φ(k), z or the decay came near 0."""
    limits, settings = np.finfo(trace.norm.dtype), trace.settings
    q, z = trace.q.astype(float), np.abs(trace.z.astype(float))
    small_q = (q < limits.tiny) & (logs.log_q > -np.inf)
    small_k = (z < limits.tiny) & _from_the_start(np.logical_or, logs.log_k > -np.inf)  # else z is truly 0
    units = np.where(small_k, np.arange(len(z))[:, None], 0)
    if trace.alpha is not None:
        small_alpha = (trace.alpha < limits.tiny) & (logs.log_alpha > -np.inf)
        units = units + _from_the_start(np.add, np.where(small_alpha, z[:-1], 0))
    z, units = (state_of_each_query(each, settings) for each in (z, units))
    lost = ordered_sum(np.where(units > 0, units * q, 0)) + ordered_sum(np.where(small_q, z, 0))
    return lost * float(limits.smallest_subnormal) * settings.scale


def _from_the_start(ufunc: np.ufunc, rows: np.ndarray) -> np.ndarray:
    """Row t combines what stands before token t, (T+1, d_φ): later tokens cannot reach back."""
    return ufunc.accumulate(np.vstack([np.zeros_like(rows[:1]), rows]))


def _row_scaled(trace: Trace, logs: extremes.Logs, division: Division) -> None:
    """Fill in the queries that the row-scaled form serves."""
    settings, T, Tq = trace.settings, len(trace.k), len(trace.q)
    log_eps = np.log(settings.eps) - np.log(settings.scale)
    for t, state in enumerate(extremes.states(logs, extremes.start(trace))):
        for i in queries_of_state(settings, t, T, Tq):
            if division.rescaled[i]:
                read, m = state.read(logs.log_q[i])
                top = max(m, log_eps)  # so that neither norm nor eps leaves the range of floats
                total = read[-1] * np.exp(m - top) + np.exp(log_eps - top)
                log_norm = m + np.log(np.abs(read[-1])) + np.log(settings.scale)
                division.log10_norm[i] = log_norm / np.log(10)
                division.sign[i] = np.sign(total)
                division.log_total[i] = top + np.log(np.abs(total))
                if settings.normalize:
                    division.y[i] = np.ldexp(read[:-1] * np.exp(m - top) / total, state.shift)


def condition(trace: Trace) -> np.ndarray:
    """Σ |scores| / |norm|, (Tq,), with what a carried state adds to norm as one more score."""
    with np.errstate(all="ignore"):
        if not trace.one_map:
            return frozen(trace.reads[:, -1] * np.nan)
        if trace.logs is not None and (trace.z[0] >= 0).all():  # no score is negative, nor what is carried
            ones = np.where(trace.log10_norm > -np.inf, 1, np.nan)
            return frozen(ones.astype(trace.norm.dtype))
        carried = np.abs(carried_reads(trace)[:, -1])
        return frozen((ordered_sum(np.abs(trace.scores())) + carried) / np.abs(trace.norm))
