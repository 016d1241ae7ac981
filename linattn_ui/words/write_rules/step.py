"""One token's write and one query's read under several rules."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linattn_core import feature_map
from linattn_core.rule_comparison import Losses, eigenvalues, key_sizes
from linattn_ui.words.numbers import component, listed, number, plain, sub, vector

ROUNDING = 1e-24  # of the largest loss: the square of what rounding leaves of a difference that is 0
SAME = 1e-9  # a weight or loss that moved less did not move
FEW = 4  # components of a value whose arithmetic is written out
LENGTH_1 = plain(feature_map("l2").title)
NONE = "no answer"
Traces = Mapping[str, Any]  # what a rule is called -> its run


def name(rule: Any) -> str:
    """A rule in a sentence: its title up to the comma or colon."""
    return rule.title.replace(":", ",").partition(",")[0]


def grouped(said: Mapping[str, str]) -> dict[str, str]:
    """What is said of a rule -> the rules that it is said of, listed."""
    rules: dict[str, list[str]] = {}
    for rule, text in said.items():
        rules.setdefault(text, []).append(rule)
    return {text: listed(each) for text, each in rules.items()}


def under(said: Mapping[str, str]) -> str:
    """[3, 1] under add, [1, 1] under delta and gated delta; NONE comes last, with its reason."""
    each = dict(grouped(said))
    none = each.pop(NONE, "")
    parts = [", ".join(f"{text} under {rules}" for text, rules in each.items())] if each else []
    if none:
        parts.append(f"{NONE} under {none}, because the scores sum to 0")
    return ", and ".join(parts)


def divides_by_0(trace: Any) -> bool:
    """Whether a score sum of 0 is why an answer of the run does not exist, where one does not."""
    return trace.settings.normalize and trace.overflow is None


def no_answer(trace: Any, answer: Any) -> bool:
    """Whether this answer of the run does not exist because it would be divided by 0."""
    return divides_by_0(trace) and bool(np.isnan(answer).all())


def answer(trace: Any, returned: np.ndarray, decimals: int = 3) -> str:
    """What a key returns, or that it returns none."""
    return NONE if no_answer(trace, returned) else vector(returned.tolist(), decimals)


def vectors(traces: Traces, answers: Mapping[str, np.ndarray], decimals: int) -> str:
    """The same of what keys return."""
    return under({rule: answer(traces[rule], each, decimals) for rule, each in answers.items()})


def numbers(each: Mapping[str, float], decimals: int) -> str:
    """The same of numbers."""
    return under({rule: number(float(x), decimals) for rule, x in each.items()})


def look(
    traces: Traces, losses: Mapping[str, Losses], t: int, names: Sequence[str], decimals: int = 3
) -> str:
    """First line: what one token's key returns before and after its write, or how far off that is."""
    one = next(iter(traces.values())).v[t]
    if len(one) > FEW:
        return _far_off(traces, losses, t, names, decimals)
    v = vector(one, decimals)
    old, new = (
        vectors(traces, {rule: getattr(each, when)[t] for rule, each in losses.items()}, decimals)
        for when in ("before", "after")
    )
    return (
        f"Look at {plain(names[t])}, which brings the value {v}. Before its write its key returns {old}; "
        f"after it, {new}."
    )


def _far_off(
    traces: Traces, losses: Mapping[str, Losses], t: int, names: Sequence[str], decimals: int
) -> str:
    """The same of values with many components, whose losses are easier to compare."""

    def off(rule: str, x: float) -> str:
        return NONE if no_answer(traces[rule], x) else far(x, losses[rule], decimals)

    old = under({rule: off(rule, each.loss_before[t]) for rule, each in losses.items()})
    new = under({rule: off(rule, each.loss_after[t]) for rule, each in losses.items()})
    return (
        f"Look at {plain(names[t])} and the loss of what its key returns, its squared distance from the "
        f"value: before its write {old}; after it, {new}."
    )


def far(x: float, each: Losses, decimals: int) -> str:
    """A loss; one that only rounding keeps from 0 is said to be that."""
    largest = np.nanmax(np.append(each.loss_before, 1.0))
    return "0 but for rounding" if 0 < x <= ROUNDING * largest else number(float(x), decimals)


