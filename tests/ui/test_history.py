"""Undo and redo: every change comes back bit for bit, and nothing typed falls between two of them."""

import pandas as pd
import pytest
from visits import visitor

from linattn_core import export
from linattn_ui import changes
from linattn_ui.state import history

ROWS = "\n".join(",".join(f"{8 * i + j}/7" for j in range(8)) for i in range(12))


def acts():
    """Name -> what a reader does; each is one change."""
    return {
        "an edit": lambda r: r.type(2, "v a", "1/3"),
        "a bad edit": lambda r: r.type(1, "k b", "half"),
        "a label": lambda r: r.type(0, "label", "<b>$x$"),
        "a token more": lambda r: r.size("Tokens", 4),
        "a component less": lambda r: r.size("q and k components", 1),
        "a variant": lambda r: r.press("Give p₂ the key [2, 2]"),
        "a paste": lambda r: r.paste(ROWS, "k"),
        "a reset": lambda r: r.press("Reset to the example"),
        "another example": lambda r: r.choose("example", "sentence"),
    }


def test_every_kind_of_change_is_undone_to_the_start_and_redone_to_the_end(reader):
    seen = [reader.texts]
    for name, act in acts().items():
        act(reader)
        assert reader.texts != seen[-1], name
        seen.append(reader.texts)
    for texts in reversed(seen[:-1]):
        reader.press("Undo")
        assert reader.texts == texts
    assert reader.button("Undo").disabled
    for texts in seen[1:]:
        reader.press("Redo")
        assert reader.texts == texts
    assert reader.button("Redo").disabled
    assert not reader.at.exception


def test_the_picture_follows(reader):
    reader.type(2, "v a", "7")
    reader.press("Undo")
    assert reader.trace.v[2, 0] == 1
    reader.press("Redo")
    assert reader.trace.v[2, 0] == 7
    assert reader.note == "Redone: v a of p₂: 1 → 7"


def test_an_edit_that_waits_for_a_rerun_is_a_change_of_its_own(reader):
    """A press on a button brings the last edit along, and is handled before it."""
    reader.type(2, "v a", "7")
    reader.type(0, "q a", "1/3", run=False)
    reader.press("Undo")
    assert (reader.grid.loc["p₀", "q a"], reader.grid.loc["p₂", "v a"]) == ("1", "7")
    reader.press("Redo")
    assert reader.grid.loc["p₀", "q a"] == "1/3"


@pytest.mark.parametrize(
    "name", [name for name in acts() if name not in ("an edit", "a bad edit", "a label")]
)
def test_a_waiting_edit_is_not_lost_to_another_act(reader, name):
    reader.type(2, "v a", "7")  # otherwise there would be nothing to reset
    reader.type(0, "q a", "0.25", run=False)
    acts()[name](reader)
    reader.press("Undo")
    assert reader.grid.loc["p₀", "q a"] == "0.25"
    assert reader.trace.tokens.q[0, 0] == 0.25


def test_a_new_edit_drops_what_was_undone(reader):
    reader.type(2, "v a", "7")
    reader.press("Undo")
    reader.type(2, "v a", "8")
    assert reader.button("Redo").disabled
    reader.press("Undo")
    assert reader.grid.loc["p₂", "v a"] == "1"


def test_reruns_without_an_edit_are_no_changes(reader):
    reader.type(2, "v a", "7")
    for _ in range(3):
        reader.at.run()
    reader.press("Undo")
    assert reader.button("Undo").disabled
    assert reader.texts == reader.kept("grid")["came"]["start"].to_numpy(object).tolist()


def test_an_undone_example_brings_back_its_settings_and_those_chosen_since(reader):
    reader.choose("phi", "exp")
    reader.choose("example", "sentence")
    reader.choose("phi", "relu")
    reader.press("Undo")
    assert (reader.kept("example"), reader.kept("phi")) == ("article", "exp")
    reader.press("Redo")
    assert (reader.kept("example"), reader.kept("phi")) == ("sentence", "relu")
    assert reader.trace.settings.phi.key == "relu"


def test_an_undone_edit_leaves_the_settings_alone(reader):
    reader.type(2, "v a", "7")
    reader.choose("phi", "exp")
    reader.press("Undo")
    assert reader.kept("phi") == "exp"


