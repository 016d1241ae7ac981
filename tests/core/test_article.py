"""The numbers of the article, by figure."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import Tokens, example, run, softmax

ARTICLE = json.loads((Path(__file__).parents[1] / "golden" / "seed_article.json").read_text("utf-8"))
STATED, DERIVED = ARTICLE["stated"], ARTICLE["derived"]
TOKENS = example("article").tokens
TRACE = run(TOKENS, "identity")
FULL = run(TOKENS, "identity", read="full")


def test_the_example_is_the_article_s_table():
    assert_array_equal(TOKENS.k, [token["k"] for token in ARTICLE["tokens"]])
    assert_array_equal(TOKENS.v, [token["v"] for token in ARTICLE["tokens"]])
    assert_array_equal(TOKENS.q[2], STATED["q2"])
    for name, table in STATED["fig2"].items():
        assert_array_equal(getattr(TOKENS, name.lower()), table)


def test_figure_2_both_orders_read_every_position():
    assert_array_equal(FULL.scores(), DERIVED["full_scores"])
    assert_array_equal(FULL.S[3], DERIVED["KtV"])
    assert_array_equal(FULL.scores() @ TOKENS.v, DERIVED["full_numerators"])
    assert_array_equal(FULL.read, DERIVED["full_numerators"])
    assert_array_equal(FULL.norm, DERIVED["full_denominators"])
    assert_array_equal(FULL.y, DERIVED["full_y"])


@pytest.mark.parametrize("t", range(3))
def test_figure_3_and_4_what_each_token_adds(t):
    assert_array_equal(TRACE.contribution(t), STATED[f"contribution_p{t}"])


def test_figure_3_a_general_key_writes_every_row():
    stated = STATED["outer_0307_11"]
    trace = run(Tokens([[1, 0]], [stated["k"]], [stated["v"]]), "identity")
    assert_array_equal(trace.contribution(0), stated["outer"])
    assert_array_equal(trace.S[1], stated["outer"])


def test_figure_4_the_state_grows_row_by_row():
    assert_array_equal(TRACE.S, [STATED["S0"], DERIVED["S1"], DERIVED["S2"], STATED["S3"]])


@pytest.mark.parametrize("q", [(1, 0), (0, 1), (1, 1)])
def test_figure_5_reading_with_three_queries(q):
    trace = run(Tokens([q], TOKENS.k, TOKENS.v), "identity", read="full")
    name = f"read_q_{q[0]}{q[1]}"
    assert_array_equal(trace.read[0], STATED[name])
    if f"{name}_denominator" in DERIVED:
        assert trace.norm[0] == DERIVED[f"{name}_denominator"]
    if f"{name}_normalised" in DERIVED:
        assert_array_equal(trace.y[0], DERIVED[f"{name}_normalised"])


def test_figure_5_scores_times_values():
    assert_array_equal(TRACE.scores()[2], STATED["q2_scores"])
    assert_array_equal(TRACE.scores(), DERIVED["causal_scores"])
    assert_array_equal(TRACE.read[2], STATED["q2_numerator"])
    assert_array_equal(TRACE.read, DERIVED["causal_numerators"])


def test_figure_6_the_average():
    assert_array_equal(TRACE.z, [STATED["z0"], DERIVED["z1"], DERIVED["z2"], STATED["z3"]])
    assert TRACE.norm[2] == STATED["q2_denominator"]
    assert_array_equal(TRACE.norm, DERIVED["causal_denominators"])
    assert_array_equal(TRACE.weights()[2], STATED["q2_weights"])
    assert_array_equal(TRACE.y[2], STATED["y2"])
    assert_array_equal(TRACE.y, DERIVED["causal_y_with_fig2_queries"])


def test_two_copies_of_a_token_give_the_same_average():
    stated = STATED["two_copies"]
    for copies, sum_name in ((1, "one"), (2, "two")):
        key = [[stated["score"], 0]] * copies
        trace = run(Tokens(key, key, [stated["v"]] * copies), "identity")
        assert_array_equal(trace.read[-1], stated[sum_name])
        assert_array_equal(trace.y[-1], stated["normalised_both"])


def test_raw_scores_that_sum_to_0_have_no_average():
    trace = run(Tokens([[1], [1]], [[1], [-1]], [[5], [7]]), "identity")
    assert_array_equal(trace.scores()[1], STATED["zero_sum_scores"])
    assert trace.norm[1] == 0
    assert not trace.defined[1]
    assert np.isnan(trace.y[1]).all()


def test_storage_and_operations_depend_on_the_sizes_the_article_names():
    T, d_k, d_v = 7, 3, 5
    trace = run(Tokens(np.ones((T, d_k)), np.ones((T, d_k)), np.ones((T, d_v))))
    assert trace.S[T].size + trace.z[T].size == d_k * d_v + d_k
    assert STATED["storage_per_head"] == "dk*dv matrix + dk vector"


def test_softmax_is_another_answer():
    half = 2**-0.5
    for read, scale, name in (
        ("causal", half, "softmax_causal_y_scale_1_over_sqrt2"),
        ("causal", None, "softmax_causal_y_scale_1_over_sqrt2"),
        ("full", half, "softmax_full_y_scale_1_over_sqrt2"),
        ("causal", 1.0, "softmax_causal_y_scale_1"),
    ):
        y, _ = softmax(TOKENS, scale=scale, read=read)
        assert_allclose(y, DERIVED[name], rtol=1e-15, atol=1e-15)


def test_elu_plus_1_on_the_same_numbers():
    trace = run(TOKENS, "elu1")
    assert_allclose(trace.y, DERIVED["elu1_on_same_raw_numbers_causal_y_eps0"], rtol=1e-15)
    assert_allclose(trace.y[2], [1.071, 1.214], atol=5e-4)


def test_decay_by_half_keeps_half_of_what_came_before():
    trace = run(TOKENS, "identity", "decay", gamma=0.5)
    assert_array_equal(trace.S[3], [[1.5, 1], [0, 1.5]])
    assert_array_equal(trace.z[3], [1.25, 0.5])
    assert_array_equal(trace.y[2], [1.2, 0.8])
