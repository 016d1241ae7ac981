"""CSV: one row a number, one row a token with columns such as q_a, or any table that can be pasted."""

import numpy as np

from linattn_core.csv_cells import column, component, text_of_cell
from linattn_core.importers import long_csv
from linattn_core.importers.arrays import SPECIAL
from linattn_core.importers.record import Named
from linattn_core.importers.text import decoded
from linattn_core.limits import small_enough
from linattn_core.numerals import called
from linattn_core.pasted import parse_table
from linattn_core.pasted.table import Table
from linattn_core.tokens import InputError

TABLES, GATES = ("q", "k", "v"), ("beta", "log_decay")


def read(data: bytes) -> Named:
    """Arrays by name; of a snapshot also `settings`, `step` and `ignored`. A table without names is `array`.

    Raises:
        InputError: no table of numbers, or a long form with a cell missing.
    """
    small_enough("A file", len(data))
    text = decoded(data)
    if long_csv.is_long(text):
        return long_csv.read(text)
    table = parse_table(text)
    columns = _columns(table)
    if any(name in columns for name in TABLES):
        return _wide(table, columns)
    pasted = table.numbers()
    labels = {} if pasted.labels is None else {"labels": pasted.labels}
    return {"array": np.array(pasted.rows)} | labels


Columns = dict[int | None, int]
"""Which column holds which component; None stands for the only one."""


def _columns(table: Table) -> dict[str, Columns]:
    """The columns of each array that the header names."""
    found: dict[str, Columns] = {}
    for j, title in enumerate(table.header or ()):
        name, number = column(title) or (None, None)
        if name is None:
            continue
        if number in found.setdefault(name, {}):
            raise InputError(f"A column needs a name of its own; {called(title)} stands twice. Rename one.")
        found[name][number] = j
    return found


def _wide(table: Table, columns: dict[str, Columns]) -> Named:
    """Each array from its columns, and labels where the first column belongs to none."""
    found: Named = {name: _array(table, name, places) for name, places in columns.items()}
    used = {j for places in columns.values() for j in places.values()}
    if table.labelled and 0 not in used:
        T = len(found.get("k", table.cells))
        found["labels"] = tuple(text_of_cell(row[0]) for row in table.cells[:T])
        used.add(0)
    ignored = tuple(called(title) for j, title in enumerate(table.header or ()) if j not in used)
    return found | ({"ignored": ignored} if ignored else {})


def _array(table: Table, name: str, places: Columns) -> np.ndarray:
    """(rows, components), or (rows,) for a gate in one column, without the rows that are empty at its end."""
    order = _in_order(name, places)
    filled = [i for i, row in enumerate(table.cells) if any(row[j].strip() for j in order)]
    rows = range(filled[-1] + 1 if filled else 0)
    numbers = np.array([[_number(table, name, i, j) for j in order] for i in rows]).reshape(-1, len(order))
    return numbers[:, 0] if name in GATES and None in places else numbers


def _number(table: Table, name: str, i: int, j: int) -> float:
    cell = table.cells[i][j]
    return SPECIAL[cell] if cell in SPECIAL and name not in TABLES else table.number(i, j)


def _in_order(name: str, places: Columns) -> list[int]:
    """The columns by component, which count from a, 0 or 1."""
    if None in places:
        if len(places) > 1:
            raise InputError(
                f"{name} needs one column called {name}, or {name}_a, {name}_b, …; it has both. Rename."
            )
        return [places[None]]
    components = sorted(c for c in places if c is not None)
    first = min(components[0], 1)
    for expected, c in enumerate(components, first):
        if c != expected:
            raise InputError(
                f"{name} needs a column for each component; {name}_{component(expected)} "
                f"(or {name}_{expected}) is missing. Add it."
            )
    return [places[c] for c in components]
