"""What a fixed-size state mixes: the sentences follow the numbers, every part is drawn from any tokens."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest
from visits import visit

from linattn_core import Tokens, example, random_tokens, read_back, reading, run
from linattn_core.mixing import ask, capacity, denominators, other_values, run_again, ways
from linattn_core.update_rules import UPDATE_RULES
from linattn_ui import theme
from linattn_ui.figures import mixing as draw
from linattn_ui.words import mixing as say
from linattn_ui.words.answers import no_answer

PARTS = ("lists", "back", "fit", "other", "ask")
NAMES = ["p₀", "p₁", "p₂", "p₃"]
LIGHT = theme.colours(False)


def opened(part="lists", **query):
    at = visit("4_Mixing", **query)
    return at if part == "lists" else turned(at, part)


def turned(at, part):
    return at.segmented_control(key="mixing_part").set_value(part).run()


def said(at):
    assert not at.exception
    return " ".join(text.value for text in (*at.markdown, *at.caption, *at.info))


def shown(trace):
    """The page's parts of a run that no menu leads to yet."""

    def script(trace):
        from linattn_core import example
        from linattn_ui import mixing, state
        from linattn_ui.settings import Settings

        state.start()
        record = example("article")
        mixing.show(Settings(record, trace.settings.phi, trace.settings.rule), trace)

    return AppTest.from_function(script, args=(trace,), default_timeout=30).run()


def of(key, **options):
    record = example(key)
    return run(record.tokens, **(record.settings | options))


def reads_of(trace, *orders, t=-1):
    return [reading(trace, trace.tokens.q[t], order) for order in orders]


# The page


def test_it_opens_on_the_token_that_is_mixed_most():
    at = opened()
    assert at.title[0].value == "What a fixed-size state mixes"
    assert "Look at p₀: read with its own key, S₃ answers [1.5, 0.5], not its value [2, 0]." in said(at)
    assert "p₂ weighs 0.5 in that answer, and the token itself 0.5" in said(at)


def test_two_lists_of_the_article_end_in_one_state():
    at = opened()
    assert "Component a of the values goes p₀ from 2 to 1 and p₂ from 1 to 2." in said(at)
    assert "differ by 0. The query of p₂ reads [3, 1] ÷ 2 = [1.5, 0.5] from both." in said(at)
    at.slider(key="mixing_far").set_value(-2.0).run()
    assert "p₀ from 2 to 4 and p₂ from 1 to −1" in said(at)
    at.selectbox(key="mixing_component_2").set_value(1).run()
    assert "Component b of the values goes p₀ from 0 to 2" in said(at)


@pytest.mark.parametrize("name", ["cancel", "general_key"])
def test_every_part_is_drawn(name):
    at = opened(example=name)
    for part in PARTS:
        assert said(turned(at, part))
    turned(at, "other")
    assert "Without p₀" in said(at)
    at.segmented_control(key="mixing_change").set_value("order").run()
    assert ("In the order p₁ p₀" in said(at)) == (name == "cancel")


def test_64_tokens_are_drawn_in_less_than_400_kilobytes_a_part():
    at = opened(example="random", tokens="64", d_k="16", d_v="16")
    assert "16 of the 64 keys are linearly independent" in said(at)
    assert "768 of the list's 1024 value numbers" in said(at)
    for part in PARTS:
        turned(at, part)
        assert said(at)
        assert sum(len(chart.proto.spec) for chart in at.get("plotly_chart")) < 400_000


def test_with_decay_the_order_is_in_the_state_and_with_add_it_is_not():
    at = opened("other", example="article")
    at.segmented_control(key="mixing_change").set_value("order").run()
    assert "In the order p₂ p₁ p₀ S₃ comes out the same: a sum has no order." in said(at)
    at.radio(key="rule").set_value("decay").run()
    assert "what is written last has decayed least" in said(at)


def test_queries_that_see_later_tokens_and_menus_that_lose_entries():
    at = opened("back", example="sentence")
    at.selectbox(key="mixing_key_12").set_value(11).run()
    assert "Read with its own key, p₁₁ house" in said(at)
    at.selectbox(key="example").set_value("article").run()
    assert "Read with its own key, p₀ weighs 0.5, beside it p₂ 0.5." in said(at)
    at.toggle(key="later").set_value(True).run()
    for part in PARTS:
        assert said(turned(at, part))


