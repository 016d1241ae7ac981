"""Random numbers that a seed fixes: the same on every machine and with every NumPy.

Not numpy.random: its streams may change between versions, and loading it takes as long as this package.
"""

import numpy as np

from linattn_core.ordered import ordered_sum


def uniform(count: int, seed: int) -> np.ndarray:
    """Numbers from 0 up to 1, (count,), by SplitMix64."""
    x = np.uint64(seed % 2**64) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)) * 2.0**-53


def bell_shaped(count: int, seed: int) -> np.ndarray:
    """Sums of twelve uniform numbers, less 6: mean 0, variance 1, nearly normal, made by addition alone."""
    return ordered_sum(uniform(12 * count, seed).reshape(count, 12)) - 6


def normal(count: int, seed: int) -> np.ndarray:
    """Normal numbers by Box–Muller, rounded to 2⁻²⁴: the last bit of a cosine is not the same everywhere.

    >>> normal(3, seed=0)
    array([-1.88390833,  0.22760791, -0.22143787])
    """
    one, other = uniform(2 * count, seed).reshape(count, 2).T
    return np.round(np.sqrt(-2 * np.log(1 - one)) * np.cos(2 * np.pi * other) * 2**24) / 2**24
