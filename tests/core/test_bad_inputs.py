"""Everything that may arrive broken, each with words from the one sentence that answers it."""

import copy
import io
import json
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from linattn_core import InputError, Tokens, export, limits, run, snapshot
from linattn_core.exports.csv_file import CSV
from linattn_core.importers import importer, importer_for
from linattn_core.numerals import parse_number
from linattn_core.pasted import parse_rows, table
from linattn_core.restore import restore, tokens_from

ONE = [[1.0, 2.0], [3.0, 4.0]]
TRACE = run(Tokens(ONE, ONE, ONE, labels=["a", "b"], log_decay=[-1.0, -np.inf]), "elu1", "decay", eps=1e-6)

# Builders of broken files


def npy(shape="(2, 2)", descr="'<f8'", order="False", data=None, version=1, header=None):
    text = header or f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
    size = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + (bytes(32) if data is None else data)


def saved(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def zipped(*members, how=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


def qkv(**changed):
    return npz(**({"q": ONE, "k": ONE, "v": ONE} | changed))


def with_q(data):
    return zipped(("q.npy", data), ("k.npy", saved(ONE)), ("v.npy", saved(ONE)))


def flagged(data, offset, value):
    """One byte of the only local header and of the only entry in the table of contents, changed."""
    data = bytearray(data)
    for start, more in ((data.find(b"PK\x03\x04"), 0), (data.find(b"PK\x01\x02"), 2)):
        data[start + offset + more] = value
    return bytes(data)


def flipped(data, where):
    data = bytearray(data)
    data[where] ^= 0xFF
    return bytes(data)


def j(content):
    return json.dumps(content).encode()


def tensors(**changed):
    return j({"q": ONE, "k": ONE, "v": ONE} | changed)


WIDE = "q_a,q_b,k_a,k_b,v_a\n1,2,3,4,5\n6,7,8,9,10\n"
LONG = "array,axis0,axis1,axis2,value\n"
LONG_Q = LONG + "q,0,0,,1\nq,0,1,,2\nk,0,0,,1\nk,0,1,,2\nv,0,0,,1\n"
CSV_FILE = CSV.write(TRACE).decode("utf-8-sig")
JSON_FILE = export("json").write(TRACE)
NPZ_FILE = export("npz").write(TRACE)
TWICE = zipped(("q.npy", saved(ONE)), ("k.npy", saved(ONE)))
MANY = {f"x{i}": [0] for i in range(65)}

NUMBERS = {
    "nothing": ("", "is empty. Type a number"),
    "blanks": (" \t ", "is empty"),
    "nan": ("nan", '"nan", which is no finite number'),
    "minus infinity": ("-Infinity", "no finite number"),
    "the sign of infinity": ("∞", "no finite number"),
    "a word": ("half", '"half", which is no number. Type one such as 0.5, 1/3 or -2e-3'),
    "1e400": ("1e400", '"1e400", which is too large'),
    "a quotient too large": ("1e308/1e-308", "too large"),
    "a negative quotient too large": ("-1e308/1e-308", "too large"),
    "by 0": ("1/0", "divides by 0"),
    "by -0.0e5": ("1/-0.0e5", "divides by 0"),
    "0 by 0": ("0/0", "divides by 0"),
    "half a fraction": ("1/", "no number"),
    "no numerator": ("/2", "no number"),
    "two slashes": ("1/2/3", "no number"),
    "a decimal comma": ("0,5", "Use a point for decimals"),
    "underscores": ("1_000", "no number"),
    "underscores in an exponent": ("1e1_0", "no number"),
    "other digits": ("٣", "no number"),
    "full-width digits": ("１", "no number"),
    "hexadecimal": ("0x10", "no number"),
    "half an exponent": ("1e", "no number"),
    "a product": ("2*3", "no number"),
    "code": ("__import__('os').system('true')", "\"__import__('os').system('true…\", which is no number"),
    "an exponent that would take a year": ("1e99999999/3", "exponent of 5 digits or more"),
    "a million digits": ("1" * 1_000_000, "1,000,000 characters long"),
    "a million letters": ("x" * 1_000_000, '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx…", 1,000,000'),
    "control signs": ("1\0\n\u202e2", '"1���2"'),
    "a complex number": ("1+2j", "no number"),
    "a boolean": ("True", "no number"),
}

PASTES = {
    "nothing": ("", "needs at least one row of numbers; nothing arrived"),
    "blank lines": (" \n\n\t\n", "nothing arrived"),
    "only separators": (",,,\n,,\n", "nothing arrived"),
    "a word": ("hello", 'Line 1, column 1 (counted from 1) is "hello", which is no number'),
    "words": ("hello world\n", 'Line 1, column 2 (counted from 1) is "world"'),
    "a header alone": ("q_a,q_b", 'Line 1, column 2 (counted from 1) is "q_b"'),
    "two headers": ("a,b\nc,d\n1,2", 'Line 2, column 1 (counted from 1) is "c"'),
    "ragged commas": ("1,2\n3", "line 1 has 2 and line 2 has 1"),
    "ragged blanks": ("1 2\n3 4 5", "line 1 has 2 and line 2 has 3"),
    "ragged after a header": ("a,b\n1,2,3", "line 1 has 2 and line 2 has 3"),
    "separators that change": ("1,2\n3;4", "line 1 has 2 and line 2 has 1"),
    "an empty cell": ("1,,3\n4,5,6", "Line 1, column 2 (counted from 1) is empty"),
    "an empty first cell": ("1,2\n,4", "Line 2, column 1 (counted from 1) is empty"),
    "text in a number column": ("1,2\n3,x", 'Line 2, column 2 (counted from 1) is "x"'),
    "one label among numbers": ("1,2\nx,3", 'Line 2, column 1 (counted from 1) is "x"'),
    "half a character": (
        "a,1\nb\ud83e,2",
        "labels needs whole characters; entry 1 (counted from 0) has half",
    ),
    "NaN": ("1,nan", '"nan", which is no finite number'),
    "NaN in all of row 1": ("nan,nan\n1,2", "Line 1, column 1 (counted from 1)"),
    "infinity": ("1 inf", '"inf", which is no finite number'),
    "1e400": ("1,1e400", 'Line 1, column 2 (counted from 1) is "1e400", which is too large'),
    "by 0": ("1,1/0", "divides by 0"),
    "both decimal signs": ("0,5;1.5", '"0,5" has a comma and "1.5" a point'),
    "both decimal signs between tabs": ("0,5\t1.5", "one decimal sign"),
    "thousands or decimals": ("1,000\t2,500", '"1,000" may mean thousands'),
    "two decimal commas": ("1,2,3;4", '"1,2,3", which is no number'),
    "a decimal comma among blanks": ("0,5 1,5", 'column 2 (counted from 1) is "5 1"'),
    "thousands with apostrophes": ("1'000\t2", "no number"),
    "money": ("$1,$2", 'is "$2", which is no number'),
    "percent": ("50%,20%", '"50%", which is no number'),
    "a quote that stays open": ('"a,1\nb,2', "needs quotes that open and close"),
    "signs after a quote": ('"a"b,1', "needs quotes that open and close"),
    "a cell of 200,000 signs": ("x" * 200_000 + ",1", "needs quotes that open and close"),
    "10,001 rows": ("1,2\n" * 10_001, "at most 10,000 rows"),
    "a header and 10,001 rows": ("a,b\n" + "1,2\n" * 10_001, "at most 10,000 rows"),
    "10,002 rows of a list": ("[" + "[1],\n" * 10_002 + "]", "at most 10,000 rows"),
    "too many cells in LaTeX": ("1&2\\\\" + "&" * 2**22, "at most 4,194,304 numbers"),
    "an object": ('{"q": [[1, 2]]}', "JSON object with names"),
    "an empty object": ("{}", "JSON object with names"),
    "an empty list": ("[]", "row 1 (counted from 1) is empty"),
    "an empty row": ("[[]]", "row 1 (counted from 1) is empty"),
    "three axes": ("[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", "nested deeper"),
    "20 brackets": ("[" * 20 + "1" + "]" * 20, "nested deeper"),
    "100,000 brackets": ("[" * 100_000, "100,000 open and 0 close"),
    "ragged lists": ("[[1, 2], [3]]", "row 1 has 2 and row 2 has 1"),
    "a list cut off": ("[[1, 2], [3, 4", "2 open and 0 close"[:0] + "needs a closing bracket"),
    "a bracket too many": ("[[1, 2]]]", "2 open and 3 close"),
    "brackets the wrong way": ("[1, 2]]][[[3, 4]", "nested deeper, or holds"),
    "a number beside rows": ("[[1, 2], 3]", "something besides rows"),
    "a shortened printout": ("[[1. 2. ... 9.]\n ...\n [1. 2. ... 9.]]", 'shortened to "..."'),
    "null": ("[null, 1]", '"null", which is no number'),
    "None": ("[None, 1]", '"None"'),
    "a row of None": ("[[None, None], [1, 2]]", 'Row 1, column 1 (counted from 1) is "None"'),
    "true": ("[[true, false]]", '"true"'),
    "NaN in a list": ("[[NaN, 1]]", "no finite number"),
    "two commas": ("[1,,2]", "Row 1, column 2 (counted from 1) is empty"),
    "a sum": ("[1+1, 2]", '"1+1"'),
    "a call": ("[f(1), 2]", "something besides rows"),
    "a comprehension": ("[x for x in range(3)]", "something besides rows"),
    "a text that does not end": ("[['a, 1, 2], [3, 4]]", "needs a quote at its end"),
    "a backslash at the end": ("['\\", "needs a quote at its end"),
    "a matrix of MATLAB": ("[1 2; 3 4]", '"2;", which is no number'),
    "NUL in a list": ("[\0" + "7\0, 1]", "which is no number"),
    "LaTeX cut off": (r"\begin{pmatrix} 1 & 2 \\ 3 & 4", "1 \\begin and 0 \\end"),
    "two matrices": (r"\begin{matrix}1\end{matrix}\begin{matrix}2\end{matrix}", "2 \\begin and 2 \\end"),
    "LaTeX that is no matrix": (r"\begin{equation} 1 \end{equation}", "needs one matrix"),
    "an end before the beginning": (r"\end{matrix} 1 \begin{matrix}", "needs one matrix"),
    "an empty matrix": (r"\begin{matrix}\end{matrix}", "nothing arrived"),
    "a ragged matrix": (r"\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}", "row 1 has 2 and row 2 has 1"),
    "a letter in a matrix": (
        r"\begin{pmatrix} 1 & x \end{pmatrix}",
        'Row 1, column 2 (counted from 1) is "x"',
    ),
    "a gap in a matrix": (
        r"\begin{pmatrix} 1 & & 3 \end{pmatrix}",
        "Row 1, column 2 (counted from 1) is empty",
    ),
    "a fraction by 0": (r"\begin{pmatrix} \frac{1}{0} \end{pmatrix}", "divides by 0"),
    "a nested fraction": (r"\begin{pmatrix} \frac{1}{\frac{1}{2}} \end{pmatrix}", "no number"),
    "a root": (r"\begin{pmatrix} \sqrt{2} \end{pmatrix}", "no number"),
    "HTML": ("<table><tr><td>1</td></tr></table>", "no number"),
    "a Markdown table": ("| 1 | 2 |\n| 3 | 4 |", "no number"),
    "a formula of a spreadsheet": ("=A1,=B1", 'is "=B1"'),
}

FILES = {
    # .npz
    "npz: nothing": ("npz", b"", "cannot be unpacked"),
    "npz: text": ("npz", b"hello", "cannot be unpacked"),
    "npz: garbage behind the sign": ("npz", b"PK\x03\x04" + b"x" * 100, "cannot be unpacked"),
    "npz: cut in half": ("npz", NPZ_FILE[: len(NPZ_FILE) // 2], "cannot be unpacked"),
    "npz: its last byte missing": ("npz", NPZ_FILE[:-1], "cannot be unpacked"),
    "npz: a number changed": ("npz", flipped(NPZ_FILE, NPZ_FILE.find(b"q.npy") + 160), "cannot be unpacked"),
    "npz: deflated damage": ("npz", flipped(with_q(saved(np.arange(400.0).reshape(200, 2))), 90), "unpacked"),
    "npz: no arrays": ("npz", zipped(), "q is missing, and there are: nothing"),
    "npz: other names": ("npz", npz(query=ONE, key=ONE, value=ONE), "there are: query, key, value"),
    "npz: no names": ("npz", npz(arr_0=ONE), "q is missing, and there are: arr_0"),
    "npz: no v": ("npz", npz(q=ONE, k=ONE), "v is missing"),
    "npz: a password": ("npz", flagged(zipped(("q.npy", saved(ONE))), 6, 1), "q is encrypted"),
    "npz: bzip2": ("npz", zipped(("q.npy", saved(ONE)), how=zipfile.ZIP_BZIP2), "stored or deflated; q is"),
    "npz: lzma": ("npz", zipped(("q.npy", saved(ONE)), how=zipfile.ZIP_LZMA), "stored or deflated; q is"),
    "npz: 65 arrays": ("npz", npz(**MANY), "at most 64 arrays"),
    "npz: a name twice": ("npz", TWICE.replace(b"k.npy", b"q.npy"), "q stands twice"),
    "npz: a folder": ("npz", zipped(("x/q.npy", saved(ONE))), 'no folders; this one has "x/q.npy"'),
    "npz: out of the folder": ("npz", zipped(("../../q.npy", saved(ONE))), "no folders"),
    "npz: an absolute path": ("npz", zipped(("/etc/q.npy", saved(ONE))), "no folders"),
    "npz: a drive": ("npz", zipped(("C:q.npy", saved(ONE))), "no folders"),
    "npz: a backslash": ("npz", zipped(("..\\q.npy", saved(ONE))), "no folders"),
    "npz: no name": ("npz", zipped((".npy", saved(ONE))), "members such as q.npy"),
    "npz: a model of PyTorch": ("npz", zipped(("m/data.pkl", b"\x80\x02}q.")), '"m/data.pkl"'),
    "npz: a text file in it": ("npz", zipped(("q.txt", b"1 2")), '"q.txt"'),
    "npz: hostile name": (
        "npz",
        zipped(("<img src=x onerror=alert(1)>.npy", b"")),
        '"<img src=x onerror=alert(1)>"',
    ),
    "npz: a member that is no array": ("npz", with_q(b"hello world"), "q needs to be saved by np.save"),
    "npz: an empty member": ("npz", with_q(b""), "q needs to be saved by np.save"),
    "npz: 100 MB of zeros": (
        "npz",
        lambda: with_q(npy() + bytes(100 * 2**20)),
        "32 bytes, as its header says; more",
    ),
    "npz: 100 MB that its header admits": (
        "npz",
        lambda: with_q(npy("(3200, 4096)") + bytes(3200 * 4096 * 8)),
        "at most 4,194,304 numbers; its shape (3200, 4096)",
    ),
    "npz: a header of 100 MB": (
        "npz",
        lambda: with_q(b"\x93NUMPY\x02\x00" + (100 * 2**20).to_bytes(4, "little") + b" " * (100 * 2**20)),
        "it has none, or one too long",
    ),
    "npz: 8 TB that are not there": ("npz", with_q(npy("(1000000000, 1000)")), "1,000,000,000,000. Keep"),
    "npz: a shape beyond 64 bits": (
        "npz",
        with_q(npy("(999999999999999999, 999999999999999999)")),
        "at most",
    ),
    "npz: more than its header says": ("npz", with_q(npy("(1, 2)")), "16 bytes, as its header says; more"),
    "npz: less than its header says": (
        "npz",
        with_q(npy("(4, 2)")),
        "64 bytes, as its header says; 32 arrived",
    ),
    "npz: too much together": (
        "npz",
        lambda: npz(**{f"x{i}": np.zeros(2**22, "i1") for i in range(9)}),
        "at most 33,554,432 numbers in all",
    ),
    "npz: objects": (
        "npz",
        qkv(q=np.array([[{}]], dtype=object)),
        "q needs real numbers; it arrived as Python",
    ),
    "npz: labels as objects": ("npz", qkv(labels=np.array(["a"], dtype=object)), "labels needs real numbers"),
    "npz: labels as numbers": ("npz", qkv(labels=[1, 2]), "labels needs texts; entry 0"),
    "npz: labels as bytes": ("npz", qkv(labels=np.array([b"a", b"b"])), "bytes"),
    "npz: too few labels": ("npz", qkv(labels=np.array(["a"])), "labels needs 2 strings"),
    "npz: half a character": ("npz", qkv(labels=np.array(["a", "\ud800"])), "half of a surrogate pair"),
    "npz: beyond Unicode": (
        "npz",
        zipped(("labels.npy", npy("(1,)", "'<U1'", data=b"\xff\xff\xff\xff"))),
        "texts in Unicode",
    ),
    "npz: a text of 400 MB": ("npz", zipped(("labels.npy", npy("()", "'<U100000000'"))), "at most 160 MB"),
    "npz: a text of no width": ("npz", zipped(("labels.npy", npy("(2,)", "'<U0'"))), "at least one byte"),
    "npz: complex": ("npz", qkv(q=np.array(ONE) + 1j), "q needs real numbers; it arrived as complex"),
    "npz: records": ("npz", qkv(q=np.zeros(2, dtype=[("a", "f8")])), "q needs a header with one plain type"),
    "npz: dates": ("npz", qkv(q=np.zeros((2, 2), dtype="M8[s]")), "q needs a header with one plain type"),
    "npz: texts as q": ("npz", qkv(q=np.array([["1", "2"]])), "q is missing"),
    "npz: bool": (
        "npz",
        qkv(q=np.array([[True, False]])),
        "q needs real numbers; row 0, column 0 (counted from 0) is True",
    ),
    "npz: bfloat16": ("npz", with_q(npy(descr="'<V2'", data=bytes(8))), "as NumPy saves bfloat16"),
    "npz: 80-bit floats": ("npz", qkv(q=np.array(ONE, dtype=np.longdouble)), "more than 64 bits"),
    "npz: int64 beyond 2^53": ("npz", qkv(k=np.array([[2**53 + 1, 0], [0, 0]])), "it has 9007199254740993"),
    "npz: uint64 at its end": (
        "npz",
        qkv(k=np.full((2, 2), 2**64 - 1, dtype="u8")),
        "it has 18446744073709551615",
    ),
    "npz: int64 at its start": ("npz", qkv(k=np.full((2, 2), -(2**63))), "it has 9223372036854775808"),
    "npz: NaN": ("npz", qkv(k=[[1, np.nan], [0, 0]]), "k needs finite numbers; row 0, column 1"),
    "npz: infinity": ("npz", qkv(v=[[np.inf], [0]]), "v needs finite numbers; row 0, column 0"),
    "npz: 1 axis": ("npz", qkv(q=[1.0, 2.0]), "q needs a table"),
    "npz: 3 axes": (
        "npz",
        qkv(q=np.zeros((2, 2, 2))),
        "q needs 2 axes here, one row per token; its shape is (2, 2, 2)",
    ),
    "npz: 4 axes": ("npz", qkv(k=np.zeros((1, 2, 3, 2))), "Keep one batch and one head"),
    "npz: 5 axes": ("npz", qkv(q=np.zeros((1, 1, 1, 1, 1))), "at most 4 axes"),
    "npz: no tokens": (
        "npz",
        qkv(q=np.zeros((0, 2)), k=np.zeros((0, 2)), v=np.zeros((0, 2))),
        "its shape is (0, 2)",
    ),
    "npz: no components": ("npz", qkv(q=np.zeros((2, 0))), "its shape is (2, 0)"),
    "npz: k and v differ": ("npz", qkv(v=[[1.0]]), "k has 2 and v has 1"),
    "npz: q and k differ": ("npz", qkv(q=[[1.0], [2.0]]), "q has 1 and k has 2"),
    "npz: decay above 1": ("npz", qkv(log_decay=[0.5, 0.5]), "log_decay is a natural log"),
    "npz: beta of another length": ("npz", qkv(beta=[1.0, 1.0, 1.0]), "beta needs one number"),
    "npz: meta without an end": (
        "npz",
        npz(meta=np.array('{"format": "linattn-snapshot"')),
        "line 1, column 30",
    ),
    "npz: meta alone": (
        "npz",
        npz(meta=np.array('{"format": "linattn-snapshot", "version": 1}')),
        "field tokens",
    ),
    "npz: meta without a table": (
        "npz",
        npz(meta=np.array('{"format": "linattn-snapshot", "version": 1, "tokens": 3}')),
        "tokens needs an object with names; it is 3",
    ),
    # .npy
    "npy: nothing": ("npy", b"", "needs to be saved by np.save"),
    "npy: half its magic": ("npy", b"\x93NUM", "needs to be saved by np.save"),
    "npy: no header": ("npy", b"\x93NUMPY\x01\x00", "it has none, or one too long"),
    "npy: a header of 4 GB": ("npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "it has none, or one too long"),
    "npy: a header that is code": (
        "npy",
        npy(header="__import__('os').abort()\n"),
        "header with one plain type",
    ),
    "npy: digits without end": ("npy", npy(header="{'shape': (" + "1" * 4000), "header with one plain type"),
    "npy: a shape below 0": ("npy", npy("(-1, 2)"), "header with one plain type"),
    "npy: an unknown type": ("npy", npy(descr="'<f3'"), 'it has "<f3"'),
    "npy: a type of another kind": ("npy", npy(descr="'<q8'"), "header with one plain type"),
    "npy: pickled": (
        "npy",
        saved(np.array([print], dtype=object)),
        "Python objects, which are never unpacked",
    ),
    "npy: no names": ("npy", saved(ONE), "q is missing, and there are: array"),
    "npy: two arrays": ("npy", saved(ONE) + saved(ONE), "as its header says; more arrived"),
    "npy: cut off": ("npy", saved(ONE)[:-1], "32 bytes, as its header says; 31 arrived"),
    # .json
    "json: nothing": ("json", b"", "line 1, column 1"),
    "json: a word": ("json", b"hello", "line 1, column 1"),
    "json: a number": ("json", b"5", "it is 5. Save these three"),
    "json: a text": ("json", b'"<b>"', 'it is "<b>"'),
    "json: null": ("json", b"null", "needs an object with lists q, k and v"),
    "json: cut in half": ("json", JSON_FILE[: len(JSON_FILE) // 2], "needs to be whole"),
    "json: its last byte missing": ("json", JSON_FILE[:-1], "needs to be whole"),
    "json: two documents": ("json", JSON_FILE + JSON_FILE, "Extra data"),
    "json: a trailing comma": ("json", b'{"q": [[1],]}', "line 1, column 1"),
    "json: single quotes": ("json", b"{'q': [[1]]}", "line 1, column 2"),
    "json: a name twice": ("json", b'{"q": [[1]], "k": [[1]], "q": [[2]]}', "q stands twice"),
    "json: 100,000 brackets": ("json", b"[" * 100_000, "nested hundreds deep"),
    "json: 100,000 objects": ("json", b'{"a":' * 100_000, "nested hundreds deep"),
    "json: 1e400": ("json", tensors().replace(b"1.0", b"1e400", 1), '"1e400" is larger'),
    "json: 400 digits": ("json", tensors().replace(b"1.0", b"9" * 400, 1), "is larger"),
    "json: a million digits": ("json", b"[" + b"9" * 10**6 + b"]", "is larger"),
    "json: NaN": ("json", tensors(q=[[float("nan"), 1], [1, 1]]), "q needs finite numbers; row 0, column 0"),
    "json: infinity as text": ("json", tensors(v=[["Infinity"], [1]]), "v needs finite numbers"),
    "json: a number as text": (
        "json",
        tensors(q=[["1", 2], [3, 4]]),
        'q needs numbers; row 0, column 0 (counted from 0) is "1"',
    ),
    "json: null in a table": (
        "json",
        tensors(k=[[1, None], [3, 4]]),
        "row 0, column 1 (counted from 0) is empty",
    ),
    "json: true in a table": (
        "json",
        tensors(k=[[1, True], [3, 4]]),
        "row 0, column 1 (counted from 0) is true or false",
    ),
    "json: an object in a table": ("json", tensors(k=[[1, {}], [3, 4]]), "is a dict"),
    "json: an object as a table": ("json", tensors(k={"a": 1}), "k is missing"),
    "json: ragged": (
        "json",
        tensors(k=[[1, 2], [3]]),
        "row 1 (counted from 0) has 1 entries, the first has 2",
    ),
    "json: ragged in depth": (
        "json",
        tensors(k=[[[1], [2]], [[3], 4]]),
        "row 1, column 1 (counted from 0) has no entries",
    ),
    "json: ragged deeper": (
        "json",
        tensors(k=[[[[1], [2]]], [[[3], [4, 5]]]]),
        "entry [1, 0, 1] (counted from 0) has 2 entries",
    ),
    "json: a row that is a number": ("json", tensors(k=[[1, 2], 3]), "row 1 (counted from 0) has no entries"),
    "json: 5 deep": ("json", tensors(k=[[[[[1]]]]]), "at most 4 axes"),
    "json: 3 deep": ("json", tensors(q=[[[1, 2]], [[3, 4]]]), "q needs 2 axes here"),
    "json: empty tables": ("json", tensors(q=[], k=[], v=[]), "its shape is (0,)"),
    "json: empty rows": ("json", tensors(q=[[], []]), "its shape is (2, 0)"),
    "json: a number as a table": ("json", tensors(q=3), "q needs a table"),
    "json: 65 lists": ("json", j(MANY), "at most 64 lists"),
    "json: labels that are numbers": ("json", tensors(labels=[1, 2]), "labels needs texts; entry 0"),
    "json: labels that are a number": (
        "json",
        tensors(labels=3),
        "labels needs a list of texts; it is a int",
    ),
    "json: labels that are one text": (
        "json",
        tensors(labels="ab"),
        "labels needs a list of texts; it is a str",
    ),
    "json: a text as a table": (
        "json",
        tensors(k="[[1, 2]]"),
        "k is missing, and there are: q, v, k (no numbers)",
    ),
    "json: labels too many": ("json", tensors(labels=list("abc")), "labels needs 2 strings"),
    "json: half a character": ("json", tensors(labels=["\ud83d", "x"]), "half of a surrogate pair"),
    "json: a list of records": (
        "json",
        j([{"q": 1}]),
        "The list needs numbers; row 0 (counted from 0) is a dict",
    ),
    "json: a table without names": ("json", j(ONE), "q is missing, and there are: array"),
    "json: hostile names": (
        "json",
        j({"<script>alert(1)</script>": ONE}),
        'there are: "<script>alert(1)</script>"',
    ),
    "json: a hostile name of a bad list": (
        "json",
        j({"<b>" * 999: [[1], [1, 2]]}),
        '"<b><b><b><b><b><b><b><b><b><b>'[:28],
    ),
    "json: too many values": ("json", lambda: b"[" * 8 + b"0," * 2**25 + b"0]", "at most 33,554,432 values"),
    "json: UTF-16 without its mark": ("json", tensors().decode().encode("utf-16-le"), "like UTF-16"),
    "json: Latin-1": (
        "json",
        '{"labels": ["é"]}'.encode("latin-1"),
        "line 1 (counted from 1) has the byte 0xe9",
    ),
    "json: a whole number beyond floats": ("json", tensors(q=[[int("9" * 309), 1], [1, 1]]), "is larger"),
    # .csv
    "csv: nothing": ("csv", b"", "nothing arrived"),
    "csv: only a header": ("csv", b"q_a,k_a,v_a\n", "no number"),
    "csv: no names": ("csv", b"1,2\n3,4\n", "q is missing, and there are: array"),
    "csv: other names": ("csv", b"a,b\n1,2\n", "q is missing, and there are: array"),
    "csv: no v": ("csv", b"q_a,k_a\n1,2\n", "v is missing"),
    "csv: 10,001 rows": ("csv", b"q_a,k_a,v_a\n" + b"1,2,3\n" * 10_001, "at most 10,000 rows"),
    "csv: ragged": ("csv", (WIDE + "1,2\n").encode(), "line 1 has 5 and line 4 has 2"),
    "csv: a text": ("csv", WIDE.replace("7", "x").encode(), 'Line 3, column 2 (counted from 1) is "x"'),
    "csv: an empty cell": (
        "csv",
        WIDE.replace("7", "").encode(),
        "Line 3, column 2 (counted from 1) is empty",
    ),
    "csv: a gap in k": (
        "csv",
        WIDE.replace("\n1,2,3,4", "\n1,2,,").encode(),
        "Line 2, column 3 (counted from 1)",
    ),
    "csv: NaN in q": ("csv", WIDE.replace("7", "NaN").encode(), "no finite number"),
    "csv: k shorter than v": ("csv", WIDE.replace("8,9", ",").encode(), "k has 1 and v has 2"),
    "csv: a column twice": ("csv", WIDE.replace("q_b", "q_a").encode(), "q_a stands twice"),
    "csv: a column missing": ("csv", WIDE.replace("q_b", "q_c").encode(), "q_b (or q_1) is missing"),
    "csv: q and q_a": ("csv", WIDE.replace("q_b", "q").encode(), "it has both"),
    "csv: words for q": ("csv", b"q_a,k_a,v_a\nx,1,1\ny,1,1\n", 'Line 2, column 1 (counted from 1) is "x"'),
    "csv: Latin-1": (
        "csv",
        "label,q_a\né,1\n".encode("latin-1"),
        "line 2 (counted from 1) has the byte 0xe9",
    ),
    "csv: UTF-16 without its mark": ("csv", WIDE.encode("utf-16-be"), "like UTF-16"),
    "csv: UTF-16 cut off": ("csv", WIDE.encode("utf-16")[:-1], "out of place"),
    "csv: an image": ("csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "has the byte 0x89"),
    "csv: an Excel workbook": ("csv", zipped(("xl/workbook.xml", b"<x/>")), ""),
    "long: only a header": ("csv", LONG.encode(), "q is missing, and there are: nothing"),
    "long: a cell missing": (
        "csv",
        LONG_Q.replace("k,0,0,,1\n", "").encode(),
        "k needs each cell once; row 0, column 0",
    ),
    "long: a cell twice": (
        "csv",
        (LONG_Q + "v,0,0,,7\n").encode(),
        "v needs each cell once; row 0, column 0 (counted from 0) stands 2 times",
    ),
    "long: a scalar twice": ("csv", (LONG_Q + "beta,,,,1\nbeta,,,,1\n").encode(), "beta needs one value"),
    "long: too few cells": ("csv", (LONG_Q + "v,0\n").encode(), "needs 5 cells, like the header; it has 2"),
    "long: an axis more": ("csv", (LONG_Q + "v,0,0,0,1\n").encode(), "needs 2 axes, filled from the left"),
    "long: a gap in the axes": ("csv", (LONG + "q,0,,0,1\n").encode(), "filled from the left"),
    "long: an axis below 0": (
        "csv",
        (LONG + "q,-1,0,,1\n").encode(),
        'whole numbers from 0; they are "-1, 0"',
    ),
    "long: an axis as text": ("csv", (LONG + "q,a,0,,1\n").encode(), "whole numbers from 0"),
    "long: other digits": ("csv", (LONG + "q,٣,0,,1\n").encode(), "whole numbers from 0"),
    "long: an axis of 30 digits": ("csv", (LONG + f"q,{'9' * 30},0,,1\n").encode(), "whole numbers from 0"),
    "long: an index of a billion": (
        "csv",
        (LONG + "q,999999999,0,,1\n").encode(),
        "at most 4,194,304 numbers",
    ),
    "long: no number": ("csv", (LONG + "q,0,0,,x\n").encode(), 'Line 2 (counted from 1): the value is "x"'),
    "long: 1e400": ("csv", (LONG + "q,0,0,,1e400\n").encode(), "too large"),
    "long: a scalar of 1e400": ("csv", (LONG_Q + "beta,,,,1e400\n").encode(), "too large"),
    "long: a quote that stays open": (
        "csv",
        (LONG + 'q,0,0,,"1\n').encode(),
        "needs quotes that open and close",
    ),
    "long: 65 arrays": (
        "csv",
        (LONG + "".join(f"x{i},,,,1\n" for i in range(65))).encode(),
        "at most 64 arrays",
    ),
    "long: cut in half": ("csv", CSV_FILE[: len(CSV_FILE) // 2].encode(), ""),
    "long: cut within the tokens": ("csv", CSV_FILE[: CSV_FILE.index("v,0,0")].encode(), "field tokens.v"),
    "long: a missing setting": (
        "csv",
        CSV_FILE.replace("settings.phi", "settings.psi").encode(),
        "field settings.phi",
    ),
    "long: of a later version": (
        "csv",
        CSV_FILE.replace("version,,,,1", "version,,,,2").encode(),
        "has version 2",
    ),
    "long: another format": (
        "csv",
        CSV_FILE.replace("linattn-snapshot", "other").encode(),
        'one has "other"',
    ),
    "long: a label missing": (
        "csv",
        CSV_FILE.replace("labels,0,,,a\r\n", "").encode(),
        "labels needs each cell once",
    ),
}


def changed(path, value=None, *, gone=False):
    """A snapshot with one field changed or gone."""
    taken = copy.deepcopy(snapshot(TRACE, 1))
    *above, last = path.split(".")
    parent = taken
    for name in above:
        parent = parent[name]
    parent[last] = value
    if gone:
        del parent[last]
    return taken


REQUIRED = [
    *(
        "tokens",
        "tokens.q",
        "tokens.k",
        "tokens.v",
        "settings",
        "settings.phi",
        "settings.rule",
        "settings.read",
    ),
    *("settings.normalize", "settings.scale", "settings.eps", "settings.read_before_write", "settings.dtype"),
    "settings.knobs",
]
SNAPSHOTS = {
    f"no {path}": (changed(path, gone=True), f"needs the field {path}; it is missing") for path in REQUIRED
} | {
    "nothing": ({}, 'format "linattn-snapshot"; this one has nothing'),
    "another format": (changed("format", "<b>"), 'this one has "<b>"'),
    "a format that is a list": (changed("format", []), "this one has a list"),
    "no version": (changed("version", gone=True), "needs a version from 1 to 1; this one has nothing"),
    "version 0": (changed("version", 0), "this one has 0"),
    "version 2": (changed("version", 2), "has version 2; versions up to 1 are known here"),
    "version 10^40": (changed("version", 10**40), "has version a number of more than 64 bits"),
    "version 1.5": (changed("version", 1.5), "this one has 1.5"),
    "version true": (changed("version", True), "this one has True"),
    "version as text": (changed("version", "1"), 'this one has "1"'),
    "tokens as a list": (changed("tokens", []), "tokens needs an object with names; it is a list"),
    "settings as a text": (changed("settings", "x"), 'settings needs an object with names; it is "x"'),
    "a map of a later version": (
        changed("settings.phi", "new"),
        "settings.phi needs to be one of: identity, elu1",
    ),
    "a map of 10,000 signs": (changed("settings.phi", "x" * 10_000), "xxxxx…"),
    "a knob of 10,000 signs": (changed("settings.knobs", {"x" * 10_000: 1}), "xxxxx…"),
    "a knob that is markup": (changed("settings.knobs", {"<b>": 1}), '"<b>" is none'),
    "a version of 10,000 digits": (changed("version", 10**10_000), "has version a number of more than"),
    "a label of 10,000 digits": (
        changed("tokens.labels", [10**10_000, "x"]),
        "is a number of more than 64 bits",
    ),
    "a map as a number": (changed("settings.phi", 3), "settings.phi needs a text; it is 3"),
    "a rule of a later version": (
        changed("settings.rule", "new"),
        "settings.rule needs to be one of: add, decay",
    ),
    "a rule as null": (changed("settings.rule"), "settings.rule needs a text; it is nothing"),
    "another read": (changed("settings.read", "sideways"), 'causal, full; it is "sideways"'),
    "normalize as a number": (
        changed("settings.normalize", 1),
        "settings.normalize needs true or false; it is 1",
    ),
    "scale as a text": (changed("settings.scale", "1"), 'settings.scale needs a number; it is "1"'),
    "scale as true": (changed("settings.scale", True), "settings.scale needs a number; it is True"),
    "scale 0": (changed("settings.scale", 0), "scale needs a number > 0"),
    "eps below 0": (changed("settings.eps", -1), "eps needs one finite number"),
    "eps NaN": (changed("settings.eps", float("nan")), "eps needs one finite number"),
    "a dtype that is a recipe": (
        changed("settings.dtype", "(9999,9999)f8"),
        "settings.dtype needs to be one of",
    ),
    "a dtype that is a number": (changed("settings.dtype", 64), "settings.dtype needs a text"),
    "before and full": (
        changed("settings", changed("x")["settings"] | {"read": "full", "read_before_write": True}),
        "every query reads the final state",
    ),
    "knobs as a list": (changed("settings.knobs", []), "settings.knobs needs an object with names"),
    "an unknown knob": (changed("settings.knobs", {"delta": 1}), "takes no knob 'delta'"),
    "a knob called tokens": (changed("settings.knobs", {"tokens": 1}), "tokens is none"),
    "a knob called phi": (changed("settings.knobs", {"phi": 1}), "phi is none"),
    "a knob called initial": (changed("settings.knobs", {"initial": 1}), "initial is none"),
    "a knob without a name": (changed("settings.knobs", {3: 1}), "no knob '3'"),
    "a knob as a text": (
        changed("settings.knobs", {"beta": "x"}),
        'settings.knobs.beta needs numbers; it is "x"',
    ),
    "a knob as null": (
        changed("settings.knobs", {"beta": None}),
        "settings.knobs.beta needs numbers; it is empty",
    ),
    "a decay from two sources": (changed("settings.knobs", {"gamma": 0.5}), "The decay needs one source"),
    "q as a text": (changed("tokens.q", "x"), 'q needs numbers; it is "x"'),
    "q as null": (changed("tokens.q"), "q needs numbers; it is empty"),
    "q ragged": (changed("tokens.q", [[1], [1, 2]]), "q needs rows of equal length"),
    "q too wide": (changed("tokens.q", [[1, 2, 3], [1, 2, 3]]), "q has 3 and k has 2"),
    "q of 400 digits": (changed("tokens.q", [[10**400, 1], [1, 1]]), "up to 1.8e308"),
    "q complex": (changed("tokens.q", [[1j, 1], [1, 1]]), "row 0, column 0 (counted from 0) is a complex"),
    "q as objects": (changed("tokens.q", np.array([[{}]], dtype=object)), "Python objects"),
    "q too large": (changed("tokens.q", np.zeros((2**12, 2**11))), "at most 4,194,304 numbers"),
    "more queries than keys": (changed("tokens.q", [[1, 2]] * 3), "A causal read needs one query per key"),
    "labels as a number": (changed("tokens.labels", 5), "labels needs a list of texts; it is a int"),
    "labels too few": (changed("tokens.labels", ["a"]), "labels needs 2 strings"),
    "labels of numbers": (
        changed("tokens.labels", [1, 2]),
        "labels needs texts; entry 0 (counted from 0) is 1",
    ),
    "decay above 1": (changed("tokens.log_decay", [0.1, 0.1]), "log_decay is a natural log"),
    "decay NaN": (changed("tokens.log_decay", ["NaN", 0]), "log_decay is a natural log"),
    "decay too wide": (changed("tokens.log_decay", [[0, 0, 0], [0, 0, 0]]), "one column per component"),
    "beta infinite": (changed("tokens.beta", "Infinity"), "beta needs finite numbers"),
    "step below 0": (changed("step", -1), "from 0 to 2, or null; it is -1"),
    "step beyond the end": (changed("step", 3), "from 0 to 2, or null; it is 3"),
    "step as a text": (changed("step", "1"), 'it is "1"'),
    "step as true": (changed("step", True), "it is True"),
    "step as a float": (changed("step", 1.0), "it is 1.0"),
    "initial as a list": (changed("initial", [1]), "initial needs an object with names"),
    "initial without S": (changed("initial", {"z": [1, 2]}), "needs the field initial.S"),
    "initial of another shape": (changed("initial", {"S": [[1]], "z": [1]}), "S0 needs the shape (2, 2)"),
    "initial without z": (changed("initial", {"S": [[1, 2], [3, 4]], "z": None}), "needs z0"),
    "initial NaN": (changed("initial", {"S": [["NaN", 2], [3, 4]], "z": [1, 1]}), "S0 needs finite numbers"),
    "results as a list": (changed("results", [1]), "results needs an object with names"),
    "results as a text": (changed("results", "x"), 'results needs an object with names; it is "x"'),
    "tensors without settings": (
        {"q": np.array(ONE), "k": np.array(ONE), "v": np.array(ONE)},
        "arrays alone",
    ),
}


def one_sentence(call, fragment):
    """The call raises InputError, in words a person can use, and allocates little on the way."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            call()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    sentence = str(caught.value)
    assert fragment in sentence
    assert sentence[0].isalpha() or sentence[0] == '"'
    assert sentence.endswith(".")
    assert sentence.isprintable()
    assert len(sentence) < 400
    assert caught.value.__cause__ is None
    return peak


@pytest.mark.parametrize(("text", "fragment"), NUMBERS.values(), ids=NUMBERS)
def test_a_text_that_is_no_number(text, fragment):
    one_sentence(lambda: parse_number(text, "The cell"), fragment)


@pytest.mark.parametrize(("text", "fragment"), PASTES.values(), ids=PASTES)
def test_a_paste_that_is_no_table(text, fragment):
    one_sentence(lambda: parse_rows(text), fragment)


def test_more_numbers_than_are_read_are_counted(monkeypatch):
    """With a smaller limit, since reading the four million that are allowed takes half a minute."""
    assert table.MAX_NUMBERS == limits.MAX_NUMBERS == 4_194_304
    monkeypatch.setattr(table, "MAX_NUMBERS", 1_000)
    monkeypatch.setattr(limits, "MAX_NUMBERS", 1_000)
    one_sentence(lambda: parse_rows("1 " * 1_001), "at most 1,000 numbers; this one goes on after them")
    one_sentence(lambda: importer("json").read(b'{"q": [' + b"0," * 1_000 + b"0]}"), "at most 1,000 numbers")
    assert len(parse_rows("1 " * 1_000).rows[0]) == 1_000


@pytest.mark.parametrize(("key", "data", "fragment"), FILES.values(), ids=FILES)
def test_a_file_that_holds_no_tokens(key, data, fragment):
    data = data() if callable(data) else data
    one_sentence(lambda: tokens_from(importer(key).read(data)), fragment)


@pytest.mark.parametrize(("document", "fragment"), SNAPSHOTS.values(), ids=SNAPSHOTS)
def test_a_snapshot_that_cannot_be_run_again(document, fragment):
    def again():
        restored = restore(document)
        run(restored.tokens, **restored.settings)

    one_sentence(again, fragment)


OTHER_KINDS = {
    "a number to parse": (lambda: parse_number(5), "text needs a text; it is 5. Put it in quotes."),
    "no text to parse": (lambda: parse_rows(None), "text needs a text; it is None. Pass what was pasted."),
    "a path to restore": (lambda: restore("run.npz"), "A file needs to come as its bytes; it is 'run.npz'."),
    "nothing to restore": (lambda: restore(None), "A file needs to come as its bytes; it is None."),
    "a text as a file": (
        lambda: importer("csv").read("1,2"),
        "A file needs to come as its bytes; it is '1,2'.",
    ),
    "no name of a file": (lambda: importer_for(None), "file_name needs a text; it is None."),
    "a list as arrays": (lambda: tokens_from([1]), "named needs arrays by name; it is [1]. Pass a mapping"),
    "a long list as arrays": (lambda: tokens_from([1] * 99), "named needs arrays by name; it is a list."),
}


@pytest.mark.parametrize(("call", "fragment"), OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_an_argument_of_another_kind(call, fragment):
    one_sentence(call, fragment)


def test_the_table_is_long():
    assert len(NUMBERS) + len(PASTES) + len(FILES) + len(SNAPSHOTS) >= 200


BOMBS = [
    "npz: 100 MB of zeros",
    "npz: 100 MB that its header admits",
    "npz: 8 TB that are not there",
    "npz: a header of 100 MB",
    "npz: a text of 400 MB",
    "npy: a header of 4 GB",
    "json: too many values",
    "long: an index of a billion",
]


@pytest.mark.parametrize("name", BOMBS)
def test_nothing_large_is_allocated_before_it_is_checked(name):
    key, data, fragment = FILES[name]
    data = data() if callable(data) else data
    assert one_sentence(lambda: importer(key).read(data), fragment) < 4 * 2**20 + 2 * len(data)


@pytest.mark.parametrize("key", ["npz", "npy", "json", "csv"])
def test_a_file_of_300_mb_is_not_even_looked_at(key):
    data = bytes(300 * 2**20)
    assert one_sentence(lambda: importer(key).read(data), "at most 160 MB; this one has 300 MB") < 2**16


def test_a_text_of_300_mb_is_not_even_looked_at():
    text = " " * (300 * 2**20)
    assert one_sentence(lambda: parse_rows(text), "at most 160 MB; this one has 300 MB") < 2**16


N = 30_000
REPEATED = [
    "[",
    "]",
    '"',
    "'",
    "\n",
    " ",
    "\t",
    ",",
    ".",
    "1",
    "1/",
    "1e",
    "- ",
    "a.",
    "{",
    "&\\\\",
    "([",
    "[1",
    "['a',",
    "array(",
]
REPEATED += [r"\frac{", r"\begin", r"1\cdot10^", r"1&2\\[", ",000", '\\"']
AROUND = (
    ("", ""),
    ("x=", "y"),
    ("[", "]"),
    ('["', ""),
    (r"\begin{matrix}", r"1\end{matrix}"),
    ("1,2\n", "x\n"),
    ("1/", "x"),
)


@pytest.mark.parametrize("part", REPEATED)
def test_a_long_text_takes_no_longer_than_it_is_long(part):
    """Where an expression goes back over what it read, one of these takes minutes."""
    for before, after in AROUND:
        for read in (parse_rows, parse_number):
            try:
                read(before + part * N + after)
            except InputError as fault:
                sentence = str(fault)
            else:
                continue
            assert len(sentence) < 400


def test_ten_thousand_members_are_counted_before_the_archive_is_opened():
    data = zipped(*((f"x{i}.npy", b"") for i in range(10_000)))
    assert one_sentence(lambda: importer("npz").read(data), "at most 64 arrays") < 2**18


def test_a_deflated_stream_that_lies_about_its_size():
    """The table of contents says 10 bytes; the stream goes on for 300 MB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = packer.compress(npy("(2, 2)")) + packer.compress(bytes(300 * 2**20)) + packer.flush()
    data = bytearray(zipped(("q.npy", b"x" * 10)))
    start = data.find(b"PK\x03\x04") + 30 + len("q.npy")
    end = data.find(b"PK\x01\x02")
    tail = bytearray(data[end:])
    tail[20:24] = len(stream).to_bytes(4, "little")
    foot = tail.find(b"PK\x05\x06")
    tail[foot + 16 : foot + 20] = (start + len(stream)).to_bytes(4, "little")
    data = bytes(data[:start]) + stream + bytes(tail)
    assert one_sentence(lambda: importer("npz").read(data), "cannot be unpacked"[:0]) < 4 * 2**20 + len(data)
