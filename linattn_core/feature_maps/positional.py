"""Maps that depend on where a token stands: row i of x is the token at position first_position + i."""

import numpy as np

from linattn_core.feature_maps.elementwise import log_relu, relu
from linattn_core.feature_maps.record import FeatureMap, Rows
from linattn_core.knobs import Knob
from linattn_core.tokens import InputError

LAST = 2**20


def cosformer(x: Rows, *, max_length: int = 64, first_position: int = 1) -> Rows:
    """[relu(x) sin(πi/2m), relu(x) cos(πi/2m)] of the token at position i: scores fall off with distance.

    φ(q)·φ(k) = relu(q)·relu(k) cos(π(i − j)/2m), so moving all positions alike changes φ and no score.
    A fixed m: with m = T, as the paper has it, one more token would change φ of all before it.

    >>> cosformer(np.array([[2.0], [-1.0]]), max_length=2).round(3)
    array([[1.414, 1.414],
           [0.   , 0.   ]])
    """
    sine, cosine = _turned(x, max_length, first_position)
    return np.concatenate([relu(x) * sine, relu(x) * cosine], axis=-1)


def log_cosformer(x: Rows, *, max_length: int = 64, first_position: int = 1) -> Rows:
    """log relu(x) + log sin, log relu(x) + log cos: both are above 0 at the positions 1 to m."""
    sine, cosine = _turned(x, max_length, first_position)
    return np.concatenate([log_relu(x) + np.log(sine), log_relu(x) + np.log(cosine)], axis=-1)


def _turned(x: Rows, max_length: int, first_position: int) -> tuple[Rows, Rows]:
    """sin and cos of πi/2m, (n, 1) each."""
    angle = np.pi / 2 * (first_position + np.arange(len(x))[:, None]) / max_length
    return np.sin(angle).astype(x.dtype), np.cos(angle).astype(x.dtype)


def within_length(n: int, *, max_length: int = 64, first_position: int = 1) -> None:
    """Nothing: n tokens have room.

    Raises:
        InputError: the last of them stands past max_length.
    """
    last = first_position + n - 1
    if last > max_length:
        raise InputError(
            f"The map cosformer needs positions up to max_length, which is {max_length}; the last of "
            f"{n} tokens, the first at {first_position}, stands at {last}. "
            f"Set max_length to {last} or more, or leave tokens out."
        )


MAPS = (
    FeatureMap(
        "cosformer",
        "ReLU weighted by distance (cosFormer)",
        cosformer,
        log_cosformer,
        False,
        (
            Knob(
                "max_length",
                1,
                LAST,
                64,
                "longest sequence m",
                "Fixed in advance: a score is multiplied by cos(π(i − j)/2m), so the smaller m is, the less "
                "a distant token counts. More than m tokens have no place.",
            ),
            Knob(
                "first_position",
                1,
                LAST,
                1,
                "position of the first token",
                "1, or more where the state of earlier tokens is carried in: positions go on after them.",
            ),
        ),
        r"\varphi(x_i) = [\max(x_i, 0) \sin\tfrac{\pi i}{2m},\ \max(x_i, 0) \cos\tfrac{\pi i}{2m}]",
        "Qin et al. 2022, cosFormer: Rethinking Softmax in Attention",
        positional=True,
        width=lambda d, *, max_length=64, first_position=1: 2 * d,
        check=within_length,
    ),
)
