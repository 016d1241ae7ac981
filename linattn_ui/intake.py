"""Pasted text and uploaded files as the texts of a grid, or one sentence why not. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from linattn_core import (
    IMPORTERS,
    InputError,
    Tokens,
    importer,
    importer_for,
    parse_rows,
    restore,
    run,
    tokens_from,
)
from linattn_core.csv_cells import column
from linattn_core.numerals import called
from linattn_core.tokens import finite, numbers
from linattn_ui import cells
from linattn_ui.changes import many

INTO = {"all": "q, k and v side by side", "q": "q", "k": "k", "v": "v"}
TABLES = ("q", "k", "v")
SUFFIXES = [suffix for record in IMPORTERS for suffix in record.suffixes]


@dataclass(frozen=True, eq=False)
class Arrival:
    """What came in, as the grid will show it.

    said: what it is and what else it changes, in one line.
    tokens: of a file with q, k and v: they keep what no cell shows, such as log_decay.
    settings, step: of a snapshot: the keywords of `run`, and the tokens written (None: all).
    """

    table: pd.DataFrame
    said: str
    tokens: Tokens | None = None
    settings: Mapping[str, Any] | None = None
    step: int | None = None


def pasted(text: str, into: str, table: pd.DataFrame) -> Arrival:
    """Pasted rows over a grid: as one of its tables, or as all three ("all").

    Raises:
        InputError: no table of numbers, or one that does not fit; the message says what to change.
    """
    if text.lstrip().startswith("{"):
        return _named(importer("json").read(_bytes(text)), into, table)
    rows = parse_rows(text)
    if into == "all" and any((column(name) or ("",))[0] in TABLES for name in rows.header or ()):
        return _named(importer("csv").read(_bytes(text)), into, table)
    return _rows(rows.texts, rows.labels, into, table)


def opened(name: str, data: bytes, into: str, table: pd.DataFrame) -> Arrival:
    """A file over a grid: a snapshot, arrays q, k and v, or one array that becomes what `into` says.

    Raises:
        InputError: no file that can be read, or one that does not fit; the message says what to change.
    """
    return _named(importer_for(name).read(data), into, table)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _named(named: Mapping[str, Any], into: str, table: pd.DataFrame) -> Arrival:
    """What an importer read."""
    if "settings" in named:
        return _snapshot(named)
    if any(name in named for name in (*TABLES, "Q", "K", "V")):
        tokens = _fitting(tokens_from(named))
        return Arrival(cells.texts(tokens), _of(tokens) + _ignored(named.get("ignored")), tokens)
    arrays = [name for name in named if name not in ("labels", "ignored")]
    if len(arrays) != 1:
        tokens_from(named)  # says which names it looks for
    array = _two_axes(called(arrays[0]), named[arrays[0]])
    _few_enough(called(arrays[0]), array.shape, 3 * cells.MAX_COMPONENTS)
    return _rows([[cells.seed(x) for x in row] for row in array], named.get("labels"), into, table)


def _snapshot(named: Mapping[str, Any]) -> Arrival:
    again = restore(named)
    tokens = _fitting(again.tokens)
    run(tokens, **again.settings)  # or the sentence why these do not go together
    at = "all steps" if again.step is None else f"step {again.step} of {len(tokens.k)}"
    said = f"a snapshot with its settings, {at}; {_of(tokens)}{_ignored(again.ignored)}"
    return Arrival(cells.texts(tokens), said, tokens, again.settings, again.step)


def _of(tokens: Tokens) -> str:
    (T, d_k), d_v = tokens.k.shape, tokens.v.shape[1]
    return f"{many(T, 'token')}, {many(d_k, 'component')} of q and k, {d_v} of v."


def _ignored(names: Any) -> str:
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f" Not read: {', '.join(names[:3])}{more}."


def _two_axes(name: str, array: Any) -> np.ndarray:
    if np.ndim(array) != 2 or not np.size(array):
        raise InputError(
            f"{name} needs 2 axes here, one row per token; its shape is {np.shape(array)}. "
            f"Keep one batch and one head, such as x[0, :, 0, :] of (batch, token, head, component)."
        )
    return finite(name, numbers(name, array))


def _few_enough(name: str, shape: tuple[int, ...], limit: int = cells.MAX_COMPONENTS) -> None:
    """Raise InputError for more than the grid can show."""
    T, width = shape
    if T > cells.MAX_TOKENS:
        raise InputError(
            f"The grid takes at most {cells.MAX_TOKENS} tokens; {name} has {T:,} rows. "
            f"Keep fewer, or run them all in Python with linattn_core.run."
        )
    if width > limit:
        raise InputError(
            f"The grid takes at most {cells.MAX_COMPONENTS} components each of q, k and v; {name} has "
            f"{width:,} columns. Keep fewer, or run them all in Python with linattn_core.run."
        )


def _fitting(tokens: Tokens) -> Tokens:
    """Tokens that the grid can show."""
    for name in TABLES:
        _few_enough(name, getattr(tokens, name).shape)
    if len(tokens.q) != len(tokens.k):
        raise InputError(
            f"The grid needs one query per key; q has {len(tokens.q)} rows and k has {len(tokens.k)}. "
            f"Repeat or cut queries, or run them in Python with linattn_core.run(read='full')."
        )
    return tokens


def _rows(texts: list[list[str]], labels: tuple[str, ...] | None, into: str, table: pd.DataFrame) -> Arrival:
    """Rows of texts as one table of the grid, or as all three."""
    T, width = len(texts), len(texts[0])
    _few_enough("this table", (T, width), 3 * cells.MAX_COMPONENTS)
    _, d_k, d_v = cells.sizes(table)
    widths = _split(width, d_k, d_v) if into == "all" else {into: width}
    for name, d in widths.items():
        _few_enough(f"{name} in this table", (T, d))
    d_k = widths.get("q", widths.get("k", d_k))
    new = cells.resize(table, T, d_k, widths.get("v", d_v))
    names = [
        column
        for name in widths
        for column in cells.columns(d_k, widths.get("v", d_v))
        if column.startswith(f"{name} ")
    ]
    new[names] = np.array(texts, dtype=object)
    if labels is not None or into == "all":
        new["label"] = [*(labels or [""] * T)]
    return Arrival(new, _becomes(T, width, widths, labels is not None) + _elsewhere(table, new, widths))


def _split(width: int, d_k: int, d_v: int) -> dict[str, int]:
    """How many columns q, k and v get: as in the grid, or a third each, or v what q and k leave."""
    if width != 2 * d_k + d_v and width % 3 == 0:
        d_k = d_v = width // 3
    if width <= 2 * d_k:
        raise InputError(
            f"q, k and v side by side need {2 * d_k + d_v} columns, as in the grid, or three times as many "
            f"as each has; {width} arrived. Add columns, or paste q, k and v one by one."
        )
    return {"q": d_k, "k": d_k, "v": width - 2 * d_k}


def _becomes(T: int, width: int, widths: Mapping[str, int], labelled: bool) -> str:
    """12 rows × 8 columns become k."""
    extra = " The first column holds the labels." if labelled else ""
    what = next(iter(widths))
    if len(widths) > 1:
        what = f"q ({many(widths['q'], 'column')}), k ({widths['k']}) and v ({widths['v']})"
    return f"{many(T, 'row')} × {many(width, 'column')} become {what}.{extra}"


def _elsewhere(old: pd.DataFrame, new: pd.DataFrame, widths: Mapping[str, int]) -> str:
    """What happens to the tables that did not arrive: they follow in rows, and q and k in columns."""
    (T, d_k, _), (T1, d_k1, _) = cells.sizes(old), cells.sizes(new)
    others = [name for name in TABLES if name not in widths]
    told = [_followed(others, T1 - T, "row")]
    told += (
        [_followed([name for name in others if name != "v"], d_k1 - d_k, "column")]
        if "v" not in widths
        else []
    )
    return "".join(told)


def _followed(names: list[str], more: int, what: str) -> str:
    """q and v get 9 more rows of zeros."""
    if not names or not more:
        return ""
    who, one = " and ".join(names), len(names) == 1
    if more > 0:
        return f" {who} get{'s' if one else ''} {more} more {what}{'s' if more > 1 else ''} of zeros."
    return f" {who} lose{'s' if one else ''} the last {many(-more, what) if more < -1 else what}."
