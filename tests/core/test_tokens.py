"""Each message says what is needed, what arrived and what to change."""

import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linattn_core import InputError, Tokens


def one(rows, columns=2):
    return np.ones((rows, columns))


def says(message):
    return pytest.raises(InputError, match=f"^{re.escape(message)}$")


TABLE = "needs a table with one row per token and at least one column; its shape is"


@pytest.mark.parametrize(
    ("q", "k", "v", "message"),
    [
        (
            one(3),
            one(3, 3),
            one(3),
            "A query is compared with keys, so q and k need equally many columns; q has 2 and k has 3. "
            "Add or remove columns.",
        ),
        (
            one(2),
            one(2),
            one(1),
            "Every key needs one value, so k and v need equally many rows; k has 2 and v has 1. "
            "Add or remove rows.",
        ),
        (one(0), one(2), one(2), f"q {TABLE} (0, 2). Pass a list of rows."),
        (one(2), one(2, 0), one(2), f"k {TABLE} (2, 0). Pass a list of rows."),
        (one(2), one(2), [1, 2], f"v {TABLE} (2,). Pass a list of rows."),
        (5, one(2), one(2), f"q {TABLE} (). Pass a list of rows."),
        (
            [[1, 2], [3]],
            one(2),
            one(2),
            "q needs rows of equal length; they have 2, 1 entries. Fill or cut the odd rows.",
        ),
        (
            [[1, 2]] * 8 + [[3]],
            one(2),
            one(2),
            "q needs rows of equal length; they have 2, 2, 2, 2, 2, 2, 2, 2, … entries. "
            "Fill or cut the odd rows.",
        ),
        (
            one(2),
            [1, [2, 3]],
            one(2),
            "k needs rows of equal length; they have no, 2 entries. Fill or cut the odd rows.",
        ),
        (
            [["1", "2"]],
            one(1),
            one(1),
            "q needs real numbers; row 0, column 0 (counted from 0) is '1'. "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            one(1),
            [[1j, 2]],
            one(1),
            "k needs real numbers; row 0, column 0 (counted from 0) is 1j. "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            one(1),
            one(1),
            [[True, False]],
            "v needs real numbers; row 0, column 0 (counted from 0) is True. "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            one(1),
            one(1),
            [[None, 1]],
            "v needs real numbers; row 0, column 0 (counted from 0) is None. "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            one(1),
            one(1),
            [[1, "2"]],
            "v needs real numbers; row 0, column 1 (counted from 0) is '2'. "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            one(1),
            [[0.5, 2**64]],
            one(1),
            "k needs real numbers; row 0, column 1 (counted from 0) is 18446744073709551616. "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            one(1),
            [[0, 10**5000]],
            one(1),
            "k needs real numbers; row 0, column 1 (counted from 0) is a number of 16,610 bits. "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            [[Fraction(1, 3), 1]],
            one(1),
            one(1),
            "q needs real numbers; row 0, column 0 (counted from 0) is Fraction(1, 3). "
            "Pass floats, or integers of up to 64 bits.",
        ),
        (
            np.array([[1.0, 2]], dtype=object),
            one(1),
            one(1),
            "q needs real numbers; it arrived as object. Pass floats, or integers of up to 64 bits.",
        ),
        (
            [[[1, 2]], [[3]]],
            one(2),
            one(2),
            "q needs rows of equal length; they have 2, 1 entries. Fill or cut the odd rows.",
        ),
        (
            [[1], [[2]]],
            one(2),
            one(2),
            "q needs rows of equal length; they have no, 1 entries. Fill or cut the odd rows.",
        ),
        (
            one(2),
            one(2),
            [[1, 2], [np.nan, 1]],
            "v needs finite numbers; row 1, column 0 (counted from 0) is nan. Replace it.",
        ),
        (
            one(2),
            [[1, -np.inf], [0, 1]],
            one(2),
            "k needs finite numbers; row 0, column 1 (counted from 0) is -inf. Replace it.",
        ),
    ],
)
def test_tables_that_do_not_fit(q, k, v, message):
    with says(message):
        Tokens(q, k, v)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], "labels needs 2 strings, one per key; it has 1. Add or remove labels."),
        ("ab", "labels needs 2 strings, one per key; it is one string, 'ab'. Pass a list."),
        (np.array("a"), "labels needs 2 strings, one per key; it is one string, 'a'. Pass a list."),
        (
            ["a", "b\ud800"],
            "labels needs whole characters; entry 1 (counted from 0) has half of a surrogate pair. "
            "Type it again.",
        ),
        (["a", 3], "labels needs strings; entry 1 (counted from 0) is 3. Put it in quotes."),
        (7, "labels needs 2 strings, one per key; it is 7. Pass a list."),
    ],
)
def test_labels_that_do_not_fit(labels, message):
    with says(message):
        Tokens(one(2), one(2), one(2), labels=labels)


