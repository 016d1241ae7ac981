"""What an order of the two products costs, counted, and whether the brackets may move at all."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import FEATURE_MAPS, InputError, Tokens, example, random_tokens, run
from linattn_core.cost import (
    FORMS,
    LENGTHS,
    MODELS,
    Sizes,
    brackets,
    break_even_kept,
    break_even_time,
    form,
    growth,
    model,
    softmax_brackets,
)

few = settings(max_examples=25)
small = st.integers(1, 7)


class Count:
    """Multiplies and adds numbers in plain loops, and counts each multiply-add."""

    def __init__(self):
        self.done = 0

    def dot(self, a, b):
        total = 0.0
        for x, y in zip(a, b, strict=True):
            total += x * y
            self.done += 1
        return total

    def add_to(self, row, factor, other):
        for j, y in enumerate(other):
            row[j] += factor * y
            self.done += 1


def listed(tokens, causal, count):
    """A list of keys and values that grows; each query scores the entries that it sees."""
    keys, values, reads = [], [], []
    q, k, v = (table.tolist() for table in (tokens.q, tokens.k, tokens.v))
    for t in range(len(k)):
        keys.append(k[t])
        values.append(v[t])
    for t in range(len(q)):
        row = [0.0] * len(v[0])
        for s in range(t + 1 if causal else len(k)):
            count.add_to(row, count.dot(q[t], keys[s]), values[s])
        reads.append(row)
    kept = sum(map(len, keys)) + sum(map(len, values))
    return reads, kept


def pooled(tokens, causal, r, count):
    """The same with one entry for each r positions: their mean, made by additions and one division."""
    q, k, v = (table.tolist() for table in (tokens.q, tokens.k, tokens.v))
    entries = []
    for t in range(len(k)):
        if t % r == 0:
            entries.append([k[t], v[t]])
        if causal:
            for key, value in entries:
                count.add_to([0.0] * len(value), count.dot(q[t], key), value)
    if not causal:
        for query in q:
            for key, value in entries:
                count.add_to([0.0] * len(value), count.dot(query, key), value)
    return sum(len(key) + len(value) for key, value in entries)


def written(tokens, causal, count):
    """One matrix that every key writes to and every query reads, and the sum of the keys beside it."""
    q, k, v = (table.tolist() for table in (tokens.q, tokens.k, tokens.v))
    S, z = [[0.0] * len(v[0]) for _ in k[0]], [0.0] * len(k[0])
    reads = []
    for t in range(len(k)):
        for i, row in enumerate(S):
            count.add_to(row, k[t][i], v[t])
            z[i] += k[t][i]
        if causal:
            reads.append(read(q[t], S, count))
    if not causal:
        reads = [read(query, S, count) for query in q]
    return reads, sum(map(len, S)) + len(z)


def read(q, S, count):
    row = [0.0] * len(S[0])
    for x, state in zip(q, S, strict=True):
        count.add_to(row, x, state)
    return row


@few
@given(T=small, d_k=small, d_v=small, causal=st.booleans())
def test_the_cost_of_both_orders_is_what_a_plain_run_counts(T, d_k, d_v, causal):
    tokens, sizes = random_tokens(T, d_k, d_v, 3), Sizes(T, d_k, d_v, causal=causal)
    truth = run(tokens, "identity", read="causal" if causal else "full", normalize=False).read

    count = Count()
    reads, kept = listed(tokens, causal, count)
    assert_allclose(reads, truth, atol=1e-12)
    for key in ("softmax", "scores_first"):
        assert (form(key).multiply_adds(sizes), form(key).kept(sizes)) == (count.done, kept)

    count = Count()
    reads, kept = written(tokens, causal, count)
    assert_allclose(reads, truth, atol=1e-12)
    assert form("state_first").multiply_adds(sizes) == count.done
    assert form("state_first").kept(sizes) == kept


@few
@given(T=st.integers(1, 12), d_k=small, d_v=small, r=st.integers(1, 5), causal=st.booleans())
def test_the_cost_of_pooled_entries_is_what_a_plain_run_counts(T, d_k, d_v, r, causal):
    count, sizes = Count(), Sizes(T, d_k, d_v, causal=causal, r=r)
    kept = pooled(random_tokens(T, d_k, d_v, 3), causal, r, count)
    assert (form("pooled").multiply_adds(sizes), form("pooled").kept(sizes)) == (count.done, kept)


def test_a_map_that_widens_keys_costs_in_the_products_and_in_the_state_not_in_the_cache():
    sizes = Sizes(4, 2, 3, d_phi=7, causal=False)
    tokens = random_tokens(4, 7, 3, 3)  # what the products see
    for key, counted in (("scores_first", listed), ("state_first", written)):
        count = Count()
        counted(tokens, False, count)
        assert form(key).multiply_adds(sizes) == count.done
    assert form("softmax").multiply_adds(sizes) == 4 * 4 * (2 + 3)
    assert form("scores_first").kept(sizes) == 4 * (2 + 3)
    assert form("state_first").kept(sizes) == 7 * 3 + 7


def test_between_the_products_stands_a_matrix_of_tokens_or_one_of_components():
    """Masked scores stand in the matrix too, where all of it does."""
    sizes = Sizes(5, 2, 3, r=2)
    tokens = random_tokens(5, 2, 3, 1)
    assert form("scores_first").between(sizes) == (tokens.q @ tokens.k.T).size == 25
    assert form("state_first").between(sizes) == (tokens.k.T @ tokens.v).size == 6
    assert form("softmax").between(sizes) == 25
    assert form("pooled").between(sizes) == 5 * 3


@pytest.mark.parametrize("record", FORMS, ids=lambda f: f.key)
def test_costs_of_many_lengths_are_the_costs_of_each(record):
    lengths = np.arange(1, 9)
    for causal in (True, False):
        for cost in (record.multiply_adds, record.kept, record.between):
            each = [cost(Sizes(int(T), 2, 3, causal=causal, r=3)) for T in lengths]
            assert_array_equal(cost(Sizes(lengths, 2, 3, causal=causal, r=3)), each, strict=True)


@few
@given(d_k=st.integers(1, 9), d_v=st.integers(1, 9), d_phi=st.integers(1, 9), causal=st.booleans())
def test_below_the_break_even_the_state_costs_more_and_above_it_less(d_k, d_v, d_phi, causal):
    def costs(T):
        sizes = Sizes(T, d_k, d_v, d_phi, causal)
        return form("scores_first").multiply_adds(sizes), form("state_first").multiply_adds(sizes)

    meeting = break_even_time(Sizes(1, d_k, d_v, d_phi, causal))
    for T in range(1, 40):
        scores_first, state_first = costs(T)
        assert (scores_first < state_first) == (T < meeting - 1e-9)
        assert (scores_first == state_first) == (abs(T - meeting) < 1e-9)


@few
@given(d_k=st.integers(1, 9), d_v=st.integers(1, 9), d_phi=st.integers(1, 9))
def test_below_the_other_break_even_the_state_keeps_more_numbers_than_the_cache(d_k, d_v, d_phi):
    meeting = break_even_kept(Sizes(1, d_k, d_v, d_phi))
    for T in range(1, 60):
        sizes = Sizes(T, d_k, d_v, d_phi)
        cache, state = form("softmax").kept(sizes), form("state_first").kept(sizes)
        assert (cache < state) == (T < meeting - 1e-9)
        assert (cache == state) == (abs(T - meeting) < 1e-9)


def test_break_evens_by_hand():
    """d = 64: T² · 128 = T · 2 · 4096 at T = 64; half as many pairs and a diagonal, 127; 64 · 65 / 128."""
    assert break_even_time(Sizes(1, 64, 64, causal=False)) == 64
    assert break_even_time(Sizes(1, 64, 64)) == 127
    assert break_even_kept(Sizes(1, 64, 64)) == 32.5
    assert break_even_time(Sizes(1, 2, 2, causal=False)) == 2


@pytest.mark.parametrize("T", [1, 3, 1000])
def test_twice_the_tokens_cost_four_times_or_twice(T):
    full, causal = Sizes(T, 4, 3, causal=False), Sizes(T, 4, 3)
    for key in ("softmax", "scores_first"):
        assert growth(form(key), full) == 4
        assert_allclose(growth(form(key), causal), (4 * T + 2) / (T + 1))  # 3, 3.5, 3.998…: the diagonal
    assert growth(form("state_first"), full) == growth(form("state_first"), causal) == 2
    assert growth(form("softmax"), Sizes(3, 4, 3)) == 3.5  # 21 pairs after 6


def test_sizes_below_one_are_refused():
    with pytest.raises(InputError, match=r"^T needs a whole number ≥ 1; it is 0\. Change it\.$"):
        Sizes(0, 2, 2)
    with pytest.raises(InputError, match=r"^r needs a whole number ≥ 1; it is -1\. Change it\.$"):
        Sizes(np.arange(1, 3), 2, 2, r=-1)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"T": 1.5}, "T needs a whole number ≥ 1; it is 1.5. Change it."),
        ({"T": np.nan}, "T needs a whole number ≥ 1; it is nan. Change it."),
        ({"T": True}, "T needs a whole number ≥ 1; it is True. Change it."),
        ({"T": "a"}, "T needs a whole number ≥ 1; it is 'a'. Change it."),
        ({"T": None}, "T needs a whole number ≥ 1; it is None. Change it."),
        ({"d_k": 2.5}, "d_k needs a whole number ≥ 1; it is 2.5. Change it."),
        ({"d_phi": -1}, "d_phi needs a whole number ≥ 0; it is -1. Change it."),
        ({"d_v": np.array([])}, "d_v needs a whole number ≥ 1; it is array([], dtype=float64). Change it."),
        ({"T": np.array([], int)}, "T needs whole numbers ≥ 1; it is array([], dtype=int64). Change it."),
        ({"T": np.array([2, 0])}, "T needs whole numbers ≥ 1; it is array([2, 0]). Change it."),
        ({"T": np.array([2, 1.5])}, "T needs whole numbers ≥ 1; it is array([2. , 1.5]). Change it."),
        (
            {"T": np.array([1, 2**31])},
            "An array of lengths needs counts below 2⁶³; with T = 2,147,483,648 one may reach "
            "18,446,744,082,299,486,208. Pass that length as an int, which is exact at any size.",
        ),
    ],
)
def test_sizes_that_are_no_whole_numbers_are_refused(sizes, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Sizes(**{"T": 2, "d_k": 2, "d_v": 2} | sizes)


@pytest.mark.parametrize("one", FORMS, ids=lambda form: form.key)
@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint64])
def test_narrow_integers_are_counted_in_wide_ones(one, kind):
    T, d = kind(100), kind(64)
    for count in (one.multiply_adds, one.kept, one.between):
        exact = count(Sizes(100, 64, 64))
        assert type(count(Sizes(T, d, d))) is int
        assert count(Sizes(T, d, d)) == exact
        assert_array_equal(count(Sizes(np.array([T]), d, d)), [exact])


def test_no_count_of_an_array_of_lengths_overflows():
    """The longest lengths that are let in, against Python's exact numbers."""
    for d_phi, d_v, r in [(1, 1, 1), (4096, 16, 3), (2**30, 2**30, 2)]:
        low, high = 1, 2**40
        while low < high:  # the last T that is let in
            T = (low + high + 1) // 2
            try:
                Sizes(np.array([T]), 1, d_v, d_phi, r=r)
                low = T
            except InputError:
                high = T - 1
        for one in FORMS:
            for causal in (True, False):
                whole, many = (Sizes(T, 1, d_v, d_phi, causal, r) for T in (low, np.array([low])))
                for count in (one.multiply_adds, one.kept, one.between):
                    assert count(many).tolist() == [count(whole)]