def test_another_query_starts_the_sliders_anew():
    at = opened("ask")
    assert "q = [1, 0] scores [1, 0, 1], in all 2. p₀ and p₂ weigh most, 0.5 each; y = [1.5, 0.5]." in said(
        at
    )
    at.slider(key="mixing_q_0_1_2").set_value(-1.0).run()
    assert "in all −2. The sum is below 0" in said(at)
    at.slider(key="query").set_value(1).run()
    assert "q = [0, 1] scores [0, 1, 0]" in said(at)


def test_a_click_moves_both_sliders():
    def script():
        import streamlit as st

        from linattn_ui.state import pad

        st.session_state["chart"] = {"selection": {"points": [{"x": 0.5, "y": -1}]}}
        pad.clicked("chart", ["one", "other"])
        st.session_state["chart"] = {"selection": {"points": []}}
        pad.clicked("chart", ["one", "other"])

    at = AppTest.from_function(script).run()
    assert not at.exception
    assert (at.session_state["one"], at.session_state["other"]) == (0.5, -1.0)


@pytest.mark.parametrize("rule", ["delta", "gated_delta", "rwkv6", "rwkv7"])
def test_rules_that_correct_have_every_part_too(rule):
    tokens = random_tokens(4, 3, 2, seed=3)
    at = shown(run(tokens, "l2", rule))
    assert "As S₄ keeps them, 3 of the 4 keys are linearly independent." in said(at)
    assert "No query of S₄ can tell the two lists apart." in said(at)
    for part in PARTS[1:]:
        assert said(turned(at, part))


def test_what_no_part_can_be_drawn_of_is_said():
    tokens = random_tokens(4, 3, 2, seed=3)
    each = Tokens(tokens.q, tokens.k, tokens.v, beta=np.full((4, 2), 0.5))
    assert "This page needs one β per key" in said(shown(run(each, "l2", UPDATE_RULES[2])))


def test_a_state_too_large_to_print_is_said():
    at = shown(run(Tokens([[1]] * 2, [[900]] * 2, [[1], [2]]), "exp"))
    for part in ("lists", "fit", "other"):
        assert "too large to print" in said(turned(at, part))
    for part in ("back", "ask"):
        assert "y = [1.5]" in said(turned(at, part)) or "1.5" in said(at)
    keys = [[1e200]] * 3
    for rule, start in (("add", "the sums"), ("delta", "the numerator")):
        at = shown(run(Tokens(keys, keys, [[1], [2], [3]]), "identity", rule))
        for part in PARTS:
            assert f"with each of them {start} leave" in said(turned(at, part))
    large = 2.0**664  # and what is carried in answers each key with 1, so that nothing is written
    one_key = Tokens([[large]] * 3, [[large]] * 3, [[0], [0], [0]])
    at = shown(run(one_key, "identity", "delta", initial=([[0.0]], [1 / large])))
    assert "gives its own value, by weights past 1.8e308." in said(at)
    assert "needs to be finite" in said(at)


# Its words


def test_where_nothing_is_mixed_the_first_line_says_so():
    for key, end in (("orthogonal", "4 rows for 4 keys"), ("general_key", "2 rows for 1 key")):
        trace = of(key)
        assert say.look(trace, read_back(trace), NAMES).endswith(f"which has {end}.")
    trace = of("cancel")
    assert say.look(trace, read_back(trace), NAMES).startswith("No key can be read back from S₂")
    row = run(Tokens([[1]], [[2]], [[3]]), "identity")
    assert say.look(row, read_back(row), NAMES).endswith("which has 1 row for 1 key.")
    alone = run(Tokens([[1]], [[2]], [[3]]), "identity", normalize=False)
    assert say.look(alone, read_back(alone), NAMES[:1]).endswith("Its own weight is 4.")


def test_nothing_is_mixed_only_where_every_key_answers_from_itself_alone():
    equal = run(Tokens([[1, 0]] * 2, [[1, 0]] * 2, [[5], [5]]), "identity")
    assert say.look(equal, read_back(equal), NAMES) == (
        "Every key that can be read back gives its own value, though p₀ not from itself alone: p₁ weighs 0.5 "
        "in that answer, and the token itself 0.5."
    )
    keys = [[0, 1], [1, 0], [-1, 0]]
    some = run(Tokens(keys, keys, [[5], [6], [7]]), "identity")
    assert say.look(some, read_back(some), NAMES).endswith("With that of p₁ the scores sum to 0.")


