"""What the page "Feature maps" says, computed from the tokens on screen."""

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from linattn_core.map_comparison import OnTokens
from linattn_core.map_scores import Scores
from linattn_ui.words.numbers import listed, number

ROUNDED = 1e-24  # the mean square of weights that differ by rounding alone
MADE_TO = ("taylor2", "hedgehog", "favor")  # approximate exp(q·k/√d), or imitate softmax's weights


def name(phi: Any) -> str:
    """A map in a sentence: without what stands in brackets."""
    return "no map" if phi.key == "identity" else phi.title.partition(" (")[0]


def small(x: float, decimals: int = 3) -> str:
    """A size that is 0.0025 where it would be 2.5e−3, with two digits or more.

    >>> small(0.0025), small(0.25), small(2.5e-6), small(0.0)
    ('0.0025', '0.25', '2.5e−6', '0')
    """
    return number(x, max(decimals, 2 - math.floor(math.log10(x))) if 1e-4 < x < 1 else decimals)


def exponent(scale: float | None) -> str:
    """What softmax takes exp of."""
    return "q·k/√d" if scale is None else f"{number(scale)} q·k"


def look(rows: Sequence[OnTokens], chosen: Any, decimals: int = 3, tokens: int = 2) -> str:
    """First line: how far the chosen map is from softmax here, and which map is nearest."""
    mine, near = _row(rows, chosen), _by_distance(rows)
    if not near:
        return "Look at the table: with every map all score sums are 0 here, so none has weights to compare."
    if tokens == 1:
        every = "every map gives" if len(near) == len(rows) else f"{_maps(len(near))} of {len(rows)} give"
        return f"Look at the table: with one token {every} it weight 1, as softmax does; no map is nearer."
    if mine is None or np.isnan(mine.mean_squared):
        start = f"Look at the table: {name(chosen)} has no weights on these tokens"
    else:
        start = (
            f"Look at the table: with {name(chosen)} the weights of these tokens differ from softmax's by "
            f"{_far(mine, decimals)} (mean square{_without(mine)})"
        )
    best = _alike(near, decimals)[0]
    if mine in best:
        have = "maps that have" if len(near) > 1 else "map that has"
        return f"{start}, and of the {len(near)} {have} weights here none is nearer."
    least = min(best, key=lambda row: row.numbers)
    are, its = ("is", "its state") if len(best) == 1 else ("are", f"the state of {name(least.phi)}")
    return (
        f"{start}. Nearest {are} {listed([name(row.phi) for row in best])} with "
        f"{_far(least, decimals)}{_without(least)}; {its} keeps "
        f"{least.numbers:,} numbers{_beside(least, mine)}."
    )


def _beside(row: OnTokens, mine: OnTokens | None) -> str:
    if mine is None or not mine.numbers:
        return ""
    return ", as many" if row.numbers == mine.numbers else f", not {mine.numbers:,}"


def _maps(n: int) -> str:
    return "1 map" if n == 1 else f"{n} maps"


def _without(row: OnTokens) -> str:
    """What is left out of a map's difference."""
    outputs = "output" if row.undefined == 1 else "outputs"
    return f", without {row.undefined} undefined {outputs}" if row.undefined else ""


def _alike(order: Sequence[OnTokens], decimals: int) -> list[list[OnTokens]]:
    """The rows, from near to far, in groups whose distance from softmax reads the same."""
    return [list(group) for _, group in groupby(order, lambda row: _far(row, decimals))]


def _far(row: OnTokens, decimals: int) -> str:
    x = row.mean_squared
    return "0 but for rounding" if 0 < x < ROUNDED else small(x, decimals)


def _row(rows: Sequence[OnTokens], chosen: Any) -> OnTokens | None:
    return next((row for row in rows if row.phi is chosen), None)


def _by_distance(rows: Sequence[OnTokens]) -> list[OnTokens]:
    known = [row for row in rows if not np.isnan(row.mean_squared)]
    return sorted(known, key=lambda row: row.mean_squared)


def nearest(rows: Sequence[OnTokens], decimals: int = 3) -> str:
    """The maps nearest to softmax, at three distances, and the farthest; maps at one distance together."""
    groups = _alike(_by_distance(rows), decimals)
    if len(groups) < 2:
        return ""
    said = [_group(group, decimals) for group in groups]
    return f"Nearest to softmax: {', then '.join(said[:-1][:3])}; farthest: {said[-1]}."


def _group(group: Sequence[OnTokens], decimals: int) -> str:
    each = " each" if len(group) > 1 else ""
    return f"{listed([name(row.phi) for row in group])} ({_far(group[0], decimals)}{each})"


