"""Every query against every key: the T × T form that a fixed-size state never builds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from linattn_core import extremes
from linattn_core.checks import READS, number
from linattn_core.inputs import of_kind, one_of
from linattn_core.ordered import frozen, ordered_dot, ordered_sum
from linattn_core.positions import queries_of_state, visible
from linattn_core.rule_knobs import at
from linattn_core.tokens import Tokens
from linattn_core.unit_values import states_for_unit_values

if TYPE_CHECKING:
    from linattn_core.trace import Trace

AT_ONCE = 2**20  # numbers of the states that are read together: one by one takes many times as long


def scores(trace: Trace) -> np.ndarray:
    """scores[t, s] = scale · q_t · (what is left of φ(k_s)), (Tq, T); 0 where t may not see s.

    In words: what each query reads when the values are the rows of I and nothing is carried.
    """
    T, Tq = len(trace.k), len(trace.q)
    with np.errstate(all="ignore"):
        if trace.settings.rule.accumulates and trace.alpha is None:
            products = ordered_dot(trace.q, trace.k.T)
        else:
            products = _reads(trace, _with_bonus(trace, states_for_unit_values(trace)))
        scaled = trace.k.dtype.type(trace.settings.scale) * products
    return np.where(visible(trace.settings, T, Tq), scaled, scaled.dtype.type(0))


def _reads(trace: Trace, states: Iterator[np.ndarray]) -> np.ndarray:
    """What each query reads of its state, (Tq, n), where `states` are the T+1 states (d_φ, n) of a run."""
    T, Tq = len(trace.k), len(trace.q)
    met = (state for t, state in enumerate(states) if queries_of_state(trace.settings, t, T, Tq))
    first = next(met)
    if trace.settings.read == "full":
        return ordered_dot(trace.q, first)  # the only one that is read
    together, met, parts, done = max(1, AT_ONCE // first.size), chain([first], met), [], 0
    while batch := list(islice(met, together)):
        parts.append(ordered_dot(trace.q[done : done + len(batch)], np.stack(batch)))
        done += len(batch)
    return np.concatenate(parts)


def _with_bonus(trace: Trace, states: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
    """The states as their own token's query sees them: with its key, times the bonus, in its own column."""
    for t, state in enumerate(states):
        if trace.bonus is not None and t < len(trace.k):
            state = state + (trace.bonus * trace.k[t])[:, None] * np.eye(len(trace.k), dtype=state.dtype)[t]
        yield state


def weights(trace: Trace) -> np.ndarray:
    """scores / (norm + eps), (Tq, T), NaN rows where undefined; the scores where the run does not divide."""
    if not trace.settings.normalize:
        return trace.scores().copy()
    division = trace.division
    with np.errstate(all="ignore"):
        shares = trace.scores() / (trace.norm + trace.norm.dtype.type(trace.settings.eps))[:, None]
        if trace.logs is not None and division.rescaled.any():
            _row_scaled_weights(trace, trace.logs, shares)
    shares[~division.defined] = np.nan
    return shares


def _row_scaled_weights(trace: Trace, logs: extremes.Logs, shares: np.ndarray) -> None:
    """Fill in the rows whose plain scores or sums leave the range of floats."""
    division, (Tq, T) = trace.division, shares.shape
    for t, log_k in enumerate(extremes.log_keys(logs)):
        for i in queries_of_state(trace.settings, t, T, Tq):
            if division.rescaled[i]:
                log_scores = np.logaddexp.reduce(logs.log_q[i] + log_k[:t], axis=1)
                shares[i] = 0
                shares[i, :t] = division.sign[i] * np.exp(log_scores - division.log_total[i])


def carried(trace: Trace) -> np.ndarray:
    """The part of y that comes from the initial state, (Tq, d_v): zeros where none was carried in."""
    with np.errstate(all="ignore"):
        part = carried_reads(trace)[:, :-1].copy()
        if trace.settings.normalize:
            division = trace.division
            part /= (trace.norm + trace.norm.dtype.type(trace.settings.eps))[:, None]
            if trace.initial is not None and trace.logs is not None and division.rescaled.any():
                _row_scaled_carried(trace, trace.logs, part)
            part[~division.defined] = np.nan
    return part


