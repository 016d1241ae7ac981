"""Figures of the page "(QKᵀ)V or Q(KᵀV)": both orders drawn to size, and cost curves."""

from linattn_ui.figures.orders.curves import costs
from linattn_ui.figures.orders.matrices import Matrix, Named, Scale, named, scale_of
from linattn_ui.figures.orders.pictures import product, row, shown_states, states

__all__ = [
    "Matrix",
    "Named",
    "Scale",
    "costs",
    "named",
    "product",
    "row",
    "scale_of",
    "shown_states",
    "states",
]
