"""What must hold for any tokens, and for every rule, map and setting that anyone adds."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import (
    FEATURE_MAPS,
    UPDATE_RULES,
    Knob,
    Tokens,
    UpdateRule,
    feature_map,
    ordered_dot,
    ordered_sum,
    run,
)


def correct(S, k, v, *, rate):
    """A rule from outside: write a share of what the state's answer for k gets wrong. u is not v."""
    u = rate * (v - ordered_dot(k, S))
    return S + k[:, None] * u[None, :], u


CORRECT = UpdateRule(
    "correct", "", correct, False, (Knob("rate", 0.0, 1.0, 0.5, "", ""),), "", "only in these tests"
)
RULES = (*(rule for rule in UPDATE_RULES if rule.accumulates), CORRECT)  # the others: test_rules.py
MODES = ({"read": "causal"}, {"read": "causal", "read_before_write": True}, {"read": "full"})

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda r: r.key)
every_map = pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda m: m.key)
every_map_without_places = pytest.mark.parametrize(
    "phi", [m for m in FEATURE_MAPS if not m.positional], ids=lambda m: m.key
)
every_mode = pytest.mark.parametrize("mode", MODES, ids=lambda m: " ".join(map(str, m.values())))
positive_maps = pytest.mark.parametrize("phi", [m for m in FEATURE_MAPS if m.positive], ids=lambda m: m.key)
dividing_rules = pytest.mark.parametrize("rule", [r for r in RULES if r.divides], ids=lambda r: r.key)

few = settings(max_examples=12)  # for laws that are already tried on every map, rule or way of reading
most = settings(max_examples=30)  # where every rule draws its maps

halves = st.integers(-8, 8).map(lambda n: n / 2)  # exact in floating point
sizes = st.integers(1, 4)
some_mode = st.sampled_from(MODES)  # drawn, not listed, where maps or rules are listed already
some_map = st.sampled_from(FEATURE_MAPS)
some_map_without_places = st.sampled_from([m for m in FEATURE_MAPS if not m.positional])


@st.composite
def some_tokens(draw, T=None, decay=False):
    T, d_k, d_v = draw(sizes) if T is None else T, draw(sizes), draw(sizes)
    shapes = ((T, d_k), (T, d_k), (T, d_v))
    tables = [draw(arrays(float, shape, elements=halves)) for shape in shapes]
    log_decay = draw(arrays(float, (T,), elements=st.integers(0, 4).map(lambda n: -n / 2))) if decay else None
    return Tokens(*tables, log_decay=log_decay)


def zero(x):
    return np.zeros_like(x)


def all_pairs_by_blas(trace):
    """Scores from the whole product of decays at once, with BLAS: no state, no order."""
    T, before = len(trace.k), trace.settings.read_before_write
    kept = np.ones_like(trace.k) if trace.alpha is None else trace.alpha
    scores = np.zeros((len(trace.q), T))
    for t in range(len(trace.q)):
        last = T - 1 if trace.settings.read == "full" else t - before
        for s in range(last + 1):
            scores[t, s] = (trace.q[t] * kept[s + 1 : last + 1].prod(axis=0)) @ trace.k[s]
    return trace.settings.scale * scores


@pytest.mark.parametrize("rule", [r for r in RULES if r.accumulates], ids=lambda r: r.key)
@most
@given(phi=some_map, mode=some_mode, tokens=some_tokens(decay=True), scale=st.sampled_from([1.0, 0.5, 0.3]))
def test_one_at_a_time_equals_all_pairs(phi, mode, rule, tokens, scale):
    trace = run(tokens, phi, rule, scale=scale, **mode)
    scores = all_pairs_by_blas(trace)
    assert_allclose(trace.scores(), scores, rtol=1e-12, atol=1e-12)
    assert_allclose(trace.read, scores @ tokens.v, rtol=1e-12, atol=1e-9)
    assert_allclose(trace.norm, scores.sum(axis=1), rtol=1e-12, atol=1e-9)


