"""Feature maps: every sentence follows the tokens, the figures show the core's numbers, the page opens."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from visits import visit

from linattn_core import FEATURE_MAPS, Tokens, example, feature_map, random_tokens, run
from linattn_core.map_comparison import compare_maps
from linattn_core.map_scores import pair_scores, sweep_scores
from linattn_core.random_difference import SIZES
from linattn_ui import theme
from linattn_ui.figures import feature_maps as draw
from linattn_ui.words import feature_maps as say
from linattn_ui.words import random_features as say_random

LIGHT = theme.colours(False)
ARTICLE, SENTENCE = example("article").tokens, example("sentence").tokens
IDENTITY, ELU, TAYLOR, FAVOR = (feature_map(key) for key in ("identity", "elu1", "taylor2", "favor"))
NOTHING = Tokens([[-1.0]], [[-1.0]], [[1.0]])


def opened(**query):
    return visit("2_Feature_maps", **query)


def said(at):
    assert not at.exception, at.exception
    return " ".join(m.value for m in (*at.markdown, *at.caption))


# ---- the page ----------------------------------------------------------------------------------------------


def test_it_opens_on_the_articles_tokens():
    at = opened()
    assert at.title[0].value == "Feature maps"
    assert "with no map the weights of these tokens differ from softmax's by 0.0461" in said(at)
    assert "Nearest is Taylor series of exp up to the square with 2.913e−5" in said(at)
    assert "6 are 0 and none is below 0" in said(at)
    assert "the state keeps 2 × 2 + 2 = 6 numbers" in said(at)


def test_every_map_draws_and_the_first_line_follows_it():
    at = opened(example="sentence")
    for phi in FEATURE_MAPS:
        name = "phi" if phi.key in ("identity", "elu1", "relu", "exp") else "other_phi"
        menu = at.radio(key=name) if name == "phi" else at.selectbox(key=name)
        menu.set_value(phi.key).run()
        assert f"with {say.name(phi)} the weights" in said(at)


def test_the_table_is_the_cores():
    at = opened(example="sentence", phi="taylor2")
    frame, rows = at.dataframe[0].value, compare_maps(SENTENCE)
    assert list(frame["map"]) == ["taylor2 ◄" if row.phi is TAYLOR else row.phi.key for row in rows]
    assert_array_equal(frame["difference²"], [row.mean_squared for row in rows])
    assert_array_equal(frame["numbers"], [row.numbers for row in rows])
    assert_array_equal(frame["undefined"], [row.undefined for row in rows])
    assert_allclose(frame["as tokens"], [row.numbers / 16 for row in rows])


def test_knobs_reach_the_table_and_the_curve():
    at = opened(example="sentence", phi="favor", features="9")
    assert "φ has D = 9 components" in said(at)
    assert "Of its 9 components the 8 that change most are drawn" in said(at)


def test_a_map_without_room_is_said_and_left_empty():
    at = opened(example="random", tokens="65")
    assert "stands at 65" in said(at)
    assert not at.error


def test_many_tokens_and_queries_of_another_number_draw():
    for query in ({"tokens": "64", "d_k": "16", "d_v": "16"}, {"tokens": "1", "d_k": "1", "later": "yes"}):
        assert "Look at the table" in said(opened(example="random", **query))
    assert "Look at the table" in said(opened(example="dead_relu", softmax_scale="0"))


# ---- sentences ---------------------------------------------------------------------------------------------


def test_the_first_line_says_when_nothing_is_nearer_and_when_nothing_is_there():
    rows = compare_maps(SENTENCE)
    assert "of the 16 maps that have weights here none is nearer" in say.look(rows, TAYLOR)
    assert "its state keeps 405 numbers, not 72" in say.look(rows, ELU)
    assert "no weights on these tokens" in say.look(compare_maps(ARTICLE), feature_map("dpfp"))
    none = compare_maps(NOTHING, maps=[feature_map("relu")])
    assert "with every map all score sums are 0" in say.look(none, feature_map("relu"))


def test_nearest_and_farthest_change_with_the_tokens():
    assert "farthest: no map (1.427)" in say.nearest(compare_maps(SENTENCE))
    rows = compare_maps(ARTICLE)
    assert "farthest: no map, ReLU, squared ReLU and 3 more (0.0461 each)." in say.nearest(rows)
    assert "exp of each component (0.00187 each); farthest" in say.nearest(rows)
    assert say.nearest(rows[:1]) == ""
    one_of_six = [row for row in rows if row.phi.key in ("identity", "exp")]
    assert say.nearest(one_of_six) == (
        "Nearest to softmax: exp of each component (0.00187); farthest: no map (0.0461)."
    )
    noise = [replace(rows[0], mean_squared=x) for x in (1e-33, 0.5)]
    assert "no map (0 but for rounding); farthest" in say.nearest(noise)


def test_maps_that_are_equally_near_are_named_together():
    row = compare_maps(ARTICLE, maps=[ELU, TAYLOR, IDENTITY])
    tied = [replace(row[0], mean_squared=0.01), replace(row[1], mean_squared=0.01), row[2]]
    nearest = "Nearest are ELU + 1 and Taylor series of exp up to the square with 0.01; the state of ELU + 1"
    assert nearest in say.look(tied, IDENTITY)
    assert "of the 3 maps that have weights here none is nearer" in say.look(tied, TAYLOR)
    assert "of the 1 map that has weights here none is nearer" in say.look(row[:1], ELU)


def test_a_difference_leaves_out_the_outputs_that_do_not_exist():
    cancel = compare_maps(example("cancel").tokens)
    assert "by 0 (mean square, without 1 undefined output)" in say.look(cancel, IDENTITY)
    assert "(mean square). Nearest are no map and unit length with 0, without 1 undefined output;" in (
        say.look(cancel, ELU)
    )
    assert say.look(cancel, ELU).endswith("the state of no map keeps 6 numbers, as many.")
    dead = compare_maps(example("dead_relu").tokens)
    assert "(mean square, without 2 undefined outputs)" in say.look(dead, feature_map("relu"))


def test_one_token_weighs_1_under_every_map_and_nothing_is_ranked():
    at = opened(example="general_key")
    assert "with one token every map gives it weight 1, as softmax does; no map is nearer" in said(at)
    assert "The score of the one pair of query and token is above 0, as in softmax." in said(at)
    assert "With one token its weight is 1 with any number of features and any eps" in said(at)
    for claim in ("Nearest", "random features would", "goes to", "whatever their number"):
        assert claim not in said(at)
    rows = compare_maps(NOTHING)
    defined = sum(not np.isnan(row.mean_squared) for row in rows)
    assert defined < len(rows)
    assert f"with one token {defined} maps of {len(rows)} give it" in say.look(rows, ELU, tokens=1)
    assert "with one token" not in said(opened(example="article"))


def test_the_caption_names_the_maps_made_to_approximate_softmax():
    named = "Taylor series of exp up to the square, softmax of both signs and random features"
    assert f"a fault only of maps made to approximate it: {named}." in said(opened())
    assert say.made_to([ELU, FAVOR]) == "random features"


def test_undefined_outputs_are_named_where_there_are_some():
    rows = compare_maps(SENTENCE)
    assert "ReLU (1 of 12), squared ReLU (1 of 12) and ReLU weighted by distance" in say.undefined(rows, 12)
    assert say.undefined(compare_maps(random_tokens(64, 16, 16, seed=1)), 64).startswith("No map leaves")


def test_random_features_of_the_same_size_win_or_lose():
    rows = compare_maps(SENTENCE)
    sentence = say.same_size(rows, TAYLOR)
    assert "45 random features would differ by 0.00692 on average" in sentence
    assert "8 of 15 maps are nearer" in sentence
    assert say.same_size(rows, FAVOR).startswith("8 of 15")
    assert "12 of 14 maps are" in say.same_size(compare_maps(ARTICLE), IDENTITY)
    single = replace(rows[0], d_phi=1, mean_squared=0.5, same_size=0.7)
    assert say.same_size([single], IDENTITY) == (
        "1 random feature would differ by 0.7 on average, the one component of no map differs by 0.5. "
        "1 of 1 map is nearer to softmax than random features in a state of the same size."
    )


def test_the_state_is_counted_in_tokens_of_the_kept_list():
    (row,) = compare_maps(SENTENCE, maps=[TAYLOR])
    assert "45 × 8 + 45 = 405 numbers, as many as a kept list of 25.3 tokens" in say.kept(row, 8, 8)
    (single,) = compare_maps(NOTHING, maps=[IDENTITY])
    assert "D = 1 component, so" in say.kept(single, 1, 1)
    assert say.kept(single, 1, 1).endswith("a kept list of 1 token.")
    (without,) = compare_maps(random_tokens(65, 2, 2, seed=1), maps=[feature_map("cosformer")])
    assert say.kept(without, 2, 2) == ""


def test_zeros_and_negative_components_are_counted():
    assert say.signs(run(ARTICLE, "elu1")) == "All 12 components of φ(q) and φ(k) here are above 0."
    one = run(Tokens([[1.0]], [[-2.0]], [[1.0]]), "identity")
    assert say.signs(one).endswith("here, none is 0 and 1 is below 0.")


def test_scores_of_0_and_below_are_counted():
    assert "score is 0 for 2 and below 0 for none" in say.scores(pair_scores(run(ARTICLE, "identity")))
    negative = pair_scores(run(example("negative").tokens, "identity"))
    assert "below 0 for 1" in say.scores(negative)
    assert say.scores(pair_scores(run(ARTICLE, "elu1"))).startswith("All 6 pairs")
    one = "The score of the one pair of query and token is "
    assert say.scores(pair_scores(run(NOTHING, "identity"))) == f"{one}above 0, as in softmax."
    assert say.scores(pair_scores(run(NOTHING, "relu"))) == f"{one}0; in softmax it is above 0."
    below = Tokens([[1.0]], [[-1.0]], [[1.0]])
    assert say.scores(pair_scores(run(below, "identity"))) == f"{one}below 0; in softmax it is above 0."


def test_the_factor_says_when_the_axis_is_logarithmic_and_when_there_is_none():
    s = np.linspace(-1, 1, 5)
    assert "logarithmic" in say.factor(sweep_scores(ELU, 2, s))
    assert "logarithmic" not in say.factor(sweep_scores(IDENTITY, 2, s))
    assert "× −" in say.factor(sweep_scores(IDENTITY, 1, np.array([-1.0, 0.1])))
    assert say.factor(sweep_scores(feature_map("relu"), 2, -1 - s**2)).startswith("Every score is 0")


def test_what_eps_does_is_said_as_measured():
    falls, flat = np.array([[0.6, 0.5], [0.3, 0.2]]), np.full((2, 2), 0.7)
    assert say_random.as_typed((4, 64), falls, flat) == (
        "As typed: with 4 random features 0.55 of the weight lies elsewhere than in softmax, and that falls "
        "to 0.25 with 64 (2 seeds with 64: from 0.2 to 0.3). With the customary eps it is 0.7 with 64."
    )
    stays = say_random.longer((4, 64), falls, flat, 0.7, 0.995, 3.0)
    assert "stays at 0.7 whatever their number, as far as if every token weighed the same: 99.5 %" in stays
    assert "weighed the same" not in say_random.longer((4, 64), falls, flat, 0.4, 0.995, 3.0)
    none = np.full((2, 2), 1e-17)
    assert say_random.as_typed((4, 64), none, none) == (
        "As typed: with 4 to 64 random features the weights are softmax's, with the customary eps too."
    )
    assert "with the customary eps too" not in say_random.as_typed((4, 64), none, flat)
    moves = say_random.longer((4, 64), falls[::-1], falls, 0.7, 0.2, 3.0)
    assert "that goes to 0.55 with 64" in moves
    assert "goes from 0.55 to 0.25: 20 % of" in moves


def test_softmaxs_exponent_has_the_scale_that_was_asked_for():
    assert say.exponent(None) == "q·k/√d"
    assert say.exponent(0.25) == "0.25 q·k"
    assert "exp(0.25 q·k)" in [
        trace.name
        for trace in draw.sweep(np.ones(2), sweep_scores(ELU, 1, np.ones(2)), LIGHT, "exp(0.25 q·k)").data
    ]


# ---- figures -----------------------------------------------------------------------------------------------


def test_the_chosen_curve_lies_on_top_and_is_thicker():
    x = np.linspace(-1, 1, 3)
    drawn = draw.phi_curves(x, {"one": x, "two": x**2}, "one", LIGHT)
    assert [(line.name, line.line.width) for line in drawn.data] == [("two", 1), ("one", 3)]
    assert_array_equal(drawn.data[1].y, x)


def test_the_components_that_change_most_are_drawn_in_their_order():
    mapped = np.outer([0.0, 1.0], [0, 9, 1, 8, 2, 7, 3, 6, 4, 5])
    assert draw.most_changing(mapped) == [1, 3, 4, 5, 6, 7, 8, 9]
    assert [line.name for line in draw.components(np.arange(2), mapped, LIGHT).data] == list("bdefghij")


@pytest.mark.parametrize(("key", "kind"), [("elu1", "log"), ("identity", None)])
def test_positive_scores_stand_on_a_logarithmic_axis(key, kind):
    scores = pair_scores(run(SENTENCE, key))
    drawn = draw.pairs(scores, LIGHT, "exp", "q·k")
    assert drawn.layout.yaxis.type == kind
    points = np.concatenate([line.y for line in drawn.data if line.mode == "markers"])
    assert_allclose(np.sort(points), np.sort(scores.scaled))
    assert {line.name for line in drawn.data if line.mode == "markers"} == (
        {"score ≥ 0, scaled"} if kind else {"score ≥ 0, scaled", "score < 0, scaled"}
    )


def test_of_many_pairs_every_few_are_drawn():
    drawn = draw.pairs(pair_scores(run(random_tokens(70, 2, 2, seed=1), "elu1")), LIGHT, "exp", "q·k")
    assert 700 < sum(len(line.y) for line in drawn.data if line.mode == "markers") <= draw.POINTS


def test_the_band_goes_from_the_least_to_the_most_seed():
    by_seed = np.array([[0.5, 0.7], [0.1, 0.3], [0.2, 0.2], [0.1, 0.1], [0.0, 0.1]])
    drawn = draw.features(SIZES, {"a": by_seed, "b": by_seed}, 0.4, LIGHT)
    band, mean = drawn.data[:2]
    assert_array_equal(band.y, [*by_seed.max(axis=1), *by_seed.min(axis=1)[::-1]])
    assert_allclose(mean.y, by_seed.mean(axis=1))
    assert drawn.layout.xaxis.type == "log"
    assert drawn.layout.shapes[0].y0 == 0.4
