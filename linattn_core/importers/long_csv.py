"""CSV with one row a number: `array,axis0,axis1,axis2,value`. The rows may stand in any order."""

import re
from collections.abc import Iterator
from typing import Any

from linattn_core.importers import document
from linattn_core.importers.arrays import texts
from linattn_core.importers.cells import Cells
from linattn_core.importers.record import Named
from linattn_core.limits import MAX_ARRAYS, SizeError
from linattn_core.numerals import called
from linattn_core.pasted.delimited import split
from linattn_core.tokens import InputError

HEADER = r'"?array"?([,;\t])(?:"?axis[0-9]"?\1){1,4}"?value"?[\r\n]'
TOP = ("format", "version", "conventions", "step")
TEXTS = ("labels", "conventions")
TYPED = (*document.TABLES, "labels", *document.GATES)


def is_long(text: str) -> bool:
    """Whether the first line is the header of this form."""
    return re.match(HEADER, text) is not None


def read(text: str) -> Named:
    """Arrays by name; of a snapshot also `settings`, `step` and `ignored`.

    Raises:
        InputError: a row that is not of this form, or an array with a number missing, twice or too many.
    """
    fields: dict[str, Any] = {}
    gathered = _gathered(text)
    for name, cells in gathered.items():
        try:
            fields[name] = cells.value(called(name))
        except SizeError:
            if "format" not in gathered or name in TYPED or "." in name:
                raise
            fields[name] = None  # a result, which the run makes again
    if "labels" in fields:
        fields["labels"] = texts("labels", fields["labels"])
    return document.named(_document(fields)) if "format" in fields else fields


def _gathered(text: str) -> dict[str, Cells]:
    """The cells of every array by its name."""
    gathered: dict[str, Cells] = {}
    for line, decimal_comma, (name, *index, value) in _rows(text):
        axes = len(index) - index.count("")
        if name not in gathered:
            if len(gathered) == MAX_ARRAYS:
                raise InputError(
                    f"A CSV file needs at most {MAX_ARRAYS} arrays; this one has more. Keep q, k and v."
                )
            gathered[name] = Cells(axes, words=name in TEXTS, decimal_comma=decimal_comma)
        if axes != gathered[name].axes or any(index[axes:]):
            raise InputError(
                f"Line {line} (counted from 1) needs {gathered[name].axes} axes, filled from the left, as in "
                f"the first row of {called(name)}; it fills {axes}. Move or add them."
            )
        gathered[name].add(index[:axes], value, line)
    return gathered


def _rows(text: str) -> Iterator[tuple[int, bool, list[str]]]:
    """Line, whether numbers may be written 0,5, and cells of each row but the header."""
    separator = next(sign for sign in text if sign in ",;\t")
    rows = split(text, separator)
    width = len(next(rows)[1])
    for line, row in rows:
        if len(row) == width:
            yield line, separator != ",", row
        elif any(row):
            raise InputError(
                f"Line {line} (counted from 1) needs {width} cells, like the header; it has {len(row)}. "
                f"Mend it."
            )


def _document(fields: dict[str, Any]) -> dict[str, Any]:
    """The snapshot in the form that `document` reads."""
    settings, initial = _under(fields, "settings."), _under(fields, "initial.")
    settings["knobs"] = _under(settings, "knobs.")
    tokens = {name: fields.pop(name) for name in TYPED if name in fields}
    top = {name: fields.pop(name) for name in TOP if name in fields}
    return top | {"settings": settings, "tokens": tokens, "initial": initial or None, "results": fields}


def _under(fields: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The fields whose names begin so, taken out, without that beginning."""
    names = [name for name in fields if name.startswith(prefix)]
    return {name.removeprefix(prefix): fields.pop(name) for name in names}