@every_rule
@every_mode
@few
@given(tokens=some_tokens(decay=True))
def test_scores_are_reads_with_unit_values_and_nothing_carried(rule, mode, tokens):
    unit = Tokens(tokens.q, tokens.k, np.eye(len(tokens.k)), log_decay=tokens.log_decay)
    assert_array_equal(
        run(tokens, "identity", rule, **mode).scores(),
        run(unit, "identity", rule, normalize=False, **mode).read,
    )


@every_rule
@most
@given(phi=some_map, mode=some_mode, tokens=some_tokens(decay=True), data=st.data(), normalize=st.booleans())
def test_weights_times_values_and_what_was_carried_is_y(phi, mode, rule, tokens, data, normalize):
    d_phi, d_v = phi.phi(tokens.k).shape[1], tokens.v.shape[1]
    S0, z0 = (data.draw(arrays(float, shape, elements=halves)) for shape in ((d_phi, d_v), (d_phi,)))
    initial = data.draw(st.sampled_from([None, (S0, z0)]))
    trace = run(tokens, phi, rule, normalize=normalize, initial=initial, eps=0.25, **mode)
    shown = trace.defined
    assume(not normalize or (np.abs(trace.norm[shown] + 0.25) > 1e-3).all())
    assert_allclose((trace.weights() @ tokens.v + trace.carried)[shown], trace.y[shown], rtol=1e-9, atol=1e-9)
    assert np.isnan(trace.y[~shown]).all()
    assert np.isnan(trace.weights()[~shown]).all()
    assert np.isnan(trace.carried[~shown]).all()


@every_rule
@most
@given(phi=some_map, tokens=some_tokens(T=4, decay=True), more=some_tokens(T=3), t=st.integers(0, 3))
def test_no_read_depends_on_a_later_token_to_the_last_bit(phi, rule, tokens, more, t):
    """Later tokens are changed, dropped and added."""
    initial = (np.ones((phi.phi(tokens.k).shape[1], tokens.v.shape[1])), phi.phi(tokens.k)[0])
    now = run(tokens, phi, rule, initial=initial)
    kept = slice(0, t + 1)
    tables = [table[kept] for table in (tokens.q, tokens.k, tokens.v)]
    rows = [
        np.resize(new, (3, old.shape[1])) for new, old in zip((more.q, more.k, more.v), tables, strict=True)
    ]
    log_decay = tokens.log_decay[kept]
    others = (
        Tokens(*tables, log_decay=log_decay),
        Tokens(
            *map(np.vstack, zip(tables, rows, strict=True)), log_decay=np.append(log_decay, [-1, -2, -np.inf])
        ),
    )
    for other in others:
        then = run(other, phi, rule, initial=initial)
        for name in ("read", "norm", "y", "defined", "condition", "log10_norm", "carried", "u", "q", "k"):
            assert_array_equal(getattr(now, name)[kept], getattr(then, name)[kept], err_msg=name)
        assert_array_equal(now.S[: t + 2], then.S[: t + 2])
        assert_array_equal(now.z[: t + 2], then.z[: t + 2])
        assert_array_equal(now.scores()[kept, kept], then.scores()[kept, kept])
        assert_array_equal(now.weights()[kept, kept], then.weights()[kept, kept])
        assert not now.scores()[kept, t + 1 :].any()


@every_rule
def test_a_step_leaves_the_old_state_alone(rule):
    S = np.ones((2, 3))
    S.setflags(write=False)
    k, v = np.array([1.0, 2.0]), np.array([1.0, 0.5, 2.0])
    gates = {knob.name: np.full(2, 0.5) if knob.name == "gamma" else 0.5 for knob in rule.knobs}
    new, u = rule.step(S, k, v, **gates)
    assert new is not S
    assert_array_equal(S, np.ones((2, 3)))
    assert u.shape == (3,)


