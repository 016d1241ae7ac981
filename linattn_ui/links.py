"""Links: what is chosen, typed and shown as the query of an address, and back. Pure.

    ?example=article&t=2            the article's tokens, two of them written
    &phi=elu1&rule=decay&gamma=0.5  what differs from what the example sets
    &v=2_0~0_3~1%2F3_1              own values: "_" between components, "~" between tokens
    &own=eNqrVi…                    the same compressed, where that is shorter or a text holds other marks
    ?tour=4                         a stop of the tour, counted from 1
    &part=ask                       what a page shows of itself, where that is not its first part

A link that says something else opens the nearest thing that makes sense and names what it ignored.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from linattn_core import EXAMPLES, random_tokens
from linattn_ui import cells
from linattn_ui import link_tokens as own
from linattn_ui import settings as choices
from linattn_ui.link_values import LinkError, fields, quoted, whole
from linattn_ui.stops import STOPS

LONGEST = 2_000  # characters of a query: with the server's address still below what old browsers take
OPERATIONS = ("write", "add", "read", "divide")
PARTS = ("lists", "back", "fit", "other", "ask", "step", "answers", "kept", "beta", "named", "trained")
SAID = 4  # more faults than these are counted

Query = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Place:
    """Everything that a link carries."""

    values: Mapping[str, Any]  # widget key -> value, with every key that a link may hold
    table: pd.DataFrame  # the texts of the grid
    step: int | None = None  # tokens written; None: all
    operation: str | None = None  # None: step by token
    tour: int | None = None  # a stop, counted from 0
    part: str | None = None  # None: the page's first
    unseen: str = ""  # names what came with the tokens and no link can say: gates, a state carried in


@dataclass(frozen=True)
class Link:
    """A query, and why it does not carry the tokens, where it does not."""

    query: dict[str, str]
    left_out: str = ""

    @property
    def text(self) -> str:
        """What stands after the question mark."""
        return urlencode(self.query)


@dataclass(frozen=True)
class Opened:
    """Where a link leads, what it said that was ignored, and the mark of tokens that it could not carry."""

    place: Place
    ignored: tuple[str, ...] = ()
    left_out: str | None = None
    found: str | None = None  # the mark, where the tokens were still at hand


def encode(place: Place) -> Link:
    """The shortest link that leads there."""
    usual, query = _usual(place.values["example"]), {"example": place.values["example"]}
    for name, field in fields(query["example"]).items():
        value = place.values[field.key]
        if value != usual[field.key]:
            query[name] = field.write(value)
    rest = _step(place)
    texts = own.write(place.table, base(place.values))
    full = Link(query | texts | rest)
    if len(full.text) <= LONGEST and not place.unseen:
        return full
    why = FROM_FILE if place.unseen else about_length(len(full.text))
    return Link(query | {"left_out": mark(place.table, place.unseen)} | rest, why)


def _step(place: Place) -> dict[str, str]:
    last, step = len(place.table), place.step
    at = {} if step is None or step >= last else {"t": str(max(step, 0))}
    at |= {"op": place.operation} if place.operation in OPERATIONS else {}
    at |= {} if place.part is None else {"part": place.part}
    return at | ({} if place.tour is None else {"tour": str(place.tour + 1)})


def decode(query: Query, kept: Mapping[str, pd.DataFrame] = MappingProxyType({})) -> Opened:
    """Where a link leads, whatever it says. Never raises.

    kept: mark -> tokens that an earlier link could not carry, where they are still at hand.
    """
    faults = [f"{quoted(key)} given {len(given)} times" for key, given in query.items() if len(given) > 1]
    texts = {key: given[-1] for key, given in query.items() if given}
    tour = _tour(texts, faults)
    if tour is not None and "example" not in texts:
        texts = {**STOPS[tour].at, **texts}
    values = _values(texts, faults)
    left_out = texts.get("left_out")
    found = left_out if left_out in kept else None
    table = _table(texts, base(values), faults) if found is None else kept[found]
    step, operation = _where(texts, len(table), faults)
    part = _part(texts, faults)
    known = {"example", "left_out", "t", "op", "tour", "part", *own.KEYS, *fields(values["example"])}
    faults += [f"{quoted(key)} (unknown)" for key in texts if key not in known]
    return Opened(
        Place(values, table, step, operation, tour, part), tuple(faults), None if found else left_out, found
    )


def _values(texts: Mapping[str, str], faults: list[str]) -> dict[str, Any]:
    example = texts.get("example", EXAMPLES[0].key)
    if example not in {record.key for record in EXAMPLES}:
        faults.append(f"example {quoted(example)} ({EXAMPLES[0].key} is shown)")
        example = EXAMPLES[0].key
    values = _usual(example)
    for name, field in fields(example).items():
        if name in texts:
            values[field.key] = _read(name, texts[name], field, values[field.key], faults)
    return values


def _read(name: str, text: str, field: Any, usual: Any, faults: list[str]) -> Any:
    """The value that a text says, or the one to use instead."""
    try:
        return field.read(text)
    except LinkError as fault:
        nearest = usual if fault.nearest is None else fault.nearest
        faults.append(f"{name} {quoted(text)} ({field.write(nearest)} is used)")
        return nearest


def _table(texts: Mapping[str, str], usual: pd.DataFrame, faults: list[str]) -> pd.DataFrame:
    try:
        return own.read(texts, usual)
    except LinkError as fault:
        faults.append(str(fault))
        return usual


def _where(texts: Mapping[str, str], last: int, faults: list[str]) -> tuple[int | None, str | None]:
    step, operation = None, texts.get("op")
    if "t" in texts:
        try:
            step = whole(texts["t"], 0, last)
        except LinkError as fault:
            step = fault.nearest
            faults.append(f"t {quoted(texts['t'])} ({last if step is None else step} is used)")
    if operation is not None and operation not in OPERATIONS:
        faults.append(f"op {quoted(operation)} (none is used)")
        operation = None
    return None if step == last else step, operation


def _tour(texts: Mapping[str, str], faults: list[str]) -> int | None:
    """The stop that a link names, counted from 0."""
    if "tour" not in texts:
        return None
    try:
        return whole(texts["tour"], 1, len(STOPS)) - 1
    except LinkError as fault:
        nearest = "no stop" if fault.nearest is None else f"stop {fault.nearest}"
        faults.append(f"tour {quoted(texts['tour'])} ({nearest} is used)")
        return None if fault.nearest is None else fault.nearest - 1


def _part(texts: Mapping[str, str], faults: list[str]) -> str | None:
    part = texts.get("part")
    if part is None or part in PARTS:
        return part
    faults.append(f"part {quoted(part)} (the first is shown)")
    return None


def highlight(place: Place) -> str | None:
    """The number that is lit where a link opens a stop of the tour at its answer."""
    if place.tour is None:
        return None
    stop = STOPS[place.tour]
    return stop.highlight if place.operation == stop.at.get("op") else None


def _usual(example: str) -> dict[str, Any]:
    """Every value that a link may hold, as the example sets it."""
    record = choices.find("example", example)
    random = {key: first for key, (_, _, first) in choices.RANDOM.items()}
    return {"example": record.key} | choices.fallbacks() | choices.set_by(record) | random


def base(values: Mapping[str, Any]) -> pd.DataFrame:
    """The texts of the example; random tokens follow from their sizes and seed."""
    return _base(values["example"], *(int(values[key]) for key in choices.RANDOM)).copy()


@lru_cache(maxsize=16)
def _base(example: str, *asked: int) -> pd.DataFrame:
    record = choices.find("example", example)
    return cells.texts(random_tokens(*asked) if example == "random" else record.tokens)


def mark(table: pd.DataFrame, unseen: str = "") -> str:
    """A few letters that tell tokens which no link carries from others."""
    return hashlib.sha256((own.plain(table) + unseen).encode()).hexdigest()[:8]


def about_ignored(faults: Sequence[str]) -> str:
    """What a reader is told of a link that said too much; "" where there is nothing to say."""
    if not faults:
        return ""
    more = f" and {len(faults) - SAID} more" if len(faults) > SAID else ""
    return f"Ignored in this link: {', '.join(faults[:SAID])}{more}."


def about_length(needed: int) -> str:
    """Why the link does not carry the tokens."""
    return (
        f"These tokens need {needed:,} characters, more than a link can carry ({LONGEST:,}). "
        "Take the .json snapshot instead."
    )


FROM_FILE = (
    "These tokens came with numbers that no cell shows, and a link cannot carry them. "
    "Take the .json snapshot instead."
)
LEFT_OUT = (
    "This link could not carry its own tokens, so the example's are shown. "
    "Open the .json snapshot that was taken with it."
)
