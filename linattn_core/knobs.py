"""Knobs: the numbers that a rule or a map takes besides q, k and v; and finding a record by its key."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from linattn_core.inputs import InputError, brief, finite, numbers, of_kind, place

# Names that any run accepts: a rule ignores those it does not use, so that rules compare on the same call.
GATES = ("beta", "gamma", "log_decay")


@dataclass(frozen=True)
class Knob:
    """A number with a range; whole where `default` is an int. Menus draw it; `default` stands in for none.

    free: low and high are the ends of a menu alone; `run` takes any finite number.
    axes: what an array of a rule's knob has one number for: each key, T, or what else it says; of two, each
    of the first or of both.
    """

    name: str
    low: float
    high: float
    default: float
    title: str
    help: str
    axes: tuple[str, ...] = ("T",)
    free: bool = False


@dataclass(frozen=True)
class ArrayKnob:
    """A table of numbers with one column per component of q and k, None unless given; no menu draws it.

    instead_of: the knobs that it makes needless.
    default: a rule's table for φ(k), (T, d_φ), where none is given.
    """

    name: str
    instead_of: tuple[str, ...]
    help: str
    default: Callable[[np.ndarray], np.ndarray] | None = None


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


Record = TypeVar("Record", bound=_Keyed)


def find(what: str, records: Sequence[Record], key: Any) -> Record:
    """The record called `key`.

    Raises:
        InputError: no record has that key; the message names those that exist.
    """
    choices = ", ".join(record.key for record in records)
    of_kind(f"The {what}'s key", key, str, "a text", f"Choose one of: {choices}.")
    for record in records:
        if record.key == key:
            return record
    raise InputError(f"There is no {what} {brief(key)}. Choose one of: {choices}.")


def within(knob: Knob, value: Any) -> np.ndarray:
    """The value as a float64 array, every entry inside the knob's range, or finite where it is free.

    Raises:
        InputError: an entry is outside the range, or not a number.
    """
    array = numbers(knob.name, value)
    if knob.free:
        return finite(knob.name, array)
    bad = np.argwhere(~((array >= knob.low) & (array <= knob.high)))
    if len(bad):
        raise InputError(
            f"{knob.name} needs numbers from {knob.low:g} to {knob.high:g}; "
            f"{place(bad[0])} is {array[tuple(bad[0])]}. Move it into that range."
        )
    return array


def known_only(knobs: Mapping[str, Any], taken: Sequence[Knob | ArrayKnob], who: str) -> None:
    """Nothing but gates and the knobs that `who` takes.

    Raises:
        InputError: a name that nobody reads.
    """
    names = sorted({knob.name for knob in taken} | set(GATES))
    for name in knobs:
        if name not in names:
            raise InputError(f"{who} takes no knob {name!r}. Known names: {', '.join(names)}. Remove it.")


def map_knobs(
    taken: Sequence[Knob], arrays: Sequence[ArrayKnob], knobs: Mapping[str, Any], d: int
) -> dict[str, Any]:
    """The knobs of a feature map for vectors of d components: one number each, and the arrays that are given.

    Raises:
        InputError: a number is outside its range, not one number or not whole; an array is not (any, d).
    """
    given = {knob.name: knobs[knob.name] for knob in arrays if knob.name in knobs}
    needless = {name for knob in arrays if knob.name in given for name in knob.instead_of}
    asked = [knob for knob in taken if knob.name not in needless]
    values: dict[str, Any] = {knob.name: _one(knob, knobs.get(knob.name, knob.default)) for knob in asked}
    return values | {name: _rows_of(name, array, d) for name, array in given.items()}


def _one(knob: Knob, value: Any) -> float:
    """The number of one knob, an int where the knob is whole."""
    array = within(knob, value)
    if array.ndim:
        raise InputError(f"{knob.name} needs one number; its shape is {array.shape}. Pass one number.")
    if not isinstance(knob.default, int):
        return float(array)
    if array != np.floor(array):
        raise InputError(f"{knob.name} needs a whole number; it is {array}. Round it.")
    return int(array)


def _rows_of(name: str, x: Any, d: int) -> np.ndarray:
    array = numbers(name, x)
    if array.ndim != 2 or array.shape[1] != d or not len(array):
        raise InputError(
            f"{name} needs a table with one column per component of q and k, which have {d}; "
            f"its shape is {array.shape}. Reshape it."
        )
    return finite(name, array)
