"""The run as CSV: one row a number, with all that a snapshot has, or one row a token, for a spreadsheet."""

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from linattn_core.csv_cells import LONG_HEADER, component, number_cell, text_cell
from linattn_core.exports.record import Export
from linattn_core.snapshot import head, one_step, whole_run
from linattn_core.trace import Trace

AXES = len(LONG_HEADER) - 2
UNNAMED = ("tokens",)  # q, not tokens.q


def write(trace: Trace, *, step: int | None = None) -> bytes:
    """The snapshot, one row a number or a text; what does not exist (None) has no row.

    Raises:
        InputError: step is not a whole number from 0 to T.
    """
    results = whole_run(trace) if step is None else one_step(trace, step)
    whole = head(trace) | {"step": step} | results
    return _encoded([LONG_HEADER, *_long(whole)])


def write_wide(trace: Trace, *, step: int | None = None) -> bytes:
    """Label, q, k, v, gates and y of each token, or of the first `step` tokens; no settings.

    Raises:
        InputError: see `write`.
    """
    if step is not None:
        one_step(trace, step)  # for its check
    groups = _groups(trace)
    rows = max(len(trace.q), len(trace.k)) if step is None else int(step)
    header = [name for names, _ in groups for name in names]
    return _encoded([header, *([*_row(groups, t)] for t in range(rows))])


def _long(fields: dict[str, Any], prefix: str = "") -> Iterator[Sequence[str]]:
    """The rows of each field; a field of fields gives its name to them."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _long(value, "" if name in UNNAMED else f"{prefix}{name}.")
        elif isinstance(value, str):
            yield (prefix + name, *[""] * AXES, text_cell(value))
        elif isinstance(value, list) and value and isinstance(value[0], str):
            for i, text in enumerate(value):
                yield (prefix + name, str(i), *[""] * (AXES - 1), text_cell(text))
        elif value is not None:
            yield from _numbers(prefix + name, np.asarray(value))


def _numbers(name: str, array: np.ndarray) -> Iterator[Sequence[str]]:
    empty = [""] * (AXES - array.ndim)
    for index, number in zip(product(*map(range, array.shape)), array.ravel().tolist(), strict=True):
        yield (name, *map(str, index), *empty, number_cell(number))


def _groups(trace: Trace) -> list[tuple[list[str], Sequence[Sequence[str]]]]:
    """Names of columns that belong together, and their cells, one row a token."""
    tokens = trace.tokens
    labels = [] if tokens.labels is None else [(["label"], [[text_cell(text)] for text in tokens.labels])]
    tables = {"q": tokens.q, "k": tokens.k, "v": tokens.v}
    gates = {"beta": tokens.beta, "log_decay": tokens.log_decay}
    columns = [
        _columns(name, table, len(trace.k))
        for name, table in (tables | gates | {"y": trace.y}).items()
        if table is not None
    ]
    return [*labels, *columns]


def _columns(name: str, table: np.ndarray, T: int) -> tuple[list[str], list[list[str]]]:
    if table.ndim < 2:  # a gate: one number for each token, or for all
        names, table = [name], np.broadcast_to(table, T)[:, None]
    else:
        names = [f"{name}_{component(i)}" for i in range(table.shape[1])]
    return names, [[number_cell(x) for x in row] for row in table.tolist()]


def _row(groups: Iterable[tuple[list[str], Sequence[Sequence[str]]]], t: int) -> Iterator[str]:
    """The cells of row t; empty in a group that has fewer rows."""
    for names, rows in groups:
        yield from rows[t] if t < len(rows) else [""] * len(names)


def _encoded(rows: Iterable[Sequence[str]]) -> bytes:
    """UTF-8, with a mark in front where it is not ASCII: without it Excel would guess."""
    import csv  # here, so that the core loads without it

    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    text = buffer.getvalue()
    return text.encode("ascii" if text.isascii() else "utf-8-sig")


CSV = Export("csv", "CSV, one row a number", ".csv", "text/csv", write)
CSV_WIDE = Export("csv_wide", "CSV, one row a token", ".tokens.csv", "text/csv", write_wide)
