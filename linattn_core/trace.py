"""What one run did, all of it. Figures and exports read a Trace and recompute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linattn_core import all_pairs, extremes
from linattn_core.checks import RunSettings
from linattn_core.correction import Correction, correction
from linattn_core.division import Division, condition, divide
from linattn_core.ordered import frozen
from linattn_core.sealed import Sealed
from linattn_core.tokens import InputError, Tokens


@dataclass(frozen=True, eq=False)
class Trace(Sealed):
    """All that one run wrote and read; every array and mapping is read-only.

    q (Tq, d_φ), k (T, d_φ): after φ.   v (T, d_v).
    written (T, d_v+1): [u | u_z].   states (T+1, d_φ, d_v+1): [S | z].   reads (Tq, d_v+1): [read | norm].
    gates: what a step took for each token; `gamma` and arrays (T, d_φ), any other (T,), or (T, d_v+1) where
    β differs between value components.
    bonus: u (d_φ,), where queries read before the write and meet their own token as diag(u) k vᵀ; else None.
    initial: the state carried in, (S0, z0) or None. With z0 None, z, norm and what follows from them are NaN.
    """

    tokens: Tokens
    settings: RunSettings
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    written: np.ndarray
    states: np.ndarray
    reads: np.ndarray
    gates: Mapping[str, np.ndarray]
    bonus: np.ndarray | None
    initial: tuple[np.ndarray, np.ndarray | None] | None

    @property
    def u(self) -> np.ndarray:
        """The vector written by each token, (T, d_v): k uᵀ is the write."""
        return self.written[:, :-1]

    @property
    def S(self) -> np.ndarray:  # noqa: N802
        """(T+1, d_φ, d_v): S[t] is the state before token t."""
        return self.states[:, :, :-1]

    @property
    def read(self) -> np.ndarray:
        """scale · qᵀS, (Tq, d_v): plain sums from left to right."""
        return self.reads[:, :-1]

    @property
    def one_map(self) -> bool:
        """Whether one T×T map describes the run: not where β differs between value components."""
        return self.beta is None or self.beta.ndim == 1

    @property
    def u_z(self) -> np.ndarray:
        """What each token writes into z, (T,): k u_z. It is 1 unless the rule corrects."""
        return self._of_one_map(self.written[:, -1])

    @property
    def z(self) -> np.ndarray:
        """(T+1, d_φ): the state that the same rule keeps for the value 1.

        Raises:
            InputError: no single T×T map describes the run.
        """
        return self._of_one_map(self.states[:, :, -1])

    @property
    def norm(self) -> np.ndarray:
        """scale · qᵀz, (Tq,): a plain sum from left to right. Raises InputError where z does."""
        return self._of_one_map(self.reads[:, -1])

    def _of_one_map(self, array: np.ndarray) -> np.ndarray:
        if not self.one_map:
            raise InputError(
                "beta differs between value components, so no single T×T map describes it: z, norm, scores "
                "and weights do not exist. Pass one beta per key, or use S, u, read and y alone."
            )
        return array

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

        1 where no score is negative; inf where scores cancel to 0; NaN where every score is 0, or where no
        score sum exists: β has columns, or z0 was not carried in.
        """
        return condition(self)

    @property
    def alpha(self) -> np.ndarray | None:
        """The share of each row of S that token t keeps, (T, d_φ); None where the rule decays nothing."""
        return self.gates.get("gamma")

    @property
    def beta(self) -> np.ndarray | None:
        """The share that token t corrects, (T,) or (T, d_v); None where the rule takes none."""
        beta = self.gates.get("beta")
        return beta if beta is None or beta.ndim == 1 else beta[:, :-1]

    @property
    def final(self) -> tuple[np.ndarray, np.ndarray | None]:
        """(S[T], z[T]), which `initial` of a next run takes; z is None where the run has none."""
        without_z = not self.one_map or (self.initial is not None and self.initial[1] is None)
        return self.S[-1], None if without_z else self.z[-1]

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

    def correction(self, t: int) -> Correction:
        """What token t's write starts from: the decayed state, and what the rule asks of the old one."""
        with np.errstate(all="ignore"):
            return correction(self, t)

    def scores(self) -> np.ndarray:
        """The reads with V = I and nothing carried, (Tq, T); 0 for keys that a query may not see.

        Raises:
            InputError: no single T×T map describes the run.
        """
        return self._of_one_map(self._scores)

    def weights(self) -> np.ndarray:
        """scores / (norm + eps), (Tq, T), where the run divides (NaN where undefined), else the scores.

        Raises:
            InputError: no single T×T map describes the run.
        """
        return self._of_one_map(self._weights)

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
