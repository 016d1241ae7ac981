"""What the state returns for each key, how far that is from its value, and what is left of each token.

An answer is what the state returns for a key: Sᵀk, or Sᵀk / zᵀk where the run divides. A loss is
‖answer − v‖²: 0 where the key gets its own value back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from linattn_core.ordered import frozen, ordered_dot, ordered_sum
from linattn_core.trace import Trace
from linattn_core.unit_values import states_for_unit_values


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

    >>> from linattn_core import Tokens, run
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
    kept = np.full((len(trace.k), len(trace.k)), np.nan)
    with np.errstate(all="ignore"):
        for t, state in enumerate(islice(states_for_unit_values(trace), 1, None)):
            kept[: t + 1, t] = ordered_sum((trace.k * state.T)[: t + 1])
        sizes = key_sizes(trace)
        return frozen(kept / np.where(sizes == 0, np.nan, sizes)[:, None])


def key_sizes(trace: Trace) -> np.ndarray:
    """k·k of every key after φ, (T,)."""
    with np.errstate(all="ignore"):
        return ordered_sum(trace.k * trace.k)


def equal_keys(trace: Trace) -> list[int]:
    """The tokens of the key that most tokens share, in order; [] where no two keys are equal after φ."""
    groups: dict[bytes, list[int]] = {}
    for t, k in enumerate(trace.k + 0.0):  # + 0.0: −0.0 is 0.0
        groups.setdefault(k.tobytes(), []).append(t)
    most = max(groups.values(), key=len)
    return most if len(most) > 1 else []
