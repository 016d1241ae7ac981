"""The input of every run, checked once, here.

T, Tq  tokens, and queries (the same number unless every query reads the final state)
d_k    components of a key, and of a query
d_v    components of a value
d_φ    components of a key after the feature map φ

One token is one ROW of q, k or v. The state S is (d_φ, d_v): rows are key components,
columns are value components, and no axis of S is time. S[t] is the state BEFORE token t,
so T tokens give T + 1 states and S[0] is what the run started with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linattn_core.inputs import InputError, brief, finite, numbers, place, whole_characters

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class Tokens:
    """What a run reads: q (Tq, d_k), k (T, d_k), v (T, d_v), kept as read-only float64 copies.

    labels: T strings of whole characters, otherwise any text; never interpreted.
    beta: share of the error corrected, of shape (), (T,) or (T, d_v), for rules that correct.
    log_decay: natural log of the share kept, ≤ 0, of shape (), (T,) or (T, d_φ); −inf forgets everything.

    Raises:
        InputError: a table is not a table of finite numbers, or the tables do not fit together.

    >>> Tokens([[1, 0]], [[1, 0]], [[2, 3, 5]]).v
    array([[2., 3., 5.]])
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    labels: tuple[str, ...] | None
    beta: np.ndarray | None
    log_decay: np.ndarray | None

    def __init__(
        self,
        q: ArrayLike,
        k: ArrayLike,
        v: ArrayLike,
        *,
        labels: Sequence[str] | None = None,
        beta: ArrayLike | None = None,
        log_decay: ArrayLike | None = None,
    ) -> None:
        """Check the tables and what fits them; whether a gate fits φ(k) waits for the map, in a run."""
        tables = {name: _table(name, x) for name, x in (("q", q), ("k", k), ("v", v))}
        _fit_together(**tables)
        T, d_v = tables["v"].shape
        gates = {
            "labels": _labels(labels, T),
            "beta": None if beta is None else _beta(beta, T, d_v),
            "log_decay": None if log_decay is None else log_decay_array("log_decay", log_decay, T),
        }
        for name, value in (tables | gates).items():
            object.__setattr__(self, name, value)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels; without labels p0, p1, …, one for each key."""
        return self.labels if self.labels is not None else tuple(f"p{t}" for t in range(len(self.k)))


def _table(name: str, x: ArrayLike) -> np.ndarray:
    array = numbers(name, x)
    if array.ndim != 2 or array.size == 0:
        raise InputError(
            f"{name} needs a table with one row per token and at least one column; "
            f"its shape is {array.shape}. Pass a list of rows."
        )
    return finite(name, array)


def _fit_together(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> None:
    if len(k) != len(v):
        raise InputError(
            f"Every key needs one value, so k and v need equally many rows; "
            f"k has {len(k)} and v has {len(v)}. Add or remove rows."
        )
    if q.shape[1] != k.shape[1]:
        raise InputError(
            f"A query is compared with keys, so q and k need equally many columns; "
            f"q has {q.shape[1]} and k has {k.shape[1]}. Add or remove columns."
        )


def _labels(labels: Sequence[str] | None, T: int) -> tuple[str, ...] | None:
    if labels is None:
        return None
    need = f"labels needs {T} strings, one per key; it"
    labels = labels.tolist() if isinstance(labels, np.ndarray) else labels
    if isinstance(labels, str):
        raise InputError(f"{need} is one string, {brief(labels)}. Pass a list.")
    if not isinstance(labels, Sequence):
        raise InputError(f"{need} is {brief(labels)}. Pass a list.")
    for t, label in enumerate(labels):
        if not isinstance(label, str):
            raise InputError(
                f"labels needs strings; entry {t} (counted from 0) is {brief(label)}. Put it in quotes."
            )
    if len(labels) != T:
        raise InputError(f"{need} has {len(labels)}. Add or remove labels.")
    whole_characters("labels", labels)
    return tuple(map(str, labels))


def _beta(beta: ArrayLike, T: int, d_v: int) -> np.ndarray:
    array = numbers("beta", beta)
    if array.shape not in ((), (T,), (T, d_v)):
        raise InputError(
            f"beta needs one number, {T} (one per key), or a ({T}, {d_v}) table; "
            f"its shape is {array.shape}. Reshape it."
        )
    return finite("beta", array)


def log_decay_array(name: str, log_decay: ArrayLike, T: int) -> np.ndarray:
    """log_decay as a read-only float64 array of shape (), (T,) or (T, any), every entry ≤ 0.

    Raises:
        InputError: another shape, a positive entry or a NaN.
    """
    array = numbers(name, log_decay)
    if array.shape not in ((), (T,)) and (array.ndim != 2 or len(array) != T):
        raise InputError(
            f"{name} needs one number, {T} (one per key), or a table of {T} rows with one column per "
            f"component of φ(k); its shape is {array.shape}. Reshape it."
        )
    bad = np.argwhere(~(array <= 0))  # catches NaN, which no comparison does
    if len(bad):
        raise InputError(
            f"{name} is a natural log of the share kept, so it needs numbers ≤ 0 (−inf forgets everything); "
            f"{place(bad[0])} is {array[tuple(bad[0])]}. If this is the share itself, pass it as gamma."
        )
    return array
