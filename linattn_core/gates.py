"""Gates from raw parameters: what a model computes from its projections before the write rule runs.

Letters are the models' own. Everything is elementwise, so a head's own parameters broadcast over its tokens.
A log decay is the natural log of the share that is kept, as `Tokens` takes it; β is the share corrected.
"""

import numpy as np

from linattn_core.feature_maps.elementwise import sigmoid, softplus
from linattn_core.tokens import InputError, place

GLA_TEMPERATURE = 16.0  # divides the log of GLA's sigmoid, so that a fresh model forgets slowly


def share_corrected(b: np.ndarray, largest: float = 1.0) -> np.ndarray:
    """β = largest · sigmoid(b); with 2 an old answer may also be turned into its opposite.

    >>> share_corrected(np.array([0.0]))
    array([0.5])
    """
    return largest * sigmoid(b)


def softplus_log_decay(a: np.ndarray, A_log: np.ndarray, dt_bias: np.ndarray) -> np.ndarray:
    """−exp(A_log) · softplus(a + dt_bias): Gated DeltaNet, one per token; KDA, one per key component too.

    >>> softplus_log_decay(np.array([0.0]), np.array(0.0), np.array(0.0))
    array([-0.69314718])
    """
    return -np.exp(A_log) * softplus(a + dt_bias)


def bounded_log_decay(
    a: np.ndarray, A_log: np.ndarray, dt_bias: np.ndarray, lower_bound: np.ndarray
) -> np.ndarray:
    """lower_bound · sigmoid(exp(A_log) · (a + dt_bias)): KDA's other gate, which never forgets faster.

    >>> bounded_log_decay(np.array([0.0]), np.array(0.0), np.array(0.0), np.array(-5.0))
    array([-2.5])
    """
    return lower_bound * sigmoid(np.exp(A_log) * (a + dt_bias))


def sigmoid_log_decay(gk_proj: np.ndarray) -> np.ndarray:
    """log(sigmoid(gk_proj)) / 16, the gate of GLA: a share sigmoid(gk_proj)^(1/16)."""
    return -softplus(-gk_proj) / GLA_TEMPERATURE


def double_exp_log_decay(w: np.ndarray) -> np.ndarray:
    """−exp(w), the gate of RWKV: a share exp(−exp(w)), between 0 and 1 for every w."""
    return -np.exp(w)


def retention_share(h: int) -> float:
    """γ_h = 1 − 2^(−5−h) of head h, counted from 0: later heads keep more.

    >>> retention_share(0)
    0.96875
    """
    return 1 - 2.0 ** (-5 - h)


def step_size(dt: np.ndarray, dt_bias: np.ndarray | None = None) -> np.ndarray:
    """softplus(dt + dt_bias), or dt itself where it has been through that already.

    Raises:
        InputError: dt comes without dt_bias and has a negative entry.
    """
    if dt_bias is not None:
        return softplus(dt + dt_bias)
    bad = np.argwhere(dt < 0)
    if len(bad):
        raise InputError(
            f"dt needs numbers ≥ 0, as softplus gives them; {place(bad[0])} is {dt[tuple(bad[0])]}. "
            f"Pass dt_bias too if dt is raw, or softplus(dt)."
        )
    return dt


def step_log_decay(dt: np.ndarray, A_log: np.ndarray, dt_bias: np.ndarray | None = None) -> np.ndarray:
    """dt · A with A = −exp(A_log), the decay of Mamba-2, dt being the step size."""
    return -np.exp(A_log) * step_size(dt, dt_bias)


def step_value(x: np.ndarray, dt: np.ndarray, dt_bias: np.ndarray | None = None) -> np.ndarray:
    """x · dt: what Mamba-2 writes, one step size for all value components, (T, d_v)."""
    return x * step_size(dt, dt_bias)[..., None]
