"""What every record promises, whoever adds it."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import linattn_core
from linattn_core import EXAMPLES, EXPORTS, FEATURE_MAPS, UPDATE_RULES, Tokens, feature_map, run, update_rule

REGISTRIES = {"maps": FEATURE_MAPS, "rules": UPDATE_RULES, "examples": EXAMPLES, "exports": EXPORTS}


@pytest.mark.parametrize("records", REGISTRIES.values(), ids=REGISTRIES)
def test_keys_are_unique_and_fit_into_a_link(records):
    assert isinstance(records, tuple)
    assert len({record.key for record in records}) == len(records)
    for record in records:
        assert record.key.isidentifier()
        assert record.title


@pytest.mark.parametrize("record", [*FEATURE_MAPS, *UPDATE_RULES], ids=lambda r: r.key)
def test_a_map_or_rule_has_a_formula_and_a_source(record):
    assert record.latex
    assert record.source
    assert not record.source.endswith(".")


@pytest.mark.parametrize("record", UPDATE_RULES, ids=lambda r: r.key)
def test_the_keywords_of_a_step_are_the_rule_s_knobs(record):
    parameters = inspect.signature(record.step).parameters.values()
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert keywords == [knob.name for knob in (*record.knobs, *record.arrays) if knob is not record.bonus]
    assert record.bonus is None or record.bonus in record.knobs


@pytest.mark.parametrize("record", FEATURE_MAPS, ids=lambda r: r.key)
def test_the_keywords_of_a_map_are_its_knobs_and_their_defaults_the_same(record):
    defaults = {knob.name: knob.default for knob in record.knobs} | {a.name: None for a in record.arrays}
    for function in filter(None, (record.phi, record.log_phi, record.width, record.check)):
        keywords = list(inspect.signature(function).parameters.values())[1:]
        assert {keyword.name: keyword.default for keyword in keywords} == defaults
    assert not record.positive or record.log_phi is not None
    for array in record.arrays:
        assert set(array.instead_of) <= {knob.name for knob in record.knobs}
        assert array.help.endswith(".")


@pytest.mark.parametrize("record", FEATURE_MAPS, ids=lambda r: r.key)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_map_makes_as_many_components_as_its_record_says(record, d):
    assert record.phi(np.ones((3, d))).shape == (3, d if record.width is None else record.width(d))
    for knob in record.knobs:
        for value in {knob.low, min(knob.low + 2, knob.high)}:
            knobs = {knob.name: value}
            got = record.phi(np.ones((3, d)), **knobs).shape
            assert got == (3, d if record.width is None else record.width(d, **knobs))


@pytest.mark.parametrize("record", FEATURE_MAPS, ids=lambda r: r.key)
def test_a_map_with_a_curve_maps_each_component_on_its_own(record):
    x = np.array([[0.5, 1.5, -2.0]])
    alone = np.concatenate([record.phi(x[:, i : i + 1]) for i in range(3)], axis=1)
    same = alone.shape == record.phi(x).shape and (alone == record.phi(x)).all()
    assert same == record.elementwise


def test_a_knob_s_default_is_in_its_range_and_a_shared_name_means_one_range():
    knobs = [knob for record in (*FEATURE_MAPS, *UPDATE_RULES) for knob in record.knobs]
    for knob in knobs:
        assert knob.low <= knob.default <= knob.high
        assert knob.title
        assert knob.help.endswith(".")
    assert len({knob.name for knob in knobs}) == len(set(knobs))


def test_keys_that_links_hold_are_never_renamed():
    maps = "identity elu1 relu relu2 exp softplus sigmoid tanh1 softmax l2 "
    maps += "taylor2 rebased dpfp hedgehog favor cosformer"
    assert [record.key for record in FEATURE_MAPS] == maps.split()
    assert [record.key for record in UPDATE_RULES] == "add decay delta gated_delta rwkv6 rwkv7".split()
    examples = "article same_key noisy_mean orthogonal general_key negative cancel dead_relu sentence random "
    examples += "trained_add trained_delta trained_softmax"
    assert [record.key for record in EXAMPLES] == examples.split()
    assert [record.key for record in EXPORTS] == ["json", "npz", "csv", "csv_wide"]


def test_only_strictly_positive_maps_are_called_positive():
    assert {record.key for record in FEATURE_MAPS if record.positive} == {
        "elu1",
        "exp",
        "softplus",
        "sigmoid",
        "tanh1",
        "softmax",
        "hedgehog",
        "favor",
    }
    for key in ("identity", "relu", "relu2", "l2", "rebased", "dpfp", "cosformer"):
        assert not feature_map(key).phi(np.zeros((1, 2))).any()
    assert_array_equal(feature_map("taylor2").phi(np.zeros((1, 2))), [[1, 0, 0, 0, 0, 0]])


def test_every_public_name_is_there():
    for name in linattn_core.__all__:
        assert getattr(linattn_core, name) is not None
    assert list(linattn_core.__all__) == sorted(
        linattn_core.__all__, key=lambda n: (not n.isupper(), n[0].islower(), n)
    )


def test_every_public_function_says_what_it_does():
    for name in linattn_core.__all__:
        thing = getattr(linattn_core, name)
        if callable(thing):
            assert inspect.getdoc(thing)


def test_decay_falls_back_on_its_default():
    tokens = Tokens([[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [0.0]])
    assert run(tokens, "identity", "decay").S[2, 0, 0] == update_rule("decay").knobs[0].default == 0.9
