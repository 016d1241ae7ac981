"""Import formats: bytes in, named arrays out. To add one: a module with its record, appended to IMPORTERS."""

from linattn_core.importers.csv_file import CSV
from linattn_core.importers.json_file import JSON
from linattn_core.importers.npy_file import NPY
from linattn_core.importers.npz_file import NPZ
from linattn_core.importers.record import Importer, Named
from linattn_core.knobs import find
from linattn_core.numerals import quoted
from linattn_core.tokens import InputError

__all__ = ["IMPORTERS", "Importer", "Named", "importer", "importer_for", "sniff"]

IMPORTERS = (NPZ, NPY, JSON, CSV)


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
    for record in IMPORTERS:
        if file_name.lower().endswith(record.suffixes):
            return record
    suffixes = ", ".join(suffix for record in IMPORTERS for suffix in record.suffixes)
    raise InputError(
        f"A file needs one of the suffixes {suffixes}; this one is {quoted(file_name)}. Convert it."
    )


def sniff(data: bytes) -> Importer:
    """The importer for what the file begins with: an archive, an array, a bracket, or lines of text."""
    if data.startswith(b"PK"):
        return NPZ
    if data.startswith(b"\x93NUMPY"):
        return NPY
    return JSON if data[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] in (b"{", b"[") else CSV
