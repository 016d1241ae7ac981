"""import(export(run)) is the run again, to the last bit."""

import copy
import io
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linattn_core import (
    EXAMPLES,
    FEATURE_MAPS,
    UPDATE_RULES,
    InputError,
    Tokens,
    example,
    export,
    head,
    random_tokens,
    run,
    snapshot,
)
from linattn_core.exports.csv_file import CSV, CSV_WIDE
from linattn_core.exports.json_file import to_text
from linattn_core.importers import IMPORTERS, document, importer
from linattn_core.numerals import parse_number
from linattn_core.pasted import parse_rows
from linattn_core.restore import Restored, restore, tokens_from

DOCUMENT = Path(__file__).parents[2] / "docs" / "snapshot.md"
FILES = (export("json"), export("npz"), CSV)
MANY = settings(max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "100")), deadline=None)

every_map = pytest.mark.parametrize("phi", FEATURE_MAPS, ids=lambda m: m.key)
every_rule = pytest.mark.parametrize("rule", UPDATE_RULES, ids=lambda r: r.key)
every_example = pytest.mark.parametrize("record", EXAMPLES, ids=lambda e: e.key)
every_file = pytest.mark.parametrize("file", FILES, ids=lambda e: e.key)

EXTREMES = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    -1.7976931348623157e308,
]
EXTREMES += [1 / 3, 0.1, 1e16 + 2, 2.0**53 + 2, -1e-300, 123456789.123456789]


def assert_same_bits(got, want, name=""):
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), name
    held = ~np.isnan(want) if want.dtype.kind == "f" else np.full(want.shape, True)
    assert np.array_equal(np.isnan(got), ~held) if want.dtype.kind == "f" else True, name
    assert got[held].tobytes() == want[held].tobytes(), name


def assert_same_run(again, trace, step=None):
    """Tokens, settings and step, and every array of the run made again."""
    assert isinstance(again, Restored)
    assert again.step == step
    assert again.ignored == ()
    assert again.tokens.labels == trace.tokens.labels
    for name in ("q", "k", "v", "beta", "log_decay"):
        got, want = getattr(again.tokens, name), getattr(trace.tokens, name)
        assert (got is None) == (want is None), name
        assert_same_bits(*(() if want is None else (got, want)) or (0, 0), name)
    other = run(again.tokens, **again.settings)
    assert json.dumps(head(other)) == json.dumps(head(trace))
    for name in ("q", "k", "v", "u", "S", "z", "read", "norm", "y", "defined", "condition", "log10_norm"):
        assert_same_bits(getattr(other, name), getattr(trace, name), name)
    for name in ("rescaled", "carried"):
        assert_same_bits(getattr(other, name), getattr(trace, name), name)
    for name in ("scores", "weights"):
        assert_same_bits(getattr(other, name)(), getattr(trace, name)(), name)


@every_map
@every_rule
def test_every_map_and_rule_on_one_example_after_the_other(phi, rule):
    turn = FEATURE_MAPS.index(phi) + UPDATE_RULES.index(rule)
    trace = run(EXAMPLES[turn % len(EXAMPLES)].tokens, phi, rule)
    for file in FILES:
        assert_same_run(restore(file.write(trace)), trace)
    assert_same_run(restore(snapshot(trace)), trace)


@every_example
@every_file
def test_every_step_of_every_example(record, file):
    trace = run(record.tokens, **record.settings)
    for step in range(len(trace.k) + 1):
        assert_same_run(restore(file.write(trace, step=step)), trace, step)


