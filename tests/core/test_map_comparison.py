"""All maps on the same tokens: against NumPy's mean and correlation, and by hand on the article's tokens."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import FEATURE_MAPS, InputError, Tokens, example, feature_map, random_tokens, run, softmax
from linattn_core.feature_maps.random_features import customary, drawn_projection
from linattn_core.map_comparison import compare_maps
from linattn_core.map_scores import curves, pair_scores, query_reach, sweep_scores, usual_length
from linattn_core.random_difference import alike_elsewhere, below_eps, features_weights, weight_elsewhere

ARTICLE = example("article").tokens
DRAWN = random_tokens(7, 3, 2, seed=3)


def row(tokens, key, **options):
    (found,) = compare_maps(tokens, maps=[feature_map(key)], **options)
    return found


# ---- the table ---------------------------------------------------------------------------------------------


def test_the_articles_differences_by_hand():
    e = math.exp(1 / math.sqrt(2))
    share, third = 1 / (1 + e), 1 / (2 * e + 1)
    squares = [0, share**2, share**2, (0.5 - e * third) ** 2, third**2, (0.5 - e * third) ** 2]
    found = row(ARTICLE, "identity")
    assert_allclose(found.mean_squared, sum(squares) / 6, rtol=1e-12)
    assert (found.d_phi, found.numbers, found.smallest, found.undefined) == (2, 6, 1.0, 0)


def test_what_is_wrong_for_every_map_is_an_error_and_not_a_problem_of_each():
    with pytest.raises(InputError, match="read needs to be one of: causal, full; it is 'z'"):
        compare_maps(DRAWN, read="z")
    with pytest.raises(InputError, match="tokens needs Tokens; it is None"):
        compare_maps(None)
    (far,) = compare_maps(
        Tokens([[1], [1]], [[1], [1]], [[1], [1]]), maps=[feature_map("cosformer")], knobs={"max_length": 1}
    )
    assert far.problem


@pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda m: m.key)
@pytest.mark.parametrize("read", ["causal", "full"])
def test_differences_and_correlation_are_numpys(phi, read):
    found, trace = row(DRAWN, phi.key, read=read, scale=0.8), run(DRAWN, phi, read=read)
    seen = (np.tri(7) > 0) | (read == "full")
    seen &= trace.defined[:, None]
    w, want = trace.weights()[seen], softmax(DRAWN, read=read, scale=0.8)[1][seen]
    assert found.undefined == (~trace.defined).sum()
    assert_allclose(found.mean_squared, np.mean((w - want) ** 2), rtol=1e-9)
    assert_allclose(found.correlation, np.corrcoef(w, want)[0, 1], rtol=1e-9)
    assert_allclose(found.smallest, np.abs(trace.norm).min(), rtol=1e-12)
    assert found.numbers == trace.final[0].size + trace.final[1].size


def test_undefined_outputs_are_counted_and_left_out():
    tokens = example("dead_relu").tokens
    assert row(tokens, "relu").undefined == 2
    assert row(tokens, "elu1").undefined == 0
    gone = row(ARTICLE, "dpfp")
    assert gone.undefined == 3
    assert np.isnan([gone.mean_squared, gone.correlation]).all()
    assert gone.smallest == 0


def test_a_map_that_cannot_take_the_tokens_says_why_and_the_others_are_there():
    rows = compare_maps(random_tokens(65, 2, 2, seed=1))
    assert [found.phi.key for found in rows if found.problem] == ["cosformer"]
    assert "stands at 65" in rows[-1].problem
    assert not rows[-1].numbers
    assert row(random_tokens(65, 2, 2, seed=1), "cosformer", knobs={"max_length": 65}).problem == ""


def test_as_many_random_features_are_the_mean_of_four_runs():
    _, want = softmax(DRAWN)
    runs = [run(DRAWN, "favor", features=10, seed=seed).weights() for seed in range(4)]
    means = [np.mean((w - want)[np.tri(7) > 0] ** 2) for w in runs]
    assert_allclose(row(DRAWN, "taylor2").same_size, np.mean(means), rtol=1e-9)  # 1 + 3 + 6 = 10 components


def test_a_score_sum_below_the_least_float_is_still_a_number():
    far = Tokens([[-350.0]], [[-350.0]], [[1.0]])
    assert_allclose(math.log10(row(far, "exp").smallest), -700 / math.log(10), rtol=1e-9)
    assert np.isnan(row(far, "exp").correlation)  # one weight correlates with nothing


def test_the_ends_of_floats_raise_nothing():
    for size in (1e200, 1e-200, 1e307):
        tokens = Tokens(size * DRAWN.q, -DRAWN.k / 2, DRAWN.v)
        for found in compare_maps(tokens):
            assert found.problem == ""
        pair_scores(run(tokens, "elu1"))
        assert query_reach(tokens, usual_length(tokens.k)) > 0
        weight_elsewhere(tokens, factor=3.0, eps=1e-4, sizes=(2,), seeds=1)
        alike_elsewhere(tokens, factor=3.0)
        below_eps(tokens, factor=3.0)


# ---- scores ------------------------------------------------------------------------------------------------


def test_pairs_are_those_that_a_query_may_see():
    trace = run(DRAWN, "taylor2")
    scores = pair_scores(trace)
    s = (DRAWN.q @ DRAWN.k.T / math.sqrt(3))[np.tri(7) > 0]
    assert_allclose(scores.exponent, s, rtol=1e-12)
    assert_allclose(scores.softmax, np.exp(s), rtol=1e-12)
    assert_allclose(scores.score, 1 + s + s**2 / 2, rtol=1e-12)
    assert len(pair_scores(run(DRAWN, "taylor2", read="full")).score) == 49
    assert_allclose(pair_scores(trace, scale=2.0).exponent, 2 * math.sqrt(3) * s, rtol=1e-12)


def test_a_sweep_goes_along_one_key():
    s = np.linspace(-3, 3, 7)
    found = sweep_scores(feature_map("rebased"), 4, s, length=2.0)
    assert_allclose(found.exponent, s)  # 2 s / √4
    assert_allclose(found.score, (2 * s) ** 2 / 4)
    assert not found.positive


def test_the_factor_undoes_any_constant():
    s = np.linspace(-1, 1, 9)
    half = sweep_scores(feature_map("favor"), 1, s, knobs={"projection": np.array([[1.0], [-1.0]])})
    assert half.positive
    assert_allclose(np.log(half.scaled).mean(), half.exponent.mean(), atol=1e-12)
    bent = sweep_scores(feature_map("identity"), 1, s)
    assert_allclose((bent.scaled * (bent.softmax - bent.scaled)).sum(), 0, atol=1e-12)  # least squares
    assert sweep_scores(feature_map("relu"), 2, -1 - s**2).factor == 0


def test_a_curve_is_of_vectors_at_the_first_position():
    x = np.array([0.5, 1.0, 2.0])
    drawn = curves(feature_map("cosformer"), x, knobs={"max_length": 2})
    assert_allclose(drawn[:, 0], x * math.sin(math.pi / 4))
    assert_array_equal(drawn[:, 1], 0)
    assert curves(feature_map("taylor2"), x, d=3).shape == (3, 10)


# ---- random features ---------------------------------------------------------------------------------------

FEW = {"sizes": (4, 16, 64, 256), "seeds": 3}


@pytest.mark.parametrize("read", ["causal", "full"])
def test_their_weights_are_those_of_a_run(read):
    P, seen = drawn_projection(6, 3, 0), (np.tri(7) > 0) | (read == "full")
    got = features_weights(DRAWN.q, DRAWN.k, P, seen)
    assert_allclose(got, run(DRAWN, "favor", read=read, projection=P).weights(), rtol=1e-9, atol=1e-15)
    q, k = customary(DRAWN.q, P, shared=False), customary(DRAWN.k, P, shared=True)
    got = features_weights(DRAWN.q, DRAWN.k, P, seen, 1e-4)
    assert_allclose(got, run(Tokens(q, k, DRAWN.v), "identity", read=read).weights(), rtol=1e-9)
    assert_array_equal(features_weights(DRAWN.q, DRAWN.k, P, seen & False), 0)


def test_the_weight_elsewhere_is_half_the_sum_of_differences():
    _, want = softmax(DRAWN)
    got = weight_elsewhere(DRAWN, sizes=(5,), seeds=2)
    for seed in (0, 1):
        w = run(DRAWN, "favor", features=5, seed=seed).weights()
        assert_allclose(got[0, seed], np.abs(w - want).sum(axis=1).mean() / 2, rtol=1e-9)
    long = Tokens(3 * DRAWN.q, 3 * DRAWN.k, DRAWN.v)
    assert_array_equal(weight_elsewhere(DRAWN, factor=3.0, **FEW), weight_elsewhere(long, **FEW))


def test_more_features_come_nearer_and_the_customary_eps_stops_that_where_vectors_are_long():
    tokens = random_tokens(12, 8, 2, seed=12)
    exact, eps = (weight_elsewhere(tokens, factor=3.0, eps=e, **FEW).mean(axis=1) for e in (0.0, 1e-4))
    assert exact[-1] < 0.85 * exact[0]
    assert np.ptp(eps) < 0.02
    assert_allclose(eps[-1], alike_elsewhere(tokens, factor=3.0), atol=0.01)
    assert below_eps(tokens, factor=3.0) > 0.95 > 0.5 > below_eps(tokens, factor=0.5)
    short = weight_elsewhere(tokens, factor=0.5, eps=1e-4, **FEW).mean(axis=1)
    assert short[-1] < 0.5 * short[0]


def test_weighing_all_alike_by_hand():
    e = math.exp(1 / math.sqrt(2))
    off = [0, 0.5 - 1 / (1 + e), 1 / 3 - 1 / (2 * e + 1)]
    assert_allclose(alike_elsewhere(ARTICLE), sum(off) / 3, rtol=1e-12)
    full = alike_elsewhere(ARTICLE, read="full")
    assert_allclose(full, (2 * off[2] + e / (e + 2) - 1 / 3) / 3, rtol=1e-12)


def test_only_the_first_64_tokens_are_looked_at():
    tokens = random_tokens(70, 2, 2, seed=1)
    first = Tokens(tokens.q[:64], tokens.k[:64], tokens.v[:64])
    assert_array_equal(
        weight_elsewhere(tokens, sizes=(3,), seeds=1), weight_elsewhere(first, sizes=(3,), seeds=1)
    )
