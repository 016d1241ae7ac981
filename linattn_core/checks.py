"""The other half of the door: the settings of a run, checked against its tokens and filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.feature_maps import FeatureMap, feature_map
from linattn_core.inputs import InputError, brief, finite, numbers, of_kind, one_of
from linattn_core.knobs import known_only, map_knobs
from linattn_core.rule_knobs import rule_knobs
from linattn_core.sealed import Sealed
from linattn_core.tokens import Tokens
from linattn_core.update_rules import UpdateRule, update_rule

DTYPES = ("float64", "float32", "float16")
READS = ("causal", "full")


@dataclass(frozen=True, eq=False)
class RunSettings(Sealed):
    """Every choice of a run, with its defaults filled in.

    scale, eps: rounded to dtype.   knobs: each of the map and of the rule by name, as `run` takes it again.
    """

    phi: FeatureMap
    rule: UpdateRule
    read: str
    normalize: bool
    scale: float
    eps: float
    read_before_write: bool
    dtype: str
    knobs: Mapping[str, Any]

    @property
    def sees_itself(self) -> bool:
        """Whether a query that reads before the write meets its own token, through the rule's bonus."""
        return self.read_before_write and self.rule.bonus is not None

    @property
    def misses_itself(self) -> bool:
        """Whether a query reads before its own token is written, and does not meet it."""
        return self.read_before_write and self.rule.bonus is None


def resolve(
    tokens: Tokens,
    phi: str | FeatureMap,
    rule: str | UpdateRule,
    knobs: Mapping[str, Any],
    *,
    read: str,
    normalize: bool | None,
    scale: float,
    eps: float,
    read_before_write: bool | None,
    dtype: Any,
) -> RunSettings:
    """The settings with records for keys and with defaults for what was left out.

    Raises:
        InputError: a setting does not exist or does not fit the tokens.
    """
    of_kind("tokens", tokens, Tokens, "Tokens", "Pass Tokens(q, k, v).")
    phi = phi if isinstance(phi, FeatureMap) else feature_map(phi)
    rule = rule if isinstance(rule, UpdateRule) else update_rule(rule)
    taken = (*phi.knobs, *phi.arrays, *rule.knobs, *rule.arrays)
    known_only(knobs, taken, f"A run with map {phi.key} and rule {rule.key}")
    knobs = {name: value for name, value in knobs.items() if value is not None}
    before = None if read_before_write is None else _yes_or_no("read_before_write", read_before_write)
    _check_read(tokens, one_of("read", read, READS), before)
    of_map = map_knobs(phi.knobs, phi.arrays, knobs, tokens.k.shape[1])
    phi.fits(tokens, of_map)
    divides = rule.divides if normalize is None else _yes_or_no("normalize", normalize)
    reads_first = rule.bonus is not None and read == "causal"
    dtype = _dtype(dtype)
    return RunSettings(
        phi,
        rule,
        read,
        divides,
        _scale(scale, dtype),
        _held("eps", number("eps", eps), dtype),
        reads_first if before is None else before,
        dtype,
        of_map | rule_knobs(rule, tokens, knobs, divides),
    )


def _check_read(tokens: Tokens, read: str, read_before_write: bool | None) -> None:
    if read == "causal" and len(tokens.q) != len(tokens.k):
        raise InputError(
            f"A causal read needs one query per key; q has {len(tokens.q)} rows and k has {len(tokens.k)}. "
            f"Add or remove rows, or let every query read the final state with read='full'."
        )
    if read == "full" and read_before_write:
        raise InputError(
            "With read='full' every query reads the final state, so nothing is left to be written after it; "
            "read_before_write is True. Leave it out, or read with 'causal'."
        )


def _yes_or_no(name: str, value: bool) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} needs True, False or None; it is {brief(value)}. Pass one of them.")
    return bool(value)


def number(name: str, value: Any) -> float:
    """One finite number ≥ 0.

    Raises:
        InputError: it is not that.
    """
    array = numbers(name, value)
    if array.ndim or not 0 <= array < np.inf:
        raise InputError(f"{name} needs one finite number ≥ 0; it is {brief(value)}. Change it.")
    return float(array)


def _scale(value: Any, dtype: str) -> float:
    scale = number("scale", value)
    if scale == 0:
        raise InputError(
            "scale needs a number > 0: with 0 every score is 0 and no average exists. Change it."
        )
    return _held("scale", scale, dtype)


def _held(name: str, value: float, dtype: str) -> float:
    """The number as the run takes it, rounded to its dtype.

    Raises:
        InputError: rounding makes it infinite, or makes 0 of what is above 0.
    """
    with np.errstate(all="ignore"):
        held = float(np.dtype(dtype).type(value))
    if np.isinf(held) or (value > 0 and held == 0):
        least, most = float(np.finfo(dtype).smallest_subnormal), float(np.finfo(dtype).max)
        raise InputError(
            f"{name} needs a number that {dtype} holds, from {least:g} to {most:g}; "
            f"{value:g} becomes {held:g}. Change it, or pass dtype='float64'."
        )
    return held


def _dtype(dtype: Any) -> str:
    try:
        name = np.dtype(dtype).name
    except (TypeError, ValueError, SyntaxError):  # what NumPy raises depends on how far it could read
        name = ""
    return name if name in DTYPES else one_of("dtype", dtype, DTYPES)


def initial_state(
    initial: Any, settings: RunSettings, d_phi: int, d_v: int
) -> tuple[np.ndarray, np.ndarray | None] | None:
    """(S0, z0) as read-only float64 copies, or None where nothing is carried in.

    Raises:
        InputError: not a pair, another shape, not finite, or z0 missing where the run divides.
    """
    if initial is None:
        return None
    if not isinstance(initial, tuple | list) or len(initial) != 2:
        raise InputError(
            f"initial needs a pair (S0, z0), as Trace.final gives it; it arrived as "
            f"{type(initial).__name__}. Pass both in a tuple."
        )
    S0, z0 = initial
    if z0 is None and settings.normalize:
        raise InputError(
            "A run that divides needs z0, the sum of the carried keys, to go with S0; it is None. "
            "Carry both, or pass normalize=False."
        )
    return (_state("S0", S0, (d_phi, d_v)), None if z0 is None else _state("z0", z0, (d_phi,)))


def _state(name: str, x: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = numbers(name, x)
    if array.shape != shape:
        raise InputError(
            f"{name} needs the shape {shape}, with one row per component of φ(k); its shape is "
            f"{array.shape}. Pass the state of a run with the same map."
        )
    return finite(name, array)
