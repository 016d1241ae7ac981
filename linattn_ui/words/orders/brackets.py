"""May the brackets move, and does an average come of the scores: every claim from the tokens on screen."""

import math
from collections.abc import Mapping

from linattn_core import Brackets, Sizes, break_even_time, form
from linattn_ui.words.numbers import number, sub
from linattn_ui.words.orders.counts import STAR, count, counted


def look(both: Brackets, sizes: Sizes, decimals: int = 3, mapped: bool = False) -> str:
    """First line: the matrix between the two products, what both orders end in, and what each costs."""
    q, k = ("Q̃", "K̃") if mapped else ("Q", "K")
    T, d_k, d_v = sizes.T, sizes.d_phi, sizes.d_v
    scores, state = (form(key).multiply_adds(sizes) for key in ("scores_first", "state_first"))
    return (
        f"Look at the matrix between the two products: {q}{k}ᵀ is {T}×{T}, {k}ᵀV is {d_k}×{d_v}. "
        f"{_same_end(both, decimals)} Scores first takes {counted(scores, 'multiply-add')}, {k}ᵀV first "
        f"{count(state)}{_cheaper(scores, state, sizes)}."
    )


def _same_end(both: Brackets, decimals: int) -> str:
    T, d_v = both.scores_first.shape
    if both.equal:
        return f"Both orders end in the same {_numbers(T, d_v)} ({_apart(both, decimals)})."
    return f"Here the two orders do not end in the same {_numbers(T, d_v)}: {_apart(both, decimals)}."


def _numbers(T: int, d_v: int) -> str:
    return f"{T}×{d_v} {'number' if T * d_v == 1 else 'numbers'}"


def _apart(both: Brackets, decimals: int) -> str:
    """How far apart the orders are."""
    if both.difference == 0:
        return "they differ by 0"
    if not math.isfinite(both.difference):
        return "numbers past 1.8e308 leave nothing to compare"
    if both.equal:
        return f"they differ by {number(both.difference, 1)}, which is rounding"
    return f"they differ by up to {number(both.difference, decimals)}"


def _cheaper(scores: int, state: int, sizes: Sizes) -> str:
    meeting = number(break_even_time(sizes), 1)
    if scores == state:
        return f": equally many, because T is {STAR} = {meeting}"
    if scores < state:
        return f": more, because {count(sizes.T)} {_tokens(sizes.T)} fewer than {STAR} = {meeting}"
    return f": fewer, because {count(sizes.T)} {_tokens(sizes.T)} more than {STAR} = {meeting}"


def _tokens(T: int) -> str:
    return "token is" if T == 1 else "tokens are"


def rows(all_three: Mapping[str, Brackets], decimals: int = 3) -> list[tuple[str, ...]]:
    """Score · may the brackets move · are the scores ≥ 0 · what they sum to."""
    return [
        (
            title,
            _moves(both, title == "softmax", decimals),
            f"{_yes(both.least_score >= 0)}: least {number(both.least_score, decimals)}",
            _sums(both, decimals) + (", as it divides itself" if title == "softmax" else ""),
        )
        for title, both in all_three.items()
    ]


def _moves(both: Brackets, softmax: bool, decimals: int) -> str:
    if softmax and both.equal:
        return "no, though here both orders happen to agree"
    return f"{_yes(both.equal)}: {_apart(both, decimals)}"


def _yes(claim: bool) -> str:
    return "yes" if claim else "no"


def _sums(both: Brackets, decimals: int) -> str:
    low, high = (number(x, decimals) for x in (both.sums.min(), both.sums.max()))
    return low if low == high else f"{low} to {high}"


def lesson(none: Brackets, mapped: Brackets, title: str, decimals: int = 3) -> str:
    """What the three rows show together: reordering needs no φ, a weighted average does."""
    moves = "Reordering needs no φ" if none.equal else "Without a φ the orders cannot be compared here"
    if none.averages:
        average = (
            "and with these tokens dividing by the score sum gives a weighted average even so, "
            "because no score is below 0 and no sum is 0"
        )
    else:
        average = f"but a weighted average needs scores ≥ 0 with a sum above 0: {_fault(none, decimals)}"
    if mapped.averages:
        return f"{moves}, {average}. With {title} every score is ≥ 0 and every sum above 0."
    return f"{moves}, {average}. With {title} there is no average here: {_fault(mapped, decimals)}."


def _fault(both: Brackets, decimals: int) -> str:
    """Why dividing by the score sum gives no weighted average."""
    if both.least_score < 0:
        return f"here a score is {number(both.least_score, decimals)}"
    return f"the scores of q{sub(int(both.sums.argmin()))} sum to {number(both.sums.min(), decimals)}"


def one_and_minus_one(none: Brackets, mapped: Brackets, title: str, decimals: int = 3) -> str:
    """The smallest case in which the products may be reordered and yet give no average."""
    t = int(abs(none.sums).argmin())
    raw, changed = (
        " and ".join(number(x, decimals) for x in both.scores[t][both.seen[t]]) for both in (none, mapped)
    )
    return (
        f"The case to keep in mind: scores {raw} sum to {number(none.sums[t], decimals)}. Their brackets "
        f"move too ({_apart(none, decimals)}), but one value is added, one subtracted, and there is nothing "
        f"to divide by. {title} turns the same q and k into scores {changed}, which sum to "
        f"{number(mapped.sums[t], decimals)}."
    )
