"""A table of texts, wherever it was pasted from, as rows of numbers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from linattn_core.inputs import whole_characters
from linattn_core.limits import MAX_NUMBERS, MAX_ROWS
from linattn_core.numerals import decimal, is_numeric, normal, parse_number
from linattn_core.pasted.record import Pasted
from linattn_core.tokens import InputError

MEANT_AS_NUMBER = r"\s*[+\-−.,]*\d"
NOTHING = "A table needs at least one row of numbers; nothing arrived. Paste a table or a list."
LABEL_HEADERS = ("", "label", "labels", "token", "tokens", "word", "words")


@dataclass(frozen=True)
class Table:
    """Cells as texts, equally many in each row.

    places: what each row is called in a sentence.   labelled: the first column names the rows.
    """

    cells: list[list[str]]
    places: list[str]
    header: tuple[str, ...] | None
    labelled: bool
    decimal_comma: bool

    def number(self, i: int, j: int) -> float:
        """The cell of row i and column j as a number.

        Raises:
            InputError: it is no finite number; the message says which cell.
        """
        cell = self.cells[i][j]
        number = decimal(normal(cell, self.decimal_comma))
        if number is not None:
            return number
        name = f"{self.places[i].capitalize()}, column {j + 1} (counted from 1)"
        return parse_number(cell, name, decimal_comma=self.decimal_comma)

    def numbers(self) -> Pasted:
        """All cells but the labels as numbers.

        Raises:
            InputError: a cell is no finite number, or a label has half of a surrogate pair.
        """
        first = int(self.labelled)
        rows = [[self.number(i, j) for j in range(first, len(row))] for i, row in enumerate(self.cells)]
        texts = [[normal(cell, self.decimal_comma) for cell in row[first:]] for row in self.cells]
        labels = tuple(row[0] for row in self.cells) if self.labelled else None
        whole_characters("labels", labels or ())
        return Pasted(rows, texts, labels, self.header and self.header[first:])


def gather(rows: Iterable[tuple[str, Sequence[str]]]) -> tuple[list[str], list[list[str]]]:
    """The places and the cells of all rows, each row checked before the next one is made.

    Raises:
        InputError: no row, rows of different lengths, or too many rows or cells.
    """
    places: list[str] = []
    cells: list[list[str]] = []
    for place, row in rows:
        places.append(place)
        cells.append(list(row))
        if len(row) != len(cells[0]):
            raise InputError(
                f"Rows need equally many cells; {places[0]} has {len(cells[0])} and {place} has {len(row)} "
                f"(counted from 1). Fill or cut one, and use one separator throughout."
            )
        _few_enough(len(cells) - 1, len(row))  # the first may be a header
    if not cells:
        raise InputError(NOTHING)
    return places, cells


def _few_enough(rows: int, columns: int) -> None:
    if rows > MAX_ROWS:
        raise InputError(
            f"A table needs at most {MAX_ROWS:,} rows; this one goes on after them. "
            f"Cut it, or load it as an .npz file."
        )
    if rows * columns > MAX_NUMBERS:
        raise InputError(
            f"A table needs at most {MAX_NUMBERS:,} numbers; this one goes on after them. "
            f"Cut it, or keep one head."
        )


def table(
    places: list[str], cells: list[list[str]], *, decimal_comma: bool = False, words: bool = True
) -> Table:
    """Rows of equal length as a table; where it may have words, its header and its labels are found.

    Raises:
        InputError: nothing in a row, or a row too many.
    """
    if not cells[0]:
        raise InputError(f"A row needs at least one number; {places[0]} (counted from 1) is empty. Fill it.")
    header = tuple(cell.strip() for cell in cells[0]) if words and _is_header(cells, decimal_comma) else None
    body = slice(0 if header is None else 1, None)
    _few_enough(len(cells[body]), len(cells[0]))
    labelled = words and _is_labelled(header, cells[body], decimal_comma)
    return Table(cells[body], places[body], header, labelled, decimal_comma)


def _is_header(cells: list[list[str]], decimal_comma: bool) -> bool:
    """Whether the first of several rows holds no number, or an empty cell and 0, 1, 2, … as in pandas."""
    first = [cell.strip() for cell in cells[0]]
    counted = ["", *map(str, range(len(first) - 1))]
    numeric = any(is_numeric(cell, decimal_comma) for cell in first)
    return len(cells) > 1 and (not numeric or (first == counted and len(first) > 1))


def _is_labelled(header: Sequence[str] | None, rows: list[list[str]], decimal_comma: bool) -> bool:
    """Whether the first column names the rows: its header says so, or it holds words and no number."""
    if len(rows[0]) == 1:
        return False
    if header is not None and header[0].lower() in LABEL_HEADERS:
        return True
    first = [row[0] for row in rows]
    numeric = any(is_numeric(cell, decimal_comma) for cell in first)
    return not numeric and any(cell.strip() and not re.match(MEANT_AS_NUMBER, cell) for cell in first)
