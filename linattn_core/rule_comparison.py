"""The same tokens under other write rules: what each keeps, what it answers, where it grows.

An answer is what the state returns for a key: Sᵀk, or Sᵀk / zᵀk where the run divides. A loss is
‖answer − v‖²: 0 where the key gets its own value back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.architectures import Architecture
from linattn_core.mixing import changed_list, run_again
from linattn_core.ordered import frozen, ordered_dot, ordered_sum
from linattn_core.recurrence import run
from linattn_core.rule_knobs import at
from linattn_core.trace import Trace
from linattn_core.update_rules import UpdateRule

GATES = {"gamma": ("gamma", "log_decay"), "beta": ("beta",)}  # a knob, and how a run may be given it


def beside(trace: Trace, rule: UpdateRule, *, divide: bool, **gates: Any) -> Trace:
    """The same run with another write rule; `gates`, gamma= or beta=, stand in for what it does not have.

    Raises:
        InputError: the rule cannot be run on these tokens, or not divided.
    """
    settings = trace.settings
    usual = settings.rule.bonus is not None and settings.read == "causal"
    asked = settings.read_before_write
    names = {knob.name for knob in (*rule.knobs, *rule.arrays)}
    own = {name: x for name, x in settings.knobs.items() if name in names}
    return run(
        trace.tokens,
        settings.phi,
        rule,
        read=settings.read,
        normalize=divide,
        scale=settings.scale,
        eps=settings.eps,
        initial=trace.initial,
        read_before_write=None if asked == usual else asked,
        dtype=settings.dtype,
        **settings.phi.taken(settings.knobs) | own | _gates(trace, gates),
    )


def as_architecture(trace: Trace, model: Architecture, head: int = 0, **gates: Any) -> Trace:
    """The tokens of the run, mixed as a head of `model` mixes them; `gates` as in `beside`.

    Rule, map, scale, division and a share γ that is fixed are the model's; nothing is carried in.

    Raises:
        InputError: its map or rule cannot be run on these tokens.
    """
    tokens, settings = trace.tokens, model.settings(trace.tokens.k.shape[1], head)
    given, decays = _gates(trace, gates), GATES["gamma"]
    if model.share is not None:
        given = {name: x for name, x in given.items() if name not in decays}
    elif set(given) & set(decays):
        settings.pop("gamma", None)
    carried = {"gamma": tokens.log_decay, "beta": tokens.beta}
    kept = {name: x for name, x in (settings | given).items() if carried.get(name) is None}
    return run(tokens, read=trace.settings.read, dtype=trace.settings.dtype, **kept)


def _gates(trace: Trace, gates: Mapping[str, Any]) -> dict[str, Any]:
    """The gates that the run was given, and of `gates` those that neither it nor its tokens have."""
    own = {name: x for name, x in trace.settings.knobs.items() if name in (*GATES["gamma"], *GATES["beta"])}
    return own | {name: x for name, x in gates.items() if name in open_gates(trace)}


def open_gates(trace: Trace) -> list[str]:
    """Of gamma and beta those that neither the tokens nor the settings of the run give."""
    given = set(trace.settings.knobs)
    given |= {name for name in ("beta", "log_decay") if getattr(trace.tokens, name) is not None}
    return [name for name, ways in GATES.items() if not given & set(ways)]


def answer(trace: Trace, state: np.ndarray, k: np.ndarray) -> np.ndarray:
    """What states [S | z] (…, d_φ, d_v+1) return for keys k (…, d_φ): (…, d_v); NaN where undefined."""
    settings = trace.settings
    with np.errstate(all="ignore"):
        reads = ordered_dot(k, state)
        if not settings.normalize:
            return reads[..., :-1]
        scale = k.dtype.type(settings.scale)
        total = scale * reads[..., -1:] + k.dtype.type(settings.eps)
        return np.where(total == 0, np.nan, scale * reads[..., :-1] / total)


def loss(answers: np.ndarray, v: np.ndarray) -> np.ndarray:
    """‖answer − v‖², one for each row."""
    with np.errstate(all="ignore"):
        return ordered_sum((answers - v) ** 2)


@dataclass(frozen=True, eq=False)
class Losses:
    """Answers (T, d_v) for the key of every token before and after its write and at the end; losses (T,)."""

    before: np.ndarray
    after: np.ndarray
    end: np.ndarray
    loss_before: np.ndarray
    loss_after: np.ndarray
    loss_end: np.ndarray


def losses(trace: Trace) -> Losses:
    """What each key gets from the state before its token is written, right after, and after all tokens.

    >>> from linattn_core import Tokens
    >>> one_hot = [[1, 0], [0, 1], [1, 0]]
    >>> article = run(Tokens(one_hot, one_hot, [[2, 0], [0, 3], [1, 1]]), "identity", normalize=False)
    >>> losses(article).loss_before, losses(article).loss_after
    (array([4., 9., 2.]), array([0., 0., 4.]))
    """
    k, states = trace.k, trace.states
    answers = [answer(trace, each, k) for each in (states[:-1], states[1:], states[-1])]
    return Losses(*map(frozen, answers), *(frozen(loss(each, trace.v)) for each in answers))


def left(trace: Trace) -> np.ndarray:
    """left[s, t]: the share of v_s that k_s reads after token t, (T, T); NaN where s is not yet written.

    kᵀκ / kᵀk, with κ what is left of φ(k_s) in the state: 1 is what `add` keeps for ever; where a later
    write takes it away the share falls, even below 0. NaN too for a key of zeros, which writes nothing.
    """
    T, rule, dtype = len(trace.k), trace.settings.rule, trace.k.dtype
    kept, unit = np.full((T, T), np.nan), np.eye(T, dtype=dtype)
    state = np.zeros((trace.k.shape[1], T), dtype)
    with np.errstate(all="ignore"):
        for t in range(T):
            state, _ = rule.step(state, trace.k[t], unit[t], **at(trace.gates, t))
            kept[: t + 1, t] = ordered_sum((trace.k * state.T)[: t + 1])
        sizes = key_sizes(trace)
        return frozen(kept / np.where(sizes == 0, np.nan, sizes)[:, None])


def key_sizes(trace: Trace) -> np.ndarray:
    """k·k of every key after φ, (T,)."""
    with np.errstate(all="ignore"):
        return ordered_sum(trace.k * trace.k)


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


def in_order(trace: Trace, rows: Sequence[int]) -> Trace:
    """The same run with its tokens written in another order; all queries read the last state."""
    return run_again(trace, changed_list(trace.tokens, rows), rows)


def equal_keys(trace: Trace) -> list[int]:
    """The tokens of the key that most tokens share, in order; [] where no two keys are equal after φ."""
    groups: dict[bytes, list[int]] = {}
    for t, k in enumerate(trace.k + 0.0):  # + 0.0: −0.0 is 0.0
        groups.setdefault(k.tobytes(), []).append(t)
    most = max(groups.values(), key=len)
    return most if len(most) > 1 else []
