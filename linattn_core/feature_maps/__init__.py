"""Feature maps φ: each vector is mapped on its own, and the dot product of two results is a score.

To add one: write the function (and, where no component can be negative, its log) in the module it belongs
to, then append a FeatureMap to the MAPS there. Menus, formulas, links, exports and tests read FEATURE_MAPS.
"""

from linattn_core.feature_maps import elementwise, positional, random_features, vectors, wide
from linattn_core.feature_maps.record import FeatureMap, Rows
from linattn_core.knobs import find

__all__ = ["FEATURE_MAPS", "FeatureMap", "Rows", "feature_map"]

FEATURE_MAPS = (
    *elementwise.MAPS,
    *vectors.MAPS,
    *wide.MAPS,
    *random_features.MAPS,
    *positional.MAPS,
)


def feature_map(key: str) -> FeatureMap:
    """The map called `key`.

    Raises:
        InputError: no map has that key.
    """
    return find("feature map", FEATURE_MAPS, key)
