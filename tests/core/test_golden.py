"""Expected values from public implementations and from 60-digit arithmetic. Nothing is scaled to fit."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import FEATURE_MAPS, Tokens, feature_map, gates, run, softmax
from linattn_core.feature_maps.random_features import customary

GOLDEN = Path(__file__).parents[1] / "golden"
MANIFEST = json.loads((GOLDEN / "manifest.json").read_text("utf-8"))
FILES = {family: np.load(GOLDEN / f"{family}.npz") for family in MANIFEST["families"]}
PHI = {"sqrelu": "relu2", "softmax_feature": "softmax", "hedgehog_softmax": "hedgehog"}  # golden name: key
KEYS = {record.key for record in FEATURE_MAPS}
NO_MAP_HERE = {  # golden name: why it is none of ours
    "dpfp_fla": "the minus signs of the negative half are lost, so negative numbers vanish",
    "hedgehog_fla": "one softmax over 2x and −2x together: the map softmax of [2x, −2x]",
    "hedgehog_exp": "shifted by another number for each key, which changes the weights",
    "t2r": "its matrix is learned",
    "performer_relu": "a ReLU of random features, with a floor of 1e-3",
}


def cases(*families):
    chosen = [case for case in MANIFEST["cases"] if case["family"] in families]
    return [pytest.param(case, id=case["id"]) for case in chosen if not is_no_map_here(case)]


def is_no_map_here(case):
    return case["params"].get("map", "").startswith(tuple(NO_MAP_HERE))


class Arrays:
    """One case: its inputs and expected outputs as attributes, and the comparison it asks for."""

    def __init__(self, case):
        self.case, self.params = case, case["params"]
        for name in (*case["inputs"], *case["outputs"]):
            setattr(self, name, FILES[case["family"]][f"{case['id']}.{name}"])
        self.unchecked = {name for name in case["outputs"] if "lib" not in name}

    def phi(self):
        name = self.params["feature_map"]
        return PHI.get(name, name)

    def check(self, **got):
        for name, array in got.items():
            want, array = getattr(self, name), np.asarray(array)
            assert array.shape == want.shape, name
            assert_array_equal(np.isnan(array), np.isnan(want), err_msg=name)
            infinite = np.isinf(want)
            assert_array_equal(array[infinite], want[infinite], err_msg=name)
            finite = np.isfinite(want)
            if finite.any():
                worst = np.abs(array[finite] - want[finite]).max()
                largest = np.abs(want[finite]).max()
                assert worst <= self.case["rtol"] * largest + self.case["atol"], f"{name} is off by {worst}"
            self.unchecked.discard(name)

    def done(self):
        assert not self.unchecked, "an expected array was not compared"


def heads(arrays, *names):
    """(index of q, index of k) for each batch and query head; grouped heads share a key head in order."""
    q, k = arrays.q, arrays.k
    group = q.shape[2] // k.shape[2]
    return [(b, h, h // group) for b in range(q.shape[0]) for h in range(q.shape[2])]


@pytest.mark.parametrize("case", cases("ft_causal"))
def test_causal(case):
    a = Arrays(case)
    settings = {"eps": a.params["eps"]}
    if case["layout"] == "single":
        trace = run(Tokens(a.q, a.k, a.v), a.phi(), **settings)
        got = {"y": trace.y, "S": trace.S[-1], "z": trace.z[-1]}
        got |= {"weights": trace.weights(), "S_all": trace.S[1:], "z_all": trace.z[1:]}
        a.check(**{name: got[name] for name in case["outputs"]})
    else:
        y, S, z = np.empty_like(a.y), np.empty_like(a.S), np.empty_like(a.z)
        for b, h, g in heads(a):
            trace = run(Tokens(a.q[b, :, h], a.k[b, :, g], a.v[b, :, g]), a.phi(), **settings)
            y[b, :, h], S[b, h], z[b, h] = trace.y, *trace.final
        a.check(y=y, S=S, z=z)
    a.done()


@pytest.mark.parametrize("case", cases("ft_full"))
def test_full(case):
    a = Arrays(case)
    settings = {"eps": a.params["eps"], "read": "full"}
    if case["layout"] == "single":
        trace = run(Tokens(a.q, a.k, a.v), a.phi(), **settings)
        a.check(y=trace.y, weights=trace.weights(), S=trace.S[-1], z=trace.z[-1])
    else:
        y = np.empty_like(a.y)
        for b, h, g in heads(a):
            n = a.key_lengths[b]  # padded keys are no keys
            tokens = Tokens(a.q[b, :, h], a.k[b, :n, g], a.v[b, :n, g])
            y[b, :, h] = run(tokens, a.phi(), **settings).y
        a.check(y=y)
    a.done()


@pytest.mark.parametrize("case", cases("ft_recurrent"))
def test_recurrent_with_a_carried_state(case):
    a = Arrays(case)
    initial = (a.S0, a.z0) if "S0" in case["inputs"] else None
    trace = run(Tokens(a.q, a.k, a.v), a.phi(), eps=a.params["eps"], initial=initial)
    a.check(y=trace.y, S_all=trace.S[1:], z_all=trace.z[1:])
    a.done()


@pytest.mark.parametrize("case", cases("fla_linear"))
def test_scaled_and_unnormalised(case):
    a = Arrays(case)
    settings = {
        "normalize": a.params["normalize"],
        "scale": a.params["scale"],
        "eps": a.params["eps"] or 0.0,
    }
    if "cu_seqlens" in case["inputs"]:
        y, S, z = np.empty_like(a.y), np.zeros_like(a.S), np.zeros_like(a.z)
        for n, (begin, end) in enumerate(zip(a.cu_seqlens[:-1], a.cu_seqlens[1:], strict=True)):
            if begin == end:
                continue  # no tokens is no run: the state of an empty sequence stays 0
            trace = run(Tokens(*(x[begin:end] for x in (a.q, a.k, a.v))), a.phi(), **settings)
            y[begin:end], S[n], z[n] = trace.y, *trace.final
        a.check(y=y, S=S, z=z)
    elif case["layout"].startswith("BTHD"):
        y, S, z = np.empty_like(a.y), np.empty_like(a.S), np.empty_like(a.z)
        for b, h, g in heads(a):
            trace = run(Tokens(a.q[b, :, h], a.k[b, :, g], a.v[b, :, g]), a.phi(), **settings)
            y[b, :, h], S[b, h], z[b, h] = trace.y, *trace.final
        a.check(y=y, S=S, z=z)
    else:
        initial = (a.S0, getattr(a, "z0", None)) if "S0" in case["inputs"] else None
        trace = run(Tokens(a.q, a.k, a.v), a.phi(), initial=initial, **settings)
        got = {"y": trace.y, "S": trace.final[0], "z": trace.final[1]}
        a.check(**{name: got[name] for name in case["outputs"]})
    a.done()


@pytest.mark.parametrize("case", cases("softmax"))
def test_softmax(case):
    a = Arrays(case)
    settings = {
        "scale": a.params["scale"],
        "read": "causal" if a.params["causal"] else "full",
        "align": a.params.get("align", "upper_left"),
    }
    if case["layout"] == "single":
        y, weights = softmax(Tokens(a.q, a.k, a.v), **settings)
        got = {"y": y, "weights": weights}
        a.check(**{name: got[name] for name in case["outputs"]})
    else:
        y = np.empty_like(a.y)
        for b, h, g in heads(a):
            y[b, :, h], _ = softmax(Tokens(a.q[b, :, h], a.k[b, :, g], a.v[b, :, g]), **settings)
        a.check(y=y)
    a.done()


@pytest.mark.parametrize("case", cases("retention"))
def test_retention(case):
    a = Arrays(case)
    q, k, v = (x if x.ndim == 4 else x[None, :, None] for x in (a.q, a.k, a.v))
    y = np.empty(v.shape)
    for b in range(q.shape[0]):
        for h, gamma in enumerate(a.params["gamma"]):
            tokens = Tokens(q[b, :, h], k[b, :, h], v[b, :, h])
            settings = {"normalize": False, "scale": a.params["scale"], "gamma": gamma}
            y[b, :, h] = run(tokens, "identity", "decay", **settings).y
    a.check(y=y if a.y.ndim == 4 else y[0, :, 0])
    a.done()


@pytest.mark.parametrize("case", cases("simple_gla", "gla"))
def test_gated_by_token_or_by_component(case):
    a = Arrays(case)
    log_decay = a.g if "g" in case["inputs"] else a.gk
    initial = (a.S0, None) if "S0" in case["inputs"] else None
    settings = {"normalize": False, "scale": a.params["scale"], "initial": initial}
    trace = run(Tokens(a.q, a.k, a.v, log_decay=log_decay), "identity", "decay", **settings)
    got = {"y": trace.y, "S": trace.final[0], "S_all": trace.S[1:], "weights": trace.weights()}
    a.check(**{name: got[name] for name in case["outputs"]})
    a.done()


@pytest.mark.parametrize("case", cases("mamba2"))
def test_mamba2(case):
    """X, B, C are v, k, q; its state is (d_v, d_k)."""
    a = Arrays(case)
    initial = (a.h0.T, None) if "h0" in case["inputs"] else None
    tokens = Tokens(a.C, a.B, a.X, log_decay=a.A)
    trace = run(tokens, "identity", "decay", normalize=False, initial=initial)
    a.check(y=trace.y, h=trace.final[0].T)
    a.done()


@pytest.mark.parametrize("case", cases("delta", "gated_delta", "kda"))
def test_corrected(case):
    """Their tables are those of the equations here; grouped value heads share a key in order."""
    a = Arrays(case)
    rule, settings = "delta" if case["family"] == "delta" else "gated_delta", {"scale": a.params["scale"]}
    gates = {"beta": "beta", "log_decay": "g"}
    gates = {name: theirs for name, theirs in gates.items() if theirs in case["inputs"]}
    if case["layout"] == "single":
        initial = (a.S0, None) if "S0" in case["inputs"] else None
        told = {name: getattr(a, theirs) for name, theirs in gates.items()}
        trace = run(Tokens(a.q, a.k, a.v, **told), "identity", rule, initial=initial, **settings)
        got = {"y": trace.y, "S": trace.final[0], "S_all": trace.S[1:]}
        a.check(**{name: got[name] for name in case["outputs"]})
    else:
        y, S = np.empty_like(a.y), np.empty_like(a.S)
        for b, h in np.ndindex(a.v.shape[0], a.v.shape[2]):
            g = h // (a.v.shape[2] // a.k.shape[2])
            told = {name: getattr(a, theirs)[b, :, h] for name, theirs in gates.items()}
            tokens = Tokens(a.q[b, :, g], a.k[b, :, g], a.v[b, :, h], **told)
            trace = run(tokens, "identity", rule, **settings)
            y[b, :, h], S[b, h] = trace.y, trace.final[0]
        a.check(y=y, S=S)
    a.done()


@pytest.mark.parametrize("case", cases("rwkv6"))
def test_rwkv6(case):
    a = Arrays(case)
    tokens = Tokens(a.q, a.k, a.v, log_decay=a.w)
    trace = run(tokens, "identity", "rwkv6", u=a.u, scale=a.params["scale"])
    a.check(y=trace.y, S=trace.final[0])
    a.done()


@pytest.mark.parametrize("case", cases("rwkv7"))
def test_rwkv7(case):
    """r is q; w makes the decay exp(−exp(w)); its state is (d_v, d_k)."""
    a = Arrays(case)
    initial = (a.S0.T, None) if "S0" in case["inputs"] else None
    tokens = Tokens(a.r, a.k, a.v, log_decay=-np.exp(a.w))
    trace = run(tokens, "identity", "rwkv7", a=a.a, b=a.b, scale=a.params["scale"], initial=initial)
    a.check(y=trace.y, S=trace.final[0].T)
    a.done()


@pytest.mark.parametrize("case", cases("gates"))
def test_gate(case):
    """x is a; KDA has one number per key component, and a head's own A_log for all of them."""
    a = Arrays(case)
    bound = [np.array(a.params["lower_bound"])] if "lower_bound" in a.params else []
    make = gates.bounded_log_decay if bound else gates.softplus_log_decay
    if a.x.ndim == 3:
        a.A_log, a.dt_bias = a.A_log[:, None], a.dt_bias.reshape(a.x.shape[1:])
    a.check(g=make(a.x, a.A_log, a.dt_bias, *bound))
    a.done()


