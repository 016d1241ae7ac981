"""What the page "What a fixed-size state mixes" says, computed from the tokens on screen."""

from linattn_ui.words.mixing.capacity import fits, own_rank
from linattn_ui.words.mixing.keys_back import back, how_many, look
from linattn_ui.words.mixing.other_lists import left_out, other_order, twice
from linattn_ui.words.mixing.query import asked, shaded
from linattn_ui.words.mixing.two_lists import alike, always, freedom, trade, way_title, why

__all__ = [
    "alike",
    "always",
    "asked",
    "back",
    "fits",
    "freedom",
    "how_many",
    "left_out",
    "look",
    "other_order",
    "own_rank",
    "shaded",
    "trade",
    "twice",
    "way_title",
    "why",
]
