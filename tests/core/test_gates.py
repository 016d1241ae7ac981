"""Gates from raw parameters: values that a pocket calculator gives; the golden cases are in test_golden."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linattn_core import InputError, gates


def test_the_share_corrected_is_half_at_0_and_may_go_up_to_2():
    b = np.array([-800.0, 0.0, np.log(3), 800.0])
    assert_allclose(gates.share_corrected(b), [0, 0.5, 0.75, 1])
    assert_allclose(gates.share_corrected(b, largest=2.0), [0, 1, 1.5, 2])


def test_gla_takes_the_sixteenth_root_of_a_sigmoid():
    x = np.array([-40.0, 0.0, np.log(3)])
    assert_allclose(np.exp(16 * gates.sigmoid_log_decay(x)), [np.exp(-40.0), 0.5, 0.75])


def test_rwkv_keeps_a_share_between_0_and_1_of_any_w():
    assert_allclose(np.exp(gates.double_exp_log_decay(np.array([0.0, np.log(np.log(2))]))), [1 / np.e, 0.5])
    extreme = np.exp(gates.double_exp_log_decay(np.array([-700.0, 700.0])))
    assert extreme.tolist() == [1, 0]


def test_each_retention_head_forgets_half_as_much_as_the_one_before():
    assert [gates.retention_share(h) for h in range(4)] == [0.96875, 0.984375, 0.9921875, 0.99609375]


def test_a_step_of_mamba_2_scales_the_value_and_the_decay():
    dt, x, A_log = np.array([0.0, 0.5]), np.array([[3.0, 1.0], [4.0, -2.0]]), np.log(np.array(2.0))
    assert_allclose(gates.step_value(x, dt), [[0, 0], [2, -1]])
    assert_allclose(gates.step_log_decay(dt, A_log), [0, -1])
    raw = np.log(np.expm1([0.25, 0.5])) - 0.125  # softplus undone
    assert_allclose(gates.step_value(x, raw, np.array(0.125)), [[0.75, 0.25], [2, -1]])
    assert_allclose(gates.step_log_decay(raw, A_log, np.array(0.125)), [-0.5, -1])


def test_a_negative_step_is_raw_and_needs_its_bias():
    with pytest.raises(InputError, match=r"dt needs numbers ≥ 0.*row 1 \(counted from 0\) is -2.*dt_bias"):
        gates.step_size(np.array([1.0, -2.0]))
