"""What is new about the maps that have knobs or make more components; the laws try them all."""

import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import InputError, Tokens, export, feature_map, restore, run, snapshot, softmax
from linattn_core.drawn import normal
from linattn_core.feature_maps.random_features import customary, drawn_projection

draw = np.random.default_rng(7).standard_normal
X, Y = draw((5, 4)), draw((5, 4))
TOKENS = Tokens(X, Y, draw((5, 2)))
DOTS = np.array([[sum(a * b for a, b in zip(x, y, strict=True)) for y in Y] for x in X])  # q·k


def scores(key, size=1.0, **knobs):
    phi = feature_map(key).phi
    return phi(size * X, **knobs) @ phi(size * Y, **knobs).T


def says(message):
    return pytest.raises(InputError, match=f"^{re.escape(message)}$")


# ---- scores ----------------------------------------------------------------------------------------------


def test_taylor_features_score_the_series_of_exp_up_to_the_square():
    s = DOTS / 2  # √d
    assert_allclose(scores("taylor2"), 1 + s + s**2 / 2, rtol=1e-13)
    assert scores("taylor2").min() >= 0.5


def test_all_products_of_two_components_score_the_squared_dot_product():
    assert_allclose(scores("rebased"), DOTS**2 / 4, rtol=1e-12)


def test_dpfp_multiplies_what_stands_next_to_each_other_in_both_signs():
    assert_array_equal(feature_map("dpfp").phi(np.array([[2.0, 3.0]])), [[0, 6, 0, 0]])  # u = 2 3 0 0
    assert_array_equal(feature_map("dpfp").phi(np.array([[-2.0, 3.0]])), [[0, 0, 6, 0]])  # u = 0 3 2 0
    two = feature_map("dpfp").phi(np.array([[-2.0, 3.0]]), nu=2)
    assert_array_equal(two, [[0, 0, 6, 0, 0, 0, 0, 0]])
    assert_array_equal(run(Tokens([[1, -1]], [[-1, 1]], [[5]]), "dpfp").defined, [False])


def test_a_hedgehog_key_sums_to_two_and_turning_all_signs_swaps_its_halves():
    mapped = feature_map("hedgehog").phi(X)
    assert_allclose(mapped.sum(axis=1), 2, rtol=1e-14)
    assert_array_equal(feature_map("hedgehog").phi(-X), np.roll(mapped, 4, axis=1))


# ---- random features ---------------------------------------------------------------------------------------


def relative_difference(features, size):
    """From exp(q·k/√d), the mean over 8 seeds and all pairs; q and k are `size` times X and Y."""
    want = np.exp(size**2 * DOTS / 2)
    drawn = [scores("favor", size, features=features, seed=seed) for seed in range(8)]
    return np.mean(np.abs(np.array(drawn) / want - 1))


def test_random_features_come_nearer_to_the_exponential_with_their_number():
    few, some, many = (relative_difference(m, 0.5) for m in (16, 256, 4096))
    assert few > 2 * some > 4 * many
    assert many < 0.03
    assert relative_difference(256, 1.0) > 2 * some  # and stay farther from it where vectors are long


def test_the_average_over_seeds_is_the_exponential():
    """4 features are far off; their mean over 3000 seeds is not, as the spread of the mean says."""
    drawn = np.array([scores("favor", 0.5, features=4, seed=s) for s in range(3000)])
    off = drawn.mean(axis=0) - np.exp(DOTS / 8)
    assert (np.abs(off) < 4 * drawn.std(axis=0) / math.sqrt(3000)).all()
    assert_allclose(drawn.mean(axis=0), np.exp(DOTS / 8), rtol=0.05)


def test_random_features_tend_to_softmax_attention():
    tokens = Tokens(X / 2, Y / 2, TOKENS.v)
    y, _ = softmax(tokens)
    few, many = (np.abs(run(tokens, "favor", features=m).y - y).mean() for m in (8, 4096))
    assert few > 10 * many


