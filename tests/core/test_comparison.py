"""A run beside softmax attention."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import InputError, Tokens, compare, example, run, sharpened, softmax

few = settings(max_examples=30, deadline=None)
halves = st.integers(-6, 6).map(lambda n: n / 2)


def table(T, d):
    return st.lists(st.lists(halves, min_size=d, max_size=d), min_size=T, max_size=T)


tokens = st.builds(Tokens, table(4, 3), table(4, 3), table(4, 2))


def of(key, **options):
    record = example(key)
    return compare(run(record.tokens, **record.settings), **options)


def test_the_article_s_last_query_by_hand():
    """Scores 1, 0, 1 weigh ½ 0 ½; softmax has e^(1/√2), 1, e^(1/√2) over their sum."""
    both, e = of("article"), np.exp(2**-0.5)
    assert_array_equal(both.weights[2], [0.5, 0, 0.5])
    assert_allclose(both.softmax_weights[2], np.array([e, 1, e]) / (2 * e + 1), rtol=1e-15)
    assert_allclose(both.moved[2], 1 / (2 * e + 1), rtol=1e-14)
    assert_allclose(both.softmax_y[2], [1.20334, 0.99444], atol=5e-6)
    assert_array_equal(both.y[2], [1.5, 0.5])


def test_a_query_without_weights_has_no_difference():
    both = of("cancel")
    assert np.isnan(both.moved[1])
    assert np.isfinite(both.moved[0])


@given(tokens=tokens)
@few
def test_what_moved_is_what_the_gaining_tokens_gained(tokens):
    both = compare(run(tokens, "elu1"))
    gained = np.maximum(both.weights - softmax(tokens)[1], 0)
    assert_allclose(both.moved, gained.sum(axis=1), atol=1e-12)


def test_softmax_sees_what_the_run_sees():
    """A query that reads before the write meets p₀ … p_{t−1}: softmax's row is that of the keys before."""
    record = example("sentence")
    before = compare(run(record.tokens, "elu1", read_before_write=True))
    assert_array_equal(before.softmax_weights[0], np.zeros(12))
    for t in range(1, 12):
        tokens = Tokens(record.tokens.q[t : t + 1], record.tokens.k[:t], record.tokens.v[:t])
        y, weights = softmax(tokens, read="full")
        assert_array_equal(before.softmax_weights[t], [*weights[0], *[0] * (12 - t)])
        assert_array_equal(before.softmax_y[t], y[0])
    rwkv6 = compare(run(record.tokens, "elu1", "rwkv6"))  # its query does meet its own token
    assert_array_equal(rwkv6.softmax_weights, softmax(record.tokens)[1])


def test_what_is_no_run_or_no_tokens_gets_a_sentence():
    with pytest.raises(InputError, match=r"trace needs a run; it is 'x'\. Pass what run"):
        compare("x")
    with pytest.raises(InputError, match=r"tokens needs Tokens; it is \[1\]. Pass Tokens\(q, k, v\)"):
        softmax([1])
    with pytest.raises(InputError, match="read needs to be one of"):
        softmax(example("article").tokens, read=np.array(["causal", "full"]))


@given(tokens=tokens, phi=st.sampled_from(["identity", "relu"]), factor=st.sampled_from([2.0, 4.0, 8.0]))
@few
def test_a_factor_on_q_cancels_where_the_map_lets_it_through(tokens, phi, factor):
    before, after = run(tokens, phi), run(sharpened(tokens, factor), phi)
    assert_array_equal(before.weights(), after.weights())


def test_a_factor_on_q_sharpens_softmax_and_moves_elu():
    record = example("sentence")
    louder = sharpened(record.tokens, 10)
    assert softmax(louder)[1].max(axis=1)[-1] > 2 * softmax(record.tokens)[1].max(axis=1)[-1]
    assert np.abs(run(louder, "elu1").weights() - run(record.tokens, "elu1").weights()).max() > 0.01


def test_a_factor_leaves_all_but_q():
    given = Tokens([[1, 2]], [[3, 4]], [[5]], labels=["a"], beta=[0.5], log_decay=[-1])
    louder = sharpened(given, 3)
    assert_array_equal(louder.q, [[3, 6]])
    for name in ("k", "v", "labels", "beta", "log_decay"):
        assert_array_equal(getattr(louder, name), getattr(given, name))


def test_sums_are_1_where_the_run_divides():
    both = of("negative")
    assert_allclose(both.sums, 1, rtol=1e-14)
    assert of("article").sums[2] == 1
    undivided = compare(run(example("article").tokens, "identity", normalize=False))
    assert_array_equal(undivided.sums, [1, 1, 2])


@pytest.mark.parametrize("read", ["causal", "full"])
def test_seen_is_where_softmax_has_a_weight(read):
    both = compare(run(example("sentence").tokens, read=read))
    assert_array_equal(both.seen, both.softmax_weights > 0)