@every_rule
@few
@given(tokens=some_tokens(decay=True))
def test_a_run_is_linear_in_its_values(rule, tokens):
    """Why z can be the state kept for the value 1."""
    other = Tokens(tokens.q, tokens.k, 2 * tokens.v - 1, log_decay=tokens.log_decay)
    one, two = (run(t, "identity", rule, normalize=False) for t in (tokens, other))
    assert_allclose(two.S, 2 * one.S - one.z[:, :, None], rtol=1e-12, atol=1e-9)


@every_rule
@few
@given(tokens=some_tokens(decay=True))
def test_z_is_the_state_kept_for_the_value_1(rule, tokens):
    ones = Tokens(tokens.q, tokens.k, np.ones((len(tokens.k), 1)), log_decay=tokens.log_decay)
    assert_array_equal(run(ones, "identity", rule).S[:, :, 0], run(tokens, "identity", rule).z)


@every_map
@dividing_rules
@few
@given(mode=some_mode, tokens=some_tokens(decay=True))
def test_weights_of_a_run_that_divides_sum_to_1(phi, rule, mode, tokens):
    trace = run(tokens, phi, rule, **mode)
    steady = trace.defined & (np.nan_to_num(trace.condition, nan=np.inf) < 1e6)
    assert_allclose(trace.weights()[steady].sum(axis=1), 1, rtol=1e-9)


@every_map_without_places
@few
@given(tokens=some_tokens(), data=st.data())
def test_the_order_of_tokens_does_not_matter_to_the_last_state_of_add(phi, tokens, data):
    order = data.draw(st.permutations(range(len(tokens.k))))
    mixed = Tokens(tokens.q, tokens.k[order], tokens.v[order])
    for one, two in zip(run(tokens, phi).final, run(mixed, phi).final, strict=True):
        assert_allclose(one, two, rtol=1e-12, atol=1e-9)


@every_rule
@few
@given(tokens=some_tokens(decay=True))
def test_the_rank_of_a_state_is_at_most_the_tokens_written(rule, tokens):
    trace = run(tokens, "identity", rule)
    for t in range(len(tokens.k) + 1):
        assert np.linalg.matrix_rank(trace.S[t]) <= t


@every_mode
@few
@given(tokens=some_tokens())
def test_decay_with_gamma_1_is_add(mode, tokens):
    one, two = run(tokens, rule="decay", gamma=1.0, **mode), run(tokens, **mode)
    for name in ("S", "z", "read", "norm", "y"):
        assert_array_equal(getattr(one, name), getattr(two, name))
    assert_array_equal(one.weights(), two.weights())


@given(tokens=some_tokens())
def test_decay_with_gamma_0_keeps_only_the_newest_token(tokens):
    for forget in ({"gamma": 0.0}, {"log_decay": -np.inf}):
        trace = run(tokens, rule="decay", **forget)
        for t in range(len(tokens.k)):
            assert_array_equal(trace.S[t + 1], trace.contribution(t))
        assert_allclose(trace.y, tokens.v, rtol=1e-12)


@given(tokens=some_tokens(T=4), gamma=arrays(float, 4, elements=st.integers(0, 10).map(lambda n: n / 10)))
def test_gamma_is_kept_to_the_bit_and_log_decay_is_its_natural_log(tokens, gamma):
    by_gamma = run(tokens, rule="decay", gamma=gamma)
    assert_array_equal(by_gamma.alpha, np.repeat(gamma[:, None], tokens.k.shape[1], axis=1))
    with np.errstate(divide="ignore"):
        log_decay = np.log(gamma)
    carrying = Tokens(tokens.q, tokens.k, tokens.v, log_decay=log_decay)
    for by_log in (run(tokens, rule="decay", log_decay=log_decay), run(carrying, rule="decay")):
        assert_allclose(by_log.alpha, by_gamma.alpha, rtol=1e-15)
        assert_allclose(by_log.S, by_gamma.S, rtol=1e-12, atol=1e-12)