def carried_reads(trace: Trace) -> np.ndarray:
    """What the queries read of [S0 | z0] alone, (Tq, d_v+1), undivided; NaN of a z0 that is None."""
    if trace.initial is None:
        return np.zeros((len(trace.q), trace.v.shape[1] + 1), trace.k.dtype)
    return trace.k.dtype.type(trace.settings.scale) * _reads(trace, _states_without_writes(trace))


def _states_without_writes(trace: Trace) -> Iterator[np.ndarray]:
    """The T+1 states [S | z] of the same run with every value 0."""
    rule, nothing = trace.settings.rule, np.zeros(trace.v.shape[1] + 1, trace.k.dtype)
    state = trace.states[0]
    yield state
    for t, k in enumerate(trace.k):
        if rule.accumulates:
            state = state if trace.alpha is None else trace.alpha[t][:, None] * state
        else:
            state, _ = rule.step(state, k, nothing, **at(trace.gates, t))
        yield state


def _row_scaled_carried(trace: Trace, logs: extremes.Logs, part: np.ndarray) -> None:
    """Fill in the rows whose plain sums leave the range of floats."""
    T, Tq = len(trace.k), len(trace.q)
    for t, state in enumerate(extremes.states(logs.without_writes(), extremes.start(trace))):
        for i in queries_of_state(trace.settings, t, T, Tq):
            if trace.division.rescaled[i]:
                read, m = state.read(logs.log_q[i])
                share = trace.division.sign[i] * np.exp(m - trace.division.log_total[i])
                part[i] = np.ldexp(read[:-1] * share, state.shift)


ALIGNMENTS = ("upper_left", "lower_right")


def softmax(
    tokens: Tokens, *, scale: float | None = None, read: str = "causal", align: str = "upper_left"
) -> tuple[np.ndarray, np.ndarray]:
    """Softmax attention on the typed vectors: (y (Tq, d_v), weights (Tq, T)), in float64.

    weights = softmax(scale · q kᵀ) over the keys that a query may see; scale None is d_k**-0.5.
    align: where Tq and T differ, causal query t sees keys 0…t ("upper_left") or 0…t+T−Tq ("lower_right").
    A query that sees no key has weights 0 and y 0, as in PyTorch. Vaswani et al. 2017, §3.2.1.

    Raises:
        InputError: tokens are none, read or align is not one of its choices, or scale is not a finite number.

    >>> one_hot = [[1, 0], [0, 1]]
    >>> softmax(Tokens(one_hot, one_hot, [[1], [0]]), scale=0)[0]
    array([[1. ],
           [0.5]])
    """
    of_kind("tokens", tokens, Tokens, "Tokens", "Pass Tokens(q, k, v).")
    Tq, T = len(tokens.q), len(tokens.k)
    one_of("read", read, READS)
    one_of("align", align, ALIGNMENTS)
    last = np.arange(Tq) + (T - Tq if align == "lower_right" else 0)
    seen = np.arange(T) <= (last if read == "causal" else np.full(Tq, T))[:, None]
    return softmax_of_seen(tokens, seen, scale)


def softmax_of_seen(tokens: Tokens, seen: np.ndarray, scale: float | None) -> tuple[np.ndarray, np.ndarray]:
    """The same where seen (Tq, T) says which keys a query may see."""
    factor = tokens.k.shape[1] ** -0.5 if scale is None else number("scale", scale)
    with np.errstate(all="ignore"):
        products = factor * ordered_dot(tokens.q, tokens.k.T)
        shown = np.where(seen, products, -np.inf)
        highest = shown.max(axis=1, keepdims=True)
        below = shown - np.where(highest == -np.inf, 0, highest)
        for i in np.flatnonzero((seen & ~np.isfinite(products)).any(axis=1)):
            below[i, seen[i]] = _below_highest(tokens.q[i], tokens.k[seen[i]], factor)
        share = np.exp(below)
        sums = ordered_sum(share)[:, None]
        shares = share / np.where(sums == 0, 1, sums)
    return frozen(ordered_dot(shares, tokens.v, seen)), frozen(shares)


def _below_highest(q: np.ndarray, k: np.ndarray, scale: float) -> np.ndarray:
    """scale · q·k_s less the highest of them, (n,), where the products leave the range of floats."""
    q_power, k_power = (np.frexp(np.abs(x).max())[1] for x in (q, k))
    products = ordered_dot(np.ldexp(q, -q_power), np.ldexp(k, -k_power).T)
    return np.ldexp(scale * (products - products.max()), q_power + k_power)
