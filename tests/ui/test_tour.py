"""The tour: every stop opens by its own link, says the numbers on screen, and keeps its place."""

import pytest
from visits import visitor

from linattn_core import Tokens, example, run
from linattn_ui import links
from linattn_ui.stops import STOPS
from linattn_ui.words import tour as say

every_stop = pytest.mark.parametrize("n", range(len(STOPS)), ids=lambda n: f"stop {n + 1}")


def opened(**query):
    return visitor(**query).run()


def press(at, label):
    return next(button for button in at.button if label in button.label).click().run()


def said(at):
    assert not at.exception
    return " ".join(markdown.value for markdown in at.markdown)


def of(key, **options):
    record = example(key)
    return run(record.tokens, **(record.settings | options))


@every_stop
def test_a_stop_opens_by_its_own_link(n):
    stop, at = STOPS[n], opened(tour=str(n + 1))
    assert f"**{n + 1} of {len(STOPS)} · {stop.title}**" in said(at)
    assert stop.say(at.session_state["last_good"]) in said(at)
    go = at.session_state["go"]
    assert (go["operation"], go["highlight"]) == (stop.at.get("op"), stop.highlight)
    assert not at.error
    assert not at.info


@every_stop
def test_a_stop_is_where_its_link_says(n):
    """What opens from `at` and `before` is written back as the same link, so the panel knows its place."""
    for query in filter(None, (STOPS[n].at, STOPS[n].before)):
        place = links.decode({name: [text] for name, text in query.items()}).place
        assert links.encode(place).query == dict(query)


def test_the_way_through_asks_before_it_shows_and_ends_at_the_last_stop():
    at = press(opened(), "Take the tour")
    for n, stop in enumerate(STOPS):
        assert f"{n + 1} of {len(STOPS)} · {stop.title}" in said(at)
        if stop.ask:
            assert stop.ask(at.session_state["last_good"]) in said(at)
            assert stop.say(at.session_state["last_good"]) not in said(at)
            at = press(at, "Show it")
        assert stop.say(at.session_state["last_good"]) in said(at)
        assert at.query_params["tour"] == str(n + 1)
        if n + 1 < len(STOPS):
            at = press(at, "Next stop")
    assert next(b for b in at.button if "Next stop" in b.label).disabled
    assert "8 of 10" in said(press(press(at, "Previous stop"), "Previous stop"))


def test_leaving_keeps_the_place():
    at = press(opened(tour="3"), "Leave the tour")
    assert "tour" not in at.query_params
    at.switch_page("pages/1_Compare.py").run()
    at.switch_page("app.py").run()
    assert "3 of 10" in said(press(at, "Resume the tour (3 of 10)"))


def test_who_moves_on_is_told_and_finds_the_way_back():
    at = opened(tour="9")
    at.radio(key="phi").set_value("elu1").run()
    assert "You have moved on from this stop" in said(at)
    at = press(at, "Back to this stop")
    assert "= [1.5, 0.5]" in said(at)
    assert at.radio(key="phi").value == "identity"


def test_own_tokens_come_back_with_undo():
    at = opened(example="article", v="2_0~0_3~7_7")
    at = press(at, "Take the tour")
    assert at.session_state["last_good"].v[2, 0] == 1
    at = press(at, "Undo")
    assert at.session_state["last_good"].v[2, 0] == 7


def test_a_stop_that_is_not_there_is_said():
    assert links.decode({"tour": ["11"]}).place.tour == len(STOPS) - 1
    assert links.decode({"tour": ["11"]}).ignored == ('tour "11" (stop 10 is used)',)
    assert links.decode({"tour": ["x"]}).place.tour is None
    assert links.decode({"tour": ["x"]}).ignored == ('tour "x" (no stop is used)',)


def test_what_is_said_follows_the_numbers():
    others = run(Tokens([[1, 1]] * 2, [[0, 2], [3, 1]], [[1, 4], [2, 2]]), "identity")
    assert "row a holds p₀ and p₂" in say.grows(of("article"))
    assert "row a holds p₁." in say.grows(others)
    assert "scores 1 and −1" in say.raw(of("cancel"))
    assert "scores 2 and 4" in say.raw(others)
    assert "= [1.071, 1.214]" in say.divide(of("article", phi="elu1"))
    assert "By 2, not by the number of tokens 3" in say.divide(of("article"))
    assert "By 3, which is also the number of tokens 3" in say.divide(of("same_key"))
    assert "[2, 0] + [1, 1] = [3, 1]" in say.add(of("article"))
    assert "[2, 8] + [6, 6]" not in say.add(of("article"))
    assert "[0, 0] + [6, 6] = [6, 6]" in say.add(others)
    assert "1 × [2, 0] + 0 × [0, 3] + 1 × [1, 1] = [3, 1]. The two differ by 0." in say.read(of("article"))
    assert "Row a gets 0.3 × [1, 1] = [0.3, 0.3] and row b gets 0.7 × [1, 1]" in say.write(of("general_key"))
