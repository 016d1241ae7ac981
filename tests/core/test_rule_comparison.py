"""The same tokens under other rules, by second paths: hand arithmetic, runs of their own, all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import (
    ARCHITECTURES,
    UPDATE_RULES,
    InputError,
    Tokens,
    architecture,
    example,
    random_tokens,
    read_back,
    run,
)
from linattn_core.rule_comparison import (
    answer,
    as_architecture,
    beside,
    eigenvalues,
    equal_keys,
    in_order,
    key_sizes,
    left,
    loss,
    losses,
    open_gates,
    sweep,
    written_again,
)

few = settings(max_examples=25)
RULE = {rule.key: rule for rule in UPDATE_RULES}
GATES = {"gamma": 0.5, "beta": 0.75}
CORRECTING = ("delta", "gated_delta")
every_rule = pytest.mark.parametrize("rule", UPDATE_RULES, ids=lambda rule: rule.key)
halves = st.integers(-4, 4).map(lambda n: n / 2)  # exact in floating point


def of(key, rule, divide=False, gamma=0.5, beta=1.0):
    record = example(key)
    return beside(run(record.tokens, **record.settings), RULE[rule], divide=divide, gamma=gamma, beta=beta)


def table(T, d):
    return st.lists(st.lists(halves, min_size=d, max_size=d), min_size=T, max_size=T)


some_tokens = st.builds(Tokens, table(4, 3), table(4, 3), table(4, 2))


# The article's tokens, by hand


@pytest.mark.parametrize(
    ("rule", "S", "backwards"),
    [
        ("add", [[3, 1], [0, 3]], [[3, 1], [0, 3]]),
        ("decay", [[1.5, 1], [0, 1.5]], [[2.25, 0.25], [0, 1.5]]),
        ("delta", [[1, 1], [0, 3]], [[2, 0], [0, 3]]),
        ("gated_delta", [[1, 1], [0, 1.5]], [[2, 0], [0, 1.5]]),
    ],
)
def test_the_last_state_and_that_of_the_tokens_backwards(rule, S, backwards):
    trace = of("article", rule)
    assert_array_equal(trace.S[3], S)
    assert_array_equal(in_order(trace, [2, 1, 0]).S[3], backwards)


def test_half_decay_divided_gives_p0_a_fifth():
    """Of p₀ a quarter is left: ([2, 0]/4 + [1, 1]) ÷ (1/4 + 1)."""
    assert_allclose(of("article", "decay", divide=True).y[2], [1.2, 0.8], rtol=1e-15)


def test_an_infinite_key_takes_no_share_from_the_others():
    trace = run(Tokens([[1, 1]] * 2, [[800, 1], [1, 1]], [[1], [2]]), "exp")
    assert left(trace)[1, 1] == 1


def test_losses_of_the_article_by_hand():
    add, delta = losses(of("article", "add")), losses(of("article", "delta"))
    assert_array_equal(add.loss_before, [4, 9, 2])
    assert_array_equal(add.loss_after, [0, 0, 4])
    assert_array_equal(add.loss_end, [2, 0, 4])
    assert_array_equal(delta.loss_before, [4, 9, 2])
    assert_array_equal(delta.loss_after, [0, 0, 0])
    assert_array_equal(delta.loss_end, [2, 0, 0])
    assert_array_equal(delta.before, [[0, 0], [0, 0], [2, 0]])


def test_what_is_left_of_the_articles_tokens():
    _ = np.nan
    assert_array_equal(left(of("article", "add")), [[1, 1, 1], [_, 1, 1], [_, _, 1]])
    assert_array_equal(left(of("article", "decay")), [[1, 0.5, 0.25], [_, 1, 0.5], [_, _, 1]])
    assert_array_equal(left(of("article", "delta")), [[1, 1, 0], [_, 1, 1], [_, _, 1]])
    assert_array_equal(left(of("article", "delta", beta=0.5)), [[0.5, 0.5, 0.25], [_, 0.5, 0.5], [_, _, 0.5]])


def test_the_mean_of_noisy_values_is_what_adding_and_dividing_gives():
    assert_array_equal(of("noisy_mean", "add", divide=True).y[4], [2, 1])
    assert_array_equal(of("noisy_mean", "delta", divide=True).y[4], [4, 1])


# Beside


@every_rule
@pytest.mark.parametrize("divide", [False, True])
def test_beside_is_the_run_that_its_settings_ask_for(rule, divide):
    tokens, start = random_tokens(5, 3, 2, seed=3), (np.ones((2 * 3, 2)), np.ones(6))
    common = {"phi": "dpfp", "nu": 1, "scale": 0.5, "eps": 0.25, "initial": start, "dtype": "float32"}
    one = beside(run(tokens, rule="add", **common), rule, divide=divide, **GATES)
    other = run(tokens, rule=rule, normalize=divide, **common, **GATES)
    assert_array_equal(one.states, other.states)
    assert_array_equal(one.y, other.y)
    full = beside(run(tokens, read="full"), rule, divide=divide, **GATES)
    assert_array_equal(full.y, run(tokens, rule=rule, read="full", normalize=divide, **GATES).y)


def test_reading_before_the_write_is_the_rules_own_matter_unless_it_is_asked_for():
    tokens = random_tokens(4, 2, 2, seed=1)
    plain, first = run(tokens), run(tokens, read_before_write=True)
    assert beside(plain, RULE["rwkv6"], divide=False).settings.read_before_write
    assert not beside(run(tokens, rule=RULE["rwkv6"]), RULE["add"], divide=False).settings.read_before_write
    assert beside(first, RULE["delta"], divide=False).settings.read_before_write
    after = run(tokens, rule=RULE["rwkv6"], read_before_write=False, u=2.0)
    assert not beside(after, RULE["rwkv6"], divide=False).settings.read_before_write
    assert beside(after, RULE["rwkv6"], divide=False).settings.knobs["u"] == 2


def test_gates_that_the_tokens_or_the_run_have_are_not_asked_for():
    plain = random_tokens(2, 2, 2, seed=1)
    own = Tokens(plain.q, plain.k, plain.v, beta=[0.5, 0.25], log_decay=[-1.0, -2.0])
    assert open_gates(run(plain)) == ["gamma", "beta"]
    assert open_gates(run(plain, rule="decay", gamma=0.75)) == ["beta"]
    assert open_gates(run(plain, rule="decay", log_decay=-1.0)) == ["beta"]
    assert open_gates(run(own)) == []
    assert_array_equal(beside(run(own), RULE["delta"], divide=False, beta=2.0).beta, [0.5, 0.25])
    kept = beside(run(plain, rule="decay", gamma=0.75), RULE["gated_delta"], divide=False, **GATES)
    assert_array_equal(kept.alpha, np.full((2, 2), 0.75))


def test_a_rule_that_cannot_divide_says_so():
    tokens = random_tokens(2, 2, 2, seed=1)
    table_of_betas = Tokens(tokens.q, tokens.k, tokens.v, beta=np.ones((2, 2)))
    with pytest.raises(InputError, match="one beta per key"):
        beside(run(table_of_betas), RULE["delta"], divide=True)


@pytest.mark.parametrize("model", ARCHITECTURES, ids=lambda model: model.key)
def test_an_architecture_on_these_tokens_is_what_it_computes_itself(model):
    """Its own arrays through `prepare` give the same, where a model takes q, k and v alone."""
    tokens = random_tokens(4, 3, 2, seed=8)
    one = as_architecture(run(tokens, "exp", scale=3.0, eps=1.0), model, head=1, gamma=0.5, beta=0.75)
    assert one.settings.phi.key == model.phi
    assert one.settings.scale == (3**-0.5 if model.scaled else 1)
    assert one.settings.normalize == model.divides
    if one.alpha is not None:
        assert_array_equal(one.alpha, np.full((4, 3), 0.5 if model.share is None else 1 - 2**-6))
    if set(model.axes) == {"q", "k", "v"}:
        own, settings = model.prepare({"q": tokens.q, "k": tokens.k, "v": tokens.v}, head=1)
        assert_array_equal(one.y, run(own, **settings).y)


def test_gates_of_tokens_and_run_stand_before_those_of_an_architecture():
    plain, gla = random_tokens(2, 2, 2, seed=1), architecture("gla")
    own = Tokens(plain.q, plain.k, plain.v, log_decay=np.log([0.25, 0.5]))
    for model in (gla, architecture("retnet")):
        assert_allclose(as_architecture(run(own), model, gamma=0.75).alpha, [[0.25] * 2, [0.5] * 2])
    logs = run(plain, rule="decay", log_decay=np.log(0.25))
    assert_allclose(as_architecture(logs, gla, gamma=0.75).alpha, np.full((2, 2), 0.25))
    assert_allclose(as_architecture(logs, architecture("retnet")).alpha, np.full((2, 2), 1 - 2**-5))


# Laws


@few
@given(some_tokens, st.sampled_from([0.25, 0.5, 1.0, 1.75]))
def test_a_correction_multiplies_the_error_by_the_eigenvalue(tokens, beta):
    trace = run(tokens, "identity", RULE["delta"], beta=beta)
    each, factors = losses(trace), 1 - beta * (tokens.k**2).sum(axis=1)
    assert_allclose(eigenvalues(trace), factors)
    assert_allclose(each.loss_after, factors**2 * each.loss_before, atol=1e-9 * (1 + each.loss_before.max()))


@few
@given(some_tokens)
def test_after_an_addition_the_answer_is_the_old_one_and_the_value(tokens):
    each = losses(run(tokens, "identity", normalize=False))
    assert_allclose(each.after, each.before + (tokens.k**2).sum(axis=1)[:, None] * tokens.v, atol=1e-9)


@every_rule
@pytest.mark.parametrize("divide", [False, True])
def test_the_answers_at_the_end_are_the_keys_read_back(rule, divide):
    trace = beside(run(random_tokens(4, 3, 2, seed=2)), rule, divide=divide, **GATES)
    assert_allclose(losses(trace).end, read_back(trace).y, rtol=1e-12)


def test_an_answer_that_nothing_can_be_divided_for_is_none():
    each = losses(of("article", "add", divide=True))
    assert_array_equal(np.isnan(each.loss_before), [True, True, False])
    assert np.isnan(losses(of("cancel", "add", divide=True)).end).all()  # −2 ÷ 0
    assert_array_equal(each.after[2], [1.5, 0.5])


@every_rule
def test_what_is_left_is_the_score_of_the_key_itself(rule):
    tokens = random_tokens(5, 3, 2, seed=7)
    trace = beside(run(tokens, "elu1"), rule, divide=False, **GATES)
    asked = Tokens(tokens.k, tokens.k, tokens.v)
    scores = beside(run(asked, "elu1", read="full"), rule, divide=False, **GATES).scores()
    assert_allclose(left(trace)[:, -1], np.diagonal(scores) / (trace.k**2).sum(axis=1), rtol=1e-12)


def test_a_key_of_zeros_leaves_nothing_to_ask_for():
    tokens = Tokens([[1.0]] * 2, [[0.0], [2.0]], [[1.0], [1.0]])
    assert_array_equal(left(run(tokens, "identity")), [[np.nan, np.nan], [np.nan, 1]])


@pytest.mark.parametrize("rule", CORRECTING)
def test_a_sweep_is_one_run_for_each_beta(rule):
    base = run(random_tokens(4, 3, 2, seed=5), initial=(np.ones((3, 2)), np.ones(3)))
    betas = np.array([0.0, 0.5, 1.25, 2.0])
    swept = sweep(beside(base, RULE[rule], divide=False, **GATES), betas)
    for i, beta in enumerate(betas):
        one = beside(base, RULE[rule], divide=False, gamma=0.5, beta=beta)
        assert_allclose(swept.loss[i], ((one.k @ one.S[-1] - one.v) ** 2).sum(axis=1).mean(), rtol=1e-12)
        assert_allclose(swept.size[i], np.linalg.norm(one.S[-1]), rtol=1e-12)


@pytest.mark.parametrize("k", [0.5, 1.0, 1.25, 1.5])
def test_a_key_written_again_and_again_shrinks_or_grows(k):
    tokens = Tokens([[k]] * 6, [[k]] * 6, [[3.0]] * 6)
    trace = run(tokens, "identity", RULE["delta"], beta=1.0)
    errors = np.abs(3 - k * trace.S[:, 0, 0]) / 3
    assert_allclose(written_again(float(eigenvalues(trace)[0]), 6), errors, atol=1e-12)
    assert (errors[-1] > 1) == (k * k > 2)


def test_rules_that_do_not_correct_have_eigenvalue_1():
    for rule in ("add", "decay", "rwkv7"):
        assert_array_equal(eigenvalues(of("article", rule)), [1, 1, 1])
    assert_array_equal(key_sizes(of("general_key", "add")), [0.3 * 0.3 + 0.7 * 0.7])


def test_the_beta_that_counts_is_the_largest_of_a_key():
    tokens = Tokens([[1.0]], [[2.0]], [[1.0, 1.0]], beta=[[0.25, 0.5]])
    assert_array_equal(eigenvalues(run(tokens, "identity", RULE["delta"])), [-1])


def test_the_key_that_most_tokens_share():
    assert equal_keys(of("article", "add")) == [0, 2]
    assert equal_keys(of("same_key", "add")) == [0, 1, 2]
    assert equal_keys(of("orthogonal", "add")) == []
    minus = Tokens([[1.0]] * 2, [[0.0], [-0.0]], [[1.0], [2.0]])
    assert equal_keys(run(minus, "identity")) == [0, 1]


def test_a_loss_is_the_square_of_what_is_missing():
    assert_array_equal(loss(np.array([[3.0, 1.0]]), np.array([[1.0, 1.0]])), [4])
    trace = of("article", "add", divide=True)
    assert_array_equal(answer(trace, trace.states[3], np.array([1.0, 1.0])), [1, 4 / 3])
