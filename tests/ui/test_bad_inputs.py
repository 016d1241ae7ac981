"""What a person or a forged message may put into the grid, the paste box and the file box.

Each gets one sentence that names what is wrong, where, and what to change; the grid and the
last good picture stay.
"""

import io
import json
import zipfile

import numpy as np
import pytest

from linattn_core import export, run, snapshot
from linattn_core.examples import example

ARTICLE = example("article").tokens
RUN = run(ARTICLE, "identity")
HOSTILE = {
    "img": "<img src=x onerror=alert(1)>",
    "formula": "=cmd()",
    "latex": r"$\frac{",
    "bold": "**bold**",
    "link": "[x](javascript:alert(1))",
    "colour": ":red[x]",
    "material": ":material/home:",
    "emoji": "👩‍👩‍👧🏳️‍🌈",
    "right to left": "\u202eשלום",
    "10,000 characters": "x" * 10_000,
    "control": "\x00\x07\x1b[31m",
    "newline": "a\nb\r\n\n# c",
    "html entity": "&lt;b&gt;",
    "backslashes": "\\\\ \\` \\*",
}


def one_sentence(text):
    """Short, no traceback, and two parts: what arrived, and what to do."""
    plain = text.replace("\\", "")
    assert plain.endswith("."), plain
    assert plain.count(". ") >= 1, plain
    assert len(plain) < 400, plain
    assert not any(word in plain for word in ("Traceback", "Error", "np.float", "object at 0x")), plain
    return plain


# ---- cells

CELLS = {
    "": "is empty. Type a number; 0 is one",
    "   ": "is empty",
    "abc": '"abc", which is no number. Type one such as 0.5, 1/3 or -2e-3',
    "nan": "no finite number",
    "NaN": "no finite number",
    "inf": "no finite number",
    "-inf": "no finite number",
    "∞": "no finite number",
    "1e400": "too large",
    "-1e400": "too large",
    "1/0": "divides by 0. Type another denominator",
    "0/0": "divides by 0",
    "1/": "no number",
    "1//2": "no number",
    "0,5": "Use a point for decimals",
    "1 000": "no number",
    "0x1f": "no number",
    "1e": "no number",
    "½": "no number",
    "٣": "no number",
    "True": "no number",
    "None": "no number",
    "1j": "no number",
    "__import__('os')": "no number",
    "9" * 5_000: "5,000 characters long",
    "1/1e99999": "a fraction with an exponent",
} | {text: "which is no number" for name, text in HOSTILE.items() if name != "10,000 characters"}


@pytest.mark.parametrize("text", CELLS, ids=lambda text: ascii(text)[:40])
def test_a_bad_cell(patient, text):
    before, good = patient.trace, patient.texts
    patient.type(1, "k b", text)
    (error,) = patient.errors
    assert "Token p₁, column k b: the cell is " in one_sentence(error)
    assert CELLS[text].replace("\\", "") in one_sentence(error)
    assert "The picture shows the last numbers that worked." in error
    assert "<" not in error.replace("\\<", "")
    assert "$" not in error.replace("\\$", "")
    assert patient.trace is before
    assert patient.grid.loc["p₁", "k b"] == text
    patient.type(1, "k b", "1")
    assert (patient.errors, patient.texts) == ([], good)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_label_is_a_label(patient, text):
    patient.type(0, "label", text)
    assert patient.errors == []
    assert patient.trace.tokens.labels == (text, "p1", "p2")
    patient.type(2, "k a", "bad")
    patient.type(2, "label", text)
    (error,) = patient.errors
    assert one_sentence(error).startswith("Token p₂")
    shown = error + patient.captions
    for mark in "<$*[`":
        assert mark not in _without_own(shown).replace("\\" + mark, ""), mark


def _without_own(text):
    """Captions without what the page itself sets in Markdown: code, and numbers in brackets."""
    for own in ("[1.071, 1.214]", "[2, 0]", "[1, 1]", "[3, 1]", "[1.5, 0.5]", "[2, 2]"):
        text = text.replace(own, "")
    for own in ("[3, 3]", "[1.333, 0.667]", "[1, 0]", "[0.8, 1]"):
        text = text.replace(own, "")
    return text


