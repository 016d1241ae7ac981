"""What the page "(QKᵀ)V or Q(KᵀV)" says: whether the brackets move, what moving them costs and saves."""

from linattn_ui.words.orders.brackets import lesson, look, one_and_minus_one, rows
from linattn_ui.words.orders.counts import count, length, size
from linattn_ui.words.orders.growth import break_evens, double, grown, next_token, softmax
from linattn_ui.words.orders.models import at_length, costs, of_model, tiles
from linattn_ui.words.orders.products import order, q_times_state, scores, scores_times_v, state, states

__all__ = [
    "at_length",
    "break_evens",
    "costs",
    "count",
    "double",
    "grown",
    "length",
    "lesson",
    "look",
    "next_token",
    "of_model",
    "one_and_minus_one",
    "order",
    "q_times_state",
    "rows",
    "scores",
    "scores_times_v",
    "size",
    "softmax",
    "state",
    "states",
    "tiles",
]