def test_a_projection_has_orthogonal_blocks_and_begins_as_a_smaller_one():
    P = drawn_projection(10, 4, 3)
    for block in (P[:4], P[4:8], P[8:]):
        dots = block @ block.T
        assert_allclose(dots - np.diag(dots.diagonal()), 0, atol=1e-12)
    assert_array_equal(drawn_projection(6, 4, 3), P[:6])
    assert not np.array_equal(drawn_projection(10, 4, 4), P)
    rows = np.concatenate([drawn_projection(4096, 4, seed) for seed in range(4)])
    assert_allclose((rows**2).sum(axis=1).mean(), 4, rtol=0.03)  # chi² of 4
    assert_allclose((rows**2).sum(axis=1).var(), 8, rtol=0.1)


def test_normal_numbers_have_the_moments_of_a_normal_distribution():
    x = normal(100_000, seed=5)
    assert_allclose([np.mean(x**n) for n in (1, 2, 3, 4)], [0, 1, 0, 3], atol=0.06)
    assert_allclose(np.mean(np.abs(x) < 1.959964), 0.95, atol=0.003)
    assert_array_equal(normal(5, seed=5), x[:5])


def test_a_projection_that_is_given_wins():
    P = draw((3, 4))
    trace = run(TOKENS, "favor", projection=P, features=9, seed=4)
    assert list(trace.settings.knobs) == ["projection"]
    assert_array_equal(trace.settings.knobs["projection"], P)
    scaled = Y / math.sqrt(2)
    want = np.exp(scaled @ P.T - (scaled**2).sum(axis=1, keepdims=True) / 2) / math.sqrt(3)
    assert_allclose(trace.k, want, rtol=1e-13)
    assert run(TOKENS, "favor", projection=None).settings.knobs == {"features": 64, "seed": 0}


def test_random_features_of_large_vectors_still_divide():
    """The largest norm decides which exponents remain; plain sums underflow to 0 / 0."""
    trace = run(Tokens(40 * X, 40 * Y, TOKENS.v), "favor")
    assert trace.norm.max() < 1e-300
    assert trace.rescaled.all()
    assert_allclose(trace.weights().sum(axis=1), 1, rtol=1e-9)
    assert_allclose(trace.y[0], TOKENS.v[0], rtol=1e-12)


def test_the_customary_eps_and_shared_largest_exponent_let_a_later_key_change_an_earlier_one():
    P = drawn_projection(16, 4, 0)
    longer = np.vstack([Y, 4 * Y[:1]])
    assert not np.allclose(customary(longer, P, shared=True)[:5], customary(Y, P, shared=True))
    assert_array_equal(customary(longer, P, shared=False)[:5], customary(Y, P, shared=False))
    exact = feature_map("favor").phi(Y, projection=P)
    bare = customary(Y, P, shared=True, eps=0)
    assert_allclose(bare / exact, bare[0, 0] / exact[0, 0], rtol=1e-12)  # one factor for all keys


# ---- positions ---------------------------------------------------------------------------------------------


def test_cosformer_scores_fall_off_with_distance():
    trace = run(TOKENS, "cosformer", max_length=6)
    i, j = np.indices((5, 5))
    want = np.maximum(X, 0) @ np.maximum(Y, 0).T * np.cos(np.pi * (i - j) / 12)
    assert_allclose(trace.scores(), np.tril(want), rtol=1e-12, atol=1e-15)
    moved = run(TOKENS, "cosformer", max_length=60, first_position=7).scores()
    assert_allclose(moved, run(TOKENS, "cosformer", max_length=60).scores(), rtol=1e-12, atol=1e-15)


def test_a_token_past_the_longest_sequence_has_no_place():
    assert run(TOKENS, "cosformer", max_length=5).defined.any()
    with says(
        "The map cosformer needs positions up to max_length, which is 4; the last of 5 tokens, the first "
        "at 1, stands at 5. Set max_length to 5 or more, or leave tokens out."
    ):
        run(TOKENS, "cosformer", max_length=4)
    with pytest.raises(InputError, match=r"stands at 66\. Set max_length to 66"):
        run(TOKENS, "cosformer", first_position=62)
    many_queries = Tokens(np.ones((9, 4)), Y, TOKENS.v)
    with pytest.raises(InputError, match=r"the last of 9 tokens"):
        run(many_queries, "cosformer", read="full", max_length=8)