def test_no_answer_has_its_reason():
    keys = [[1.0]] * 2
    for scores, options, why in (
        ([1, -1], {}, "the scores sum to 0"),
        ([1, -2], {"eps": 1.0}, "the scores sum to −1, and eps makes that 0"),
        ([1e200, 1e200], {"scale": 1e200}, "the sums leave the range of floats"),
        ([1e200, 1e200], {"scale": 1e200, "normalize": False}, "the numerator leaves the range of floats"),
    ):
        trace = run(Tokens(keys, np.array(scores)[:, None], [[2], [3]]), "identity", **options)
        one = ask(trace, [[1.0]])
        assert no_answer(one, 0).startswith(why)
        assert why in say.asked(trace, one, NAMES) or "Nothing can be divided by 0" in say.asked(
            trace, one, NAMES
        )
        assert "undefined]" not in say.asked(trace, one, NAMES)
    assert no_answer(of("article"), 2) == ""


def test_labels_are_text():
    trace = of("article")
    hostile = ["<b>$x$", "*y*", "[z](w)"]
    for sentence in (
        say.look(trace, read_back(trace), hostile),
        say.back(read_back(trace), 0, hostile),
        say.why(trace, np.array([1, 0, 0]), hostile),
        say.left_out(trace, 0, reads_of(trace, [0, 1, 2], [1, 2]), hostile),
        say.asked(trace, ask(trace, [[1, 0]]), hostile),
    ):
        assert r"\<b\>\$x\$" in sentence


def test_freedom_counts_what_the_state_does_not_tell():
    said_of = {key: say.freedom(of(key), len(ways(of(key)))) for key in ("article", "same_key", "orthogonal")}
    assert said_of["article"].startswith("2 of the 3 keys are linearly independent.")
    assert said_of["article"].endswith("does not tell 2 of the list's 6 value numbers.")
    assert said_of["same_key"].startswith("1 of the 3 keys is linearly independent.")
    assert said_of["orthogonal"].startswith("These 4 keys are linearly independent, so no other values")
    assert say.freedom(of("general_key"), 0).startswith("This key is linearly independent")
    assert say.freedom(of("article", phi="cosformer"), 0).startswith("After φ, these 3 keys are linearly")
    lost = run(Tokens([[0, 0]] * 2, [[0, 0]] * 2, [[1], [2]]), "identity")
    assert say.freedom(lost, 2) == "All 2 keys are 0, so the state tells nothing of their values."
    alone = run(Tokens([[1]], [[1]], [[3]]), "identity", "delta", initial=([[1.0]], [1.0]))
    assert say.freedom(alone, 0).endswith(
        "whoever knows what S₁ keeps of it, and what was carried in, can work out the value."
    )
    assert say.freedom(run(Tokens([[1]], [[0]], [[3]]), "identity", "delta"), 1) == (
        "As S₁ keeps it, the key is 0, so the state tells nothing of its value."
    )


def test_what_always_leaves_a_way_leaves_one():
    one_key, both = [[1.0, 0.5], [0.2, -1.0], [1.0, 0.5]], "Two tokens with one key, or more tokens than"
    tokens = Tokens(one_key, one_key, [[1], [2], [3]])
    uneven = Tokens(one_key, one_key, [[1], [2], [3]], log_decay=[[-1.0, -0.1]] * 3)
    for phi, options, promised in (
        ("taylor2", {}, True),
        ("taylor2", {"rule": "decay", "gamma": 0.8}, True),
        ("taylor2", {"rule": "rwkv6"}, True),
        ("cosformer", {}, False),
        ("taylor2", {"rule": "delta"}, False),
        ("taylor2", {"rule": "rwkv7"}, False),
        ("elu1", {"rule": "decay"}, False),
    ):
        trace = run(uneven if phi == "elu1" else tokens, phi, **options)
        assert say.always(trace).startswith(both) == promised
        assert len(ways(trace)) >= promised
        assert f"components of φ(k), here {trace.k.shape[1]}, always" in say.always(trace)
    assert "than key components, here 2, always" in say.always(of("article"))
    at = opened(example="random", tokens="7", d_k="3", d_v="1", phi="taylor2", rule="decay", gamma="0.8")
    assert "more tokens than components of φ(k), here 10, always leave a way" in said(at)
    at = opened(example="article", phi="cosformer")
    assert "More tokens than components of φ(k), here 4, always leave a way." in said(at)
    assert "with one key" not in said(at)


