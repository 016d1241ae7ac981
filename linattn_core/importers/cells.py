"""The cells of one array that arrive one by one, in any order."""

import math
import re
from array import array as packed
from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_core.csv_cells import text_of_cell
from linattn_core.importers.arrays import SPECIAL, where
from linattn_core.limits import MAX_NUMBERS, fits
from linattn_core.numerals import DECIMAL, decimal, normal, parse_number, quoted
from linattn_core.tokens import InputError

WORDS = {"true": True, "false": False}
LONGEST_WHOLE = 18  # digits, which 64 bits hold


class Cells:
    """`index` has `axes` whole numbers for each cell; a cell is a number, or a text where `words` says so."""

    def __init__(self, axes: int, *, words: bool, decimal_comma: bool) -> None:
        self.axes, self.words, self.decimal_comma = axes, words or not axes, decimal_comma
        self.index, self.numbers = packed("q"), packed("d")
        self.texts: list[str] = []
        self.only_bool = True

    def add(self, index: Sequence[str], value: str, line: int) -> None:
        """One more cell; past the limit they are no longer kept.

        Raises:
            InputError: an index that is no whole number, or a value that is no number.
        """
        if self.count > MAX_NUMBERS:
            return
        digits = "".join(index)
        if digits and not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_WHOLE):
            raise InputError(
                f"Line {line} (counted from 1) needs axes that are whole numbers from 0; they are "
                f"{quoted(', '.join(index))}. Change them."
            )
        self.index.extend(map(int, index))
        if self.words:
            self.texts.append(text_of_cell(value))
        else:
            self.numbers.append(self._number(value, line))

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.texts) + len(self.numbers)

    def value(self, name: str) -> Any:
        """The array, the texts, or the one value.

        Raises:
            SizeError: more numbers than an array may have.
            InputError: a cell is missing or stands twice.
        """
        if not self.axes:
            if self.count > 1:
                raise InputError(f"{name} needs one value; it stands {self.count} times. Keep one row of it.")
            return self._scalar(self.texts[0])
        places, shape = self._places(name)
        if self.words:
            return [self.texts[i] for i in np.argsort(places)]
        array = np.empty(math.prod(shape))
        array[places] = self.numbers
        return (array.astype(bool) if self.only_bool else array).reshape(shape)

    def _places(self, name: str) -> tuple[np.ndarray, tuple[int, ...]]:
        """Where each cell stands in the flat array, and its shape; each place once."""
        index = np.frombuffer(self.index, dtype=np.int64).reshape(-1, self.axes)
        shape = tuple(int(last) + 1 for last in index.max(axis=0))
        fits(name, (self.count,))
        fits(name, shape)
        places = np.ravel_multi_index(tuple(index.T), shape)
        times = np.bincount(places, minlength=math.prod(shape))
        odd = int(np.argmax(times != 1))
        if times[odd] != 1:
            found = "is missing" if times[odd] == 0 else f"stands {times[odd]} times"
            raise InputError(f"{name} needs each cell once; {where(odd, shape)} {found}. Mend its rows.")
        return places, shape

    def _number(self, value: str, line: int) -> float:
        number = decimal(value)
        if number is None and value.lower() in WORDS:
            return WORDS[value.lower()]
        self.only_bool = False
        if number is not None:
            return number
        name = f"Line {line} (counted from 1): the value"
        special = SPECIAL.get(value)
        return parse_number(value, name, decimal_comma=self.decimal_comma) if special is None else special

    def _scalar(self, text: str) -> Any:
        """A whole number, a number, true or false, or else the text."""
        plain = normal(text, self.decimal_comma)
        if re.fullmatch(rf"[+-]?[0-9]{{1,{LONGEST_WHOLE}}}", plain):
            return int(plain)
        if re.fullmatch(DECIMAL, plain):
            return parse_number(plain, "A number")
        return WORDS.get(text.lower(), SPECIAL.get(text, text))