@every_rule
@most
@given(phi=some_map, tokens=some_tokens(T=4, decay=True), cut=st.integers(1, 3), normalize=st.booleans())
def test_a_state_carried_over_a_cut_is_one_pass(phi, rule, tokens, cut, normalize):
    """Where φ depends on positions, they go on with the token after the cut."""
    whole = run(tokens, phi, rule, normalize=normalize)
    parts, initial = [], None
    for piece in (slice(0, cut), slice(cut, 4)):
        place = {"first_position": 1 + piece.start} if phi.positional else {}
        tables = (table[piece] for table in (tokens.q, tokens.k, tokens.v))
        part = run(
            Tokens(*tables, log_decay=tokens.log_decay[piece]),
            phi,
            rule,
            initial=initial,
            normalize=normalize,
            **place,
        )
        parts.append(part)
        initial = part.final
    for name in ("read", "norm", "y", "log10_norm", "defined"):
        assert_array_equal(np.concatenate([getattr(p, name) for p in parts]), getattr(whole, name))
    assert_array_equal(parts[1].S, whole.S[cut:])
    assert_array_equal(parts[1].z, whole.z[cut:])


@every_rule
@most
@given(phi=some_map, tokens=some_tokens(decay=True))
def test_a_full_read_by_the_last_query_is_the_last_causal_read(phi, rule, tokens):
    causal, full = (run(tokens, phi, rule, read=read) for read in ("causal", "full"))
    for name in ("read", "norm", "y", "condition", "log10_norm", "defined"):
        assert_array_equal(getattr(full, name)[-1], getattr(causal, name)[-1], err_msg=name)
    assert_array_equal(full.scores()[-1], causal.scores()[-1])
    assert_array_equal(full.weights()[-1], causal.weights()[-1])


@every_rule
@few
@given(tokens=some_tokens(T=3, decay=True), queries=st.integers(1, 6))
def test_a_full_read_takes_any_number_of_queries(rule, tokens, queries):
    q = np.resize(tokens.q, (queries, tokens.q.shape[1]))
    wide = run(Tokens(q, tokens.k, tokens.v, log_decay=tokens.log_decay), "elu1", rule, read="full")
    for i in range(queries):
        alone = run(
            Tokens(q[i : i + 1], tokens.k, tokens.v, log_decay=tokens.log_decay), "elu1", rule, read="full"
        )
        assert_array_equal(wide.y[i], alone.y[0])
        assert_array_equal(wide.weights()[i], alone.weights()[0])


@every_rule
@most
@given(phi=some_map_without_places, tokens=some_tokens(T=4, decay=True))
def test_reading_before_writing_is_the_next_query_asked_one_token_early(phi, rule, tokens):
    before = run(tokens, phi, rule, read_before_write=True)
    shifted = Tokens(np.vstack([tokens.q[1:], tokens.q[:1]]), tokens.k, tokens.v, log_decay=tokens.log_decay)
    after = run(shifted, phi, rule)
    assert_array_equal(before.S, after.S)
    assert_array_equal(before.read[1:], after.read[:-1])
    assert_array_equal(before.y[1:], after.y[:-1])
    assert not before.scores().diagonal().any()
    assert not before.read[0].any()
    assert before.settings.normalize != before.defined[0]


@every_map
@few
@given(x=arrays(float, (3, 2), elements=st.floats(-30, 30)))
def test_a_map_called_positive_is_positive(phi, x):
    assert not phi.positive or (phi.phi(x) > 0).all()
    assert phi.log_phi is None or (phi.phi(x) >= 0).all()


@pytest.mark.parametrize("phi", [m for m in FEATURE_MAPS if m.log_phi], ids=lambda m: m.key)
@few
@given(x=arrays(float, (3, 2), elements=st.floats(-600, 600).filter(lambda x: x == 0 or abs(x) > 1e-150)))
def test_log_phi_is_the_log_of_phi(phi, x):
    with np.errstate(divide="ignore"):
        want = np.log(phi.phi(x))
        got = phi.log_phi(x)
    held = (phi.phi(x) > 1e-300) | (want == -np.inf) & (got == -np.inf)
    assert_allclose(got[held], want[held], rtol=1e-12, atol=1e-12)
    assert (got[~held] < -690).all()


