"""What is remembered between reruns: the same ingredients, the same result; anything else is made anew."""

import numpy as np
import pytest
import streamlit as st
from visits import visitor

from linattn_core import InputError
from linattn_ui.state import remembered

ARRAY = np.ones(2)
SAME = [
    (1, 1),
    (0.5, 0.5),
    (float("nan"), float("nan")),
    ("a", "a"),
    (None, None),
    (ARRAY, ARRAY),
    ({"x": 1}, {"x": 1}),
    ((), ()),
]
OTHER = [
    (1, 2),
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    ("a", "b"),
    (None, 0),
    (ARRAY, ARRAY.copy()),
    ({"x": 1}, {"x": 2}),
    ({"x": 1}, {"y": 1}),
    ({"x": ARRAY}, {"x": ARRAY.copy()}),
    ((1,), (1, 1)),
]


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})


def results(one, other):
    return remembered("x", (one,), object), remembered("x", (other,), object)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_ingredients_give_the_remembered_result(session, one, other):
    first, second = results(one, other)
    assert first is second


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_anything_else_is_made_anew(session, one, other):
    first, second = results(one, other)
    assert first is not second


def test_names_keep_apart_and_what_raises_is_asked_again(session):
    def fault():
        raise InputError("no")

    first = remembered("x", (1,), object)
    with pytest.raises(InputError):
        remembered("x", (2,), fault)
    with pytest.raises(InputError):
        remembered("x", (2,), fault)
    assert remembered("x", (1,), object) is first
    assert remembered("y", (1,), object) is not first


def test_a_rerun_keeps_the_run_and_a_setting_ends_it():
    at = visitor(example="article").run()
    run = at.session_state["last_good"]
    assert at.run().session_state["last_good"] is run
    at.session_state["rule"] = "decay"
    other = at.run().session_state["last_good"]
    assert other is not run
    assert other.settings.rule.key == "decay"
    at.session_state["gamma"] = 0.25
    assert at.run().session_state["last_good"].S[3].tolist() != other.S[3].tolist()
