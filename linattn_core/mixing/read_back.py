"""Each stored key read back: the query is the key itself, so that without mixing its own value comes back."""

import numpy as np

from linattn_core.mixing.last_state import ask_mapped, changed_list
from linattn_core.ordered import frozen, ordered_sum
from linattn_core.trace import Trace


def read_back(trace: Trace) -> Trace:
    """The same run with φ(k_0) … φ(k_{T−1}) as queries of the last state: y (T, d_v) is v without mixing."""
    tokens = changed_list(trace.tokens, range(len(trace.k)), q=trace.tokens.k)
    return ask_mapped(trace, tokens, trace.k)


def own_and_others(asked: Trace) -> tuple[np.ndarray, np.ndarray]:
    """The weight of the token itself, (T,), and what all others weigh together, (T,)."""
    weights = asked.weights()
    own = np.diagonal(weights).copy()
    elsewhere = np.where(np.eye(len(weights), dtype=bool), 0, weights)
    return frozen(own), frozen(ordered_sum(elsewhere))


def parts(asked: Trace, t: int) -> np.ndarray:
    """weight · v_s of every token s, (T, d_v): with what was carried in they add up to what key t reads."""
    with np.errstate(all="ignore"):
        return frozen(asked.weights()[t][:, None] * asked.v)
