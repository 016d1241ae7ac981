"""Other values that end in the same S and z: keys that depend on each other let values trade places.

S = Σ κ_t v_tᵀ, and what is left of a state carried in; κ_t is what the last state holds of key t. Where
Σ n_t κ_t = 0, adding n_t w to every value v_t adds (Σ n_t κ_t) wᵀ = 0 to S, and z has no values in it. So no
query can tell the two lists apart.
"""

from collections import deque

import numpy as np

from linattn_core.mixing.last_state import changed_list
from linattn_core.ordered import frozen
from linattn_core.tokens import InputError, Tokens
from linattn_core.trace import Trace
from linattn_core.unit_values import states_for_unit_values

NOTHING = 1e-10  # of the largest entry: what rounding leaves of a difference that is 0
LARGEST_FACTOR = 12  # tried to make all entries of n whole


def kept_keys(trace: Trace) -> np.ndarray:
    """κ (T, d_φ): what the last state holds of each φ(k_t), after all that was written later.

    Raises:
        InputError: beta differs between value components, or κ is not finite.
    """
    if not trace.one_map:
        raise InputError(
            "What is left of a key needs to be one vector, but beta differs between value components. Pass "
            "one beta per key."
        )
    with np.errstate(all="ignore"):
        last = deque(states_for_unit_values(trace), maxlen=1).pop()
    if not np.isfinite(last).all():
        raise InputError(
            "What the last state holds of the keys needs to be finite; some of it is inf or nan. Use smaller "
            "vectors or another feature map."
        )
    return frozen(last.T.astype(float))


def ways(trace: Trace) -> np.ndarray:
    """Every n (T,) of a basis with Σ n_t κ_t = 0, (T − rank, T): those that touch few tokens first.

    Whole numbers where a small factor makes them so, else at most 1 in size. No row: the keys are
    linearly independent, and no other values give this state.

    Raises:
        InputError: where `kept_keys` does.
    """
    rows = _null_space(kept_keys(trace).T)
    return frozen(np.array(sorted(map(_plain, rows), key=np.count_nonzero)).reshape(len(rows), len(trace.k)))


def _null_space(A: np.ndarray) -> np.ndarray:
    """Rows n with A n = 0, (T − rank, T), by elimination with the largest entry left as pivot.

    A row of A is one key component: first each is brought to one size, for a small one counts like any other.
    """
    sizes, pivots = np.abs(A).max(axis=1, keepdims=True), {}  # column -> row
    A = A / np.where(sizes == 0, 1, sizes)
    for _ in range(min(A.shape)):
        left = np.abs(A)
        left[list(pivots.values())] = 0
        r, c = np.unravel_index(left.argmax(), A.shape)
        if left[r, c] <= NOTHING:
            break
        A[r] = A[r] / A[r, c]
        others = np.arange(len(A)) != r
        A[others] = A[others] - A[others, c, None] * A[r]
        pivots[int(c)] = int(r)
    free = [t for t in range(A.shape[1]) if t not in pivots]
    rows = np.eye(A.shape[1])[free]
    for column, row in pivots.items():
        rows[:, column] = -A[row, free]
    return rows


def _plain(n: np.ndarray) -> np.ndarray:
    """A multiple of n that is easy to read."""
    n = np.where(np.abs(n) < NOTHING * np.abs(n).max(), 0, n)
    for factor in range(1, LARGEST_FACTOR + 1):
        whole = np.round(factor * n)
        if np.abs(factor * n - whole).max() < 1e-9 and np.abs(whole).max() <= 2 * LARGEST_FACTOR:
            return whole
    return n / np.abs(n).max()


def usual_amount(v: np.ndarray) -> float:
    """How far to move: 1 for values of everyday size, else the power of two nearest a quarter of the largest.

    >>> usual_amount(np.array([[2.0, 0.0], [0.0, 3.0]])), usual_amount(np.array([[100.0]]))
    (1.0, 32.0)
    """
    largest = float(np.abs(v).max())
    everyday = largest == 0 or 0.25 <= largest <= 16
    return 1.0 if everyday else float(2.0 ** np.round(np.log2(largest) - 2))


def other_values(trace: Trace, way: np.ndarray, component: int = 0, amount: float | None = None) -> Tokens:
    """The tokens with amount · n_t added to one component of every value v_t."""
    v = trace.tokens.v.copy()
    v[:, component] += (usual_amount(v) if amount is None else amount) * way
    return changed_list(trace.tokens, range(len(v)), v=v)


def same_state(trace: Trace) -> Tokens | None:
    """Other values for the same keys that end in the same S and z; None where the keys are independent.

    >>> from linattn_core import Tokens, run
    >>> one_hot = [[1, 0], [0, 1], [1, 0]]
    >>> same_state(run(Tokens(one_hot, one_hot, [[2, 0], [0, 3], [1, 1]]), "identity")).v
    array([[1., 0.],
           [0., 3.],
           [2., 1.]])
    """
    known = ways(trace)
    return other_values(trace, known[0]) if len(known) else None
