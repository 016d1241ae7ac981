"""Worked equations: LaTeX that is whole, with the core's numbers in it, for every kind of run."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from linattn_core import EXAMPLES, FEATURE_MAPS, UPDATE_RULES, Tokens, run
from linattn_ui import equations

ARTICLE = EXAMPLES[0].tokens
DRAWN = np.random.default_rng(3)
OTHER = Tokens(DRAWN.normal(size=(5, 3)), DRAWN.normal(size=(5, 3)), DRAWN.normal(size=(5, 2)))
KINDS = {
    "plain": {},
    "scaled": {"scale": 0.5},
    "with eps": {"eps": 0.25},
    "decay": {"rule": "decay", "gamma": 0.5},
    "decay, one γ a row": {"rule": "decay", "log_decay": np.log([[0.5, 0.25, 1.0]] * 5)},
    "reads before it writes": {"read_before_write": True},
    "full read": {"read": "full"},
    "not dividing": {"normalize": False},
    "delta": {"rule": "delta", "beta": [0.5, 1, 2, 0, 0.75]},
    "delta, dividing": {"rule": "gated_delta", "normalize": True, "gamma": 0.5, "eps": 0.25},
    "delta, one β a column": {"rule": "delta", "beta": [[0.5, 1]] * 5},
    "gated delta": {"rule": "gated_delta", "log_decay": np.log([[0.5, 0.25, 1.0]] * 5), "scale": 0.5},
    "RWKV-6": {"rule": "rwkv6", "u": [0.5, -1, 2]},
    "RWKV-6, dividing": {"rule": "rwkv6", "u": [0.5, -1, 2], "normalize": True, "eps": 9.0},
    "RWKV-7": {"rule": "rwkv7", "gamma": 0.5, "beta": 0.5},
    "RWKV-7, dividing": {"rule": "rwkv7", "normalize": True, "eps": 9.0},
    "carried in": {"initial": (np.ones((3, 2)), np.ones(3))},
    "carried in, not dividing": {"initial": (np.ones((3, 2)), None), "normalize": False},
    "carried in, decaying": {"initial": (np.ones((3, 2)), np.ones(3)), "rule": "decay", "gamma": 0.5},
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def named(lines):
    """Equations by the first word of their title."""
    return {line.title.split()[0].strip(":"): line for line in lines}


def printed(latex):
    """The last matrix or number of a LaTeX text."""
    body = latex.rsplit(r"\begin{pmatrix}", 1)[-1].replace(r"\end{pmatrix}", "")
    return [
        [float(re.sub(r" \\cdot 10\^\{(.*)\}", r"e\1", cell)) for cell in row.split("&")]
        for row in body.split(r"\\")
    ]


def balanced(latex):
    inside = re.sub(r"\\[{}]", "", latex)
    return (
        inside.count("{") == inside.count("}")
        and latex.count(r"\begin{pmatrix}") == latex.count(r"\end{pmatrix}")
        and "nan" not in latex
        and "inf" not in latex
    )


def test_the_article_is_worked_as_printed():
    lines = named(equations.worked(run(ARTICLE, "identity"), 3))
    assert list(lines) == ["Write", "State", "Key", "Numerator", "The", "Score", "Divide"]
    assert lines["Write"].latex == (
        r"k_{2} v_{2}^\top = \begin{pmatrix} 1 \\ 0 \end{pmatrix}\begin{pmatrix} 1 & 1 \end{pmatrix}"
        r" = \begin{pmatrix} 1 & 1 \\ 0 & 0 \end{pmatrix}"
    )
    assert printed(lines["State"].result) == [[3, 1], [0, 3]]
    assert lines["The"].numbers == (
        r"1\begin{pmatrix} 2 & 0 \end{pmatrix} + 0\begin{pmatrix} 0 & 3 \end{pmatrix}"
        r" + 1\begin{pmatrix} 1 & 1 \end{pmatrix}"
    )
    assert lines["Score"].result == "2"
    assert printed(lines["Divide"].result) == [[1.5, 0.5]]


@every_kind
@pytest.mark.parametrize("phi", ["identity", "elu1"])
def test_results_are_the_numbers_of_the_run(kind, phi):
    trace = run(OTHER, phi, **kind)
    for t in range(5):
        lines = named(equations.worked(trace, t + 1, 12))
        assert_allclose(printed(lines["Write"].result), trace.contribution(t), atol=1e-10)
        assert_allclose(printed(lines["State"].result), trace.S[t + 1], atol=1e-10)
        assert_allclose(printed(lines["Numerator"].result), trace.read[t : t + 1], atol=1e-10)
        if trace.defined[t]:
            last = lines["Divide" if trace.settings.normalize else "Output"]
            assert_allclose(printed(last.result), trace.y[t : t + 1], atol=1e-10)
        assert ("Score" in lines) == trace.settings.normalize
        assert_between(trace, t, lines)


def assert_between(trace, t, lines):
    """What a rule makes of the old state before it writes."""
    found, told = trace.correction(t), {}
    if found.old is not None and trace.alpha is not None:
        told["Decayed"] = found.decayed[:, :-1]
    if found.error is not None:
        told |= {"Old": found.old[None, :-1], "Error": found.error[None, :-1], "Share": trace.u[t : t + 1]}
    if found.removal is not None:
        told |= {"Asked": trace.gates["beta"][t] * found.old[None, :-1], "Removal": found.removal[:, :-1]}
    if trace.settings.normalize:
        told["Key"] = trace.z[t + 1][:, None]
    assert set(lines) - {"φ", "Write", "State", "Numerator", "The", "Score", "Divide", "Output"} == set(told)
    for name, array in told.items():
        assert_allclose(printed(lines[name].result), array, atol=1e-10, err_msg=name)


@every_kind
def test_the_kept_list_adds_up_to_the_numerator(kind):
    trace = run(OTHER, "elu1", **kind)
    for t in range(5 if trace.one_map else 0):
        line = named(equations.worked(trace, t + 1, 12))["The"]
        total = np.zeros(2)
        for term in line.numbers.split(" + ") if line.numbers else []:
            factor, row = re.fullmatch(r"\(?(.*?)\)?(\\begin.*)", term).groups()
            total = total + float(factor or 1) * np.array(printed(row)[0])
        assert_allclose(total, trace.read[t], atol=1e-9)


@every_kind
def test_braces_and_matrices_close(kind):
    trace = run(OTHER, "elu1", **kind)
    for t in range(6):
        for line in equations.worked(trace, t):
            assert balanced(line.latex)


@pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda r: r.key)
@settings(max_examples=25)
@given(
    rule=st.sampled_from(UPDATE_RULES),
    x=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6),
)
def test_any_number_gives_whole_latex(phi, rule, x):
    q, k, v = np.reshape(x, (3, 2, 1))
    for line in equations.worked(run(Tokens(q, k, v), phi, rule), 2):
        assert balanced(line.latex)


@every_kind
def test_numbers_come_out_where_they_are_worked(kind):
    """Every product and sum of matrices in a line, worked by NumPy, is what the line says comes out."""
    trace = run(OTHER, "elu1", **kind)
    for t in range(5):
        for line in equations.worked(trace, t + 1, 12):
            if line.numbers and "varphi" not in line.numbers and "frac" not in line.numbers:
                assert_allclose(worked_out(line.numbers), printed(line.result), atol=1e-9, err_msg=line.latex)


def worked_out(latex):
    """What a line of numbers gives."""

    def matrix(found):
        return f" * M({printed(found[0])})"

    text = re.sub(r"\\begin{pmatrix}.*?\\end{pmatrix}", matrix, latex)
    text = re.sub(r"\\mathrm{diag}\((.*?)\)\\, ", r" * M(np.diag([\1]))", text)
    text = (
        text.replace(r"\odot", " & ").replace(r"\cdot", "").replace(r"\left(", " * (").replace(r"\right", "")
    )
    text = re.sub(r"(^|[(+&-])\s*\*", r"\1", text.strip())
    return np.atleast_2d(eval(text, {"M": Matrix, "np": np}).x)


class Matrix:
    """A matrix whose `*` is the product and whose `&` goes component by component."""

    def __init__(self, x):
        self.x = np.atleast_2d(x)

    def __mul__(self, other):
        return Matrix(self.x @ other.x)

    def __rmul__(self, number):
        return Matrix(number * self.x)

    def __add__(self, other):
        return Matrix(self.x + other.x)

    def __sub__(self, other):
        return Matrix(self.x - other.x)

    def __and__(self, other):
        return Matrix(self.x * other.x)


def test_a_correction_is_worked_as_the_article_would():
    lines = named(equations.worked(run(ARTICLE, "identity", "delta"), 3))
    assert list(lines) == ["Old", "Error", "Share", "Write", "State", "Numerator", "The", "Output"]
    assert lines["Error"].latex == (
        r"e_{2}^\top = v_{2}^\top - o_{2}^\top = \begin{pmatrix} 1 & 1 \end{pmatrix}"
        r" - \begin{pmatrix} 2 & 0 \end{pmatrix} = \begin{pmatrix} -1 & 1 \end{pmatrix}"
    )
    assert lines["State"].symbols == r"S_{3} = S_{2} + k_{2} u_{2}^\top"
    assert printed(lines["State"].result) == [[1, 1], [0, 3]]
    gated = named(equations.worked(run(ARTICLE, "identity", "gated_delta"), 3))
    assert gated["Old"].symbols == r"o_{2}^\top = k_{2}^\top D_{2}"
    assert gated["State"].symbols == r"S_{3} = D_{2} + k_{2} u_{2}^\top"
    removing = named(equations.worked(run(ARTICLE, "identity", "rwkv7"), 3))
    assert removing["State"].symbols == r"S_{3} = D_{2} + b_{2} r_{2}^\top + k_{2} v_{2}^\top"
    first = named(equations.worked(run(ARTICLE, "identity", "rwkv6", u=1), 3))
    assert first["Numerator"].symbols == r"q_{2}^\top (S_{2} + \mathrm{diag}(u)\, k_{2} v_{2}^\top)"
    assert "u" not in first["Write"].symbols


def test_which_state_is_read():
    symbols = {
        name: named(equations.worked(run(OTHER, "elu1", **KINDS[name]), 2))["Numerator"].symbols
        for name in KINDS
    }
    assert symbols["plain"] == r"q_{1}^\top S_{2}"
    assert symbols["reads before it writes"] == r"q_{1}^\top S_{1}"
    assert symbols["full read"] == r"q_{1}^\top S_{5}"
    assert symbols["scaled"] == r"s\, q_{1}^\top S_{2}"


def test_decay_shows_its_share():
    assert r"= 0.5 \begin" in named(equations.worked(run(OTHER, "elu1", **KINDS["decay"]), 2))["State"].latex
    by_row = named(equations.worked(run(OTHER, "elu1", **KINDS["decay, one γ a row"]), 2))["State"].latex
    assert r"\mathrm{diag}(0.5, 0.25, 1)\, \begin" in by_row


def test_eps_stands_under_the_line():
    line = named(equations.worked(run(ARTICLE, "identity", eps=0.5), 3))["Divide"]
    assert line.symbols.endswith(r"z_{3} + \varepsilon}")
    assert line.numbers.endswith("{2 + 0.5}")


def test_a_score_sum_of_zero_is_said():
    line = named(equations.worked(run(Tokens([[1], [1]], [[1], [-1]], [[1], [1]]), "identity"), 2))["Divide"]
    assert line.result == r"\text{undefined: the scores sum to 0}"


def test_the_first_token_of_a_run_that_reads_first_adds_nothing():
    line = named(equations.worked(run(OTHER, "elu1", read_before_write=True), 1))["The"]
    assert line.latex == r"0 = \begin{pmatrix} 0 & 0 \end{pmatrix}"


def test_phi_is_shown_where_it_changes_something():
    titles = [line.title for line in equations.worked(run(ARTICLE, "elu1"), 1)]
    assert [title.split(" (")[0] for title in titles[:2]] == ["φ of the key", "φ of the query"]
    assert not any("φ of" in line.title for line in equations.worked(run(ARTICLE, "identity"), 1))


def test_nothing_written_nothing_worked():
    assert equations.worked(run(ARTICLE), 0) == []


def test_large_runs_keep_the_ends_and_stand_one_below_the_other():
    wide = Tokens(np.ones((9, 8)), np.ones((9, 8)), np.arange(72.0).reshape(9, 8))
    lines = named(equations.worked(run(wide, "identity"), 9))
    assert lines["Numerator"].result == r"\begin{pmatrix} 2304 & 2376 & \cdots & 2808 \end{pmatrix}"
    assert lines["State"].result.count(r"\\") == 3
    assert lines["The"].numbers.startswith(r"8\begin{pmatrix} 0 & 1 & \cdots & 7 \end{pmatrix} + 8")
    assert r" + \cdots + 8\begin{pmatrix} 64 & 65" in lines["The"].numbers
    assert lines["State"].latex.startswith(r"\begin{aligned} S_{9} = S_{8} + k_{8} v_{8}^\top & = ")
    assert lines["State"].latex.count(" & = ") == 2


def test_a_query_beyond_the_queries_has_only_the_write():
    one = Tokens([[1, 0]], ARTICLE.k, ARTICLE.v)
    assert list(named(equations.worked(run(one, "identity", read="full"), 3))) == ["Write", "State", "Key"]


def test_labels_stay_out_of_the_latex():
    hostile = Tokens(ARTICLE.q, ARTICLE.k, ARTICLE.v, labels=(r"\input{x}", "$$", "<b>"))
    plain, labelled = (equations.worked(run(tokens, "elu1"), 3) for tokens in (ARTICLE, hostile))
    assert plain == labelled


def test_the_copied_text_is_one_environment():
    text = equations.document(equations.worked(run(ARTICLE, "identity"), 3))
    assert text.startswith("\\begin{align*}\n")
    assert text.endswith("\n\\end{align*}")
    assert balanced(text)
