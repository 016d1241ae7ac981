"""Numbers and sentences as a reader sees them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linattn_core import Tokens, example, run
from linattn_ui import words


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (3.0, "3"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (-1 / 3, "−0.333"),
        (0.001, "0.001"),
        (0.0005, "5e−4"),
        (2.5e-8, "2.5e−8"),
        (123456.75, "123456.75"),
        (1e12, "1e12"),
        (math.nan, "undefined"),
        (math.inf, "too large to print"),
    ],
)
def test_a_number_is_short_and_plain(x, text):
    assert words.number(x) == text


@given(st.floats(allow_nan=True, allow_infinity=True), st.integers(1, 12))
def test_no_number_shows_nan_inf_or_seventeen_digits(x, decimals):
    for text in (words.number(x, decimals), words.latex_number(x, decimals)):
        assert "nan" not in text
        assert "inf" not in text
        assert sum(c.isdigit() for c in text) <= 22


@given(st.floats(-1e8, 1e8), st.integers(1, 12))
def test_a_printed_number_is_the_number_up_to_its_decimals(x, decimals):
    printed = float(words.number(x, decimals).replace("−", "-"))
    assert abs(printed - x) <= 0.5001 * 10.0**-decimals + 1e-15 * abs(x)


def test_more_decimals_say_more():
    assert words.number(1 / 3, 1) == "0.3"
    assert words.number(1 / 3, 6) == "0.333333"


def test_latex_has_a_power_of_ten_and_no_typographic_minus():
    assert words.latex_number(-2.5e-8) == r"-2.5 \cdot 10^{-8}"
    assert words.latex_number(math.nan) == r"\text{undefined}"


def test_a_long_vector_keeps_its_ends():
    assert words.vector([1, 2, 3, 4, 5, 6]) == "[1, 2, 3, 4, 5, 6]"
    assert words.vector(range(9)) == "[0, 1, 2, …, 8]"


@pytest.mark.parametrize(("i", "name"), [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (63, "bl")])
def test_components_have_names_past_z(i, name):
    assert words.component(i) == name


def test_markup_in_user_text_is_disarmed():
    text = words.plain("<b>[x](http://a.b) :red[y] $z$ `c`\nd")
    for mark in "<>[]():$`./":
        assert f"{mark}" not in text.replace(f"\\{mark}", "")
    assert "\n" not in text


def test_an_undefined_row_is_named():
    trace = run(Tokens([[1], [1]], [[1], [-1]], [[1], [1]]), "identity")
    (sentence,) = words.findings(trace)
    assert sentence == "y₁ is undefined: the scores sum to 0, and nothing can be divided by 0."


def test_many_undefined_rows_are_counted():
    ones = np.ones((9, 1))
    trace = run(Tokens(ones, 0 * ones, ones), "identity")
    assert words.findings(trace)[0].startswith("y₀, y₁, y₂ and 6 more are undefined")


def test_scores_that_nearly_cancel_are_warned_of():
    trace = run(Tokens([[1]] * 3, [[0.1], [0.2], [-0.3]], [[1], [2], [3]]), "identity")
    (sentence,) = words.findings(trace)
    assert sentence.startswith("Do not trust y₂")


def test_a_state_past_the_floats_is_said():
    trace = run(Tokens([[1.0]], [[800.0]], [[1.0]]), "exp")
    assert any(sentence.startswith("S₁ holds numbers past 1.8e308") for sentence in words.findings(trace))


def test_a_good_run_needs_no_words():
    assert words.findings(run(Tokens([[1]], [[1]], [[1]]))) == []


IDENTITY, ELU = (
    SimpleNamespace(key=key, title=title) for key, title in [("identity", "none (…)"), ("elu1", "ELU + 1")]
)
TRANSFORMED = SimpleNamespace(title="x", settings={"phi": "identity"})


def test_the_example_says_what_it_sets_and_what_another_map_gives():
    sentence = words.example_sets(TRANSFORMED, IDENTITY, "ELU+1", [1.0714, 1.2143])
    assert "φ is set to none; with ELU+1 the same numbers give [1.071, 1.214]" in sentence
    assert "transforms them once more" in words.example_sets(TRANSFORMED, ELU, "ELU+1", [1.0])
    assert words.example_sets(SimpleNamespace(settings={}), ELU, "ELU+1", [1.0]) == ""


@pytest.mark.parametrize("address", ["http://a.b", "HTTPS://a.b", "www.a.b", "WWW.a.b", "me@a.b"])
def test_an_address_in_user_text_is_broken_up(address):
    assert "\u2060" in words.plain(address)
    assert words.plain(address).replace("\u2060", "").replace("\\", "") == address


def test_a_write_that_overshoots_is_said_with_its_factor():
    """1 − β k·k = 1 − 1·(1 + 4) = −4 for the second key; β = 2/5 brings it to −1, which does not grow."""
    tokens = Tokens([[1, 0]] * 2, [[1, 0], [1, 2]], [[1], [2]])
    said = words.findings(run(tokens, "identity", "delta"))
    assert len(said) == 1
    assert "β k·k is 5 for p₁, past 2" in said[0]
    assert "grows to 4 times as much" in said[0]
    assert words.findings(run(tokens, "identity", "delta", beta=0.4)) == []
    assert words.findings(run(tokens, "l2", "delta")) == []
    assert words.findings(run(tokens, "identity", "add")) == []


def test_one_is_no_plural():
    one = Tokens([[1]], [[2]], [[3]])
    assert words.drawn(one, 4) == "1 token from seed 4, with keys of 1 and values of 1 component."


def test_a_state_carried_in_is_said_only_where_there_is_one():
    one = Tokens([[1]], [[2]], [[3]])
    assert words.carries(run(one)) == ""
    assert words.carries(run(one, initial=([[1]], [2]))).endswith("shows S₀ and z₀.")
    assert words.carries(run(one, normalize=False, initial=([[1]], None))).endswith("shows S₀.")


@pytest.mark.parametrize(
    ("key", "options", "said"),
    [
        ("article", {}, []),
        ("article", {"read_before_write": True}, ["y₀ is undefined: its query reads before any token"]),
        ("cancel", {}, ["y₁ is undefined: the scores sum to 0"]),
        ("cancel", {"read_before_write": True}, ["y₀ is undefined: its query reads before any token"]),
        ("dead_relu", {"read_before_write": True}, ["written. y₁ and y₂ are undefined: the scores sum to 0"]),
        ("article", {"read_before_write": True, "initial": ([[0, 0], [0, 0]], [0, 0])}, ["y₀ and y₁ are"]),
    ],
)
def test_why_an_answer_is_undefined(key, options, said):
    record = example(key)
    found = words.findings(run(record.tokens, **record.settings, **options))
    assert len(found) == len(said)
    assert all(text in sentence for text, sentence in zip(said, found, strict=True))
