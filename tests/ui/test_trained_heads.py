"""What the page says of trained heads is counted on the files that come with them."""

import numpy as np
from visits import visit

from linattn_core import run, softmax
from linattn_core.heads import COLOURS, Recall, held_out, trained
from linattn_ui.words import write_rules as say


def counted(key):
    """Right answers of a head, counted from the words of its lists: no index arithmetic of the core's."""
    lists, right, questions = held_out(key), 0, 0
    for tokens in lists.tokens:
        head, given = trained(key), {}
        y = run(tokens, **head.settings).y if head.settings else softmax(tokens)[0]
        for t, name in enumerate(tokens.names):
            if name.endswith("?"):
                questions += 1
                right += COLOURS[int(np.argmax(y[t]))] == given[name[:-1]]
            else:
                thing, colour = name.split(": ")
                given[thing] = colour
    return right, questions


def test_the_first_line_says_what_the_files_give():
    at = visit("5_Write_rules")
    at.segmented_control(key="write_rules_part").set_value("trained").run()
    assert not at.exception
    said = " ".join(markdown.value for markdown in at.markdown)
    for key in ("softmax", "add", "delta"):
        right, questions = counted(key)
        assert f"Of {questions} questions" in said
        assert f"{trained(key).title} {right} (" in said
        assert f"| {trained(key).title} | {right} (" in said


def test_the_sentences_follow_the_counts():
    yes, no = np.array([True, True, False, False]), np.array([False, True, False, True])
    good, bad = Recall(np.full(4, True), yes), Recall(no, yes)
    who = {("add", "add"): bad, ("delta", "delta"): good}
    assert say.trained(who).index("4 (100 %)") < say.trained(who).index("2 (50 %)")
    assert "to add is right in 50 % (50 % where it was not)" in say.rewritten(who)
    worse = {("add", "add"): Recall(~yes, yes), ("delta", "delta"): good}
    assert "to add is right in 0 % (100 % where it was not)" in say.rewritten(worse)
    assert "are right in 50 % rather than 100 %" in say.other_reader(good, bad)
    assert say.shares(("add", "add"), bad) == ["a head trained to add", "2 (50 %)", "50 % of 2", "50 % of 2"]
    assert say.shares(("add", "add"), Recall(~yes, yes))[1:] == ["2 (50 %)", "100 % of 2", "0 % of 2"]
    assert "softmax attention, read as by a head trained to add" in say.shares(("softmax", "add"), good)[0]
