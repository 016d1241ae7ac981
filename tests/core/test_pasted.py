"""Pasted tables and typed numbers."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from linattn_core.numerals import called, decimal, parse_number, quoted
from linattn_core.pasted import parse_rows

TABLE = [[1.0, 2.5], [-0.001, 4.0]]

FORMS = {
    "commas": "1,2.5\n-0.001,4",
    "commas and blanks": " 1, 2.5\n-1e-3, 4.",
    "a comma at each end": "1,2.5,\n-0.001,4,\n",
    "tabs": "1\t2.5\n-0.001\t4\n",
    "tabs with decimal commas": "1,0\t2,5\n-0,001\t4",
    "semicolons": "1;2.5\n-0.001;4",
    "semicolons with decimal commas": "1,0;2,5\n-0,001;4,0",
    "blanks": "1 2.5\n  -.001   4.0  ",
    "no-break spaces": "1\u00a02.5\n-0.001\u00a04",
    "the minus sign of print": "1,2.5\n−0.001,4",
    "fractions": "3/3, 5/2\n-1/1000, 8 / 2",
    "exponents": "1e0,25E-1\n-1e-3,+4",
    "Windows": "1,2.5\r\n-0.001,4\r\n",
    "old Macintosh": "1,2.5\r-0.001,4",
    "a mark": "\ufeff1,2.5\n-0.001,4",
    "blank lines": "\n\n1,2.5\n\n-0.001,4\n\n",
    "quotes": '"1","2.5"\n"-0.001","4"',
    "JSON": "[[1, 2.5], [-0.001, 4]]",
    "JSON over lines": "[\n  [1, 2.5],\n  [-1e-3, 4]\n]\n",
    "texts in JSON": '[["1", "2.5"], ["-0.001", "4"]]',
    "Python": "((1, 2.5), (-.001, 4.))",
    "Python with a name": "k = [[1, 2.5], [-0.001, 4],]",
    "Python with commas at the ends": "[[1, 2.5,], [-0.001, 4,],]",
    "rows": "[1, 2.5]\n[-0.001, 4]",
    "rows with commas": "[1, 2.5],\n[-0.001, 4],",
    "NumPy": "[[ 1.     2.5  ]\n [-0.001  4.   ]]",
    "NumPy's array": "array([[ 1.   ,  2.5  ],\n       [-0.001,  4.   ]])",
    "NumPy's array of a type": "np.array([[1., 2.5], [-0.001, 4.]], dtype=float32)",
    "an array of tuples": "array(((1, 2.5), (-0.001, 4)))",
    "PyTorch": "tensor([[1.0, 2.5], [-0.001, 4.0]], device='cuda:0', grad_fn=<AddBackward0>)",
    "PyTorch with its size": "x = torch.tensor([[1.0, 2.5], [-0.001, 4.0]]);",
    "one batch": "[[[1, 2.5], [-0.001, 4]]]",
    "fractions in lists": "[[1/1, 5/2], [-1/1000, 4]]",
    "pmatrix": r"\begin{pmatrix} 1 & 2.5 \\ -0.001 & 4 \end{pmatrix}",
    "bmatrix over lines": "\\begin{bmatrix}\n1&2.5\\\\\n-0.001&4\\\\\n\\end{bmatrix}",
    "array": r"$$\left(\begin{array}{c|c} 1 & \frac{5}{2} \\[2pt] -\frac{1}{1000} & 4 \end{array}\right)$$",
    "powers": r"\[\begin{matrix} 1 & 25\cdot10^{-1} \\ -1 \times 10^{-3} & 4 \cdot 10^0 \end{matrix}\]",
    "short fractions": r"\begin{bmatrix} 1 & \dfrac52 \\ - 0.001 & \tfrac 8 2 \end{bmatrix}",
    "spaces of LaTeX": r"\begin{pmatrix}\, 1 & 2{,}5~ \\ \hline -0{,}001 & {4} \end{pmatrix}",
    "LaTeX without its ends": r"1 & 2.5 \\ -0.001 & 4",
}

LABELLED = {
    "commas": "the,1,2.5\ncat,-0.001,4",
    "tabs": "the\t1\t2.5\ncat\t-0.001\t4",
    "semicolons with decimal commas": "the;1,0;2,5\ncat;-0,001;4",
    "blanks": "the 1 2.5\ncat -0.001 4",
    "a header": "label,q_a,q_b\nthe,1,2.5\ncat,-0.001,4",
    "a header of another name": "x,q_a,q_b\nthe,1,2.5\ncat,-0.001,4",
    "JSON": '[["the", 1, 2.5], ["cat", -0.001, 4]]',
    "Python": "[('the', 1, 2.5), ('cat', -0.001, 4)]",
    "LaTeX": r"\begin{matrix} \text{the} & 1 & 2.5 \\ \mathrm{cat} & -0.001 & 4 \end{matrix}",
}

ODD_LABELS = {
    "a comma": ('"a,b",1\nc,2', ("a,b", "c")),
    "a line break": ('"a\nb",1\nc,2', ("a\nb", "c")),
    "a quote": ('"a""b",1\nc,2', ('a"b', "c")),
    "punctuation": (";,1\nthe,2", (";", "the")),
    "an ampersand": ("&,1\n&,2", ("&", "&")),
    "brackets": ("[CLS],1\n[SEP],2", ("[CLS]", "[SEP]")),
    "parentheses": ("(,1\n),2", ("(", ")")),
    "braces": ("{,1\n},2", ("{", "}")),
    "blanks inside": (" river,1\n the,2", (" river", " the")),
    "a gap": ("the,1\n,2", ("the", "")),
    "HTML": ("<b>,1\n=1+1,2", ("<b>", "=1+1")),
    "emoji": ("🦊,1\nשלום,2", ("🦊", "שלום")),
    "escapes": (r'[["a\"b", 1], ["c\nd\\", 2]]', ('a"b', "c\nd\\")),
    "signs of lists": ('[["a,]", 1], [\'"\', 2]]', ("a,]", '"')),
    "numbers under a header": ("token,a\n7,1\n8,2", ("7", "8")),
    "pandas": (",0\n7,1\n8,2", ("7", "8")),
    "a word among numbers of words": ("3rd,1\nhouse,2", ("3rd", "house")),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_ways_to_write_a_table(text):
    pasted = parse_rows(text)
    assert pasted.rows == TABLE
    assert [[parse_number(cell) for cell in row] for row in pasted.texts] == TABLE
    assert pasted.labels is None
    assert pasted.header is None


@pytest.mark.parametrize("text", LABELLED.values(), ids=LABELLED)
def test_a_first_column_of_words_holds_labels(text):
    pasted = parse_rows(text)
    assert pasted.rows == TABLE
    assert pasted.labels == ("the", "cat")
    assert pasted.header == (("q_a", "q_b") if "q_a" in text else None)


@pytest.mark.parametrize(("text", "labels"), ODD_LABELS.values(), ids=ODD_LABELS)
def test_a_label_is_kept_as_it_is(text, labels):
    pasted = parse_rows(text)
    assert pasted.labels == labels
    assert pasted.rows == [[1.0], [2.0]]


def test_headers():
    assert parse_rows("x, y\n1,2").header == ("x", "y")
    assert parse_rows("x\n1\n2").rows == [[1], [2]]
    assert parse_rows(",0,1\n0,5,6").header == ("0", "1")
    assert parse_rows('[["x", "y"], [1, 2]]').header == ("x", "y")


def test_shapes():
    assert parse_rows("5").rows == [[5]]
    assert parse_rows("1\n2\n3").rows == [[1], [2], [3]]
    assert parse_rows("[1, 2, 3]").rows == [[1, 2, 3]]
    assert parse_rows("array([1., 2., 3.])").rows == [[1, 2, 3]]
    assert parse_rows("[[1], [2]]").rows == [[1], [2]]


def test_ten_thousand_rows_are_not_too_many():
    assert len(parse_rows("a,b\n" + "1,2\n" * 10_000).rows) == 10_000
    assert len(parse_rows("[" + "[1, 2]," * 10_000 + "]").rows) == 10_000


def test_a_separator_is_told_from_many_lines():
    lines = ",1,2\n" + "the,3,4\n" * 2000
    assert parse_rows(";" + lines).labels[:2] == (";", "the")
    assert parse_rows("a" * 11_000 + ",1\nb,2").rows == [[1], [2]]
    assert parse_rows("1,2\n" * 60 + "3,4").rows[-1] == [3, 4]


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.lists(finite, min_size=3, max_size=3), min_size=1, max_size=4))
def test_what_python_and_numpy_print_comes_back_to_the_last_bit(rows):
    want = np.array(rows).tobytes()
    for text in (str(rows), repr(np.array(rows)), "\n".join("\t".join(map(repr, row)) for row in rows)):
        exact = (
            text
            if "array" not in text
            else np.array2string(np.array(rows), floatmode="unique", separator=", ")
        )
        assert np.array(parse_rows(exact).rows).tobytes() == want


@given(finite)
def test_a_decimal_is_the_nearest_float(x):
    for text in (repr(x), f"{x:.17g}", f" {x:.20e}"):
        assert np.float64(parse_number(text)).tobytes() == np.float64(x).tobytes()
        assert math.copysign(1, parse_number(text)) == math.copysign(1, x)


whole = st.integers(-(10**18), 10**18)
texts = st.one_of(
    whole.map(str),
    st.builds("{}.{}".format, st.integers(-(10**6), 10**6), st.integers(0, 10**12)),
    st.builds("{}e{}".format, st.integers(-999, 999), st.integers(-300, 300)),
)


@given(texts, texts.filter(lambda text: float(text) != 0))
def test_a_fraction_is_rounded_once(top, bottom):
    exact = Fraction(top) / Fraction(bottom)
    assume(abs(exact) < Fraction(sys.float_info.max))
    assert parse_number(f"{top}/{bottom}") == exact.numerator / exact.denominator


def test_a_fraction_of_decimals_is_not_a_quotient_of_floats():
    assert parse_number("0.3/0.1") == 3.0 != 0.3 / 0.1
    assert parse_number("1e-400/1e-400") == 1.0


@pytest.mark.parametrize("text", ["-0", "−0.0", "-0e5", "-0/7", "0/-7", "-1e-999", "-1/1e999"])
def test_a_zero_keeps_its_sign(text):
    assert math.copysign(1, parse_number(text)) == -1


@pytest.mark.parametrize("text", ["0", "0.0", "0/7", "-0/-7", "1e-999", "+0"])
def test_a_zero_without_a_sign_has_none(text):
    assert math.copysign(1, parse_number(text)) == 1


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("1/3", 1 / 3),
        (" -2.5e-3 ", -0.0025),
        ("−2", -2.0),
        ("+.5", 0.5),
        ("3.", 3.0),
        ("1.5 / -2", -0.75),
        ("1⁄4", 0.25),
    ],
)
def test_ways_to_type_a_number(text, x):
    assert parse_number(text) == x


def test_every_double_can_be_written_out_in_full():
    for x in (5e-324, sys.float_info.min, sys.float_info.max, -1 / 3):
        assert parse_number(f"{Fraction(x).numerator}/{Fraction(x).denominator}") == x
        assert parse_number(f"{x:.1080f}"[:1100]) == x


def test_a_decimal_comma_is_read_where_it_is_asked_for():
    assert parse_number("−0,5", decimal_comma=True) == -0.5
    assert parse_number("1,5/0,5", decimal_comma=True) == 3


def test_the_fast_way_gives_up_rather_than_differ():
    assert decimal("0.1") == 0.1
    for text in ("1/3", "nan", "1e999", "1_0", "", "9" * 1201):
        assert decimal(text) is None


def test_quotes_are_short_and_printable():
    assert quoted("x" * 31) == '"' + "x" * 29 + '…"'
    assert quoted("x" * 30) == '"' + "x" * 30 + '"'
    assert quoted("a\x1b\u2028b") == '"a��b"'
    assert called("settings.knobs.gamma") == "settings.knobs.gamma"
    assert called("x" * 41) == quoted("x" * 41)
    assert called("a b") == '"a b"'
