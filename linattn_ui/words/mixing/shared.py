"""What several parts of the page say alike."""

from typing import Any

import numpy as np

from linattn_core import Reading
from linattn_ui.words.answers import answer
from linattn_ui.words.numbers import number

SAME = 1e-9  # of the numbers compared: less is rounding


def same(a: Any, b: Any) -> bool:
    """Whether two arrays differ by no more than rounding does."""
    return bool(np.allclose(a, b, rtol=0, atol=SAME * (1e-300 + np.abs(b).max(initial=0))))


def keys(count: int) -> str:
    """Key or keys."""
    return "key" if count == 1 else "keys"


def only_adds(trace: Any) -> bool:
    """Whether the last state is a plain sum of writes, in which nothing decays and φ knows no position."""
    settings = trace.settings
    return settings.rule.accumulates and trace.alpha is None and not settings.phi.positional


def after_phi(trace: Any) -> str:
    """after φ; nothing where vectors are taken as typed."""
    return "" if trace.settings.phi.key == "identity" else " after φ"


def read(trace: Any, one: Reading, decimals: int = 3) -> str:
    """[3, 1] ÷ 2 = [1.5, 0.5]"""
    numerator = answer(one.read, decimals)
    if not trace.settings.normalize:
        return numerator
    total = number(one.norm + trace.settings.eps, decimals)
    return f"{numerator} ÷ {total} = {answer(one.y, decimals) if one.defined else 'undefined'}"
