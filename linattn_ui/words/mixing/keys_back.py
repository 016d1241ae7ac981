"""Stored keys read back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linattn_ui.words.mixing.shared import keys, same
from linattn_ui.words.numbers import listed, number, plain, sub, vector


def look(trace: Any, asked: Any, names: Sequence[str], decimals: int = 3) -> str:
    """First line: the key whose own value comes back least, and what else answers."""
    S, away = f"S{sub(len(trace.k))}", np.linalg.norm(asked.y - asked.v, axis=1)
    if not asked.defined.any():
        return f"No key can be read back from {S}: with each of them the scores sum to 0."
    t = int(np.nanargmax(away))
    if same(asked.y[asked.defined], asked.v[asked.defined]):
        return (
            f"Every key that can be read back gives its own value: nothing is mixed in {S}, "
            f"which has {len(trace.S[0])} rows for {len(trace.k)} {keys(len(trace.k))}."
        )
    return (
        f"Look at {plain(names[t])}: read with its own key, {S} answers {vector(asked.y[t], decimals)}, "
        f"not its value {vector(asked.v[t], decimals)}. {_who(asked, t, names, decimals)}."
    )


def _who(asked: Any, t: int, names: Sequence[str], decimals: int) -> str:
    """The neighbour that weighs most; the token itself where there is none."""
    weights = np.where(np.arange(len(names)) == t, 0, asked.weights()[t])
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
    if not asked.defined[t]:
        return f"Read with the key of {name}, the scores sum to 0: there is no answer."
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
    kept = [names[t] for t in range(len(names)) if asked.defined[t] and same(asked.y[t], asked.v[t])]
    count, T = len(kept), len(names)
    if count == T:
        return "The key gives its own value back." if T == 1 else f"All {T} keys give their own values back."
    which = f" ({listed([plain(name) for name in kept])})" if kept else ""
    end = "gives its own value" if count <= 1 else "give their own values"
    lost = int((~asked.defined).sum())
    empty = f" {lost} {'has' if lost == 1 else 'have'} no answer: the scores sum to 0." if lost else ""
    return f"{count or 'None'} of the {T} {keys(T)} {end} back{which}.{empty}"
