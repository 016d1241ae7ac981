"""What an export format is."""

from dataclasses import dataclass
from typing import Protocol

from linattn_core.trace import Trace


class Writer(Protocol):
    """Bytes of the whole run (step None) or of the step after `step` tokens."""

    def __call__(self, trace: Trace, *, step: int | None = None) -> bytes:
        """The file's bytes."""
        ...


@dataclass(frozen=True)
class Export:
    """A file format and its writer."""

    key: str
    title: str
    suffix: str
    mime: str
    write: Writer
