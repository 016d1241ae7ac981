"""What one run did, all of it. Figures and exports read a Trace and recompute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linattn_core import all_pairs, extremes
from linattn_core.checks import RunSettings
from linattn_core.division import Division, condition, divide
from linattn_core.ordered import frozen
from linattn_core.tokens import Tokens


@dataclass(frozen=True, eq=False)
class Trace:
    """All that one run wrote and read; every array is read-only.

    q (Tq, d_φ), k (T, d_φ): after φ.   v (T, d_v).   u (T, d_v): the vector written, k uᵀ is the write.
    S (T+1, d_φ, d_v), z (T+1, d_φ): S[t] is the state before token t.
    read (Tq, d_v) = scale · qᵀS, norm (Tq,) = scale · qᵀz: plain sums from left to right.
    gates: what the rule's knobs were for each token; `gamma` (T, d_φ), any other (T,).
    initial: the state carried in, (S0, z0) or None. With z0 None, z, norm and what follows from them are NaN.
    """

    tokens: Tokens
    settings: RunSettings
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    u: np.ndarray
    S: np.ndarray
    z: np.ndarray
    read: np.ndarray
    norm: np.ndarray
    gates: Mapping[str, np.ndarray]
    initial: tuple[np.ndarray, np.ndarray | None] | None

    @property
    def y(self) -> np.ndarray:
        """read / (norm + eps), (Tq, d_v), or read where the run does not divide; NaN where undefined."""
        return self.division.y

    @property
    def defined(self) -> np.ndarray:
        """False where the run divides and the score sum is 0 or is not a number, (Tq,)."""
        return self.division.defined

    @property
    def log10_norm(self) -> np.ndarray:
        """log10 |norm|, (Tq,): right also where norm itself over- or underflows; −inf where it is 0."""
        return self.division.log10_norm

    @cached_property
    def rescaled(self) -> np.ndarray:
        """True where y and the weights come from the row-scaled form because plain sums cannot hold them."""
        return frozen(self.division.rescaled & self.defined)

    @cached_property
    def division(self) -> Division:
        """y and what belongs to it."""
        return divide(self)

    @cached_property
    def condition(self) -> np.ndarray:
        """Σ |scores| / |norm|, (Tq,): the factor by which rounding may grow in y.

        1 where no score is negative; inf where scores cancel to 0; NaN where every score is 0.
        """
        return condition(self)

    @property
    def alpha(self) -> np.ndarray | None:
        """The share of each row of S that token t keeps, (T, d_φ); None where the rule decays nothing."""
        return self.gates.get("gamma")

    @property
    def final(self) -> tuple[np.ndarray, np.ndarray | None]:
        """(S[T], z[T]), which `initial` of a next run takes; z is None where the run began without one."""
        without_z = self.initial is not None and self.initial[1] is None
        return self.S[len(self.k)], None if without_z else self.z[len(self.k)]

    @property
    def overflow(self) -> int | None:
        """Tokens written when the state first stopped being finite; None if it never did."""
        finite = np.isfinite(self.S).all(axis=(1, 2))
        if self.final[1] is not None:
            finite &= np.isfinite(self.z).all(axis=1)
        return None if finite.all() else int(np.argmin(finite))

    def contribution(self, t: int) -> np.ndarray:
        """k_t u_tᵀ, (d_φ, d_v): what token t adds to the state."""
        with np.errstate(all="ignore"):  # as in the run that this repeats
            return frozen(self.k[t][:, None] * self.u[t][None, :])

    def scores(self) -> np.ndarray:
        """The reads with V = I and nothing carried, (Tq, T); 0 for keys that a query may not see."""
        return self._scores

    def weights(self) -> np.ndarray:
        """scores / (norm + eps), (Tq, T), where the run divides (NaN where undefined), else the scores."""
        return self._weights

    @cached_property
    def carried(self) -> np.ndarray:
        """The part of y that comes from the initial state, (Tq, d_v): weights() @ v + carried is y."""
        return frozen(all_pairs.carried(self))

    @cached_property
    def logs(self) -> extremes.Logs | None:
        """Logs of φ(q), φ(k) and the decay for the row-scaled form; None where it does not apply."""
        return extremes.logs(self)

    @cached_property
    def _scores(self) -> np.ndarray:
        return frozen(all_pairs.scores(self))

    @cached_property
    def _weights(self) -> np.ndarray:
        return frozen(all_pairs.weights(self))
