"""What the stage is sent: every bit, in plain Python, no more than it cannot work out itself."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linattn_core import Tokens, example, random_tokens, run, softmax
from linattn_ui.stage.payload import encode, payload

ARTICLE = example("article").tokens
FLOATS = st.lists(st.floats(width=64), min_size=1, max_size=12)


def decode(text):
    """The numbers of an encoded array, by the words of its docstring."""
    if text.startswith(":"):
        return np.frombuffer(base64.b64decode(text[1:]), "<f8")
    return np.array(json.loads(f"[{text}]", parse_int=float))  # knows no inf and no nan, as JavaScript


def article(phi="identity", **settings):
    return run(ARTICLE, phi, **settings)


@given(FLOATS)
def test_an_array_comes_back_with_the_same_bits(xs):
    array = np.array(xs)
    back = decode(encode(array))
    assert np.array_equal(back, array, equal_nan=True)
    assert np.array_equal(np.signbit(back), np.signbit(array))


@given(FLOATS)
def test_an_array_takes_the_shorter_of_two_forms(xs):
    assert len(encode(np.array(xs))) <= 1 + 4 * ((8 * len(xs) + 2) // 3)


def test_small_numbers_are_readable():
    assert encode(np.array([[1.0, -0.0], [0.5, -2.25]])) == "1,-0,0.5,-2.25"


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_come_first_in_any_memory_order(order):
    table = np.array([[0.1, 1 / 3, 2], [3, 4, 5]], order=order)
    assert decode(encode(table)).tolist() == table.ravel().tolist()
    assert decode(encode(table[:, ::2])).tolist() == [0.1, 2, 3, 5]


RUNS = {
    "article": article(),
    "elu1": article("elu1"),
    "decay": article(rule="decay", gamma=0.5),
    "reset": run(Tokens(ARTICLE.q, ARTICLE.k, ARTICLE.v, log_decay=[0, -np.inf, -1]), "identity", "decay"),
    "full": run(random_tokens(5, 2, 3, seed=1), "softplus", read="full", scale=0.5, eps=1e-6),
    "delta": article(rule="delta", beta=[1, 0.5, 0.25]),
    "delta, dividing": article("elu1", rule="gated_delta", gamma=0.5, normalize=True),
    "delta, one β a column": article(rule="delta", beta=[[1, 0.5]] * 3, initial=([[1, 2], [3, 4]], None)),
    "rwkv6": article(rule="rwkv6", u=[0.5, 2]),
    "rwkv7": article("elu1", rule="rwkv7", gamma=0.5),
    "carried": article(initial=([[1, 2], [3, 4]], [5, 6])),
    "carried without z": article(initial=([[1, 2], [3, 4]], None), normalize=False),
    "undefined": run(example("dead_relu").tokens, "relu"),
    "far": run(Tokens(ARTICLE.q * 800, ARTICLE.k * -800, ARTICLE.v, labels=["🧮", '"', "\u202e"]), "exp"),
}


def written_nothing(trace):
    """The same run with every value 0: what it reads was carried in."""
    tokens, settings = trace.tokens, trace.settings
    gates = {name: getattr(tokens, name) for name in ("beta", "log_decay")}
    nothing = Tokens(tokens.q, tokens.k, 0 * tokens.v, **gates)
    initial = {"initial": trace.initial, "normalize": settings.normalize}
    return run(nothing, settings.phi, settings.rule, **settings.knobs, **initial)


@pytest.mark.parametrize("name", RUNS)
def test_it_is_plain_json_without_nan(name):
    data = payload(RUNS[name])
    assert {type(value) for value in data.values()} <= {str, int, float, bool, list}
    assert {type(label) for label in data["labels"]} == {str}
    assert json.loads(json.dumps(data, allow_nan=False)) == data


@pytest.mark.parametrize("name", RUNS)
def test_the_arrays_are_those_of_the_run(name):
    trace = RUNS[name]
    data = payload(trace)
    full = trace.settings.read == "full"
    seen = np.ones((len(trace.q), len(trace.k)), bool) if full else np.tri(len(trace.k), dtype=bool)
    _, shares = softmax(trace.tokens, read=trace.settings.read)
    sent = {"q": trace.q, "k": trace.k, "v": trace.v, "softmaxWeights": shares[seen]}
    gates = {"alpha": trace.alpha, "beta": trace.beta, "bonus": trace.bonus}
    gates |= {name: trace.gates.get(name) for name in ("a", "b")}
    sent |= {name: array for name, array in gates.items() if array is not None}
    if trace.settings.rule.asks == "k":
        sent |= {"u": trace.u} | ({"uz": trace.u_z} if trace.one_map else {})
    if trace.one_map and trace.settings.rule.key not in ("add", "decay"):
        sent |= {"scores": trace.scores()[seen]}
    if trace.settings.phi.key != "identity":
        sent |= {"qTyped": trace.tokens.q, "kTyped": trace.tokens.k}
    if trace.initial is not None:
        S = written_nothing(trace).read
        z = np.full(len(S), np.nan) if trace.initial[1] is None else trace.q @ trace.z[0]  # no decay here
        sent |= {"S0": trace.S[0], "carried": np.column_stack([S, z])}
        sent |= {"z0": trace.z[0]} if trace.one_map else {}
    if "y" in data:
        sent |= {"y": trace.y, "weights": trace.weights()[seen]}
    optional = {
        "alpha",
        "qTyped",
        "kTyped",
        "S0",
        "z0",
        "carried",
        "u",
        "y",
        "weights",
        *gates,
        "uz",
        "scores",
    }
    assert optional & data.keys() == optional & sent.keys()
    for key, array in sent.items():
        np.testing.assert_array_equal(decode(data[key]), np.ravel(array), key)
    assert [data[key] for key in ("T", "Tq", "D", "V")] == [
        len(trace.k),
        len(trace.q),
        *trace.S.shape[1:],
    ]


def test_y_is_sent_only_where_the_browser_cannot_divide():
    too_large = run(Tokens(ARTICLE.q * 1e200, ARTICLE.k * 1e200, ARTICLE.v), "identity")
    assert {name for name, trace in RUNS.items() if "y" in payload(trace)} == {"far"}
    assert "y" in payload(too_large)


def test_the_future_is_not_sent():
    long = run(random_tokens(8, 2, 2, seed=1), "elu1")
    assert len(decode(payload(long)["softmaxWeights"])) == 8 * 9 // 2


VARIANTS = {
    "q": {"q": ARTICLE.q * [[1], [1], [1 - 2**-53]]},
    "k": {"k": ARTICLE.k * (1 + 2**-52)},
    "v": {"v": ARTICLE.v * [1, -1]},
    "minus zero": {"v": ARTICLE.v * np.where(ARTICLE.v == 0, -1.0, 1)},
    "labels": {"labels": ["p0", "p1", "p2 "]},
    "default labels": {"labels": ["p0", "p1", "p2"]},
    "beta": {"beta": 0.5},
    "phi": {"phi": "relu"},
    "rule": {"rule": "decay", "gamma": 1.0},
    "gamma": {"rule": "decay", "gamma": 0.5},
    "read": {"read": "full"},
    "normalize": {"normalize": False},
    "read_before_write": {"read_before_write": True},
    "scale": {"scale": 2.0},
    "eps": {"eps": 5e-324},
    "initial": {"initial": (np.zeros((2, 2)), np.zeros(2))},
    "digits": {"digits": 4},
    "softmax_scale": {"softmax_scale": 0.5},
    "the usual softmax_scale": {"softmax_scale": 2**-0.5},
}
TYPED, SHOWN = ("q", "k", "v", "labels", "beta", "log_decay"), ("digits", "softmax_scale")


def sent(*, phi="identity", **changes):
    typed = {name: changes.pop(name, getattr(ARTICLE, name)) for name in TYPED}
    shown = {name: changes.pop(name) for name in SHOWN if name in changes}
    return payload(run(Tokens(**typed), phi, **changes), **shown)


@pytest.mark.parametrize("name", VARIANTS)
def test_rev_tells_whether_anything_changed(name):
    changed = sent(**VARIANTS[name])
    assert changed["rev"] == sent(**VARIANTS[name])["rev"]
    same = name == "the usual softmax_scale"
    assert (changed["rev"] == sent()["rev"]) is same
    assert (changed == sent()) is same


def test_every_variant_has_a_rev_of_its_own():
    revs = [sent(**changes)["rev"] for changes in VARIANTS.values()]
    assert len(set(revs)) == len(revs)


def test_a_run_of_64_tokens_and_16_components_is_small():
    data = payload(run(random_tokens(64, 16, 16, seed=1), "elu1"))
    assert len(json.dumps(data)) <= 90_000
