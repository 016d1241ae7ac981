"""Figures of the page "What a fixed-size state mixes"."""

from linattn_ui.figures.mixing.bars import shares, weights
from linattn_ui.figures.mixing.capacity import capacity, rank
from linattn_ui.figures.mixing.plane import plane
from linattn_ui.figures.mixing.tables import state, values

__all__ = ["capacity", "plane", "rank", "shares", "state", "values", "weights"]
