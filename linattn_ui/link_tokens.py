"""Own vectors and labels in a link: the tables that differ from the example's, exactly as typed. Pure."""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from linattn_ui import cells, words
from linattn_ui.link_values import LinkError

TABLES = ("q", "k", "v")
KEYS = (*TABLES, "labels", "own")
PLAIN = re.compile(r"[0-9A-Za-z./-]*")  # what a readable link may hold in a cell
LONGEST_PACKED = 8_000  # characters; ours are shorter
LONGEST_TEXT = 2**21  # bytes after unpacking: 512 tokens with 64 components in each table take a quarter

Rows = list[list[str]]


def write(table: pd.DataFrame, usual: pd.DataFrame) -> dict[str, str]:
    """The tables that differ from the example's, in the shorter of two forms; {} where none does."""
    now, before = tables(table), tables(usual)
    changed = {name: rows for name, rows in now.items() if rows != before[name]}
    if not changed:
        return {}
    packed = {"own": _packed(_json(changed))}
    if not all(PLAIN.fullmatch(text) for rows in changed.values() for row in rows for text in row):
        return packed
    readable = {name: "~".join("_".join(row) for row in rows) for name, rows in changed.items()}
    return min(readable, packed, key=lambda form: len(urlencode(form)))


def read(texts: Mapping[str, str], usual: pd.DataFrame) -> pd.DataFrame:
    """The grid that a link says.

    Raises:
        LinkError: the tokens are damaged, too many, or do not fit together.
    """
    given: dict[str, Any] = {name: _split(texts[name]) for name in KEYS[:-1] if name in texts}
    if "own" in texts:
        given = _unpack(texts["own"])
    return _joined({**tables(usual), **given}) if given else usual


def tables(table: pd.DataFrame) -> dict[str, Rows]:
    """The texts of a grid by table; the labels are one column."""
    _, d_k, d_v = cells.sizes(table)
    ends = {"q": (1, d_k), "k": (1 + d_k, d_k), "v": (1 + 2 * d_k, d_v), "labels": (0, 1)}
    rows = table.to_numpy(object).tolist()
    return {name: [row[at : at + width] for row in rows] for name, (at, width) in ends.items()}


def plain(table: pd.DataFrame) -> str:
    """All texts of a grid as one."""
    return _json(tables(table))


def _split(text: str) -> Rows:
    if len(text) > LONGEST_PACKED:
        raise LinkError("tokens (too long; the example's are shown)")
    return [row.split("_") for row in text.split("~")]


def _json(texts: Any) -> str:
    return json.dumps(texts, separators=(",", ":"))  # ASCII: any text a browser can send comes back the same


@lru_cache(maxsize=8)
def _packed(text: str) -> str:
    """Compressed, in letters that need no escape; as it is where it could not be read back."""
    if len(text) > LONGEST_TEXT:
        return text
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def _unpack(text: str) -> dict[str, Any]:
    try:
        found = json.loads(_inflated(text))
    except (ValueError, RecursionError, zlib.error, binascii.Error):
        found = None
    if not isinstance(found, dict) or not found or not set(found) <= set(KEYS[:-1]):
        raise LinkError("own (damaged; the example's tokens are shown)")
    return found


def _inflated(text: str) -> bytes:
    """What was packed, never more than the limit: a few bytes can unpack to gigabytes."""
    if len(text) > LONGEST_PACKED or not re.fullmatch(r"[0-9A-Za-z_-]+", text):
        raise ValueError
    engine = zlib.decompressobj()
    data = engine.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), LONGEST_TEXT)
    if not engine.eof or engine.unused_data:
        raise ValueError
    return data


def _joined(parts: Mapping[str, Any]) -> pd.DataFrame:
    """The grid of four tables that came from anywhere."""
    sizes = {name: _size(rows) for name, rows in parts.items()}
    T, d_k = sizes["k"]
    _, d_v = sizes["v"]
    if T > cells.MAX_TOKENS or max(d_k, d_v) > cells.MAX_COMPONENTS:
        raise LinkError(f"{T} tokens of {d_k} and {d_v} components (too many; the example's are shown)")
    if sizes != {"q": (T, d_k), "k": (T, d_k), "v": (T, d_v), "labels": (T, 1)}:
        raise LinkError("tokens (q, k, v and labels do not fit together; the example's are shown)")
    rows = [[text for name in ("labels", *TABLES) for text in parts[name][t]] for t in range(T)]
    index = pd.Index([words.token(t) for t in range(T)], name="token")
    return pd.DataFrame(rows, columns=pd.Index(cells.columns(d_k, d_v)), index=index, dtype=object)


def _size(rows: Any) -> tuple[int, int]:
    """Rows and columns of what should be a table of texts."""
    table = isinstance(rows, list) and all(isinstance(row, list) and row for row in rows) and bool(rows)
    if not table or len({len(row) for row in rows}) > 1:
        raise LinkError("tokens (a table is ragged or empty; the example's are shown)")
    if not all(isinstance(text, str) for row in rows for text in row):
        raise LinkError("tokens (a cell is no text; the example's are shown)")
    return len(rows), len(rows[0])
