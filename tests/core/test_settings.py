"""What `run` and `softmax` refuse, and in what words; and what they fill in."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import (
    EXAMPLES,
    FEATURE_MAPS,
    UPDATE_RULES,
    FeatureMap,
    InputError,
    Knob,
    Tokens,
    UpdateRule,
    example,
    export,
    feature_map,
    random_tokens,
    run,
    snapshot,
    softmax,
    update_rule,
)

TOKENS = Tokens(np.eye(2), np.eye(2), np.ones((2, 3)))
DECAYING = Tokens(np.eye(2), np.eye(2), np.ones((2, 3)), log_decay=-1.0)
MAPS = ", ".join(record.key for record in FEATURE_MAPS)


def says(message):
    return pytest.raises(InputError, match=f"^{re.escape(message)}$")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"phi": "elu"}, f"There is no feature map 'elu'. Choose one of: {MAPS}."),
        ({"phi": None}, f"The feature map's key needs a text; it is None. Choose one of: {MAPS}."),
        (
            {"rule": "sum"},
            "There is no update rule 'sum'. Choose one of: add, decay, delta, gated_delta, rwkv6, rwkv7.",
        ),
        ({"read": "all"}, "read needs to be one of: causal, full; it is 'all'. Choose one of them."),
        (
            {"read": "full", "read_before_write": True},
            "With read='full' every query reads the final state, so nothing is left to be written after it; "
            "read_before_write is True. Leave it out, or read with 'causal'.",
        ),
        ({"normalize": "yes"}, "normalize needs True, False or None; it is 'yes'. Pass one of them."),
        (
            {"read_before_write": 1},
            "read_before_write needs True, False or None; it is 1. Pass one of them.",
        ),
        ({"scale": np.inf}, "scale needs one finite number ≥ 0; it is inf. Change it."),
        ({"scale": [1, 2]}, "scale needs one finite number ≥ 0; it is [1, 2]. Change it."),
        (
            {"scale": 0},
            "scale needs a number > 0: with 0 every score is 0 and no average exists. Change it.",
        ),
        ({"eps": -1e-6}, "eps needs one finite number ≥ 0; it is -1e-06. Change it."),
        ({"eps": "0"}, "eps needs real numbers; it is '0'. Pass floats, or integers of up to 64 bits."),
        (
            {"dtype": "int32"},
            "dtype needs to be one of: float64, float32, float16; it is 'int32'. Choose one of them.",
        ),
        (
            {"scale": 1e-9, "dtype": "float16"},
            "scale needs a number that float16 holds, from 5.96046e-08 to 65504; 1e-09 becomes 0. "
            "Change it, or pass dtype='float64'.",
        ),
        (
            {"scale": 1e6, "dtype": "float16"},
            "scale needs a number that float16 holds, from 5.96046e-08 to 65504; 1e+06 becomes inf. "
            "Change it, or pass dtype='float64'.",
        ),
        (
            {"eps": 1e39, "dtype": "float32"},
            "eps needs a number that float32 holds, from 1.4013e-45 to 3.40282e+38; 1e+39 becomes inf. "
            "Change it, or pass dtype='float64'.",
        ),
        (
            {"eps": 1e-46, "dtype": "float32"},
            "eps needs a number that float32 holds, from 1.4013e-45 to 3.40282e+38; 1e-46 becomes 0. "
            "Change it, or pass dtype='float64'.",
        ),
        (
            {"dtype": "f8,,("},
            "dtype needs to be one of: float64, float32, float16; it is 'f8,,('. Choose one of them.",
        ),
        (
            {"dtype": ","},
            "dtype needs to be one of: float64, float32, float16; it is ','. Choose one of them.",
        ),
        (
            {"read": np.array(["causal", "full"])},
            "read needs to be one of: causal, full; it is array(['causal', 'full'], dtype='<U6'). "
            "Choose one of them.",
        ),
        (
            {"read": "full", "read_before_write": np.array([1, 2])},
            "read_before_write needs True, False or None; it is array([1, 2]). Pass one of them.",
        ),
        (
            {"rule": feature_map("cosformer")},
            "The update rule's key needs a text; it is a FeatureMap. "
            "Choose one of: add, decay, delta, gated_delta, rwkv6, rwkv7.",
        ),
        ({"phi": np.eye(2)}, f"The feature map's key needs a text; it is a ndarray. Choose one of: {MAPS}."),
        (
            {"dtype": "half a float"},
            "dtype needs to be one of: float64, float32, float16; it is 'half a float'. Choose one of them.",
        ),
        (
            {"nu": 3},
            "A run with map elu1 and rule add takes no knob 'nu'. Known names: beta, gamma, log_decay. "
            "Remove it.",
        ),
        (
            {"rule": "decay", "gamma": 1.5},
            "gamma needs numbers from 0 to 1; it is 1.5. Move it into that range.",
        ),
        (
            {"rule": "decay", "gamma": [0.5, np.nan]},
            "gamma needs numbers from 0 to 1; row 1 (counted from 0) is nan. Move it into that range.",
        ),
        (
            {"rule": "decay", "gamma": [0.5, 0.5, 0.5]},
            "gamma needs one number, or 2 (one per key); its shape is (3,). Reshape it.",
        ),
        (
            {"rule": "decay", "gamma": 0.5, "log_decay": -1.0},
            "The decay needs one source; it came as gamma= and as log_decay=. Keep one.",
        ),
        (
            {"rule": "decay", "log_decay": 0.5},
            "log_decay is a natural log of the share kept, so it needs numbers ≤ 0 (−inf forgets "
            "everything); it is 0.5. If this is the share itself, pass it as gamma.",
        ),
        (
            {"rule": "decay", "log_decay": np.zeros((2, 3))},
            "log_decay needs one column per component of φ(k), which has 2; it has 3 columns. "
            "Add or remove columns.",
        ),
        (
            {"initial": np.zeros((2, 3))},
            "initial needs a pair (S0, z0), as Trace.final gives it; it arrived as ndarray. "
            "Pass both in a tuple.",
        ),
        (
            {"initial": (np.zeros((2, 3)),)},
            "initial needs a pair (S0, z0), as Trace.final gives it; it arrived as tuple. "
            "Pass both in a tuple.",
        ),
        (
            {"initial": (np.zeros((2, 3)), None)},
            "A run that divides needs z0, the sum of the carried keys, to go with S0; it is None. "
            "Carry both, or pass normalize=False.",
        ),
        (
            {"initial": (np.zeros((3, 2)), np.zeros(2))},
            "S0 needs the shape (2, 3), with one row per component of φ(k); its shape is (3, 2). "
            "Pass the state of a run with the same map.",
        ),
        (
            {"initial": (np.zeros((2, 3)), np.zeros(3))},
            "z0 needs the shape (2,), with one row per component of φ(k); its shape is (3,). "
            "Pass the state of a run with the same map.",
        ),
        (
            {"initial": (np.full((2, 3), np.inf), np.zeros(2))},
            "S0 needs finite numbers; row 0, column 0 (counted from 0) is inf. Replace it.",
        ),
    ],
)
def test_settings_that_do_not_fit(settings, message):
    with says(message):
        run(TOKENS, **settings)


@pytest.mark.parametrize("tokens", [[[1, 2]], None, "article"])
def test_a_run_needs_tokens(tokens):
    with says(f"tokens needs Tokens; it is {tokens!r}. Pass Tokens(q, k, v)."):
        run(tokens)


@pytest.mark.parametrize(
    ("phi", "rule", "names"),
    [
        ("favor", "decay", ["projection", "gamma", "log_decay"]),
        ("elu1", "rwkv7", ["beta", "a", "b"]),
        ("elu1", "rwkv6", ["u"]),
    ],
)
def test_a_knob_that_is_none_is_not_given(phi, rule, names):
    plain, given = run(TOKENS, phi, rule), run(TOKENS, phi, rule, **dict.fromkeys(names))
    assert given.y.tobytes() == plain.y.tobytes()
    assert given.settings.knobs.keys() == plain.settings.knobs.keys()


def test_eps_and_scale_are_those_of_the_dtype_also_where_rows_are_scaled():
    far = Tokens([[-6.0]], [[-6.0]], [[1.0]])
    trace = run(far, "exp", dtype="float16", eps=1e-6, scale=0.3)
    eps, scale = float(np.float16(1e-6)), float(np.float16(0.3))
    assert (trace.settings.eps, trace.settings.scale) == (eps, scale)
    assert trace.rescaled[0]
    score = scale * np.exp(-12.0)
    assert_allclose(float(trace.y[0, 0]), score / (score + eps), rtol=2e-3)


def test_a_causal_read_needs_a_query_per_key():
    with says(
        "A causal read needs one query per key; q has 3 rows and k has 2. "
        "Add or remove rows, or let every query read the final state with read='full'."
    ):
        run(Tokens(np.ones((3, 2)), TOKENS.k, TOKENS.v))


@pytest.mark.parametrize("name", ["gamma", "log_decay"])
def test_a_decay_in_the_tokens_and_as_an_argument(name):
    with says(f"The decay needs one source; it came as {name}= and as the tokens' log_decay. Keep one."):
        run(DECAYING, rule="decay", **{name: 0.0})


@pytest.mark.parametrize(
    ("find", "what", "choices"),
    [
        (feature_map, "feature map", MAPS),
        (update_rule, "update rule", "add, decay, delta, gated_delta, rwkv6, rwkv7"),
        (
            example,
            "example",
            ", ".join(record.key for record in EXAMPLES),
        ),
        (export, "export", "json, npz, csv, csv_wide"),
    ],
)
def test_a_key_that_does_not_exist(find, what, choices):
    with says(f"There is no {what} 'x'. Choose one of: {choices}."):
        find("x")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"read": "left"}, "read needs to be one of: causal, full; it is 'left'. Choose one of them."),
        (
            {"align": "left"},
            "align needs to be one of: upper_left, lower_right; it is 'left'. Choose one of them.",
        ),
        ({"scale": np.nan}, "scale needs one finite number ≥ 0; it is nan. Change it."),
    ],
)
def test_softmax_settings_that_do_not_fit(settings, message):
    with says(message):
        softmax(TOKENS, **settings)


@pytest.mark.parametrize("step", [-1, 3, 1.0, "1", True])
def test_a_step_outside_the_run(step):
    with says(f"step needs a whole number of tokens written, from 0 to 2; it is {step!r}. Change it."):
        snapshot(run(TOKENS), step)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 1, 1, 0), "T needs a whole number ≥ 1; it is 0. Change it."),
        ((1, 1.5, 1, 0), "d_k needs a whole number ≥ 1; it is 1.5. Change it."),
        ((1, 1, -1, 0), "d_v needs a whole number ≥ 1; it is -1. Change it."),
        ((True, 1, 1, 0), "T needs a whole number ≥ 1; it is True. Change it."),
        ((1, 1, 1, -1), "seed needs a whole number ≥ 0; it is -1. Change it."),
    ],
)
def test_random_tokens_of_no_size(sizes, message):
    with says(message):
        random_tokens(*sizes)


def test_defaults_are_filled_in():
    settings = run(TOKENS).settings
    assert (settings.phi.key, settings.rule.key, settings.read, settings.dtype) == (
        "elu1",
        "add",
        "causal",
        "float64",
    )
    assert (settings.normalize, settings.scale, settings.eps, settings.read_before_write) == (
        True,
        1,
        0,
        False,
    )
    assert settings.knobs == {}
    assert run(TOKENS, rule="decay").settings.knobs == {"gamma": 0.9}
    assert run(TOKENS, rule="decay", log_decay=-1).settings.knobs == {"log_decay": -1.0}
    assert run(DECAYING, rule="decay").settings.knobs == {}
    assert run(TOKENS, dtype=np.float32, normalize=np.bool_(False)).settings.dtype == "float32"


@pytest.mark.parametrize("rule", UPDATE_RULES, ids=lambda r: r.key)
@pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda m: m.key)
def test_records_are_given_as_objects_or_by_key(phi, rule):
    one, two = run(TOKENS, phi, rule), run(TOKENS, phi.key, rule.key)
    assert one.settings.phi is two.settings.phi is phi
    assert one.settings.rule is two.settings.rule is rule
    assert_array_equal(one.y, two.y)


def test_the_settings_of_a_run_run_it_again():
    trace = run(TOKENS, "relu", "decay", read="full", scale=0.5, eps=0.1, dtype="float32", gamma=[0.5, 0.25])
    s = trace.settings
    again = run(
        TOKENS,
        s.phi,
        s.rule,
        read=s.read,
        normalize=s.normalize,
        scale=s.scale,
        eps=s.eps,
        dtype=s.dtype,
        **s.knobs,
    )
    assert again.y.tobytes() == trace.y.tobytes()


POWER = Knob("power", 1.0, 4.0, 2.0, "power", "The power of each component.")
POWERED = FeatureMap(
    "powered",
    "",
    lambda x, *, power: np.maximum(x, 0) ** power,
    lambda x, *, power: power * np.log(np.maximum(x, 0)),
    False,
    (POWER,),
    "",
    "only in this test",
)


def test_a_map_from_outside_brings_its_own_knobs():
    tokens = Tokens([[3.0], [1e200]], [[2.0], [1e200]], [[1.0], [5.0]])
    trace = run(tokens, POWERED)
    assert trace.settings.knobs == {"power": 2.0}
    assert_array_equal(trace.k[0], [4.0])
    assert_array_equal(trace.rescaled, [False, True])
    assert_array_equal(trace.y, [[1.0], [5.0]])
    assert_array_equal(run(tokens, POWERED, power=3).k[0], [8.0])
    with says("power needs numbers from 1 to 4; it is 9.0. Move it into that range."):
        run(tokens, POWERED, power=9)
    with says("power needs one number; its shape is (2,). Pass one number."):
        run(tokens, POWERED, power=[2, 2])


def fade(S, k, v, *, gamma, share):
    u = share * v
    return gamma[:, None] * S + k[:, None] * u[None, :], u


def test_a_rule_from_outside_brings_its_own_knobs():
    share = Knob("share", 0.0, 1.0, 0.5, "", "")
    rule = UpdateRule("fade", "", fade, True, (update_rule("decay").knobs[0], share), "", "only in this test")
    trace = run(TOKENS, "identity", rule, share=[0.5, 1.0], gamma=0.5)
    assert_array_equal(trace.S[2], [[0.25] * 3, [1.0] * 3])
    assert_array_equal(trace.z[2], [0.25, 1.0])
    assert_array_equal(trace.u, [[0.5] * 3, [1.0] * 3])
    assert_array_equal(trace.scores(), np.diag([0.5, 1.0]))
    assert_array_equal(run(TOKENS, "identity", rule).gates["share"], [0.5, 0.5])
    assert set(run(TOKENS, "identity", rule).settings.knobs) == {"gamma", "share"}
    with says("share needs one number, or 2 (one per key); its shape is (3,). Reshape it."):
        run(TOKENS, "identity", rule, share=[0, 0, 0])


def test_softmax_of_a_query_that_sees_no_key_is_zero():
    tokens = Tokens(np.ones((3, 2)), np.ones((1, 2)), [[5.0]])
    y, weights = softmax(tokens, align="lower_right")
    assert_array_equal(y, [[0], [0], [5]])
    assert_array_equal(weights, [[0], [0], [1]])
    assert not y.flags.writeable
    assert not weights.flags.writeable


def test_softmax_does_not_look_ahead_to_the_last_bit():
    drawn = random_tokens(9, 3, 2, seed=8)
    tokens = Tokens(drawn.q, drawn.k, np.vstack([[[-0.0, -0.0]], drawn.v[1:]]))
    y, weights = softmax(tokens)
    for t in range(1, 9):
        part_y, part = softmax(Tokens(tokens.q[:t], tokens.k[:t], tokens.v[:t]))
        assert part_y.tobytes() == y[:t].tobytes()
        assert_array_equal(part, weights[:t, :t])
    for t in range(9):  # sums from left to right
        total = weights[t, 0] * tokens.v[0]
        for s in range(1, t + 1):
            total = total + weights[t, s] * tokens.v[s]
        assert y[t].tobytes() == total.tobytes()
