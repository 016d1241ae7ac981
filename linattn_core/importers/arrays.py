"""What a file holds as float64 arrays: exactly, or not at all."""

import math
from itertools import chain
from typing import Any

import numpy as np

from linattn_core.inputs import InputError, place, whole_characters
from linattn_core.limits import fits
from linattn_core.numerals import shown

SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}  # JSON has no numbers for them
LARGEST_WHOLE = 2**53  # up to here float64 holds every whole number
KINDS = {
    "O": "Python objects, which are never unpacked",
    "c": "complex numbers",
    "U": "texts",
    "S": "bytes",
    "V": "raw bytes or records",
    "M": "dates",
    "m": "durations",
    "f": "floats of more than 64 bits",
}


def array_of(name: str, value: Any) -> np.ndarray:
    """Numbers, in an array or in lists, as float64; bool where all are true or false.

    Raises:
        InputError: rows of different lengths, something that is no number, or too many numbers.

    >>> array_of("q", [[1, 0.5], ["NaN", "-Infinity"]])
    array([[ 1. ,  0.5],
           [ nan, -inf]])
    """
    if isinstance(value, np.ndarray):
        fits(name, value.shape)
        return exact(name, value)
    leaves: list[Any] = [value]
    shape: tuple[int, ...] = ()
    while leaves and isinstance(leaves[0], list | tuple):
        shape = (*shape, _common_length(name, leaves, shape))
        fits(name, shape)
        leaves = list(chain.from_iterable(leaves))
    return _flat(name, leaves, shape).reshape(shape)


def exact(name: str, array: np.ndarray) -> np.ndarray:
    """Whole numbers and floats of up to 64 bits as float64; bool stays bool.

    Raises:
        InputError: another type, or a whole number beyond ±2⁵³, where float64 has gaps.
    """
    real(name, array.dtype)
    if array.dtype.kind in "iu" and array.size:
        largest = max(int(array.max()), -int(array.min()))
        if largest > LARGEST_WHOLE:
            raise InputError(
                f"{name} needs whole numbers up to 2⁵³, which float64 holds exactly; it has {largest} "
                f"(or its negative). Save it as float64."
            )
    return array if array.dtype.kind == "b" else array.astype(np.float64)


def real(name: str, dtype: np.dtype) -> None:
    """A type whose numbers float64 holds.

    Raises:
        InputError: another one.
    """
    if dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize <= 8):
        return
    what = "2-byte raw values, as NumPy saves bfloat16" if dtype.str[1:] == "V2" else KINDS[dtype.kind]
    raise InputError(
        f"{name} needs real numbers; it arrived as {what} ({dtype}). Save it as float32 or float64."
    )


def texts(name: str, value: Any) -> tuple[str, ...]:
    """A list of texts, each of which can be written as UTF-8.

    Raises:
        InputError: it is not.
    """
    if not isinstance(value, list | tuple):
        raise InputError(
            f"{name} needs a list of texts; it is a {type(value).__name__}. Put brackets around them."
        )
    for i, text in enumerate(value):
        if not isinstance(text, str):
            raise InputError(
                f"{name} needs texts; entry {i} (counted from 0) is {shown(text)}. Put it in quotes."
            )
    whole_characters(name, value)
    return tuple(value)


def where(i: int, shape: tuple[int, ...]) -> str:
    """The place of entry i of an array's flat list, in words."""
    return place(np.array(np.unravel_index(i, shape) if shape else ()))


def _common_length(name: str, lists: list[Any], outer: tuple[int, ...]) -> int:
    """How long each of the lists is; `outer` is the shape of what holds them."""
    length = len(lists[0])
    for i, item in enumerate(lists):
        found = len(item) if isinstance(item, list | tuple) else "no"
        if found != length:
            raise InputError(
                f"{name} needs rows of equal length; {where(i, outer)} has {found} entries, the first has "
                f"{length}. Fill or cut one."
            )
    return length


def _flat(name: str, leaves: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    kinds = set(map(type, leaves))
    if kinds == {bool}:
        return np.array(leaves)
    if not kinds <= {int, float}:
        leaves = [_number(name, leaf, i, shape) for i, leaf in enumerate(leaves)]
    try:
        return np.array(leaves, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{name} needs numbers up to 1.8e308; one is larger. Make it smaller.") from None


def _number(name: str, leaf: Any, i: int, shape: tuple[int, ...]) -> Any:
    if isinstance(leaf, int | float) and not isinstance(leaf, bool):
        return leaf
    if isinstance(leaf, str) and leaf in SPECIAL:
        return SPECIAL[leaf]
    what = "empty" if leaf is None else "true or false" if isinstance(leaf, bool) else shown(leaf)
    raise InputError(f"{name} needs numbers; {where(i, shape)} is {what}. Put a number there.")
