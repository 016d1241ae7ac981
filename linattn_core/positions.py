"""Which state a query reads, and so which keys it may see."""

import numpy as np

from linattn_core.checks import RunSettings


def state_of_each_query(states: np.ndarray, settings: RunSettings) -> np.ndarray:
    """From T+1 states (before token 0, 1, …, after the last one) those that are read.

    (T, …), one for each query, or, where every query reads the last state, just that one.
    """
    if settings.read == "full":
        return states[-1]
    return states[:-1] if settings.read_before_write else states[1:]


def queries_of_state(settings: RunSettings, t: int, T: int, Tq: int) -> range:
    """The queries that read the state before token t, the state t = T being the last one."""
    if settings.read == "full":
        return range(Tq) if t == T else range(0)
    i = t if settings.read_before_write else t - 1
    return range(max(i, 0), min(i + 1, T))


def visible(settings: RunSettings, T: int, Tq: int) -> np.ndarray:
    """(Tq, T): True where the query may see the key."""
    read = np.broadcast_to(state_of_each_query(np.arange(T + 1), settings), Tq)
    return np.arange(T) < read[:, None] + settings.sees_itself
