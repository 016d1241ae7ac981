"""What may come in: one number, one word of several, an array of numbers. Each refusal is one sentence."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain
from types import UnionType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

LONGEST = 60  # characters of a value in a sentence


class InputError(ValueError):
    """Input that a person can correct. The message says what is needed, what arrived and what to change."""


def brief(value: Any) -> str:
    """A value in a sentence as Python writes it, or its type where that is long or says no more.

    >>> brief("elu"), brief(None), brief([0] * 99), brief(iter([])), brief(2**64)
    ("'elu'", 'None', 'a list', 'a list_iterator', '18446744073709551616')
    """
    huge = isinstance(value, int) and value.bit_length() > 4 * LONGEST  # Python refuses to write 4,300 digits
    text = f"a number of {value.bit_length():,} bits" if huge else repr(value)
    return (
        text
        if len(text) <= LONGEST and "\n" not in text and not text.startswith("<")
        else f"a {type(value).__name__}"
    )


def of_kind(name: str, value: Any, kind: type | UnionType, need: str, change: str) -> None:
    """Nothing where the value is of that kind.

    Raises:
        InputError: it is of another.
    """
    if not isinstance(value, kind):
        raise InputError(f"{name} needs {need}; it is {brief(value)}. {change}")


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """The value, which is one of the choices.

    Raises:
        InputError: it is none of them.
    """
    if not isinstance(value, str) or value not in choices:
        raise InputError(
            f"{name} needs to be one of: {', '.join(choices)}; it is {brief(value)}. Choose one of them."
        )
    return value


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The value as an int from `least` to `most`.

    Raises:
        InputError: it is no whole number, or outside.
    """
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        ends = f"≥ {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} needs a whole number {ends}; it is {brief(value)}. Change it.")
    return int(value)


def whole_characters(name: str, texts: Sequence[str]) -> None:
    """Nothing where every text can be written to a file.

    Raises:
        InputError: one holds half of a surrogate pair, which is no character.
    """
    for i, text in enumerate(texts):
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise InputError(
                f"{name} needs whole characters; entry {i} (counted from 0) has half of a surrogate pair. "
                f"Type it again."
            )


def numbers(name: str, x: ArrayLike) -> np.ndarray:
    """x as a read-only float64 copy of any shape.

    Floats of up to 64 bits arrive exactly, and integers up to ±2⁵³; beyond, they become the nearest float64.

    Raises:
        InputError: x is ragged or masked, or holds something other than real numbers up to 1.8e308.
    """
    _unmasked(name, x)
    try:
        array = np.asarray(x)
    except ValueError:
        raise InputError(
            f"{name} needs rows of equal length; they have {_lengths(x)} entries. Fill or cut the odd rows."
        ) from None
    if array.dtype.kind not in "iuf":
        raise InputError(
            f"{name} needs real numbers; {_odd(x, array)}. Pass floats, or integers of up to 64 bits."
        )
    with np.errstate(over="ignore"):
        held = array.astype(np.float64)
    lost = np.argwhere(np.isinf(held) & np.isfinite(array)) if array.itemsize > 8 else []
    if len(lost):
        raise InputError(
            f"{name} needs numbers up to 1.8e308; {place(lost[0])} is {array[tuple(lost[0])]!s}. "
            f"Scale it down."
        )
    held.setflags(write=False)
    return held


def _unmasked(name: str, x: Any) -> None:
    ma = sys.modules.get("numpy.ma")  # whoever masked an array has loaded it
    if ma is None:
        return
    parts = {(i,): row for i, row in enumerate(x)} if isinstance(x, list | tuple) else {(): x}
    for start, part in parts.items():
        if ma.is_masked(part):
            where = place((*start, *np.argwhere(ma.getmaskarray(part))[0]))
            raise InputError(
                f"{name} needs a number in each place; {where} is masked. "
                f"Fill it, as with filled(0), or cut it."
            )


def _odd(x: Any, array: np.ndarray) -> str:
    """The first entry that is no real number, in words; where none is, the type of all."""
    entries = np.asarray(x, dtype=object)
    for index in np.ndindex(entries.shape):
        if not _is_real(entries[index]):
            return f"{place(index)} is {brief(entries[index])}"
    return f"it arrived as {array.dtype.name}"


def _is_real(entry: Any) -> bool:
    if isinstance(entry, int):
        return not isinstance(entry, bool) and -(2**63) <= entry < 2**64
    return isinstance(entry, float | np.integer | np.floating)


def _lengths(x: Any) -> str:
    """The lengths of x's rows in words, to show which row is odd; of their rows where x's are as long."""
    rows = [len(row) if isinstance(row, list | tuple | np.ndarray) else "no" for row in x]
    if len(set(rows)) == 1 and "no" not in rows:
        return _lengths(chain.from_iterable(x))
    return ", ".join(map(str, rows[:8])) + (", …" if len(rows) > 8 else "")


def finite(name: str, array: np.ndarray) -> np.ndarray:
    """The same array, every entry finite.

    Raises:
        InputError: an entry is NaN or infinite; the message says which.
    """
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise InputError(
            f"{name} needs finite numbers; {place(bad[0])} is {array[tuple(bad[0])]}. Replace it."
        )
    return array


def place(index: Sequence[int] | np.ndarray) -> str:
    """Where an entry stands, in words, counted from 0.

    >>> place((2, 0)), place((2, 0, 1))
    ('row 2, column 0 (counted from 0)', 'entry [2, 0, 1] (counted from 0)')
    """
    if len(index) > 2:
        return f"entry {[int(i) for i in index]} (counted from 0)"
    words = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), index, strict=False))
    return f"{words} (counted from 0)" if words else "it"