@every_map
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_map_keeps_the_dtype_and_never_warns_on_ordinary_numbers(phi, dtype):
    x = np.linspace(-8, 8, 12, dtype=dtype).reshape(4, 3)
    mapped, want = phi.phi(x), phi.phi(x.astype(float))
    assert mapped.dtype == dtype
    assert not np.shares_memory(mapped, x)
    exponents = 1 if phi.log_phi is None else np.maximum(1, np.abs(np.log(np.maximum(want, 1e-300))))
    assert (np.abs(mapped - want) <= 8 * np.finfo(dtype).eps * exponents * np.abs(want) + 1e-7).all()


@given(x=arrays(float, (3, 2), elements=st.floats(-1e300, 1e300)))
def test_l2_leaves_a_direction_of_length_1_and_zero_as_it_is(x):
    unit = feature_map("l2").phi(x)
    zero = ~x.any(axis=1)
    assert_allclose(np.hypot(*unit[~zero].T), 1, rtol=1e-14)
    assert not unit[zero].any()
    assert_array_equal(np.sign(unit)[np.abs(unit) > 1e-300], np.sign(x)[np.abs(unit) > 1e-300])


@every_map
@few
@given(x=arrays(float, (4, 3), elements=halves), t=st.integers(0, 3))
def test_a_map_sees_one_vector_at_a_time(phi, x, t):
    """And, where it depends on that, its position."""
    place = {"first_position": 1 + t} if phi.positional else {}
    assert_array_equal(phi.phi(x)[t], phi.phi(x[t : t + 1], **place)[0])


@positive_maps
@dividing_rules
@few
@given(tokens=some_tokens(decay=True))
def test_the_first_answer_is_the_first_value(phi, rule, tokens):
    assert_allclose(run(tokens, phi, rule).y[0], tokens.v[0], rtol=1e-14)


@positive_maps
@dividing_rules
@few
@given(tokens=some_tokens(decay=True))
def test_an_average_lies_between_the_values(phi, rule, tokens):
    trace = run(tokens, phi, rule)
    seen_low, seen_high = np.minimum.accumulate(tokens.v), np.maximum.accumulate(tokens.v)
    assert (trace.y >= seen_low - 1e-12).all()
    assert (trace.y <= seen_high + 1e-12).all()
    assert (trace.condition == 1).all()
    assert trace.defined.all()


@every_rule
@few
@given(tokens=some_tokens(decay=True), power=st.integers(-8, 8))
def test_a_power_of_two_as_scale_changes_reads_and_scores_but_no_average(rule, tokens, power):
    one, two = (run(tokens, "elu1", rule, scale=scale) for scale in (1.0, 2.0**power))
    assert_array_equal(two.read, one.read * 2.0**power)
    assert_array_equal(two.norm, one.norm * 2.0**power)
    assert_array_equal(two.scores(), one.scores() * 2.0**power)
    if one.settings.normalize:
        assert_array_equal(two.y, one.y)
        assert_array_equal(two.weights(), one.weights())


@given(tokens=some_tokens(), eps=st.sampled_from([1e-6, 0.5, 3.0]))
def test_eps_is_added_to_the_score_sum(tokens, eps):
    plain, shrunk = run(tokens, "elu1"), run(tokens, "elu1", eps=eps)
    assert_array_equal(plain.norm, shrunk.norm)
    assert_array_equal(shrunk.y, shrunk.read / (shrunk.norm + eps)[:, None])
    assert_allclose(shrunk.weights().sum(axis=1), shrunk.norm / (shrunk.norm + eps))


@every_rule
def test_a_run_divides_where_its_rule_does_unless_told_otherwise(rule):
    tokens = Tokens(np.eye(2), np.eye(2), np.ones((2, 3)))
    assert run(tokens, "elu1", rule).settings.normalize is rule.divides
    for told in (True, False):
        assert run(tokens, "elu1", rule, normalize=told).settings.normalize is told