def test_why_the_state_does_not_notice_follows_the_keys():
    article, relu = of("article"), of("dead_relu")
    assert say.why(article, ways(article)[0], NAMES).endswith("add up to 0: −1·[1, 0] + 1·[1, 0].")
    decayed = of("article", rule="decay", gamma=0.5)
    assert say.why(decayed, ways(decayed)[0], NAMES).endswith(
        "after all decay, add up to 0: 4·[0.25, 0] − 1·[1, 0]."
    )
    assert say.why(relu, ways(relu)[0], NAMES) == "S₄ keeps [0, 0] of the key of p₀: any value is lost in it."
    many = run(random_tokens(6, 4, 1, seed=2))
    assert "The 5 keys, as S₆ keeps them, add up to 0" in say.why(many, ways(many)[0], [*NAMES, "p₄", "p₅"])
    delta = of("article", rule="delta")
    assert say.why(delta, ways(delta)[0], NAMES) == (
        "S₃ keeps [0, 0] of the key of p₀, after all later writes: any value is lost in it."
    )


def test_what_trades_is_named():
    assert say.way_title(np.array([1, 0, -1])) == "p₀ and p₂"
    assert say.way_title(np.array([0, 1])) == "p₁ alone"
    trace = of("article")
    assert "move the slider" in say.trade(trace, trace, ways(trace)[0], 0, NAMES)


def test_rounding_is_called_so_and_two_reads_are_told_apart():
    trace = run(random_tokens(6, 3, 2, seed=1))
    again = run_again(trace, other_values(trace, ways(trace)[0]), range(6))
    reads = [reading(each, trace.tokens.q[0], range(6)) for each in (trace, again)]
    assert "which is rounding" in say.alike(trace, again, reads, "p₀")
    assert " from both." in say.alike(trace, again, reads, "p₀")
    assert "from yours and" in say.alike(trace, again, reads[:1] + reads_of(trace, [0]), "p₀")


def test_a_key_read_back_is_said_with_its_neighbours():
    article, cancel = read_back(of("article")), read_back(of("cancel"))
    assert say.back(article, 0, NAMES).startswith("Read with its own key, p₀ weighs 0.5, beside it p₂ 0.5.")
    assert say.back(article, 0, NAMES).endswith("is 0.707 away from its value [2, 0].")
    assert say.back(article, 1, NAMES).endswith(
        "no other token has any weight. The answer [0, 3] is its value."
    )
    assert say.back(cancel, 0, NAMES) == "There is no answer to the key of p₀: the scores sum to 0."
    assert say.how_many(article, NAMES[:3]) == "1 of the 3 keys gives its own value back (p₁)."
    assert say.how_many(cancel, NAMES[:2]).endswith("2 have no answer: the scores sum to 0.")
    assert say.how_many(read_back(of("orthogonal")), NAMES) == "All 4 keys give their own values back."
    assert say.how_many(read_back(of("general_key")), NAMES[:1]) == "The key gives its own value back."
    halved = read_back(of("general_key", eps=0.5))
    assert say.how_many(halved, NAMES[:1]) == "The key does not give its own value back."
    at = opened("back", example="cancel")
    assert at.dataframe[0].value["weight × value"].tolist() == ["undefined", "undefined"]


def test_capacity_is_said_of_the_rows_it_has():
    for d_k in (1, 5):
        one = capacity(d_k, seeds=3)
        over = one.difference["orthogonal"][:, one.counts == d_k + 1].mean()
        words = say.fits(one, 2)
        assert f"{d_k} orthogonal key{'s' if d_k > 1 else ''} with a difference of 0." in words
        assert f"{over:.2f}".rstrip("0") in words
        assert f"The rank of S stops at {d_k}." in words
    assert say.own_rank(of("article")) == (
        "Your tokens: S₃ has rank 2, and could have min(3 tokens, 2 rows, 2 columns) = 2."
    )
    assert "has rank 1, and could have min(1 token," in say.own_rank(of("general_key"))
    narrow = run(Tokens([[1]] * 2, [[1]] * 2, [[1], [2]]))
    assert say.own_rank(narrow).endswith("min(2 tokens, 1 row, 1 column) = 1.")