def test_an_unknown_form_or_model_is_refused_by_name():
    with pytest.raises(InputError, match=r"There is no form 'linear'\. Choose one of: softmax, pooled"):
        form("linear")
    with pytest.raises(InputError, match=r"There is no model 'gpt5'\. Choose one of: gpt2, llama2_7b"):
        model("gpt5")


@pytest.mark.parametrize(
    ("key", "T", "GiB"),
    [
        ("llama2_7b", 4096, 2),  # half a MiB a token
        ("llama3_8b", 2**17, 16),  # 128 KiB a token
        ("mistral_7b", 2**15, 4),
        ("llama3_70b", 2**17, 40),  # 320 KiB a token
        ("gpt2", 1024, 72 / 1024),  # 12 layers × 768 × 2 × 4 bytes a token
    ],
)
def test_a_cache_takes_the_memory_that_is_known_of_the_model(key, T, GiB):
    assert model(key).bytes_kept(form("softmax"), T) == GiB * 2**30


@pytest.mark.parametrize("record", MODELS, ids=lambda m: m.key)
def test_a_model_costs_the_sum_over_its_heads(record):
    """Group by group: keys are written once for all queries that share them, and read by each."""
    share = record.heads // record.kv_heads
    assert share * record.kv_heads == record.heads
    T, d = 8, record.d
    pairs = sum(t + 1 for t in range(T))
    state = scores = kept = 0
    for _ in range(record.layers * record.kv_heads):
        state += T * d * d
        kept += d * d + d
        for _ in range(share):
            state += T * d * d
            scores += pairs * (d + d)
    assert record.multiply_adds(form("state_first"), T) == state
    assert record.multiply_adds(form("scores_first"), T) == scores
    assert record.bytes_kept(form("state_first"), T) == kept * record.bytes_per_number
    assert record.score_bytes(T) == record.heads * T**2 * record.bytes_per_number


