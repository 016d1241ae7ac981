"""(QKᵀ)V or Q(KᵀV): the sentences follow the numbers, the pictures are to size, the curves are the counts."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from visits import visit

from linattn_core import (
    MODELS,
    Sizes,
    Tokens,
    brackets,
    example,
    form,
    random_tokens,
    softmax_brackets,
)
from linattn_ui import theme
from linattn_ui.figures import orders as draw
from linattn_ui.orders import CURVES
from linattn_ui.words import orders as say

LIGHT = theme.colours(False)
ARTICLE, CANCEL = example("article").tokens, example("cancel").tokens


def opened(**query):
    return visit("3_Orders", **query)


def said(at):
    assert not at.exception
    return " ".join(element.value for element in (*at.markdown, *at.caption))


def sizes_of(both, causal=False):
    (T, d_phi), d_v = both.k.shape, both.v.shape[1]
    return Sizes(T, d_phi, d_v, causal=causal)


def test_it_opens_on_the_articles_figure():
    at = opened()
    assert at.title[0].value == "(QKᵀ)V or Q(KᵀV)"
    text = said(at)
    assert "QKᵀ is 3×3, KᵀV is 2×2. Both orders end in the same 3×2 numbers (they differ by 0)" in text
    assert r"takes 36 multiply-adds, KᵀV first 24: fewer, because 3 tokens are more than T\* = 2." in text
    assert "| none | yes: they differ by 0 | yes: least 0 | 1 to 2 |" in text
    assert "| φ: ELU + 1 | yes: they differ by 0 | yes: least 4 | 13 to 14 |" in text
    assert "| softmax | no: they differ by up to 0.918 | yes: least 0.198 | 1, as it divides itself |" in text


def test_reading_only_earlier_tokens_halves_the_scores_and_makes_a_state_a_token():
    at = opened()
    at.segmented_control(key="orders_read").set_value("causal").run()
    text = said(at)
    assert r"24 multiply-adds, KᵀV first 24: equally many, because T is T\* = 3." in text
    assert "6 of 9 scores of 2 multiply-adds each, 12. Above the diagonal are tokens" in text
    assert (
        "3 states of 2×2: each token adds k\u00a0vᵀ, in all 12 multiply-adds. Together they would be 12"
        in text
    )
    assert "The framed row, q₂, reads S₃; earlier rows read earlier states." in text
    at.switch_page("app.py").run()
    at.switch_page("pages/3_Orders.py").run()
    assert at.segmented_control(key="orders_read").value == "causal"


def test_where_the_sidebar_lets_queries_see_all_there_is_nothing_to_choose():
    at = opened()
    at.toggle(key="later").set_value(True).run()
    assert not [c for c in at.segmented_control if c.key == "orders_read"]
    assert "takes 36 multiply-adds" in said(at)
    assert "earlier rows read earlier states" not in said(at)


def test_a_short_list_costs_the_state_order_more_and_that_is_said():
    text = said(opened(example="general_key"))
    assert r"KᵀV first 8: more, because 1 token is fewer than T\* = 2." in text
    assert (
        "At T = 1 the state order takes 4 more multiply-adds than scores first, and keeps 2 more num" in text
    )


def test_one_of_anything_is_no_plural():
    text = said(opened(example="general_key"))
    assert "QKᵀ: 1 score of 2 multiply-adds. (QKᵀ)V:" in text
    assert "KᵀV: 1 token writes 2×2 cells, 4 multiply-adds." in text
    assert "1 query reads 2×2 cells, 4 multiply-adds." in text
    assert "and 1 exponential besides" in text
    one = Sizes(1, 1, 1)
    assert say.scores("QKᵀ", one) == "QKᵀ: 1 score of 1 multiply-add."
    assert say.scores("QKᵀ", Sizes(2, 2, 2)).startswith("QKᵀ: 3 of 4 scores of 2 multiply-adds each, 6.")
    assert "a value of 1, 1 multiply-add." in say.scores_times_v("QKᵀ", one)
    assert say.state("KᵀV", one).startswith("KᵀV: 1 token writes 1×1 cell, 1 multiply-add.")
    assert say.state("KᵀV", Sizes(3, 2, 2)).startswith(
        "KᵀV: 3 tokens write 2×2 cells each, 12 multiply-adds."
    )
    assert say.states(one, 1).startswith("1 state of 1×1: each token adds k\u00a0vᵀ, in all 1 multiply-add.")
    assert (
        say.q_times_state("S₁", one)
        == "1 query reads 1×1 cell, 1 multiply-add. The framed row, q₀, reads S₁."
    )
    assert "takes 1 fewer multiply-add than" in say.break_evens(Sizes(2, 1, 2, d_phi=1))


def test_random_tokens_of_64_rows_are_drawn_and_counted():
    at = opened(example="random", tokens="64", d_k="16", d_v="16")
    text = said(at)
    assert "Q̃K̃ᵀ is 64×64, K̃ᵀV is 16×16" in text
    assert "(they differ by 2.4e−13, which is rounding)" in text
    assert "Q̃ = φ(Q) and K̃ = φ(K)" in text
    at.segmented_control(key="orders_read").set_value("causal").run()
    assert "64 states of 16×16 (12 of them drawn)" in said(at)


def test_another_map_is_the_third_row():
    assert "| φ: ReLU | yes: they differ by 0 | yes: least 0 |" in said(opened(phi="relu"))


def test_the_button_doubles_t_and_says_by_how_much_each_form_grew():
    at = opened()
    button = at.button(key="orders_double")
    assert button.label == "Double T: ×4 / ×2"
    assert "Multiply-adds at T = 3: (QKᵀ)V 36, softmax on pooled KV 12 and Q(KᵀV) 24." in said(at)
    button.click().run()
    assert (
        "from T = 3 to 6: (QKᵀ)V 36 → 144 (×4), softmax on pooled KV 12 → 48 (×4), Q(KᵀV) 24 → 48 (×2)"
        in (said(at))
    )
    at.button(key="orders_double").click().run()
    assert "from T = 6 to 12: (QKᵀ)V 144 → 576 (×4)" in said(at)
    assert "token 13 alone takes 52 multiply-adds with a KV cache, more with every token, and 8 with" in said(
        at
    )
    at.select_slider(key="orders_doubled_3").set_value(0).run()
    assert "Double T to see how fast each grows" in said(at)


def test_with_earlier_tokens_only_the_diagonal_keeps_the_growth_below_four():
    at = opened()
    at.segmented_control(key="orders_read").set_value("causal").run()
    assert at.button(key="orders_double").label == "Double T: ×3.5 / ×2"


def test_doubling_stops_at_a_million_tokens():
    at = opened()
    at.select_slider(key="orders_doubled_3").set_value(18).run()
    assert at.button(key="orders_double").disabled
    assert "to 786,432: (QKᵀ)V 6.18 × 10¹¹ → 2.47 × 10¹² (×4)" in said(at)


def test_more_positions_to_an_entry_cost_less():
    at = opened()
    at.number_input(key="orders_r").set_value(2).run()
    assert "softmax on pooled KV 24" in said(at)
    assert "| pooled KV cache, r = 2 | 64 MiB | 8 GiB | 64 GiB |" in said(at)


def test_log_axes_come_on_request():
    at = opened()
    at.toggle(key="orders_log").set_value(True).run()
    assert not at.exception
    sizes = Sizes(3, 2, 2, causal=False)
    for log, kind in ((False, "linear"), (True, "log")):
        figure = costs(sizes, log=log)
        assert figure.layout.xaxis.type == figure.layout.yaxis.type == kind


def test_models_are_told_in_bytes():
    at = opened()
    text = said(at)
    assert "At 128k tokens Llama 3.1 8B keeps 16 GiB of keys and values, 2,032 times the 8.06 MiB" in text
    assert "| KV cache | 128 MiB | 16 GiB | 128 GiB |" in text
    assert "| T×T scores of a layer in full | 64 MiB | 1 TiB | 64 TiB |" in text
    assert "holds 1 MiB of scores at a time instead of 1 TiB a layer at 128k tokens" in text
    at.selectbox(key="orders_model").set_value("gpt2").run()
    text = said(at)
    assert "GPT-2 small keeps 9 GiB" in text
    assert "12 layers, 12 query heads, 64 components, 4 bytes a number" in text
    assert "Below 127 tokens the state order takes more multiply-adds, below 32.5 more memory." in text


def test_the_third_column_says_which_scores_are_negative():
    rows = say.rows({"none": brackets(CANCEL, "identity"), "elu": brackets(CANCEL, "elu1")})
    assert rows[0] == ("none", "yes: they differ by 0", "no: least −1", "0 to 1")
    assert rows[1] == ("elu", "yes: they differ by 0", "yes: least 1.736", "5 to 6.736")


def test_brackets_that_move_by_chance_are_still_said_not_to_move():
    by_chance = softmax_brackets(Tokens([[1]], [[1]], [[3]]), scale=1.0)
    assert say.rows({"softmax": by_chance})[0][1] == "no, though here both orders happen to agree"


def test_numbers_past_all_floats_are_not_compared():
    huge = brackets(Tokens([[1e200]], [[1e200]], [[1]]), "identity")
    assert say.rows({"none": huge})[0][1] == "no: numbers past 1.8e308 leave nothing to compare"
    assert "Here the two orders do not end in the same 1×1 number:" in say.look(huge, sizes_of(huge))
    assert say.lesson(huge, huge, "φ").startswith("Without a φ the orders cannot be compared here")


def test_orders_that_differ_are_said_to_differ():
    both = replace(brackets(ARTICLE, "identity", "full"), state_first=np.zeros((3, 2)))
    assert "do not end in the same 3×2 numbers: they differ by up to 3." in say.look(both, sizes_of(both))


def test_the_lesson_follows_the_scores():
    good, elu = brackets(ARTICLE, "identity", "full"), brackets(ARTICLE, "elu1", "full")
    assert "dividing by the score sum gives a weighted average even so" in say.lesson(good, elu, "ELU + 1")
    assert say.lesson(good, elu, "ELU + 1").endswith("With ELU + 1 every score is ≥ 0 and every sum above 0.")
    bad = brackets(CANCEL, "identity")
    assert "but a weighted average needs scores ≥ 0 with a sum above 0: here a score is −1." in (
        say.lesson(bad, brackets(CANCEL, "elu1"), "ELU + 1")
    )
    dead = example("dead_relu").tokens
    assert say.lesson(brackets(dead, "identity"), brackets(dead, "relu"), "ReLU").endswith(
        "With ReLU there is no average here: the scores of q₀ sum to 0."
    )


def test_the_case_of_one_and_minus_one_is_computed():
    pair = brackets(CANCEL, "identity"), brackets(CANCEL, "elu1")
    text = say.one_and_minus_one(*pair, "ELU + 1")
    assert "scores 1 and −1 sum to 0. Their brackets move too (they differ by 0)" in text
    assert "scores 5 and 1.736, which sum to 6.736" in text
    other = Tokens([[1], [1]], [[2], [-2]], [[1], [1]])
    assert "scores 2 and −2 sum to 0" in (
        say.one_and_minus_one(brackets(other, "identity"), brackets(other, "elu1"), "ELU + 1")
    )


def test_a_map_that_widens_keys_costs_softmax_less_than_scores_first():
    sizes = Sizes(4, 2, 2, d_phi=7)
    assert "takes 40: 50 fewer multiply-adds than (QKᵀ)V, and 10 exponentials besides" in say.softmax(sizes)
    assert "takes 40: as many multiply-adds as (QKᵀ)V" in say.softmax(Sizes(4, 2, 2))


def test_at_the_break_even_both_orders_cost_the_same():
    text = say.break_evens(Sizes(3, 2, 2))
    assert r"at T\* = 3; below it the state order costs more" in text
    assert "takes as many multiply-adds as scores first, and keeps 6 fewer numbers than the cache" in text


@pytest.mark.parametrize(
    ("words", "n"),
    [("0", 0), ("1,234,567", 1234567), ("5.63 × 10¹⁴", 2**49), ("1.00 × 10⁹", 10**9)],
)
def test_counts_are_printed_in_full_up_to_a_thousand_million(words, n):
    assert say.count(n) == words


@pytest.mark.parametrize(
    ("words", "n"),
    [
        ("512 bytes", 512),
        ("1 KiB", 1024),
        ("8.06 MiB", 8454144),
        ("64.5 GiB", 64.5 * 2**30),
        ("1,024 PiB", 2**60),
    ],
)
def test_bytes_are_printed_in_the_unit_that_fits(words, n):
    assert say.size(n).replace("1024", "1,024") == words


def test_lengths_are_counted_as_models_do():
    assert [say.length(T) for T in (2**10, 2**17, 2**20)] == ["1k", "128k", "1M"]


@pytest.mark.parametrize("record", MODELS, ids=lambda m: m.key)
def test_a_models_table_is_its_record(record):
    rows = dict((row[0], row[1:]) for row in say.costs(record, (1024,), 8))
    assert rows["KV cache"] == (
        say.size(2 * record.layers * record.kv_heads * record.d * 1024 * record.bytes_per_number),
    )
    assert rows["pooled KV cache, r = 8"] == (say.size(record.bytes_kept(form("softmax"), 128)),)
    assert str(record.layers) in say.of_model(record)
    assert ("share" in say.of_model(record)) == (record.kv_heads < record.heads)
    assert say.size(record.heads * 128**2 * record.bytes_per_number) in say.tiles(record, 2**17)


def pictures(tokens, phi="identity", read="full"):
    both = brackets(tokens, phi, read)
    return both, draw.named(both, phi != "identity", read == "causal"), draw.scale_of(both)


def extent(trace):
    """Left, right, top and bottom edge of a heat map in cells."""
    (rows, columns), left, top = np.shape(trace.z), trace.x0 - 0.5, trace.y0 - 0.5
    return left, left + columns, top, top + rows


def test_a_product_stands_between_its_factors():
    _, m, scale = pictures(random_tokens(5, 2, 3, 1))
    figure = draw.product(m.q, m.k.turned("top"), m.scores, LIGHT, scale)
    left, top, result = figure.data
    assert_array_equal(np.asarray(result.z), m.scores.x)
    assert_allclose(np.asarray(left.z) @ np.asarray(top.z), np.asarray(result.z), atol=1e-12)
    assert extent(left)[2:] == extent(result)[2:]  # the same rows
    assert extent(top)[:2] == extent(result)[:2]  # the same columns
    assert extent(left)[1] < extent(result)[0]
    assert extent(top)[3] < extent(result)[2]
    texts = [a.text for a in figure.layout.annotations]
    assert texts == ["Q 5×2", "Kᵀ 2×5", "QKᵀ<br>5×5"]


def test_products_in_a_row_keep_their_order():
    _, m, scale = pictures(random_tokens(5, 2, 3, 1))
    figure = draw.row(m.q, m.S, m.sums, LIGHT, scale)
    left, right, result = figure.data
    assert_allclose(np.asarray(left.z) @ np.asarray(right.z), np.asarray(result.z), atol=1e-12)
    assert extent(left)[1] < extent(right)[0] < extent(right)[1] < extent(result)[0]
    assert [a.text for a in figure.layout.annotations] == ["Q 5×2", "×", "KᵀV 2×3", "=", "sums<br>5×3"]


@pytest.mark.parametrize("sizes", [(3, 2, 2), (64, 16, 16), (2, 9, 3), (9, 1, 12)])
@pytest.mark.parametrize("read", ["full", "causal"])
def test_a_cell_has_one_size_in_every_picture_and_all_have_room(sizes, read):
    both, m, scale = pictures(random_tokens(*sizes, 1), "elu1", read)
    figures = [
        draw.product(m.q, m.k.turned("top"), m.scores, LIGHT, scale),
        draw.row(m.scores.at("left"), m.v, m.sums, LIGHT, scale),
        draw.product(m.k.turned("left"), m.v, m.S.at("result"), LIGHT, scale),
        draw.row(m.q, m.S, m.sums, LIGHT, scale),
        draw.states(both.S, draw.shown_states(both, scale), LIGHT, scale),
    ]
    for figure in figures:
        (low, right), (bottom, top) = figure.layout.xaxis.range, figure.layout.yaxis.range
        assert (low, right) == (-0.1, scale.width + 0.1)
        margins = figure.layout.margin
        px = figure.layout.height - margins.t - margins.b
        assert abs(px / (bottom - top) - scale.cell) < 0.2 * scale.cell  # px of a cell; rounded, with a rim
        for trace in figure.data:
            x0, x1, y0, y1 = extent(trace)
            assert low <= x0 < x1 <= right + 1e-9
            assert top <= y0 < y1 <= bottom + 1e-9


def test_scores_of_later_tokens_are_left_empty():
    _, m, scale = pictures(ARTICLE, read="causal")
    z = np.asarray(draw.product(m.q, m.k.turned("top"), m.scores, LIGHT, scale).data[2].z)
    assert_array_equal(np.isnan(z), ~np.tri(3, dtype=bool))


def test_few_tokens_have_numbers_in_their_cells_and_many_have_none():
    _, m, scale = pictures(ARTICLE)
    figure = draw.product(m.k.turned("left"), m.v, m.S.at("result"), LIGHT, scale)
    assert [list(row) for row in figure.data[2].text] == [["3", "1"], ["0", "3"]]
    _, m, scale = pictures(random_tokens(20, 4, 4, 1))
    assert draw.product(m.q, m.k.turned("top"), m.scores, LIGHT, scale).data[2].text is None


def test_more_than_64_tokens_are_drawn_as_areas_to_size():
    _, m, scale = pictures(random_tokens(70, 2, 2, 1))
    figure = draw.product(m.q, m.k.turned("top"), m.scores, LIGHT, scale)
    assert not figure.data
    assert len([shape for shape in figure.layout.shapes if shape.type == "path"]) == 3
    _, causal, scale = pictures(random_tokens(70, 2, 2, 1), read="causal")
    area = draw.product(causal.q, causal.k.turned("top"), causal.scores, LIGHT, scale).layout.shapes[-2]
    assert " V" not in area.path  # a triangle


def test_the_states_of_a_causal_read_end_in_the_one_that_is_kept():
    both, _, scale = pictures(ARTICLE, read="causal")
    shown = draw.shown_states(both, scale)
    assert shown == [1, 2, 3]
    figure = draw.states(both.S, shown, LIGHT, scale)
    assert_array_equal(np.asarray(figure.data[2].z), [[3, 1], [0, 3]])
    assert [a.text for a in figure.layout.annotations] == ["S₁", "S₂", "S₃"]
    assert [shape.line.color == LIGHT["state"] for shape in figure.layout.shapes] == [False, False, True]


@pytest.mark.parametrize("sizes", [(64, 16, 16), (100, 2, 2), (2, 9, 3), (30, 1, 12)])
def test_of_many_states_the_last_one_is_drawn_always(sizes):
    both, _, scale = pictures(random_tokens(*sizes, 1), read="causal")
    shown = draw.shown_states(both, scale)
    assert shown[-1] == sizes[0]
    assert shown == sorted(set(shown))
    assert shown[0] >= 1
    assert len(shown) <= 12


def test_the_row_that_reads_the_last_state_is_framed():
    _, m, scale = pictures(ARTICLE, read="causal")
    frames = [
        s for s in draw.row(m.q, m.S, m.sums, LIGHT, scale, last=True).layout.shapes if s.line.width == 3
    ]
    assert [(f.y0, f.y1) for f in frames] == [(2, 3), (2, 3)]
    assert not [s for s in draw.row(m.q, m.S, m.sums, LIGHT, scale).layout.shapes if s.line.width == 3]


def costs(now, marked=(3,), cost="multiply_adds", log=False):
    return draw.costs(now, marked, CURVES, LIGHT, cost=cost, break_even=2.0, log=log)


@pytest.mark.parametrize("cost", ["multiply_adds", "kept"])
def test_a_curve_is_the_count_at_each_length(cost):
    now = Sizes(5, 2, 3, r=2)
    figure = costs(now, (5, 10), cost)
    curves = {t.name: t for t in figure.data if t.mode == "lines"}
    points = {t.name: t for t in figure.data if t.mode == "markers"}
    for key, (work, kept, _) in CURVES.items():
        title = work if cost == "multiply_adds" else kept
        count = getattr(form(key), cost)
        expected = [count(replace(now, T=int(T))) for T in curves[title].x]
        assert_array_equal(np.asarray(curves[title].y), expected)
        assert list(points[title].y) == [count(replace(now, T=T)) for T in (5, 10)]


def test_axes_are_linear_at_first_and_reach_past_the_next_doubling_and_the_break_even():
    figure = costs(Sizes(3, 2, 2, causal=False))
    assert figure.layout.xaxis.type == "linear"
    assert max(figure.data[0].x) == 6
    far = draw.costs(Sizes(3, 64, 64), (3,), CURVES, LIGHT, cost="kept", break_even=32.5, log=False)
    assert max(far.data[0].x) == 66
    assert (far.layout.shapes[0].x0, far.layout.annotations[0].text) == (32.5, "T* = 32.5")


def test_on_log_axes_the_star_stands_at_its_line():
    figure = costs(Sizes(3, 2, 2), log=True)
    assert figure.layout.shapes[0].x0 == 2
    assert_allclose(figure.layout.annotations[0].x, np.log10(2))


def test_at_64_tokens_the_pictures_stay_small():
    both, m, scale = pictures(random_tokens(64, 16, 16, 1), "elu1", "causal")
    figures = [
        draw.product(m.q, m.k.turned("top"), m.scores, LIGHT, scale),
        draw.row(m.scores.at("left"), m.v, m.sums, LIGHT, scale),
        draw.states(both.S, draw.shown_states(both, scale), LIGHT, scale),
        draw.row(m.q, m.S, m.sums, LIGHT, scale),
        costs(Sizes(64, 16, 16), cost="kept"),
        costs(Sizes(64, 16, 16)),
    ]
    assert sum(len(figure.to_json()) for figure in figures) < 400_000


def test_both_themes_have_their_colours():
    _, m, scale = pictures(ARTICLE)
    for dark in (False, True):
        colours = theme.colours(dark)
        figure = draw.product(m.q, m.k.turned("top"), m.scores, colours, scale)
        assert figure.layout.font.color == colours["text"]
        assert figure.layout.shapes[-1].line.color == colours["contribution"]
