"""The last state of a run asked again: with other queries, and after another list of the same tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linattn_core.checks import RunSettings
from linattn_core.examples import random_tokens
from linattn_core.ordered import frozen, ordered_dot
from linattn_core.recurrence import run
from linattn_core.tokens import Tokens
from linattn_core.trace import Trace

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class Reading:
    """One query and the state it reads: S (d_φ, d_v), z (d_φ,), read (d_v,), norm, y (d_v,), defined."""

    S: np.ndarray
    z: np.ndarray
    read: np.ndarray
    norm: float
    y: np.ndarray
    defined: bool


def ask(trace: Trace, q: ArrayLike) -> Trace:
    """The same run with every query of q (n, d_k), as typed, reading the last state.

    Where φ depends on the position, every query stands at that of the last token.
    """
    phi = trace.settings.phi
    if phi.positional:  # a log of φ would count the queries on, as if they were tokens
        trace = replace(trace, settings=replace(trace.settings, phi=replace(phi, log_phi=None)))
    tokens = changed_list(trace.tokens, range(len(trace.k)), q=q)
    return ask_mapped(trace, tokens, _mapped(trace, tokens.q))


def _mapped(trace: Trace, q: np.ndarray) -> np.ndarray:
    """φ(q), (n, d_φ), in the dtype of the run."""
    phi, taken = trace.settings.phi, trace.settings.phi.taken(trace.settings.knobs)
    typed = q.astype(trace.settings.dtype)
    with np.errstate(all="ignore"):
        if not phi.positional:
            return phi.phi(typed, **taken)
        place = int(taken["first_position"]) + len(trace.k) - 1
        return np.concatenate([phi.phi(row[None], **taken | {"first_position": place}) for row in typed])


def ask_mapped(trace: Trace, tokens: Tokens, q: np.ndarray) -> Trace:
    """The same run with the queries q (n, d_φ), after φ, reading the last state; `tokens` has them typed."""
    settings = replace(trace.settings, read="full", read_before_write=False)
    S, z = (states[len(trace.k)] for states in (trace.S, trace.z))
    with np.errstate(all="ignore"):
        reads = q.dtype.type(settings.scale) * ordered_dot(q, np.column_stack([S, z]))
    read, norm = frozen(reads)[:, :-1], reads[:, -1]
    return replace(trace, tokens=tokens, settings=settings, q=frozen(q), read=read, norm=norm)


def reading(trace: Trace, q: ArrayLike, order: Sequence[int]) -> Reading:
    """What the query q (d_k,), as typed, reads once the tokens of `order` are written, one after another.

    Each entry is a token, which may be left out, come twice or earlier; without any, q reads what was
    carried in.

    Raises:
        InputError: the map takes only a certain number of tokens.
    """
    rows, queries = list(order), np.asarray(q, float)[None]
    if not rows:
        first = changed_list(trace.tokens, [0], q=queries)
        asked = _run_again(trace, first, [0], read="causal", read_before_write=True)
    else:
        asked = ask(
            _run_again(trace, changed_list(trace.tokens, rows, q=queries), rows, read="full"), queries
        )
    t = len(rows)
    return Reading(
        asked.S[t], asked.z[t], asked.read[0], float(asked.norm[0]), asked.y[0], bool(asked.defined[0])
    )


def changed_list(
    tokens: Tokens, rows: Sequence[int], *, q: ArrayLike | None = None, v: ArrayLike | None = None
) -> Tokens:
    """The keys and values of these rows, each with its β, decay and label; q and v replace the tokens'."""
    rows = list(rows)
    return Tokens(
        tokens.q if q is None else q,
        tokens.k[rows],
        (tokens.v if v is None else np.asarray(v))[rows],
        labels=None if tokens.labels is None else [tokens.labels[t] for t in rows],
        beta=_of_rows(tokens.beta, rows),
        log_decay=_of_rows(tokens.log_decay, rows),
    )


def _of_rows(gate: Any, rows: Sequence[int]) -> Any:
    """A gate that is given per token, for these tokens; one number serves all."""
    return gate if gate is None or np.ndim(gate) == 0 else np.asarray(gate)[list(rows)]


def _run_again(trace: Trace, tokens: Tokens, rows: Sequence[int], **mode: Any) -> Trace:
    settings = trace.settings
    of_map = settings.phi.taken(settings.knobs)
    gates = {name: _of_rows(x, rows) for name, x in settings.knobs.items() if name not in of_map}
    return run(
        tokens,
        settings.phi,
        settings.rule,
        **_plain_options(settings),
        initial=trace.initial,
        **mode,
        **of_map,
        **gates,
    )


def _plain_options(settings: RunSettings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in ("normalize", "scale", "eps", "dtype")}


def reordered(T: int, seed: int) -> list[int]:
    """The tokens 0 … T−1 in another order: the last one first for seed 0, else drawn by the seed.

    >>> reordered(4, 0), sorted(reordered(4, 1))
    ([3, 2, 1, 0], [0, 1, 2, 3])
    """
    backwards = list(range(T))[::-1]
    if seed == 0:
        return backwards
    drawn = np.argsort(random_tokens(T, 1, 1, seed).v[:, 0], kind="stable").tolist()
    return backwards if drawn == list(range(T)) else drawn
