"""A file or a snapshot back as what `run` takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.importers import sniff
from linattn_core.importers.record import Named
from linattn_core.inputs import of_kind
from linattn_core.numerals import called
from linattn_core.tokens import InputError, Tokens

TABLES = ("q", "k", "v")


@dataclass(frozen=True, eq=False)
class Restored:
    """What a snapshot was made from: run(tokens, **settings) gives the same run again, to the last bit.

    step: the tokens written at the step that was saved; None for the whole run.
    ignored: fields of the snapshot that nobody reads here.
    """

    tokens: Tokens
    settings: Mapping[str, Any]
    step: int | None
    ignored: tuple[str, ...]


def restore(source: bytes | Mapping[str, Any]) -> Restored:
    """What a snapshot says: the bytes of a file, what an importer read, or the object that `snapshot` makes.

    Raises:
        InputError: no snapshot, one of a later version, or a field that is missing or of another kind.

    >>> from linattn_core import Tokens, run, snapshot
    >>> again = restore(snapshot(run(Tokens([[1]], [[2]], [[3]]), "identity"), step=1))
    >>> run(again.tokens, **again.settings).y, again.step
    (array([[3.]]), 1)
    """
    named = _named(source)
    if not isinstance(named.get("settings"), Mapping):
        raise InputError(
            "A snapshot needs settings and a step; this file has arrays alone. "
            "Load it as tokens, or choose a file that was exported here."
        )
    return Restored(tokens_from(named), named["settings"], named.get("step"), named.get("ignored", ()))


def _named(source: bytes | Mapping[str, Any]) -> Named:
    if not isinstance(source, Mapping):
        return sniff(source).read(source)
    if isinstance(source.get("q"), np.ndarray):
        return dict(source)
    from linattn_core.importers import document  # here, since a run needs none of it

    return document.named(source)


def tokens_from(named: Mapping[str, Any]) -> Tokens:
    """Tokens from what an importer read: tables called q, k and v (or Q, K and V), and what belongs to them.

    Raises:
        InputError: a table is missing, has more than 2 axes, or does not fit the others.
    """
    of_kind("named", named, Mapping, "arrays by name", "Pass a mapping with q, k and v.")
    tables = {name: _table(named, name) for name in TABLES}
    rest = {name: named[name] for name in ("labels", "beta", "log_decay") if name in named}
    if not isinstance(rest.get("labels", ()), tuple | list):
        raise InputError(
            "labels needs a list of texts; it arrived as numbers. Save the texts, or leave it out."
        )
    return Tokens(**tables, **rest)


def _table(named: Mapping[str, Any], name: str) -> Any:
    if name not in named and name.upper() not in named:
        ignored = [f"{found} (no numbers)" for found in named.get("ignored", ())]
        names = [called(found) for found in named if found != "ignored"] + ignored
        raise InputError(
            f"Tokens need tables called q, k and v; {name} is missing, and there are: "
            f"{', '.join(names[:8]) or 'nothing'}. Rename them."
        )
    table = named[name] if name in named else named[name.upper()]
    if np.ndim(table) > 2:
        raise InputError(
            f"{name} needs 2 axes here, one row per token; its shape is {np.shape(table)}. "
            f"Keep one batch and one head, such as {name}[0, :, 0, :] of (batch, token, head, component)."
        )
    return table
