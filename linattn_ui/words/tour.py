"""What each stop of the tour asks and says, with the numbers of the run on screen. Pure."""

from typing import Any

import numpy as np

from linattn_core import ordered_dot, softmax
from linattn_ui.words.numbers import component, listed, number, sub, token, vector


def grows(trace: Any) -> str:
    """Figure 1: a list with a row a token, a matrix that keeps its size."""
    T, (d_phi, d_v) = len(trace.k), trace.S[0].shape
    inside = [token(t) for t in range(T) if trace.k[t, 0]]
    return (
        f"{T} tokens are written. The kept list on the right has {T} rows and gets one more with every "
        f"token. The matrix on the left has {d_phi}×{d_v} cells and keeps them. Its rows are components of "
        f"a key, not tokens: row a holds {listed(inside)}."
    )


def raw_ask(trace: Any) -> str:
    """Figure 2: what scores without softmax sum to."""
    t = len(trace.k) - 1
    return f"q{sub(t)} scores {_scores(trace, t)}. Which weights come out when each is divided by their sum?"


def raw(trace: Any) -> str:
    """Figure 2: why softmax cannot simply be left out."""
    t = len(trace.k) - 1
    return (
        f"Without softmax q{sub(t)} scores {_scores(trace, t)}: one value is added, one subtracted. The "
        f"scores sum to {number(trace.norm[t])}, so there is nothing to divide by and y{sub(t)} is "
        f"{number(trace.y[t, 0])}. Softmax never gets there, because every eˣ is above 0."
    )


def mapped(trace: Any) -> str:
    """Figure 2: a map makes every component, and so every score, positive."""
    t = len(trace.k) - 1
    keys = [f"{vector(trace.tokens.k[s])} into {vector(trace.k[s])}" for s in range(t + 1)]
    return (
        f"The same tokens under φ = {trace.settings.phi.title}: it turns the keys {listed(keys)}. Now "
        f"q{sub(t)} scores {_scores(trace, t)}, all above 0. Their sum {number(trace.norm[t])} gives the "
        f"weights {_listed(trace.weights()[t])} and y{sub(t)} = {vector(trace.y[t])}. Each vector is mapped "
        "on its own, so the products can still be reordered."
    )


def orders(trace: Any) -> str:
    """Figure 2: scores first, or k vᵀ first."""
    T, read = len(trace.k), vector(trace.read[-1])
    return (
        f"Right: {T} scores first, then the values; that is (QKᵀ)V. Left: k vᵀ of all {T} tokens summed into "
        f"one matrix, then read once; that is Q(KᵀV). Both give {read}. Here every query reads S{sub(T)}, "
        "later tokens included; from the next stop on a query reads only what is written so far."
    )


def write_ask(trace: Any) -> str:
    """Figure 3, before the write of the last token."""
    t = len(trace.k) - 1
    return (
        f"Next comes p{sub(t)}, with the key {vector(trace.k[t])} and the value {vector(trace.v[t])}. "
        "Which cells will k vᵀ fill?"
    )


def write(trace: Any) -> str:
    """Figure 3: each row of k vᵀ is the whole value, scaled by one component of the key."""
    t = len(trace.k) - 1
    k, v, written = trace.k[t], vector(trace.v[t]), trace.contribution(t)
    rows = [
        f"row {component(i)} gets {number(k[i])} × {v} = {vector(written[i])}" for i in range(min(len(k), 3))
    ]
    return (
        f"{listed(rows)[:1].upper()}{listed(rows)[1:]}. Every row holds the whole value, scaled by one "
        "component of the key."
    )


def add_ask(trace: Any) -> str:
    """Figure 4, before the last write is added."""
    t = len(trace.k) - 1
    return (
        f"Row a of S{sub(t)} is {vector(trace.S[t][0])}, and p{sub(t)} writes "
        f"{vector(trace.contribution(t)[0])} there. What does row a become?"
    )


def add(trace: Any) -> str:
    """Figure 4: contributions are added, and share the cells."""
    t = len(trace.k) - 1
    before, written, after = (vector(x[0]) for x in (trace.S[t], trace.contribution(t), trace.S[t + 1]))
    return (
        f"{before} + {written} = {after}: the write goes on top of what was there. From {after} alone nobody "
        "can tell the two apart again. The sum is all that is kept, and all that the next stop needs."
    )


def read(trace: Any) -> str:
    """Figure 5: the rows weighted by the query, or the values weighted by the scores."""
    t = len(trace.k) - 1
    q, S, scores = trace.q[t], trace.S[t + 1], trace.scores()[t]
    left = " + ".join(f"{number(q[i])} × {vector(S[i])}" for i in range(len(q)))
    right = " + ".join(f"{number(scores[s])} × {vector(trace.v[s])}" for s in range(t + 1))
    from_list = ordered_dot(scores[None, : t + 1], trace.v[: t + 1])[0]
    return (
        f"Left, q{sub(t)} weighs the rows: {left} = {vector(trace.read[t])}. "
        f"Right, its scores weigh the values: {right} = {vector(from_list)}. "
        f"The two differ by {number(float(np.abs(trace.read[t] - from_list).max()))}."
    )


def divide_ask(trace: Any) -> str:
    """Figure 6, before the division."""
    t = len(trace.k) - 1
    return f"{t + 1} tokens are read. Is {vector(trace.read[t])} divided by {t + 1}?"


def divide(trace: Any) -> str:
    """Figure 6: the sum of the scores from z, and softmax's answer beside it."""
    t = len(trace.k) - 1
    scores = " + ".join(number(x) for x in trace.scores()[t, : t + 1])
    count = "which is also" if trace.norm[t] == t + 1 else "not by"
    y, _ = softmax(trace.tokens)
    return (
        f"By {number(trace.norm[t])}, {count} the number of tokens {t + 1}. z{sub(t + 1)} = "
        f"{vector(trace.z[t + 1])} is the sum of the keys, and q{sub(t)}·z{sub(t + 1)} = {scores}, the sum "
        f"of the scores. So y{sub(t)} = {vector(trace.read[t])} ÷ {number(trace.norm[t])} = "
        f"{vector(trace.y[t])}. "
        f"Softmax attention answers {vector(y[t])}: other scores, another answer."
    )


def same(trace: Any) -> str:
    """The limits: other values, the same state."""
    t = len(trace.k) - 1
    values = [f"{token(s)} {vector(trace.v[s])}" for s in range(t + 1)]
    return (
        f"Other values, {listed(values)}, and still S{sub(t + 1)} has the rows "
        f"{listed([vector(row) for row in trace.S[t + 1]])} and y{sub(t)} = {vector(trace.y[t])}. The state "
        "answers every later query as before and cannot tell which list it came from. Step back with ← to "
        "see where the two differ."
    )


def _scores(trace: Any, t: int) -> str:
    return _listed(trace.scores()[t, : t + 1])


def _listed(xs: Any) -> str:
    return listed([number(x) for x in xs])
