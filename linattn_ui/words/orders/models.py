"""What real models keep and compute, and why computing softmax in tiles is another matter."""

from collections.abc import Sequence

from linattn_core import Model, break_even_kept, form
from linattn_ui.words.numbers import number
from linattn_ui.words.orders.counts import count, counted, length, size

SOFTMAX, POOLED, STATE = form("softmax"), form("pooled"), form("state_first")
TILE = 128  # rows and columns of a tile of scores


def of_model(model: Model) -> str:
    """Its sizes and where they are written."""
    shared = (
        "" if model.kv_heads == model.heads else f" that share {counted(model.kv_heads, 'key-value head')}"
    )
    return (
        f"{model.title}: {model.layers} layers, {model.heads} query heads{shared}, {model.d} components, "
        f"{model.bytes_per_number} bytes a number ({model.source})."
    )


def costs(model: Model, lengths: Sequence[int], r: int) -> list[tuple[str, ...]]:
    """What the model keeps and computes: one row a quantity, one column a length."""
    kept = {"KV cache": SOFTMAX, f"pooled KV cache, r = {r}": POOLED, "state (S and z)": STATE}
    work = {"softmax or (QKᵀ)V": SOFTMAX, f"softmax, pooled, r = {r}": POOLED, "Q(KᵀV)": STATE}
    return [
        *((f"{name}", *(size(model.bytes_kept(f, T, r)) for T in lengths)) for name, f in kept.items()),
        ("T×T scores of a layer in full", *(size(model.score_bytes(T)) for T in lengths)),
        *(
            (f"multiply-adds, {name}", *(count(model.multiply_adds(f, T, r)) for T in lengths))
            for name, f in work.items()
        ),
    ]


def at_length(model: Model, T: int) -> str:
    """The model's state against its cache at one length, and below which length the state costs more."""
    cache, state = model.bytes_kept(SOFTMAX, T), model.bytes_kept(STATE, T)
    meets = number(model.break_even_time, 1), number(break_even_kept(model.sizes(1)), 1)
    return (
        f"At {length(T)} tokens {model.title} keeps {size(cache)} of keys and values, "
        f"{count(round(cache / state))} times the {size(state)} that a state takes at any length. Below "
        f"{meets[0]} tokens the state order takes more multiply-adds, below {meets[1]} more memory."
    )


def tiles(model: Model, T: int) -> str:
    """Computing softmax in tiles is another matter than changing the score."""
    tile = model.heads * TILE * TILE * model.bytes_per_number
    return (
        f"Not building the T×T matrix is another matter. Softmax in tiles of {TILE}×{TILE}, as "
        f"FlashAttention has them, holds {size(tile)} of scores at a time instead of "
        f"{size(model.score_bytes(T))} a layer at {length(T)} tokens. The scores, the answer and all "
        f"{count(model.multiply_adds(SOFTMAX, T))} multiply-adds stay, and so does the KV cache. KᵀV first "
        "changes the score itself: the multiply-adds fall, and the answer is another one."
    )
