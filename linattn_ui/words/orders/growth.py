"""What doubling T does to each form, and where the two orders cost the same."""

from collections.abc import Mapping
from dataclasses import replace

from linattn_core import Form, Sizes, break_even_kept, break_even_time, form, growth
from linattn_ui.words.numbers import listed, number
from linattn_ui.words.orders.counts import STAR, count, counted

SCORES, STATE, SOFTMAX = form("scores_first"), form("state_first"), form("softmax")


def double(scores: float, state: float) -> str:
    """Label of the button: Double T: ×4 / ×2."""
    return f"Double T: ×{number(scores, 2)} / ×{number(state, 2)}"


def grown(now: Sizes, forms: Mapping[str, Form], doubled: bool) -> str:
    """The multiply-adds of each form at T, and how often those of T / 2 where it was doubled."""
    if not doubled:
        each = [f"{title} {count(f.multiply_adds(now))}" for title, f in forms.items()]
        return f"Multiply-adds at T = {count(now.T)}: {listed(each)}. Double T to see how fast each grows."
    before = replace(now, T=now.T // 2)
    each = [
        f"{title} {count(f.multiply_adds(before))} → {count(f.multiply_adds(now))} "
        f"(×{number(growth(f, before), 2)})"
        for title, f in forms.items()
    ]
    return f"Multiply-adds from T = {count(before.T)} to {count(now.T)}: {', '.join(each)}."


def break_evens(sizes: Sizes) -> str:
    """Where the two lines stand, what holds below them, and on which side T is."""
    time, kept = number(break_even_time(sizes), 1), number(break_even_kept(sizes), 1)
    takes = _compared(SCORES.multiply_adds(sizes), STATE.multiply_adds(sizes), "multiply-add")
    keeps = _compared(SOFTMAX.kept(sizes), STATE.kept(sizes), "number")
    return (
        f"Both orders take equally many multiply-adds at {STAR} = {time}; below it the state order costs "
        f"more. A KV cache and the state (S and z) hold equally many numbers at {STAR} = {kept}; below it "
        f"the state keeps more. At T = {count(sizes.T)} the state order takes {takes} scores first, and "
        f"keeps {keeps} the cache."
    )


def _compared(listed: int, state: int, what: str) -> str:
    if listed == state:
        return f"as many {what}s as"
    more = "more" if state > listed else "fewer"
    return f"{counted(abs(listed - state), f'{more} {what}')} than"


def next_token(sizes: Sizes) -> str:
    """What one more token takes while a model generates."""
    one, more = (replace(sizes, T=T, causal=True) for T in (sizes.T, sizes.T + 1))
    cache, state = (f.multiply_adds(more) - f.multiply_adds(one) for f in (SCORES, STATE))
    return (
        f"While generating, token {count(more.T)} alone takes {counted(cache, 'multiply-add')} with a KV "
        f"cache, more with every token, and {count(state)} with the state as long as d_k and d_v stay."
    )


def softmax(sizes: Sizes) -> str:
    """Softmax attention pays for its scores what scores first pays, as long as φ widens no key."""
    costs = SOFTMAX.multiply_adds(sizes)
    beside = _compared(SCORES.multiply_adds(sizes), costs, "multiply-add")
    return (
        f"Softmax attention, which cannot move the brackets, takes {count(costs)}: {beside} (QKᵀ)V, "
        f"and {counted(sizes.pairs, 'exponential')} besides."
    )
