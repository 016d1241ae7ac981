"""How many pairs fit, and how many words come back."""

from collections.abc import Mapping, Sequence

import numpy as np

from linattn_core.recall import Held
from linattn_ui.words.numbers import listed, number
from linattn_ui.words.write_rules.step import numbers


def held(curves: Mapping[str, Held], d_k: int, decimals: int = 2) -> str:
    """How the rules stand where there are as many pairs as rows, and at the largest number of pairs."""
    said = []
    for n in (d_k, int(next(iter(curves.values())).counts[-1])):
        at = {rule: float(one.mean[one.counts == n][0]) for rule, one in curves.items()}
        best, worst = (_reads(at, end(at.values()), decimals) for end in (min, max))
        pairs = f"At {n} pairs in {d_k} rows: {numbers(at, decimals)}"
        said.append(f"{pairs}. Least with {best}, most with {worst}.")
    return " ".join(dict.fromkeys(said))


def _reads(at: Mapping[str, float], x: float, decimals: int) -> str:
    """The rules whose number reads the same as x."""
    return listed([rule for rule, each in at.items() if number(each, decimals) == number(x, decimals)])


def recalled(shares: Mapping[str, np.ndarray], sizes: Sequence[int], n: int) -> str:
    """Which rule brings back most words, at the smallest and at the largest state."""
    said = []
    for i in (0, len(sizes) - 1):
        at = {rule: 100 * float(share[i]) for rule, share in shares.items()}
        best, worst = (_reads(at, end(at.values()), 0) for end in (max, min))
        most, fewest = (f"{number(end(at.values()), 0)} %" for end in (max, min))
        said.append(
            f"with {sizes[i]} rows most come back under {best} ({most}) and fewest under {worst} ({fewest})"
        )
    return f"Of {n} pairs, {'; '.join(said)}."
