"""How many pairs fit, and how many words come back."""

from collections.abc import Mapping, Sequence

import numpy as np

from linattn_core.recall import Held
from linattn_ui.words.write_rules.step import numbers


def held(curves: Mapping[str, Held], d_k: int, decimals: int = 2) -> str:
    """How the rules stand where there are as many pairs as rows, and at the largest number of pairs."""
    said = []
    for n in (d_k, int(next(iter(curves.values())).counts[-1])):
        at = {rule: float(one.mean[one.counts == n][0]) for rule, one in curves.items()}
        best, worst = min(at, key=at.__getitem__), max(at, key=at.__getitem__)
        pairs = f"At {n} pairs in {d_k} rows: {numbers(at, decimals)}"
        said.append(f"{pairs}. Least with {best}, most with {worst}.")
    return " ".join(dict.fromkeys(said))


def recalled(shares: Mapping[str, np.ndarray], sizes: Sequence[int], n: int) -> str:
    """Which rule brings back most words, at the smallest and at the largest state."""
    said = []
    for i in (0, len(sizes) - 1):
        best = max(shares, key=lambda rule: shares[rule][i])
        worst = min(shares, key=lambda rule: shares[rule][i])
        most, fewest = (f"{100 * shares[rule][i]:.0f} %" for rule in (best, worst))
        said.append(
            f"with {sizes[i]} rows most come back under {best} ({most}) and fewest under {worst} ({fewest})"
        )
    return f"Of {n} pairs, {'; '.join(said)}."
