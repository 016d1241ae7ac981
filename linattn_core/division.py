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
        total = trace.norm + trace.norm.dtype.type(trace.settings.eps)
        y = trace.read / total[:, None] if trace.settings.normalize else trace.read.copy()
        log10_norm, rescaled = np.log10(np.abs(trace.norm)), beyond_floats(trace)
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

    That is: norm or read is not finite, norm is subnormal, or what underflow may have taken from φ(k), z or
    φ(q) is not small beside norm. Ordinary numbers are far from all of these.
    """
    settings, logs, limits = trace.settings, trace.logs, np.finfo(trace.norm.dtype)
    if logs is None:
        return np.zeros(len(trace.q), bool)
    norm, q = np.abs(trace.norm.astype(float)), trace.q.astype(float)
    bad = ~np.isfinite(norm) | (norm < limits.tiny)
    if settings.normalize:
        bad |= ~np.isfinite(trace.read).all(axis=1)
    z = np.abs(state_of_each_query(trace.z, settings).astype(float))
    lossy_z, lossy_q = z < limits.tiny, (q < limits.tiny) & (logs.log_q > -np.inf)
    if lossy_z.any() or lossy_q.any():
        reached = np.logical_or.accumulate(logs.log_k > -np.inf)  # a row that no key reaches lost nothing
        reached = state_of_each_query(np.vstack([np.zeros(q.shape[1], bool), reached]), settings)
        written = state_of_each_query(np.arange(len(trace.k) + 1), settings)
        from_z = written * ordered_sum(np.where(lossy_z & reached, q, 0))
        lost = float(limits.smallest_subnormal) * (from_z + ordered_sum(np.where(lossy_q, z, 0)))
        bad |= lost * settings.scale > norm * float(limits.eps)
    return bad


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
        carried = np.abs(carried_reads(trace)[:, -1])
        if trace.logs is not None and trace.initial is None:
            ones = np.where(np.isnan(trace.log10_norm) | (trace.log10_norm == -np.inf), np.nan, 1)
            return frozen(ones.astype(trace.norm.dtype))
        return frozen((ordered_sum(np.abs(trace.scores())) + carried) / np.abs(trace.norm))
