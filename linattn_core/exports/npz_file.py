"""The snapshot as arrays for np.load, without pickle."""

import io

import numpy as np

from linattn_core.exports.json_file import to_text
from linattn_core.exports.record import Export
from linattn_core.snapshot import head, one_step, whole_run
from linattn_core.trace import Trace


def write(trace: Trace, *, step: int | None = None) -> bytes:
    """The arrays of the snapshot by their names, q, k, v as typed, and `meta`: all else, as JSON text."""
    results = whole_run(trace) if step is None else one_step(trace, step)
    typed = {"q": trace.tokens.q, "k": trace.tokens.k, "v": trace.tokens.v}
    meta = to_text(head(trace) | {"step": step})
    buffer = io.BytesIO()
    np.savez(buffer, **{"meta": np.array(meta), **typed, **results})  # pyright: ignore[reportArgumentType]
    return buffer.getvalue()


NPZ = Export("npz", "NumPy", ".npz", "application/octet-stream", write)
