"""Knobs: the numbers that a rule or a map takes besides q, k and v; and finding a record by its key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from linattn_core.tokens import InputError, Tokens, finite, log_decay_array, numbers, place

# Names that any run accepts: a rule ignores those it does not use, so that rules compare on the same call.
GATES = ("beta", "gamma", "log_decay")


@dataclass(frozen=True)
class Knob:
    """A number with a range; whole where `default` is an int. Menus draw it; `default` stands in for none."""

    name: str
    low: float
    high: float
    default: float
    title: str
    help: str


@dataclass(frozen=True)
class ArrayKnob:
    """A table of numbers with one column per component of q and k, None unless given; no menu draws it.

    instead_of: the knobs that it makes needless.
    """

    name: str
    instead_of: tuple[str, ...]
    help: str


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


Record = TypeVar("Record", bound=_Keyed)


def find(what: str, records: Sequence[Record], key: Any) -> Record:
    """The record called `key`.

    Raises:
        InputError: no record has that key; the message names those that exist.
    """
    for record in records:
        if record.key == key:
            return record
    choices = ", ".join(record.key for record in records)
    raise InputError(f"There is no {what} {key!r}. Choose one of: {choices}.")


def within(knob: Knob, value: Any) -> np.ndarray:
    """The value as a float64 array, every entry inside the knob's range.

    Raises:
        InputError: an entry is outside the range, or not a number.
    """
    array = numbers(knob.name, value)
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
    given = {knob.name: knobs[knob.name] for knob in arrays if knobs.get(knob.name) is not None}
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


def rule_knobs(taken: Sequence[Knob], tokens: Tokens, knobs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The numbers of a rule as `run` would take them again: its knobs, and log_decay where that came as knob.

    Raises:
        InputError: the decay comes twice, or a shape or range is wrong.
    """
    T = len(tokens.k)
    resolved = {}
    for knob in taken:
        if knob.name == "gamma" and _decay_comes_as_log(tokens, knobs):
            if "log_decay" in knobs:
                resolved["log_decay"] = log_decay_array("log_decay", knobs["log_decay"], T)
            continue
        value = within(knob, knobs.get(knob.name, knob.default))
        if value.shape not in ((), (T,)):
            raise InputError(
                f"{knob.name} needs one number, or {T} (one per key); its shape is {value.shape}. Reshape it."
            )
        resolved[knob.name] = value
    return resolved


def _decay_comes_as_log(tokens: Tokens, knobs: Mapping[str, Any]) -> bool:
    given = [f"{name}=" for name in ("gamma", "log_decay") if name in knobs]
    if tokens.log_decay is not None:
        given.append("the tokens' log_decay")
    if len(given) > 1:
        raise InputError(f"The decay needs one source; it came as {' and as '.join(given)}. Keep one.")
    return given not in ([], ["gamma="])


def gates(
    taken: Sequence[Knob], tokens: Tokens, resolved: Mapping[str, Any], d_phi: int, dtype: np.dtype
) -> dict[str, np.ndarray]:
    """What a step takes, one row per token: gamma (T, d_φ), any other knob (T,).

    Raises:
        InputError: log_decay has another number of columns than φ(k).
    """
    T = len(tokens.k)
    rows = {}
    for name in (knob.name for knob in taken):
        if name in resolved:
            rows[name] = columns(resolved[name]).astype(dtype)
        else:  # gamma, as its log
            log_decay = tokens.log_decay if tokens.log_decay is not None else resolved["log_decay"]
            if log_decay.ndim == 2 and log_decay.shape[1] != d_phi:
                raise InputError(
                    f"log_decay needs one column per component of φ(k), which has {d_phi}; "
                    f"it has {log_decay.shape[1]} columns. Add or remove columns."
                )
            rows[name] = np.exp(columns(log_decay).astype(dtype))
    wide = {name: np.broadcast_to(row, (T, d_phi if name == "gamma" else 1)) for name, row in rows.items()}
    return {name: row.copy() if name == "gamma" else row[:, 0].copy() for name, row in wide.items()}


def at(rows: Mapping[str, np.ndarray], t: int) -> dict[str, np.ndarray]:
    """The gates of token t, as a step takes them."""
    return {name: row[t] for name, row in rows.items()}


def columns(x: np.ndarray) -> np.ndarray:
    """(T,) as (T, 1), so that one number per token serves every component."""
    return x[:, None] if x.ndim == 1 else x
