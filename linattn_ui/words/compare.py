"""What the page "Compare with softmax" says of one query, computed from the tokens on screen."""

from collections.abc import Sequence

import numpy as np

from linattn_core import Comparison
from linattn_ui.words.answers import answer, no_answer
from linattn_ui.words.numbers import listed, number, plain, sub, vector

SAME = 1e-9  # a weight that moved less did not move


def even(both: Comparison) -> bool:
    """Whether all rows of weights are averages as softmax's are: what one token lacks, others have more."""
    known = np.isfinite(both.moved)
    apart = both.weights[known].sum(axis=1) - both.softmax_weights[known].sum(axis=1)
    return bool((np.abs(apart) < SAME).all() and (both.weights[known] >= 0).all())


def look(both: Comparison, t: int, queries: Sequence[str], names: Sequence[str], decimals: int = 3) -> str:
    """First line: the token whose weight differs most for this query, and what that does to y."""
    query = plain(queries[t])
    if not both.seen[t].any():
        return f"Query {query} reads before any token is written: there are no weights to set side by side."
    if not np.isfinite(both.moved[t]):
        why = no_answer(both.trace, t) or "its weights are too large to print"
        return (
            f"y{sub(t)} is undefined here, so query {query} has no weights to set against softmax's: {why}."
        )
    s = int(np.argmax(np.abs(both.difference[t])))
    here, there = (number(w[t, s], decimals) for w in (both.weights, both.softmax_weights))
    if both.moved[t] < SAME:
        return f"For query {query} both rules weigh every token alike: {_ys(both, t, decimals)}."
    start = f"Look at query {query}: {plain(names[s])} weighs {here} here and {there} in softmax."
    apart, so = number(column(both)[-1][t], decimals), "yet" if _one_y(both, t) else "so"
    moved = f"{apart} of its weight lies elsewhere" if even(both) else f"its weights differ by {apart}"
    return f"{start} In all {moved}, {so} {_ys(both, t, decimals)}."


def _one_y(both: Comparison, t: int) -> bool:
    return bool(np.allclose(both.y[t], both.softmax_y[t], rtol=SAME, atol=SAME * np.abs(both.trace.v).max()))


def _ys(both: Comparison, t: int, decimals: int) -> str:
    here, there = answer(both.y[t], decimals), vector(both.softmax_y[t], decimals)
    return (
        f"y{sub(t)} is {here} in both" if _one_y(both, t) else f"y{sub(t)} is {here} here and {there} there"
    )


def carried(both: Comparison, t: int, decimals: int = 3) -> str:
    """What the answer has from a state carried in; "" where that is nothing."""
    part = both.trace.carried[t]
    if not np.isfinite(part).all() or not part.any():
        return ""
    return f"y{sub(t)} holds {vector(part, decimals)} of what was carried in. Softmax carries nothing in."


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
    with np.errstate(all="ignore"):
        typed = both.trace.tokens.k @ both.trace.tokens.q[t]
    seen = both.softmax_weights[t] > 0
    zeros = np.flatnonzero(seen & (typed == 0) & (both.weights[t] == 0))
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
    """What the weights sum to, and why that is not 1; "" where it is, or where the query sees no token."""
    if not (np.isfinite(both.moved[t]) and both.seen[t].any()):
        return ""
    total, why = float(both.weights[t].sum()), _why_unequal(both, t)
    if not why or abs(total - 1) <= SAME:
        return ""
    said = number(total, decimals)
    if said == "1":
        said = f"1 {'−' if total < 1 else '+'} {number(abs(total - 1), decimals)}"
    return f"These weights sum to {said}, not to 1, because {why}."


def _why_unequal(both: Comparison, t: int) -> str:
    """What keeps weights from summing to 1; "" where nothing but rounding does."""
    trace, settings = both.trace, both.trace.settings
    if not settings.normalize:
        return "this run does not divide by the score sum"
    eps = f"eps = {number(settings.eps)} is added to the score sum" if settings.eps else ""
    start = ""
    if trace.initial is not None:
        rest = abs(trace.norm[t] - trace.scores()[t].sum())
        start = "the state carried in has a part of the score sum" if rest > SAME * abs(trace.norm[t]) else ""
    return " and ".join(filter(None, (eps, start)))


