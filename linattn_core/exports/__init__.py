"""Export formats: a Trace in, bytes out. To add one: a module with its record, appended to EXPORTS."""

from linattn_core.exports.csv_file import CSV, CSV_WIDE
from linattn_core.exports.json_file import JSON
from linattn_core.exports.npz_file import NPZ
from linattn_core.exports.record import Export
from linattn_core.knobs import find

__all__ = ["EXPORTS", "Export", "export"]

EXPORTS = (JSON, NPZ, CSV, CSV_WIDE)


def export(key: str) -> Export:
    """The export called `key`.

    Raises:
        InputError: no export has that key.
    """
    return find("export", EXPORTS, key)
