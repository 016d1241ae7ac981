"""Trained heads: what they recall is counted on the shipped files, with our own run and softmax."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linattn_core import InputError, heads
from linattn_core.heads import COLOURS, HEADS, NAMES, held_out, recall, shown, trained

FOLDER = Path(heads.__file__).parent
every_head = pytest.mark.parametrize("key", [head.key for head in HEADS])


def test_each_head_has_one_small_file():
    files = {path.stem: path.stat().st_size for path in FOLDER.glob("*.npz")}
    assert files.keys() == {head.key for head in HEADS}
    assert max(files.values()) < 200_000


@every_head
def test_every_head_reads_the_same_lists_in_a_state_of_the_same_size(key):
    lists, first = held_out(key), held_out("softmax")
    assert_array_equal(lists.names, first.names)
    assert_array_equal(lists.colours, first.colours)
    assert len(lists.tokens) == 128
    for tokens in lists.tokens:
        assert tokens.q.shape == tokens.k.shape == (11, 6)
        assert tokens.v.shape == (11, len(COLOURS))
        assert (tokens.beta is None) == (tokens.log_decay is None) == (key != "delta")


def test_the_answer_is_the_last_colour_of_the_name():
    lists = held_out("add")
    for i in range(len(lists.names)):
        last, times = {}, dict.fromkeys(range(len(NAMES)), 0)
        for t, (name, colour) in enumerate(zip(lists.names[i], lists.colours[i], strict=True)):
            assert lists.asks[i, t] == (colour == len(COLOURS))
            if not lists.asks[i, t]:
                assert last.get(name) != colour  # a name that comes again gets another colour
                last[name], times[name] = colour, times[name] + 1
            assert (lists.answers[i, t], lists.times[i, t]) == (last[name], times[name])
        assert sorted(times.values()) == [0, 0, 0, 0, 1, 2, 2, 2]


@every_head
def test_an_answer_is_the_largest_component_of_y(key):
    lists, right = held_out(key), iter(recall(key).right)
    for i, tokens in enumerate(lists.tokens):
        y = trained(key).y(tokens)
        for t in np.flatnonzero(lists.asks[i]):
            assert next(right) == (max(range(4), key=lambda c: y[t, c]) == lists.answers[i, t])
    assert next(right, None) is None


def test_replacing_recalls_what_adding_mixes_up():
    """Of 512 questions; the counts are those that the training script printed of its own heads."""
    right = {head.key: recall(head.key).right for head in HEADS}
    assert {key: (answered.sum(), answered.size) for key, answered in right.items()} == {
        "softmax": (512, 512),
        "add": (444, 512),
        "delta": (508, 512),
    }
    assert (recall("delta").again == recall("add").again).all()
    assert recall("delta").again.sum() == 3 * 128


def test_a_head_is_trained_for_one_way_of_reading():
    assert recall("softmax", "add").right.mean() < 0.6 < recall("add").right.mean()
    with pytest.raises(InputError, match="There is no trained head 'rnn'"):
        recall("softmax", "rnn")


def test_an_unknown_head_names_the_choices():
    with pytest.raises(InputError, match=r"There is no trained head 'rnn'.*: softmax, add, delta"):
        held_out("rnn")


@every_head
def test_the_list_that_is_shown_is_one_of_them_rounded(key):
    lists = held_out(key)
    i = next(i for i, tokens in enumerate(lists.tokens) if list(tokens.labels) == shown.LABELS)
    assert shown.HEADS[key].keys() == {"q", "k", "v"} | ({"beta", "log_decay"} if key == "delta" else set())
    for name, rounded in shown.HEADS[key].items():
        assert_array_equal(rounded, np.round(getattr(lists.tokens[i], name), 2 if name in "qkv" else 3))


def test_the_list_that_is_shown_is_the_first_that_adding_alone_gets_wrong():
    every_question = {
        key: recall(key).right.reshape(-1, 4).all(axis=1) for key in ("softmax", "add", "delta")
    }
    telling = every_question["softmax"] & ~every_question["add"] & every_question["delta"]
    assert list(held_out("add").tokens[int(telling.argmax())].labels) == shown.LABELS