@every_rule
@few
@given(tokens=some_tokens(decay=True))
def test_without_division_y_is_the_read_and_everything_is_defined(rule, tokens):
    trace = run(tokens, "identity", rule, normalize=False)
    assert_array_equal(trace.y, trace.read)
    assert_array_equal(trace.weights(), trace.scores())
    assert trace.defined.all()
    assert_array_equal(trace.norm, run(tokens, "identity", rule, normalize=True).norm)


@given(tokens=some_tokens())
def test_where_the_scores_sum_to_0_there_is_no_average(tokens):
    trace = run(tokens, "identity")
    assert_array_equal(trace.defined, trace.norm != 0)
    assert_array_equal(np.isnan(trace.y).all(axis=1), trace.norm == 0)
    assert_array_equal(np.isnan(trace.weights()).all(axis=1), trace.norm == 0)
    assert_array_equal(trace.log10_norm == -np.inf, trace.norm == 0)


@every_map
@few
@given(mode=some_mode, tokens=some_tokens(decay=True))
def test_condition_is_the_sum_of_score_sizes_over_the_score_sum(phi, mode, tokens):
    trace = run(tokens, phi, "decay", **mode)
    size = np.abs(all_pairs_by_blas(trace)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        want = size / np.abs(trace.norm)
    steady = want < 1e8
    assert_allclose(trace.condition[steady], want[steady], rtol=1e-6)
    silent = ~trace.scores().any(axis=1)
    assert (trace.condition[(trace.norm == 0) & ~silent] == np.inf).all()
    assert np.isnan(trace.condition[silent]).all()


def test_condition_counts_what_a_carried_state_cancels():
    trace = run(Tokens([[1]], [[1]], [[1]]), "identity", initial=([[0]], [-0.75]))
    assert trace.condition[0] == 1.75 / 0.25


@every_rule
@every_map
def test_a_trace_cannot_be_changed(rule, phi):
    tokens = Tokens(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 3)), log_decay=-1.0)
    d_phi = phi.phi(tokens.k).shape[1]
    trace = run(tokens, phi, rule, initial=(np.ones((d_phi, 3)), np.ones(d_phi)))
    arrays_ = [getattr(trace, name) for name in ("q", "k", "v", "u", "S", "z", "read", "norm")]
    arrays_ += [trace.y, trace.defined, trace.condition, trace.log10_norm, trace.rescaled, trace.carried]
    arrays_ += [trace.scores(), trace.weights(), trace.contribution(0), *trace.final, *trace.initial]
    arrays_ += [trace.S[0], trace.z[1], *trace.gates.values(), tokens.q, tokens.k, tokens.v, tokens.log_decay]
    for array in arrays_:
        assert not array.flags.writeable
        with pytest.raises(ValueError, match=r"read-only|read only"):
            array[...] = 5
    for name in ("y", "S", "tokens", "settings"):
        with pytest.raises(AttributeError):
            setattr(trace, name, None)
    for mapping in (trace.gates, trace.settings.knobs):
        with pytest.raises(TypeError):
            mapping["x"] = 1


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda trace: pickle.loads(pickle.dumps(trace))])
def test_a_copy_of_a_trace_says_the_same_and_cannot_be_changed(again):
    trace = run(Tokens(np.eye(2), np.eye(2), np.ones((2, 3))), "elu1", "decay", gamma=[0.5, 0.25])
    same = again(trace)
    assert same.y.tobytes() == trace.y.tobytes()
    assert same.gates.keys() == trace.gates.keys()
    assert_array_equal(same.settings.knobs["gamma"], [0.5, 0.25])
    for mapping in (same.gates, same.settings.knobs):
        with pytest.raises(TypeError):
            mapping["x"] = 1


