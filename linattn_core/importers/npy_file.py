"""One array as np.save writes it. The header is matched, never evaluated, and is believed only after the
number of bytes agrees with it."""

import io
import math
import re
from collections.abc import Callable
from typing import Literal

import numpy as np

from linattn_core.importers.arrays import exact, real
from linattn_core.importers.record import Named
from linattn_core.limits import MAX_BYTES, fits, small_enough
from linattn_core.numerals import quoted
from linattn_core.tokens import InputError

Read = Callable[[int], bytes]
"""The next n bytes, or fewer where there are no more."""

MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 4096
LAST_CODE_POINT = 0x10FFFF
DESCR = r"['\"]descr['\"]\s*:\s*['\"]([<>|=]?[biufcOSUVMm][0-9]{0,9})['\"]\s*[,}]"
ORDER = r"['\"]fortran_order['\"]\s*:\s*(True|False)\s*[,}]"
SHAPE = r"['\"]shape['\"]\s*:\s*\(([0-9L, ]*)\)"


def read(data: bytes) -> Named:
    """The array, called `array`.

    Raises:
        InputError: no .npy file, an array that is not of real numbers or too large, or a damaged file.
    """
    small_enough("A file", len(data))
    return {"array": array(io.BytesIO(data).read, "The array")}


def array(read: Read, name: str) -> np.ndarray:
    """The numbers as float64, or texts as they are.

    Raises:
        InputError: see `read`.
    """
    dtype, shape, order = _header(read, name)
    if dtype.kind != "U":
        real(name, dtype)
    fits(name, shape)
    size = math.prod(shape) * dtype.itemsize
    if size > MAX_BYTES:
        raise InputError(f"{name} needs at most {MAX_BYTES >> 20} MB; it has {size >> 20:,} MB. Shorten it.")
    raw = read(size + 1)
    if len(raw) != size:
        arrived = f"{len(raw):,}" if len(raw) < size else "more"
        raise InputError(
            f"{name} needs {size:,} bytes, as its header says; {arrived} arrived. Save or send it again."
        )
    loaded = np.frombuffer(raw, dtype).reshape(shape, order=order)
    return _unicode(name, loaded) if dtype.kind == "U" else exact(name, loaded)


def _unicode(name: str, loaded: np.ndarray) -> np.ndarray:
    """The texts, every code point one that exists (Python breaks on others)."""
    codes = loaded.ravel().view(np.dtype("u4").newbyteorder(loaded.dtype.byteorder))
    if (codes > LAST_CODE_POINT).any():
        raise InputError(f"{name} needs texts in Unicode; it has other code points. Save it again.")
    return loaded


def _header(read: Read, name: str) -> tuple[np.dtype, tuple[int, ...], Literal["C", "F"]]:
    """Type, shape and order ("C" or "F")."""
    start = read(8)
    if len(start) < 8 or not start.startswith(MAGIC):
        raise InputError(f"{name} needs to be saved by np.save; it does not begin as such. Save it again.")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(read(width), "little")
    text = read(length).decode("latin-1") if length <= LONGEST_HEADER else ""
    descr, order, shape = (re.search(pattern, text) for pattern in (DESCR, ORDER, SHAPE))
    if not descr or not order or not shape:
        raise InputError(
            f"{name} needs a header with one plain type, the order and the shape; it has "
            f"{quoted(text) if text else 'none, or one too long'}. Save one array of float32 or float64."
        )
    sizes = tuple(int(n) for n in re.findall("[0-9]{1,18}", shape[1]))
    return _type(name, descr[1]), sizes, "F" if order[1] == "True" else "C"


def _type(name: str, descr: str) -> np.dtype:
    try:
        dtype = np.dtype(descr)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} needs a type such as float32 or float64; it has {quoted(descr)}. Save it again."
        ) from None
    if not dtype.itemsize:
        raise InputError(f"{name} needs entries of at least one byte; its type is {quoted(descr)}. Fill it.")
    return dtype