@pytest.mark.parametrize("case", cases("edge"))
def test_edge(case):
    a = Arrays(case)
    read = "causal" if a.params["causal"] else "full"
    trace = run(Tokens(a.q, a.k, a.v), a.phi(), read=read)
    a.check(y_exact=trace.y, weights_exact=trace.weights())
    assert_array_equal(trace.defined, np.isfinite(a.log10_den))  # den_exact itself may underflow to 0
    plain = ~trace.rescaled  # elsewhere norm is what the sums gave, and log10_norm is right
    worst = np.abs(trace.norm[plain] - a.den_exact[plain]).max(initial=0)
    assert worst <= case["rtol"] * np.abs(a.den_exact[plain]).max(initial=0) + case["atol"]
    a.unchecked.discard("den_exact")
    a.check(log10_den=trace.log10_norm)
    a.done()


@pytest.mark.parametrize("case", cases("lowprec"))
def test_exact_where_libraries_lose_digits(case):
    a = Arrays(case)
    trace = run(Tokens(a.q, a.k, a.v), a.phi())
    a.check(y_exact=trace.y, den_exact=trace.norm)
    a.done()


@pytest.mark.parametrize("case", cases("feature_map"))
def test_feature_map(case):
    a = Arrays(case)
    name, knobs = a.params["map"], {}
    if name.startswith("dpfp"):
        name, knobs = "dpfp", {"nu": a.params["nu"]}
    elif name == "cosformer":
        knobs = {"max_length": len(a.x)}
    elif name == "favor_hyperbolic":
        name, knobs = "favor", {"projection": np.vstack([a.omega.T, -a.omega.T])}
    if name == "performer_query":
        a.check(phi=customary(a.x, a.projection, shared=False, eps=a.params["eps"]))
    elif name == "taylor2_full":  # products both ways round: other features, the same scores
        a.phi, ours = a.phi @ a.phi.T, feature_map("taylor2").phi(a.x)
        a.check(phi=ours @ ours.T)
    else:
        record = feature_map(PHI.get(name, name))
        a.check(phi=record.phi(a.x, **knobs))
        assert_array_equal(run(Tokens(a.x, a.x, a.x), record, **knobs).k, record.phi(a.x, **knobs))
    a.done()


