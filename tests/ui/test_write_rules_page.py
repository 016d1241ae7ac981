"""Write rules: the sentences follow the numbers, and the page follows tokens, rules, division and step."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from visits import visitor

from linattn_core import UPDATE_RULES, Tokens, architecture, example, random_tokens, recall, run
from linattn_core.rule_comparison import beside, in_order, left, losses, sweep
from linattn_ui import theme
from linattn_ui.figures import write_rules as draw
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules import PARTS, USUAL

NAMES = ["p₀", "p₁", "p₂"]
LIGHT = theme.colours(False)
RULE = {rule.key: rule for rule in UPDATE_RULES}


def opened(part="step", rules=USUAL, **query):
    at = visitor(**query)
    if rules is not None:
        at.session_state["write_rules"] = list(rules)
    at = at.switch_page("pages/5_Write_rules.py").run()
    return at if part == "step" else at.segmented_control(key="write_rules_part").set_value(part).run()


def said(at):
    assert not at.exception, at.exception
    return " ".join(each.value for each in (*at.markdown, *at.caption))


def of(key, rules=USUAL, divide=False, gamma=0.5, beta=1.0):
    """What a rule is called -> its run of an example, or of tokens."""
    tokens = example(key).tokens if isinstance(key, str) else key
    base = run(tokens, "identity")
    each = (RULE[rule] for rule in rules)
    return {say.name(rule): beside(base, rule, divide=divide, gamma=gamma, beta=beta) for rule in each}


def all_losses(traces):
    return {rule: losses(one) for rule, one in traces.items()}


# The page


def test_it_opens_on_what_the_articles_last_token_does_under_four_rules():
    at = opened()
    assert at.title[0].value == "Write rules"
    assert "after it, [3, 1] under add, [1.5, 1] under decay, [1, 1] under delta and gated delta" in said(at)
    assert "u = β (v − old) = 1 × ([1, 1] − [2, 0]) = [−1, 1] is added. Row a: [2, 0] → [1, 1]." in said(at)
    assert "q₂ reads the numerator [3, 1], not divided: that is y₂." in said(at)
    assert "The weights of q₂ sum to 2 under add, 1.25 under decay, 1 under delta and gated delta" in said(at)


def test_one_switch_divides_for_every_rule():
    at = opened()
    at.toggle(key="write_rules_divide").set_value(True).run()
    assert "q₂ reads the numerator [3, 1]; ÷ score sum 2 it is y₂ = [1.5, 0.5]" in said(at)
    assert "[1.5, 1]; ÷ score sum 1.25 it is y₂ = [1.2, 0.8]" in said(at)
    assert "The weights of q₂ sum to 1 under add, decay, delta and gated delta" in said(at)


def test_the_token_is_the_step_of_the_stage_and_gates_move_the_runs():
    at = opened(example="article", t="2")
    assert "Look at p₁" in said(at)
    at.slider(key="query").set_value(0).run()
    assert at.query_params["t"] == "1"
    at.slider(key="query").set_value(2).run()
    at.slider(key="write_rules_beta").set_value(0.5).run()
    assert "[1, 0.5] under delta" in said(at)


def test_a_gate_that_the_sidebar_has_is_not_asked_for_twice():
    at = opened(example="article", rule="decay", gamma="0.25")
    assert [slider.key for slider in at.main.slider] == ["query", "write_rules_beta"]
    assert "Of S₂, 0.25 is kept" in said(at)


def shown(at):
    names = [say.name(rule) for rule in UPDATE_RULES]
    return list(
        dict.fromkeys(each.value.strip("*") for each in at.markdown if each.value.strip("*") in names)
    )


def test_a_fifth_rule_takes_the_place_of_the_one_chosen_longest_ago():
    at = opened()
    menu = at.pills(key="write_rules")
    menu.set_value([*USUAL, "rwkv7"]).run()
    assert shown(at) == ["decay", "delta", "gated delta", "RWKV-7"]
    assert at.pills(key="write_rules").value == ["decay", "delta", "gated_delta", "rwkv7"]
    at.pills(key="write_rules").set_value(["add", "decay", "delta", "gated_delta", "rwkv7"]).run()
    assert shown(at) == ["add", "delta", "gated delta", "RWKV-7"]
    assert "4 rules fit side by side: one more takes the place" in said(at)
    assert "Choose a write rule above" in opened(rules=[]).info[0].value


def test_the_sidebars_rule_is_among_the_first_four_until_others_are_chosen():
    at = opened(rules=None, rule="rwkv6", example="article")
    assert shown(at) == ["add", "decay", "delta", "RWKV-6"]
    at.radio(key="rule").set_value("delta").run()
    assert shown(at) == ["add", "decay", "delta", "gated delta"]
    at.pills(key="write_rules").set_value(["add", "delta"]).run()
    at.selectbox(key="other_rule").set_value("rwkv7").run()
    assert shown(at) == ["add", "delta"]


def test_the_story_says_whose_it_is_where_this_page_divides_otherwise():
    at = opened()
    assert "With the example's own settings: p₀ and p₂ share a key" in said(at)
    at.toggle(key="write_rules_divide").set_value(True).run()
    assert "With the example's own settings" not in said(at)
    assert "p₀ and p₂ share a key" in said(at)


def test_what_is_warned_of_is_this_pages_division():
    at = opened(example="cancel")
    assert not at.warning
    at.toggle(key="write_rules_divide").set_value(True).run()
    assert "y₁ is undefined" in at.warning[0].value


def test_one_token_has_no_other_key_and_no_other_order():
    assert "There is one token, so no other write disturbs" in said(opened("answers", example="general_key"))
    at = opened("kept", example="general_key")
    assert "There is one token here, so there is no other order." in said(at)
    assert "Written as" not in said(at)


def test_every_key_at_the_end_and_the_example_where_a_mean_is_wanted():
    at = opened("answers")
    assert "p₀ and p₂ have one key after φ, and the values [2, 0] and [1, 1]" in said(at)
    assert "(add: their sum; delta and gated delta: the last one)" in said(at)
    wanted = (
        "the mean [2, 1] is wanted, and, with the switch on, γ = 0.5 and β = 1, the last query gets [2, 1]"
    )
    assert wanted in said(at)
    assert "[4, 1] under delta and gated delta: a sum divided" in said(at)
    rows = at.dataframe[0].value
    assert rows["delta"].tolist() == ["[1, 1]", "[0, 3]", "[1, 1]"]
    assert rows["loss, add"].tolist() == [2, 0, 4]


def test_another_order_moves_delta_and_not_add():
    at = opened("kept")
    assert "What its own key still reads of p₀ at the end is 1 under add, 0.25 under decay" in said(at)
    assert "Written as p₂ p₁ p₀, S₃ is" in said(at)
    assert "add: the same S. A sum does not depend on its order." in said(at)
    assert "delta: row a goes [1, 1] → [2, 0], because p₀ is now the last to write to this key." in said(at)
    assert "decay: row a goes [1.5, 1] → [2.25, 0.25], because what is written earlier" in said(at)


def test_beta_is_swept_for_rules_that_have_one():
    at = opened("beta")
    assert "delta: least mean loss 0.587 at β = 0.85, 0.667 at β = 1; at β = 2 the size of S is" in said(at)
    assert "None of these rules corrects" in opened("beta", rules=["add"]).info[0].value
    assert "they have no β" not in opened("beta", rules=["rwkv7"]).info[0].value


def test_pairs_and_words_are_counted_and_their_numbers_follow_the_sliders():
    at = opened("fit")
    assert "At 32 pairs in 8 rows" in said(at)
    assert "most come back under add" in said(at)
    before = said(at)
    at.slider(key="recall_beta").set_value(0.5).run()
    assert said(at) != before


def test_an_architecture_sets_all_and_says_it():
    at = opened("named")
    assert "Linear transformer answers q₂ with [15, 17] ÷ 14: y₂ = [1.071, 1.214]." in said(at)
    at.selectbox(key="named").set_value("mamba2").run()
    assert "Mamba-2 answers q₂ with y₂ = [1.5, 1]. Its letters: C is the query, B is the key" in said(at)
    assert "**h₃, S transposed: values down, keys across**" in said(at)
    state = json.loads(at.get("plotly_chart")[0].proto.spec)["data"][0]
    assert state["text"] == [["1.5", "0"], ["1", "1.5"]]
    at.selectbox(key="named").set_value("retnet").run()
    assert "keeps the share γ \\= 0\\.96875" in said(at)
    at.select_slider(key="named_head").set_value(2).run()
    assert "keeps the share γ \\= 0\\.9921875" in said(at)
    at.selectbox(key="named").set_value("deltanet").run()
    assert "q and k are scaled to unit length first" in said(at)
    assert "DeltaNet answers q₂ with y₂ = [0.707, 0.707]." in said(at)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_draws_the_largest_tokens_and_odd_ones(part):
    at = opened(part, example="random", tokens="64", d_k="16", d_v="16")
    assert "Look at how S grows: β k·k is 68.397 for p₂₀, past 2" in said(at)
    at.selectbox(key="example").set_value("cancel").run()
    assert "Look at p₁" in said(at)


# The sentences


def test_growth_is_the_first_line_only_where_a_rule_grows_past_the_others():
    grown = of(random_tokens(24, 4, 3, seed=1))
    limit, beyond = draw.scale_of({rule: one.S for rule, one in grown.items()})
    assert "S reaches" in say.grown(grown, beyond, limit, ["p"] * 24)
    assert say.grown(of("article"), {}, 1.0, NAMES) == ""
    slow = of(random_tokens(24, 4, 3, seed=1), beta=0.01)
    limit, beyond = draw.scale_of({rule: one.S for rule, one in slow.items()})
    assert say.grown(slow, beyond, limit, ["p"] * 24) == ""


@pytest.mark.parametrize(
    ("k", "beta", "words"),
    [
        (1.0, 1.0, "0 leaves none"),
        (1.0, 1.5, "Below 0 a write goes past the value: the error changes sign, and shrinks"),
        (1.0, 2.0, "β k·k is 2: the error changes sign at every write and never shrinks"),
        (1.5, 1.0, "β k·k is past 2 for this key alone: every such write makes the error larger"),
    ],
)
def test_what_a_correction_does_to_the_error_is_named(k, beta, words):
    trace = run(Tokens([[k], [1.0]], [[k], [0.5]], [[1.0], [2.0]]), "identity", RULE["delta"], beta=beta)
    assert words in say.growth(trace, NAMES[:2])


def test_a_weight_below_0_is_said_only_where_there_is_one():
    tokens = Tokens([[1, 0]] * 2, [[1, 0], [0.6, 0.8]], [[1.0], [2.0]])
    bent = Tokens([[0.6, -0.8]] * 2, [[1, 0], [0.6, 0.8]], [[1.0], [2.0]])
    assert not any("below 0" in line for line in say.weights(of(tokens), 1, NAMES[:2]))
    lines = say.weights(of(bent), 1, NAMES[:2])
    assert any("Under add, decay, delta and gated delta 1 weight is below 0" in line for line in lines)
    assert any("that of p₁, −0.28: its value is subtracted" in line for line in lines)


def test_a_replaced_token_is_told_from_one_that_later_writes_changed():
    lines = say.weights(of("article"), 2, NAMES)
    assert "q₂·k of p₀ is 1 but its score under delta and gated delta is 0: a later token" in lines[-1]
    overlap = Tokens([[1, 0]] * 2, [[1, 0], [0.6, 0.8]], [[1.0], [2.0]])
    changed = say.weights(of(overlap, ["delta"]), 1, NAMES[:2])
    assert "q₁·k of p₀ is 1 but its score under delta is 0.64: later writes changed" in changed[-1]
    assert len(say.weights(of("orthogonal", ["delta"]), 3, NAMES)) == 1
    fading = say.weights(of(overlap, ["gated_delta"]), 1, NAMES[:2])
    assert "score under gated delta is 0.32: decay and later writes changed" in fading[-1]


def test_a_loss_that_a_write_raises_is_counted_with_its_reason():
    article = of("article")
    add, delta = (say.loss(article[rule], losses(article[rule]), NAMES) for rule in ("add", "delta"))
    assert add == "1 of 3 writes leaves a larger loss than it found, most p₂: 2 → 4."
    assert delta == "No write leaves a larger loss than it found; right after it a loss is 0."
    long = of(Tokens([[2.0]], [[2.0]], [[1.0]]), ["delta"])["delta"]
    assert "1 → 9, because its error is multiplied by 1 − β k·k = −3" in say.loss(long, losses(long), ["p₀"])
    nothing = of("cancel", ["add"], divide=True)["add"]
    none = nothing.v * np.nan
    hidden = replace(losses(nothing), loss_before=none[:, 0], loss_after=none[:, 0])
    assert "a loss is undefined" in say.loss(nothing, hidden, NAMES)


def test_values_of_many_components_are_told_by_their_losses():
    many = of(Tokens(np.eye(2) * 0.6, [[0.6, 0.8]] * 2, np.arange(10.0).reshape(2, 5)), ["add", "delta"])
    first = say.look(many, all_losses(many), 1, NAMES)
    assert "before its write 125 under add and delta; after it, 30 under add" in first
    assert "30 under add, 0 but for rounding under delta." in first or "30 under add, 0 under delta." in first
    noise = replace(all_losses(many)["delta"], loss_after=np.array([1e-30, 4e-28]))
    assert say.loss(many["delta"], noise, NAMES).endswith("right after it a loss is 0 but for rounding.")


def test_what_a_shared_key_returns_is_named():
    divided = of("article", divide=True)
    assert "add: their mean" in say.returned(divided, all_losses(divided), NAMES)
    apart = of("orthogonal")
    assert say.returned(apart, all_losses(apart), NAMES) == (
        "No two keys overlap, so no write disturbs another key's answer."
    )
    near = of(Tokens([[1, 0]] * 2, [[1, 0], [0.6, 0.8]], [[1.0], [2.0]]))
    assert "Most alike are p₀ and p₁, with cosine 0.6" in say.returned(near, all_losses(near), NAMES)


def test_the_order_that_changes_nothing_and_the_reasons():
    apart = of("orthogonal", ["add", "delta"])
    again = {rule: in_order(one, [3, 2, 1, 0]) for rule, one in apart.items()}
    assert say.shuffled(apart, again, [3, 2, 1, 0])[1] == "delta: the same S for this order."
    near = of(Tokens([[1, 0]] * 2, [[1, 0], [0.6, 0.8]], [[1.0], [2.0]]), ["delta"])
    again = {rule: in_order(one, [1, 0]) for rule, one in near.items()}
    assert "because a later write corrects what earlier ones left" in say.shuffled(near, again, [1, 0])[0]
    rounded = of(random_tokens(9, 2, 2, seed=3), ["add"])
    again = {"add": in_order(rounded["add"], range(8, -1, -1))}
    assert "the same S but for rounding" in say.shuffled(rounded, again, range(8, -1, -1))[0]
    both = of(Tokens([[1, 0]] * 2, [[1, 0], [0.6, 0.8]], [[1.0], [2.0]]), ["gated_delta", "rwkv7"])
    again = {rule: in_order(one, [1, 0]) for rule, one in both.items()}
    corrects, adds = say.shuffled(both, again, [1, 0])
    assert corrects.endswith(
        "what is written earlier has decayed more and a later write corrects what earlier ones left."
    )
    assert adds.endswith("has decayed more and a later token's b adds what its a reads of earlier ones.")
    kept = of(near["delta"].tokens, ["gated_delta"], gamma=1.0)
    again = {rule: in_order(one, [1, 0]) for rule, one in kept.items()}
    assert "decayed" not in say.shuffled(kept, again, [1, 0])[0]
    unwritten = of(near["delta"].tokens, ["gated_delta"], beta=0.0)
    assert "corrects" not in say.shuffled(unwritten, again, [1, 0])[0]
    zeros = of(Tokens(np.eye(2)[[0] * 3], [[0, 0], [0, 0], [1, 0]], [[5.0], [4.0], [1.0]]), ["gated_delta"])
    again = {rule: in_order(one, [2, 1, 0]) for rule, one in zeros.items()}
    assert "last to write" not in say.shuffled(zeros, again, [2, 1, 0])[0]
    assert say.order(range(20)) == "p₀ p₁ p₂ p₃ p₄ p₅ p₆ p₇ … p₁₇ p₁₈ p₁₉"


def test_a_query_that_reads_before_the_write_is_said_to():
    tokens = example("negative").tokens
    runs = of("negative", ["add", "rwkv6", "rwkv7"])
    assert say.read(runs["RWKV-6"], 2).startswith(
        "q₂ reads S₂, before this write, and its own token times u = 0: [2, 3]"
    )
    assert say.read(runs["RWKV-7"], 2).startswith("q₂ reads the numerator [−1.5, 1]")
    bonus = run(tokens, "identity", "rwkv6", gamma=0.5, u=0.5)
    assert "and its own token times u = 0.5: [1, 2]" in say.read(bonus, 2)
    before = run(tokens, "identity", "add", read_before_write=True, normalize=False)
    assert say.read(before, 2).startswith("q₂ reads S₂, before this write: [4, 3]")
    assert "numerator" in say.read(run(tokens, "identity", "rwkv6", read="full"), 2)
    assert "It reads S₂, before this write, and its own" in say.named(
        architecture("rwkv6"), runs["RWKV-6"], 2
    )
    assert "It reads" not in say.named(architecture("rwkv7"), runs["RWKV-7"], 2)


def test_rwkv7_adds_along_b_what_a_reads():
    tokens = example("negative").tokens
    one = run(tokens, "identity", "rwkv7", gamma=0.5)
    assert "a₂ reads [0.707, −2.121] of S₂, which b₂ adds; then v₂ = [4, 4] is added" in say.wrote(one, 2)
    half = run(tokens, "identity", "rwkv7", gamma=0.5, beta=0.5)
    assert "of S₂, times β = 0.5, which b₂ adds" in say.wrote(half, 2)


def test_no_vector_of_undefined_is_printed():
    divided = of("cancel", divide=True)
    first = say.look(divided, all_losses(divided), 1, ["p₀", "p₁"])
    assert (
        "after it, [6, 5] under decay, [4, 3] under delta and gated delta, and no answer under add" in first
    )
    assert first.endswith("under add, because the scores sum to 0.")
    lines = say.weights(divided, 1, ["p₀", "p₁"])
    assert lines[:2] == [
        "The weights of q₁ sum to 1 under decay, delta and gated delta.",
        "Under add q₁ has no weights, because its scores sum to 0.",
    ]
    assert say.weights({"add": divided["add"]}, 1, ["p₀", "p₁"])[0].startswith("Under add q₁ has no weights")
    assert "undefined" not in " ".join([first, *lines])
    alone = losses(divided["add"])
    assert "After 1 of 2 writes the key has no answer" in say.loss(divided["add"], alone, ["p₀", "p₁"])
    assert "no answer" not in say.loss(divided["delta"], losses(divided["delta"]), ["p₀", "p₁"])
    assert say.answer(divided["add"], alone.after[1]) == "no answer"
    zeros = of(
        Tokens([[0, 0], [0, 0]], [[0, 0], [0, 0]], np.arange(10.0).reshape(2, 5)), ["add"], divide=True
    )
    wide = say.look(zeros, all_losses(zeros), 1, NAMES)
    assert wide.endswith("after it, no answer under add, because the scores sum to 0.")


def test_a_token_does_not_replace_itself_for_a_query_that_reads_before_it():
    one = Tokens([[1, 0]] * 3, [[1, 0], [0.6, 0.8], [1, 0]], [[1.0], [2.0], [3.0]])
    before = run(one, "identity", "delta", read_before_write=True)
    assert "score under delta is 0.64: later writes changed" in say.weights({"delta": before}, 2, NAMES)[-1]
    after = run(one, "identity", "delta")
    assert "a later token with the same key replaced it" in say.weights({"delta": after}, 2, NAMES)[-1]


def test_an_eps_is_part_of_what_is_divided_by():
    one = run(example("article").tokens, "identity", eps=0.5)
    assert say.read(one, 2) == "q₂ reads the numerator [3, 1]; ÷ score sum 2 + 0.5 it is y₂ = [1.2, 0.4]."
    linear = architecture("linear_transformer")
    assert "with [3, 1] ÷ (2 + 0.5): y₂ = [1.2, 0.4]" in say.named(linear, one, 2)


def test_an_order_that_moves_only_the_last_digits_has_no_reason():
    turned = Tokens(np.eye(2), [[0.6, 0.8], [-0.8, 0.6]], [[0.1], [0.7]])
    runs = of(turned, ["delta"])
    rounded = replace(runs["delta"], states=runs["delta"].states * (1 + 1e-15))
    said = say.shuffled(runs, {"delta": rounded}, [1, 0])[0]
    assert said.startswith("delta: the same S for this order but for rounding (")
    moved = replace(runs["delta"], states=runs["delta"].states * 1.01)
    assert "because a later write corrects" in say.shuffled(runs, {"delta": moved}, [1, 0])[0]


def test_an_undefined_answer_is_said():
    divided = of("cancel", ["add"], divide=True)
    assert (
        say.read(divided["add"], 1)
        == "q₁ reads the numerator [−2, −2]; the score sum is 0, so y₁ is undefined."
    )
    linear = architecture("linear_transformer")
    assert "has no answer for q₁: the score sum is 0" in say.named(linear, divided["add"], 1)


def test_what_is_left_is_told_of_a_token_that_has_something_to_read():
    zeros = of(Tokens(np.eye(2)[[0, 0]], [[0, 0], [1, 0]], [[1.0], [2.0]]))
    assert "still reads of p₁ at the end" in say.left({r: left(one) for r, one in zeros.items()}, NAMES)
    none = of(Tokens([[1, 0]], [[0, 0]], [[1.0]]))
    assert (
        say.left({r: left(one) for r, one in none.items()}, NAMES) == "No key reads anything back at the end."
    )


def test_labels_are_text():
    hostile = ["p₀ <b>$x$", "p₁ **y**", "p₂ \\z"]
    article = of("article")
    assert r"\\z" in say.look(article, all_losses(article), 2, hostile)
    assert r"\<b\>\$x\$" in say.returned(article, all_losses(article), hostile)
    assert r"\<b\>\$x\$" in say.weights(article, 2, hostile)[-1]
    assert r"\<b\>\$x\$" in say.left({rule: left(one) for rule, one in article.items()}, hostile)


def test_the_capacity_sentence_names_the_best_of_the_numbers():
    curves = {rule: recall.held(rule, "random", 4) for rule in ("add", "delta")}
    assert "At 4 pairs in 4 rows" in say.held(curves, 4)
    assert "Least with delta, most with add." in say.held(curves, 4)
    assert "Least with delta, most with add." in say.held({"delta": curves["delta"], "add": curves["add"]}, 4)
    swapped = {"add": curves["delta"], "delta": curves["add"]}
    assert "Least with add, most with delta." in say.held(swapped, 4)
    tied = {"decay": replace(curves["delta"], mean=curves["delta"].mean + 1e-6)} | curves
    assert "Least with decay and delta, most with add." in say.held(tied, 4)
    alike = {"add": np.array([0.5]), "decay": np.array([0.501]), "delta": np.array([0.75])}
    assert "fewest under add and decay (50 %)" in say.recalled(alike, (2,), 8)
    shares = {"add": np.array([0.5, 1.0]), "delta": np.array([0.75, 0.25])}
    assert say.recalled(shares, (2, 4), 8) == (
        "Of 8 pairs, with 2 rows most come back under delta (75 %) and fewest under add (50 %); "
        "with 4 rows most come back under add (100 %) and fewest under delta (25 %)."
    )


# The figures


def test_one_scale_is_that_of_the_rules_that_stay_near_each_other():
    limit, beyond = draw.scale_of(
        {"add": np.array([3.0, -4]), "delta": np.array([1.0]), "far": np.array([1e6])}
    )
    assert limit == 4
    assert beyond == {"far": 1e6}
    many = np.append(np.linspace(0.5, 1, 99), 50.0)
    assert draw.scale_of({"add": many})[0] == 50
    assert draw.scale_of({"add": many}, many=17)[0] < 2
    assert draw.scale_of({"add": np.zeros(2), "delta": np.full(1, np.nan)}) == (1.0, {})


def test_a_map_shows_the_weights_with_the_query_framed_and_pools_what_is_too_large():
    w, seen = np.array([[1.0, 9.0], [-0.5, 1.0]]), np.tri(2, dtype=bool)
    drawn = draw.weights(w, seen, LIGHT, labels=["p₀ cat", "p₁"], limit=2.0, t=1)
    assert_array_equal(drawn.data[0].z, [[1, np.nan], [-0.5, 1]])
    assert drawn.layout.yaxis.autorange == "reversed"
    assert (drawn.data[0].zmin, drawn.layout.shapes[0].y0) == (-2.0, 0.5)
    z = np.arange(16.0).reshape(4, 4)
    z[0, 0] = -20
    assert_array_equal(draw.pooled(z, 2), [[-20, 7], [13, 15]])
    assert_array_equal(draw.pooled(np.array([[np.nan, np.nan, 1]]), 2), [[np.nan, 1]])
    many = draw.left(np.eye(130), LIGHT, labels=["p"] * 130)
    assert many.data[0].z.shape == (44, 44)


def test_losses_that_are_far_apart_get_an_axis_of_powers():
    near, far = draw.axis_of("loss", np.array([1.0, 2])), draw.axis_of("loss", np.array([1.0, 2, 1e9]))
    assert near["range"] == [0, 2.1]
    assert far["type"] == "log"
    assert far["range"][0] <= 0 < 9 <= far["range"][1]
    assert draw.axis_of("loss", np.zeros(2))["range"] == [0, 1]
    each = losses(of("article")["add"])
    drawn = draw.losses(each, LIGHT, labels=NAMES, axis=near, t=2)
    assert_array_equal(drawn.data[0].y, [4, 9, 2])
    assert_array_equal(drawn.data[1].y, [0, 0, 4])
    assert drawn.layout.shapes[0].x0 == 2


def test_a_sweep_marks_the_beta_in_use_and_where_growth_begins():
    swept = {"delta": sweep(of("article")["delta"], np.array([0.0, 1.0, 2.0]))}
    drawn = draw.sweep(swept, "loss", LIGHT, 1.0, 2.0)
    assert [shape.x0 for shape in drawn.layout.shapes] == [1, 2]
    assert len(draw.sweep(swept, "loss", LIGHT, None, 2.5).layout.shapes) == 0
    assert_array_equal(drawn.data[0].y, [5, 2 / 3, 13])
