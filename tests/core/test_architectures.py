"""Architectures: their golden families through `prepare` and `run`; every sentence says what a run does."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import ARCHITECTURES, InputError, architecture, random_tokens, run

GOLDEN = Path(__file__).parents[1] / "golden"
FAMILY = {
    "linear_transformer": "ft_causal",
    "retnet": "retention",
    "simple_gla": "simple_gla",
    "mamba2": "mamba2",
    "gla": "gla",
    "deltanet": "delta",
    "gated_deltanet": "gated_delta",
    "kda": "kda",
    "rwkv6": "rwkv6",
    "rwkv7": "rwkv7",
}
PHI = {"sqrelu": "relu2", "softmax_feature": "softmax"}  # golden name: key
every_architecture = pytest.mark.parametrize("record", ARCHITECTURES, ids=lambda record: record.key)


@cache
def cases(family):
    """[(manifest entry, inputs, outputs)]."""
    listed = json.loads((GOLDEN / "manifest.json").read_text("utf-8"))["cases"]
    with np.load(GOLDEN / f"{family}.npz") as file:
        return [
            (case, *({n: file[f"{case['id']}.{n}"] for n in case[side]} for side in ("inputs", "outputs")))
            for case in listed
            if case["family"] == family
        ]


def changed(record, params):
    """Where a case leaves the architecture on purpose: eps of a library, another map, q and k not unit."""
    settings = {"eps": params["eps"]} if "eps" in params else {}
    if "feature_map" in params:
        settings["phi"] = PHI.get(params["feature_map"], params["feature_map"])
    if record.unit_length and not params["l2norm"]:
        settings["phi"] = "identity"
    return settings


def run_case(record, case, inputs, head=0):
    raw = {name: x for name, x in inputs.items() if name in record.axes}
    tokens, settings = record.prepare(raw, head)
    assert settings["scale"] == case["params"].get("scale", 1.0)
    initial = [x.T if record.state.endswith("ᵀ") else x for n, x in inputs.items() if n in ("S0", "h0")]
    carried = {"initial": (*initial, None)} if initial else {}
    return run(tokens, **settings | carried | changed(record, case["params"]))


def compare(case, got, outputs):
    for name in outputs.keys() & got.keys():
        want = outputs[name]
        assert got[name].shape == want.shape, (case["id"], name)
        worst = np.abs(got[name] - want).max()
        assert worst <= case["rtol"] * np.abs(want).max() + case["atol"], (case["id"], name, worst)


@every_architecture
def test_golden_family(record):
    turn = np.transpose if record.state.endswith("ᵀ") else np.asarray
    for case, inputs, outputs in cases(FAMILY[record.key]):
        if case["layout"].startswith("BTHD"):
            for b, h in np.ndindex(outputs["y"].shape[0], outputs["y"].shape[2]):
                trace = run_case(record, case, {name: x[b] for name, x in inputs.items()}, h)
                one = {"y": outputs["y"][b, :, h]} | {n: outputs[n][b, h] for n in outputs if n in "Sz"}
                compare(case, {"y": trace.y, "S": trace.final[0], "z": trace.final[1]}, one)
        else:
            trace = run_case(record, case, inputs)
            got = {"y": trace.y, "S": turn(trace.final[0]), "S_all": trace.S[1:], "weights": trace.weights()}
            got["h"] = got["S"]
            compare(case, got, outputs)


def test_every_architecture_has_a_golden_family():
    assert [record.key for record in ARCHITECTURES] == list(FAMILY)


def shape(axes, T=3, H=2, d_k=4, d_v=5):
    known = {"T": T, "H": H, "d_k": d_k, "N": d_k, "d_v": d_v, "P": d_v, "H·d_k": H * d_k}
    return tuple(known[axis] for axis in axes.split())


def arrays(record, names, **over):
    """Random numbers for two heads: log decays below 0, all else above."""
    rng = np.random.default_rng(5)
    named = {name: rng.uniform(0.1, 1, shape(record.axes[name], **over)) for name in names}
    logs = {way.formula for way in record.made if way.ours == "log_decay" and way.make is None}
    return {name: -x if name in {*logs, "lower_bound"} else x for name, x in named.items()}


def usual(record):
    """What the first way to each of ours needs."""
    firsts = {way.ours: way.needs for way in reversed(record.made)}
    return arrays(record, dict.fromkeys(name for needs in firsts.values() for name in needs))


def computed(formula, named):
    """The formula in a model's letters, computed by NumPy as it stands."""
    functions = {
        "exp": np.exp,
        "log": np.log,
        "softplus": lambda x: np.log(1 + np.exp(x)),
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "l2": lambda x: x / np.linalg.norm(x),
    }
    return eval(formula.replace("−", "-").replace("·", "*"), functions, named)


