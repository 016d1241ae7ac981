"""The snapshot: everything of a run in plain Python, versioned. Exports write it and others can read it.

`head` is all but the step and its results; with the arrays it holds, whoever steps through the tokens
elsewhere can build the same snapshot of one step.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linattn_core.all_pairs import softmax
from linattn_core.feature_maps import FEATURE_MAPS
from linattn_core.inputs import InputError
from linattn_core.numerals import called
from linattn_core.trace import Trace
from linattn_core.update_rules import UPDATE_RULES

FORMAT, VERSION = "linattn-snapshot", 1

CONVENTIONS = (
    "S[t] and z[t] are the state before token t; T tokens give T + 1 states and S[0] is what was carried in.",
    "A row of S belongs to a component of φ(k), a column to a component of the value; no axis of S is time.",
    "Query t reads the state after token t is written, or before it with read_before_write; "
    "with read = full every query reads the last state.",
    "Where rule rwkv6 reads before the write, query t reads S[t] + diag(u) φ(k_t) v_tᵀ.",
    "read = scale · φ(q)ᵀS, norm = scale · φ(q)ᵀz; "
    "y = read / (norm + eps) where normalize is true, else y = read.",
    "log_decay is a natural logarithm: each row of S is multiplied by exp(log_decay) before the write.",
    "Sums run from left to right in index order, with separate multiplication and addition.",
    "step counts the tokens written; null is the whole run. Steps and indices count from 0.",
    "Numbers that JSON cannot write are the strings NaN, Infinity and -Infinity.",
)


def snapshot(trace: Trace, step: int | None = None) -> dict[str, Any]:
    """`head`, the step, and the results of the whole run (None) or of the step after `step` tokens (0…T).

    Raises:
        InputError: step is not a whole number from 0 to T, or the map or rule is from outside.
    """
    named = whole_run(trace) if step is None else one_step(trace, step)
    results = {name: array.tolist() for name, array in named.items()}
    return head(trace) | {"step": None if step is None else int(step), "results": results}


def head(trace: Trace) -> dict[str, Any]:
    """What the run was: format, conventions, settings, the tokens as typed, and the state carried in.

    Raises:
        InputError: a map or rule from outside, which its key would not bring back.
    """
    tokens, settings = trace.tokens, trace.settings
    _known("map", settings.phi.key, settings.phi.phi, {each.key: each.phi for each in FEATURE_MAPS})
    _known("rule", settings.rule.key, settings.rule.step, {each.key: each.step for each in UPDATE_RULES})
    initial = None
    if trace.initial is not None:
        initial = {"S": _plain(trace.initial[0]), "z": _plain(trace.initial[1])}
    return {
        "format": FORMAT,
        "version": VERSION,
        "conventions": list(CONVENTIONS),
        "settings": {
            "phi": settings.phi.key,
            "rule": settings.rule.key,
            "read": settings.read,
            "normalize": settings.normalize,
            "scale": settings.scale,
            "eps": settings.eps,
            "read_before_write": settings.read_before_write,
            "dtype": settings.dtype,
            "knobs": {name: _plain(value) for name, value in settings.knobs.items()},
        },
        "tokens": {
            "q": _plain(tokens.q),
            "k": _plain(tokens.k),
            "v": _plain(tokens.v),
            "labels": None if tokens.labels is None else list(tokens.labels),
            "beta": _plain(tokens.beta),
            "log_decay": _plain(tokens.log_decay),
        },
        "initial": initial,
    }


def _known(what: str, key: str, made: Callable[..., Any], own: Mapping[str, Callable[..., Any]]) -> None:
    """Nothing where the key finds the same function again."""
    if own.get(key) is not made:
        raise InputError(
            f"A snapshot needs a {what} of this package, which its key finds again; {called(key)} is from "
            f"elsewhere. Save the arrays of the trace with np.savez."
        )


def _plain(value: Any) -> Any:
    """An array as nested lists, a NumPy number as a Python one."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def whole_run(trace: Trace) -> dict[str, np.ndarray]:
    """Every array of the run by its name in the file; without those that no single T×T map stands for."""
    softmax_y, softmax_weights = softmax(trace.tokens, read=trace.settings.read)
    decayed = {} if trace.alpha is None else {"alpha": trace.alpha}
    return {
        "q_phi": trace.q,
        "k_phi": trace.k,
        "u": trace.u,
        **decayed,
        "S": trace.S,
        **({"z": trace.z, "norm": trace.norm} if trace.one_map else {}),
        "read": trace.read,
        "y": trace.y,
        "defined": trace.defined,
        "condition": trace.condition,
        "log10_norm": trace.log10_norm,
        "rescaled": trace.rescaled,
        "carried": trace.carried,
        **({"scores": trace.scores(), "weights": trace.weights()} if trace.one_map else {}),
        "softmax_scale": np.asarray(trace.tokens.k.shape[1] ** -0.5),
        "softmax_weights": softmax_weights,
        "softmax_y": softmax_y,
    }


def one_step(trace: Trace, step: int) -> dict[str, np.ndarray]:
    """The arrays of the token that `step` tokens end with; of step 0 the state that the run starts from.

    Rows over keys stop at the last token written, or hold every key where every query reads the last state.
    A query that does not exist (fewer queries than keys) leaves out what it would read.

    Raises:
        InputError: step is not a whole number from 0 to T.
    """
    T = len(trace.k)
    if isinstance(step, bool) or not isinstance(step, int | np.integer) or not 0 <= step <= T:
        raise InputError(
            f"step needs a whole number of tokens written, from 0 to {T}; it is {step!r}. Change it."
        )
    if step == 0:
        return {"S_after": trace.S[0]} | ({"z_after": trace.z[0]} if trace.one_map else {})
    written = {
        "k_phi": trace.k[step - 1],
        "u": trace.u[step - 1],
        "write": trace.contribution(step - 1),
        "S_before": trace.S[step - 1],
        **_between(trace, step - 1),
        "S_after": trace.S[step],
    }
    if trace.one_map:
        written |= {"z_before": trace.z[step - 1], "z_after": trace.z[step]}
    return written | (_query(trace, step) if step <= len(trace.q) else {})


def _between(trace: Trace, t: int) -> dict[str, np.ndarray]:
    """What the rule makes of S[t] before it writes, as far as it does anything; without the column of z."""
    found = trace.correction(t)
    named = {"S_decayed": None if trace.alpha is None else found.decayed}
    named |= {"old": found.old, "error": found.error, "removal": found.removal}
    return {name: array[..., :-1] for name, array in named.items() if array is not None}


def _query(trace: Trace, step: int) -> dict[str, np.ndarray]:
    """What the query of the last written token reads."""
    softmax_y, softmax_weights = softmax(trace.tokens, read=trace.settings.read)
    i, keys = step - 1, len(trace.k) if trace.settings.read == "full" else step
    found = {"q_phi": trace.q[i], "read": trace.read[i], "y": trace.y[i]}
    if trace.one_map:
        found["norm"] = trace.norm[i]
        found |= {"scores": trace.scores()[i, :keys], "weights": trace.weights()[i, :keys]}
    return found | {
        "softmax_scale": np.asarray(trace.tokens.k.shape[1] ** -0.5),
        "softmax_weights": softmax_weights[i, :keys],
        "softmax_y": softmax_y[i],
    }