GATED = Tokens(np.eye(3), np.eye(3), np.ones((3, 2)), beta=[0.1, 0.2, 0.3], log_decay=[0.0, -np.inf, -1 / 3])
WIDE_GATES = Tokens(
    np.eye(3), np.eye(3), np.ones((3, 2)), beta=[[0.1, 1], [0.2, 1], [0.3, 1]], log_decay=-np.eye(3) / 3
)
PLAIN = Tokens(np.eye(3), np.eye(3), np.ones((3, 2)))
VARIANTS = {
    "gates of the tokens": (GATED, {"rule": "decay"}),
    "gates that are ignored": (GATED, {"rule": "add"}),
    "wide gates": (WIDE_GATES, {"rule": "decay", "phi": "relu"}),
    "one gate for all": (
        Tokens(np.eye(2), np.eye(2), np.eye(2), beta=0.5, log_decay=-np.inf),
        {"rule": "decay"},
    ),
    "a knob": (PLAIN, {"rule": "decay", "gamma": 1 / 3}),
    "a knob for each key": (PLAIN, {"rule": "decay", "gamma": [0.1, 0.2, 0.0]}),
    "a decay as its logarithm": (PLAIN, {"rule": "decay", "log_decay": [-1.0, -np.inf, -0.0]}),
    "one decay as its logarithm": (PLAIN, {"rule": "decay", "log_decay": -np.inf}),
    "float32": (GATED, {"rule": "decay", "dtype": "float32", "scale": 0.3, "eps": 1e-6}),
    "float16": (PLAIN, {"phi": "exp", "dtype": "float16"}),
    "no division": (PLAIN, {"phi": "identity", "normalize": False}),
    "read before write": (PLAIN, {"read_before_write": True}),
    "full": (Tokens(np.eye(5, 3), np.eye(3), np.ones((3, 2))), {"read": "full"}),
    "fewer queries": (Tokens([[0.1, 0.2, 0.3]], np.eye(3), np.ones((3, 2))), {"read": "full"}),
    "carried": (PLAIN, {"initial": ([[1 / 3, -0.0]] * 3, [5e-324, 1.0, 0.1])}),
    "carried without z": (PLAIN, {"normalize": False, "initial": ([[1, 2]] * 3, None)}),
    "an overflow": (Tokens([[800.0]], [[800.0]], [[1e300]]), {"phi": "exp"}),
}


@every_file
@pytest.mark.parametrize(("tokens", "options"), VARIANTS.values(), ids=VARIANTS)
def test_every_setting(file, tokens, options):
    trace = run(tokens, **options)
    for step in (None, 0, 1, len(trace.k)):
        assert_same_run(restore(file.write(trace, step=step)), trace, step)
        assert_same_run(restore(snapshot(trace, step)), trace, step)


LABELS = [
    "",
    " ",
    " the",
    "the ",
    "=1+1",
    "'=1+1",
    "''",
    "+",
    "-3",
    "@x",
    "\tx",
    "a,b",
    'a"b',
    '"',
    "a\nb",
    "a\r\nb",
    "\r",
]
LABELS += [
    "\n",
    "nul\0nul",
    "\0",
    "🦊👩‍🚀",
    "שלום",
    "<img src=x onerror=alert(1)>",
    "$\\frac{",
    "**bold**",
    "1.5",
    "NaN",
    "null",
]
LABELS += ["true", "p0", "\u202e", "\ufeff", "\x85\u2028\x1b", "x" * 10_000, "x"]


@every_file
def test_labels_are_any_text(file):
    T = len(LABELS)
    trace = run(Tokens(np.ones((T, 1)), np.ones((T, 1)), np.ones((T, 1)), labels=LABELS))
    assert restore(file.write(trace)).tokens.labels == tuple(LABELS)


@every_file
def test_the_ends_of_float64(file):
    x = np.array([EXTREMES, EXTREMES[::-1]])
    trace = run(Tokens(x, -x, x), "identity")
    assert_same_run(restore(file.write(trace)), trace)


any_float = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(EXTREMES)
any_label = st.text(st.characters(blacklist_categories=("Cs",)), max_size=5)


@st.composite
def any_tokens(draw):
    T, d_k, d_v = (draw(st.integers(1, 3)) for _ in range(3))
    q, k, v = (draw(arrays(float, (T, d), elements=any_float)) for d in (d_k, d_k, d_v))
    labels = draw(st.none() | st.lists(any_label, min_size=T, max_size=T))
    shape = draw(st.sampled_from([(), (T,), (T, d_k)]))
    decay = st.floats(max_value=0, allow_nan=False) | st.sampled_from([-np.inf, -0.0])
    log_decay = draw(st.none() | arrays(float, shape, elements=decay))
    return Tokens(q, k, v, labels=labels, beta=draw(st.none() | any_float), log_decay=log_decay)


@MANY
@given(
    tokens=any_tokens(), phi=st.sampled_from(FEATURE_MAPS), rule=st.sampled_from(UPDATE_RULES), data=st.data()
)
def test_any_tokens_under_any_record_come_back(tokens, phi, rule, data):
    """Nothing but InputError is raised on the way: a decay may have another width than the map gives."""
    file = data.draw(st.sampled_from((*FILES, CSV_WIDE)), label="file")
    try:
        trace = run(tokens, phi, rule)
    except InputError:
        return
    step = data.draw(st.sampled_from([None, *range(len(tokens.k) + 1)]), label="step")
    saved = file.write(trace, step=step)
    if file is not CSV_WIDE:
        assert_same_run(restore(saved), trace, step)
    elif step is None:
        again = tokens_from(importer("csv").read(saved))
        for name in ("q", "k", "v"):
            assert_same_bits(getattr(again, name), getattr(tokens, name), name)
        assert again.labels == tokens.labels


