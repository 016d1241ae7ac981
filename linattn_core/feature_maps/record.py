"""What a feature map is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.knobs import ArrayKnob, Knob
from linattn_core.limits import states_fit
from linattn_core.tokens import Tokens

Rows = np.ndarray  # (n, d) in, (n, d_φ) out, one vector per row; the dtype that comes in goes out


@dataclass(frozen=True)
class FeatureMap:
    """A φ and what the reader is told about it.

    positive: φ(x) > 0 for every finite x, so no score sum is 0, as long as log φ(q) + log φ(k) stays finite.
    log_phi: log φ(x), exact where φ(x) itself over- or underflows; None where φ(x) may be negative.
    knobs, arrays: the keywords of phi, log_phi, width and check; an array is None where none is given.
    elementwise: component i of φ(x) depends on component i of x alone, so φ has a curve.
    positional: row i is the token at position first_position + i, and φ depends on that.
    width: d_φ for d, asked before φ is; None where they are the same.
    check: raises InputError where φ cannot take n tokens.
    """

    key: str
    title: str
    phi: Callable[..., Rows]
    log_phi: Callable[..., Rows] | None
    positive: bool
    knobs: tuple[Knob, ...]
    latex: str
    source: str
    elementwise: bool = False
    positional: bool = False
    arrays: tuple[ArrayKnob, ...] = ()
    width: Callable[..., int] | None = None
    check: Callable[..., None] | None = None

    def taken(self, knobs: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the knobs of a run that belong to this map."""
        names = [knob.name for knob in (*self.knobs, *self.arrays)]
        return {name: knobs[name] for name in names if name in knobs}

    def fits(self, tokens: Tokens, knobs: Mapping[str, Any]) -> None:
        """Nothing: the tokens can be mapped, and the states that a run keeps are not too large.

        Raises:
            InputError: they cannot, or are.
        """
        taken, (T, d_k) = self.taken(knobs), tokens.k.shape
        if self.check is not None:
            self.check(max(T, len(tokens.q)), **taken)
        if self.width is not None:
            states_fit(self.key, T, d_k, self.width(d_k, **taken), tokens.v.shape[1])
