"""What an import format is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Named = dict[str, Any]
"""What a file holds, by name.

Numbers are float64 arrays of any shape up to 4 axes; `labels` is a tuple of texts. A file without
names has one array, `array`. A snapshot also has `settings` (keyword arguments of `run`), `step`
(tokens written, or None) and `ignored` (names of fields that this version does not know).
"""


@dataclass(frozen=True)
class Importer:
    """A file format and its reader; suffixes in lower case, with the dot."""

    key: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes], Named]