def made_to(maps: Sequence[Any]) -> str:
    """The maps that set out to approximate softmax attention; a difference is a fault of theirs only."""
    return listed([name(phi) for phi in maps if phi.key in MADE_TO])


def undefined(rows: Sequence[OnTokens], queries: int) -> str:
    """Which maps leave outputs undefined, and how many."""
    missing = [row for row in rows if row.undefined > 0]
    if not missing:
        return "No map leaves an output undefined here: no scores sum to 0."
    counts = [f"{name(row.phi)} ({row.undefined} of {queries})" for row in missing]
    return f"Undefined outputs, because the scores sum to 0: {listed(counts)}."


def refused(rows: Sequence[OnTokens]) -> str:
    """Why a map is not in the table; "" where all are."""
    return " ".join(row.problem for row in rows if row.problem)


def same_size(rows: Sequence[OnTokens], chosen: Any, decimals: int = 3) -> str:
    """The chosen map against as many random features, and how many maps are nearer than those."""
    others = [row for row in _by_distance(rows) if row.phi.key != "favor"]
    nearer = [row for row in others if row.mean_squared < row.same_size]
    mine = _row(others, chosen)
    start = ""
    if mine is not None:
        n, many = mine.d_phi, mine.d_phi > 1
        start = (
            f"{n} random feature{'s' if many else ''} would differ by {small(mine.same_size, decimals)} on "
            f"average, the {f'{n} components' if many else 'one component'} of {name(chosen)} "
            f"differ{'' if many else 's'} by {small(mine.mean_squared, decimals)}. "
        )
    return (
        f"{start}{len(nearer)} of {_maps(len(others))} {'is' if len(nearer) == 1 else 'are'} nearer to "
        "softmax than random features in a state of the same size."
    )


def kept(row: OnTokens | None, d_k: int, d_v: int) -> str:
    """The size of the chosen map's state as a number of tokens in the kept list."""
    if row is None or not row.numbers:
        return ""
    tokens, s = number(row.numbers / (d_k + d_v), 1), "" if row.d_phi == 1 else "s"
    return (
        f"With {name(row.phi)} φ has D = {row.d_phi} component{s}, so the state keeps {row.d_phi} × {d_v} + "
        f"{row.d_phi} = {row.numbers:,} numbers, as many as a kept list of "
        f"{tokens} token{'' if tokens == '1' else 's'}."
    )


def components(count: int, shown: int) -> str:
    """What is drawn of a map that works on whole vectors."""
    which = "" if shown == count else f" Of its {count} components the {shown} that change most are drawn."
    return f"This φ works on whole vectors.{which}"


def signs(trace: Any) -> str:
    """How many components of φ(q) and φ(k) are 0 or below."""
    mapped = np.concatenate([trace.q.ravel(), trace.k.ravel()])
    zero, below = int((mapped == 0).sum()), int((mapped < 0).sum())
    if not zero and not below:
        return f"All {len(mapped):,} components of φ(q) and φ(k) here are above 0."
    return (
        f"Of the {len(mapped):,} components of φ(q) and φ(k) here, {_are(zero)} 0 and {_are(below)} below 0."
    )


def _are(n: int) -> str:
    """None is, 1 is, 2 are."""
    return f"{n:,} are" if n > 1 else f"{n or 'none'} is"


def scores(pairs: Scores) -> str:
    """How many pairs score 0 or below, where softmax scores every pair above 0."""
    n, zero, below = len(pairs.score), int((pairs.score == 0).sum()), int((pairs.score < 0).sum())
    if n == 1:
        is_ = "is 0" if zero else "is below 0"
        one = f"{is_}; in softmax it is above 0" if zero or below else "is above 0, as in softmax"
        return f"The score of the one pair of query and token {one}."
    of = f"Of {n:,} pairs of query and token"
    if below or zero:
        at, under = (f"{count:,}" if count else "none" for count in (zero, below))
        return f"{of}, the score is 0 for {at} and below 0 for {under}; in softmax it is above 0 for all."
    return f"All {n:,} pairs of query and token score above 0, as in softmax."


def factor(pairs: Scores, decimals: int = 3) -> str:
    """The factor of the scores in the picture."""
    if not pairs.factor:
        return "Every score is 0, so no factor brings them nearer."
    by = small(abs(pairs.factor), decimals)
    axis = " The axis is logarithmic, so exp is a straight line." if pairs.positive else ""
    sign = "−" if pairs.factor < 0 else ""
    return f"Scores are drawn × {sign}{by}, which fits best; a division removes it.{axis}"