def test_a_run_keeps_nothing_of_the_caller():
    q, k, v = np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 3))
    S0, z0 = np.ones((2, 3)), np.ones(2)
    trace = run(Tokens(q, k, v), "identity", initial=(S0, z0))
    for array in (q, k, v, S0, z0):
        array[...] = 9
    assert trace.k[0, 0] == trace.S[0, 0, 0] == trace.z[0, 0] == trace.tokens.v[0, 0] == 1


@every_map
@every_rule
@every_mode
def test_every_array_has_its_documented_shape(phi, rule, mode):
    T, d_k, d_v = 5, 3, 2
    Tq = 7 if mode["read"] == "full" else T
    draw = np.random.default_rng(0).standard_normal
    tokens = Tokens(draw((Tq, d_k)), draw((T, d_k)), draw((T, d_v)))
    D = d_k if phi.width is None else phi.width(d_k)
    trace = run(tokens, phi, rule, initial=(np.ones((D, d_v)), np.ones(D)), **mode)
    shapes = {
        "q": (Tq, D),
        "k": (T, D),
        "v": (T, d_v),
        "u": (T, d_v),
        "S": (T + 1, D, d_v),
        "z": (T + 1, D),
        "read": (Tq, d_v),
        "norm": (Tq,),
        "y": (Tq, d_v),
        "defined": (Tq,),
        "condition": (Tq,),
        "log10_norm": (Tq,),
        "rescaled": (Tq,),
        "carried": (Tq, d_v),
    }
    assert {name: np.asarray(getattr(trace, name)).shape for name in shapes} == shapes
    assert trace.contribution(0).shape == (D, d_v)
    assert trace.scores().shape == trace.weights().shape == (Tq, T)
    assert [part.shape for part in trace.final] == [(D, d_v), (D,)]
    assert trace.alpha is None or trace.alpha.shape == (T, D)


@every_rule
@few
@given(tokens=some_tokens(decay=True))
def test_a_state_is_the_one_before_it_kept_and_written_into(rule, tokens):
    trace = run(tokens, "identity", rule)
    for t in range(len(tokens.k)):
        kept = trace.S[t] if trace.alpha is None else trace.alpha[t][:, None] * trace.S[t]
        assert_array_equal(trace.S[t + 1], kept + trace.contribution(t))


@pytest.mark.parametrize("columns", [3, 2000])  # 12 numbers, and more than are added in one call
def test_a_large_sum_runs_as_a_small_one(columns):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(5), rng.standard_normal((5, columns))
    a[:2], b[:2, 0] = -0.0, 1
    by_hand = [
        sum((float(x * y) for x, y in zip(a[1:], row[1:], strict=True)), float(a[0] * row[0])) for row in b.T
    ]
    assert ordered_dot(a, b).tobytes() == np.array(by_hand).tobytes()


@given(
    a=arrays(float, (3, 4), elements=st.floats(-1e3, 1e3)),
    b=arrays(float, (4, 2), elements=st.floats(-1e3, 1e3)),
)
def test_sums_run_from_left_to_right(a, b):
    for i in range(3):
        total, sums = [], a[i, 0]
        for j in range(2):
            sums_j = float(a[i, 0]) * float(b[0, j])
            for m in range(1, 4):
                sums_j = sums_j + float(a[i, m]) * float(b[m, j])
            total.append(sums_j)
        for m in range(1, 4):
            sums = sums + a[i, m]
        assert ordered_dot(a, b)[i].tobytes() == np.array(total).tobytes()
        assert ordered_dot(a[i], b).tobytes() == np.array(total).tobytes()
        assert ordered_sum(a)[i].tobytes() == np.float64(sums).tobytes()