def grown(
    traces: Traces, beyond: Mapping[str, float], limit: float, names: Sequence[str], decimals: int = 3
) -> str:
    """First line where a rule that corrects goes far past the others; "" where none does for that reason."""
    far = {rule: traces[rule] for rule in beyond if (eigenvalues(traces[rule]) < -1).any()}
    if not far:
        return ""
    one = next(iter(far.values()))
    t, sizes = int(np.argmin(eigenvalues(one))), key_sizes(one)
    product, largest = 1 - float(eigenvalues(one)[t]), float(sizes.max())
    rest = listed([rule for rule in traces if rule not in beyond]) if len(beyond) < len(traces) else ""
    stays = f" but no more than {number(limit, decimals)} under {rest}" if rest else ""
    return (
        f"Look at how S grows: β k·k is {number(product, decimals)} for {plain(names[t])}, past 2, so its "
        f"write makes the error of its own key larger. S reaches "
        f"{numbers({rule: beyond[rule] for rule in far}, 1)}{stays}. With β up to "
        f"{number(2 / largest, decimals)}, or with the feature map “{LENGTH_1}”, "
        "no write makes an error larger."
    )


def wrote(trace: Any, t: int, decimals: int = 3) -> str:
    """How token t's write comes about, and the row of S that its key points at most."""
    kept = f"Of S{sub(t)}, {_kept(trace.alpha[t], decimals)} is kept. " if trace.alpha is not None else ""
    i = int(np.argmax(np.abs(trace.k[t])))
    rows = " → ".join(vector(trace.S[n, i], decimals) for n in (t, t + 1))
    return f"{kept}{_addition(trace, t, decimals)} Row {component(i)}: {rows}."


def _addition(trace: Any, t: int, decimals: int) -> str:
    asked, v = trace.correction(t), vector(trace.v[t], decimals)
    if asked.old is None:
        return f"v{sub(t)} = {v} is added as it is."
    old = vector(asked.old[:-1], decimals)
    if asked.error is None:
        share = _kept(np.atleast_1d(trace.beta[t]), decimals)
        times = "" if share == "1" else f", times β = {share}"
        return (
            f"a{sub(t)} reads {old} of S{sub(t)}{times}, which b{sub(t)} adds; then v{sub(t)} = {v} is added."
        )
    beta, u = _kept(np.atleast_1d(trace.beta[t]), decimals), vector(trace.u[t], decimals)
    sum_of = f" = {beta} × ({v} − {old})" if len(trace.v[t]) <= FEW else ""
    return f"The key's old answer is {old}, so u = β (v − old){sum_of} = {u} is added."


def _kept(shares: np.ndarray, decimals: int) -> str:
    low, high = number(float(shares.min()), decimals), number(float(shares.max()), decimals)
    return low if low == high else f"{low} to {high}"


def read(trace: Any, t: int, decimals: int = 3) -> str:
    """What query t reads, and what becomes of it."""
    what = seen(trace, t, decimals)
    numerator = f"q{sub(t)} reads {what or 'the numerator'} {vector(trace.read[t], decimals)}"
    if not trace.settings.normalize:
        return f"{numerator}, not divided: that is y{sub(t)}."
    total = score_sum(trace, t, decimals)
    if not trace.defined[t]:
        return f"{numerator}; the score sum is {total}, so y{sub(t)} is undefined."
    return f"{numerator}; ÷ score sum {total} it is y{sub(t)} = {vector(trace.y[t], decimals)}."


def score_sum(trace: Any, t: int, decimals: int = 3) -> str:
    """What the numerator is divided by: 2, or 2 + 0.5 where an eps is added."""
    total, eps = number(float(trace.norm[t]), decimals), float(trace.settings.eps)
    return f"{total} + {number(eps, decimals)}" if eps else total


def seen(trace: Any, t: int, decimals: int = 3) -> str:
    """Which state query t reads, where that is not the one after its own token's write; else ""."""
    if not trace.settings.read_before_write:
        return ""
    before = f"S{sub(t)}, before this write"
    if trace.bonus is None:
        return f"{before}:"
    return f"{before}, and its own token times u = {_kept(trace.bonus, decimals)}:"


def scale(limit: float, beyond: Mapping[str, float], decimals: int = 3) -> str:
    """What the colours of several maps mean together."""
    said = f"One scale for all: blue above 0, red below, full from ±{number(limit, decimals)} on."
    return f"{said} Numbers go far past that: to {numbers(beyond, 1)}." if beyond else said
