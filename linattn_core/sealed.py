"""What a run hands out stays as it was."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


class Sealed:
    """A frozen dataclass whose mappings cannot be changed either; it can be copied and pickled."""

    def __post_init__(self) -> None:
        """Each mapping as a read-only copy."""
        for name, value in vars(self).items():
            if isinstance(value, Mapping):
                object.__setattr__(self, name, MappingProxyType(dict(value)))

    def __getstate__(self) -> dict[str, Any]:
        """The fields, with mappings as dicts: a read-only one cannot be pickled."""
        return {name: dict(x) if isinstance(x, Mapping) else x for name, x in vars(self).items()}

    def __setstate__(self, fields: dict[str, Any]) -> None:
        """The same fields, sealed again."""
        vars(self).update(fields)
        Sealed.__post_init__(self)
