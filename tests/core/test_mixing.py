"""What a fixed-size state mixes, by second paths: a run of the other list, all pairs, hand arithmetic."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import FEATURE_MAPS, InputError, Tokens, example, random_tokens, run
from linattn_core.mixing import (
    KINDS,
    ask,
    capacity,
    denominators,
    kept_keys,
    other_values,
    own_and_others,
    parts,
    read_back,
    reading,
    reordered,
    same_state,
    state_rank,
    usual_amount,
    ways,
)
from linattn_core.mixing.capacity import unit_keys
from linattn_core.update_rules import UPDATE_RULES

few = settings(max_examples=25)
halves = st.integers(-8, 8).map(lambda n: n / 2)  # exact in floating point
sizes = st.integers(1, 4)
RUNS = (("add", {}), ("decay", {"gamma": 0.5}))
every_run = pytest.mark.parametrize(("rule", "knobs"), RUNS, ids=[rule for rule, _ in RUNS])


@st.composite
def some_tokens(draw):
    T, d_k, d_v = draw(st.integers(1, 6)), draw(sizes), draw(sizes)
    return Tokens(*(draw(arrays(float, shape, elements=halves)) for shape in ((T, d_k), (T, d_k), (T, d_v))))


def of(key, **changed):
    record = example(key)
    return run(record.tokens, **{**record.settings, **changed})


def without(tokens, t):
    """The list without token t, asked by the last query."""
    return Tokens(tokens.q[-1:], np.delete(tokens.k, t, 0), np.delete(tokens.v, t, 0))


# Two lists, one state


def test_p0_and_p2_of_the_article_trade_places():
    article = of("article")
    assert_array_equal(ways(article), [[-1, 0, 1]])
    assert_array_equal(same_state(article).v, [[1, 0], [0, 3], [2, 1]])
    assert_array_equal(other_values(article, ways(article)[0], 1, 2.0).v, [[2, -2], [0, 3], [1, 3]])


@every_run
@few
@given(some_tokens())
def test_both_lists_end_in_the_same_state_and_no_query_tells_them_apart(rule, knobs, tokens):
    trace = run(tokens, "identity", rule, **knobs)
    other = same_state(trace)
    assume(other is not None)
    again = run(other, "identity", rule, **knobs)
    size = 1 + np.abs(trace.S).max()
    assert_array_equal(other.k, tokens.k)
    assert np.abs(other.v - tokens.v).max() > 1e-3
    assert_allclose(again.S[-1], trace.S[-1], atol=1e-9 * size)
    assert_array_equal(again.z[-1], trace.z[-1])
    unit = np.eye(tokens.k.shape[1])
    assert_allclose(ask(again, unit).read, ask(trace, unit).read, atol=1e-9 * size)


@every_run
@few
@given(some_tokens())
def test_there_is_a_way_for_each_key_that_depends_on_the_others(rule, knobs, tokens):
    trace = run(tokens, "identity", rule, **knobs)
    held = ask(trace, np.eye(tokens.k.shape[1])).scores()  # what each component of q meets of each key
    assert_allclose(kept_keys(trace), held.T, atol=1e-12)
    assert len(ways(trace)) == len(tokens.k) - np.linalg.matrix_rank(held)
    assert_allclose(held @ ways(trace).T, 0, atol=1e-8)
    assert len(ways(trace)) == np.linalg.matrix_rank(ways(trace)) if len(ways(trace)) else True


@pytest.mark.parametrize("rule", [rule.key for rule in UPDATE_RULES])
@few
@given(some_tokens())
def test_the_two_lists_share_a_state_under_every_rule(rule, tokens):
    """Also where a later write takes back some of an earlier one."""
    tokens = Tokens(tokens.q, tokens.k / 4, tokens.v, beta=0.5)
    trace = run(tokens, "identity", rule)
    other = same_state(trace)
    assume(other is not None)
    again = run(other, "identity", rule)
    assert_allclose(again.S[-1], trace.S[-1], atol=1e-9 * (1 + np.abs(trace.S).max()))
    assert_array_equal(again.z[-1], trace.z[-1])


@pytest.mark.parametrize(
    ("k", "phi"),
    [
        ([[12, -12], [11, -12]], "exp"),
        ([[1e6, 0], [1e6, 1e-5]], "identity"),
        ([[1, 0], [0, 1e-20]], "identity"),
    ],
)
def test_a_small_key_component_counts_like_any_other(k, phi):
    assert same_state(run(Tokens([[1, 1]] * 2, k, [[1], [2]]), phi)) is None


def test_what_no_state_can_say_is_refused():
    far = run(Tokens([[1]] * 2, [[800], [800]], [[1], [2]]), "exp")
    with pytest.raises(InputError, match="needs to be finite; some of it is inf or nan"):
        same_state(far)
    columns = Tokens([[1, 0]] * 2, [[1, 0]] * 2, [[1, 2]] * 2, beta=[[0.5, 1], [1, 0.5]])
    with pytest.raises(InputError, match="Pass one beta per key"):
        ways(run(columns, "identity", "delta"))


def test_independent_keys_fix_every_value():
    assert same_state(of("orthogonal")) is None
    assert ways(of("general_key")).shape == (0, 1)


def test_a_token_that_left_nothing_may_have_any_value():
    assert_array_equal(ways(of("dead_relu")), [[1, 0, 0, 0], [0, 1, 0, 0]])
    forgotten = Tokens([[1], [1]], [[1], [1]], [[2], [3]], log_decay=[0.0, -np.inf])
    assert_array_equal(ways(run(forgotten, "identity", "decay")), [[1, 0]])


def test_few_tokens_come_first_and_long_rows_stay_small():
    many = ways(run(random_tokens(24, 5, 3, seed=2)))
    assert np.abs(many).max() == 1
    three_then_two = Tokens(np.eye(4, 2), [[1, 0], [0, 1], [1, 1], [1, 0]], np.eye(4, 2))
    assert_array_equal(ways(run(three_then_two, "identity")), [[-1, 0, 0, 1], [-1, -1, 1, 0]])


@pytest.mark.parametrize(
    ("v", "amount"), [([[3.0]], 1), ([[0.0]], 1), ([[1e6]], 2.0**18), ([[0.01]], 2.0**-9)]
)
def test_the_change_has_the_size_of_the_values(v, amount):
    assert usual_amount(np.array(v)) == amount


# Keys read back


def test_the_articles_shared_key_gives_back_a_mean():
    asked = read_back(of("article"))
    assert_array_equal(asked.y, [[1.5, 0.5], [0, 3], [1.5, 0.5]])
    own, others = own_and_others(asked)
    assert_array_equal(own, [0.5, 1, 0.5])
    assert_array_equal(others, [0.5, 0, 0.5])
    assert_array_equal(parts(asked, 0), [[1, 0], [0, 0], [0.5, 0.5]])


@every_run
@pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda m: m.key)
def test_own_and_neighbours_shares_add_up_to_the_answer(phi, rule, knobs):
    trace = run(random_tokens(5, 3, 2, seed=4), phi, rule, **knobs)
    asked = read_back(trace)
    for t in range(5):
        assert_allclose(parts(asked, t).sum(axis=0) + asked.carried[t], asked.y[t], rtol=1e-9)
    own, others = own_and_others(asked)
    assert_allclose((own + others)[asked.defined], 1)


@few
@given(some_tokens(), st.sampled_from(RUNS))
def test_a_key_read_back_is_that_key_against_every_key(tokens, how):
    rule, knobs = how
    trace = run(tokens, "elu1", rule, **knobs, normalize=False)
    kept = (
        trace.k
        * np.array([0.5 ** (len(trace.k) - 1 - t if knobs else 0) for t in range(len(trace.k))])[:, None]
    )
    assert_allclose(read_back(trace).y, (trace.k @ kept.T) @ trace.v, atol=1e-9)


def test_what_was_carried_in_is_part_of_the_answer():
    trace = run(Tokens([[1]], [[1]], [[4]]), "identity", initial=([[6]], [3]))
    asked = read_back(trace)
    assert_array_equal(asked.y, [[2.5]])
    assert_array_equal(parts(asked, 0) + asked.carried, [[2.5]])


# Left out, twice, in another order


@few
@given(some_tokens(), st.data())
def test_leaving_a_token_out_of_add_is_subtracting_its_write(tokens, data):
    t = data.draw(st.integers(0, len(tokens.k) - 1))
    trace = run(tokens, "elu1")
    left = reading(trace, tokens.q[-1], [s for s in range(len(tokens.k)) if s != t])
    assert_allclose(left.S, trace.S[-1] - np.outer(trace.k[t], trace.v[t]), atol=1e-12)
    assert_allclose(left.z, trace.z[-1] - trace.k[t], atol=1e-12)
    if len(tokens.k) > 1:
        alone = run(without(tokens, t), "elu1", read="full")
        assert_array_equal(left.S, alone.S[-1])
        assert_array_equal(left.y, alone.y[0])


def test_with_no_token_left_there_is_nothing_to_divide():
    empty = reading(of("general_key"), [1, 1], [])
    assert_array_equal(empty.S, np.zeros((2, 2)))
    assert not empty.defined
    carried = run(Tokens([[1]], [[1]], [[4]]), "identity", initial=([[6]], [3]))
    assert_array_equal(reading(carried, [1], []).y, [2])


@few
@given(some_tokens(), st.data())
def test_a_token_written_twice_has_twice_its_part(tokens, data):
    t = data.draw(st.integers(0, len(tokens.k) - 1))
    trace = run(tokens, "elu1")
    once = ask(trace, tokens.q[-1:])
    order = [*range(t), t, *range(t, len(tokens.k))]
    twice = reading(trace, tokens.q[-1], order)
    score = float(once.q[0] @ trace.k[t])
    assert_allclose(twice.read - once.read[0], score * trace.v[t], atol=1e-9)
    assert_allclose(twice.norm - once.norm[0], score, atol=1e-9)


def test_a_lone_token_twice_is_the_same_average():
    lone = of("general_key")
    twice = reading(lone, [1, 1], [0, 0])
    assert_array_equal(twice.read, 2 * lone.read[0])
    assert_array_equal(twice.y, lone.y[0])


def test_another_order_changes_the_state_of_decay_and_not_of_add():
    for rule, backwards in (("add", [[3, 1], [0, 3]]), ("decay", [[2.25, 0.25], [0, 1.5]])):
        knobs = {"gamma": 0.5} if rule == "decay" else {}
        trace = of("article", rule=rule, **knobs)
        there = reading(trace, [1, 0], [2, 1, 0]).S  # p₂ decays twice, p₀ not at all
        assert_array_equal(there, backwards)
        assert np.array_equal(there, trace.S[3]) == (rule == "add")


def test_another_order_is_another_order():
    assert reordered(1, 0) == reordered(1, 7) == [0]
    for seed in range(12):
        assert sorted(reordered(2, seed)) == [0, 1]
        assert reordered(2, seed) == [1, 0]
    assert reordered(9, 3) != reordered(9, 4)


def test_gates_and_labels_go_with_their_tokens():
    tokens = Tokens([[1]] * 2, [[1]] * 2, [[8], [2]], labels=["x", "y"], log_decay=np.log([0.25, 0.5]))
    for trace in (
        run(tokens, "identity", "decay"),
        run(Tokens(tokens.q, tokens.k, tokens.v), "identity", "decay", gamma=[0.25, 0.5]),
    ):
        assert_allclose(reading(trace, [1], [1, 0]).S, [[8 + 0.25 * 2]])
    assert other_values(run(tokens, "identity"), np.array([1, -1])).labels == ("x", "y")


def test_a_map_that_counts_positions_asks_from_the_last_one():
    tokens = random_tokens(5, 3, 2, seed=6)
    trace = run(tokens, "cosformer", max_length=5)
    asked = ask(trace, np.vstack([tokens.q[-1:]] * 9))
    assert_array_equal(asked.y, np.vstack([trace.y[-1:]] * 9))
    far = run(Tokens([[1e200]] * 2, [[1e200]] * 2, [[3], [3]]), "cosformer", max_length=2)
    assert len(np.unique(ask(far, [[1e200]] * 5).y)) == 1
    with pytest.raises(InputError, match="cosformer"):
        reading(trace, tokens.q[-1], [0, *range(5)])


@pytest.mark.parametrize("rule", UPDATE_RULES, ids=lambda rule: rule.key)
def test_every_rule_can_be_asked_again_and_told_another_list(rule):
    tokens = random_tokens(4, 3, 2, seed=5)
    log_decay = None if all(knob.name != "gamma" for knob in rule.knobs) else -np.arange(4) / 8
    tokens = Tokens(tokens.q, tokens.k, tokens.v, log_decay=log_decay, beta=[0.5, 1, 0.25, 0.75])
    trace = run(tokens, "l2", rule, normalize=False)
    order = [3, 1, 1, 0]
    listed = Tokens(
        tokens.q[-1:],
        tokens.k[order],
        tokens.v[order],
        log_decay=None if log_decay is None else log_decay[order],
        beta=tokens.beta[order],
    )
    there = reading(trace, tokens.q[-1], order)
    alone = run(listed, "l2", rule, normalize=False, read="full")
    assert_array_equal(there.S, alone.S[-1])
    assert_array_equal(there.y, alone.y[0])
    assert_array_equal(reading(trace, tokens.q[-1], []).y, [0, 0])
    asked = read_back(trace)
    assert_allclose(asked.y, asked.q @ trace.S[-1])
    for t in range(4):
        assert_allclose(parts(asked, t).sum(axis=0), asked.y[t])


def test_a_bonus_for_each_component_stays_as_it_is_in_another_list():
    tokens = random_tokens(3, 3, 1, seed=8)
    trace = run(tokens, "identity", UPDATE_RULES[4], u=[1.0, 2.0, 3.0], gamma=1.0)
    assert_allclose(reading(trace, tokens.q[0], [2, 0]).S, tokens.k[[2, 0]].T @ tokens.v[[2, 0]])


@every_run
@pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda m: m.key)
def test_the_last_query_asked_again_gets_its_answer_again(phi, rule, knobs):
    tokens = random_tokens(4, 3, 2, seed=5)
    trace = run(tokens, phi, rule, **knobs)
    assert_array_equal(ask(trace, tokens.q[-1:]).y[0], trace.y[-1])
    assert_array_equal(reading(trace, tokens.q[-1], range(4)).y, trace.y[-1])


# Capacity


def test_orthogonal_keys_come_back_until_there_are_more_than_rows():
    one = capacity(6)
    orthogonal = one.difference["orthogonal"]
    assert_allclose(orthogonal[:, one.counts <= 6], 0, atol=1e-12)
    assert (orthogonal[:, one.counts > 6] > 0.1).all()


def test_random_keys_differ_by_the_root_of_neighbours_over_rows():
    one = capacity(16, seeds=12)
    expected = np.sqrt((one.counts - 1) / 16)
    assert_allclose(one.difference["random"].mean(axis=0), expected, rtol=0.15, atol=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rank_of_the_state_stops_at_its_rows(kind):
    one = capacity(5, seeds=3)
    assert_array_equal(one.rank[kind], [np.minimum(one.counts, 5)] * 3)


def test_axes_come_round_again_and_a_drawn_key_has_a_direction():
    assert_array_equal(unit_keys("orthogonal", np.zeros((5, 2))), [[1, 0], [0, 1], [1, 0], [0, 1], [1, 0]])
    assert_array_equal(unit_keys("random", np.array([[3.0, 4.0], [0, 0]])), [[0.6, 0.8], [1, 0]])


def test_capacity_has_a_limit_and_always_the_same_numbers():
    assert capacity(10_000, seeds=1).d_k == 32
    assert capacity(1, seeds=99).difference["random"].shape[0] == 16
    assert_array_equal(capacity(3).difference["random"], capacity(3).difference["random"])
    assert {3, 4} <= set(capacity(3).counts.tolist())


@few
@given(some_tokens())
def test_the_state_has_no_more_independent_rows_than_tokens(tokens):
    S = run(tokens, "elu1").S[-1]
    assert state_rank(S) <= min(len(tokens.k), *S.shape)


def test_two_of_the_articles_rows_are_independent_and_of_one_key_just_one():
    assert state_rank(of("article").S[3]) == 2
    assert state_rank(of("same_key").S[3]) == 1


# The plane of queries


def test_the_score_sum_follows_z():
    sums = denominators(of("negative"), [9.0, 9.0], (0, 1), [-2, 0, 2], [-1, 0, 1])
    assert_array_equal(sums, 0.5 * np.array([[-2, 0, 2]]) + 1.5 * np.array([[-1], [0], [1]]))
    swapped = denominators(of("negative"), [9.0, 9.0], (1, 0), [-2, 0, 2], [-1, 0])
    assert_array_equal(swapped, 1.5 * np.array([[-2, 0, 2]]) + 0.5 * np.array([[-1], [0]]))


def test_a_positive_map_divides_everywhere_even_past_floats():
    sums = denominators(of("article", phi="exp"), [0.0, 0.0], (0, 1), [-2000, 0, 900], [-2000, 1])
    assert (sums > 0).all()
    assert sums[0, 0] == sums[0, 2] == 1  # the sign alone


def test_eps_moves_the_border():
    sums = denominators(of("cancel", eps=1.0), [0.0, 0.0], (0, 1), [3.0], [-1.0])
    assert_array_equal(sums, [[1]])
