"""The texts of the grid: tokens to texts, texts to tokens. Pure.

Every cell is a text, so that 1/3, -2.5e-3 and a half-typed number stay as they were typed.
"""

import re
from typing import Any

import numpy as np
import pandas as pd

from linattn_core import InputError, Tokens, parse_number
from linattn_core.numerals import decimal, quoted
from linattn_ui import words

MAX_TOKENS = 512
MAX_COMPONENTS = 64


def seed(x: float) -> str:
    """The shortest text that parses back to the same float: 1, 0.1, 1e-07."""
    text = repr(float(x))
    return text.removesuffix(".0")


def columns(d_k: int, d_v: int) -> list[str]:
    """Names of the columns: label, q a, q b, …, k a, …, v a, …"""
    sizes = {"q": d_k, "k": d_k, "v": d_v}
    return ["label", *(f"{name} {words.component(i)}" for name, d in sizes.items() for i in range(d))]


def texts(tokens: Any) -> pd.DataFrame:
    """Tokens as the texts of a grid."""
    labels = tokens.labels if tokens.labels is not None else [""] * len(tokens.k)
    rows = [
        [str(label), *(seed(x) for x in (*q, *k, *v))]
        for label, q, k, v in zip(labels, tokens.q, tokens.k, tokens.v, strict=True)
    ]
    return _table(rows, columns(tokens.k.shape[1], tokens.v.shape[1]))


def _table(rows: list[list[str]], names: list[str]) -> pd.DataFrame:
    index = pd.Index([words.token(t) for t in range(len(rows))], name="token")
    return pd.DataFrame(rows, columns=pd.Index(names), index=index, dtype=object)


def sizes(table: pd.DataFrame) -> tuple[int, int, int]:
    """T, d_k and d_v of a grid."""
    return len(table), sum(c.startswith("q ") for c in table), sum(c.startswith("v ") for c in table)


def resize(table: pd.DataFrame, T: int, d_k: int, d_v: int) -> pd.DataFrame:
    """The grid with other sizes: what is new holds 0, new labels are empty."""
    names = columns(d_k, d_v)
    index = pd.Index([words.token(t) for t in range(T)], name="token")
    grown = table.reindex(index=index, columns=pd.Index(names))
    return grown.where(grown.notna(), pd.Series({n: "" if n == "label" else "0" for n in names}), axis=1)


def merged(wide: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Everything typed so far, `table` over `wide`: what is made smaller and larger again loses nothing."""
    (T, d_k, d_v), (T0, d_k0, d_v0) = sizes(table), sizes(wide)
    union = resize(wide, max(T, T0), max(d_k, d_k0), max(d_v, d_v0))
    union.loc[table.index, table.columns] = table
    return union


def tokens_of(table: pd.DataFrame, source: Any) -> Tokens:
    """The tokens that the texts say; β and decay of each token come from `source`.

    Raises:
        InputError: names the token, the column and the text that arrived.
    """
    _, d_k, _ = sizes(table)
    cells = _numbers(table)
    return Tokens(
        cells[:, :d_k],
        cells[:, d_k : 2 * d_k],
        cells[:, 2 * d_k :],
        labels=_labels(table["label"].tolist()),
        beta=gate(source.beta, table, source),
        log_decay=gate(source.log_decay, table, source),
    )


def gate(given: np.ndarray | None, table: pd.DataFrame, source: Any) -> np.ndarray | None:
    """What the example gives each token, while the grid has the example's sizes; one number fits any."""
    return given if given is None or given.ndim == 0 or fits(table, source) else None


def fits(table: pd.DataFrame, source: Any) -> bool:
    """Whether a grid has the sizes of these tokens."""
    return sizes(table) == (len(source.k), source.k.shape[1], source.v.shape[1])


def _labels(labels: list[str]) -> tuple[str, ...] | None:
    """None where nothing is typed; a single gap reads p0, p1, … as it would without labels."""
    return tuple(label or f"p{t}" for t, label in enumerate(labels)) if any(labels) else None


def _numbers(table: pd.DataFrame) -> np.ndarray:
    numbers, faults, columns = [], [], table.columns[1:].tolist()
    for t, (label, *row) in enumerate(table.to_numpy(object).tolist()):
        for name, text in zip(columns, row, strict=True):
            try:
                number = decimal(text)  # nearly all are; it takes a quarter of the time
                numbers.append(_parsed(t, label, name, text) if number is None else number)
            except InputError as fault:
                faults.append(str(fault))
    if faults:
        more = len(faults) - 1
        rest = f" {more} more cell{'s need' if more > 1 else ' needs'} a look." if more else ""
        raise InputError(faults[0] + rest)
    return np.array(numbers, dtype=np.float64).reshape(len(table), -1)


def _parsed(t: int, label: str, column: str, text: str) -> float:
    called = f" {quoted(label)}" if label else ""
    return parse_number(text, f"Token {words.token(t)}{called}, column {column}: the cell")


def same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two grids say the same, whatever pandas calls their texts."""
    return one.shape == other.shape and bool((one.to_numpy(object) == other.to_numpy(object)).all())


def cleaned(table: pd.DataFrame, base: pd.DataFrame) -> pd.DataFrame:
    """What an editor returned, as texts in the shape of `base`; an emptied cell is an empty text."""
    if len(table) != len(base):
        raise ValueError("rows were added or deleted")
    table = table.set_axis(base.index).filter(base.columns)
    if table.shape != base.shape:
        raise ValueError("columns were taken away")
    return table.astype(object).where(table.notna(), "").map(str)


def both_rows(tokens: Any) -> Tokens:
    """The tokens with [2, 2, …] as the last key: its write fills every row."""
    k = tokens.k.copy()
    k[-1] = 2
    return Tokens(tokens.q, k, tokens.v, labels=tokens.labels)


def same_state(tokens: Any) -> Tokens:
    """The article's tokens with the values of p₀ and p₂ moved: their sum, all that S keeps, stays."""
    v = tokens.v.copy()
    v[0], v[2] = (1, 0), (2, 1)
    return Tokens(tokens.q, tokens.k, v, labels=tokens.labels)


def file_name(key: str, trace: Any) -> str:
    """Name of a downloaded file without its suffix: letters, digits and hyphens only."""
    T, d_v = trace.v.shape
    return f"linear-attention-{re.sub('[^a-z0-9]+', '-', key.lower())}-{T}x{trace.k.shape[1]}x{d_v}"
