"""The snapshot as JSON: every float in the fewest digits that read back to the same bits."""

import math
from typing import Any

from linattn_core.exports.record import Export
from linattn_core.snapshot import snapshot
from linattn_core.trace import Trace


def to_text(value: Any) -> str:
    """JSON in ASCII; numbers that JSON lacks become the strings NaN, Infinity and -Infinity.

    >>> to_text([0.1, -0.0, float("-inf")])
    '[0.1, -0.0, "-Infinity"]'
    """
    import json  # here, so that the core loads without it

    return json.dumps(_writable(value), allow_nan=False)


def _writable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _writable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_writable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def write(trace: Trace, *, step: int | None = None) -> bytes:
    """The snapshot in UTF-8."""
    return to_text(snapshot(trace, step)).encode()


JSON = Export("json", "JSON", ".json", "application/json", write)
