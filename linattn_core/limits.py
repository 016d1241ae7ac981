"""How much may come in from outside: checked before anything is unpacked or allocated."""

import math
from collections.abc import Sequence

from linattn_core.tokens import InputError

MAX_BYTES = 160 * 2**20  # of a file; the upload limit in .streamlit/config.toml
MAX_NUMBERS = 2**22  # of an array: 65,536 tokens of 64 components
MAX_ROWS = 10_000  # of a pasted table
MAX_ARRAYS = 64  # of a file
MAX_AXES = 4  # of an array
MAX_STATES = 2**25  # numbers in all states of a run whose map widens the vectors: 256 MB
MAX_TOTAL = 8 * MAX_NUMBERS  # of all arrays of a file together


class SizeError(InputError):
    """An array past the limits: an error, unless the run makes it again anyway."""


def small_enough(what: str, size: int) -> None:
    """A file or a text that is not too long to look at.

    Raises:
        InputError: it is.
    """
    if size > MAX_BYTES:
        raise InputError(
            f"{what} needs at most {MAX_BYTES >> 20} MB; this one has {size / 2**20:,.0f} MB. "
            f"Keep one head of one batch, or run it in Python."
        )


def fits(name: str, shape: Sequence[int]) -> None:
    """An array that is small enough, and has few enough axes, to be loaded.

    Raises:
        SizeError: it is not.
    """
    shape = tuple(shape)
    if len(shape) > MAX_AXES:
        raise SizeError(
            f"{name} needs at most {MAX_AXES} axes (batch, head, token, component); it has {len(shape)}. "
            f"Keep one of each further axis."
        )
    if math.prod(shape) > MAX_NUMBERS:
        raise SizeError(
            f"{name} needs at most {MAX_NUMBERS:,} numbers; its shape {shape} has {math.prod(shape):,}. "
            f"Keep one head of one batch, or fewer tokens."
        )


def states_fit(key: str, T: int, d: int, d_phi: int, d_v: int) -> None:
    """The states of a run that are small enough to be kept, where the map `key` makes d_φ components of d.

    Raises:
        SizeError: they are not.
    """
    kept = (T + 1) * d_phi * (d_v + 1)
    if d_phi > d and kept > MAX_STATES:
        raise SizeError(
            f"The map {key} makes {d_phi:,} components of {d}, so the {T + 1:,} states of this run hold "
            f"{kept:,} numbers; at most {MAX_STATES:,} are kept. Use fewer tokens or components."
        )
