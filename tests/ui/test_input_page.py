"""Stories of the tools above the grid: paste, open, undo, and what the page says of it."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linattn_core import EXAMPLES, FEATURE_MAPS, UPDATE_RULES, Tokens, example, export, run

ROWS = "\n".join(",".join(str(8 * i + j) for j in range(8)) for i in range(12))
GATED = Tokens(
    [[5e-324, -0.0], [1e10, 0.1], [1, 2]],
    [[1 / 3, -5e-324], [2, 1e-300], [3, 4]],
    [[0.1 + 0.2, 1e22, -1e200], [np.pi, 5e-324, 7], [1, 2, 3]],
    labels=("<img src=x onerror=alert(1)>", "=cmd()", "\u202eab"),
    beta=[0.5, 1.0, 0.25],
    log_decay=[-np.inf, -1e-17, -2.0],
)
ODD = {"scale": 0.3, "eps": 0.125, "dtype": "float32", "initial": (np.ones((2, 3)), np.ones(2))}


def test_pasted_rows_replace_one_table_and_the_sentence_stands_before_and_after(reader):
    reader.at.text_area(key="pasted").set_value(ROWS)
    reader.at.segmented_control(key="pasted_into").set_value("k").run()
    assert "12 rows × 8 columns become k\\. q and v get 9 more rows of zeros" in reader.captions
    assert len(reader.grid) == 3
    reader.press("Put into the grid")
    assert_array_equal(reader.trace.k, np.arange(96.0).reshape(12, 8))
    assert reader.trace.v.shape == (12, 2)
    assert "Pasted\\: 12 rows × 8 columns become k" in reader.captions
    assert reader.kept("pasted") == ""
    assert reader.kept("pasting") is False


def test_a_paste_that_does_not_fit_keeps_its_text(reader):
    reader.paste("1 2\n3", "k")
    assert "Rows need equally many cells" in reader.errors[0]
    assert reader.kept("pasted") == "1 2\n3"
    assert reader.grid.shape == (3, 7)
    reader.paste("1 2\n3 4", "k")
    assert not reader.errors
    assert reader.trace.k.tolist() == [[1, 2], [3, 4]]


def test_nothing_pasted_is_nothing_done(reader):
    reader.paste("  \n ")
    assert (reader.errors, reader.note) == ([], "")
    assert reader.button("Undo").disabled


def test_ten_thousand_rows_are_read_once(reader, monkeypatch):
    reader.at.text_area(key="pasted").set_value(ROWS).run()
    read = reader.kept("preview")
    reader.type(2, "v a", "7")
    again = reader.kept("preview")
    reader.at.run()
    assert reader.kept("preview") is again is not read  # the grid it would go into is another


def snapshots():
    for record in EXAMPLES:
        yield record.key, record.tokens, dict(record.settings)
    for phi in FEATURE_MAPS:
        yield phi.key, example("negative").tokens, {"phi": phi.key, "normalize": False}
    for rule in UPDATE_RULES:
        yield rule.key, GATED, {"phi": "relu", "rule": rule.key, **ODD}
    yield "shares", example("article").tokens, {"rule": "decay", "gamma": [0.1, 0.5, 1.0], "read": "full"}
    yield "log", example("article").tokens, {"rule": "decay", "log_decay": [-np.inf, -1.0, 0.0]}
    yield "before", example("article").tokens, {"rule": "decay", "gamma": 0.25, "read_before_write": True}


@pytest.mark.parametrize(("first", "key"), [(0, "json"), (1, "npz"), (2, "csv")])
def test_a_snapshot_brings_back_the_run_and_its_step(patient, first, key):
    """Each in one of the formats; what every format holds is compared in the tests of the core."""
    for name, tokens, options in list(snapshots())[first::3]:
        with np.errstate(all="ignore"):
            trace = run(tokens, **options)
        patient.open(f"run{export(key).suffix}", export(key).write(trace, step=1))
        assert patient.errors == [], name
        assert patient.kept("go")["step"] == patient.kept("rest")[0] == 1
        for array in ("S", "z", "q", "k", "v", "u", "y", "norm"):
            there, here = (np.asarray(getattr(t, array)) for t in (patient.trace, trace))
            assert there.tobytes() == here.tobytes(), (name, array)
        assert patient.trace.tokens.labels == tokens.labels
        assert patient.note.startswith(f'Opened "run{export(key).suffix}": a snapshot')


def test_a_whole_run_opens_at_its_end(reader):
    reader.open("run.json", export("json").write(run(example("sentence").tokens)))
    assert reader.kept("go")["step"] is None
    assert "all steps" in reader.note


def test_what_a_snapshot_has_without_a_box_is_named_and_goes_with_the_example(reader):
    reader.open("run.json", export("json").write(run(GATED, "relu", "decay", **ODD)))
    assert r"From the file, without a box here: scale\, dtype\, initial" in reader.captions
    reader.press("Reset to the example")
    assert "From the file" not in reader.captions
    assert (reader.trace.settings.scale, reader.trace.settings.dtype) == (1, "float64")
    assert reader.trace.tokens.log_decay is None
    assert not reader.at.error


def test_gates_leave_with_the_sizes_and_come_back(reader):
    reader.open("run.json", export("json").write(run(GATED, "relu", "decay")))
    reader.size("Tokens", 4)
    assert not reader.errors
    assert reader.trace.tokens.log_decay is None
    assert reader.at.slider(key="gamma").value == 0.9
    reader.size("Tokens", 3)
    assert reader.trace.tokens.log_decay[0] == -np.inf


def test_a_share_for_each_token_leaves_with_the_sizes_too(reader):
    trace = run(example("article").tokens, "identity", "decay", gamma=[0.1, 0.5, 1.0])
    reader.open("run.json", export("json").write(trace))
    assert reader.trace.alpha[:, 0].tolist() == [0.1, 0.5, 1.0]
    assert not any(slider.key == "gamma" for slider in reader.at.slider)
    reader.size("Tokens", 4)
    assert not reader.errors
    assert reader.trace.alpha[:, 0].tolist() == [0.9] * 4
    reader.size("Tokens", 3)
    assert reader.trace.alpha[:, 0].tolist() == [0.1, 0.5, 1.0]


def test_a_variant_leaves_the_gates_of_a_file_behind(reader):
    gated = Tokens(*(getattr(example("article").tokens, n) for n in "qkv"), log_decay=[-1.0, -1.0, -1.0])
    reader.open("run.json", export("json").write(run(gated, "identity", "decay")))
    assert reader.trace.tokens.log_decay is not None
    reader.press("Give p₂ the key [2, 2]")
    assert reader.trace.tokens.log_decay is None
    reader.press("Undo")
    assert reader.trace.tokens.log_decay is not None
    reader.press("Reset to the example")
    assert reader.trace.tokens.log_decay is None


def test_arrays_leave_the_settings_alone(reader):
    reader.choose("phi", "exp")
    reader.open("x.json", b'{"q": [[1, 2]], "k": [[3, 4]], "v": [[5]]}')
    assert (reader.kept("phi"), reader.trace.v.tolist()) == ("exp", [[5]])
    assert "edited" in reader.captions


def test_another_choice_tries_the_file_again(reader):
    reader.open("x.csv", b"1,2\n3,4\n5,6", "all")
    assert "side by side need 6 columns" in reader.errors[0]
    reader.at.segmented_control(key="file_into").set_value("v").run()
    assert (reader.errors, reader.trace.v.tolist()) == ([], [[1, 2], [3, 4], [5, 6]])


def test_another_choice_without_a_file_changes_nothing(reader):
    reader.at.segmented_control(key="file_into").set_value("v").run()
    assert (reader.errors, reader.note) == ([], "")


def test_what_changed_is_named(reader):
    reader.type(2, "v a", "7")
    assert "Last change\\: v a of p₂\\: 1 → 7" in reader.captions
    reader.type(0, "label", "**bold** $\\frac{")
    assert r"label of p₀\: empty → \"\*\*bold\*\* \$\\frac\{\"" in reader.captions
    reader.type(0, "label", None)
    assert '"**bold** $\\frac{" → empty' in reader.note
    reader.size("Tokens", 5)
    assert reader.note == "Last change: tokens 3 → 5"
    reader.send({"edited_rows": {t: {"q a": "9", "q b": "8"} for t in range(3)}})
    assert reader.note == "Last change: q a of p₀: 1 → 9; q b of p₀: 0 → 8; q a of p₁: 0 → 9; 3 more cells"


def test_the_tools_have_plain_names(reader):
    labels = [button.label for button in reader.at.button]
    assert {"Undo", "Redo", "Reset to the example", "Put into the grid"} <= set(labels)
    assert json.dumps(labels).count("Undo") == 1


def test_a_large_grid_comes_when_it_is_asked_for_and_keeps_what_was_typed(reader):
    reader.choose("example", "random")
    reader.size("Tokens", 64)
    reader.size("q and k components", 16)
    assert len(reader.trace.k) == 64
    show = reader.at.toggle(key="show_grid")
    assert show.label == f"Show the grid of 64 tokens × {2 * 16 + reader.trace.v.shape[1]} numbers"
    assert reader.at.dataframe.len == 0
    show.set_value(True).run()
    assert reader.at.dataframe.len == 1
    reader.type(63, "v a", "1/4")
    assert reader.trace.v[63, 0] == 0.25
    reader.at.toggle(key="show_grid").set_value(False).run()
    assert reader.trace.v[63, 0] == 0.25
    assert reader.grid["v a"].iloc[63] == "1/4"