@pytest.mark.parametrize(
    ("beta", "message"),
    [
        (
            [1, 2, 3],
            "beta needs one number, 2 (one per key), or a (2, 3) table; its shape is (3,). Reshape it.",
        ),
        (
            one(2),
            "beta needs one number, 2 (one per key), or a (2, 3) table; its shape is (2, 2). Reshape it.",
        ),
        ([1, np.nan], "beta needs finite numbers; row 1 (counted from 0) is nan. Replace it."),
        (np.inf, "beta needs finite numbers; it is inf. Replace it."),
    ],
)
def test_beta_that_does_not_fit(beta, message):
    with says(message):
        Tokens(one(2), one(2), one(2, 3), beta=beta)


LOG = (
    "log_decay is a natural log of the share kept, so it needs numbers ≤ 0 (−inf forgets everything); {}. "
    "If this is the share itself, pass it as gamma."
)
LOG_SHAPE = (
    "log_decay needs one number, 2 (one per key), or a table of 2 rows with one column per component of "
    "φ(k); its shape is {}. Reshape it."
)


@pytest.mark.parametrize(
    ("log_decay", "message"),
    [
        ([0, 0.5], LOG.format("row 1 (counted from 0) is 0.5")),
        (np.nan, LOG.format("it is nan")),
        (np.inf, LOG.format("it is inf")),
        ([[0, 0], [-1, 1]], LOG.format("row 1, column 1 (counted from 0) is 1.0")),
        ([0, 0, 0], LOG_SHAPE.format("(3,)")),
        (np.zeros((3, 2)), LOG_SHAPE.format("(3, 2)")),
        (np.zeros((2, 2, 2)), LOG_SHAPE.format("(2, 2, 2)")),
    ],
)
def test_log_decay_that_does_not_fit(log_decay, message):
    with says(message):
        Tokens(one(2), one(2), one(2), log_decay=log_decay)


MASKED = np.ma.array([[1.0, 2], [3, 4]], mask=[[0, 0], [0, 1]])
MASK = "{} needs a number in each place; {} is masked. Fill it, as with filled(0), or cut it."


@pytest.mark.parametrize("name", ["q", "k", "v", "beta", "log_decay"])
def test_what_is_masked_is_not_read(name):
    with says(MASK.format(name, "row 1, column 1 (counted from 0)")):
        Tokens(**{"q": one(2), "k": one(2), "v": one(2), name: -MASKED})
    with says(MASK.format(name, "row 1, column 1 (counted from 0)")):
        Tokens(**{"q": one(2), "k": one(2), "v": one(2), name: list(-MASKED)})
    with says(MASK.format(name, "row 1 (counted from 0)")):
        Tokens(**{"q": one(2), "k": one(2), "v": one(2), name: [-1.0, np.ma.masked]})
    whole = Tokens(**{"q": one(2), "k": one(2), "v": one(2), name: np.ma.array(-one(2), mask=False)})
    assert_array_equal(getattr(whole, name), -one(2))


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no longer floats here")
def test_a_number_past_the_largest_float64_is_no_infinity():
    with says("q needs numbers up to 1.8e308; row 0, column 1 (counted from 0) is 1e+4000. Scale it down."):
        Tokens(np.array([[1, np.longdouble("1e4000")]]), one(1), one(1))


def test_whole_numbers_past_2_to_the_53_become_the_nearest_float64():
    assert Tokens([[2**53 + 1]], one(1, 1), one(1)).q == 2**53


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16", "int64"])
def test_numbers_arrive_exactly(dtype):
    x = np.array([[1, 0.1], [-3, 7]]).astype(dtype)
    tokens = Tokens(x, x.tolist(), tuple(map(tuple, x)))
    for table in (tokens.q, tokens.k, tokens.v):
        assert table.dtype == np.float64
        assert_array_equal(table, x)


def test_tokens_are_copies_that_cannot_be_changed():
    x = one(2)
    tokens = Tokens(x, x, x, beta=[1, 2], log_decay=-1.0)
    x[...] = 7
    for table in (tokens.q, tokens.k, tokens.v, tokens.beta, tokens.log_decay):
        assert not table.flags.writeable
        assert not (table == 7).any()
    with pytest.raises(AttributeError):
        tokens.q = x


def test_queries_may_be_more_or_fewer_than_keys():
    assert Tokens(one(5), one(2), one(2, 3)).q.shape == (5, 2)


def test_names_are_the_labels_or_p_and_a_number():
    assert Tokens(one(3), one(3), one(3)).names == ("p0", "p1", "p2")
    text = ["<b>", "", "=1+1"]
    assert Tokens(one(3), one(3), one(3), labels=text).names == tuple(text)
    assert Tokens(one(1), one(3), one(3), labels=np.array(["a", "b", "c"])).labels == ("a", "b", "c")


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_gates_of_every_documented_shape(shape):
    tokens = Tokens(one(2), one(2), one(2, 3), beta=np.full(shape, 0.5), log_decay=np.full(shape, -np.inf))
    assert tokens.beta.shape == tokens.log_decay.shape == shape