def test_leaving_out_is_subtracting_under_add_alone():
    for options, what in (
        ({}, "S loses exactly what p₀ wrote."),
        (
            {"rule": "decay", "gamma": 0.5},
            "S changes by up to 0.5: what p₀ had left there.",
        ),
        ({"rule": UPDATE_RULES[2]}, "S is the same: nothing of p₀ is left in it."),
    ):
        trace = of("article", **options)
        assert what in say.left_out(trace, 0, reads_of(trace, [0, 1, 2], [1, 2]), NAMES)
    trace = of("article", rule="decay", gamma=0.5)
    assert ": what p₁ had left there, and one decay less for what came before it." in say.left_out(
        trace, 1, reads_of(trace, [0, 1, 2], [0, 2]), NAMES
    )
    trace = of("article", phi="cosformer")
    assert "had left there is gone, and later tokens stand one position earlier." in say.left_out(
        trace, 0, reads_of(trace, [0, 1, 2], [1, 2]), NAMES
    )
    for rule, words in (("add", "S loses exactly what p₂ wrote."), ("decay", "one decay less for what came")):
        trace = of("article", phi="cosformer", rule=rule)
        assert words in say.left_out(trace, 2, reads_of(trace, [0, 1, 2], [0, 1]), NAMES)
    trace = run(Tokens([[1]] * 2, [[1]] * 2, [[1e6], [0.013]]), "identity")  # rounding takes part of it
    assert "S loses exactly what p₁ wrote. The" in say.left_out(trace, 1, reads_of(trace, [0, 1], [0]), NAMES)
    trace = of("article", rule="rwkv7")
    assert "S changes by up to" in say.left_out(trace, 1, reads_of(trace, [0, 1, 2], [0, 2]), NAMES)
    assert "had left" not in say.left_out(trace, 1, reads_of(trace, [0, 1, 2], [0, 2]), NAMES)
    trace = of("cancel")
    assert "read [−2, −2] ÷ 0 = undefined; now" in say.left_out(trace, 0, reads_of(trace, [0, 1], [1]), NAMES)
    trace = of("article")
    assert say.left_out(trace, 1, reads_of(trace, [0, 1, 2], [0, 2]), NAMES).endswith(
        "= [1.5, 0.5], as before."
    )


def test_writing_twice_doubles_a_part_or_all_of_it():
    article, lone, decayed = of("article"), of("general_key"), of("article", rule="decay", gamma=0.5)
    twice = [0, 0, 1, 2]
    words = say.twice(article, 0, reads_of(article, [0, 1, 2], twice), NAMES)
    assert words.startswith("Written twice, p₀ doubles its part of the numerator: from [2, 0] to [4, 0].")
    words = say.twice(lone, 0, reads_of(lone, [0], [0, 0]), NAMES)
    assert "doubles the numerator and the score sum alike." in words
    assert words.endswith("now [2, 2] ÷ 2 = [1, 1].")
    assert "p₀ changes the numerator by [0.25, 0]." in say.twice(
        decayed, 0, reads_of(decayed, [0, 1, 2], twice), NAMES
    )
    raw = of("general_key", normalize=False)
    assert "numerator. The query read [1, 1]; now [2, 2]." in say.twice(
        raw, 0, reads_of(raw, [0], [0, 0]), NAMES
    )


def test_a_second_copy_that_does_nothing_has_its_reason():
    dead, unseen, null = of("dead_relu"), of("article"), Tokens([[1]] * 2, [[1]] * 2, [[0], [1]])
    null = run(null, "identity")
    for trace, t, words in (
        (dead, 0, "The key of p₀ is 0 after φ: once or twice, it writes nothing."),
        (of("dead_relu", phi="identity"), 0, "Written twice, p₀ doubles its part of the numerator"),
        (unseen, 1, "Written twice, p₁ leaves the numerator as it is: the query scores p₁ 0."),
        (null, 0, "Written twice, p₀ leaves the numerator as it is: its value is 0."),
        (of("article", rule="delta"), 0, "Written twice, p₀ changes nothing in S."),
        (of("article", rule="decay", gamma=1.0), 1, "Written twice, p₁ leaves the numerator as it is. "),
    ):
        T = len(trace.k)
        order = sorted([*range(T), t])
        assert say.twice(trace, t, reads_of(trace, range(T), order), NAMES).startswith(words)
    zero = run(Tokens([[1]], [[0]], [[3]]), "identity")
    assert say.twice(zero, 0, reads_of(zero, [0], [0, 0]), NAMES).startswith("The key of p₀ is 0: once")


