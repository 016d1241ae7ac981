"""Sums that leave the range of floats, against 50-digit arithmetic; and rows that must stay as they are."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import FEATURE_MAPS, Tokens, feature_map, run, softmax

mp.mp.dps = 50
few = settings(max_examples=15)

EXACT = {
    "elu1": lambda x: x + 1 if x > 0 else mp.exp(x),
    "relu": lambda x: max(x, mp.mpf(0)),
    "relu2": lambda x: max(x, mp.mpf(0)) ** 2,
    "exp": mp.exp,
    "softplus": lambda x: mp.log(1 + mp.exp(x)) if x > -60 else mp.exp(x) - mp.exp(2 * x) / 2,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "tanh1": lambda x: 2 / (1 + mp.exp(-2 * x)),
}
SIZES = {"relu": 1e200, "relu2": 1e200, "elu1": 900.0}

logged = pytest.mark.parametrize("phi", sorted(EXACT))
modes = ({"read": "causal"}, {"read": "full"}, {"read": "causal", "read_before_write": True})
every_mode = pytest.mark.parametrize("mode", modes, ids=lambda m: " ".join(map(str, m.values())))


def exact(tokens, phi, mode, log_decay=None, S0=None, z0=None, eps=0.0, scale=1.0):
    """y, weights and log10 norm of every query, by the sums of the definition."""
    T, d = tokens.k.shape
    q, k = ([[EXACT[phi](mp.mpf(float(x))) for x in row] for row in table] for table in (tokens.q, tokens.k))
    alpha = (
        [mp.mpf(1) if log_decay is None else mp.exp(mp.mpf(float(g))) for g in np.broadcast_to(log_decay, T)]
        if log_decay is not None
        else [mp.mpf(1)] * T
    )
    ys, weights, logs = [], [], []
    for t in range(len(q)):
        n = T if mode["read"] == "full" else t + (not mode.get("read_before_write", False))
        scores = [
            scale * mp.fsum(q[t][i] * k[s][i] for i in range(d)) * mp.fprod(alpha[s + 1 : n])
            for s in range(n)
        ]
        read = [
            mp.fsum(w * mp.mpf(float(tokens.v[s][j])) for s, w in enumerate(scores))
            for j in range(tokens.v.shape[1])
        ]
        norm = mp.fsum(scores)
        if S0 is not None:
            left = mp.fprod(alpha[:n])
            norm += scale * left * mp.fsum(q[t][i] * mp.mpf(float(z0[i])) for i in range(d))
            for j in range(len(read)):
                read[j] += scale * left * mp.fsum(q[t][i] * mp.mpf(float(S0[i][j])) for i in range(d))
        total = norm + eps
        logs.append(float(mp.log10(abs(norm))) if norm else -np.inf)
        ys.append([float(r / total) if total else np.nan for r in read])
        row = [float(w / total) if total else np.nan for w in scores]
        weights.append(row + [0.0 if total else np.nan] * (T - n))
    return np.array(ys), np.array(weights), np.array(logs)


def assert_right(trace, want, rtol=1e-11):
    y, weights, log10_norm = want
    assert_array_equal(trace.defined, ~np.isnan(y).any(axis=1))
    assert_allclose(trace.y, y, rtol=rtol, atol=rtol * np.abs(trace.tokens.v).max(initial=4))
    assert_allclose(trace.weights(), weights, rtol=rtol, atol=rtol)
    assert_allclose(trace.log10_norm, log10_norm, rtol=1e-12, atol=1e-11)


@logged
@every_mode
@few
@given(data=st.data(), T=st.integers(1, 4), d=st.integers(1, 3))
def test_any_size_of_input_gives_the_right_average(phi, mode, data, T, d):
    size = SIZES.get(phi, 900.0)
    near = st.floats(-1, 1).map(lambda x: round(x, 3))
    q, k = (size * data.draw(arrays(float, (T, d), elements=near)) for _ in "qk")
    v = data.draw(arrays(float, (T, 2), elements=st.integers(-4, 4)))
    trace = run(Tokens(q, k, v), phi, **mode)
    assert_right(trace, exact(trace.tokens, phi, mode))


@logged
@every_mode
@few
@given(data=st.data(), T=st.integers(1, 4))
def test_any_size_of_input_and_any_decay(phi, mode, data, T):
    size = SIZES.get(phi, 900.0)
    q, k = (
        size * data.draw(arrays(float, (T, 2), elements=st.floats(-1, 1).map(lambda x: round(x, 3))))
        for _ in "qk"
    )
    v = data.draw(arrays(float, (T, 2), elements=st.integers(-4, 4)))
    log_decay = data.draw(arrays(float, T, elements=st.sampled_from([0.0, -0.5, -300.0, -900.0, -np.inf])))
    trace = run(Tokens(q, k, v, log_decay=log_decay), phi, "decay", **mode)
    assert_right(trace, exact(trace.tokens, phi, mode, log_decay=log_decay))


@every_mode
@few
@given(
    data=st.data(), T=st.integers(1, 3), eps=st.sampled_from([0.0, 1e-6]), scale=st.sampled_from([1.0, 0.25])
)
def test_a_carried_state_joins_the_row_scaled_form(mode, data, T, eps, scale):
    q, k = (data.draw(arrays(float, (T, 2), elements=st.floats(-700, 700).map(round))) for _ in "qk")
    v = data.draw(arrays(float, (T, 2), elements=st.integers(-4, 4)))
    sizes = st.sampled_from([1.0, 1e-200, 1e200, 3e-5])
    z0 = data.draw(arrays(float, 2, elements=sizes))
    S0 = data.draw(arrays(float, (2, 2), elements=st.integers(-3, 3))) * z0[:, None]
    tokens = Tokens(q, k, v, log_decay=-0.5)
    trace = run(tokens, "exp", "decay", initial=(S0, z0), eps=eps, scale=scale, **mode)
    want = exact(tokens, "exp", mode, log_decay=np.full(T, -0.5), S0=S0, z0=z0, eps=eps, scale=scale)
    assert_right(trace, want, rtol=1e-10)
    assert_allclose(trace.weights() @ v + trace.carried, trace.y, rtol=1e-9, atol=1e-9)


def test_a_carried_row_without_a_key_sum_and_an_empty_one():
    """S0 may hold what z0 does not: row a has only values, row b nothing."""
    tokens = Tokens([[600.0, 600.0]], [[500.0, 400.0]], [[2.0]])
    trace = run(tokens, "exp", initial=([[1e200], [0]], [0, 0]))
    want = exact(tokens, "exp", {"read": "causal"}, S0=[[1e200], [0]], z0=[0, 0])
    assert trace.rescaled.all()
    assert_right(trace, want)


def test_the_condition_beside_a_carried_state_is_1_where_nothing_is_negative():
    """exp(800) is no float; q·z and its scores still are all above 0."""
    tokens = Tokens([[800.0]], [[0.0]], [[2.0]])
    assert run(tokens, "exp", initial=([[3.0]], [1.0])).condition == [1.0]
    assert run(tokens, "exp").condition == [1.0]
    small = Tokens([[0.0]], [[0.0]], [[2.0]])
    assert run(small, "exp", initial=([[3.0]], [-0.5])).condition == [3.0]  # (1 + 0.5) / (1 − 0.5)


def test_a_negative_key_sum_may_cancel():
    tokens = Tokens([[800.0]], [[0.0]], [[2.0]])
    gone = run(tokens, "exp", initial=([[3.0]], [-1.0]))
    assert not gone.defined[0]
    assert np.isnan(gone.y[0, 0])
    negative = run(tokens, "exp", initial=([[3.0]], [-2.0]))
    assert_allclose(negative.y, [[-5.0]])
    assert_allclose(negative.weights(), [[-1.0]])
    assert_allclose(negative.carried, [[-3.0]])


@pytest.mark.parametrize("size", [300, 360, 709, 745, 800, 1e6])
@pytest.mark.parametrize("sign", [1, -1])
def test_exp_far_from_zero(size, sign):
    x = sign * size * np.array([[1.0, 0.5], [0.5, 1.0], [1.0, 1.0]])
    trace = run(Tokens(x, x, [[1.0], [2.0], [4.0]]), "exp")
    assert_right(trace, exact(trace.tokens, "exp", {"read": "causal"}), rtol=1e-9)


def test_values_near_the_largest_float():
    v = np.array([[1.7e308, -1e308], [1.7e308, 1e-300], [1.6e308, 1e300]])
    trace = run(Tokens(np.ones((3, 2)), np.ones((3, 2)), v))
    assert trace.overflow == 1
    assert np.isfinite(trace.norm).all()
    assert_right(trace, exact(trace.tokens, "elu1", {"read": "causal"}))
    assert_allclose(trace.y[2, 0], np.mean(v[:, 0] / 4) * 4)


def test_what_underflows_in_a_key_may_be_all_that_a_large_query_sees():
    """norm is an ordinary number here, but φ(k) had one bit left."""
    tokens = Tokens([[709.0], [709.0]], [[-745.0], [-744.0]], [[1.0], [2.0]])
    trace = run(tokens, "exp")
    assert np.finfo(float).tiny < trace.norm[1] < 1
    assert_right(trace, exact(tokens, "exp", {"read": "causal"}))
    mirrored = Tokens(tokens.k, tokens.q + np.array([[0.0], [0.5]]), tokens.v)
    assert_right(run(mirrored, "exp"), exact(mirrored, "exp", {"read": "causal"}))


def test_what_a_decay_underflows_may_be_all_that_is_left():
    """exp(−900) is no float, yet exp(450) · exp(−900) weighs as much as the second key."""
    tokens = Tokens([[0.0, 0.0]] * 2, [[0.0, 450.0], [-900.0, -450.0]], [[0.0], [1.0]], log_decay=-900.0)
    trace = run(tokens, "exp", "decay")
    assert np.finfo(float).tiny < trace.norm[1] < 1
    assert_allclose(trace.weights()[1], [0.5, 0.5])
    assert_allclose(trace.y, [[0.0], [0.5]])


def test_how_many_tokens_follow_does_not_decide_which_form_serves_a_query():
    """Row a holds one bit per token, which 20 tokens would make too much to lose, but not 2."""
    k = np.tile([-745.0, np.log(1e-3)], (20, 1))
    tables = np.tile([700.0, 0.0], (20, 1)), k, np.arange(20.0)[:, None]
    short, long = (run(Tokens(*(table[:T] for table in tables)), "exp") for T in (2, 20))
    assert_array_equal(short.rescaled, [False, False])
    assert_array_equal(long.rescaled[:2], [False, False])
    assert_array_equal(short.y, long.y[:2])


def test_a_true_zero_stays_undefined_and_is_not_rescued():
    dead = Tokens([[1.0, 1], [1, 1], [-1, 2]], [[-1.0, -1], [3, -1], [1e200, -1]], [[1.0], [2], [3]])
    trace = run(dead, "relu2")
    assert_array_equal(trace.defined, [False, True, False])
    assert_array_equal(trace.log10_norm == -np.inf, [True, False, True])
    assert np.isnan(trace.condition[[0, 2]]).all()
    assert_array_equal(trace.rescaled, [False, False, False])
    assert np.isnan(trace.y[[0, 2]]).all()
    assert run(dead, "relu2", eps=1e-6).y[0, 0] == 0
    assert run(dead, "relu2", eps=1e-6).y[2, 0] == 0
    assert_array_equal(run(dead, "relu2", eps=1e-6).weights()[2], 0)


def test_a_reset_forgets_even_the_largest_key():
    tokens = Tokens([[800.0], [800.0]], [[900.0], [100.0]], [[1.0], [2.0]], log_decay=[0.0, -np.inf])
    assert_array_equal(run(tokens, "exp", "decay").y, [[1.0], [2.0]])
    dead = Tokens([[1.0], [1.0]], [[1.0], [-1.0]], [[1.0], [2.0]], log_decay=[0.0, -np.inf])
    trace = run(dead, "relu", "decay")
    assert_array_equal(trace.defined, [True, False])


def test_a_decay_too_small_for_a_float_still_weighs_what_is_left():
    tokens = Tokens([[1.0], [1.0]], [[1.0], [-1.0]], [[7.0], [2.0]], log_decay=-800.0)
    trace = run(tokens, "relu", "decay")
    assert trace.norm[1] == 0
    assert_array_equal(trace.y, [[7.0], [7.0]])
    assert_allclose(trace.log10_norm[1], -800 / np.log(10))


@pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda m: m.key)
@pytest.mark.parametrize("rule", ["add", "decay"])
@given(
    q=arrays(float, (4, 3), elements=st.floats(-30, 30).map(lambda x: round(x, 3))),
    k=arrays(float, (4, 3), elements=st.floats(-30, 30).map(lambda x: round(x, 3))),
)
@few
def test_ordinary_rows_keep_the_textbook_s_bits(phi, rule, q, k):
    if phi.key == "favor":
        q, k = q / 10, k / 10  # its exponent grows with the square
    trace = run(Tokens(q, k, k[:, :2]), phi, rule)
    zero = trace.norm == 0
    assert not trace.rescaled.any()
    with np.errstate(invalid="ignore", divide="ignore"):
        assert_array_equal(trace.y[~zero], (trace.read / trace.norm[:, None])[~zero])
        assert_array_equal(trace.weights()[~zero], (trace.scores() / trace.norm[:, None])[~zero])
        assert_array_equal(trace.log10_norm, np.log10(np.abs(trace.norm)))


def test_later_tokens_do_not_reach_back_through_the_row_scaled_form():
    draw = np.random.default_rng(5)
    q, k = (draw.uniform(-900, 900, (9, 3)) for _ in "qk")
    v = draw.standard_normal((9, 2)) * 10.0 ** draw.integers(-300, 300, (9, 2))
    whole = run(Tokens(q, k, v), "exp", "decay")
    assert whole.rescaled.any()
    for t in range(1, 9):
        part = run(Tokens(q[:t], k[:t], v[:t]), "exp", "decay")
        for name in ("y", "log10_norm", "rescaled", "defined"):
            assert_array_equal(getattr(part, name), getattr(whole, name)[:t])
        assert_array_equal(part.weights(), whole.weights()[:t, :t])


def test_a_map_without_a_log_says_undefined_where_it_overflows():
    trace = run(Tokens([[1e200], [1e200]], [[1e200], [1.0]], [[1.0], [2.0]]), "identity")
    assert not trace.defined.any()
    assert np.isnan(trace.y).all()
    assert not trace.rescaled.any()
    finite_norm = run(Tokens([[1.0]], [[10.0]], [[1e308]]), "identity")
    assert finite_norm.overflow == 1
    assert finite_norm.y[0, 0] == np.inf


@pytest.mark.parametrize("phi", ["relu2", "exp"])
def test_float16_overflows_early_and_the_answer_stays(phi):
    x = np.array([[200.0, 1.0], [190.0, 2.0]]) if phi == "relu2" else np.array([[11.0, 1.0], [12.0, 2.0]])
    tokens = Tokens(x, x, [[1.0], [2.0]])
    trace = run(tokens, phi, dtype="float16")
    assert trace.overflow is not None or not np.isfinite(trace.norm).all()
    assert trace.rescaled.any()
    assert trace.y.dtype == np.float16
    assert_allclose(trace.y, exact(tokens, phi, {"read": "causal"})[0], rtol=2e-3)


def test_unnormalised_runs_report_the_size_of_a_score_sum_that_overflows():
    trace = run(Tokens([[800.0]], [[800.0]], [[1.0]]), "exp", normalize=False)
    assert_allclose(trace.log10_norm, 1600 / np.log(10))
    assert trace.y[0, 0] == np.inf
    assert trace.defined.all()
    assert_array_equal(trace.weights(), trace.scores())


def test_logs_hold_where_the_maps_themselves_do_not():
    far = np.array([[-800.0, 800.0, -1e5]])
    assert_allclose(feature_map("exp").log_phi(far), far)
    assert_allclose(feature_map("elu1").log_phi(far), [[-800, np.log(801), -1e5]])
    assert_allclose(feature_map("softplus").log_phi(far), [[-800, np.log(800), -1e5]])
    assert_allclose(feature_map("sigmoid").log_phi(far), [[-800, 0, -1e5]])
    assert_allclose(feature_map("tanh1").log_phi(far), [[np.log(2) - 1600, np.log(2), np.log(2) - 2e5]])
    assert_allclose(feature_map("softmax").log_phi(far), [[-1600, 0, -100800]])
    with np.errstate(divide="ignore"):
        assert_allclose(
            feature_map("relu2").log_phi(np.array([[1e200, -1.0]])), [[2 * np.log(1e200), -np.inf]]
        )


def test_softmax_scores_beyond_floats():
    tokens = Tokens([[1e200, 1e200]] * 4, [[1e200, 0], [0, 1e200], [-1e200, 0], [1e200, 0]], np.eye(4))
    _, weights = softmax(tokens, scale=1.0)
    assert_array_equal(weights[:3], [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0]])
    assert_allclose(weights[3], [1 / 3, 1 / 3, 0, 1 / 3])
    low = Tokens([[1e200]], [[-1e200], [-2e200]], [[1.0], [2.0]])
    assert_array_equal(softmax(low, read="full")[0], [[1.0]])
    assert_array_equal(softmax(low, read="full", scale=0)[0], [[1.5]])


def test_softmax_rows_far_from_zero():
    x = np.array([[1e3, 0], [0, 1e3]])
    y, weights = softmax(Tokens(x, x, [[1.0], [2.0]]), scale=1.0)
    assert_array_equal(weights, np.eye(2))
    assert_array_equal(y, [[1.0], [2.0]])
