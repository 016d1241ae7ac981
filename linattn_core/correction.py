"""Between the old state and the write: what decays, what the rule asks of the state, and what it removes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linattn_core.ordered import frozen, ordered_dot

if TYPE_CHECKING:
    from linattn_core.trace import Trace


@dataclass(frozen=True, eq=False)
class Correction:
    """What token t's write starts from, each array for the columns [S | z]; with the operations of `run`.

    decayed (d_φ, d_v+1): diag(γ) [S | z], or [S | z] itself where the rule decays nothing.
    old (d_v+1,): what the rule reads of it before it writes, Sᵀk of the decayed state, or for RWKV-7 Sᵀa of
    the undecayed one; None where it asks nothing.
    error (d_v+1,): [v | 1] − old, where old is an answer for the key; then β · error is what is written.
    removal (d_φ, d_v+1): b (β · old)ᵀ, where old is what a reads; None elsewhere.
    """

    decayed: np.ndarray
    old: np.ndarray | None = None
    error: np.ndarray | None = None
    removal: np.ndarray | None = None


def correction(trace: Trace, t: int) -> Correction:
    """Token t of the run."""
    before, asks, gates = trace.states[t], trace.settings.rule.asks, trace.gates
    decayed = frozen(before.copy() if trace.alpha is None else trace.alpha[t][:, None] * before)
    if asks is None:
        return Correction(decayed)
    if asks == "k":
        old = frozen(ordered_dot(trace.k[t], decayed))
        value = np.append(trace.v[t], trace.v.dtype.type(1))
        return Correction(decayed, old, frozen(value - old))
    old = frozen(ordered_dot(gates[asks][t], before))
    removed = gates["beta"][t] * old
    return Correction(decayed, old, None, frozen(gates["b"][t][:, None] * removed[None, :]))