def test_the_same_label_twice_is_fine(patient):
    for t in range(3):
        patient.type(t, "label", "cat")
    assert (patient.errors, patient.trace.tokens.labels) == ([], ("cat",) * 3)


# ---- forged messages of the grid

FORGED = [
    {"edited_rows": {99: {"q a": "7"}}},
    {"edited_rows": {10**30: {"q a": "7"}}},
    {"edited_rows": {0: {"q zz": "7"}}},
    {"edited_rows": {0: {"": "7"}}},
    {"edited_rows": {0: {"_index": "p₉"}}},
    {"edited_rows": {0: ["7"]}},
    {"edited_rows": {"x": {"q a": "7"}}},
    {"edited_rows": [7]},
    {"edited_rows": None},
    {"edited_rows": "7"},
    {"added_rows": [{"q a": "7"}]},
    {"added_rows": [{}] * 1000},
    {"added_rows": 7},
    {"deleted_rows": [0]},
    {"deleted_rows": [0, 1, 2]},
    {"deleted_rows": [77]},
    {"deleted_rows": ["x"]},
]
ODD = [  # what can be made sense of is an edit like any other
    {"edited_rows": {-1: {"q a": "7"}}},
    {"edited_rows": {"0": {"q a": "7"}}},
    {"edited_rows": {0: {"q a": ["7"]}}},
    {"edited_rows": {0: {"q a": {"x": 1}}}},
    {"edited_rows": {0: {"q a": "7"}, 99: {"q a": "7"}}},
]
pressed = pytest.mark.parametrize("pressed", [None, "Put into the grid"])


def forged(patient, message, pressed):
    """The grid reads it itself, or a button takes over what the grid had not read yet."""
    patient.send(message, run=not pressed)
    if pressed:
        patient.press(pressed)
    assert not patient.at.exception
    assert patient.grid.shape == (3, 7)
    assert all(isinstance(text, str) for row in patient.texts for text in row)


@pytest.mark.parametrize("message", FORGED, ids=lambda m: ascii(m)[:60])
@pressed
def test_a_forged_message_changes_nothing(patient, message, pressed):
    before, good = patient.texts, patient.trace
    forged(patient, message, pressed)
    assert (patient.texts, patient.errors) == (before, [])
    assert patient.trace.y.tolist() == good.y.tolist()


@pytest.mark.parametrize("message", ODD, ids=lambda m: ascii(m)[:60])
@pressed
def test_an_odd_message_breaks_nothing(patient, message, pressed):
    forged(patient, message, pressed)
    for error in patient.errors:
        assert "Token p₀, column q a: the cell is" in one_sentence(error)


@pytest.mark.parametrize("value", [5, 5.5, True])
def test_a_forged_number_is_the_text_of_it(patient, value):
    patient.send({"edited_rows": {0: {"q a": value}}})
    assert not patient.at.exception
    assert patient.grid.loc["p₀", "q a"] == str(value)


def test_a_forged_text_of_a_million_characters_is_quoted_short(patient):
    patient.type(0, "q a", "1" * 1_000_000)
    assert "1,000,000 characters long" in one_sentence(patient.errors[0])
    assert len(patient.note) < 200


@pytest.mark.parametrize("value", [0, -3, 10**9, 2.5])
@pytest.mark.parametrize("label", ["Tokens", "q and k components", "v components"])
def test_a_forged_size(patient, label, value):
    key = next(box.key for box in patient.at.number_input if box.label == label)
    patient.at.session_state[key] = value
    patient.at.run()
    T, width = patient.grid.shape
    assert len(patient.trace.k) == T in (1, 2, 3)  # as it was, or the nearest that can be
    assert width in (5, 6, 7)


# ---- pasted text

