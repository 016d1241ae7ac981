"""A snapshot, as `snapshot` makes it, back as named arrays and the keyword arguments of `run`.

docs/snapshot.md says what each field means.
"""

import re
from collections.abc import Mapping
from typing import Any

from linattn_core.checks import DTYPES, READS
from linattn_core.feature_maps import FEATURE_MAPS
from linattn_core.importers.arrays import SPECIAL, array_of, texts
from linattn_core.importers.record import Named
from linattn_core.numerals import called, quoted, shown
from linattn_core.snapshot import FORMAT, VERSION
from linattn_core.tokens import InputError
from linattn_core.update_rules import UPDATE_RULES

FIELDS = ("format", "version", "conventions", "settings", "tokens", "initial", "step", "results")
TABLES, GATES = ("q", "k", "v"), ("beta", "log_decay")
SETTINGS = {
    "phi": str,
    "rule": str,
    "read": str,
    "normalize": bool,
    "scale": float,
    "eps": float,
    "read_before_write": bool,
    "dtype": str,
    "knobs": dict,
}
OWN_NAMES = (*TABLES, "labels", *GATES, "settings", "step", "ignored")
CHOICES = {
    "phi": [record.key for record in FEATURE_MAPS],
    "rule": [record.key for record in UPDATE_RULES],
    "read": READS,
    "dtype": DTYPES,
}
WORDS = {str: "a text", bool: "true or false", float: "a number", dict: "an object with names"}


def is_snapshot(document: Any) -> bool:
    """Whether this is meant as a snapshot, readable or not."""
    return isinstance(document, Mapping) and (
        document.get("format") == FORMAT or isinstance(document.get("tokens"), Mapping)
    )


def named(document: Mapping[str, Any]) -> Named:
    """Tokens and results by name, `settings` for `run`, `step`, and `ignored`: fields that nobody reads.

    Raises:
        InputError: not a snapshot, a later version, a missing field, or a value of another kind.
    """
    _readable(document)
    unread = [name for name in document if name not in FIELDS]
    found = _results(document.get("results"), unread) | _tokens(_field(document, "tokens", dict), unread)
    settings = _settings(_field(document, "settings", dict), unread) | _initial(
        document.get("initial"), unread
    )
    step = _step(document.get("step"), found["k"].shape)
    return found | {"settings": settings, "step": step, "ignored": tuple(map(called, unread))}


def _readable(document: Mapping[str, Any]) -> None:
    """A snapshot of a version that is known here."""
    if document.get("format") != FORMAT:
        raise InputError(
            f'A snapshot needs the format "{FORMAT}"; this one has {shown(document.get("format"))}. '
            f"Choose a file that was exported here."
        )
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(
            f"A snapshot needs a version from 1 to {VERSION}; this one has {shown(version)}. Export it again."
        )
    if version > VERSION:
        raise InputError(
            f"This snapshot has version {shown(version)}; versions up to {VERSION} are known here. "
            f"Update this program, or export the run with an older one."
        )


def _field(parent: Mapping[str, Any], name: str, kind: type, path: str = "") -> Any:
    """A field that must be there, of that kind; float takes whole numbers, too."""
    if name not in parent:
        raise InputError(
            f"A snapshot needs the field {path}{name}; it is missing. Export the run again, or add the field."
        )
    value = parent[name]
    kinds = {float: int | float, dict: Mapping}.get(kind, kind)
    if not isinstance(value, kinds) or (kind is float and isinstance(value, bool)):
        raise InputError(f"{path}{name} needs {WORDS[kind]}; it is {shown(value)}. Change it.")
    return value


def _tokens(tokens: Mapping[str, Any], unread: list[str]) -> Named:
    found: Named = {name: array_of(name, _field(tokens, name, object, "tokens.")) for name in TABLES}
    found |= {name: array_of(name, tokens[name]) for name in GATES if tokens.get(name) is not None}
    if tokens.get("labels") is not None:
        found["labels"] = texts("labels", tokens["labels"])
    unread += [f"tokens.{name}" for name in tokens if name not in (*TABLES, *GATES, "labels")]
    return found


def _settings(settings: Mapping[str, Any], unread: list[str]) -> dict[str, Any]:
    """The keyword arguments of `run`; whether knobs exist and fit is for `run` to say."""
    taken = {name: _field(settings, name, kind, "settings.") for name, kind in SETTINGS.items()}
    knobs = taken.pop("knobs")
    for name, choices in CHOICES.items():
        if taken[name] not in choices:
            raise InputError(
                f"settings.{name} needs to be one of: {', '.join(choices)}; it is {quoted(taken[name])}. "
                f"Change it."
            )
    for name, value in knobs.items():
        if name in (*SETTINGS, "tokens", "initial") or not re.fullmatch(r"\w{1,40}", str(name)):
            raise InputError(f"settings.knobs needs names of knobs; {called(name)} is none. Remove it.")
        taken[str(name)] = _knob(f"settings.knobs.{name}", value)
    unread += [f"settings.{name}" for name in settings if name not in SETTINGS]
    return taken


def _knob(name: str, value: Any) -> Any:
    """One number stays what it is, whole or not; lists become an array."""
    array = array_of(name, value)
    if array.ndim or isinstance(value, bool):
        return array
    return SPECIAL[value] if isinstance(value, str) else value


def _initial(initial: Any, unread: list[str]) -> dict[str, Any]:
    """The state carried in, as `run` takes it; nothing where none was."""
    if initial is None:
        return {}
    initial = _field({"initial": initial}, "initial", dict)
    S, z = _field(initial, "S", object, "initial."), initial.get("z")
    unread += [f"initial.{name}" for name in initial if name not in ("S", "z")]
    return {"initial": (array_of("initial.S", S), None if z is None else array_of("initial.z", z))}


def _step(step: Any, shape: tuple[int, ...]) -> int | None:
    T = shape[0] if shape else 0
    if step is not None and (isinstance(step, bool) or not isinstance(step, int) or not 0 <= step <= T):
        raise InputError(
            f"step needs a whole number of tokens from 0 to {T}, or null; it is {shown(step)}. Change it."
        )
    return step


def _results(results: Any, unread: list[str]) -> Named:
    """What of the results can be read as arrays; `run` makes all of them again."""
    found: Named = {}
    for name, value in _field({"results": results or {}}, "results", dict).items():
        try:
            found[name] = array_of(called(name), value)
        except InputError:
            unread.append(f"results.{name}")
    unread += [f"results.{name}" for name in OWN_NAMES if name in found]
    return {name: array for name, array in found.items() if name not in OWN_NAMES}
