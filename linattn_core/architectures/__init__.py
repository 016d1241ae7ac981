"""Named architectures: each is settings of one update and one read, and a way from its arrays to ours.

Only what mixes tokens within a head is here, no projections, convolutions, norms or output gates.
"""

from linattn_core.architectures.models import ARCHITECTURES
from linattn_core.architectures.record import Architecture, Made
from linattn_core.knobs import find

__all__ = ["ARCHITECTURES", "Architecture", "Made", "architecture"]


def architecture(key: str) -> Architecture:
    """The architecture called `key`.

    Raises:
        InputError: no architecture has that key.
    """
    return find("architecture", ARCHITECTURES, key)
