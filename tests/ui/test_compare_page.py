"""Compare with softmax: the sentences follow the numbers, and the page follows tokens, settings and step."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from visits import visit

from linattn_core import Tokens, compare, example, run, sharpened
from linattn_ui import theme
from linattn_ui.figures import base
from linattn_ui.figures import compare as draw
from linattn_ui.words import compare as say

NAMES = ["p₀", "p₁", "p₂"]
LIGHT = theme.colours(False)


def opened(**query):
    return visit("1_Compare", **query)


def said(at):
    assert not at.exception
    return " ".join(m.value for m in at.markdown)


def of(key, **options):
    record = example(key)
    return compare(run(record.tokens, **(record.settings | options)))


def test_it_opens_on_the_articles_last_query():
    at = opened()
    assert "Look at query p₂: p₁ weighs 0 here and 0.198 in softmax" in said(at)
    assert "[1.5, 0.5] here and [1.203, 0.994] there" in said(at)
    assert "p₁ scores 0, so it weighs 0 here" in said(at)
    assert at.title[0].value == "Compare with softmax"


def test_the_query_is_the_step_of_the_stage_and_goes_with_the_link():
    at = opened(example="article", t="2")
    assert at.slider(key="query").value == 1
    assert "Look at query p₁" in said(at)
    at.slider(key="query").set_value(0).run()
    assert "For query p₀ both rules weigh every token alike" in said(at)
    assert at.query_params["t"] == "1"
    at.switch_page("app.py").run()
    assert at.session_state["rest"] == (1, None)


def test_a_factor_on_q_is_said():
    at = opened()
    at.slider(key="compare_factor").set_value(10.0).run()
    assert "q × 10: nothing moves here" in said(at)
    assert "softmax's largest weight goes from 0.401 to" in said(at)


def test_a_factor_moves_a_map_that_bends():
    both, record = of("article", phi="elu1"), example("article")
    louder = compare(run(sharpened(record.tokens, 4.0), "elu1"))
    assert "of the weight moves here" in say.sharper(both, louder, 2, 4.0)
    still = compare(run(sharpened(record.tokens, 4.0), "identity"))
    assert "nothing moves here" in say.sharper(of("article"), still, 2, 4.0)


def test_a_score_of_0_is_said_only_where_there_is_one():
    assert "p₁ scores 0" in say.zero(of("article"), 2, NAMES)
    assert say.zero(of("same_key"), 2, NAMES) == ""
    assert say.zero(of("article", phi="elu1"), 2, NAMES) == ""


def test_a_negative_weight_is_said_only_where_there_is_one():
    assert "p₂ weighs −0.2: its value is subtracted" in say.negative(of("negative"), 2, NAMES)
    assert say.negative(of("article"), 2, NAMES) == ""


def test_softmax_without_the_own_token_is_said_only_where_it_is_so():
    assert "left out of softmax here" in say.own_left_out(of("article", read_before_write=True))
    for usual in (of("article"), of("article", rule="rwkv6"), of("article", read="full")):
        assert say.own_left_out(usual) == ""
    at = opened(example="article")
    at.selectbox(key="read_before_write").set_value("yes").run()
    assert "left out of softmax here" in said(at)


def test_a_sum_other_than_1_is_said_with_its_reason():
    undivided = of("article", normalize=False)
    assert say.unequal_sum(undivided, 2) == (
        "These weights sum to 2, not to 1, because this run does not divide by the score sum."
    )
    assert say.unequal_sum(of("article"), 2) == ""
    assert say.unequal_sum(of("article", eps=1.0), 2) == "These weights sum to 0.667, not to 1."


def test_gains_and_losses_change_sides_with_the_tokens():
    assert say.gains(of("article"), 2, NAMES) == (
        "p₀ (+0.099) and p₂ (+0.099) weigh more than in softmax; p₁ (−0.198) weighs less than in softmax."
    )
    assert say.gains(of("same_key"), 2, NAMES) == ""


def test_an_undefined_row_is_said():
    both = of("cancel")
    assert "y₁ is undefined here" in say.look(both, 1, NAMES, NAMES)
    assert "y₁ is undefined" in say.sharper(both, both, 1, 2.0)
    nothing = compare(run(Tokens([[0.0]], [[1.0]], [[1.0]]), "identity"))
    assert say.rows(nothing) == "No query has weights here: every score sum is 0."
    at = opened(example="cancel")
    assert "undefined here" in said(at)


def test_labels_are_text():
    both = of("article")
    hostile = ["p₀ <b>$x$", "p₁ **y**", "p₂ z"]
    assert r"\<b\>\$x\$" in say.gains(both, 2, hostile)
    assert r"\*\*y\*\*" in say.look(both, 2, hostile, hostile)
    assert base.names(["<img src=x>", "a&b", "p2"]) == ["p₀ ‹img src=x›", "p₁ a＆b", "p₂"]


@pytest.mark.parametrize("later", [False, True])
def test_the_maps_show_the_run_on_one_scale_and_leave_out_what_no_query_sees(later):
    both = of("sentence", read="full" if later else "causal")
    drawn = draw.weights(
        both.weights, both.seen, LIGHT, labels=["p"] * 12, queries=["p"] * 12, limit=1.0, t=3
    )
    heat = drawn.data[0]
    assert_array_equal(np.isnan(heat.z), ~both.seen)
    assert_array_equal(np.asarray(heat.z)[both.seen], both.weights[both.seen])
    assert (heat.zmin, heat.zmax) == (-1.0, 1.0)
    assert drawn.layout.yaxis.autorange == "reversed"
    assert (drawn.layout.shapes[0].y0, drawn.layout.shapes[0].y1) == (2.5, 3.5)


def test_cells_tell_a_small_number_from_none():
    drawn = base.heat_map(
        np.array([[0.0, 1e-5, -0.5, np.nan]]), LIGHT, limit=1, rows=["a"], columns=list("abcd")
    )
    assert list(drawn.data[0].text[0]) == ["0", "0.00", "−0.5", ""]


def test_every_example_and_the_largest_tokens_draw():
    at = opened(example="random", tokens="64", d_k="16", d_v="16")
    assert "Look at query" in said(at)
    for key in ("dead_relu", "general_key", "orthogonal", "sentence"):
        at.selectbox(key="example").set_value(key).run()
        assert not at.exception