@every_architecture
def test_each_formula_in_words_is_what_is_computed(record):
    for way in (way for way in record.made if way.make is not None):
        axes = {name: re.sub("H·|H( |$)", "", record.axes[name]).strip() for name in way.needs}
        named = {name: np.random.default_rng(3).uniform(-2, -1, shape(axes[name])) for name in way.needs}
        if "dt" in named and "dt_bias" not in named:
            named["dt"] = -named["dt"]
        got = way.make(*named.values())
        for t in range(3):
            at = {name: x[t] if "T" in axes[name] else x for name, x in named.items()}
            assert_allclose(got[t] if "T" in "".join(axes.values()) else got, computed(way.formula, at))


@every_architecture
def test_the_head_that_is_chosen_is_the_one_that_runs(record):
    raw, whole = usual(record), {}
    for name, x in raw.items():
        axes = record.axes[name].split()
        one = x.reshape(2, -1)[1] if axes[0] == "H·d_k" else x.take(1, axes.index("H")) if "H" in axes else x
        whole[name] = one
    chosen, alone = record.prepare(raw, head=1), record.prepare(whole, head=1)
    assert_array_equal(run(chosen[0], **chosen[1]).states, run(alone[0], **alone[1]).states)
    other = record.prepare(raw, head=0)
    assert (run(other[0], **other[1]).states != run(alone[0], **alone[1]).states).any()


def test_mamba_2_in_its_own_letters():
    record = architecture("mamba2")
    raw = usual(record)
    tokens, settings = record.prepare(raw, head=1)
    x, dt, B, C = raw["x"][:, 1], raw["dt"][:, 1], raw["B"][:, 1], raw["C"][:, 1]
    assert_array_equal(tokens.q, C)
    assert_array_equal(tokens.k, B)
    assert_allclose(tokens.v, np.einsum("tp,t->tp", x, dt))
    h = np.zeros((5, 4))  # its own state, value components down, by its own equation
    for t in range(3):
        h = np.exp(-np.exp(raw["A_log"][1]) * dt[t]) * h + dt[t] * np.outer(x[t], B[t])
        assert_allclose(run(tokens, **settings).y[t], h @ C[t])
    assert_allclose(run(tokens, **settings).S[3].T, h)
    assert record.letters["C"], record.letters["B"] == ("q", "k")
    assert record.letters["x · dt"] == "v"
    assert record.letters["h"] == "Sᵀ"
    said = record.sentences(4)
    assert said["letters"] == "C plays q, B plays k, x · dt plays v."
    assert said["state"] == "Its own state h has one row per value component; S is it transposed."


def test_a_bias_turns_the_raw_step_into_a_step():
    record = architecture("mamba2")
    raw = usual(record) | arrays(record, ["dt_bias"])
    tokens, _ = record.prepare(raw)
    dt = np.log1p(np.exp(raw["dt"][:, 0] + raw["dt_bias"][0]))
    assert_allclose(tokens.v, raw["x"][:, 0] * dt[:, None])
    assert_allclose(tokens.log_decay, -np.exp(raw["A_log"][0]) * dt)


