"""Numbers in heat maps can be read in both themes."""

import numpy as np
import pytest

from linattn_ui import theme
from linattn_ui.figures.base import heat_map
from linattn_ui.figures.mixing.tables import state


def luminance(colour):
    """Of WCAG 2."""
    x = np.asarray(colour) / 255
    return np.where(x <= 0.03928, x / 12.92, ((x + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def rgb(colour):
    return np.array(list(bytes.fromhex(colour.removeprefix("#"))), dtype=float)


def maps(colours):
    """Two kinds of heat maps, the second with z in grey."""
    numbers = np.array([[-1.0, 0.0], [0.5, 1.0]])
    one = heat_map(numbers, colours, limit=1, rows=["a", "b"], columns=["a", "b"])
    return [*one.data, *state(numbers, numbers[0], colours, limits=(1, 1)).data]


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_stand_out_from_every_fill(dark):
    for drawn in maps(theme.colours(dark)):
        text = luminance(rgb(drawn.textfont.color))
        below, middle, above = (rgb(colour) for _, colour in drawn.colorscale)
        for end in (below, above):
            fills = luminance(middle + np.linspace(0, 1, 50)[:, None] * (end - middle))
            contrast = (np.maximum(fills, text) + 0.05) / (np.minimum(fills, text) + 0.05)
            assert contrast.min() >= 4.5
