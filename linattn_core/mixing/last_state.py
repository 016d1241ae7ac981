"""The last state of a run asked again: with other queries, and after another list of the same tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

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
    if trace.settings.phi.positional:  # a log of φ would count the queries on, as if they were tokens
        trace = _without_logs(trace)
    tokens = changed_list(trace.tokens, range(len(trace.tokens.k)), q=q)
    return ask_mapped(trace, tokens, _mapped(trace, tokens.q))


def _without_logs(trace: Trace) -> Trace:
    """The same run as if φ had no log: sums that leave the range of floats are then not told otherwise."""
    settings = trace.settings
    return replace(trace, settings=replace(settings, phi=replace(settings.phi, log_phi=None)))


def _mapped(trace: Trace, q: np.ndarray) -> np.ndarray:
    """φ(q), (n, d_φ), in the dtype of the run."""
    phi, taken = trace.settings.phi, trace.settings.phi.taken(trace.settings.knobs)
    typed = q.astype(trace.settings.dtype)
    with np.errstate(all="ignore"):
        if not phi.positional:
            return phi.phi(typed, **taken)
        place = int(taken["first_position"]) + max(len(trace.k), 1) - 1
        return np.concatenate([phi.phi(row[None], **taken | {"first_position": place}) for row in typed])


def ask_mapped(trace: Trace, tokens: Tokens, q: np.ndarray) -> Trace:
    """The same run with the queries q (n, d_φ), after φ, reading the last state; `tokens` has them typed."""
    settings = replace(trace.settings, read="full", read_before_write=False)
    with np.errstate(all="ignore"):
        reads = q.dtype.type(settings.scale) * ordered_dot(q, trace.states[-1])
    return replace(trace, tokens=tokens, settings=settings, q=frozen(q), reads=frozen(reads), bonus=None)


def reading(trace: Trace, q: ArrayLike, order: Sequence[int]) -> Reading:
    """What the query q (d_k,), as typed, reads once the tokens of `order` are written, one after another.

    Each entry is a token, which may be left out, come twice or earlier; without any, q reads what was
    carried in.

    Raises:
        InputError: the map takes only a certain number of tokens.
    """
    rows, queries = list(order), np.asarray(q, float)[None]
    if rows:
        written = run_again(trace, changed_list(trace.tokens, rows, q=queries), rows)
    else:
        written = _before_any(trace)
    one = ask(written, queries)
    return Reading(one.S[-1], one.z[-1], one.read[0], float(one.norm[0]), one.y[0], bool(one.defined[0]))


def _before_any(trace: Trace) -> Trace:
    """The run before its first token."""
    gates = {name: rows[:0] for name, rows in trace.gates.items()}
    tables = {"k": trace.k[:0], "v": trace.v[:0], "written": trace.written[:0]}
    return replace(_without_logs(trace), states=trace.states[:1], gates=gates, **tables)


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


def run_again(trace: Trace, tokens: Tokens, rows: Sequence[int]) -> Trace:
    """The same settings on other tokens, all queries reading the last state; gates come from `rows`."""
    settings = trace.settings
    whole = settings.phi.taken(settings.knobs)
    if settings.rule.bonus is not None:
        whole[settings.rule.bonus.name] = settings.knobs[settings.rule.bonus.name]
    gates = {name: _of_rows(x, rows) for name, x in settings.knobs.items() if name not in whole}
    options = {name: getattr(settings, name) for name in ("normalize", "scale", "eps", "dtype")}
    knobs = whole | gates
    return run(tokens, settings.phi, settings.rule, read="full", initial=trace.initial, **options, **knobs)


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
