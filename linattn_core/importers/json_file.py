"""A snapshot, an object with named lists, or one list."""

import math
from collections.abc import Mapping
from typing import Any

from linattn_core.importers import document
from linattn_core.importers.arrays import array_of, texts
from linattn_core.importers.record import Named
from linattn_core.importers.text import decoded
from linattn_core.limits import MAX_ARRAYS, MAX_TOTAL, small_enough
from linattn_core.numerals import called, quoted, shown
from linattn_core.tokens import InputError

LONGEST_WHOLE = 18  # digits; a longer whole number is read as a float


def read(data: bytes) -> Named:
    """Arrays by name; of a snapshot also `settings`, `step` and `ignored`.

    Raises:
        InputError: no JSON, too much of it, or a list that is no table of numbers.
    """
    small_enough("A file", len(data))
    content = parse(decoded(data))
    if document.is_snapshot(content):
        return document.named(content)
    if isinstance(content, dict):
        return _named_lists(content)
    if isinstance(content, list):
        return {"array": array_of("The list", content)}
    raise InputError(
        f"A JSON file needs an object with lists q, k and v; it is {shown(content)}. Save these three."
    )


def parse(text: str) -> Any:
    """JSON as Python objects; NaN and Infinity are read as Python writes them.

    Raises:
        InputError: no JSON, a name that stands twice, a number above 1.8e308, or too many values.
    """
    import json  # here, so that the core loads without it

    values = text.count(",") + text.count("[") + text.count("{")
    if values > MAX_TOTAL:
        raise InputError(
            f"A JSON file needs at most {MAX_TOTAL:,} values; this one has {values:,}. Save it as .npz."
        )
    try:
        return json.loads(text, object_pairs_hook=_once, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as fault:
        raise InputError(
            f"A JSON file needs to be whole and well formed; line {fault.lineno}, column {fault.colno} "
            f"(counted from 1) stops it: {fault.msg}. Export it again, or mend that place."
        ) from None
    except RecursionError:
        raise InputError(
            "A JSON file needs lists at most 4 deep; this one is nested hundreds deep. Save a plain table."
        ) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no name stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))
        raise InputError(f"A name may stand once in a JSON object; {called(twice)} stands twice. Remove one.")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise InputError(f"A number may be at most about 1.8e308; {quoted(text)} is larger. Make it smaller.")
    return value


def _whole(text: str) -> int | float:
    return int(text) if len(text) <= LONGEST_WHOLE else _finite(text)


def _named_lists(content: Mapping[str, Any]) -> Named:
    """What is a list or a number as an array; any other entry is named in `ignored`."""
    if len(content) > MAX_ARRAYS:
        raise InputError(
            f"A JSON file needs at most {MAX_ARRAYS} lists; it has {len(content):,}. Keep q, k and v."
        )
    given = {name: value for name, value in content.items() if value is not None}
    found: Named = {"labels": texts("labels", given["labels"])} if "labels" in given else {}
    for name, value in given.items():
        if name != "labels" and isinstance(value, list | int | float):
            found[name] = array_of(called(name), value)
    ignored = tuple(called(name) for name in given if name not in found)
    return found | ({"ignored": ignored} if ignored else {})
