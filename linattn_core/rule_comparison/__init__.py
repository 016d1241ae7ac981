"""The same tokens under other write rules: what each keeps, what it answers, where it grows."""

from linattn_core.rule_comparison.beside import as_architecture, beside, in_order, open_gates
from linattn_core.rule_comparison.growth import Sweep, eigenvalues, sweep, written_again
from linattn_core.rule_comparison.losses import Losses, answer, equal_keys, key_sizes, left, loss, losses

__all__ = [
    "Losses",
    "Sweep",
    "answer",
    "as_architecture",
    "beside",
    "eigenvalues",
    "equal_keys",
    "in_order",
    "key_sizes",
    "left",
    "loss",
    "losses",
    "open_gates",
    "sweep",
    "written_again",
]
