"""What the browser needs of a run: once, as plain Python, so that stepping never asks the server."""

import base64
import hashlib
from typing import Any

import numpy as np

from linattn_core import Trace, softmax
from linattn_core.all_pairs import carried_reads
from linattn_core.exports.json_file import to_text
from linattn_core.snapshot import head


def payload(trace: Trace, *, softmax_scale: float | None = None, digits: int = 3) -> dict[str, Any]:
    """φ(q), φ(k), v, gates and softmax's weights of a float64 run, with `rev`, a hash of all of it.

    S, z, numerators, scores, shares and y are added up again by recurrence.js, in the order of `run`; where a
    rule does more than decay and add, it gets what was written and the scores.
    Arrays are base64 of little-endian float64: JSON has no NaN, and Streamlit turns a NumPy number into text.
    """
    data = _choices(trace, digits) | _arrays(trace) | _softmax(trace, softmax_scale)
    data |= _head(trace)
    data["rev"] = hashlib.blake2b(repr(sorted(data.items())).encode(), digest_size=8).hexdigest()
    return data


def _choices(trace: Trace, digits: int) -> dict[str, Any]:
    settings, tokens = trace.settings, trace.tokens
    return {
        "T": len(trace.k),
        "Tq": len(trace.q),
        "D": trace.k.shape[1],
        "V": trace.v.shape[1],
        "dk": tokens.k.shape[1],
        "labels": [str(name) for name in tokens.names],
        "phi": settings.phi.title,
        "wholeVector": not settings.phi.elementwise,
        "typed": settings.phi.key != "identity",
        "rule": settings.rule.key,
        "asks": settings.rule.asks or "",
        "oneMap": trace.one_map,
        "full": settings.read == "full",
        "divides": bool(settings.normalize),
        "readsFirst": bool(settings.read_before_write),
        "scale": float(settings.scale),
        "eps": float(settings.eps),
        "digits": int(digits),
    }


def _arrays(trace: Trace) -> dict[str, Any]:
    tokens = trace.tokens
    arrays = {"q": trace.q, "k": trace.k, "v": trace.v}
    if trace.settings.phi.key != "identity":
        arrays |= {"qTyped": tokens.q, "kTyped": tokens.k}
    arrays |= _gates(trace)
    if trace.initial is not None:
        arrays |= {"S0": trace.S[0], "carried": carried_reads(trace)}
        arrays |= {"z0": trace.z[0]} if trace.one_map else {}
    if not _is_plain(trace):
        arrays |= {"y": trace.y, "weights": _seen(trace, trace.weights())}
    return {name: encode(array) for name, array in arrays.items()} | {
        "carriesState": trace.initial is not None
    }


def _gates(trace: Trace) -> dict[str, np.ndarray]:
    """What the rule took, and of a rule that does more than decay and add what came of it."""
    given = {"alpha": trace.alpha, "beta": trace.beta, "bonus": trace.bonus}
    given |= {name: trace.gates.get(name) for name in ("a", "b")}
    arrays = {name: array for name, array in given.items() if array is not None}
    if not np.array_equal(trace.u, trace.v):
        arrays["u"] = trace.u
    if trace.one_map and not (trace.u_z == 1).all():
        arrays["uz"] = trace.u_z
    if trace.one_map and not trace.settings.rule.accumulates:
        arrays["scores"] = _seen(trace, trace.scores())
    return arrays


def _is_plain(trace: Trace) -> bool:
    """Whether y is read / (norm + eps), as the browser computes it; not where plain sums cannot hold it."""
    if not trace.settings.normalize:
        return True
    with np.errstate(all="ignore"):
        total = trace.norm + trace.settings.eps
        plain = trace.read / np.where(total == 0, np.nan, total)[:, None]
    return np.array_equal(plain, trace.y, equal_nan=True)


def _softmax(trace: Trace, scale: float | None) -> dict[str, Any]:
    scale = trace.tokens.k.shape[1] ** -0.5 if scale is None else float(scale)
    _, weights = softmax(trace.tokens, scale=scale, read=trace.settings.read)
    return {"softmaxScale": scale, "softmaxWeights": encode(_seen(trace, weights))}


def _seen(trace: Trace, weights: np.ndarray) -> np.ndarray:
    """Row by row what a query may see, without the masked future: half the bytes."""
    if trace.settings.read == "full":
        return weights
    return weights[np.tril_indices(len(weights))]


def _head(trace: Trace) -> dict[str, str]:
    """The start of a snapshot file as JSON text; the browser has q, k and v already and adds them."""
    start = head(trace)
    tokens = {name: value for name, value in start.pop("tokens").items() if name not in ("q", "k", "v")}
    return {"head": to_text(start), "headTokens": to_text(tokens)}


def encode(array: np.ndarray) -> str:
    """The numbers row by row: decimals, "0.5,-1.25", where they are shorter, else ":" and base64."""
    raw = ":" + base64.b64encode(np.ascontiguousarray(array, dtype="<f8").tobytes()).decode()
    if not np.isfinite(array).all():
        return raw
    text = ",".join(repr(x).removesuffix(".0") for x in array.ravel().tolist())
    return text if len(text) < len(raw) else raw
