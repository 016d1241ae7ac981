"""Lines of cells between commas, semicolons, tabs or blanks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from linattn_core.numerals import is_numeric, quoted
from linattn_core.pasted.table import Table, gather, table
from linattn_core.tokens import InputError

SAMPLE = 50  # lines that the separator is told from
THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+"


def delimited(text: str) -> Table:
    """CSV, TSV, semicolons (then with decimal commas, too), or numbers between blanks.

    Raises:
        InputError: rows of different lengths, quotes that do not match, or decimal signs that contradict.
    """
    separator = _separator(text)
    places, cells = gather(_lines(text, separator))
    if len(cells[0]) > 1 and not any(row[-1].strip() for row in cells):  # each line ends in a separator
        cells = [row[:-1] for row in cells]
    decimal_comma = separator in ";\t" and _decimal_comma(cells, separator)
    return table(places, cells, decimal_comma=decimal_comma)


def _lines(text: str, separator: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The place and the cells of each line that holds anything."""
    for line, row in split(text, separator):
        if any(cell.strip() for cell in row):
            yield f"line {line}", row


def split(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Number, counted from 1, and cells of each line; a text in quotes may go on over several.

    Raises:
        InputError: quotes that do not match, or a text of more than 131,072 characters.
    """
    import csv  # here, so that the core loads without it

    lines: Iterable[str] = _with_ends(text)
    if separator == " ":
        lines = (" ".join(line.split()) + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as fault:
        raise InputError(
            f"Line {reader.line_num} (counted from 1) needs quotes that open and close, and a quote inside "
            f"written twice; it cannot be split ({fault}). Mend the quotes, or leave them out."
        ) from None


def _with_ends(text: str) -> Iterator[str]:
    """The lines, each with the line end that it has."""
    import io

    return io.StringIO(text, newline="")


def _separator(text: str) -> str:
    """Tab, semicolon or comma: the first that each line has equally often, else the first in line 1."""
    sample = re.sub(r'"[^"]*"', "", "".join(islice(_with_ends(text), SAMPLE)))
    lines = [line for line in re.split(r"[\r\n]+", sample) if line.strip()] or [""]
    present = [sign for sign in "\t;," if sign in lines[0]]
    steady = [sign for sign in present if len({line.count(sign) for line in lines}) == 1]
    return (*steady, *present, " ")[0]


def _decimal_comma(cells: list[list[str]], separator: str) -> bool:
    """Whether numbers are written 0,5.

    Raises:
        InputError: some are and some are written 0.5, or every comma may as well separate thousands.
    """
    commas = [cell.strip() for row in cells for cell in row if "," in cell and is_numeric(cell, True)]
    if not commas:
        return False
    point = next((cell for row in cells for cell in row if "." in cell and is_numeric(cell)), None)
    if point is not None:
        raise InputError(
            f"Numbers need one decimal sign; {quoted(commas[0])} has a comma and {quoted(point)} a point. "
            f"Use points throughout."
        )
    if separator == "\t" and all(re.fullmatch(THOUSANDS, cell) for cell in commas):
        raise InputError(
            f"Numbers need a decimal point; {quoted(commas[0])} may mean thousands or a decimal comma. "
            f"Write it without the comma, or with a point."
        )
    return True
