"""Compare with softmax: the sentences follow the numbers, and the page follows tokens, settings and step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
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
    nothing = compare(run(Tokens([[0.0]], [[1.0]], [[1.0]]), "identity"))
    assert say.zero(nothing, 0, NAMES) == ""  # it has no weight, not the weight 0


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
    assert say.unequal_sum(of("article", eps=1.0), 2) == (
        "These weights sum to 0.667, not to 1, because eps = 1 is added to the score sum."
    )
    assert "sum to 1 − 5e−7, not to 1, because eps = 1e−6 is" in say.unequal_sum(of("article", eps=1e-6), 2)
    start = {"initial": (np.eye(2), [2.0, 0.0])}
    assert say.unequal_sum(of("article", **start), 2).endswith(
        "sum to 0.5, not to 1, because the state carried in has a part of the score sum."
    )
    assert say.unequal_sum(of("article", **start), 1) == ""  # its key met nothing that was carried in
    assert "score sum and the state carried in" in say.unequal_sum(of("article", eps=1.0, **start), 2)
    assert say.unequal_sum(of("article", eps=1.0, **start), 1).endswith("is added to the score sum.")


def test_weight_lies_elsewhere_only_where_both_sides_are_averages():
    for key, options, words in (
        ("article", {}, "In all 0.198 of its weight lies elsewhere, so"),
        ("article", {"eps": 0.5}, "In all its weights differ by 0.2, so"),
        ("negative", {"rule": "delta"}, "In all its weights differ by 2.705, so"),
        ("negative", {}, "In all its weights differ by 0.605, so"),  # one weight is below 0
        ("article", {"initial": (np.eye(2), [2.0, 0.0])}, "In all its weights differ by 0.5, so"),
    ):
        both = of(key, **options)
        average = "elsewhere" in words
        assert words in say.look(both, 2, NAMES, NAMES)
        assert ("lies elsewhere on average" in say.rows(both)) == average
        title, meaning, apart = say.column(both)
        assert (title == "weight elsewhere") == average == ("half" in meaning)
        assert_allclose(apart, np.abs(both.difference).sum(axis=1) / (2 if average else 1))
    at = opened(example="negative", rule="delta")
    assert "elsewhere" not in said(at) + " ".join(caption.value for caption in at.caption)
    assert "weights differ by" in at.dataframe[0].value.columns


def test_one_answer_from_other_weights_is_said():
    tokens = Tokens([[1, 0]] * 2, [[1, 0], [0, 1]], [[5], [5]])
    assert "lies elsewhere, yet y₁ is [5] in both." in say.look(
        compare(run(tokens, "identity")), 1, NAMES, NAMES
    )


def test_what_was_carried_in_is_said_of_y():
    both = of("article", initial=(np.eye(2), [2.0, 0.0]))
    assert say.carried(both, 2) == ("y₂ holds [0.25, 0] of what was carried in. Softmax carries nothing in.")
    assert say.carried(of("article"), 2) == ""


def test_queries_that_see_no_token_have_nothing_to_compare():
    both = of("article", rule="delta", read_before_write=True)
    assert say.look(both, 0, NAMES, NAMES).startswith("Query p₀ reads before any token is written:")
    assert say.look(both, 1, NAMES, NAMES).startswith("Look at query p₁: p₀ weighs")
    assert say.unequal_sum(both, 0) == say.sharper(both, both, 0, 2.0) == ""
    assert say.rows(both).startswith("Over 2 of 3 queries, weights differ by 0.83 on average, by 1 at most")
    assert say.softmax_answers(both)[:2] == ["sees no token", "[2, 0]"]
    for rule in ("add", "delta"):
        assert "no weights to set side by side" in said(
            opened(example="negative", rule=rule, read_before_write="yes", t="1")
        )


def test_cells_without_a_weight_are_told_apart():
    assert say.left_empty(of("article")) == "; empty cells are tokens that their query may not see."
    assert say.left_empty(of("article", read="full")) == "."
    assert say.left_empty(of("dead_relu", read="full", phi="identity")) == "."
    assert say.left_empty(of("dead_relu")).endswith("and the rows of p₀ and p₁, which have no weights here.")
    assert say.left_empty(of("cancel")).endswith("and the row of p₁, which has no weights here.")


def test_why_nothing_moves_follows_the_scores():
    still = "nothing moves here, because the factor is in the scores and in their sum"
    record = example("article")

    def moves(phi="identity", tokens=record.tokens, t=2, **options):
        before, after = (compare(run(x, phi, **options)) for x in (tokens, sharpened(tokens, 4.0)))
        return say.sharper(before, after, t, 4.0).split(": ")[1].split(";")[0]

    assert moves() == still
    assert moves("l2") == moves("elu1", t=0) == "nothing moves here"
    assert moves(tokens=Tokens([[0]], [[1]], [[1]]), t=0, normalize=False) == (
        "nothing moves here, because every score is 0"
    )
    assert moves(normalize=False) == "the weights here change by 6 in all"


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
    assert say.rows(nothing) == "No query has weights to set against softmax's."
    assert say.rows(both) == "For query p₀, 0 of the weight lies elsewhere."
    assert say.rows(of("general_key", eps=1.0)) == "For query p₀, weights differ by 0.5."
    at = opened(example="cancel")
    assert "has no weights to set against softmax's: the scores sum to 0." in said(at)
    assert at.dataframe[0].value["y here"].tolist() == ["[2, 1]", "undefined"]
    huge = compare(run(Tokens([[1e200]], [[1e200]], [[1]]), "identity"))
    assert say.look(huge, 0, NAMES, NAMES).endswith(
        "the sums leave the range of floats, which ends at 1.8e308."
    )


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
        np.array([[0.0, 1e-5, -0.5, np.nan, -1e-5, -0.0]]), LIGHT, limit=1, rows=["a"], columns=list("abcdef")
    )
    assert list(drawn.data[0].text[0]) == ["0", "0.00", "−0.5", "", "0.00", "0"]


def test_a_number_beside_a_bar_below_0_has_room_left_of_it():
    both = of("negative")
    drawn = draw.row(both.weights[2], both.softmax_weights[2], LIGHT, NAMES)
    low, high = drawn.layout.xaxis.range
    assert low < -0.2 - 0.2 * (0.8 - -0.2)
    assert high > 0.8
    above = of("article")
    low, high = draw.row(above.weights[2], above.softmax_weights[2], LIGHT, NAMES).layout.xaxis.range
    assert low == 0
    assert high > 1.1 * above.weights[2].max()  # the longest bar has its number beside it


def test_every_example_and_the_largest_tokens_draw():
    at = opened(example="random", tokens="64", d_k="16", d_v="16")
    assert "Look at query" in said(at)
    for key in ("dead_relu", "general_key", "orthogonal", "sentence"):
        at.selectbox(key="example").set_value(key).run()
        assert not at.exception
