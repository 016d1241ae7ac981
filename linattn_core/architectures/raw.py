"""A model's own arrays, checked as they arrive, and cut down to one head.

Axes are written as the model's papers write them: "T H d_k". An array may come without H (one head, or shared
by all), and with fewer heads than others: then several heads share one of its slices, neighbours first.
"H·d_k" is one row with the numbers of all heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.tokens import InputError, numbers

HEADS = "H"
FOLDED = "H·d_k"


def one_head(title: str, axes: Mapping[str, str], raw: Any, head: Any) -> dict[str, np.ndarray]:
    """The arrays of one head by name, float64, without the axis H.

    Raises:
        InputError: an unknown name, a wrong shape, sizes that differ, or no such head.
    """
    if not isinstance(raw, Mapping):
        raise InputError(f"{title} needs named arrays; they arrived as {type(raw).__name__}. Pass a mapping.")
    for name in raw:
        if name not in axes:
            raise InputError(f"{title} takes no array {name!r}. Known names: {', '.join(axes)}. Remove it.")
    arrays = {name: _Axes(title, name, numbers(name, x), axes[name].split()) for name, x in raw.items()}
    heads = max((array.heads for array in arrays.values() if array.heads is not None), default=None)
    _is_a_head(head, heads)
    cut = [array.slice(head, heads) for array in arrays.values()]
    _same_sizes(title, cut)
    return {array.name: array.x for array in cut}


@dataclass(frozen=True)
class _Axes:
    """An array and the names of its axes, without H where it comes without heads.

    Raises:
        InputError: it has more or fewer axes than named.
    """

    title: str
    name: str
    x: np.ndarray
    axes: Sequence[str]

    def __post_init__(self) -> None:
        single = [axis for axis in self.axes if axis != HEADS]
        if self.x.ndim not in (len(self.axes), len(single)):
            shapes = " or ".join(dict.fromkeys(f"({', '.join(each)})" for each in (self.axes, single)))
            raise InputError(
                f"{self.title} needs {self.name} of shape {shapes}; its shape is {self.x.shape}. Reshape it."
            )
        if self.x.ndim < len(self.axes):
            object.__setattr__(self, "axes", single)

    @property
    def heads(self) -> int | None:
        """How many heads it has a slice for; None where it comes without that axis."""
        return self.x.shape[self.axes.index(HEADS)] if HEADS in self.axes else None

    def slice(self, head: int, heads: int | None) -> _Axes:
        """The part of one head of so many."""
        if FOLDED in self.axes:
            return self._unfolded(heads or 1).slice(head if heads else 0, heads or 1)
        n = self.heads
        if n is None or heads is None:
            return self
        if n == 0 or heads % n:
            raise InputError(
                f"{self.title} needs {heads} heads, or a divisor of that, in {self.name}; it has {n}. "
                f"Repeat or cut its heads."
            )
        x = self.x.take(head // (heads // n), axis=self.axes.index(HEADS))
        return _Axes(self.title, self.name, x, [axis for axis in self.axes if axis != HEADS])

    def _unfolded(self, heads: int) -> _Axes:
        """All heads' numbers in one row as a table with one row per head."""
        if len(self.x) % heads:
            raise InputError(
                f"{self.title} needs equally many numbers of {self.name} for each of the {heads} heads; "
                f"it has {len(self.x)}. Add or remove some."
            )
        return _Axes(self.title, self.name, self.x.reshape(heads, -1), [HEADS, "d_k"])


def _is_a_head(head: Any, heads: int | None) -> None:
    whole = isinstance(head, int | np.integer) and not isinstance(head, bool)
    if not whole or head < 0 or (heads is not None and head >= heads):
        upper = "" if heads is None else f" below {heads}, the number of heads"
        raise InputError(f"head needs a whole number ≥ 0{upper}; it is {head!r}. Change it.")


def _same_sizes(title: str, arrays: list[_Axes]) -> None:
    first: dict[str, tuple[int, str]] = {}
    for array in arrays:
        for axis, size in zip(array.axes, array.x.shape, strict=True):
            known, where = first.setdefault(axis, (size, array.name))
            if size != known:
                raise InputError(
                    f"{title} needs one size for {axis}; it is {known} in {where} and {size} in "
                    f"{array.name}. Cut or fill one of them."
                )
