"""Captions of the products: what each takes, and what is kept."""

from linattn_core import Sizes, form
from linattn_ui.words.numbers import sub
from linattn_ui.words.orders.counts import count, counted

STATE, WORK = form("state_first"), "multiply-add"


def order(name: str, sizes: Sizes, key: str) -> str:
    """Heading of an order, with all that its two products take."""
    return f"**{name}**: {counted(form(key).multiply_adds(sizes), WORK)}"


def scores(name: str, sizes: Sizes) -> str:
    """What the scores take, and which are left out."""
    pairs, all_of_them = sizes.pairs, sizes.T**2
    which = counted(pairs, "score")
    later = ""
    if pairs < all_of_them:
        which = f"{count(pairs)} of {counted(all_of_them, 'score')}"
        later = " Above the diagonal are tokens that a query may not see."
    each = f"{counted(sizes.d_phi, WORK)}{'' if pairs == 1 else f' each, {count(pairs * sizes.d_phi)}'}"
    return f"{name}: {which} of {each}.{later}"


def scores_times_v(name: str, sizes: Sizes) -> str:
    """What weighing the values takes."""
    return (
        f"({name})V: each score times a value of {sizes.d_v}, {counted(sizes.pairs * sizes.d_v, WORK)}. "
        "The sums are numerators, not yet divided by the score sum."
    )


def _cells(sizes: Sizes) -> str:
    """2×2 cells"""
    return f"{sizes.d_phi}×{sizes.d_v} {'cell' if sizes.d_phi * sizes.d_v == 1 else 'cells'}"


def state(name: str, sizes: Sizes) -> str:
    """What writing all tokens takes, and that no axis of the result is time."""
    T, cells = sizes.T, _cells(sizes)
    writes = f"1 token writes {cells}" if T == 1 else f"{T} tokens write {cells} each"
    return (
        f"{name}: {writes}, {counted(STATE.write(sizes), WORK)}. "
        "The tokens are summed over: no side of this matrix grows with T."
    )


def states(sizes: Sizes, drawn: int) -> str:
    """The states of a causal read, and which of them is kept."""
    T, cells = sizes.T, STATE.between(sizes)
    which = "" if drawn == T else f" ({drawn} of them drawn)"
    return (
        f"{counted(T, 'state')} of {sizes.d_phi}×{sizes.d_v}{which}: each token adds k\u00a0vᵀ, in all "
        f"{counted(STATE.write(sizes), WORK)}. Together they would be {counted(T * cells, 'number')}; one "
        f"is kept at a time, {counted(cells, 'number')}, now S{sub(T)}."
    )


def q_times_state(name: str, sizes: Sizes) -> str:
    """What reading takes, and which rows read which state."""
    T = sizes.T
    earlier = "" if T == 1 else "; earlier rows read earlier states"
    which = f" The framed row, q{sub(T - 1)}, reads {name}{earlier}." if sizes.causal else ""
    who = "1 query" if T == 1 else f"Each of {T} queries"
    return f"{who} reads {_cells(sizes)}, {counted(STATE.read(sizes), WORK)}.{which}"
