"""Texts of the grid: what is typed is what is computed, and what cannot be is explained."""

import math
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linattn_core import InputError, Tokens, parse_number
from linattn_ui import cells

TOKENS = Tokens(
    np.arange(6.0).reshape(3, 2), np.ones((3, 2)), np.full((3, 5), 0.1), labels=("<b>", "=1+1", "")
)
finite = st.floats(allow_nan=False, allow_infinity=False)


def test_the_numbers_of_a_grid_are_read_as_everywhere_else():
    table = cells.texts(TOKENS)
    table.loc["p₁", "q a":"v a"] = ["1/3", " -2.5e-3 ", "−2", "+.5", "1.5 / -2"]
    tokens = cells.tokens_of(table, TOKENS)
    assert [*tokens.q[1], *tokens.k[1], tokens.v[1, 0]] == [1 / 3, -0.0025, -2.0, 0.5, -0.75]


@given(finite)
def test_a_float_survives_its_own_text(x):
    back = parse_number(cells.seed(x))
    assert (back, math.copysign(1, back)) == (x, math.copysign(1, x))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("nan", "no finite number"),
        ("-Infinity", "no finite number"),
        ("1e400", "too large"),
        ("1/0", "divides by 0"),
        ("0,5", "Use a point for decimals"),
        ("٣", "no number"),
        ("half", '"half"'),
        ("x" * 10_000, "no number"),
    ],
)
def test_what_is_no_number_is_explained_in_one_short_sentence(text, why):
    table = cells.texts(TOKENS)
    table.loc["p₁", "k b"] = text
    with pytest.raises(InputError, match=why) as caught:
        cells.tokens_of(table, TOKENS)
    assert len(str(caught.value)) < 200


@given(st.text(alphabet=string.printable, max_size=60))
def test_any_text_is_a_finite_number_or_an_input_error(text):
    table = cells.texts(TOKENS)
    table.loc["p₀", "q a"] = text
    try:
        x = cells.tokens_of(table, TOKENS).q[0, 0]
    except InputError:
        return
    assert math.isfinite(x)


def test_the_sentence_names_token_column_text_and_remedy():
    table = cells.texts(TOKENS)
    table.loc["p₁", "k b"] = "abc"
    with pytest.raises(
        InputError, match=r'Token p₁ "=1\+1", column k b: the cell is "abc".*Type one such as 0.5'
    ):
        cells.tokens_of(table, TOKENS)


def test_more_faults_are_counted():
    table = cells.texts(TOKENS)
    table.loc["p₁", ["k b", "v a", "v b"]] = ""
    with pytest.raises(InputError, match=r"is empty.*2 more cells need a look"):
        cells.tokens_of(table, TOKENS)


def test_tokens_survive_the_grid():
    back = cells.tokens_of(cells.texts(TOKENS), TOKENS)
    for name in "qkv":
        assert_array_equal(getattr(back, name), getattr(TOKENS, name))
    assert back.labels == ("<b>", "=1+1", "p2")


def test_columns_are_components_of_q_then_k_then_v():
    assert cells.columns(2, 1) == ["label", "q a", "q b", "k a", "k b", "v a"]
    assert cells.sizes(cells.texts(TOKENS)) == (3, 2, 5)


def test_growing_adds_zeros_and_empty_labels():
    grown = cells.resize(cells.texts(TOKENS), 4, 3, 5)
    assert list(grown.loc["p₃"]) == ["", *["0"] * 11]
    assert grown.loc["p₁", "q b"] == "3"
    assert list(grown.columns) == cells.columns(3, 5)


def test_what_was_typed_comes_back_after_shrinking():
    table = cells.texts(TOKENS)
    table.loc["p₂", "v e"] = "1/3"
    wide = cells.merged(table, table)
    small = cells.resize(wide, 1, 1, 1)
    small.loc["p₀", "q a"] = "7"
    again = cells.resize(cells.merged(wide, small), 3, 2, 5)
    assert again.loc["p₂", "v e"] == "1/3"
    assert again.loc["p₀", "q a"] == "7"


def test_an_emptied_cell_is_an_empty_text():
    table = cells.texts(TOKENS)
    table.loc["p₀", "q a"] = None
    assert cells.cleaned(table, cells.texts(TOKENS)).loc["p₀", "q a"] == ""


def test_rows_that_were_added_are_refused():
    with pytest.raises(ValueError, match="added or deleted"):
        cells.cleaned(cells.resize(cells.texts(TOKENS), 4, 2, 5), cells.texts(TOKENS))


def test_gates_of_the_example_stay_while_the_sizes_do():
    source = Tokens(TOKENS.q, TOKENS.k, TOKENS.v, log_decay=[-1.0, -2.0, -3.0])
    table = cells.texts(source)
    assert_array_equal(cells.tokens_of(table, source).log_decay, source.log_decay)
    assert cells.tokens_of(cells.resize(table, 4, 2, 5), source).log_decay is None


def test_a_file_name_is_plain():
    class Run:
        v, k = TOKENS.v, TOKENS.k

    assert cells.file_name("Zero / Σ..", Run) == "linear-attention-zero--3x2x5"