@pytest.mark.parametrize("case", cases("cosformer"))
def test_cosformer(case):
    """It divides by at least 1e-6, where our y is undefined or truly divided."""
    a = Arrays(case)
    settings = {"read": "causal" if a.params["causal"] else "full", "max_length": len(a.q)}
    trace = run(Tokens(a.q, a.k, a.v), "cosformer", **settings)
    a.check(y=trace.read / np.maximum(trace.norm, a.params["eps_clamp"])[:, None])
    usual = trace.norm >= a.params["eps_clamp"]
    assert_array_equal(trace.y[usual], trace.read[usual] / trace.norm[usual, None])
    a.done()


@pytest.mark.parametrize("case", cases("based"))
def test_taylor_and_squared_products(case):
    """Its scale is 1/√d, which both maps have inside; its weights are scores."""
    a = Arrays(case)
    phi = {"based": "taylor2", "rebased": "rebased"}[a.params["kind"]]
    trace = run(Tokens(a.q, a.k, a.v), phi, eps=a.params["eps"])
    a.check(y=trace.y, weights=trace.weights())
    a.done()


@pytest.mark.parametrize("case", cases("performer"))
def test_performer_with_its_eps(case):
    """Keys share the largest exponent of all of them; causal, 1e-6 is in every component of z from the start.

    With the projection as knob, nothing is added and nothing shared: exp(u − ½‖x‖²) as it stands.
    """
    a = Arrays(case)
    q, k = (customary(x, a.projection, shared=x is a.k) for x in (a.q, a.k))
    initial = (
        (np.zeros((k.shape[1], a.v.shape[1])), np.full(k.shape[1], 1e-6)) if a.params["causal"] else None
    )
    read = "causal" if a.params["causal"] else "full"
    trace = run(Tokens(q, k, a.v), "identity", read=read, initial=initial)
    _, softmax_weights = softmax(Tokens(a.q, a.k, a.v), read=read)
    a.check(y=trace.y, weights=trace.weights(), softmax_y=softmax_weights @ a.v)
    plain = run(Tokens(a.q, a.k, a.v), "favor", read=read, projection=a.projection)
    q, k = (x / x.shape[1] ** 0.25 for x in (a.q, a.k))
    q, k = (np.exp(x @ a.projection.T - (x**2).sum(1, keepdims=True) / 2) for x in (q, k))
    scores = q @ k.T / len(a.projection)
    assert_allclose(plain.scores(), np.tril(scores) if a.params["causal"] else scores, rtol=1e-12)
    a.done()