def run_again(source):
    again = restore(source)
    return run(again.tokens, **again.settings)


def answered(call):
    """What the call gives, or None where it raises InputError, in a sentence that is not too long."""
    sentence = "."
    try:
        return call()
    except InputError as fault:
        sentence = str(fault)
    assert sentence.endswith(".")
    assert len(sentence) < 500
    return None


SEEDS = [
    file.write(run(random_tokens(2, 2, 1, seed=1), "elu1", rule))
    for file in (*FILES, CSV_WIDE)
    for rule in UPDATE_RULES
]


@st.composite
def damaged(draw):
    """A good file with a few bytes overwritten, cut out or put in."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        gone = draw(st.sampled_from([0, 1, 1, 4, 1000]))
        data[at : at + gone] = draw(
            st.binary(max_size=6) | st.sampled_from([b"", b"\0", b'"', b"[", b"1e999", b"NaN", b"\n"])
        )
    return bytes(data)


@MANY
@given(data=damaged() | st.binary(max_size=200), record=st.sampled_from(IMPORTERS))
def test_any_bytes_are_a_file_or_an_input_error(data, record):
    answered(lambda: tokens_from(record.read(data)))
    answered(lambda: run_again(data))


SIGNS = [*"0123456789.,;\t\n\r \"'eE+-−/()[]{}&\\\0abnx∞", "nan", "array("]
SIGNS += [r"\begin{matrix}", r"\end{matrix}", r"\\", r"\frac{"]
signs = st.sampled_from(SIGNS)


@MANY
@given(st.text(max_size=40) | st.lists(signs, max_size=40).map("".join))
def test_any_text_is_a_table_or_an_input_error(text):
    number, pasted = answered(lambda: parse_number(text)), answered(lambda: parse_rows(text))
    assert number is None or np.isfinite(number)
    assert pasted is None or np.isfinite(np.array(pasted.rows)).all()


json_like = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
PATHS = "format version settings tokens initial step results conventions results.y".split()
PATHS += [f"settings.{name}" for name in document.SETTINGS] + ["settings.knobs.gamma", "settings.knobs.beta"]
PATHS += [f"tokens.{name}" for name in ("q", "k", "v", "labels", "beta", "log_decay")]


@MANY
@given(changes=st.dictionaries(st.sampled_from(PATHS), json_like, min_size=1, max_size=3))
def test_any_change_to_a_snapshot_is_a_run_or_an_input_error(changes):
    taken = snapshot(run(random_tokens(2, 2, 1, seed=1), "elu1", "decay"), step=1)
    for path, value in changes.items():
        *above, last = path.split(".")
        parent = taken
        for name in above:
            parent = parent[name] if isinstance(parent, dict) and name in parent else {}
        if isinstance(parent, dict):
            parent[last] = value
    answered(lambda: run_again(taken))


# What is read, and what is not


def test_fields_that_nobody_knows_are_ignored_and_named():
    trace = run(GATED, "elu1", "decay", initial=(np.ones((3, 2)), np.ones(3)))
    taken = copy.deepcopy(snapshot(trace, 1))
    taken["author"] = "me"
    taken["settings"]["colour"] = {"deep": [1]}
    taken["tokens"]["positions"] = [0, 1, 2]
    taken["initial"]["w"] = 0
    taken["results"] |= {"note": "hello", "q": [[9]], "step": 9, "settings": {}, "ignored": 3}
    again = restore(taken)
    ignored = {
        "author",
        "settings.colour",
        "tokens.positions",
        "initial.w",
        "results.note",
        "results.settings",
    }
    assert set(again.ignored) == ignored | {"results.q", "results.step", "results.ignored"}
    assert_same_run(Restored(again.tokens, again.settings, again.step, ()), trace, 1)


def test_results_cannot_stand_in_for_tokens():
    """Nor for the gates that these tokens do not have."""
    taken = snapshot(run(PLAIN))
    taken["results"] |= {"labels": [1, 2, 3], "beta": [9, 9, 9], "log_decay": -1, "q": [[9]], "step": 1}
    again = restore(taken)
    assert len(again.ignored) == 5
    assert_same_run(Restored(again.tokens, again.settings, again.step, ()), run(PLAIN))


@pytest.mark.parametrize("name", ["conventions", "initial", "step", "results"])
def test_what_is_not_needed_may_be_absent_or_null(name):
    trace = run(PLAIN)
    for change in ({name: None}, {}):
        taken = {field: value for field, value in snapshot(trace).items() if field != name} | change
        assert_same_run(restore(taken), trace)


@pytest.mark.parametrize("name", ["labels", "beta", "log_decay"])
def test_what_tokens_do_not_need_may_be_absent(name):
    taken = snapshot(run(PLAIN))
    del taken["tokens"][name]
    assert_same_run(restore(taken), run(PLAIN))


def test_whole_numbers_and_special_ones_stay_what_they_are():
    taken = snapshot(run(PLAIN, "elu1", "decay", gamma=1))
    taken["settings"]["knobs"] = {"gamma": 1, "beta": "NaN"}
    assert repr(restore(taken).settings["gamma"]) == "1"
    assert np.isnan(restore(taken).settings["beta"])
    taken["settings"]["knobs"] = {"gamma": [1, 0, 1], "beta": True}
    assert restore(taken).settings["gamma"].tolist() == [1, 0, 1]
    assert restore(taken).settings["beta"].dtype == bool


def test_a_snapshot_in_memory_and_one_that_an_importer_read_are_the_same():
    trace = run(GATED, "elu1", "decay")
    assert_same_run(restore(importer("json").read(export("json").write(trace, step=2))), trace, 2)
    arrays_in = copy.deepcopy(snapshot(trace))
    arrays_in["tokens"] |= {"q": trace.tokens.q, "k": trace.tokens.k, "log_decay": trace.tokens.log_decay}
    assert_same_run(restore(arrays_in), trace)


def test_tables_of_the_archive_need_not_stand_in_its_text():
    """As long as a run with them as arrays alone can be read, an archive may leave them out of `meta`."""
    trace = run(GATED, "elu1", "decay")
    meta = copy.deepcopy(head(trace)) | {"step": 2}
    moved = {name: np.array(meta["tokens"].pop(name)) for name in ("q", "k", "v", "beta", "log_decay")}
    file = io.BytesIO()
    np.savez_compressed(file, meta=np.array(to_text(meta)), **moved)
    assert_same_run(restore(file.getvalue()), trace, 2)


def test_the_schema_is_what_snapshots_write():
    """A field that snapshots gain must be read, or they would come back without it."""
    trace = run(GATED, "elu1", "decay", initial=(np.ones((3, 2)), np.ones(3)))
    taken = snapshot(trace, 1)
    assert set(taken) == set(document.FIELDS)
    assert set(taken["settings"]) == set(document.SETTINGS)
    assert set(taken["tokens"]) == {*document.TABLES, *document.GATES, "labels"}
    assert set(taken["initial"]) == {"S", "z"}
    for step in (None, 0, 1):
        assert not {*document.OWN_NAMES, *document.FIELDS} & set(snapshot(trace, step)["results"])


def test_the_documented_example_can_be_loaded():
    (block,) = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    again = restore(block.encode())
    assert (again.step, again.ignored) == (3, ())
    assert again.tokens.labels == ("p0", "p1", "p2")
    for name in "qkv":
        assert_same_bits(getattr(again.tokens, name), getattr(example("article").tokens, name))
    trace = run(again.tokens, **again.settings)
    results = snapshot(trace, 3)["results"]
    for name, shown in json.loads(block)["results"].items():
        assert results[name] == shown


def test_the_document_names_every_field_and_result():
    text = DOCUMENT.read_text("utf-8")
    traces = [run(GATED, "elu1", rule) for rule in UPDATE_RULES]
    trace = traces[0]
    names = {name for trace in traces for step in (None, 1) for name in snapshot(trace, step)["results"]}
    fields = {*snapshot(trace), *trace.settings.__dataclass_fields__} - {"phi", "rule"}
    for name in names | fields:
        assert re.search(rf"[`.\"]{name}[`\"]", text), name


def test_the_documented_lines_of_csv_are_lines_of_a_file():
    (block,) = re.findall(r"```\n(array,.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    tokens = Tokens(np.eye(3, 2), np.eye(3, 2), np.eye(3, 2), labels=["the", "b", "c"])
    header, *lines = block.splitlines()
    trace = run(tokens, "identity", "decay", gamma=[0.5, 0.5, 0.5])
    written = CSV.write(trace).decode("utf-8-sig").splitlines()
    assert written[0] == header
    for line in lines:
        assert line in written or line.startswith("S,3,0,1")
    assert [line for line in written if line.startswith("S,3,0,1")]
