"""What a state of fixed size mixes: other lists with the same state, keys read back, capacity, other orders.

Everything here asks the last state of a run: the one that a query reads after all tokens are written.
"""

from linattn_core.mixing.capacity import KINDS, Capacity, capacity, state_rank
from linattn_core.mixing.last_state import Reading, ask, changed_list, reading, reordered, run_again
from linattn_core.mixing.query import denominators
from linattn_core.mixing.read_back import own_and_others, parts, read_back
from linattn_core.mixing.same_state import kept_keys, other_values, same_state, usual_amount, ways

__all__ = [
    "KINDS",
    "Capacity",
    "Reading",
    "ask",
    "capacity",
    "changed_list",
    "denominators",
    "kept_keys",
    "other_values",
    "own_and_others",
    "parts",
    "read_back",
    "reading",
    "reordered",
    "run_again",
    "same_state",
    "state_rank",
    "usual_amount",
    "ways",
]
