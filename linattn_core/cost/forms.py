"""Multiply-adds over T tokens, and numbers kept for the next one, of one head.

Counted: each product of two numbers that is added to a sum, in the two products before the division.
Not counted: exponentials, divisions and plain additions (the score sum, z, the pooling of entries).
To add a form: append a Form to FORMS. Charts, tables and the counted runs of the tests read that tuple.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.inputs import InputError, brief, whole
from linattn_core.knobs import find

Count = Any  # an int, exact at any size; an array of int64 where T is one


@dataclass(frozen=True)
class Sizes:
    """T tokens, d_k and d_v components, d_phi of a key after φ (0: as many as before it).

    causal: a query sees the keys up to its own, else all T.   r: positions to a pooled entry.
    T may be an array of lengths; a count then is one too, of int64.

    Raises:
        InputError: a size that is no whole number ≥ 1, or an array of lengths whose counts pass int64.
    """

    T: Count
    d_k: int
    d_v: int
    d_phi: int = 0
    causal: bool = True
    r: int = 1

    def __post_init__(self) -> None:
        """Fill in d_phi, and hold the sizes as Python ints, which never overflow."""
        held: dict[str, Count] = {name: whole(name, getattr(self, name), 1) for name in ("d_k", "d_v", "r")}
        held["d_phi"] = whole("d_phi", self.d_phi, 0) or held["d_k"]
        held["T"] = _lengths(**held, T=self.T) if isinstance(self.T, np.ndarray) else whole("T", self.T, 1)
        for name, value in held.items():
            object.__setattr__(self, name, value)

    @property
    def pairs(self) -> Count:
        """Scores of T queries: T², or T (T + 1) / 2 where later tokens are not seen."""
        return self.T * (self.T + 1) // 2 if self.causal else self.T * self.T

    @property
    def entries(self) -> Count:
        """Pooled entries of T positions, the last one perhaps of fewer: ⌈T / r⌉."""
        return -(-self.T // self.r)

    @property
    def pooled_pairs(self) -> Count:
        """Scores of T queries with pooled entries: T ⌈T/r⌉, or Σ ⌈(t + 1) / r⌉ over t < T."""
        whole, rest = self.T // self.r, self.T % self.r
        return (
            self.r * whole * (whole + 1) // 2 + rest * (whole + 1) if self.causal else self.T * self.entries
        )


def _lengths(T: np.ndarray, d_k: int, d_v: int, d_phi: int, r: int) -> np.ndarray:
    """T as int64, if no count leaves it."""
    if T.dtype.kind not in "iu" or not T.size or T.min() < 1:
        raise InputError(f"T needs whole numbers ≥ 1; it is {brief(T)}. Change it.")
    most = int(T.max())
    largest = max(most * (most + 1) * (max(d_k, d_phi) + d_v), 2 * most * d_phi * (d_v + 1), r)
    if largest >= 2**63:
        raise InputError(
            f"An array of lengths needs counts below 2⁶³; with T = {most:,} one may reach {largest:,}. "
            f"Pass that length as an int, which is exact at any size."
        )
    return T.astype(np.int64)


@dataclass(frozen=True)
class Form:
    """A way to compute attention, and what it costs one head.

    write, read: multiply-adds for T tokens; written once per key, read once per query, which differ in number
    where query heads share keys.   kept: numbers that the next token needs of the T before it.
    between: numbers in the matrix between the two products, where all of it stands at once, masked ones too.
    """

    key: str
    title: str
    write: Callable[[Sizes], Count]
    read: Callable[[Sizes], Count]
    kept: Callable[[Sizes], Count]
    between: Callable[[Sizes], Count]

    def multiply_adds(self, sizes: Sizes) -> Count:
        """All of them: write + read."""
        return self.write(sizes) + self.read(sizes)


def nothing(sizes: Sizes) -> Count:
    """0: keys and values are kept as they come."""
    return 0 * sizes.T


def kv_cache(sizes: Sizes) -> Count:
    """T (d_k + d_v): a key and a value for each token."""
    return sizes.T * (sizes.d_k + sizes.d_v)


def one_product(sizes: Sizes) -> Count:
    """T d_φ d_v: what writing T tokens takes, and what reading with T queries takes."""
    return sizes.T * sizes.d_phi * sizes.d_v


FORMS = (
    Form(
        "softmax",
        "softmax attention, KV cache",
        nothing,
        lambda n: n.pairs * (n.d_k + n.d_v),
        kv_cache,
        lambda n: n.T * n.T,
    ),
    Form(
        "pooled",
        "softmax attention, pooled KV cache",
        nothing,
        lambda n: n.pooled_pairs * (n.d_k + n.d_v),
        lambda n: n.entries * (n.d_k + n.d_v),
        lambda n: n.T * n.entries,
    ),
    Form(
        "scores_first",
        "(QKᵀ)V, KV cache",
        nothing,
        lambda n: n.pairs * (n.d_phi + n.d_v),
        kv_cache,
        lambda n: n.T * n.T,
    ),
    Form(
        "state_first",
        "Q(KᵀV), state",
        one_product,
        one_product,
        lambda n: 0 * n.T + n.d_phi * (n.d_v + 1),  # S and z
        lambda n: 0 * n.T + n.d_phi * n.d_v,
    ),
)


def form(key: str) -> Form:
    """The form called `key`.

    Raises:
        InputError: no form has that key.
    """
    return find("form", FORMS, key)


def growth(form: Form, sizes: Sizes) -> float:
    """Multiply-adds of 2T tokens over those of T: 4, 2 (2T + 1) / (T + 1) where causal, or 2."""
    twice = Sizes(2 * sizes.T, sizes.d_k, sizes.d_v, sizes.d_phi, sizes.causal, sizes.r)
    return form.multiply_adds(twice) / form.multiply_adds(sizes)


def break_even_time(sizes: Sizes) -> float:
    """T* at which both orders take equally many multiply-adds: 2 d_φ d_v / (d_φ + d_v); causal 2 T* − 1.

    >>> break_even_time(Sizes(1, 64, 64, causal=False)), break_even_time(Sizes(1, 64, 64))
    (64.0, 127.0)
    """
    full = 2 * sizes.d_phi * sizes.d_v / (sizes.d_phi + sizes.d_v)
    return 2 * full - 1 if sizes.causal else full


def break_even_kept(sizes: Sizes) -> float:
    """T* at which a KV cache holds as many numbers as S and z: d_φ (d_v + 1) / (d_k + d_v).

    >>> break_even_kept(Sizes(1, 64, 64))
    32.5
    """
    return sizes.d_phi * (sizes.d_v + 1) / (sizes.d_k + sizes.d_v)
