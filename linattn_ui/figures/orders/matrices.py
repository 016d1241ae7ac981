"""The matrices of both orders, and one size of a cell for all their pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linattn_core import Brackets
from linattn_ui import words
from linattn_ui.figures.base import limit_of

NUMBERS = 16  # cells across a picture up to which numbers in them can be read on a wide page
GAP = 0.07  # between a factor and its product, of what tokens and components take
TALLEST, CELL = 280, 34  # px


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix as it is called on screen: its numbers, the role of its frame, where its name stands.

    limit: the end of its colour scale.
    """

    name: str
    x: np.ndarray
    role: str
    side: str  # "left": below it, toward the left; "top": above it; "result": below it, toward the right
    limit: float
    masked: bool = False  # nothing above the diagonal

    @property
    def label(self) -> str:
        """QKᵀ 3×3, of a result in two lines."""
        rows, columns = self.x.shape
        return f"{self.name}{'<br>' if self.side == 'result' else ' '}{rows}×{columns}"

    def at(self, side: str) -> Matrix:
        """The same with its name elsewhere."""
        return replace(self, side=side)

    def turned(self, side: str) -> Matrix:
        """Its transpose."""
        return replace(self, name=f"{self.name}ᵀ", x=self.x.T, side=side)


@dataclass(frozen=True, eq=False)
class Named:
    """The matrices of both orders; scores, S and sums as they come out."""

    q: Matrix
    k: Matrix
    v: Matrix
    scores: Matrix
    S: Matrix
    sums: Matrix


def named(both: Brackets, mapped: bool, causal: bool) -> Named:
    """As the text calls them: Q̃ and K̃ after a φ; the state of a causal read is that after the last token."""
    tilde = "\u0303" if mapped else ""
    q, k, last = f"Q{tilde}", f"K{tilde}", len(both.k)
    S, typed = f"S{words.sub(last)}" if causal else f"{k}ᵀV", limit_of(both.q, both.k, both.v)
    return Named(
        Matrix(q, both.q, "query", "left", typed),
        Matrix(k, both.k, "key", "left", typed),
        Matrix("V", both.v, "value", "top", typed),
        Matrix(f"{q}{k}ᵀ", both.scores, "contribution", "result", limit_of(both.scores), causal),
        Matrix(S, both.S[last], "state", "top", limit_of(both.S)),
        Matrix("sums", both.state_first, "text", "result", limit_of(both.state_first)),
    )


@dataclass(frozen=True)
class Scale:
    """The room of every picture of the page, in cells, so that a cell has one size in all of them."""

    width: float
    tall: float  # the tallest one; others are less tall, not less wide
    gap: float  # between two matrices

    @property
    def cell(self) -> float:
        """Px of a cell where the page is wide enough; on a phone all pictures shrink alike."""
        return min(CELL, TALLEST / self.tall)

    @property
    def digits(self) -> int | None:
        """Decimals that fit into a cell; None where no number does."""
        return None if self.width > NUMBERS else 2 if self.width <= NUMBERS / 2 else 1


def scale_of(both: Brackets) -> Scale:
    """Room for each of the four products."""
    T, d_k, d_v = len(both.k), *both.S.shape[1:]
    gap = GAP * (T + max(d_k, d_v))
    beside, along = T + max(d_k, d_v) + gap, max(T, d_k) + 2 * d_v + 2 * gap
    return Scale(max(beside, along), beside, gap)
