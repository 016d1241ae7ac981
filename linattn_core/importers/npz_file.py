"""Several arrays as np.savez writes them, or a snapshot in that form.

Its contents are looked at before any of it is unpacked, and each array only as far as its header says.
"""

import io
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from linattn_core.importers import document, json_file, npy_file
from linattn_core.importers.arrays import texts
from linattn_core.importers.record import Named
from linattn_core.limits import MAX_ARRAYS, MAX_TOTAL, SizeError, small_enough
from linattn_core.numerals import called, quoted
from linattn_core.snapshot import FORMAT
from linattn_core.tokens import InputError

ENTRY = b"PK\x01\x02"  # stands before each member in the archive's table of contents
SIMPLE = (0, 8)  # stored and deflated: what np.savez and np.savez_compressed write
ENCRYPTED = 1  # a flag
TYPED = ("q", "k", "v", "beta", "log_decay")


def read(data: bytes) -> Named:
    """The arrays by name; of a snapshot also `settings`, `step` and `ignored`.

    Raises:
        InputError: no .npz file, a member that is no array of real numbers, too much of it, or damage.
    """
    small_enough("A file", len(data))
    members = _members(data)
    meta = members.pop("meta", None)
    snapshot = None if meta is None else _snapshot(npy_file.array(meta, "meta"))
    arrays, left_out = _arrays(members, () if snapshot is None else set(members) - set(TYPED))
    if snapshot is None:
        return _named(arrays)
    if isinstance(snapshot.get("tokens"), dict):  # else `document` says so
        snapshot["tokens"] |= {name: arrays.pop(name) for name in TYPED if name in arrays}
    return document.named(snapshot | {"results": arrays | dict.fromkeys(left_out)})


def _members(data: bytes) -> dict[str, npy_file.Read]:
    """What reads each array, by its name.

    Raises:
        InputError: no archive, too many members, or one that is no plain array under a name of its own.
    """
    import zipfile  # here, so that the core loads without it

    if data.count(ENTRY) > MAX_ARRAYS:
        raise InputError(f"An .npz file needs at most {MAX_ARRAYS} arrays; this one has more. Save fewer.")
    archive = _trying(zipfile.ZipFile, io.BytesIO(data))
    members: dict[str, npy_file.Read] = {}
    for member in archive.infolist():
        name = _checked(member)
        if name in members:
            raise InputError(
                f"An .npz file needs each name once; {called(name)} stands twice. Save it again."
            )
        members[name] = _reader(archive, member)
    return members


def _checked(member: Any) -> str:
    """The name of an array.

    Raises:
        InputError: a name with a folder or another suffix, a password, or a compression NumPy does not write.
    """
    name = member.filename.removesuffix(".npy")
    if name == member.filename or not name or any(sign in name for sign in "/\\:"):
        raise InputError(
            f"An .npz file needs members such as q.npy, no folders; this one has {quoted(member.filename)}. "
            f"Save the arrays with np.savez."
        )
    if member.flag_bits & ENCRYPTED:
        raise InputError(f"An .npz file needs no password; {called(name)} is encrypted. Save it without.")
    if member.compress_type not in SIMPLE:
        raise InputError(
            f"An .npz file needs members that are stored or deflated; {called(name)} is neither. "
            f"Save it with np.savez."
        )
    return name


def _reader(archive: Any, member: Any) -> npy_file.Read:
    """The next bytes of a member, which is opened by the first call."""
    opened: list[Any] = []

    def read(size: int) -> bytes:
        if not opened:
            opened.append(_trying(archive.open, member))
        return _trying(opened[0].read, size)

    return read


def _trying(call: Callable[..., Any], *arguments: Any) -> Any:
    """The call's answer; whatever zipfile and zlib raise about bytes they cannot read becomes one sentence.

    Raises:
        InputError: they raised.
    """
    try:
        return call(*arguments)
    except Exception as fault:  # their lists of exceptions are open-ended
        raise InputError(
            f"An .npz file needs to be a whole archive; this one cannot be unpacked ({quoted(str(fault))}). "
            f"Save or send it again."
        ) from None


def _arrays(
    members: dict[str, npy_file.Read], optional: Collection[str]
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Every array by name, and the names of those that are optional and too large."""
    found: dict[str, np.ndarray] = {}
    left_out, numbers = [], 0
    for name in sorted(members, key=lambda name: name in optional):
        try:
            array = npy_file.array(members[name], called(name))
            numbers += array.nbytes // 8
            _fits_in(numbers)
        except SizeError:
            if name not in optional:
                raise
            left_out.append(name)
        else:
            found[name] = array
    return found, left_out


def _fits_in(numbers: int) -> None:
    if numbers > MAX_TOTAL:
        raise SizeError(
            f"An .npz file needs at most {MAX_TOTAL:,} numbers in all; this one has more. Save fewer arrays."
        )


def _named(arrays: dict[str, np.ndarray]) -> Named:
    """Numbers as they are, labels as texts; any other text is named in `ignored`."""
    found: Named = {name: array for name, array in arrays.items() if array.dtype.kind != "U"}
    if "labels" in arrays:
        found["labels"] = texts("labels", arrays["labels"].tolist())
    ignored = tuple(called(name) for name in arrays if name not in found)
    return found | ({"ignored": ignored} if ignored else {})


def _snapshot(meta: np.ndarray) -> dict[str, Any] | None:
    """The snapshot that goes with the arrays, all but them; None where `meta` is something else."""
    text = meta.tolist()
    if not isinstance(text, str) or FORMAT not in text:
        return None
    content = json_file.parse(text)
    return content if document.is_snapshot(content) else None