@pytest.mark.parametrize("case", cases("seed_article"))
def test_article_case(case):
    a = Arrays(case)
    read = "causal" if a.params["causal"] else "full"
    trace = run(Tokens(a.q, a.k, a.v), a.phi(), read=read, eps=a.params["eps"])
    got = {
        "contributions": [trace.contribution(t) for t in range(3)],
        "S_all": trace.S[1:],
        "z_all": trace.z[1:],
        "scores": trace.scores(),
        "numerators": trace.read,
        "denominators": trace.norm,
        "y": trace.y,
        "weights": trace.weights(),
        "KtV": trace.S[-1],
    }
    a.check(**{name: got[name] for name in case["outputs"]})
    a.done()


def test_no_case_is_left_out():
    """Each family is the argument of a test above; only maps that are none of ours are not."""
    marks = [m for f in list(globals().values()) for m in getattr(f, "pytestmark", [])]
    run_here = Counter(param.values[0]["family"] for mark in marks for param in mark.args[1])
    listed = Counter(case["family"] for case in MANIFEST["cases"])
    others = Counter(case["family"] for case in MANIFEST["cases"] if is_no_map_here(case))
    assert run_here + others == listed
    assert set(others) == {"feature_map"}
    assert not KEYS & set(NO_MAP_HERE)


def test_every_family_has_the_cases_that_its_file_holds():
    for family, arrays in FILES.items():
        in_file = {name.rsplit(".", 1)[0] for name in arrays.files}
        assert in_file == {case["id"] for case in MANIFEST["cases"] if case["family"] == family}
