"""The sidebar's values in a link: a name, how a value is written, how a text is read. Pure."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from linattn_ui import cells
from linattn_ui import settings as choices
from linattn_ui.settings import CHOICES, THREE

NUMERAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
RANDOM = {"random_T": "tokens", "random_d_k": "d_k", "random_d_v": "d_v", "random_seed": "seed"}
NUMBERS = {"softmax_scale": (0.0, 1e6), "eps": (0.0, 1.0)}  # smallest, largest
WHOLE = {"decimals": (1, 12)}
LONGEST_QUOTE = 24


class LinkError(Exception):
    """A text in a link that means nothing; `nearest` is what does, None what the example sets."""

    def __init__(self, message: str = "", nearest: Any = None):
        super().__init__(message)
        self.nearest = nearest


@dataclass(frozen=True)
class Field:
    """One widget's value in a link."""

    key: str  # of the widget
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str


@lru_cache(maxsize=16)
def fields(example: str) -> dict[str, Field]:
    """Name in the link -> field, in the order they are written. Sizes and seed belong to random tokens."""
    known = {name: _choice(name, [r.key for r in CHOICES[name]]) for name in ("phi", "rule")}
    for key, knob in choices.knobs().items():
        kind = _whole if isinstance(knob.default, int) else _number
        name = f"map_{key}" if key in RANDOM.values() else key  # seed is that of random tokens
        known[name] = kind(key, knob.low, knob.high)
    known |= {name: _choice(name, list(THREE)) for name in ("normalize", "read_before_write")}
    known["later"] = Field("later", _yes, lambda on: "yes" if on else "no")
    known |= {name: _number(name, *ends) for name, ends in NUMBERS.items()}
    known |= {name: _whole(name, *ends) for name, ends in WHOLE.items()}
    if example == "random":
        known |= {name: _whole(key, *choices.RANDOM[key][:2]) for key, name in RANDOM.items()}
    return known


def _choice(key: str, known: list[str]) -> Field:
    def read(text: str) -> str:
        if text not in known:
            raise LinkError
        return text

    return Field(key, read)


def _number(key: str, low: float, high: float) -> Field:
    empty = key == "softmax_scale"  # may be left to the number of components

    def read(text: str) -> float | None:
        return None if empty and text == "usual" else number(text, low, high)

    return Field(key, read, lambda x: "usual" if x is None else cells.seed(x))


def _whole(key: str, low: float, high: float) -> Field:
    return Field(key, lambda text: whole(text, int(low), int(high)), lambda x: str(int(x)))


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise LinkError
    return text == "yes"


def number(text: str, low: float, high: float) -> float:
    """The number that a text says.

    Raises:
        LinkError: it says none, or one outside the range; then the nearest end is the nearest.
    """
    if not NUMERAL.fullmatch(text):
        raise LinkError
    x = float(text)
    if not low <= x <= high:
        raise LinkError(nearest=low if x < low else high)
    return x


def whole(text: str, low: int, high: int) -> int:
    """The same for a whole number; 2.5 is no whole number, and 2 is near."""
    try:
        x = number(text, low, high)
    except LinkError as fault:
        raise LinkError(nearest=None if fault.nearest is None else int(fault.nearest)) from None
    if x != math.floor(x):
        raise LinkError(nearest=math.floor(x))
    return int(x)


def quoted(text: str) -> str:
    """A text of somebody else's in quotes, not all of it where it is long."""
    return f'"{text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"}"'