@every_map
@every_rule
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_every_sum_of_a_run_can_be_redone_by_hand_to_the_last_bit(phi, rule, dtype):
    """One number after the other in the run's own dtype: no fused or reordered arithmetic."""
    draw = np.random.default_rng(3).standard_normal
    tokens = Tokens(draw((6, 5)), draw((6, 5)), draw((6, 4)))
    trace = run(tokens, phi, rule, dtype=dtype, scale=0.3, eps=0.01)
    one = np.dtype(dtype).type
    D = trace.k.shape[1]
    S, z = np.zeros((D, 4), dtype), np.zeros(D, dtype)
    v = tokens.v.astype(dtype)
    assert_array_equal(trace.k, phi.phi(tokens.k.astype(dtype)))
    assert (
        trace.S.dtype == trace.z.dtype == trace.read.dtype == trace.y.dtype == trace.weights().dtype == dtype
    )
    for t in range(6):
        for i in range(D):
            kept = one(1) if trace.alpha is None else trace.alpha[t, i]
            for j in range(4):
                S[i, j] = kept * S[i, j] + trace.k[t, i] * trace.u[t, j]
            if rule is not CORRECT:
                assert_array_equal(trace.u[t], v[t])
                z[i] = kept * z[i] + trace.k[t, i]
        assert_array_equal(trace.S[t + 1], S)
        z = z if rule is not CORRECT else trace.z[t + 1]
        assert_array_equal(trace.z[t + 1], z)
        read = [left_to_right(trace.q[t], S[:, j]) for j in range(4)]
        norm = one(0.3) * left_to_right(trace.q[t], z)
        assert_array_equal(trace.read[t], [one(0.3) * r for r in read])
        assert trace.norm[t] == norm
        if trace.settings.normalize:
            assert_array_equal(trace.y[t], [one(0.3) * r / (norm + one(0.01)) for r in read])
            assert_array_equal(trace.weights()[t], trace.scores()[t] / (norm + one(0.01)))
        if rule.accumulates:
            for s in range(t + 1):
                left = trace.k[s]
                for m in range(s + 1, t + 1):
                    left = left if trace.alpha is None else trace.alpha[m] * left
                assert trace.scores()[t, s] == one(0.3) * left_to_right(trace.q[t], left)


def left_to_right(a, b):
    total = a[0] * b[0]
    for i in range(1, len(a)):
        total = total + a[i] * b[i]
    return total


def test_a_rule_ignores_gates_it_does_not_use():
    tables = np.eye(3), np.eye(3), np.ones((3, 2))
    plain = run(Tokens(*tables))
    gated = run(Tokens(*tables, beta=[0.1, 0.2, 0.3], log_decay=-1.0))
    told = run(Tokens(*tables), beta=0.5, gamma=0.5, log_decay=-1.0)
    for trace in (gated, told):
        assert_array_equal(trace.S, plain.S)
        assert trace.alpha is None
        assert trace.settings.knobs == {}


def test_overflow_counts_the_tokens_written_when_floats_ran_out():
    x = np.full((4, 1), 400.0)
    trace = run(Tokens(x, np.array([[1.0], [2.0], [720.0], [1.0]]), np.ones((4, 1))), "exp")
    assert trace.overflow == 3
    assert run(Tokens(x, x, np.ones((4, 1))), "exp").overflow is None
    assert_array_equal(np.isfinite(trace.S).all(axis=(1, 2)), [True, True, True, False, False])
    only_z = run(Tokens(x, np.full((4, 1), 1.7e308), np.zeros((4, 1))), "identity")
    assert only_z.overflow == 2
    assert run(Tokens(x[:1], x[:1], [[1]]), "exp", normalize=False, initial=([[1]], None)).overflow is None


def test_a_run_without_z_has_no_score_sums():
    tokens = Tokens(np.eye(2), np.eye(2), np.ones((2, 3)))
    trace = run(tokens, "elu1", normalize=False, initial=(np.ones((2, 3)), None))
    assert trace.final[1] is None
    for array in (trace.z, trace.norm, trace.log10_norm, trace.condition):
        assert np.isnan(array).all()
    assert_array_equal(trace.y, run(tokens, "elu1", normalize=False, initial=(np.ones((2, 3)), np.ones(2))).y)
    assert trace.defined.all()
    assert not trace.rescaled.any()
