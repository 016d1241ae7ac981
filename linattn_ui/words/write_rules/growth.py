"""What is left, what grows, and what another order changes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linattn_core.rule_comparison import Sweep, eigenvalues, equal_keys, key_sizes
from linattn_ui.words.numbers import component, number, plain, token, vector
from linattn_ui.words.write_rules.step import Traces, numbers

ROUNDED = 1e-12  # of the largest entry of S: an entry that moved less did not move


def left(kept: Mapping[str, np.ndarray], names: Sequence[str], decimals: int = 3) -> str:
    """The token of which the rules leave the most different shares at the end."""
    at_end = np.array([share[:, -1] for share in kept.values()])
    spread = at_end.max(axis=0) - at_end.min(axis=0)
    if np.isnan(spread).all():
        return "No key reads anything back at the end."
    s = int(np.nanargmax(spread))
    shares = numbers({rule: share[s, -1] for rule, share in kept.items()}, decimals)
    return f"What its own key still reads of {plain(names[s])} at the end is {shares}."


def best(rule: str, swept: Sweep, beta: float | None, decimals: int = 3) -> str:
    """The β that leaves the least mean loss at the end, and the size of S at the largest β."""
    i = int(np.argmin(np.where(np.isnan(swept.loss), np.inf, swept.loss)))
    said = f"{rule}: least mean loss {number(swept.loss[i], decimals)} at β = {number(swept.beta[i], 2)}"
    if beta is not None:
        now = int(np.argmin(np.abs(swept.beta - beta)))
        said += f", {number(swept.loss[now], decimals)} at β = {number(swept.beta[now], 2)}"
    return f"{said}; at β = {number(swept.beta[-1], 2)} the size of S is {number(swept.size[-1], decimals)}."


def growth(trace: Any, names: Sequence[str], decimals: int = 3) -> str:
    """What 1 − β k·k of the key with the largest β k·k does to its error."""
    sizes, factors = key_sizes(trace), eigenvalues(trace)
    t = int(np.argmin(factors))
    size, factor = float(sizes[t]), float(factors[t])
    said = (
        "A write multiplies the error v − Sᵀk of its own key by 1 − β k·k, the eigenvalue of I − β k kᵀ "
        f"along k. It is least for {plain(names[t])}, where k·k = {number(size, decimals)}: "
        f"{number(factor, decimals)}."
    )
    if factor < -1:
        past = int((factors < -1).sum())
        keys = "this key alone" if past == 1 else f"{past} of {len(sizes)} keys"
        return (
            f"{said} β k·k is past 2 for {keys}: every such write makes the error larger, so S grows. With β "
            f"up to {number(2 / float(sizes.max()), decimals)} no write does."
        )
    if factor == -1:
        return f"{said} β k·k is 2: the error changes sign at every write and never shrinks; past 2 it grows."
    if factor < 0:
        return f"{said} Below 0 a write goes past the value: the error changes sign, and shrinks."
    return f"{said} From 0 to 1 the error shrinks and keeps its sign; 0 leaves none."


def order(rows: Sequence[int]) -> str:
    """The tokens in the order of their writes."""
    shown = [token(t) for t in rows]
    return " ".join(shown if len(shown) <= 12 else [*shown[:8], "…", *shown[-3:]])


def shuffled(traces: Traces, again: Traces, rows: Sequence[int], decimals: int = 3) -> list[str]:
    """What another order of the same writes does to the last state, rule by rule."""
    return [f"{rule}: {_moved(traces[rule], again[rule], rows, decimals)}" for rule in traces]


def _moved(trace: Any, other: Any, rows: Sequence[int], decimals: int) -> str:
    S, then = trace.S[-1], other.S[-1]
    with np.errstate(all="ignore"):
        moved = np.nan_to_num(np.abs(then - S))
    if trace.settings.rule.accumulates and not _decays(trace):
        return f"the same S{_rounding(moved, decimals)}. A sum does not depend on its order."
    if not moved.max() > ROUNDED * np.abs(S[np.isfinite(S)]).max(initial=0.0):
        return f"the same S for this order{_rounding(moved, decimals)}."
    i = int(np.argmax(moved.max(axis=1)))
    change = " → ".join(vector(x[i], decimals) for x in (S, then))
    return f"row {component(i)} goes {change}{_why(trace, i, rows)}."


def _rounding(moved: np.ndarray, decimals: int) -> str:
    return f" but for rounding ({number(moved.max(), decimals)} at most)" if moved.any() else ""


def _decays(trace: Any) -> bool:
    return trace.alpha is not None and bool((trace.alpha != 1).any())


def _why(trace: Any, i: int, rows: Sequence[int]) -> str:
    same = [t for t in equal_keys(trace) if trace.k[t].any()]  # a key of zeros writes nothing
    if trace.settings.rule.asks == "k" and same and int(np.argmax(np.abs(trace.k[same[0]]))) == i:
        last = max(same, key=list(rows).index)
        if last != same[-1]:
            return f", because {token(last)} is now the last to write to this key"
    asks = trace.settings.rule.asks if trace.beta is not None and trace.beta.any() else None
    reasons = [
        (_decays(trace), "what is written earlier has decayed more"),
        (asks == "k", "a later write corrects what earlier ones left"),
        (asks == "a", "a later token's b adds what its a reads of earlier ones"),
    ]
    return f", because {' and '.join(reason for applies, reason in reasons if applies)}"
