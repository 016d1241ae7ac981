"""What the page "Feature maps" says of random features: how near they come, and what eps does to them."""

from collections.abc import Sequence

import numpy as np

from linattn_ui.words.feature_maps import small
from linattn_ui.words.numbers import number

FLAT = 0.02  # of the weight: a difference that changes less over all sizes stays where it is
SOFTMAXS = 1e-12  # of the weight: a difference that is rounding
CLOSE = 0.01  # of the weight: as far as if every token weighed the same


def one_token() -> str:
    """Nothing to compare: a weight alone is 1."""
    return "With one token its weight is 1 with any number of features and any eps, as in softmax."


def as_typed(sizes: Sequence[int], exact: np.ndarray, customary: np.ndarray, decimals: int = 3) -> str:
    """What more features do to tokens as they are."""
    if max(exact.max(), customary.max()) < SOFTMAXS:
        return f"As typed: {_moved(0.0, 0.0, sizes, decimals)}, with the customary eps too."
    few, many = exact.mean(axis=1)[[0, -1]]
    low, high = exact[-1].min(), exact[-1].max()
    return (
        f"As typed: {_moved(few, many, sizes, decimals)} ({exact.shape[1]} seeds with {sizes[-1]:,}: from "
        f"{small(low, decimals)} to {small(high, decimals)}). With the customary eps it is "
        f"{small(customary[-1].mean(), decimals)} with {sizes[-1]:,}."
    )


def _moved(few: float, many: float, sizes: Sequence[int], decimals: int) -> str:
    if max(few, many) < SOFTMAXS:
        return f"with {sizes[0]} to {sizes[-1]:,} random features the weights are softmax's"
    verb = "falls" if many < few else "goes"
    return (
        f"with {sizes[0]} random features {small(few, decimals)} of the weight lies elsewhere than in "
        f"softmax, and that {verb} to {small(many, decimals)} with {sizes[-1]:,}"
    )


def longer(
    sizes: Sequence[int],
    exact: np.ndarray,
    customary: np.ndarray,
    alike: float,
    below: float,
    times: float,
    decimals: int = 3,
) -> str:
    """What the customary eps does where q and k are longer."""
    means = customary.mean(axis=1)
    few, many = exact.mean(axis=1)[[0, -1]]
    if np.ptp(means) < FLAT:
        stays = f"stays at {number(means[-1], decimals)} whatever their number"
        same = abs(means[-1] - alike) < CLOSE
        stays += ", as far as if every token weighed the same" if same else ""
    else:
        stays = f"goes from {small(means[0], decimals)} to {small(means[-1], decimals)}"
    return (
        f"q and k × {number(times, 1)}: {_moved(few, many, sizes, decimals)}. With the customary eps it "
        f"{stays}: {number(100 * below, 1)} % of the components of φ(k) are less than the eps added to them."
    )
