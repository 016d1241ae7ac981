"""The numbers of a rule: checked as they arrive, then spread over the tokens as its step takes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from linattn_core.inputs import InputError, finite, numbers
from linattn_core.knobs import ArrayKnob, Knob, within
from linattn_core.tokens import Tokens, log_decay_array
from linattn_core.update_rules import UpdateRule

ONE_PER = {"T": "one per key", "d_φ": "one per component of φ(k)"}


def rule_knobs(
    rule: UpdateRule, tokens: Tokens, knobs: Mapping[str, Any], divides: bool
) -> dict[str, np.ndarray]:
    """The numbers of a rule as `run` would take them again, without what the tokens carry themselves.

    Raises:
        InputError: a number comes twice, a shape or range is wrong, or β has columns and the run divides.
    """
    T, d_v = tokens.v.shape
    resolved = {}
    for knob in rule.knobs:
        if knob.name == "gamma" and _decay_comes_as_log(tokens, knobs):
            if "log_decay" in knobs:
                resolved["log_decay"] = log_decay_array("log_decay", knobs["log_decay"], T)
        elif knob.name != "beta" or not _beta_comes_with_tokens(tokens, knobs):
            resolved[knob.name] = _number(knob, knobs.get(knob.name, knob.default), {"T": T, "d_v": d_v})
    for array in rule.arrays:
        if array.name in knobs:
            resolved[array.name] = finite(array.name, numbers(array.name, knobs[array.name]))
    if divides and any(knob.name == "beta" for knob in rule.knobs):
        _one_beta_a_key(resolved.get("beta", tokens.beta))
    return resolved


def _number(knob: Knob, value: Any, sizes: Mapping[str, int]) -> np.ndarray:
    """In the knob's range, and one number, or one for each of its axes."""
    if "d_φ" not in knob.axes:  # whose length waits for φ(k)
        fits(knob, numbers(knob.name, value).shape, sizes)
    return within(knob, value)


def fits(knob: Knob, shape: tuple[int, ...], sizes: Mapping[str, int]) -> None:
    """Nothing where the shape is one of: (), the knob's first axis, both of its axes.

    Raises:
        InputError: another shape.
    """
    whole = tuple(sizes[axis] for axis in knob.axes)
    if shape != whole[: len(shape)]:
        several = f"{whole[0]} ({ONE_PER[knob.axes[0]]})"
        need = f", {several}, or a {whole} table" if whole[1:] else f", or {several}"
        raise InputError(f"{knob.name} needs one number{need}; its shape is {shape}. Reshape it.")


def _decay_comes_as_log(tokens: Tokens, knobs: Mapping[str, Any]) -> bool:
    given = [f"{name}=" for name in ("gamma", "log_decay") if name in knobs]
    if tokens.log_decay is not None:
        given.append("the tokens' log_decay")
    if len(given) > 1:
        raise InputError(f"The decay needs one source; it came as {' and as '.join(given)}. Keep one.")
    return given not in ([], ["gamma="])


def _beta_comes_with_tokens(tokens: Tokens, knobs: Mapping[str, Any]) -> bool:
    if tokens.beta is not None and "beta" in knobs:
        raise InputError("beta needs one source; it came as beta= and as the tokens' beta. Keep one.")
    return tokens.beta is not None


def _one_beta_a_key(beta: np.ndarray | None) -> None:
    if beta is not None and beta.ndim == 2:
        raise InputError(
            f"A run that divides needs one beta per key, because it divides all value components by the same "
            f"score sum; beta is a {beta.shape} table. Pass one number per key, or normalize=False."
        )


def gates(
    rule: UpdateRule, tokens: Tokens, resolved: Mapping[str, Any], k: np.ndarray
) -> dict[str, np.ndarray]:
    """What a step takes, one row per token: gamma and arrays (T, d_φ), any other knob (T,).

    beta may be (T, d_v + 1): one number for each column of S, and NaN for z, which does not exist then.

    Raises:
        InputError: a table has another number of columns than φ(k).
    """
    beta = {} if tokens.beta is None else {"beta": tokens.beta}
    rows = {}
    for name in (knob.name for knob in rule.knobs if knob is not rule.bonus):
        if name == "gamma":
            rows[name] = _share_kept(tokens, resolved, k)
        else:
            rows[name] = _per_token((beta | dict(resolved))[name].astype(k.dtype), len(k))
    return rows | {array.name: _table(array, resolved, k) for array in rule.arrays}


def _share_kept(tokens: Tokens, resolved: Mapping[str, Any], k: np.ndarray) -> np.ndarray:
    """γ for each row of S, (T, d_φ), from the share itself or from its log."""
    if "gamma" in resolved:
        share = columns(resolved["gamma"]).astype(k.dtype)
    else:
        log_decay = tokens.log_decay if tokens.log_decay is not None else resolved["log_decay"]
        if log_decay.ndim == 2 and log_decay.shape[1] != k.shape[1]:
            raise InputError(
                f"log_decay needs one column per component of φ(k), which has {k.shape[1]}; "
                f"it has {log_decay.shape[1]} columns. Add or remove columns."
            )
        share = np.exp(columns(log_decay).astype(k.dtype))
    return np.broadcast_to(share, k.shape).copy()


def _per_token(x: np.ndarray, T: int) -> np.ndarray:
    """(T,), or (T, n + 1) with NaN in the last column."""
    if x.ndim < 2:
        return np.broadcast_to(x, T).copy()
    return np.column_stack([x, np.full(T, np.nan, x.dtype)])


def _table(array: ArrayKnob, resolved: Mapping[str, Any], k: np.ndarray) -> np.ndarray:
    if array.name not in resolved and array.default is not None:
        return array.default(k)
    x = resolved[array.name]
    if x.shape != k.shape:
        raise InputError(
            f"{array.name} needs a {k.shape} table, one row per key and one column per component of φ(k); "
            f"its shape is {x.shape}. Reshape it."
        )
    return x.astype(k.dtype)


def bonus(
    rule: UpdateRule, reads_first: bool, resolved: Mapping[str, Any], k: np.ndarray
) -> np.ndarray | None:
    """u (d_φ,), where queries read before the write and the rule shows them their own token; else None.

    Raises:
        InputError: u has another length than φ(k).
    """
    if rule.bonus is None:
        return None
    u, d_phi = resolved[rule.bonus.name], k.shape[1]
    fits(rule.bonus, u.shape, {"d_φ": d_phi})
    return np.broadcast_to(u.astype(k.dtype), d_phi).copy() if reads_first else None


def at(rows: Mapping[str, np.ndarray], t: int) -> dict[str, np.ndarray]:
    """The gates of token t, as a step takes them."""
    return {name: row[t] for name, row in rows.items()}


def columns(x: np.ndarray) -> np.ndarray:
    """(T,) as (T, 1), so that one number per token serves every component."""
    return x[:, None] if x.ndim == 1 else x