# ---- knobs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phi", "knobs", "message"),
    [
        ("dpfp", {"nu": 1.5}, "nu needs a whole number; it is 1.5. Round it."),
        ("dpfp", {"nu": 0}, "nu needs numbers from 1 to 8; it is 0.0. Move it into that range."),
        ("dpfp", {"nu": [1, 2]}, "nu needs one number; its shape is (2,). Pass one number."),
        (
            "favor",
            {"seed": -1},
            "seed needs numbers from 0 to 2.14748e+09; it is -1.0. Move it into that range.",
        ),
        (
            "favor",
            {"projection": np.ones((3, 2))},
            "projection needs a table with one column per component of q and k, which have 4; "
            "its shape is (3, 2). Reshape it.",
        ),
        (
            "favor",
            {"projection": np.ones(4)},
            "projection needs a table with one column per component of q and k, which have 4; "
            "its shape is (4,). Reshape it.",
        ),
        (
            "favor",
            {"projection": [[1, 1, np.nan, 1]]},
            "projection needs finite numbers; row 0, column 2 (counted from 0) is nan. Replace it.",
        ),
        (
            "taylor2",
            {"nu": 1},
            "A run with map taylor2 and rule add takes no knob 'nu'. "
            "Known names: beta, gamma, log_decay. Remove it.",
        ),
    ],
)
def test_a_knob_that_does_not_fit_is_refused(phi, knobs, message):
    with says(message):
        run(TOKENS, phi, **knobs)


def test_a_whole_knob_stays_whole():
    for given in (3, 3.0, np.int64(3), np.float32(3)):
        nu = run(TOKENS, "dpfp", nu=given).settings.knobs["nu"]
        assert (nu, type(nu)) == (3, int)


def test_states_that_are_too_large_are_refused_before_anything_is_made():
    d, T = 256, 64
    tokens = Tokens(np.ones((T, d)), np.ones((T, d)), np.ones((T, d)))
    with says(
        "The map taylor2 makes 33,153 components of 256, so the 65 states of this run hold 553,820,865 "
        "numbers; at most 33,554,432 are kept. Use fewer tokens or components."
    ):
        run(tokens, "taylor2")
    with pytest.raises(InputError, match="at most"):
        run(tokens, "favor", features=4096)
    assert run(tokens, "elu1").S[64].shape == (256, 256)


@pytest.mark.parametrize("key", ["json", "npz", "csv"])
@pytest.mark.parametrize(
    ("phi", "knobs"),
    [
        ("favor", {"projection": draw((3, 4)) / 3}),
        ("favor", {"projection": np.array([[-0.0, 5e-324, 1e308, 1 / 3]])}),
        ("favor", {"features": 5, "seed": 2**31 - 1}),
        ("dpfp", {"nu": 3}),
        ("cosformer", {"max_length": 9, "first_position": 5}),
    ],
)
def test_knobs_survive_a_file_to_the_last_bit(key, phi, knobs):
    trace = run(TOKENS, phi, **knobs)
    again = restore(export(key).write(trace))
    other = run(again.tokens, **again.settings)
    assert other.S.tobytes() == trace.S.tobytes()
    assert again.ignored == ()
    for name, value in knobs.items():
        got = other.settings.knobs[name]
        assert (type(got), np.asarray(got).tobytes()) == (type(value), np.asarray(value).tobytes())


def test_a_snapshot_is_plain_python():
    knobs = snapshot(run(TOKENS, "favor", projection=[[1, 2, 3, 4]]))["settings"]["knobs"]
    assert knobs == {"projection": [[1.0, 2.0, 3.0, 4.0]]}
