"""Every write rule against other ways to the same numbers: matrices, single operations, and each other."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import (
    EXPORTS,
    UPDATE_RULES,
    InputError,
    Tokens,
    all_pairs,
    example,
    export,
    random_tokens,
    restore,
    run,
    snapshot,
    update_rule,
)

ARTICLE = example("article").tokens
MODES = ({"read": "causal", "read_before_write": False}, {"read_before_write": True}, {"read": "full"})
CORRECTING = [rule for rule in UPDATE_RULES if any(knob.name == "beta" for knob in rule.knobs)]

every_rule = pytest.mark.parametrize("rule", UPDATE_RULES, ids=lambda r: r.key)
every_mode = pytest.mark.parametrize("mode", MODES, ids=["after", "before", "full"])
correcting_rules = pytest.mark.parametrize("rule", CORRECTING, ids=lambda r: r.key)
few = settings(max_examples=10)

halves = st.integers(-3, 3).map(lambda n: n / 2)
shares = st.integers(0, 4).map(lambda n: n / 2)  # of the error: 0 … 2
decays = st.sampled_from([0.0, -0.5, -1.0, -np.inf])


def told(rule, T, d_k, draw):
    """Knobs of the rule that no token carries: bonus and removal vectors."""
    if rule.bonus is not None:
        return {"u": draw(arrays(float, d_k, elements=halves))}
    return {array.name: draw(arrays(float, (T, d_k), elements=halves)) for array in rule.arrays}


@st.composite
def some_tokens(draw, T=None):
    T, d_k, d_v = (
        draw(st.integers(1, 4)) if T is None else T,
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
    )
    q, k, v = (draw(arrays(float, (T, d), elements=halves)) for d in (d_k, d_k, d_v))
    gates = {"beta": draw(arrays(float, T, elements=shares))}
    return Tokens(q, k, v, log_decay=draw(arrays(float, (T, d_k), elements=decays)), **gates)


def piece(tokens, knobs, at):
    """The same tokens and knobs for some rows alone."""
    tables = (table[at] for table in (tokens.q, tokens.k, tokens.v))
    part = Tokens(*tables, beta=tokens.beta[at], log_decay=tokens.log_decay[at])
    return part, {name: x if name == "u" else x[at] for name, x in knobs.items()}


# A second way: each token is a matrix A, S ← A S + w vᵀ


def matrices(key, tokens, knobs):
    """For each token: A (d, d), from the formula in the paper, and w (d,)."""
    for t, k in enumerate(tokens.k):
        I, D = np.eye(len(k)), np.diag(np.exp(tokens.log_decay[t]))  # noqa: E741
        beta, erase = tokens.beta[t], np.eye(len(k)) - tokens.beta[t] * np.outer(k, k)
        if key == "rwkv7":
            yield D + beta * np.outer(knobs["b"][t], knobs["a"][t]), k
        else:
            A = {"add": I, "decay": D, "rwkv6": D, "delta": erase, "gated_delta": erase @ D}[key]
            yield A, beta * k if "delta" in key else k


def by_matrices(trace, knobs):
    """By BLAS: all states from S0; the scores; and what each query reads of the state carried in."""
    mode, tokens, S0 = trace.settings, trace.tokens, trace.initial[0]
    left, kept, states, met = [], np.eye(len(S0)), [S0], []
    for A, w in matrices(mode.rule.key, tokens, knobs):
        met.append(([*left, knobs["u"] * w] if mode.sees_itself else left, kept))
        left, kept = [A @ x for x in left] + [w], A @ kept
        states.append(kept @ S0 + sum(np.outer(x, v) for x, v in zip(left, tokens.v, strict=False)))
    met.append((left, kept))
    T = len(tokens.k)
    seen = {"full": [met[T]] * T}.get(mode.read, met[:-1] if mode.read_before_write else met[1:])
    scores = np.zeros((T, T))
    for t, (rows, _) in enumerate(seen):
        scores[t, : len(rows)] = [mode.scale * tokens.q[t] @ row for row in rows]
    return (
        states,
        scores,
        np.array([mode.scale * q @ k @ S0 for q, (_, k) in zip(tokens.q, seen, strict=True)]),
    )


@every_rule
@every_mode
@few
@given(tokens=some_tokens(), data=st.data(), scale=st.sampled_from([1.0, 0.25]))
def test_one_at_a_time_equals_products_of_matrices(rule, mode, tokens, data, scale):
    d_k, d_v = tokens.k.shape[1], tokens.v.shape[1]
    knobs = told(rule, len(tokens.k), d_k, data.draw)
    S0, z0 = data.draw(arrays(float, (d_k, d_v), elements=halves)), np.ones(d_k)
    trace = run(tokens, "identity", rule, initial=(S0, z0), normalize=False, scale=scale, **mode, **knobs)
    states, scores, carried = by_matrices(trace, knobs)
    close = {"rtol": 1e-9, "atol": 1e-9 * max(1, np.abs(trace.S).max())}
    assert_allclose(trace.S, states, **close)
    assert_allclose(trace.scores(), scores, **close)
    assert_allclose(trace.carried, carried, **close)
    assert_allclose(trace.read, scores @ tokens.v + carried, **close)


@every_rule
@every_mode
@few
@given(tokens=some_tokens(), data=st.data(), normalize=st.booleans())
def test_effective_weights_times_values_and_what_was_carried_is_y(rule, mode, tokens, data, normalize):
    knobs = told(rule, len(tokens.k), tokens.k.shape[1], data.draw)
    initial = (np.ones((tokens.k.shape[1], tokens.v.shape[1])), tokens.k[0])
    trace = run(tokens, "identity", rule, initial=initial, normalize=normalize, eps=0.25, **mode, **knobs)
    good = trace.defined & (~np.isfinite(trace.condition) | (trace.condition < 1e6) | (not normalize))
    size = max(1, np.abs(trace.weights()[good]).max(initial=0))
    got = trace.weights()[good] @ tokens.v + trace.carried[good]
    assert_allclose(got, trace.y[good], rtol=1e-6, atol=1e-6 * size)


@every_rule
@every_mode
@pytest.mark.parametrize("numbers", [1, 50])
def test_states_are_read_together_as_one_by_one(monkeypatch, rule, mode, numbers):
    """In one go, one by one, and in parts of which the last is smaller: the same bits."""
    initial = (np.ones((3, 2)), np.ones(3))
    runs = [run(random_tokens(7, 3, 2, 1), "elu1", rule, initial=initial, **mode) for _ in range(2)]
    together = [runs[0].scores(), runs[0].weights(), runs[0].carried]
    monkeypatch.setattr(all_pairs, "AT_ONCE", numbers)
    apart = [runs[1].scores(), runs[1].weights(), runs[1].carried]
    assert [x.tobytes() for x in apart] == [x.tobytes() for x in together]


@every_rule
@few
@given(tokens=some_tokens(T=4), later=some_tokens(T=2), t=st.integers(0, 3), data=st.data())
def test_no_answer_depends_on_a_later_token_to_the_last_bit(rule, tokens, later, t, data):
    knobs = told(rule, 4, tokens.k.shape[1], data.draw)
    initial = (np.ones((tokens.k.shape[1], tokens.v.shape[1])), np.ones(tokens.k.shape[1]))
    now = run(tokens, "identity", rule, initial=initial, **knobs)
    part, known = piece(tokens, knobs, slice(0, t + 1))
    then = run(part, "identity", rule, initial=initial, **known)
    kept = slice(0, t + 1)
    for name in ("read", "norm", "y", "defined", "condition", "log10_norm", "carried", "u", "u_z"):
        assert_array_equal(getattr(now, name)[kept], getattr(then, name), err_msg=name)
    assert_array_equal(now.states[: t + 2], then.states)
    assert_array_equal(now.scores()[kept, kept], then.scores())
    assert_array_equal(now.weights()[kept, kept], then.weights())
    assert not now.scores()[kept, t + 1 :].any()


@every_rule
@every_mode
@few
@given(tokens=some_tokens(T=4), cut=st.integers(1, 3), data=st.data())
def test_a_state_carried_over_a_cut_is_one_pass(rule, mode, tokens, cut, data):
    knobs = told(rule, 4, tokens.k.shape[1], data.draw)
    whole = run(tokens, "identity", rule, **knobs, **mode)
    one, known = piece(tokens, knobs, slice(0, cut))
    first = run(one, "identity", rule, **known, **mode)
    two, known = piece(tokens, knobs, slice(cut, 4))
    second = run(two, "identity", rule, initial=first.final, **known, **mode)
    assert_array_equal(np.concatenate([first.states, second.states[1:]]), whole.states)
    if mode.get("read") != "full":
        for name in ("read", "norm", "y", "defined"):
            parts = np.concatenate([getattr(first, name), getattr(second, name)])
            assert_array_equal(parts, getattr(whole, name), err_msg=name)


@every_rule
@few
@given(tokens=some_tokens(), data=st.data())
def test_z_is_the_state_kept_for_the_value_1_and_a_run_is_linear_in_its_values(rule, tokens, data):
    knobs = told(rule, len(tokens.k), tokens.k.shape[1], data.draw)
    gates = {"beta": tokens.beta, "log_decay": tokens.log_decay}
    one = run(tokens, "identity", rule, **knobs)
    ones = run(Tokens(tokens.q, tokens.k, 0 * tokens.v + 1, **gates), "identity", rule, **knobs)
    more = run(Tokens(tokens.q, tokens.k, 2 * tokens.v - 1, **gates), "identity", rule, **knobs)
    assert_array_equal(ones.S[:, :, 0], one.z)
    assert_array_equal(ones.u[:, 0], one.u_z)
    assert_allclose(more.S, 2 * one.S - one.z[:, :, None], rtol=1e-9, atol=1e-9 * max(1, np.abs(one.S).max()))


# The order of operations, which a browser repeats


def dot(a, b):
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def column(trace, t, n):
    """One column of [S | z] after token t, and what was written into it, one operation at a time."""
    before, k, gates = trace.states[t, :, n], trace.k[t], trace.gates
    value = trace.v[t, n] if n < trace.v.shape[1] else trace.v.dtype.type(1)
    kept = [gates["gamma"][t, i] * x for i, x in enumerate(before)] if "gamma" in gates else list(before)
    asks = trace.settings.rule.asks
    u = value
    if asks == "k":
        u = gates["beta"][t] * (value - dot(k, kept))
    if asks == "a":
        removed = gates["beta"][t] * dot(gates["a"][t], before)
        kept = [x + b * removed for x, b in zip(kept, gates["b"][t], strict=True)]
    return [x + ki * u for x, ki in zip(kept, k, strict=True)], u


@every_rule
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_every_operation_can_be_redone_by_hand_to_the_last_bit(rule, dtype):
    draw = np.random.default_rng(4).standard_normal
    gates = {"beta": abs(draw(5)), "log_decay": -abs(draw((5, 3)))}
    knobs = {"u": draw(3)} if rule.bonus else {array.name: draw((5, 3)) for array in rule.arrays}
    tokens, initial = Tokens(draw((5, 3)), draw((5, 3)), draw((5, 2)), **gates), (draw((3, 2)), draw(3))
    trace = run(tokens, "identity", rule, dtype=dtype, scale=0.3, initial=initial, **knobs)
    assert {array.dtype for array in (trace.states, trace.reads, trace.written, trace.scores())} == {
        np.dtype(dtype)
    }
    for t in range(5):
        met = trace.states[t + 1] if trace.bonus is None else trace.states[t].copy()
        for n in range(3):
            rows, u = column(trace, t, n)
            assert_array_equal(trace.states[t + 1, :, n], rows)
            assert trace.written[t, n] == u
            if trace.bonus is not None:
                value = np.append(trace.v[t], np.ones(1, dtype))[n]
                met[:, n] = [
                    x + (own * k) * value
                    for x, own, k in zip(met[:, n], trace.bonus, trace.k[t], strict=True)
                ]
            assert trace.reads[t, n] == np.dtype(dtype).type(0.3) * dot(trace.q[t], met[:, n])


@every_rule
@few
@given(tokens=some_tokens(), data=st.data())
def test_a_correction_says_what_the_write_started_from_to_the_last_bit(rule, tokens, data):
    knobs = told(rule, len(tokens.k), tokens.k.shape[1], data.draw)
    trace = run(tokens, "identity", rule, **knobs)
    for t in range(len(tokens.k)):
        found, state = trace.correction(t), trace.correction(t).decayed
        for array in filter(lambda x: x is not None, vars(found).values()):
            assert not array.flags.writeable
        assert (found.old is None) == (rule.asks is None)
        assert (found.error is None) == (rule.asks != "k")
        if rule.asks == "k":
            assert_array_equal(found.error, np.append(trace.v[t], 1) - found.old)
            assert_array_equal(trace.written[t], tokens.beta[t] * found.error)
        if rule.asks == "a":
            assert_array_equal(found.removal, np.outer(trace.gates["b"][t], tokens.beta[t] * found.old))
            state = state + found.removal
        assert_array_equal(trace.states[t + 1], state + np.outer(trace.k[t], trace.written[t]))
        assert_array_equal(trace.contribution(t), np.outer(trace.k[t], trace.u[t]))


@every_rule
def test_a_step_leaves_the_old_state_alone(rule):
    S, k, v = np.ones((2, 3)), np.array([1.0, 2.0]), np.array([1.0, 0.5, 2.0])
    S.setflags(write=False)
    names = [knob.name for knob in (*rule.knobs, *rule.arrays) if knob is not rule.bonus]
    new, u = rule.step(S, k, v, **{name: 0.5 if name == "beta" else np.full(2, 0.5) for name in names})
    assert not np.shares_memory(new, S)
    assert_array_equal(S, np.ones((2, 3)))
    assert (new.shape, u.shape) == ((2, 3), (3,))


# What each rule is for


def test_delta_replaces_the_article_s_first_value():
    trace = run(ARTICLE, "identity", "delta")
    assert_array_equal(trace.S[3], [[1, 1], [0, 3]])
    assert_array_equal(trace.u[2], [-1, 1])
    assert_array_equal(trace.correction(2).old, [2, 0, 1])
    assert_array_equal(trace.correction(2).error, [-1, 1, 0])
    assert_array_equal(trace.y[2], [1, 1])
    assert_array_equal(trace.z[3], [1, 1])
    assert_array_equal(trace.scores(), np.eye(3))
    assert trace.settings.normalize is False
    swapped = Tokens(*(table[[2, 1, 0]] for table in (ARTICLE.q, ARTICLE.k, ARTICLE.v)))
    assert_array_equal(run(swapped, "identity", "delta").S[3], [[2, 0], [0, 3]])
    assert_array_equal(run(swapped, "identity").S[3], run(ARTICLE, "identity").S[3])


def test_a_decay_of_a_half_weighs_the_article_s_newest_value_more():
    assert_array_equal(run(ARTICLE, "identity", "decay", gamma=0.5).y[2], [1.2, 0.8])


@few
@given(tokens=some_tokens(), at=st.data())
def test_delta_with_beta_1_answers_a_unit_key_with_its_value(tokens, at):
    keys = np.eye(tokens.k.shape[1])[[at.draw(st.integers(0, tokens.k.shape[1] - 1)) for _ in tokens.k]]
    for rule in ("delta", "gated_delta"):
        assert_array_equal(run(Tokens(keys, keys, tokens.v), "identity", rule, gamma=0.5).y, tokens.v)
        assert_array_equal(run(Tokens(keys, keys, tokens.v), "identity", "rwkv7", gamma=1).y, tokens.v)


@few
@given(tokens=some_tokens(), data=st.data())
def test_a_rule_with_its_extras_off_is_the_simpler_one(tokens, data):
    T, d_k = tokens.k.shape
    bare = Tokens(tokens.q, tokens.k, tokens.v)
    plain = run(bare, "identity", normalize=False)
    full_write = run(bare, "identity", "rwkv6", gamma=1, u=1)
    assert_array_equal(full_write.y, plain.y)
    assert_array_equal(full_write.scores(), plain.scores())
    assert_array_equal(run(bare, "identity", "rwkv7", gamma=1, beta=0).S, plain.S)
    gated, delta = run(tokens, "identity", "gated_delta"), run(tokens, "identity", "delta")
    kept = Tokens(tokens.q, tokens.k, tokens.v, beta=tokens.beta)
    assert_array_equal(run(kept, "identity", "gated_delta", gamma=1).S, delta.S)
    zero = np.zeros((T, d_k))
    assert_array_equal(run(tokens, "identity", "rwkv7", a=zero, b=zero).S, run(tokens, "identity", "decay").S)
    assert gated.S.shape == delta.S.shape


def test_rwkv7_removes_along_the_key_s_direction_unless_told_otherwise():
    tokens = Tokens([[1, 0]] * 3, [[3, 4], [0, 0], [0, 2]], [[5], [7], [1]])
    trace = run(tokens, "identity", "rwkv7", gamma=0.5, beta=1)
    assert_allclose(trace.gates["a"], [[-0.6, -0.8], [0, 0], [0, -1]], rtol=1e-15)
    assert_array_equal(trace.gates["b"], -trace.gates["a"])
    # 15, 20 written; halved; then a = (0, −1) reads −10 of the undecayed second row and b puts it back there
    assert_allclose(trace.S[3], [[15 / 4], [20 / 4 - 20 / 2 + 2]], rtol=1e-15)


def test_the_removal_of_rwkv7_reads_what_the_decay_has_not_touched():
    tokens = Tokens([[1], [1]], [[1], [1]], [[4], [10]], log_decay=-np.inf)
    assert run(tokens, "identity", "rwkv7").S[2, 0, 0] == 0 - 4 + 10
    assert run(tokens, "identity", "gated_delta").S[2, 0, 0] == 10


def test_rwkv6_reads_before_the_write_where_a_query_has_a_place():
    tokens = random_tokens(4, 2, 3, seed=2)
    trace = run(tokens, "identity", "rwkv6", u=[0.5, 2])
    assert trace.settings.read_before_write
    assert_allclose(trace.y[0], (tokens.q[0] * [0.5, 2] * tokens.k[0]).sum() * tokens.v[0])
    plain = run(tokens, "identity", "rwkv6")
    assert not plain.y[0].any()
    assert not plain.scores().diagonal().any()
    after = run(tokens, "identity", "rwkv6", read_before_write=False, u=7)
    assert_array_equal(after.y, run(tokens, "identity", "decay", normalize=False).y)
    assert after.bonus is None
    full = run(tokens, "identity", "rwkv6", read="full", u=7)
    assert not full.settings.read_before_write
    assert_array_equal(full.y[-1], after.y[-1])


@pytest.mark.parametrize("rule", ["delta", "gated_delta"])
def test_past_beta_times_the_key_s_square_of_2_the_state_outgrows_floats_and_nothing_raises(rule):
    x, v = np.ones((400, 1)), np.tile([[1e300], [-1e300]], (200, 1))
    grows = run(Tokens(x, x * np.sqrt(2.1), v, beta=2.0), "identity", rule, gamma=1)
    assert grows.overflow is not None
    assert np.isfinite(grows.states[: grows.overflow]).all()
    assert not np.isfinite(grows.S[grows.overflow]).all()
    assert run(Tokens(x, x * np.sqrt(0.95), v, beta=2.0), "identity", rule, gamma=1).overflow is None


def test_a_run_that_divides_by_delta_s_sum_may_have_no_answer():
    """Its scores may be negative and sum to 0: [1] is written, then a β of 2 turns it round."""
    tokens = Tokens([[1], [1]], [[1], [0.5]], [[3], [4]], beta=[1, 0])
    trace = run(tokens, "identity", "delta", normalize=True)
    assert trace.defined.all()
    none = run(Tokens([[1], [0]], [[1], [1]], [[3], [4]]), "identity", "delta", normalize=True)
    assert none.defined.tolist() == [True, False]
    assert np.isnan(none.y[1]).all()


# β for each value component

WIDE = Tokens(ARTICLE.q, ARTICLE.k, ARTICLE.v, beta=[[1, 0.5], [0.25, 1], [0.5, 2]])


@correcting_rules
def test_a_beta_for_each_value_component_is_a_run_for_each_column(rule):
    trace = run(WIDE, "elu1", rule, initial=(np.ones((2, 2)), None))
    assert_array_equal(trace.beta, WIDE.beta)
    for j in range(2):
        alone = Tokens(WIDE.q, WIDE.k, WIDE.v[:, [j]], beta=WIDE.beta[:, j])
        one = run(alone, "elu1", rule, initial=(np.ones((2, 1)), None))
        assert_array_equal(trace.S[:, :, [j]], one.S)
        for name in ("u", "read", "y", "carried"):
            assert_array_equal(getattr(trace, name)[:, [j]], getattr(one, name), err_msg=name)
        assert_array_equal(trace.correction(1).old[j], one.correction(1).old[0])
    again = run(Tokens(WIDE.q, WIDE.k, WIDE.v), "elu1", rule, beta=WIDE.beta, initial=(np.ones((2, 2)), None))
    assert_array_equal(again.S, trace.S)


@correcting_rules
def test_no_map_describes_a_beta_for_each_value_component(rule):
    trace = run(WIDE, "identity", rule)
    assert not trace.one_map
    for call in (lambda: trace.z, lambda: trace.u_z, lambda: trace.norm, trace.scores, trace.weights):
        with pytest.raises(InputError, match="no single T×T map describes it"):
            call()
    assert trace.final[1] is None
    assert trace.defined.all()
    assert trace.overflow is None
    assert np.isnan([trace.condition, trace.log10_norm]).all()
    with pytest.raises(
        InputError, match=r"A run that divides needs one beta per key, .*; beta is a \(3, 2\) table"
    ):
        run(WIDE, "identity", rule, normalize=True)
    assert run(WIDE, "identity").settings.normalize
    named = snapshot(trace)["results"]
    assert not {"z", "norm", "scores", "weights"} & named.keys()
    for step in range(4):
        assert (
            not {"z_before", "z_after", "norm", "scores", "weights"} & snapshot(trace, step)["results"].keys()
        )
    for file in EXPORTS:
        file.write(trace)


# Knobs


def test_beta_has_one_source():
    plain = Tokens(ARTICLE.q, ARTICLE.k, ARTICLE.v)
    assert run(plain, "identity", "delta").settings.knobs == {"beta": 1.0}
    assert run(WIDE, "identity", "delta").settings.knobs == {}
    assert_array_equal(run(plain, "identity", "delta", beta=[1, 0, 0.5]).beta, [1, 0, 0.5])
    for options in ({"rule": "add"}, {"rule": "decay"}):
        assert run(plain, "identity", beta=0.5, **options).beta is None
    with pytest.raises(
        InputError, match=re.escape("beta needs one source; it came as beta= and as the tokens'")
    ):
        run(WIDE, "identity", "delta", beta=1)


@pytest.mark.parametrize("beta", [-1, 5, [2.5, 0, -3]])
def test_beta_takes_the_same_numbers_as_a_knob_and_in_the_tokens(beta):
    plain = Tokens(ARTICLE.q, ARTICLE.k, ARTICLE.v)
    knob = run(plain, "identity", "delta", beta=beta)
    assert_array_equal(knob.S, run(Tokens(plain.q, plain.k, plain.v, beta=beta), "identity", "delta").S)


def test_a_bonus_takes_the_same_numbers_alone_and_for_each_component():
    plain = Tokens(ARTICLE.q, ARTICLE.k, ARTICLE.v)
    one, each = (run(plain, "identity", "rwkv6", u=u) for u in (20.0, [20.0, 20.0]))
    assert_array_equal(one.y, each.y)
    assert_array_equal(one.bonus, [20.0, 20.0])


MESSAGES = {
    "beta needs finite numbers; it is inf.": {"rule": "delta", "beta": np.inf},
    "beta needs one number, 3 (one per key), or a (3, 2) table; its shape is (2,).": {
        "rule": "delta",
        "beta": [1, 1],
    },
    "beta needs one number, 3 (one per key), or a (3, 2) table; its shape is (2, 3).": {
        "rule": "rwkv7",
        "beta": np.ones((2, 3)),
    },
    "gamma needs one number, or 3 (one per key); its shape is (3, 2).": {
        "rule": "gated_delta",
        "gamma": np.ones((3, 2)),
    },
    "u needs one number, or 2 (one per component of φ(k)); its shape is (3,).": {
        "rule": "rwkv6",
        "u": [1, 2, 3],
    },
    "u needs finite numbers; it is nan.": {"rule": "rwkv6", "u": np.nan},
    "u needs finite numbers; row 1 (counted from 0) is nan.": {"rule": "rwkv6", "u": [0, np.nan]},
    "a needs a (3, 2) table, one row per key and one column per component of φ(k); its shape is (2,).": {
        "rule": "rwkv7",
        "a": [1, 2],
    },
    "b needs finite numbers; row 0, column 0 (counted from 0) is inf.": {"rule": "rwkv7", "b": [[np.inf]]},
    "takes no knob 'u'": {"rule": "rwkv7", "u": 1},
    "takes no knob 'a'": {"rule": "delta", "a": np.ones((3, 2))},
    "read='full'": {"rule": "rwkv6", "read": "full", "read_before_write": True},
}


@pytest.mark.parametrize("message", MESSAGES)
def test_a_knob_that_does_not_fit_is_said_in_a_sentence(message):
    with pytest.raises(InputError, match=re.escape(message)):
        run(ARTICLE, "identity", **MESSAGES[message])


def test_a_vector_of_a_model_may_leave_the_slider_s_range():
    assert_array_equal(run(ARTICLE, "identity", "rwkv6", u=[40, -40]).bonus, [40, -40])


TOLD = {
    "delta": {"beta": [0.1, 1 / 3, 2]},
    "gated_delta": {"beta": 0.1, "log_decay": [[-0.1, -np.inf], [0, -2], [-1 / 3, -0.0]]},
    "rwkv6": {"u": [1 / 3, -0.0], "gamma": 0.7},
    "rwkv7": {
        "a": [[0.1, -0.0], [1 / 3, 2], [5e-324, 1]],
        "b": [[1e300, 0.2], [0, 1], [2, 3]],
        "beta": [1, 0.5, 0.1],
    },
}


@pytest.mark.parametrize("key", TOLD)
@pytest.mark.parametrize("kind", ["json", "npz", "csv"])
def test_the_knobs_of_a_rule_come_back_from_a_file_with_the_same_bits(key, kind):
    trace = run(ARTICLE, "elu1", key, **TOLD[key])
    back = restore(export(kind).write(trace, step=2))
    again = run(back.tokens, **back.settings)
    assert again.settings.rule is update_rule(key)
    assert (
        again.settings.knobs.keys()
        == trace.settings.knobs.keys()
        == TOLD[key].keys() | again.settings.knobs.keys()
    )
    for name, gate in (trace.gates | {"bonus": trace.bonus}).items():
        same = again.bonus if name == "bonus" else again.gates[name]
        assert (gate is None) is (same is None)
        assert gate is None or gate.tobytes() == same.tobytes(), name
    assert again.states.tobytes() == trace.states.tobytes()
    assert again.y.tobytes() == trace.y.tobytes()


@every_rule
def test_what_a_rule_takes_cannot_be_changed(rule):
    trace = run(WIDE if "delta" in rule.key else ARTICLE, "identity", rule)
    for array in (*trace.gates.values(), trace.states, trace.reads, trace.written, trace.bonus, trace.beta):
        assert array is None or not array.flags.writeable