def test_why_the_order_matters_follows_the_rule_and_the_map():
    order = [2, 1, 0]
    for options, because in (
        ({}, "comes out the same: a sum has no order."),
        ({"rule": "decay", "gamma": 0.5}, "what is written last has decayed least"),
        ({"rule": UPDATE_RULES[2]}, "what a token writes depends on what is there already"),
        ({"phi": "cosformer"}, "φ depends on where a token stands"),
    ):
        trace = of("article", **options)
        assert because in say.other_order(trace, order, reads_of(trace, [0, 1, 2], order))
    apart = of("orthogonal", rule="delta")
    assert "S₄ comes out the same. The query" in say.other_order(
        apart, [3, 2, 1, 0], reads_of(apart, range(4), [3, 2, 1, 0])
    )
    assert say.other_order(of("general_key"), [0], []) == "One token has no other order."


def test_a_query_is_told_what_it_gets():
    for key, q, words in (
        ("article", [1, 0], "p₀ and p₂ weigh most, 0.5 each; y = [1.5, 0.5]."),
        ("article", [-1, 0.5], "in all −1.5. The sum is below 0, so dividing turns every sign round."),
        ("article", [1, -2], "in all 0. Nothing can be divided by 0, so y is undefined."),
        ("negative", [2, 1], "p₀ weighs most, 0.8"),
    ):
        trace = of(key)
        assert words in say.asked(trace, ask(trace, [q]), NAMES)
    raw = of("article", normalize=False)
    assert say.asked(raw, ask(raw, [[1, 0]]), NAMES).endswith("This run does not divide: y = [3, 1].")
    eps = of("article", eps=0.5)
    assert "in all 2, with eps 2.5. p₀ and p₂ weigh most, 0.4" in say.asked(eps, ask(eps, [[1, 0]]), NAMES)
    carried = run(Tokens([[1]], [[0]], [[1]]), "identity", initial=([[6.0]], [2.0]))
    assert say.asked(carried, ask(carried, [[1]]), NAMES).endswith(
        "scores [0], in all 2 with what was carried in. No token has any weight; y = [3]."
    )


def test_the_shaded_part_is_measured():
    assert say.shaded(np.array([[1, 1], [1, 0]])) == (
        "Shaded, 25 % of this plane: the score sum is 0, so y is undefined."
    )
    assert "Shaded, 75 % of this plane: the score sum is 0 or below." in say.shaded(np.array([-1, 0, 0, 1]))
    assert say.shaded(np.zeros(4)).startswith("All of this plane is shaded: the score sum is 0, so")
    few = np.array([-1] + [1] * 999)
    assert say.shaded(few).startswith("Shaded, less than 1 %")
    assert say.shaded(-few).startswith("Shaded, more than 99 %")
    assert "In all of this plane the score sum is above 0." in say.shaded(np.ones((2, 2)))
    assert "In all of this plane the score sum plus eps is above 0." in say.shaded(np.ones((2, 2)), 0.5)
    assert "no score sum" in say.shaded(np.full((2, 2), np.nan))


def test_nothing_is_shaded_where_nothing_is_divided():
    at = opened("ask", example="article")
    assert "Shaded, 50 % of this plane" in said(at)
    assert _fills(at) == 1
    at.radio(key="rule").set_value("delta").run()
    assert "This run does not divide: y = [1, 1]." in said(at)
    assert "score sum is" not in said(at)
    assert "haded" not in said(at)
    assert _fills(at) == 0


def _fills(at):
    return sum(chart.proto.spec.count('"contour"') for chart in at.get("plotly_chart"))


# Its figures


def test_the_lists_have_a_frame_around_each_row_that_changed():
    drawn = draw.values(example("article").tokens.v, LIGHT, labels=NAMES[:3], limit=3.0, changed=[0, 2])
    assert_array_equal(drawn.data[0].z, [[2, 0], [0, 3], [1, 1]])
    assert drawn.layout.yaxis.range == (2.5, -0.5)  # p₀ at the top
    assert_array_equal(np.unique(drawn.data[1].y[np.isfinite(drawn.data[1].y)]), [-0.5, 0.5, 1.5, 2.5])


