"""One token at a time: write, then read. Every other form is tested equal to this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linattn_core.checks import RunSettings, initial_state, resolve
from linattn_core.feature_maps import FeatureMap
from linattn_core.ordered import frozen, ordered_dot
from linattn_core.positions import state_of_each_query
from linattn_core.rule_knobs import at, bonus, gates
from linattn_core.tokens import Tokens
from linattn_core.trace import Trace
from linattn_core.update_rules import UpdateRule

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


def run(
    tokens: Tokens,
    phi: str | FeatureMap = "elu1",
    rule: str | UpdateRule = "add",
    *,
    read: str = "causal",
    normalize: bool | None = None,
    scale: float = 1.0,
    eps: float = 0.0,
    initial: tuple[ArrayLike, ArrayLike | None] | None = None,
    read_before_write: bool | None = None,
    dtype: DTypeLike = "float64",
    **knobs: Any,
) -> Trace:
    """Write each token into the state with `rule`, and read it with each query.

    read: "causal", query t reads the state after token t (needs Tq == T); "full", every query reads S[T].
    normalize: divide by the score sum; None: what the rule does.
    scale multiplies read and norm; eps is added to norm, as libraries do.
    initial: (S0 (d_φ, d_v), z0 (d_φ,)) carried in; z0 None only where the run does not divide.
    read_before_write: query t reads the state before token t; None: what the rule does.
    dtype: float64, float32 or float16; all numbers are rounded to it, and all arithmetic is done in it.
    knobs: beta=, and gamma= or log_decay= (natural log), where the tokens carry none; u= (rwkv6; without
    effect where nothing is read before the write); a=, b= (rwkv7); the map's own. None: not given.

    Raises:
        InputError: a key, a knob or a setting that does not exist or does not fit the tokens.

    >>> one_hot = [[1, 0], [0, 1], [1, 0]]
    >>> trace = run(Tokens(one_hot, one_hot, [[2, 0], [0, 3], [1, 1]]), "identity")
    >>> trace.S[3]
    array([[3., 1.],
           [0., 3.]])
    >>> trace.y[2]
    array([1.5, 0.5])
    """
    settings = resolve(
        tokens,
        phi,
        rule,
        knobs,
        read=read,
        normalize=normalize,
        scale=scale,
        eps=eps,
        read_before_write=read_before_write,
        dtype=dtype,
    )
    with np.errstate(all="ignore"):  # Trace.overflow, defined and rescaled say what happened
        return _run(tokens, settings, initial)


def _run(tokens: Tokens, settings: RunSettings, initial: tuple[ArrayLike, ArrayLike | None] | None) -> Trace:
    taken = settings.phi.taken(settings.knobs)
    typed = [table.astype(settings.dtype) for table in (tokens.q, tokens.k, tokens.v)]
    q, k, v = settings.phi.phi(typed[0], **taken), settings.phi.phi(typed[1], **taken), typed[2]
    carried = initial_state(initial, settings, k.shape[1], v.shape[1])
    gated = gates(settings.rule, tokens, settings.knobs, k)
    own = bonus(settings.rule, settings.sees_itself, settings.knobs, k)
    values = np.concatenate([v, np.ones_like(v[:, :1])], axis=1)  # z is the state kept for the value 1
    states, u = write(settings.rule, k, values, gated, carried)
    met = state_of_each_query(states, settings)
    if own is not None:
        met = met + (own * k)[:, :, None] * values[:, None, :]
    reads = k.dtype.type(settings.scale) * ordered_dot(q, met)
    for array in (q, k, v, u, states, reads, *gated.values(), *([] if own is None else [own])):
        frozen(array)  # the views of a trace inherit it
    return Trace(tokens, settings, q, k, v, u, states, reads, gated, own, carried)


def write(
    rule: UpdateRule,
    k: np.ndarray,
    values: np.ndarray,
    gated: Mapping[str, np.ndarray],
    carried: tuple[np.ndarray, np.ndarray | None] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """All states [S | z], (T+1, d_φ, d_v+1), and all that was written into them, (T, d_v+1)."""
    T, columns = values.shape
    states = np.zeros((T + 1, k.shape[1], columns), k.dtype)
    if carried is not None:
        states[0, :, :-1] = carried[0]
        states[0, :, -1] = np.nan if carried[1] is None else carried[1]
    u = np.empty_like(values)
    for t in range(T):
        states[t + 1], u[t] = rule.step(states[t], k[t], values[t], **at(gated, t))
    return states, u
