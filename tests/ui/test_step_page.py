"""Stories of the first page, told to a Streamlit without a browser."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from visits import visitor

from linattn_core import EXAMPLES, EXPORTS, FEATURE_MAPS, UPDATE_RULES, random_tokens, run
from linattn_ui import cells, settings, words
from linattn_ui.frame import SHORT

every_example = pytest.mark.parametrize("example", [e.key for e in EXAMPLES])


def opened():
    return visitor().run()


def chosen(at, key, value):
    return menu(at, key).set_value(value).run()


def menu(at, key):
    """φ and the write rule are lists, the others drop down."""
    return at.radio(key=key) if key in SHORT else at.selectbox(key=key)


def picked(at, key, value):
    """A choice from the short menu, or from the one under "more"."""
    return chosen(at, key if value in SHORT[key] else f"other_{key}", value)


def kept(at, key):
    return at.session_state[key] if key in at.session_state else None


def grid(at):
    return kept(at, "grid")


def edit(at, cells):
    """Type into the grid as a browser would: row -> column -> text."""
    key = f"grid_{grid(at)['rev']}"
    before = kept(at, key) or {"edited_rows": {}}
    rows = {int(row): dict(columns) for row, columns in before["edited_rows"].items()}
    for row, columns in cells.items():
        rows.setdefault(row, {}).update(columns)
    at.session_state[key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    return at.run()


def formulas(at):
    return [formula.value for formula in at.latex]


def good(at):
    assert not at.exception
    return kept(at, "last_good")


def captions(at):
    return " ".join(caption.value for caption in at.caption)


def pressed(at, label):
    (button,) = (b for b in at.button if b.label == label)
    return button.click().run()


def test_it_opens_on_the_articles_answer():
    at = opened()
    assert not at.exception
    assert [title.value for title in at.title] == ["Linear attention, step by step"]
    assert not at.error
    assert not at.warning
    assert any(r"\begin{pmatrix} 1.5 & 0.5 \end{pmatrix}" in formula for formula in formulas(at))
    assert at.radio(key="phi").value == "identity"


def test_the_example_says_what_it_set_and_what_elu_would_give():
    assert "φ is set to none; with ELU+1 the same numbers give [1.071, 1.214]" in captions(opened())


@every_example
def test_every_example_opens_with_its_own_settings(example):
    at = chosen(opened(), "example", example)
    record = next(e for e in EXAMPLES if e.key == example)
    trace = good(at)
    assert not at.error
    assert (trace.settings.phi.key, trace.settings.rule.key) == (
        record.settings["phi"],
        record.settings["rule"],
    )
    for name in "qkv":
        assert_array_equal(getattr(trace.tokens, name), getattr(record.tokens, name))
    assert (record.story if example != "random" else "6 tokens from seed 1") in captions(at)


def test_every_map_and_every_rule_draws():
    at = opened()
    for phi in FEATURE_MAPS:
        trace = good(picked(at, "phi", phi.key))
        assert not at.error
        assert trace.settings.phi is phi
    for rule in UPDATE_RULES:
        trace = good(picked(at, "rule", rule.key))
        assert not at.error
        assert trace.settings.rule is rule


def test_an_edit_reaches_the_run_and_is_said():
    at = edit(opened(), {2: {"v a": "1/3"}})
    assert good(at).v[2, 0] == 1 / 3
    assert "edited" in captions(at)
    assert at.selectbox(key="example").value == "article"


def test_twenty_edits_one_after_another_are_all_kept():
    at = chosen(opened(), "example", "sentence")
    for n in range(20):
        at = edit(at, {n % 12: {f"k {'abcdefgh'[n % 8]}": f"{n}.5"}})
    trace = good(at)
    assert [trace.tokens.k[n % 12, n % 8] for n in range(20)] == [n + 0.5 for n in range(20)]


def test_a_bad_cell_is_explained_and_the_last_good_picture_stays():
    at = opened()
    before = formulas(at)
    at = edit(at, {1: {"k b": "1/0"}})
    assert 'Token p₁, column k b: the cell is "1/0", which divides by 0' in at.error[0].value.replace(
        "\\", ""
    )
    assert formulas(at) == before
    assert grid(at)["cur"].loc["p₁", "k b"] == "1/0"
    at = edit(at, {1: {"k b": "1/2"}})
    assert not at.error
    assert good(at).k[1, 1] == 0.5


def test_markup_in_a_cell_or_label_is_shown_as_text():
    at = edit(opened(), {0: {"label": "<b>$x$[l](http://a.b)", "q a": ":red[y]"}})
    assert r"\<b\>\$x\$\[l\]\(http\:" in at.error[0].value
    assert r"\:red\[y\]" in at.error[0].value


def test_labels_reach_the_run():
    at = edit(opened(), {0: {"label": "cat"}, 2: {"label": "cat"}})
    assert good(at).tokens.labels == ("cat", "p1", "cat")


def test_the_grid_grows_and_shrinks_and_forgets_nothing():
    at = edit(opened(), {2: {"v b": "-2.5e-3"}})
    at = at.number_input(key="grid_T").set_value(1).run()
    assert len(good(at).k) == 1
    at = at.number_input(key="grid_T").set_value(4).run()
    at = at.number_input(key="grid_d_v").set_value(3).run()
    trace = good(at)
    assert trace.v.shape == (4, 3)
    assert trace.v[2, 1] == -0.0025
    assert_array_equal(trace.v[3], [0, 0, 0])
    assert list(grid(at)["cur"].columns) == ["label", "q a", "q b", "k a", "k b", "v a", "v b", "v c"]


def test_a_new_token_is_the_one_shown():
    at = opened().number_input(key="grid_T").set_value(4).run()
    assert kept(at, "go")["nonce"] == 1
    assert any("S_{4} = S_{3}" in formula for formula in formulas(at))


def test_reset_brings_the_example_back():
    at = edit(opened(), {0: {"q a": "9"}})
    at = pressed(at, "Reset to the example")
    assert_array_equal(good(at).tokens.q, EXAMPLES[0].tokens.q)
    assert "edited" not in captions(at)


def test_a_key_with_two_components_changes_both_rows():
    at = pressed(opened(), "Give p₂ the key [2, 2]")
    trace = good(at)
    assert_array_equal(trace.k[2], [2, 2])
    assert_array_equal(trace.z[3], [3, 3])
    np.testing.assert_allclose(trace.y[2], [4 / 3, 2 / 3])
    at = pressed(at, "Back to the example")
    assert_array_equal(good(at).k, EXAMPLES[0].tokens.k)


def test_other_values_leave_the_last_state_alone():
    at = opened()
    before = good(at)
    after = good(pressed(at, "Other values, same state"))
    assert_array_equal(after.S[3], before.S[3])
    assert_array_equal(after.y[2], before.y[2])
    for t in (1, 2):
        assert (after.S[t] != before.S[t]).any()


ARTICLE = EXAMPLES[0].tokens


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "S₃, z₃ and y₂ = [1.5, 0.5] stay; S₁, S₂ and y₀ = [1, 0] change. The state cannot tell"),
        ({"read": "full"}, "S₃, z₃ and y₂ = [1.5, 0.5] stay; S₁ and S₂ change. The state"),
        ({"read_before_write": True}, "S₃ and z₃ stay; S₁, S₂ and y₂ = [1, 0] change. The state"),
        ({"phi": "dpfp"}, "S₃ and z₃ stay. The state"),
        ({"normalize": False}, "S₃ and y₂ = [3, 1] stay; S₁, S₂ and y₀ = [1, 0] change. The state"),
        ({"phi": "cosformer"}, "φ makes different keys of p₀ and p₂ here, so S₃ changes, by up to 0.0"),
    ],
)
def test_what_other_values_leave_and_change_is_what_the_runs_say(options, said):
    options = {"phi": "identity"} | options
    before, after = run(ARTICLE, **options), run(cells.same_state(ARTICLE), **options)
    assert words.same_state(before, after).startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "Its write fills both rows; z₃ = [3, 3], shares 33 % 0 % 67 %, y₂ = [1.333, 0.667]."),
        ({"normalize": False}, "Its write fills both rows, scores 1 0 2, y₂ = [4, 2]."),
        (
            {"phi": "dpfp"},
            "Its write fills 1 of 4 rows; z₃ = [0, 4, 0, 0]. y₂ is undefined: the scores sum to 0.",
        ),
        ({"phi": "taylor2"}, "Its write fills all 6 rows; z₃ ="),
    ],
)
def test_what_a_key_with_two_components_fills_is_counted(options, said):
    options = {"phi": "identity"} | options
    before, after = run(ARTICLE, **options), run(cells.both_rows(ARTICLE), **options)
    assert words.both_rows(before, after).startswith(said)


def test_a_variant_starts_from_the_example_not_from_the_edits():
    at = edit(opened(), {0: {"q a": "9"}})
    assert_array_equal(good(pressed(at, "Give p₂ the key [2, 2]")).tokens.q, EXAMPLES[0].tokens.q)


def test_variants_belong_to_the_article():
    at = chosen(opened(), "example", "cancel")
    assert not any("p₂" in button.label for button in at.button)


def test_undefined_is_said():
    at = chosen(opened(), "example", "cancel")
    assert "y₁ is undefined" in at.warning[0].value
    assert any(r"\text{undefined: the scores sum to 0}" in formula for formula in formulas(at))


def test_what_the_reader_chose_survives_another_example():
    at = chosen(chosen(opened(), "normalize", "no"), "read_before_write", "yes")
    at = chosen(at, "example", "orthogonal")
    assert not good(at).settings.normalize
    assert good(at).settings.read_before_write


def test_a_share_survives_while_its_slider_is_hidden():
    at = chosen(opened(), "rule", "decay")
    at = at.slider(key="gamma").set_value(0.25).run()
    assert_array_equal(good(at).alpha, np.full((3, 2), 0.25))
    at = chosen(chosen(at, "rule", "add"), "rule", "decay")
    assert at.slider(key="gamma").value == 0.25


def test_a_map_from_more_joins_the_menu():
    at = chosen(opened(), "other_phi", "softplus")
    assert at.radio(key="phi").value == "softplus"
    assert good(at).settings.phi.key == "softplus"
    assert at.selectbox(key="other_phi").value is None


def test_random_tokens_follow_sizes_and_seed_and_leave_the_map_alone():
    at = chosen(chosen(opened(), "example", "random"), "phi", "exp")
    for key, number in {"random_T": 5, "random_d_k": 2, "random_d_v": 3, "random_seed": 8}.items():
        at = at.number_input(key=key).set_value(number).run()
    trace = good(at)
    assert_array_equal(trace.v, random_tokens(5, 2, 3, 8).v)
    assert trace.settings.phi.key == "exp"
    assert "5 tokens from seed 8, with keys of 2 and values of 3" in captions(at)


def test_the_random_example_is_what_its_boxes_say():
    firsts = [first for _, _, first in settings.RANDOM.values()]
    record = next(e for e in EXAMPLES if e.key == "random")
    assert_array_equal(random_tokens(*firsts).q, record.tokens.q)


def test_a_later_read_and_no_division_reach_the_run():
    at = opened()
    at.toggle(key="later").set_value(True)
    at.selectbox(key="normalize").set_value("no")
    at.number_input(key="eps").set_value(0.5)
    trace = good(at.run())
    assert (trace.settings.read, trace.settings.normalize, trace.settings.eps) == ("full", False, 0.5)


def test_settings_that_do_not_go_together_are_explained():
    at = opened()
    at.toggle(key="later").set_value(True)
    at.selectbox(key="read_before_write").set_value("yes")
    at.run()
    assert not at.exception
    assert len(at.error) == 1
    assert any("1.5 & 0.5" in formula for formula in formulas(at))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("example", "gone"),
        ("phi", "<b>"),
        ("rule", 7),
        ("eps", float("nan")),
        ("eps", -1.0),
        ("decimals", 99),
        ("gamma", 5.0),
        ("softmax_scale", float("inf")),
        ("normalize", "maybe"),
        ("grid_T", 10**9),
        ("random_T", -1),
    ],
)
def test_values_from_nowhere_fall_back(key, value):
    at = visitor()
    at.session_state[key] = value
    good(at.run())
    assert any("1.5 & 0.5" in formula for formula in formulas(at))


@pytest.mark.parametrize(
    "forged",
    [
        {"edited_rows": {99: {"q a": "1"}}},
        {"edited_rows": {0: {"q zz": "1"}}},
        {"edited_rows": {0: {"_index": "p₉"}}},
        {"added_rows": [{"q a": "1"}]},
        {"deleted_rows": [0]},
        {"deleted_rows": [77]},
        {"edited_rows": {0: {"q a": 5}}},
        {"edited_rows": {0: {"q a": ["1"]}}},
    ],
    ids=json.dumps,
)
def test_a_forged_edit_breaks_nothing(forged):
    at = opened()
    at.session_state["grid_0"] = {"edited_rows": {}, "added_rows": [], "deleted_rows": []} | forged
    at.run()
    assert good(at).k.shape == (3, 2)
    assert not at.run().exception


def test_the_stage_at_rest_chooses_the_equations():
    at = opened()
    at.session_state["rest"] = (1, None)
    at.run()
    assert any("S_{1} = S_{0}" in formula for formula in formulas(at))
    at.session_state["rest"] = (0, None)
    at.run()
    assert formulas(at) == []


def test_a_rest_outlives_tokens_that_are_gone():
    at = opened()
    at.session_state["rest"] = (12, None)
    at.run()
    assert not at.exception
    assert any("S_{3} = S_{2}" in formula for formula in formulas(at))


def test_every_format_can_be_taken_away():
    buttons = opened().get("download_button")
    assert [button.proto.label for button in buttons] == [export.title for export in EXPORTS]