def test_z_stands_apart_with_a_scale_of_its_own():
    trace = of("article")
    drawn = draw.state(trace.S[3], trace.z[3], LIGHT, limits=(3.0, 2.0))
    assert_array_equal(drawn.data[0].z, [[3, 1], [0, 3]])
    assert_array_equal(drawn.data[1].z, [[2], [1]])
    assert (drawn.data[0].zmax, drawn.data[1].zmax) == (3.0, 2.0)
    assert drawn.layout.xaxis.ticktext == ("a", "b", "z")
    wide = run(random_tokens(4, 16, 16, seed=1))
    assert draw.state(trace.S[3], trace.z[3], LIGHT, limits=(3.0, 2.0), most=1).data[1].text is None
    assert drawn.data[1].text is not None
    assert draw.state(wide.S[4], wide.z[4], LIGHT, limits=(1.0, 1.0)).layout.xaxis.ticktext[-1] == "z"


@pytest.mark.parametrize("T", [3, 12, 13, 40])
def test_the_pieces_of_a_bar_add_up_to_its_weights(T):
    trace = run(random_tokens(T, 3, 2, seed=T), "identity", normalize=False)
    asked = read_back(trace)
    drawn = draw.shares(asked, LIGHT, [f"p{t}" for t in range(T)])
    total = np.sum([np.nan_to_num(bar.y) for bar in drawn.data], axis=0)
    assert_allclose(total, asked.weights().sum(axis=1), atol=1e-9)
    assert len(drawn.data) == (T + 1 if T <= 12 else 4)
    assert_allclose(drawn.data[0].y, np.diagonal(asked.weights()))


def test_the_line_stands_at_the_rows_of_the_state():
    one = capacity(4, seeds=2)
    for drawn in (draw.capacity(one, LIGHT), draw.rank(one, LIGHT)):
        assert drawn.layout.shapes[0].x0 == 4
        assert drawn.layout.annotations[0].text == "4 rows"
    band, mean = draw.capacity(one, LIGHT).data[:2]
    assert (band.y[: len(one.counts)] <= mean.y).all()
    assert_array_equal(mean.y, one.difference["random"].mean(axis=0))


def test_the_plane_is_shaded_where_the_score_sum_is_not_above_0():
    places, trace = np.linspace(-1, 1, 3), of("negative")
    given = {"places": places, "axes": ["a", "b"], "labels": NAMES[:3]}
    signs = np.sign(denominators(trace, [0, 0], (0, 1), places, places))
    for sums in (signs, 7.5 * signs, 1e-300 * signs, signs * [[1], [1e-60], [1]]):
        drawn = draw.plane(trace.k, np.array([1.0, 0]), sums, LIGHT, **given)
        assert_array_equal(np.sign(drawn.data[0].z), [[1, 1, 1], [1, 1, -1], [-1, -1, -1]])
    fill = drawn.data[0]
    assert (fill.contours.start, fill.contours.coloring) == (0, "fill")
    assert fill.colorscale[-1][1] == LIGHT["negative"]
    bare = draw.plane(trace.k, np.array([1.0, 0]), None, LIGHT, **given)
    assert [each.type for each in bare.data] == ["scatter"] * (len(drawn.data) - 1)
    assert_array_equal(drawn.data[1].x[1::3], trace.k[:, 0])
    assert_array_equal(drawn.data[-1].x, np.tile(places, 3))
    assert_array_equal(drawn.data[-1].y, np.repeat(places, 3))
    assert drawn.data[-1].marker.opacity == 0


def test_keys_with_one_tip_share_a_name_and_many_have_none():
    places, signs = np.linspace(-1, 1, 3), np.ones((3, 3))
    keys = np.array([[1.0, 0], [0, 1], [1, 0]])
    given = {"places": places, "axes": ["a", "b"]}
    drawn = draw.plane(keys, keys[0], signs, LIGHT, labels=NAMES[:3], **given)
    assert drawn.data[3].text == ("p₀ and p₂", "p₁", "")
    many = draw.plane(np.ones((13, 2)), keys[0], signs, LIGHT, labels=["x"] * 13, **given)
    assert [trace.text for trace in many.data[1:] if trace.mode == "text"] == [("q",)]


def test_weights_below_0_have_the_other_colour():
    drawn = draw.weights(np.array([0.8, 0.4, -0.2]), LIGHT, NAMES[:3], "weight")
    assert drawn.data[0].marker.color == (LIGHT["positive"], LIGHT["positive"], LIGHT["negative"])
