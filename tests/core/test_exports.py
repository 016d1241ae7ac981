"""Files: what goes in comes out, to the last bit."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from linattn_core import (
    EXAMPLES,
    EXPORTS,
    UPDATE_RULES,
    InputError,
    Tokens,
    export,
    feature_map,
    head,
    ordered_dot,
    run,
    snapshot,
    softmax,
    update_rule,
)

ODD = Tokens(
    q=[[1 / 3, -0.0], [1e300, 5e-324], [0.1, 0.2]],
    k=[[0.1, 2.0], [-1e300, 1.0], [0.3, -0.0]],
    v=[[1e308, -0.0, 0.1], [1e308, 1.0, 2.0], [-1.0, 1.0, 2.0]],
    labels=["=SUM(A1)", "<b>κλειδί</b>", "a\nb\U000e0001"],
    beta=[0.1, 0.2, 0.3],
    log_decay=[0.0, -np.inf, -1 / 3],
)
ODD_SIZES = (ODD.q / [[1], [1e300], [1]], ODD.k / [[1], [-1e300], [1]], ODD.v)
RUNS = {
    "odd": run(ODD, "identity", "decay"),
    "float32": run(ODD, "elu1", "decay", dtype="float32", read="full", eps=1e-6, scale=0.3),
    "before": run(Tokens(np.eye(3), np.eye(3), np.ones((3, 2))), "relu", read_before_write=True),
    "knobs": run(Tokens(np.eye(2), np.eye(2), np.ones((2, 1))), "exp", "decay", gamma=[0.5, 0.25]),
    "carried": run(
        Tokens(np.eye(2), np.eye(2), np.ones((2, 1))), normalize=False, initial=([[1], [np.pi]], None)
    ),
    "corrected": run(
        Tokens(*ODD_SIZES, log_decay=ODD.log_decay), "elu1", "gated_delta", beta=[0.1, 2, 1 / 3]
    ),
    "bonus": run(Tokens(*ODD_SIZES), "elu1", "rwkv6", u=[1 / 3, -0.0]),
    "removed": run(Tokens(*ODD_SIZES, beta=ODD.beta), "elu1", "rwkv7"),
    "few queries": run(Tokens([[1, 2]], np.eye(2), np.ones((2, 1))), read="full"),
} | {record.key: run(record.tokens, **record.settings) for record in EXAMPLES}
every_run = pytest.mark.parametrize("trace", RUNS.values(), ids=RUNS)
every_rule = pytest.mark.parametrize("rule", UPDATE_RULES, ids=lambda r: r.key)

NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def read_json(file):
    """Strict JSON; the three strings that stand for numbers become numbers."""

    def forbidden(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(file, parse_constant=forbidden)


def as_array(value):
    def plain(x):
        return (
            [plain(item) for item in x]
            if isinstance(x, list)
            else NUMBERS.get(x, x)
            if isinstance(x, str)
            else x
        )

    return np.array(plain(value))


def assert_same_bits(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    same = got.astype(want.dtype)
    assert_array_equal(np.isnan(same), np.isnan(want)) if want.dtype.kind == "f" else None
    assert_array_equal(same, want)
    if want.dtype.kind == "f":
        assert_array_equal(np.signbit(same)[~np.isnan(want)], np.signbit(want)[~np.isnan(want)])


def whole(trace):
    """The arrays a whole run must hold, from the trace itself."""
    named = {"q_phi": trace.q, "k_phi": trace.k, "scores": trace.scores(), "weights": trace.weights()}
    names = "u S z read norm y defined condition log10_norm rescaled carried".split()
    named |= {name: getattr(trace, name) for name in names}
    if trace.alpha is not None:
        named["alpha"] = trace.alpha
    y, weights = softmax(trace.tokens, read=trace.settings.read)
    scale = np.float64(trace.tokens.k.shape[1] ** -0.5)
    return named | {"softmax_y": y, "softmax_weights": weights, "softmax_scale": scale}


def one_step(trace, step):
    """The arrays of one step, from the trace itself."""
    if step == 0:
        return {"S_after": trace.S[0], "z_after": trace.z[0]}
    i, keys = step - 1, len(trace.k) if trace.settings.read == "full" else step
    with np.errstate(all="ignore"):
        named = {"k_phi": trace.k[i], "u": trace.u[i], "write": trace.k[i][:, None] * trace.u[i]}
        named |= between(trace, i)
    named |= {"S_before": trace.S[i], "S_after": trace.S[step]}
    named |= {"z_before": trace.z[i], "z_after": trace.z[step]}
    if i < len(trace.q):
        y, weights = softmax(trace.tokens, read=trace.settings.read)
        named |= {"q_phi": trace.q[i], "read": trace.read[i], "norm": trace.norm[i], "y": trace.y[i]}
        named |= {"scores": trace.scores()[i, :keys], "weights": trace.weights()[i, :keys]}
        named |= {"softmax_weights": weights[i, :keys], "softmax_y": y[i]}
        named["softmax_scale"] = np.float64(trace.tokens.k.shape[1] ** -0.5)
    return named


def between(trace, t):
    """What a rule makes of S[t] before it writes, by its formula."""
    S, k, gates, key = trace.S[t], trace.k[t], trace.gates, trace.settings.rule.key
    named = {} if trace.alpha is None else {"S_decayed": trace.alpha[t][:, None] * S}
    if "delta" in key:
        old = ordered_dot(k, named.get("S_decayed", S))
        named |= {"old": old, "error": trace.v[t] - old}
    if key == "rwkv7":
        old = ordered_dot(gates["a"][t], S)
        named |= {"old": old, "removal": gates["b"][t][:, None] * (gates["beta"][t] * old)}
    return named


def expected(trace, step):
    return whole(trace) if step is None else one_step(trace, step)


def steps(trace):
    return [None, *range(len(trace.k) + 1)]


@every_run
def test_json_holds_every_array_to_the_last_bit(trace):
    for step in steps(trace):
        file = read_json(export("json").write(trace, step=step))
        assert file["step"] == step
        want = expected(trace, step)
        assert set(file["results"]) == set(want)
        for name, array in want.items():
            assert_same_bits(as_array(file["results"][name]), array)


@every_run
def test_npz_holds_the_same_arrays_and_the_rest_as_json(trace):
    for step in steps(trace):
        arrays_ = np.load(io.BytesIO(export("npz").write(trace, step=step)), allow_pickle=False)
        want = expected(trace, step) | {"q": trace.tokens.q, "k": trace.tokens.k, "v": trace.tokens.v}
        assert set(arrays_.files) == {*want, "meta"}
        for name, array in want.items():
            assert arrays_[name].dtype == np.asarray(array).dtype
            assert_same_bits(arrays_[name], array)
        meta = read_json(str(arrays_["meta"]))
        file = read_json(export("json").write(trace, step=step))
        file.pop("results")
        assert meta == file


@every_run
def test_a_snapshot_runs_again_to_the_same_bits(trace):
    """Nothing is lost: typed numbers, labels, gates, settings and the state carried in."""
    file = read_json(export("json").write(trace))
    typed, settings, initial = file["tokens"], dict(file["settings"]), file["initial"]
    gates = {name: None if typed[name] is None else as_array(typed[name]) for name in ("beta", "log_decay")}
    tokens = Tokens(*(as_array(typed[name]) for name in "qkv"), labels=typed["labels"], **gates)
    for name in "qkv":
        assert_same_bits(getattr(tokens, name), getattr(trace.tokens, name))
    assert tokens.labels == trace.tokens.labels
    knobs = {name: as_array(value) for name, value in settings.pop("knobs").items()}
    if initial is not None:
        initial = (as_array(initial["S"]), None if initial["z"] is None else as_array(initial["z"]))
    again = run(tokens, initial=initial, **settings, **knobs)
    for name in ("S", "z", "y", "read", "norm"):
        assert_same_bits(getattr(again, name), getattr(trace, name))
    for name in ("beta", "log_decay"):
        if getattr(trace.tokens, name) is not None:
            assert_same_bits(getattr(again.tokens, name), getattr(trace.tokens, name))


@given(x=arrays(float, (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False, width=64)))
def test_any_float_comes_back(x):
    file = read_json(export("json").write(run(Tokens(x, x, x), "identity"), step=0))
    assert_same_bits(as_array(file["tokens"]["q"]), x)


def test_numbers_that_json_lacks_are_words():
    file = read_json(export("json").write(RUNS["odd"]))
    assert file["tokens"]["log_decay"] == [0.0, "-Infinity", -1 / 3]
    assert file["results"]["S"][2][0][0] == "-Infinity"
    cancelled = read_json(export("json").write(RUNS["cancel"]))
    assert cancelled["results"]["y"][1] == ["NaN", "NaN"]
    assert cancelled["results"]["condition"] == [1.0, "Infinity"]


def test_the_schema():
    file = read_json(export("json").write(RUNS["article"], step=3))
    assert list(file) == [
        "format",
        "version",
        "conventions",
        "settings",
        "tokens",
        "initial",
        "step",
        "results",
    ]
    assert (file["format"], file["version"], file["initial"]) == ("linattn-snapshot", 1, None)
    assert file["settings"] == {
        "phi": "identity",
        "rule": "add",
        "read": "causal",
        "normalize": True,
        "scale": 1.0,
        "eps": 0.0,
        "read_before_write": False,
        "dtype": "float64",
        "knobs": {},
    }
    assert file["tokens"]["labels"] is None
    assert file["results"]["y"] == [1.5, 0.5]
    assert file["results"]["S_after"] == [[3, 1], [0, 3]]
    said = " ".join(file["conventions"])
    for sentence in (
        "before token t",
        "row of S",
        "natural logarithm",
        "left to right",
        "norm + eps",
        "carried in",
    ):
        assert sentence in said


def test_a_snapshot_is_plain_python_and_starts_with_the_head():
    def plain(x):
        if isinstance(x, dict):
            return all(type(name) is str and plain(item) for name, item in x.items())
        return all(map(plain, x)) if type(x) is list else type(x) in (str, int, float, bool, type(None))

    for trace in RUNS.values():
        for step in (None, np.int64(1)):
            taken = snapshot(trace, step)
            assert plain(taken)
            kept = {name: taken[name] for name in taken if name not in ("step", "results")}
            assert repr(kept) == repr(head(trace))


@pytest.mark.parametrize("record", EXPORTS, ids=lambda e: e.key)
@every_run
def test_every_export_writes_every_run_the_same_way_twice(record, trace):
    assert record.suffix.startswith(".")
    assert "/" in record.mime
    for step in (None, 0, 1):
        first = record.write(trace, step=step)
        assert isinstance(first, bytes)
        assert first == record.write(trace, step=step)


@pytest.mark.parametrize("record", [each for each in EXPORTS if each.key != "csv_wide"], ids=lambda e: e.key)
@pytest.mark.parametrize("key", ["mine", "elu1"])
def test_a_map_or_rule_from_outside_is_not_saved_under_a_key_that_would_not_bring_it_back(record, key):
    tokens = Tokens(np.eye(2), np.eye(2), np.ones((2, 1)))
    phi = replace(feature_map("relu"), key=key)
    rule = replace(update_rule("add"), key="add", step=lambda S, k, v: (S - k[:, None] * v, v))
    for what, name, trace in (("map", key, run(tokens, phi)), ("rule", "add", run(tokens, "elu1", rule))):
        for step in (None, 1):
            with pytest.raises(
                InputError, match=f"needs a {what} of this package, .*; {name} is from elsewhere"
            ):
                record.write(trace, step=step)