WIDE = ",".join(["1"] * 65)
PASTES = {
    "ragged": ("1 2\n3", "k", "line 1 has 2 and line 2 has 1"),
    "ragged list": ("[[1, 2], [3]]", "k", "row 1 has 2 and row 2 has 1"),
    "an empty cell": ("1,2\n3,", "k", "Line 2, column 2 (counted from 1) is empty"),
    "text": ("1,2\n3,x4", "k", 'Line 2, column 2 (counted from 1) is "x4", which is no number'),
    "nan": ("1,nan", "k", "no finite number"),
    "infinity": ("1,-inf", "k", "no finite number"),
    "1e400": ("1e400,2", "k", "too large"),
    "a division by 0": ("1/0,2", "k", "divides by 0"),
    "words alone": ("hello world", "k", "no number"),
    "an empty list": ("[]", "k", ""),
    "an empty matrix": (r"\begin{pmatrix}\end{pmatrix}", "k", "nothing arrived"),
    "half a matrix": (r"\begin{pmatrix} 1 & 2", "k", "LaTeX needs one matrix"),
    "half a list": ("[[1, 2], [3, 4]", "k", "closing bracket for every opening one"),
    "a shortened printout": ("[[1 2 ... 3]]", "k", "shortened"),
    "three axes": ("[[[1, 2], [3, 4]], [[1, 2], [3, 4]]]", "k", "one batch and one head"),
    "two decimal signs": ("0,5;0.25", "k", "one decimal sign"),
    "an open quote": ('"1,2\n3,4', "k", ""),
    "513 rows": ("1\n" * 513, "k", "at most 512 tokens; this table has 513 rows"),
    "10,000 rows": ("1 2\n" * 10_000, "k", "at most 512 tokens; this table has 10,000 rows"),
    "10,001 rows": ("1 2\n" * 10_001, "k", "at most 10,000 rows"),
    "65 columns": (WIDE, "q", "64 components each of q, k and v; q in this table has 65 columns"),
    "193 columns": (",".join(["1"] * 193), "all", "64 components each of q, k and v"),
    "a v too wide": (",".join(["1"] * 70), "all", "v in this table has 66 columns"),
    "columns that do not share out": ("1,2", "all", "side by side need 6 columns"),
    "one column side by side": ("1\n2", "all", "side by side need 6 columns"),
    "no query named": ("k_a,v_a\n1,2", "all", "q is missing"),
    "a component missing": ("q_a,q_c,k_a,v_a\n1,2,3,4", "all", "q_b (or q_1) is missing"),
    "keys and queries of two widths": ("q_a,q_b,k_a,v_a\n1,2,3,4", "all", "equally many columns"),
    "fewer queries": (
        '{"q": [[1]], "k": [[1], [2]], "v": [[1], [2]]}',
        "all",
        "one query per key; q has 1 rows",
    ),
    "fewer values": ('{"q": [[1], [2]], "k": [[1], [2]], "v": [[1]]}', "all", "Every key needs one value"),
    "an object without tables": ('{"a": 1, "b": 2}', "all", "q is missing, and there are: a, b"),
    "half an object": ('{"q": [[1]], "k": [', "all", "line 1, column 20"),
    "an object of <b>": ('{"<b>": [[1]], "c": [[1]]}', "all", '"<b>"'),
    "deep": ("[" * 100_000, "k", ""),
    "an expression": ("__import__('os').system('x')", "k", "no number"),
    "markup": ("<table><tr><td>1</td></tr></table>", "k", "no number"),
    "an image": ("<img src=x onerror=alert(1)>,=cmd()", "k", "no number"),
    "zero bytes": ("\x00\x00", "k", ""),
}


@pytest.mark.parametrize("name", PASTES)
def test_a_bad_paste(patient, name):
    text, into, why = PASTES[name]
    before, good = patient.texts, patient.trace.y.tolist()
    patient.paste(text, into)
    (error,) = patient.errors
    assert why in one_sentence(error)
    assert "<" not in error.replace("\\<", "")
    assert (patient.texts, patient.trace.y.tolist()) == (before, good)
    assert patient.kept("pasted") == text


@pytest.mark.parametrize("value", ["nonsense", None])
def test_a_forged_choice_of_table_is_the_first(patient, value):
    patient.at.session_state["pasted"] = "1 2"
    patient.at.session_state["preview"] = None
    patient.at.session_state["pasted_into"] = value
    patient.at.run()
    patient.at.session_state["pasted_into"] = "all"
    patient.at.session_state["pasted"] = ""
    patient.at.run()
    assert patient.errors == []


