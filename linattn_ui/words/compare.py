"""What the page "Compare with softmax" says of one query, computed from the tokens on screen."""

from collections.abc import Sequence

import numpy as np

from linattn_core import Comparison
from linattn_ui.words.numbers import listed, number, plain, sub, vector

SAME = 1e-9  # a weight that moved less did not move


def look(both: Comparison, t: int, queries: Sequence[str], names: Sequence[str], decimals: int = 3) -> str:
    """First line: the token whose weight differs most for this query, and what that does to y."""
    if not both.trace.defined[t]:
        query = plain(queries[t])
        return f"y{sub(t)} is undefined here, so query {query} has no weights to set against softmax's."
    s = int(np.argmax(np.abs(both.difference[t])))
    here, there = (number(w[t, s], decimals) for w in (both.weights, both.softmax_weights))
    ys = f"y{sub(t)} is {vector(both.y[t], decimals)} here and {vector(both.softmax_y[t], decimals)} there"
    if both.moved[t] < SAME:
        return f"For query {plain(queries[t])} both rules weigh every token alike: {ys}."
    return (
        f"Look at query {plain(queries[t])}: {plain(names[s])} weighs {here} here and {there} in softmax. "
        f"In all {number(both.moved[t], decimals)} of its weight lies elsewhere, so {ys}."
    )


def gains(both: Comparison, t: int, names: Sequence[str], decimals: int = 3) -> str:
    """Which tokens weigh more than in softmax, and which less; "" where none does."""
    row = both.difference[t]
    order = [int(s) for s in np.argsort(-np.abs(row), kind="stable") if abs(row[s]) > SAME]
    sides = {
        "more": [s for s in order if row[s] > 0],
        "less": [s for s in order if row[s] < 0],
    }
    said = []
    for word, tokens in sides.items():
        if tokens:
            each = [
                f"{plain(names[s])} ({'+' if row[s] > 0 else ''}{number(row[s], decimals)})" for s in tokens
            ]
            said.append(f"{listed(each)} {'weighs' if len(tokens) == 1 else 'weigh'} {word} than in softmax")
    return "; ".join(said) + "." if said else ""


def zero(both: Comparison, t: int, names: Sequence[str], decimals: int = 3) -> str:
    """What a score of 0 is worth on both sides; "" where this query has none."""
    typed = both.trace.tokens.k @ both.trace.tokens.q[t]
    seen = both.softmax_weights[t] > 0
    zeros = np.flatnonzero(seen & (typed == 0) & (both.trace.scores()[t] == 0))
    if not len(zeros):
        return ""
    s = int(zeros[0])
    return (
        f"{plain(names[s])} scores 0, so it weighs 0 here. Softmax takes e⁰ = 1 of it and still gives it "
        f"{number(both.softmax_weights[t, s], decimals)}."
    )


def negative(both: Comparison, t: int, names: Sequence[str], decimals: int = 3) -> str:
    """A weight below 0 subtracts its value; "" where there is none."""
    row = both.weights[t]
    s = int(np.argmin(np.nan_to_num(row)))
    if not row[s] < 0:
        return ""
    return (
        f"{plain(names[s])} weighs {number(row[s], decimals)}: its value is subtracted. "
        "Softmax has no weight below 0."
    )


def unequal_sum(both: Comparison, t: int, decimals: int = 3) -> str:
    """What the weights sum to, where that is not 1."""
    total = both.sums[t]
    if not abs(total - 1) > SAME:
        return ""
    why = "" if both.trace.settings.normalize else ", because this run does not divide by the score sum"
    return f"These weights sum to {number(total, decimals)}, not to 1{why}."


def own_left_out(both: Comparison) -> str:
    """That softmax here is not the usual one, where queries read before their own token is written."""
    settings = both.trace.settings
    if settings.read == "full" or not settings.read_before_write or settings.sees_itself:
        return ""
    return "Queries read before their own token is written, so that token is left out of softmax here, too."


def sharper(before: Comparison, after: Comparison, t: int, factor: float, decimals: int = 3) -> str:
    """What a factor on q does to the weights of one query on both sides."""
    if not (before.trace.defined[t] and after.trace.defined[t]):
        return f"With q × {number(factor, 1)} there are no weights to compare: y{sub(t)} is undefined."
    moved = float(np.abs(after.weights[t] - before.weights[t]).sum() / 2)
    tops = [number(c.softmax_weights[t].max(), decimals) for c in (before, after)]
    here = (
        "nothing moves here, because the factor is in the scores and in their sum"
        if moved < SAME
        else f"{number(moved, decimals)} of the weight moves here"
    )
    there = (
        f"softmax's largest weight stays {tops[0]}"
        if tops[0] == tops[1]
        else f"softmax's largest weight goes from {tops[0]} to {tops[1]}"
    )
    return f"q × {number(factor, 1)}: {here}; {there}."


def rows(both: Comparison, decimals: int = 3) -> str:
    """Over all queries: how much weight lies elsewhere, on average and at most."""
    known = np.flatnonzero(np.isfinite(both.moved))
    if not len(known):
        return "No query has weights here: every score sum is 0."
    top = int(known[np.argmax(both.moved[known])])
    mean = float(both.moved[known].mean())
    return (
        f"Over {len(known)} {'query' if len(known) == 1 else 'queries'}, {number(mean, decimals)} of the "
        f"weight lies elsewhere on average, at most {number(both.moved[top], decimals)} (query p{sub(top)})."
    )
