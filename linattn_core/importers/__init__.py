"""Import formats: bytes in, named arrays out. To add one: a module with `read`, and its record in IMPORTERS.

The modules are loaded when a file of their kind is read: a run needs none of them.
"""

from collections.abc import Callable
from importlib import import_module

from linattn_core.importers.record import Importer, Named
from linattn_core.inputs import of_kind
from linattn_core.knobs import find
from linattn_core.numerals import quoted
from linattn_core.tokens import InputError

__all__ = ["IMPORTERS", "Importer", "Named", "importer", "importer_for", "sniff"]


def _reader(module: str) -> Callable[[bytes], Named]:
    """`read` of a module of this folder."""
    return lambda data: import_module(f"{__name__}.{module}").read(_bytes(data))


def _bytes(data: bytes) -> bytes:
    """What a file holds.

    Raises:
        InputError: a text, a path, or anything else.
    """
    of_kind("A file", data, bytes | bytearray, "to come as its bytes", "Read it with open(path, 'rb').")
    return data


IMPORTERS = (
    Importer("npz", "NumPy archive", (".npz",), _reader("npz_file")),
    Importer("npy", "NumPy array", (".npy",), _reader("npy_file")),
    Importer("json", "JSON", (".json",), _reader("json_file")),
    Importer("csv", "CSV or text", (".csv", ".tsv", ".txt"), _reader("csv_file")),
)


def importer(key: str) -> Importer:
    """The importer called `key`.

    Raises:
        InputError: no importer has that key.
    """
    return find("importer", IMPORTERS, key)


def importer_for(file_name: str) -> Importer:
    """The importer of files with that suffix, in small or capital letters.

    Raises:
        InputError: no importer reads such files.
    """
    of_kind("file_name", file_name, str, "a text", "Pass the name with its suffix.")
    for record in IMPORTERS:
        if file_name.lower().endswith(record.suffixes):
            return record
    suffixes = ", ".join(suffix for record in IMPORTERS for suffix in record.suffixes)
    raise InputError(
        f"A file needs one of the suffixes {suffixes}; this one is {quoted(file_name)}. Convert it."
    )


def sniff(data: bytes) -> Importer:
    """The importer for what the file begins with: an archive, an array, a bracket, or lines of text.

    Raises:
        InputError: no bytes.
    """
    data = _bytes(data)
    if data.startswith(b"PK"):
        return importer("npz")
    if data.startswith(b"\x93NUMPY"):
        return importer("npy")
    start = data[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")
    return importer("json" if start.startswith((b"{", b"[")) else "csv")