# ---- files


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def bomb():
    """64 MB of zeros in 64 kB."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (2**23, 1)}
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("q.npy", "w") as member:
        member.write(header.getvalue())
        for _ in range(4):
            member.write(bytes(2**24))
    return file.getvalue()


def changed(**fields):
    """The article's snapshot with other fields; a name a__b is b within a."""
    document = snapshot(RUN, step=2)
    for name, value in fields.items():
        *path, last = name.split("__")
        place = document
        for part in path:
            place = place[part]
        place[last] = value
    return json.dumps(document).encode()


WHOLE = export("json").write(RUN, step=2)
EYE = np.eye(3)
FILES = {
    "an unknown suffix": ("x.exe", b"MZ", "needs one of the suffixes"),
    "no suffix": ("x", b"1,2", "needs one of the suffixes"),
    "an empty json": ("x.json", b"", "line 1, column 1"),
    "an empty npz": ("x.npz", b"", ""),
    "an empty npy": ("x.npy", b"", "np.save"),
    "an empty csv": ("x.csv", b"", "nothing arrived"),
    "half a json snapshot": ("x.json", WHOLE[: len(WHOLE) // 2], "whole and well formed"),
    "half an npz snapshot": ("x.npz", export("npz").write(RUN)[:900], "whole archive"),
    "half a csv snapshot": ("x.csv", export("csv").write(RUN, step=2)[:300], ""),
    "a later version": ("x.json", changed(version=99), "version 99; versions up to 1 are known"),
    "no version": ("x.json", changed(version=None), "a version from 1 to 1"),
    "another format": ("x.json", changed(format="other"), 'the format "linattn-snapshot"'),
    "an unknown map": ("x.json", changed(settings__phi="<b>"), "settings.phi needs to be one of"),
    "an unknown rule": ("x.json", changed(settings__rule=7), "settings.rule needs a text"),
    "a knob nobody has": ("x.json", changed(settings__knobs={"zz": 1}), "no knob 'zz'"),
    "a share above 1": (
        "x.json",
        changed(settings__rule="decay", settings__knobs={"gamma": 2}),
        "from 0 to 1",
    ),
    "a scale of 0": ("x.json", changed(settings__scale=0.0), "a number > 0"),
    "a step too far": ("x.json", changed(step=9), "from 0 to 3"),
    "a state of another shape": (
        "x.json",
        changed(initial={"S": [[1]], "z": [1]}),
        "S0 needs the shape (2, 2)",
    ),
    "a decay above 0": ("x.json", changed(tokens__log_decay=[1, 0, 0]), "numbers ≤ 0"),
    "NaN in q": ("x.json", changed(tokens__q=[["NaN", 1], [1, 1], [1, 1]]), "row 0, column 0"),
    "labels of numbers": ("x.json", changed(tokens__labels=[1, 2, 3]), "labels needs texts"),
    "too few labels": ("x.json", changed(tokens__labels=["a"]), "labels needs 3 strings"),
    "tokens that are a text": ("x.json", changed(tokens="abc"), ""),
    "1e400": ("x.json", b'{"q": [[1e400]], "k": [[1]], "v": [[1]]}', "1.8e308"),
    "nothing but a number": ("x.json", b"7", "an object with lists q, k and v"),
    "nested thousands deep": ("x.json", b"[" * 100_000, ""),
    "latin-1": ("x.csv", "ä,1".encode("latin-1"), "UTF-8"),
    "object array": (
        "x.npy",
        npy(np.array([{}, 1], dtype=object)),
        "Python objects, which are never unpacked",
    ),
    "objects in an npz": ("x.npz", npz(q=np.array([{}, 1], dtype=object)), "Python objects"),
    "complex": ("x.npz", npz(q=EYE * 1j, k=EYE, v=EYE), "complex numbers"),
    "dates": ("x.npy", npy(np.array(["2026-01-01"], dtype="M8[D]")), "a header with one plain type"),
    "true and false": ("x.npy", npy(EYE.astype(bool)), "real numbers"),
    "a lying header": (
        "x.npy",
        npy(EYE).replace(b"(3, 3)", b"(9, 9)"),
        "648 bytes, as its header says; 72 arrived",
    ),
    "a huge header": ("x.npy", npy(EYE).replace(b"(3, 3), ", b"(3,9999999999999999), "), ""),
    "a zip bomb": ("x.npz", bomb(), "at most 4,194,304 numbers"),
    "a zip of texts": ("x.npz", npz(meta="hello"), "q is missing"),
    "NaN in an array": ("x.npy", npy(np.array([[1, np.nan]])), "row 0, column 1"),
    "infinity in k": ("x.npz", npz(q=EYE, k=EYE + np.inf, v=EYE), "k needs finite numbers"),
    "no values": ("x.npz", npz(q=EYE, k=EYE), "v is missing, and there are: q, k"),
    "two arrays without names": ("x.npz", npz(a=EYE, b=EYE), "q is missing, and there are: a, b"),
    "four axes": (
        "x.npz",
        npz(**dict.fromkeys("qkv", np.ones((1, 5, 2, 3)))),
        "its shape is (1, 5, 2, 3). Keep one",
    ),
    "three axes without a name": (
        "x.npy",
        npy(np.ones((2, 3, 4))),
        "2 axes here, one row per token; its shape is (2",
    ),
    "one axis": ("x.npy", npy(np.ones(3)), "its shape is (3,)"),
    "no rows": ("x.npy", npy(np.ones((0, 3))), "its shape is (0, 3)"),
    "600 tokens": (
        "x.npz",
        npz(**dict.fromkeys("qkv", np.ones((600, 2)))),
        "at most 512 tokens; q has 600 rows",
    ),
    "600 rows": ("x.npy", npy(np.ones((600, 6))), "at most 512 tokens; array has 600 rows"),
    "65 components": ("x.npz", npz(q=np.ones((2, 65)), k=np.ones((2, 65)), v=EYE[:2]), "q has 65 columns"),
    "other widths": ("x.npz", npz(q=EYE, k=EYE[:, :2], v=EYE), "equally many columns; q has 3 and k has 2"),
    "other lengths": ("x.npz", npz(q=EYE, k=EYE, v=EYE[:2]), "equally many rows; k has 3 and v has 2"),
    "fewer queries": ("x.npz", npz(q=EYE[:2], k=EYE, v=EYE), "one query per key; q has 2 rows and k has 3"),
    "a hostile name": (
        "x.json",
        b'{"<img src=x onerror=alert(1)>": [[1]], "b": [[1]]}',
        '"<img src=x onerror=alert(1)>"',
    ),
    "a name in Markdown": ("x.npz", npz(**{"**b**": EYE, "$x$": EYE}), '"**b**", "$x$"'),
    "a folder in an archive": ("x.npz", npz(**{"../q": EYE}), "no folders"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file(patient, name):
    file, data, why = FILES[name]
    before, good, phi = patient.texts, patient.trace.y.tolist(), patient.kept("phi")
    patient.open(file, data)
    (error,) = patient.errors
    assert why in one_sentence(error)
    for mark in "<$*":
        assert mark not in error.replace("\\" + mark, "")
    assert (patient.texts, patient.trace.y.tolist(), patient.kept("phi")) == (before, good, phi)
    assert patient.button("Undo").disabled == (not patient.kept("history")["past"])


@pytest.mark.parametrize(
    "name", [text for text in HOSTILE.values() if "\n" not in text and "\x00" not in text]
)
def test_a_hostile_file_name_is_a_name(patient, name):
    patient.open(f"{name}.json", WHOLE)
    assert patient.errors == []
    assert patient.trace.tokens.q.tolist() == ARTICLE.q.tolist()
    shown = _without_own(patient.captions)
    for mark in "<$*":
        assert mark not in shown.replace("\\" + mark, ""), mark
    assert len(patient.note) < 250


def test_there_are_enough_of_them():
    assert len(CELLS) + len(FORGED) + len(PASTES) + len(FILES) + 2 * len(HOSTILE) > 150