def test_kda_takes_the_bounded_gate_where_the_bound_is_given():
    record = architecture("kda")
    raw = usual(record)
    free = record.prepare(raw)[0].log_decay
    bounded = record.prepare(raw | {"lower_bound": -0.5})[0].log_decay
    assert free.shape == bounded.shape == (3, 4)
    assert (bounded > -0.5).all()
    assert (free < -0.5).any()


def test_rwkv_7_made_from_kk_removes_along_the_unit_key():
    record = architecture("rwkv7")
    raw = usual(record)
    _, settings = record.prepare(raw)
    unit = raw["kk"][:, 0] / np.linalg.norm(raw["kk"][:, 0], axis=1, keepdims=True)
    assert_allclose(settings["a"], -unit)
    assert_allclose(settings["b"], unit * raw["a_icl"][:, 0])


@every_architecture
def test_an_architecture_on_tokens_without_gates_is_its_settings(record):
    tokens = random_tokens(5, 4, 3, seed=2)
    settings = record.settings(4, head=2)
    trace = run(tokens, **settings)
    assert trace.settings.rule is record.update_rule
    assert set(settings) == {"phi", "rule", "scale", "normalize", *(k.name for k in record.update_rule.knobs)}
    prepared = record.prepare(usual(record), head=1)[1]
    assert {name: x for name, x in record.settings(4, head=1).items() if name in prepared} == {
        name: x for name, x in prepared.items() if name not in ("u", "a", "b")
    } | ({"u": 0.0} if "u" in prepared else {})
    assert np.allclose(np.linalg.norm(trace.q, axis=1), 1) == record.unit_length


@every_architecture
def test_each_sentence_says_what_the_run_does(record):
    for head in (0, 1):
        tokens, settings = record.prepare(usual(record), head)
        trace, said = run(tokens, **settings), record.sentences(4, head)
        assert trace.settings.rule.title in said["rule"]
        assert (said["map"] == "No feature map: q and k are used as they come.") == (
            trace.q == tokens.q
        ).all()
        assert trace.settings.phi.title in said["map"] or trace.settings.phi.key == "identity"
        unit = np.allclose(np.linalg.norm(trace.k, axis=1), 1)
        assert (
            said["key_norm"]
            == f"q and k {'are scaled to unit length first' if unit else 'keep their lengths'}."
        )
        number = re.search("= ([0-9.]+)", said["scale"])
        assert (float(number[1].rstrip(".")) if number else 1) == settings["scale"]
        assert ("not" not in said["division"]) == trace.settings.normalize
        assert (said["gates"].startswith("No gates")) == (not trace.gates)
        if "gamma" in settings:
            assert f"Head {head} keeps the share γ = {settings['gamma']} " in said["gates"]
        for sentence in said.values():
            assert re.fullmatch(r"([A-Z]|[a-z] )[^.].*\.", sentence)


@every_architecture
def test_other_fields_give_other_sentences(record):
    state = "Sᵀ" if record.state == "S" else "S"
    other = replace(record, scaled=not record.scaled, divides=not record.divides, state=state)
    before, after = record.sentences(9), other.sentences(9)
    assert {name for name in before if before[name] != after[name]} == {"scale", "division", "state"}
    assert other.settings(9)["scale"] != record.settings(9)["scale"]


@every_architecture
def test_its_source_names_a_paper_and_where_in_it(record):
    assert re.search(r"(19|20)\d\d", record.source)
    assert re.search("§|ops/|Listing|mixing", record.source)
    assert record.sentences(4)["gates"]


