"""Feature maps with knobs in the sidebar: a box for each number, none for an array."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linattn_core import FEATURE_MAPS, example, export, run
from linattn_ui.frame import SHORT

WIDE = [phi for phi in FEATURE_MAPS if phi.width is not None]


def pick(reader, phi):
    reader.at.selectbox(key="other_phi").set_value(phi.key).run()


def test_every_wide_map_is_under_more_with_its_knobs_and_is_worked_out(reader):
    for phi in WIDE:
        assert phi.key not in SHORT["phi"]
        pick(reader, phi)
        assert not reader.errors
        assert reader.trace.settings.phi is phi
        boxes = {box.key: box.value for box in reader.at.number_input}
        assert {knob.name: boxes.get(knob.name) for knob in phi.knobs} == {
            knob.name: knob.default for knob in phi.knobs
        }
        others = {knob.name for other in WIDE if other is not phi for knob in other.knobs}
        assert not others & set(boxes)
        formulas = " ".join(formula.value for formula in reader.at.latex)
        assert r"\varphi(k_{2})" in formulas
        assert reader.trace.S[3].shape == (phi.width(2), 2)


@pytest.mark.parametrize(
    ("key", "knob", "value"), [("dpfp", "nu", 3), ("favor", "features", 5), ("cosformer", "max_length", 3)]
)
def test_a_knob_reaches_the_run_and_the_link(reader, key, knob, value):
    pick(reader, next(phi for phi in WIDE if phi.key == key))
    reader.at.number_input(key=knob).set_value(value).run()
    assert reader.trace.settings.knobs[knob] == value
    assert reader.at.query_params[knob] == str(value)


def test_too_short_a_sequence_is_said_and_the_last_picture_stays(reader):
    pick(reader, next(phi for phi in WIDE if phi.key == "cosformer"))
    before = reader.trace
    reader.at.number_input(key="max_length").set_value(2).run()
    assert "stands at 3\\. Set max\\_length to 3 or more" in reader.errors[0]
    assert reader.trace is before


def test_a_projection_from_a_file_takes_the_place_of_its_boxes_until_another_map_is_chosen(reader):
    P = np.array([[0.5, -1.0], [1 / 3, 2.0], [0.0, 1.0]])
    trace = run(example("article").tokens, "favor", projection=P)
    reader.open("run.json", export("json").write(trace))
    assert not reader.errors
    assert_array_equal(reader.trace.settings.knobs["projection"], P)
    assert reader.trace.S[3].tobytes() == trace.S[3].tobytes()
    assert not {"features", "seed"} & {box.key for box in reader.at.number_input}
    reader.choose("phi", "elu1")
    assert not reader.errors
    assert reader.trace.settings.knobs == {}
    pick(reader, next(phi for phi in WIDE if phi.key == "favor"))
    assert_array_equal(reader.trace.settings.knobs["projection"], P)
    reader.press("Reset to the example")
    assert reader.trace.settings.knobs == {"features": 64, "seed": 0}
