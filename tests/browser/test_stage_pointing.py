"""Pointing at a number of the stage: its arithmetic, its sources, a token's share; pinned and freed."""

import re

import pytest
from stage_cases import cases

pytest_plugins = ["stage_server"]

ARITHMETIC = {
    "S_after[0,0]": "S₃[a,a] = 3 = 1·2 (p₀) + 0·0 (p₁) + 1·1 (p₂)",
    "S_before[1,1]": "S₂[b,b] = 3 = 0·0 (p₀) + 1·3 (p₁)",
    "z_after[0]": "z₃[a] = 2 = 1 (p₀) + 0 (p₁) + 1 (p₂)",
    "write[0,1]": "write of p₂ at [a,b] = k·v = 1·1 = 1",
    "read[0]": "numerator a = 3 = 1·3 + 0·0",
    "norm": "score sum = 2 = 1·2 + 0·1, q₂ times z",
    "y[1]": "y₂[b] = 1 ÷ 2 = 0.5",
    "score[0]": "score of p₀ = q₂·k₀ = 1·1 + 0·0 = 1",
    "weight[0]": "share of p₀ = 1 ÷ 2 = 0.5",
    "term[0,0]": "p₀ gives 1·2 = 2 to numerator a",
    "k[0]": "k₂[a] = 1, as typed",
}
SOURCES = {
    "S_after[0,0]": {"S_before[0,0]", "write[0,0]", "0", "2"},
    "z_after[0]": {"z_before[0]", "write_z[0]", "0", "2"},
    "write[0,1]": {"k[0]", "u[1]"},
    "read[0]": {"q[0]", "q[1]", "S_after[0,0]", "S_after[1,0]"},
    "norm": {"q[0]", "q[1]", "z_after[0]", "z_after[1]"},
    "y[1]": {"read[1]", "norm"},
    "term[0,0]": {"score[0]", "read[0]", "0"},
    "weight[0]": {"score[0]", "norm", "0"},
}


def test_a_number_tells_its_arithmetic(stage):
    stage.show("article")
    assert {name: stage.point(name) for name in ARITHMETIC} == ARITHMETIC
    stage.cell("S_after[0,0]").hover()
    assert stage.text("arithmetic") == ARITHMETIC["S_after[0,0]"]


@pytest.mark.parametrize("name", SOURCES)
def test_the_sources_of_a_number_light_up(stage, name):
    if not stage.page.get_by_label("Case").input_value().startswith("article"):
        stage.show("article")
    stage.go(3)
    stage.point(name)
    assert stage.lit == SOURCES[name]


TOLD = ["article", "elu1", "gated", "gated_reads_first", "full_gated", "scaled", "carried", "carried_gated"]
TOLD += ["delta_divided", "delta_carried", "delta_by_column", "delta_full", "gated_delta"]
TOLD += ["rwkv6_divided", "rwkv6_full", "rwkv6_plain", "rwkv7", "rwkv7_own", "rwkv7_divided"]


@pytest.mark.parametrize("name", TOLD)
def test_every_number_tells_where_it_comes_from(stage, name):
    stage.show(name)
    stage.part("softmax").click()
    told = stage.told([2, 3])
    stage.part("softmax").click()
    for numbers in told:
        assert {"softmax_y[0]", "softmax_weight[0]", "sum_softmax"} <= {cell for cell, _, _ in numbers}
        assert [cell for cell, _, text in numbers if not text] == []


@pytest.mark.parametrize("name", [name for name in TOLD if name not in ("elu1", "carried")])  # 12 decimals
def test_every_arithmetic_that_is_told_comes_out(stage, name):
    stage.show(name)
    for numbers in stage.told([2, 3]):
        kinds = set()
        for cell, value, text in numbers:
            found = results(text)
            assert found == pytest.approx([float(value)] * len(found), abs=1e-9), text
            kinds |= {cell.partition("[")[0]} if len(found) > 1 else set()
        assert kinds >= arithmetic_of(cases()[name].trace)
        assert kinds & {"S_before", "S_after", "S_read"}


def arithmetic_of(trace):
    """Numbers that some arithmetic is told of: those of the write, and all where all matrices show."""
    kinds = {"write", "read"} | ({"score"} if trace.one_map else set())
    kinds |= {"norm", "y", "weight"} if trace.settings.normalize else set()
    kinds |= {"old", "error", "u"} if trace.settings.rule.asks == "k" else set()
    if max(trace.S.shape[1:]) > 2:
        return kinds
    kinds |= {"removed", "removal"} if trace.settings.rule.asks == "a" else set()
    return kinds | ({"S_decayed"} if trace.alpha is not None else set())


def results(text):
    """Every part of "3 = 1·2 (p₀) + 1·1 (p₂), …" that is arithmetic, worked out."""
    plain = re.sub(r" \((p[₀-₉]+|carried in)\)", "", text.partition(", ")[0])
    parts = plain.translate(str.maketrans("·÷−", "*/-")).split(" = ")
    return [eval(part) for part in parts if re.fullmatch(r"[\d.e()*/+ -]+", part)]


def test_a_decayed_cell_is_unrolled_with_what_is_left_of_each_key(stage):
    stage.show("decayed")
    assert stage.point("S_after[0,0]").startswith("S₃[a,a] = 1.5 = 0.25·2 (p₀) + 0·0 (p₁) + 1·1 (p₂)")
    assert stage.point("score[0]").startswith("score of p₀ = q₂·what is left of k₀ = 1·0.25 + 0·0 = 0.25")
    stage.show("carried_gated")
    assert "(carried in)" in stage.point("S_after[0,0]")


PARTS = """(stage) => [...stage.querySelectorAll('[data-cell^=S_after]')]
    .map((node) => node.classList.contains('parted') && node.style.getPropertyValue('--part'))"""


def test_a_token_fills_its_share_of_every_cell(stage):
    stage.show("article")
    for token, parts in (
        (0, ["67%", "0%", "0%", "0%"]), (1, ["0%", "0%", "0%", "100%"]), (2, ["33%", "100%", "0%", "0%"])
    ):  # fmt: skip
        assert "came from" in stage.point(str(token))
        assert stage.root.evaluate(PARTS) == parts
        assert stage.lit == {str(token)}
    stage.point("y[0]")
    assert stage.root.evaluate(PARTS) == [False] * 4


def test_a_pinned_token_that_is_not_written_yet_says_nothing(stage):
    stage.show("article")
    stage.root.locator("[data-token='2'] [role=rowheader]").click()
    assert "came from p₂" in stage.text("arithmetic")
    stage.go(1)
    assert stage.text("arithmetic") == ""
    stage.go(3)
    assert "came from p₂" in stage.text("arithmetic")
    stage.press("Escape")


def test_enter_pins_and_escape_frees(stage):
    stage.show("article")
    stage.part("softmax").focus()
    assert stage.tab() == "y[0]"
    stage.press("Enter")
    assert stage.text("arithmetic") == "y₂[a] = 3 ÷ 2 = 1.5"
    assert stage.point("write[0,0]") == "y₂[a] = 3 ÷ 2 = 1.5"
    stage.press("ArrowLeft")
    assert stage.text("arithmetic") == "y₁[a] = 0 ÷ 1 = 0"
    stage.press("Escape")
    assert stage.text("arithmetic") == ""
    assert stage.lit == set()
    stage.cell("norm").click()
    assert stage.point("y[0]").startswith("score sum = 1")
    stage.cell("norm").click()
    assert stage.point("y[0]") == "y₁[a] = 0 ÷ 1 = 0"
