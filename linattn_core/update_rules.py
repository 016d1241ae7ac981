"""Update rules: what one token does to the state.

To add one: write the step, then append an UpdateRule to UPDATE_RULES. A step takes a state of any
number of columns and the value for those columns. `run` hands it [S | z] with [v | 1], so that a rule
brings its own z: the state it keeps for the constant value 1. A step returns the new state and the
vector u that it wrote (the write is k uᵀ), and leaves the old state alone: a run keeps them all.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linattn_core.knobs import Knob, find

State = np.ndarray  # (d_φ, n)
Key = np.ndarray  # (d_φ,)
Value = np.ndarray  # (n,)


@dataclass(frozen=True)
class UpdateRule:
    """A step and what the reader is told about it.

    divides: a read divided by the score sum is an average of values, so a run divides unless told not to.
    knobs: the step's keywords. `gamma` comes as the share kept of each row, (d_φ,), any other as one number.
    accumulates: the step is diag(γ) S + k vᵀ, nothing else; scores then are products of q, γ and k.
    """

    key: str
    title: str
    step: Callable[..., tuple[State, Value]]
    divides: bool
    knobs: tuple[Knob, ...]
    latex: str
    source: str
    accumulates: bool = False


def add(S: State, k: Key, v: Value) -> tuple[State, Value]:
    """S + k vᵀ: every row of S gains the value, scaled by that key component.

    >>> add(np.zeros((2, 2)), np.array([0.3, 0.7]), np.array([1.0, 1.0]))[0]
    array([[0.3, 0.3],
           [0.7, 0.7]])
    """
    return S + k[:, None] * v[None, :], v


def decay(S: State, k: Key, v: Value, *, gamma: np.ndarray) -> tuple[State, Value]:
    """diag(γ) S + k vᵀ: as `add`, after every row has shrunk to its share γ. The new token is not shrunk.

    >>> decay(np.ones((2, 1)), np.array([1.0, 0.0]), np.array([2.0]), gamma=np.array([0.5, 0.25]))[0]
    array([[2.5 ],
           [0.25]])
    """
    return gamma[:, None] * S + k[:, None] * v[None, :], v


GAMMA = Knob(
    "gamma", 0.0, 1.0, 0.9, "share kept γ", "The share of the old state that is kept when a token is written."
)

UPDATE_RULES = (
    UpdateRule(
        "add",
        "add",
        add,
        True,
        (),
        r"S_{t+1} = S_t + k_t v_t^\top",
        "Katharopoulos et al. 2020, Transformers are RNNs, §3.3",
        accumulates=True,
    ),
    UpdateRule(
        "decay",
        "decay, then add",
        decay,
        True,
        (GAMMA,),
        r"S_{t+1} = \mathrm{diag}(\gamma_t)\, S_t + k_t v_t^\top",
        "Sun et al. 2023, Retentive Network, §2.1; one γ per row: Yang et al. 2024, Gated Linear Attention",
        accumulates=True,
    ),
)


def update_rule(key: str) -> UpdateRule:
    """The rule called `key`.

    Raises:
        InputError: no rule has that key.
    """
    return find("update rule", UPDATE_RULES, key)
