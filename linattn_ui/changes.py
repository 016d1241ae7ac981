"""What changed between two grids, applied and said. Pure."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from linattn_core.numerals import is_numeric, quoted
from linattn_ui import cells, words

NAMED = 3  # cells that a sentence names one by one
SIZES = ("tokens", "components of q and k", "components of v")


def settled(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """`after`, made of the texts of `before` wherever they are the same; `before` itself if all are.

    What is kept for undo then takes no memory of its own.
    """
    old, new = before.to_numpy(object), after.to_numpy(object)
    differ = old != new
    if not differ.any():
        return before
    merged = old.copy()
    merged[differ] = new[differ]
    return pd.DataFrame(merged, index=before.index, columns=before.columns, dtype=object)


def applied(base: pd.DataFrame, message: Any) -> pd.DataFrame:
    """The grid after the edits that a browser sent; what fits no cell is left out."""
    rows = message.get("edited_rows") if isinstance(message, Mapping) else None
    table = base.copy()
    for t, edits in rows.items() if isinstance(rows, Mapping) else ():
        if not isinstance(t, int) or not 0 <= t < len(base) or not isinstance(edits, Mapping):
            continue
        for name, text in edits.items():
            if name in table.columns and (text is None or isinstance(text, str | int | float)):
                table.iat[t, table.columns.get_loc(name)] = "" if text is None else str(text)
    return table


def said(before: pd.DataFrame, after: pd.DataFrame) -> str:
    """What is another number, or another size: v a of p₂: 1 → 7. Empty where nothing is."""
    pairs = zip(SIZES, cells.sizes(before), cells.sizes(after), strict=True)
    sizes = [f"{what} {old} → {new}" for what, old, new in pairs if old != new]
    return "; ".join(sizes or _cells(before, after))


def _cells(before: pd.DataFrame, after: pd.DataFrame) -> list[str]:
    """The first cells that differ between two grids of one size, and how many more there are."""
    old, new = before.to_numpy(object), after.to_numpy(object)
    places = [(int(t), int(j)) for t, j in zip(*(old != new).nonzero(), strict=True)]
    shown = len(places) if len(places) == NAMED + 1 else NAMED  # one more takes no more room than its count
    named = [
        f"{before.columns[j]} of {words.token(t)}: {_text(old[t, j])} → {_text(new[t, j])}"
        for t, j in places[:shown]
    ]
    return named if len(places) == len(named) else [*named, f"{len(places) - len(named)} more cells"]


def many(n: int, what: str) -> str:
    """1 row, 12 rows"""
    return f"{n} {what}" if n == 1 else f"{n:,} {what}s"


def _text(text: str) -> str:
    if not text:
        return "empty"
    return text if is_numeric(text) and len(text) <= 24 else quoted(text)