def test_random_tokens_come_back_with_their_seed(reader):
    reader.choose("example", "random")
    before = reader.texts
    reader.at.number_input(key="random_seed").set_value(8).run()
    assert reader.texts != before
    reader.press("Undo")
    assert (reader.texts, reader.kept("random_seed")) == (before, 1)


def test_undo_gives_back_gates_and_what_has_no_box(reader):
    data = export("json").write(reader.trace).replace(b'"scale": 1.0', b'"scale": 0.5')
    data = data.replace(b'"log_decay": null', b'"log_decay": ["-Infinity", -1.0, 0.0]')
    reader.open("run.json", data)
    assert (reader.trace.settings.scale, reader.trace.tokens.log_decay[1]) == (0.5, -1)
    reader.press("Undo")
    assert (reader.trace.settings.scale, reader.trace.tokens.log_decay) == (1, None)
    reader.press("Redo")
    assert (reader.trace.settings.scale, reader.trace.tokens.log_decay[1]) == (0.5, -1)


def test_fewer_tokens_move_the_stage_to_the_last_one(reader):
    reader.paste(ROWS, "k")
    reader.at.session_state["rest"] = (11, None)
    reader.press("Undo")
    assert reader.kept("rest") == (None, None)


def test_size_boxes_take_no_late_message(reader):
    """What a browser still holds for a box says nothing once something else changed the sizes."""

    def keys():
        return {box.key for box in reader.at.number_input if box.key.startswith("grid_")}

    first = keys()
    assert len(first) == 3
    reader.size("Tokens", 4)
    assert keys() == first  # a box that was just used keeps the focus
    reader.paste(ROWS, "k")
    assert not keys() & first
    second = keys()
    reader.press("Undo")
    assert not keys() & second


@pytest.mark.parametrize("name", ["random", "sentence"])
def test_a_late_message_changes_nothing(reader, name):
    """A browser that has not heard of an undo yet sends the boxes that it still shows."""
    reader.choose("example", "random")
    reader.type(2, "v a", "7")
    before = reader.late()
    reader.choose("example", name)
    reader.press("Undo")
    there = reader.texts, reader.note, reader.kept("example")
    reader.hear(before)
    assert (reader.texts, reader.note, reader.kept("example")) == there
    reader.press("Redo")
    assert reader.kept("example") == name


def test_the_example_of_a_link_comes_back(reader):
    """Its choices count as seen, though nobody made them in the sidebar."""
    reader.at = visitor(example="sentence").run()
    reader.choose("example", "article")
    reader.press("Undo")
    assert (reader.kept("example"), reader.kept("phi")) == ("sentence", "elu1")
    assert reader.trace.settings.phi.key == "elu1"


class Table:
    """As much of a grid as history looks at."""

    def __init__(self, size):
        self.size = size


def moments(monkeypatch, count, size):
    monkeypatch.setattr(history.st, "session_state", {})
    for _ in range(count):
        history.record(history.Moment(Table(size), {}))  # pyright: ignore[reportArgumentType]
    return history._kept()["past"]


def test_a_hundred_changes_are_kept(monkeypatch):
    assert len(moments(monkeypatch, 250, 9)) == history.MOST == 100


def test_fewer_where_the_grid_is_huge_but_never_none(monkeypatch):
    assert len(moments(monkeypatch, 30, history.MOST_CELLS // 10)) == 11
    assert len(moments(monkeypatch, 30, history.MOST_CELLS * 10)) == 1


def test_equal_texts_take_no_memory_twice():
    before = pd.DataFrame([["0.125", "0.25"], ["0.5", "0.75"]], dtype=object)
    typed = pd.DataFrame([[f"0.{n}" for n in (125, 25)], [f"0.{n}" for n in (5, 875)]], dtype=object)
    after = changes.settled(before, typed)
    assert after.to_numpy().tolist() == typed.to_numpy().tolist()
    pairs = list(zip(before.to_numpy().flat, after.to_numpy().flat, strict=True))
    assert [a is b for a, b in pairs] == [True, True, True, False]
    assert changes.settled(before, before.copy()) is before
