"""What the page "Write rules" says of the same tokens under several rules, computed from the runs."""

from linattn_ui.words.write_rules.answers import loss, noisy, returned
from linattn_ui.words.write_rules.capacity import held, recalled
from linattn_ui.words.write_rules.growth import best, growth, left, order, shuffled
from linattn_ui.words.write_rules.named import named
from linattn_ui.words.write_rules.step import answer, grown, look, name, read, scale, wrote
from linattn_ui.words.write_rules.trained import other_reader, rewritten, shares, trained
from linattn_ui.words.write_rules.weights import weights

__all__ = [
    "answer",
    "best",
    "grown",
    "growth",
    "held",
    "left",
    "look",
    "loss",
    "name",
    "named",
    "noisy",
    "order",
    "other_reader",
    "read",
    "recalled",
    "returned",
    "rewritten",
    "scale",
    "shares",
    "shuffled",
    "trained",
    "weights",
    "wrote",
]
