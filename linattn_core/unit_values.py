"""The same run with the rows of I as values: its states say what is left of each key, whatever the values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from linattn_core.rule_knobs import at

if TYPE_CHECKING:
    from linattn_core.trace import Trace


def states_for_unit_values(trace: Trace) -> Iterator[np.ndarray]:
    """The T+1 states (d_φ, T) with V = I: column s is what is left of φ(k_s). Nothing is carried in."""
    rule, unit = trace.settings.rule, np.eye(len(trace.k), dtype=trace.k.dtype)
    state = np.zeros((trace.k.shape[1], len(trace.k)), trace.k.dtype)
    yield state
    for t, k in enumerate(trace.k):
        if rule.accumulates:  # without k · 0 for the other columns, which is NaN where k is infinite
            state = trace.gates["gamma"][t][:, None] * state if "gamma" in trace.gates else state.copy()
            state[:, t] = k
        else:
            state, _ = rule.step(state, k, unit[t], **at(trace.gates, t))
        yield state
