"""Stored keys read back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_ui.changes import many
from linattn_ui.words.answers import no_answer
from linattn_ui.words.mixing.shared import SAME, keys, same
from linattn_ui.words.numbers import listed, number, plain, sub, vector


def look(trace: Any, asked: Any, names: Sequence[str], decimals: int = 3) -> str:
    """First line: the key whose own value comes back least, and what else answers."""
    S, there = f"S{sub(len(trace.k))}", _there(asked)
    if not there.any():
        why = {no_answer(asked, t) for t in range(len(trace.k))}
        which = "each of them" if len(why) == 1 else plain(names[0])
        return f"No key can be read back from {S}: with {which} {no_answer(asked, 0)}."
    if same(asked.y[there], asked.v[there]):
        return _all_back(trace, asked, there, names, decimals)
    away = np.linalg.norm(np.where(there[:, None], asked.y - asked.v, 0), axis=1)
    t = int(away.argmax())
    return (
        f"Look at {plain(names[t])}: read with its own key, {S} answers {vector(asked.y[t], decimals)}, "
        f"not its value {vector(asked.v[t], decimals)}. {_who(asked, t, names, decimals)}."
    )


def _there(asked: Any) -> np.ndarray:
    """True for the keys that get an answer, (T,)."""
    return np.isfinite(asked.y).all(axis=1)


def _all_back(trace: Any, asked: Any, there: np.ndarray, names: Sequence[str], decimals: int) -> str:
    """Nothing is mixed only where every key gets an answer, and each from its own token alone."""
    others = np.where(np.eye(len(trace.k), dtype=bool), 0, asked.weights())
    others[~there] = 0
    if not np.isfinite(others).all():
        return "Every key that can be read back gives its own value, by weights past 1.8e308."
    t = int(np.abs(others).max(axis=1).argmax())
    if np.abs(others[t]).max() > SAME:
        return (
            f"Every key that can be read back gives its own value, though {plain(names[t])} not from itself "
            f"alone: {_who(asked, t, names, decimals)}."
        )
    if not there.all():
        lost = int(there.argmin())
        return (
            "Every key that can be read back gives its own value. With that of "
            f"{plain(names[lost])} {no_answer(asked, lost)}."
        )
    return (
        f"Every key gives its own value back: nothing is mixed in S{sub(len(trace.k))}, which has "
        f"{many(len(trace.S[0]), 'row')} for {many(len(trace.k), 'key')}."
    )


def _who(asked: Any, t: int, names: Sequence[str], decimals: int) -> str:
    """The neighbour that weighs most; the token itself where there is none."""
    weights = np.where(np.arange(len(asked.k)) == t, 0, asked.weights()[t])
    s = int(np.abs(weights).argmax())
    if weights[s] == 0:
        return f"Its own weight is {number(asked.weights()[t, t], decimals)}"
    return (
        f"{plain(names[s])} weighs {number(weights[s], decimals)} in that answer, "
        f"and the token itself {number(asked.weights()[t, t], decimals)}"
    )


def back(asked: Any, t: int, names: Sequence[str], decimals: int = 3) -> str:
    """One key read back: its own share, its neighbours' shares, and how far the answer is from its value."""
    name, weights = plain(names[t]), asked.weights()[t]
    if not _there(asked)[t]:
        return f"There is no answer to the key of {name}: {no_answer(asked, t)}."
    order: list[int] = np.argsort(-np.abs(weights), kind="stable").tolist()
    order = [s for s in order if s != t and weights[s] != 0]
    others = [f"{plain(names[s])} {number(weights[s], decimals)}" for s in order]
    beside = f"beside it {listed(others)}" if others else "and no other token has any weight"
    apart = float(np.linalg.norm(asked.y[t] - asked.v[t]))
    end = "its value" if same(asked.y[t], asked.v[t]) else f"{number(apart, decimals)} away from its value"
    return (
        f"Read with its own key, {name} weighs {number(weights[t], decimals)}, {beside}. "
        f"The answer {vector(asked.y[t], decimals)} is {end}"
        + ("." if end == "its value" else f" {vector(asked.v[t], decimals)}.")
    )


def how_many(asked: Any, names: Sequence[str]) -> str:
    """How many keys give their own value back, and how many give nothing."""
    there, T = _there(asked), len(names)
    kept = [names[t] for t in range(T) if there[t] and same(asked.y[t], asked.v[t])]
    count = len(kept)
    if count == T:
        return "The key gives its own value back." if T == 1 else f"All {T} keys give their own values back."
    which = f" ({listed([plain(name) for name in kept])})" if kept else ""
    end = "gives its own value" if count <= 1 else "give their own values"
    lost: list[int] = np.flatnonzero(~there).tolist()
    empty = ""
    if lost:
        why = " or ".join(dict.fromkeys(no_answer(asked, t) for t in lost))
        empty = f" {len(lost)} {'has' if len(lost) == 1 else 'have'} no answer: {why}."
    if T == 1:
        return f"The key does not give its own value back.{empty}"
    return f"{count or 'None'} of the {T} {keys(T)} {end} back{which}.{empty}"