@pytest.mark.parametrize("record", MODELS, ids=lambda m: m.key)
def test_shared_keys_bring_a_models_break_even_forward(record):
    """They are written once for several queries that read them."""
    meeting = record.break_even_time
    assert meeting <= break_even_time(record.sizes(1))
    for T in (1, int(meeting), int(meeting) + 1, 1000):
        listed, state = (record.multiply_adds(form(key), T) for key in ("scores_first", "state_first"))
        assert (listed < state, listed == state) == (meeting > T, meeting == T)


def test_at_a_million_tokens_counts_stay_exact():
    """Python's own whole numbers: a float would lose the last digits."""
    T = LENGTHS[-1]
    assert LENGTHS == (1024, 128 * 1024, 1024 * 1024)
    exact = 80 * 64 * 256 * (T * (T + 1) // 2)
    counted = model("llama3_70b").multiply_adds(form("softmax"), T)
    assert isinstance(counted, int)
    assert counted == exact
    assert exact > 2**53


ARTICLE, CANCEL = example("article").tokens, example("cancel").tokens
reads = pytest.mark.parametrize("read", ["causal", "full"])


@reads
@pytest.mark.parametrize("phi", [phi.key for phi in FEATURE_MAPS])
@given(sizes=st.tuples(small, small, small), seed=st.integers(0, 99))
@settings(max_examples=8)
def test_both_orders_agree_under_every_map_and_none(read, phi, sizes, seed):
    both = brackets(random_tokens(*sizes, seed), phi, read)
    assert both.equal
    assert both.difference <= 1e-12


def test_the_state_first_order_is_the_matrix_product():
    tokens = random_tokens(6, 3, 4, 2)
    both = brackets(tokens, "identity", "full")
    assert_allclose(both.state_first, tokens.q @ (tokens.k.T @ tokens.v), atol=1e-12)
    assert_allclose(both.scores_first, (tokens.q @ tokens.k.T) @ tokens.v, atol=1e-12)


def test_orders_of_another_sum_are_not_called_rounding():
    """A difference of one part in a million is far above what rounding explains."""
    tokens = random_tokens(6, 3, 4, 2)
    both = brackets(tokens, "identity")
    object.__setattr__(both, "state_first", both.state_first * (1 + 1e-6))
    assert not both.equal


def test_brackets_cannot_move_past_softmax():
    """By hand, causal, one token of score 2 and value 3: softmax gives 3, the products 2/√1 · 3 = 6."""
    both = softmax_brackets(Tokens([[2]], [[1]], [[3]]))
    assert (both.scores_first.item(), both.state_first.item()) == (3, 6)
    assert both.difference == 3
    assert not both.equal
    assert softmax_brackets(Tokens([[2]], [[1]], [[3]]), scale=0.5).difference == 0  # by chance


@reads
def test_softmax_stands_between_the_articles_products(read):
    both = softmax_brackets(ARTICLE, read)
    weights = np.exp(ARTICLE.q @ ARTICLE.k.T / np.sqrt(2))
    weights = np.tril(weights) if read == "causal" else weights
    weights /= weights.sum(axis=1, keepdims=True)
    seen = np.tril(np.ones((3, 3))) if read == "causal" else np.ones((3, 3))
    other = (ARTICLE.q @ ARTICLE.k.T * seen / np.sqrt(2)) @ ARTICLE.v
    assert_allclose(both.difference, np.abs(weights @ ARTICLE.v - other).max())
    assert not both.equal
    assert_allclose(both.sums, 1)
    assert both.averages


def test_scores_one_and_minus_one_sum_to_zero_and_are_no_average():
    both = brackets(CANCEL, "identity")
    assert_array_equal(both.scores, [[1, 0], [1, -1]])
    assert_array_equal(both.sums, [1, 0])
    assert both.equal  # the products may be reordered all the same
    assert both.least_score == -1
    assert not both.averages


def test_a_positive_map_makes_an_average_of_them():
    """φ(1) = 2, φ(0) = 1, φ(−1) = 1/e: 2·2 + 1 and 2/e + 1."""
    both = brackets(CANCEL, "elu1")
    assert_allclose(both.scores, [[5, 0], [5, 2 / np.e + 1]])
    assert_allclose(both.sums, [5, 6 + 2 / np.e])
    assert both.averages


def test_scores_that_are_not_negative_but_all_zero_are_no_average():
    both = brackets(example("dead_relu").tokens, "relu")
    assert both.least_score == 0
    assert both.sums[0] == 0
    assert not both.averages


def test_a_negative_score_is_no_weight_of_an_average_although_the_sum_is_positive():
    """Scores 2, 1 and −0.5, which sum to 2.5."""
    both = brackets(example("negative").tokens, "identity", "full")
    assert both.sums[2] == 2.5
    assert (both.sums > 0).all()
    assert not both.averages


def test_the_least_score_is_one_that_a_query_sees():
    """The 0 of a masked pair is not a score."""
    both = brackets(Tokens([[1], [1]], [[2], [3]], [[1], [1]]), "identity")
    assert both.least_score == 2


def test_what_leaves_the_range_of_floats_is_not_called_equal():
    assert not brackets(Tokens([[1e200]], [[1e200]], [[1]]), "identity").equal
    only_the_state = brackets(Tokens([[1e-200]], [[1e200]], [[1e200]]), "identity")
    assert (only_the_state.difference, only_the_state.rounding) == (np.inf, np.inf)
    assert not only_the_state.equal