LINEAR, MAMBA, GDN, KDA = (
    architecture(key) for key in ("linear_transformer", "mamba2", "gated_deltanet", "kda")
)
QKV = {"q": np.ones((3, 2, 4)), "k": np.ones((3, 2, 4)), "v": np.ones((3, 2, 5))}
BAD = {
    "Linear transformer needs named arrays; they arrived as list. Pass a mapping.": (LINEAR, [1]),
    "Linear transformer takes no array 'Q'. Known names: q, k, v. Remove it.": (LINEAR, {"Q": 1}),
    "Linear transformer needs v; it got q, k. Add what is missing.": (LINEAR, {"q": QKV["q"], "k": QKV["k"]}),
    "Linear transformer needs q; it got nothing. Add what is missing.": (LINEAR, {}),
    "Linear transformer needs q of shape (T, H, d_k) or (T, d_k); its shape is (3,). Reshape it.": (
        LINEAR,
        QKV | {"q": [1, 2, 3]},
    ),
    "Linear transformer needs one size for T; it is 3 in q and 2 in v. Cut or fill one of them.": (
        LINEAR,
        QKV | {"v": np.ones((2, 2, 5))},
    ),
    "Linear transformer needs 3 heads, or a divisor of that, in q; it has 2. Repeat or cut its heads.": (
        LINEAR,
        QKV | {"v": np.ones((3, 3, 5))},
    ),
    "Mamba-2 needs x and dt; or x and dt and dt_bias; or X; it got C, B. Add what is missing.": (
        MAMBA,
        {"C": np.ones((3, 4)), "B": np.ones((3, 4))},
    ),
    "Mamba-2 does not read X beside A_log, B, C, dt, x. Remove it, or those that it stands for.": (
        MAMBA,
        usual(MAMBA) | arrays(MAMBA, ["X"]),
    ),
    "dt needs numbers ≥ 0, as softplus gives them; row 0 (counted from 0) is -1.0.": (
        MAMBA,
        usual(MAMBA) | {"dt": -np.ones((3, 2))},
    ),
    "g is the natural log of the share kept, so it needs to be ≤ 0 (−inf forgets everything); row 1 (counted "
    "from 0) is 0.5. If it is the share itself, pass its log.": (
        GDN,
        QKV | {"beta": np.ones(3), "g": [-1, 0.5, 0]},
    ),
    "A_log needs finite numbers; it is nan. Replace it.": (
        MAMBA,
        usual(MAMBA) | {"A_log": np.nan},
    ),
    "k needs finite numbers; row 0, column 0 (counted from 0) is inf. Replace it.": (
        LINEAR,
        QKV | {"k": np.full((3, 2, 4), np.inf)},
    ),
    "needs equally many numbers of dt_bias for each of the 2 heads; it has 7. Add or remove some.": (
        KDA,
        usual(KDA) | {"dt_bias": np.ones(7)},
    ),
}


@pytest.mark.parametrize("sentence", BAD)
def test_what_is_missing_or_wrong_is_said(sentence):
    record, raw = BAD[sentence]
    with pytest.raises(InputError, match=re.escape(sentence)):
        record.prepare(raw)


@pytest.mark.parametrize("head", [-1, 2, 0.5, True, "0"])
def test_only_heads_that_are_there_can_be_chosen(head):
    with pytest.raises(
        InputError, match=r"head needs a whole number ≥ 0 below 2, the number of heads; it is"
    ):
        LINEAR.prepare(QKV, head)


def test_without_heads_only_the_architecture_knows_which_head_it_is():
    raw = {name: x[:, 0] for name, x in QKV.items()}
    assert architecture("retnet").prepare(raw, head=3)[1]["gamma"] == 1 - 2**-8
    with pytest.raises(InputError, match="head needs a whole number ≥ 0; it is -1"):
        LINEAR.prepare(raw, head=-1)


def test_a_reset_is_a_legal_decay():
    tokens, settings = GDN.prepare(QKV | {"beta": np.ones(3), "g": [0, -np.inf, 0]})
    assert_array_equal(run(tokens, **settings).S[2], np.outer([0.5] * 4, np.ones(5)))


def test_an_unknown_architecture_names_the_choices():
    with pytest.raises(InputError, match=r"There is no architecture 'lstm'.*linear_transformer, retnet"):
        architecture("lstm")
