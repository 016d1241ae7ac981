"""Update rules: what one token does to the state.

To add one: write the step, then append an UpdateRule to UPDATE_RULES. A step takes a state of any number of
columns and the value for them: `run` hands it [S | z] with [v | 1], so that a rule brings its own z, the
state it keeps for the value 1. It returns the new state and the u that it wrote (the write is k uᵀ), and
leaves the old state alone: a run keeps them all. A browser repeats each step to the last bit, so the
docstrings give the order of operations: brackets as written, every product rounded, then added; Sᵀk is
`ordered_dot(k, S)`, from the first component to the last.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linattn_core.feature_maps import feature_map
from linattn_core.knobs import ArrayKnob, Knob, find
from linattn_core.ordered import ordered_dot

State = np.ndarray  # (d_φ, n)
Key = np.ndarray  # (d_φ,)
Value = np.ndarray  # (n,)


@dataclass(frozen=True)
class UpdateRule:
    """A step and what the reader is told about it.

    divides: a read divided by the score sum is an average of values, so a run divides unless told not to.
    knobs, arrays: the step's keywords; gamma and arrays come as (d_φ,), others as one number or (columns,).
    accumulates: the step is diag(γ) S + k vᵀ, nothing else; scores then are products of q, γ and k.
    asks: which vector reads the state before the write: "k" what the decay left, "a" what was there before.
    bonus: the knob of a rule that reads before it writes: a query then meets its own token as diag(u) k vᵀ.
    """

    key: str
    title: str
    step: Callable[..., tuple[State, Value]]
    divides: bool
    knobs: tuple[Knob, ...]
    latex: str
    source: str
    accumulates: bool = False
    arrays: tuple[ArrayKnob, ...] = ()
    asks: str | None = None
    bonus: Knob | None = None


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


def delta(S: State, k: Key, v: Value, *, beta: np.ndarray) -> tuple[State, Value]:
    """S + k uᵀ with u = β (v − Sᵀk): write what the state's own answer for k lacks, or a share β of it.

    >>> delta(np.array([[2.0, 0.0], [0.0, 3.0]]), np.array([1.0, 0.0]), np.array([1.0, 1.0]), beta=1.0)
    (array([[1., 1.],
           [0., 3.]]), array([-1.,  1.]))
    """
    u = beta * (v - ordered_dot(k, S))
    return S + k[:, None] * u[None, :], u


def gated_delta(S: State, k: Key, v: Value, *, gamma: np.ndarray, beta: np.ndarray) -> tuple[State, Value]:
    """D + k uᵀ with D = diag(γ) S and u = β (v − Dᵀk): as `delta`, of what is left after the decay."""
    return delta(gamma[:, None] * S, k, v, beta=beta)


def rwkv7(
    S: State, k: Key, v: Value, *, gamma: np.ndarray, beta: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[State, Value]:
    """(diag(γ) S + b rᵀ) + k vᵀ with r = β Sᵀa: what a reads of the undecayed S goes back in as b.

    >>> key = np.array([1.0, 0.0])
    >>> rwkv7(np.array([[2.0], [3.0]]), key, np.array([1.0]), gamma=np.ones(2), beta=1.0, a=-key, b=key)[0]
    array([[1.],
           [3.]])
    """
    removed = beta * ordered_dot(a, S)
    return (gamma[:, None] * S + b[:, None] * removed[None, :]) + k[:, None] * v[None, :], v


GAMMA = Knob(
    "gamma", 0.0, 1.0, 0.9, "share kept γ", "The share of the old state that is kept when a token is written."
)
BETA = Knob(
    "beta",
    0.0,
    2.0,
    1.0,
    "share corrected β",
    "The share of the old answer that is replaced; past β·‖k‖² = 2 the state grows without bound.",
    ("T", "d_v"),
    free=True,
)
BONUS = Knob(
    "u",
    -10.0,
    10.0,
    0.0,
    "bonus u",
    "The weight of a token in its own query, which reads before the write: 0 leaves it out, 1 is a write.",
    ("d_φ",),
    free=True,
)
unit = feature_map("l2").phi
REMOVAL = (
    ArrayKnob("a", (), "What reads the part to be removed; −k/‖k‖ where none is given.", lambda k: -unit(k)),
    ArrayKnob("b", (), "Where that part goes; k/‖k‖ where none is given.", unit),
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
    UpdateRule(
        "delta",
        "delta: replace the old answer",
        delta,
        False,
        (BETA,),
        r"S_{t+1} = S_t + \beta_t\, k_t (v_t - S_t^\top k_t)^\top",
        "Schlag et al. 2021, Linear Transformers Are Secretly Fast Weight Programmers, §4.2",
        asks="k",
    ),
    UpdateRule(
        "gated_delta",
        "gated delta: decay, then replace",
        gated_delta,
        False,
        (GAMMA, BETA),
        r"D_t = \mathrm{diag}(\gamma_t)\, S_t, \quad S_{t+1} = D_t + \beta_t\, k_t (v_t - D_t^\top k_t)^\top",
        "Yang et al. 2025, Gated Delta Networks; one γ per row: Kimi Team 2025, Kimi Linear",
        asks="k",
    ),
    UpdateRule(
        "rwkv6",
        "RWKV-6: read, then decay and add",
        decay,
        False,
        (GAMMA, BONUS),
        r"y_t = (S_t + \mathrm{diag}(u)\, k_t v_t^\top)^\top q_t, \quad "
        r"S_{t+1} = \mathrm{diag}(\gamma_t)\, S_t + k_t v_t^\top",
        "Peng et al. 2024, Eagle and Finch",
        bonus=BONUS,
    ),
    UpdateRule(
        "rwkv7",
        "RWKV-7: decay, remove, add",
        rwkv7,
        False,
        (GAMMA, BETA),
        r"S_{t+1} = \mathrm{diag}(\gamma_t)\, S_t + \beta_t\, b_t (S_t^\top a_t)^\top + k_t v_t^\top",
        "Peng et al. 2025, RWKV-7 Goose",
        arrays=REMOVAL,
        asks="a",
    ),
)


def update_rule(key: str) -> UpdateRule:
    """The rule called `key`.

    Raises:
        InputError: no rule has that key.
    """
    return find("update rule", UPDATE_RULES, key)
