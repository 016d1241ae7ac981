"""Captions of the products: what each takes, and what is kept."""

from linattn_core import Sizes, form
from linattn_ui.words.numbers import sub
from linattn_ui.words.orders.counts import count

STATE = form("state_first")


def order(name: str, sizes: Sizes, key: str) -> str:
    """Heading of an order, with all that its two products take."""
    return f"**{name}**: {count(form(key).multiply_adds(sizes))} multiply-adds"


def scores(name: str, sizes: Sizes) -> str:
    """What the scores take, and which are left out."""
    pairs, all_of_them = sizes.pairs, sizes.T**2
    which = f"{count(pairs)} scores"
    later = ""
    if pairs < all_of_them:
        which = f"{count(pairs)} of {count(all_of_them)} scores"
        later = " Above the diagonal are tokens that a query may not see."
    return f"{name}: {which} of {sizes.d_phi} multiply-adds each, {count(pairs * sizes.d_phi)}.{later}"


def scores_times_v(name: str, sizes: Sizes) -> str:
    """What weighing the values takes."""
    return (
        f"({name})V: each score times a value of {sizes.d_v}, {count(sizes.pairs * sizes.d_v)} "
        "multiply-adds. The sums are numerators, not yet divided by the score sum."
    )


def state(name: str, sizes: Sizes) -> str:
    """What writing all tokens takes, and that no axis of the result is time."""
    return (
        f"{name}: {sizes.T} tokens write {sizes.d_phi}×{sizes.d_v} cells each, {count(STATE.write(sizes))} "
        f"multiply-adds. The tokens are summed over: no side of this matrix grows with T."
    )


def states(sizes: Sizes, drawn: int) -> str:
    """The states of a causal read, and which of them is kept."""
    T, cells = sizes.T, STATE.between(sizes)
    which = "" if drawn == T else f" ({drawn} of them drawn)"
    return (
        f"{T} states of {sizes.d_phi}×{sizes.d_v}{which}: each token adds k\u00a0vᵀ, in all "
        f"{count(STATE.write(sizes))} multiply-adds. Together they would be {count(T * cells)} numbers; one "
        f"is kept at a time, {count(cells)} numbers, now S{sub(T)}."
    )


def q_times_state(name: str, sizes: Sizes) -> str:
    """What reading takes, and which rows read which state."""
    T = sizes.T
    which = f" The framed row, q{sub(T - 1)}, reads {name}; earlier rows read earlier states."
    return (
        f"Each of {T} queries reads {sizes.d_phi}×{sizes.d_v} cells, {count(STATE.read(sizes))} "
        f"multiply-adds.{which if sizes.causal else ''}"
    )
