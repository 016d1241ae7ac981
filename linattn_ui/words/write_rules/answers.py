"""What keys are answered right after their writes and at the end."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linattn_core.rule_comparison import Losses, eigenvalues, equal_keys, key_sizes
from linattn_ui.words.numbers import listed, number, plain, vector
from linattn_ui.words.write_rules.step import SAME, Traces, divides_by_0, far, grouped, under, vectors

NO_ANSWER = "the key has no answer, because the scores sum to 0"
GREEK = {"gamma": "γ", "beta": "β"}


def loss(trace: Any, each: Losses, names: Sequence[str], decimals: int = 3) -> str:
    """What the writes of one rule do to the loss of their own keys."""
    before, after = each.loss_before, each.loss_after
    known = np.flatnonzero(np.isfinite(before) & np.isfinite(after))
    lost = int((np.isnan(after) & ~np.isnan(before)).sum()) if divides_by_0(trace) else 0
    none = f" After {lost} of {len(trace.k)} writes {NO_ANSWER}." if lost else ""
    change = after[known] - before[known]
    raised = known[change > SAME * (1 + before[known])]
    if not len(raised):
        losses = _range(each, decimals)
        return f"No write leaves a larger loss than it found; right after it a loss is {losses}.{none}"
    t = int(raised[np.argmax(after[raised] - before[raised])])
    factor, why = float(eigenvalues(trace)[t]), ""
    if trace.settings.rule.asks == "k" and abs(factor) > 1:
        why = f", because its error is multiplied by 1 − β k·k = {number(factor, decimals)}"
    leave = "leaves a larger loss than it" if len(raised) == 1 else "leave a larger loss than they"
    return (
        f"{len(raised)} of {len(trace.k)} writes {leave} found, most {plain(names[t])}: "
        f"{number(before[t], decimals)} → {number(after[t], decimals)}{why}.{none}"
    )


def _range(each: Losses, decimals: int) -> str:
    known = each.loss_after[~np.isnan(each.loss_after)]
    if not len(known):
        return "undefined"
    low, high = (far(float(x), each, decimals) for x in (known.min(), known.max()))
    return low if low == high else f"{low} to {high}"


def returned(traces: Traces, losses: Mapping[str, Losses], names: Sequence[str], decimals: int = 3) -> str:
    """What the key that most tokens share returns at the end; else which two keys are most alike."""
    first = next(iter(traces.values()))
    same = equal_keys(first)
    if not same:
        return _closest(first, names, decimals)
    values = listed([vector(first.v[t], decimals) for t in same])
    answers = {rule: each.end[same[-1]] for rule, each in losses.items()}
    known = {rule: _known(answer, first.v[same]) for rule, answer in answers.items()}
    found = [f"{rules}: {what}" for what, rules in grouped(known).items() if what]
    return (
        f"{listed([plain(names[t]) for t in same])} have one key after φ, and the values {values}. In the "
        f"end that key returns {vectors(traces, answers, decimals)}"
        + (f" ({'; '.join(found)})." if found else ".")
    )


def _known(answer: np.ndarray, v: np.ndarray) -> str:
    """What the answer is of the values of one key: a sum, a mean, the last; "" where it is none of them."""
    kinds = {"the last one": v[-1], "their mean": v.mean(axis=0), "their sum": v.sum(axis=0)}
    found = (what for what, x in kinds.items() if np.allclose(answer, x, rtol=1e-9, atol=1e-9))
    return next(found, "")


def _closest(trace: Any, names: Sequence[str], decimals: int) -> str:
    """Keys that are not orthogonal disturb each other's answers; these most."""
    if len(trace.k) == 1:
        return "There is one token, so no other write disturbs what its key returns."
    lengths = np.sqrt(key_sizes(trace))
    with np.errstate(all="ignore"):
        cosines = np.nan_to_num(np.triu((trace.k @ trace.k.T) / np.outer(lengths, lengths), 1))
    s, t = divmod(int(np.argmax(np.abs(cosines))), len(cosines))
    if not abs(cosines[s, t]) > SAME:
        return "No two keys overlap, so no write disturbs another key's answer."
    return (
        f"No two keys are equal after φ. Most alike are {plain(names[s])} and {plain(names[t])}, with cosine "
        f"{number(float(cosines[s, t]), decimals)}: a write to one changes what the other returns."
    )


def noisy(
    mean: Sequence[float],
    answers: Mapping[str, Sequence[float]],
    title: str,
    divide: bool,
    gates: Mapping[str, float],
    decimals: int = 3,
) -> str:
    """Where adding and dividing is the right rule, whatever tokens are on screen."""
    shares = [f"{GREEK[name]} = {number(x, decimals)}" for name, x in gates.items()]
    returned = under({rule: vector(answer, decimals) for rule, answer in answers.items()})
    given = listed(shares if divide else ["the switch on", *shares])
    return (
        f"Replacing is not always better. In the example “{title}” the mean {vector(mean, decimals)} is "
        f"wanted, and, with {given}, the last query gets {returned}: a sum divided by the score "
        "sum is the mean, and a rule that replaces returns the last value with its noise."
    )