def own_left_out(both: Comparison) -> str:
    """That softmax here is not the usual one, where queries read before their own token is written."""
    if not both.trace.settings.misses_itself:
        return ""
    return "Queries read before their own token is written, so that token is left out of softmax here, too."


def sharper(before: Comparison, after: Comparison, t: int, factor: float, decimals: int = 3) -> str:
    """What a factor on q does to the weights of one query on both sides."""
    if not (np.isfinite(before.moved[t]) and np.isfinite(after.moved[t])):
        return f"With q × {number(factor, 1)} there are no weights to compare: y{sub(t)} is undefined."
    if not before.seen[t].any():
        return ""
    tops = [number(c.softmax_weights[t].max(), decimals) for c in (before, after)]
    there = (
        f"softmax's largest weight stays {tops[0]}"
        if tops[0] == tops[1]
        else f"softmax's largest weight goes from {tops[0]} to {tops[1]}"
    )
    return f"q × {number(factor, 1)}: {_moves(before, after, t, factor, decimals)}; {there}."


def _moves(before: Comparison, after: Comparison, t: int, factor: float, decimals: int) -> str:
    """How much weight the factor moves here, and why where it moves none."""
    gap = float(np.abs(after.weights[t] - before.weights[t]).sum())
    if gap >= SAME:
        if even(before) and even(after):
            return f"{number(gap / 2, decimals)} of the weight moves here"
        return f"the weights here change by {number(gap, decimals)} in all"
    scores = [c.trace.scores()[t] for c in (before, after)]
    if not scores[0].any():
        return "nothing moves here, because every score is 0"
    scaled = np.allclose(scores[1], factor * scores[0], rtol=SAME, atol=0)
    return "nothing moves here" + (", because the factor is in the scores and in their sum" if scaled else "")


def rows(both: Comparison, decimals: int = 3) -> str:
    """Over all queries: how much weight lies elsewhere, on average and at most."""
    known = np.flatnonzero(np.isfinite(both.moved) & both.seen.any(axis=1))
    if not len(known):
        return "No query has weights to set against softmax's."
    top = int(known[np.argmax(both.moved[known])])
    apart = column(both)[-1]
    mean, most = (number(float(x), decimals) for x in (apart[known].mean(), apart[top]))
    if len(known) == 1:
        of = f"For query p{sub(top)}"
        return (
            f"{of}, {most} of the weight lies elsewhere."
            if even(both)
            else f"{of}, weights differ by {most}."
        )
    of = (
        f"Over {len(known)} queries"
        if len(known) == len(apart)
        else f"Over {len(known)} of {len(apart)} queries"
    )
    if even(both):
        return f"{of}, {mean} of the weight lies elsewhere on average, at most {most} (query p{sub(top)})."
    return f"{of}, weights differ by {mean} on average, by {most} at most (query p{sub(top)})."


def column(both: Comparison) -> tuple[str, str, np.ndarray]:
    """How far the weights of each query are apart: title, what it means, numbers."""
    if even(both):
        meaning = "Weight elsewhere: half the sum of |difference| over the tokens."
        return "weight elsewhere", meaning, both.moved
    return "weights differ by", "Weights differ by the sum of |difference| over the tokens.", 2 * both.moved


def softmax_answers(both: Comparison, decimals: int = 3) -> list[str]:
    """Y of softmax for each query, where it sees a token."""
    ys = zip(both.softmax_y, map(np.any, both.seen), strict=True)
    return [answer(y, decimals) if sees else "sees no token" for y, sees in ys]


def left_empty(both: Comparison) -> str:
    """Which cells of the maps are empty, and why."""
    some = [] if both.seen.all() else ["tokens that their query may not see"]
    lost: list[int] = np.flatnonzero(~np.isfinite(both.moved)).tolist()
    if lost:
        which = listed([f"p{sub(t)}" for t in lost])
        rows, have = ("row", "has") if len(lost) == 1 else ("rows", "have")
        some.append(f"the {rows} of {which}, which {have} no weights here")
    return f"; empty cells are {' and '.join(some)}." if some else "."
