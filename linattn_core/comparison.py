"""A run beside softmax attention on the same tokens: another scoring rule, another answer, not the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linattn_core.all_pairs import softmax_of_seen
from linattn_core.inputs import of_kind
from linattn_core.mixing import changed_list
from linattn_core.ordered import frozen, ordered_sum
from linattn_core.positions import visible
from linattn_core.tokens import Tokens
from linattn_core.trace import Trace


@dataclass(frozen=True, eq=False)
class Comparison:
    """The weights and outputs of a run, those of softmax attention, and what lies between them.

    weights, softmax_weights (Tq, T), y, softmax_y (Tq, d_v): a row is NaN where the run defines none.
    """

    trace: Trace
    softmax_weights: np.ndarray
    softmax_y: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """The weights of the run, (Tq, T)."""
        return self.trace.weights()

    @property
    def y(self) -> np.ndarray:
        """What the run answers, (Tq, d_v)."""
        return self.trace.y

    @property
    def seen(self) -> np.ndarray:
        """True where a query may see the token, (Tq, T)."""
        return frozen(visible(self.trace.settings, *self.softmax_weights.shape[::-1]))

    @cached_property
    def difference(self) -> np.ndarray:
        """weights − softmax_weights, (Tq, T): above 0 where the token counts for more than in softmax."""
        with np.errstate(all="ignore"):
            return frozen(self.weights - self.softmax_weights)

    @cached_property
    def moved(self) -> np.ndarray:
        """½ Σ |difference| over the tokens, (Tq,): the total variation where both rows sum to 1."""
        return frozen(ordered_sum(np.abs(self.difference)) / 2)

    @property
    def sums(self) -> np.ndarray:
        """Σ weights over the tokens, (Tq,): 1 where the run divides without eps and carries nothing in."""
        return frozen(ordered_sum(self.weights))


def compare(trace: Trace, *, scale: float | None = None) -> Comparison:
    """The run beside softmax attention over the same q, k, v; scale None is d_k^(−1/2).

    Both see the same tokens: where queries read before the write, softmax leaves their own token out as well.

    Raises:
        InputError: trace is no run, or scale is not a finite number.
    """
    of_kind("trace", trace, Trace, "a run", "Pass what run(tokens) returns.")
    seen = visible(trace.settings, len(trace.tokens.k), len(trace.tokens.q))
    y, weights = softmax_of_seen(trace.tokens, seen, scale)
    return Comparison(trace, weights, y)


def sharpened(tokens: Tokens, factor: float) -> Tokens:
    """The same tokens with every query multiplied by `factor`.

    >>> sharpened(Tokens([[1, 2]], [[1, 0]], [[5]]), 10).q
    array([[10., 20.]])
    """
    return changed_list(tokens, range(len(tokens.k)), q=factor * tokens.q)
