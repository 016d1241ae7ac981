"""Files of others: every kind of number arrives exactly, under its name."""

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from linattn_core import InputError, Tokens, export, limits, run
from linattn_core.csv_cells import column, component, text_cell, text_of_cell
from linattn_core.exports.csv_file import CSV, CSV_WIDE
from linattn_core.importers import IMPORTERS, cells, importer, importer_for, npz_file, sniff
from linattn_core.restore import tokens_from

Q, K, V = [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, -0.0]], [[0.5], [1 / 3]]
TOKENS = Tokens(Q, K, V)
TYPES = [
    f"{order}{kind}" for kind in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8") for order in "<>"
]


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def read(key, data):
    return importer(key).read(data if isinstance(data, bytes) else data.encode())


def assert_same_tokens(tokens, want=TOKENS):
    for name in ("q", "k", "v", "beta", "log_decay"):
        got, expected = getattr(tokens, name), getattr(want, name)
        assert (got is None) == (expected is None), name
        if got is not None:
            assert (got.shape, got.tobytes()) == (expected.shape, expected.tobytes()), name
    assert tokens.labels == want.labels


# Records


def test_records_are_complete_and_keys_unique():
    assert [record.key for record in IMPORTERS] == ["npz", "npy", "json", "csv"]
    suffixes = [suffix for record in IMPORTERS for suffix in record.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    for record in IMPORTERS:
        assert record.title
        assert importer(record.key) is record
        for suffix in record.suffixes:
            assert importer_for(f"my.file{suffix.upper()}") is record


def test_what_is_not_there_is_named():
    with pytest.raises(InputError, match=r"no importer 'pt'. Choose one of: npz, npy, json, csv"):
        importer("pt")
    with pytest.raises(
        InputError, match=r'suffixes .npz, .npy, .json, .csv, .tsv, .txt; this one is "model.pt"'
    ):
        importer_for("model.pt")


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (npz(q=Q), "npz"),
        (saved(Q), "npy"),
        (b'{"q": 1}', "json"),
        (b"  \n[1]", "json"),
        (b"\xef\xbb\xbf[1]", "json"),
        ("[1]".encode("utf-16"), "json"),
        (b"1,2", "csv"),
        (b"", "csv"),
    ],
)
def test_a_file_is_known_by_how_it_begins(data, key):
    assert sniff(data).key == key


# Numbers


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", *TYPES])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 2), (2, 1, 3, 2), (6,), ()])
def test_every_type_in_every_order_arrives_exactly(dtype, order, shape):
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    array = np.asarray(numbers * 3 if dtype != "?" else numbers % 2, dtype=dtype, order=order)
    for key, data, name in (("npy", saved(array), "array"), ("npz", npz(x=array), "x")):
        got = read(key, data)[name]
        assert got.dtype == (bool if dtype == "?" else np.float64)
        assert got.shape == shape
        assert_array_equal(got, array)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@given(data=st.data())
def test_floats_arrive_with_all_their_bits(dtype, data):
    width = 8 * np.dtype(dtype).itemsize
    array = data.draw(arrays(dtype, (2, 2), elements=st.floats(width=width, allow_subnormal=True)))
    got = read("npz", npz(x=array))["x"].astype(dtype)
    assert_array_equal(np.isnan(got), np.isnan(array))
    held = ~np.isnan(array)
    assert got[held].tobytes() == array[held].tobytes()


def test_whole_numbers_arrive_up_to_2_to_the_53():
    ends = np.array([[2**53, -(2**53)]])
    assert_array_equal(read("npy", saved(ends))["array"], ends)
    for beyond in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(InputError, match="2⁵³"):
            read("npy", saved(np.array([[beyond]])))


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }          \n",
        "{'shape': (2L, 2L), 'fortran_order': False, 'descr': '<f8'}\n",
        '{"descr": "<f8", "fortran_order": False, "shape": (2,2)}',
    ],
)
@pytest.mark.parametrize("version", [1, 2, 3])
def test_headers_as_others_write_them(header, version):
    size = len(header).to_bytes(2 if version == 1 else 4, "little")
    data = b"\x93NUMPY" + bytes([version, 0]) + size + header.encode() + np.array(Q).tobytes()
    assert_array_equal(read("npy", data)["array"], Q)


def test_a_limit_is_reached_and_not_passed():
    assert read("npy", saved(np.zeros((2**11, 2**11), "i1")))["array"].size == 2**22
    with pytest.raises(limits.SizeError, match="4,194,304"):
        read("npy", saved(np.zeros((2**11, 2**11 + 1), "i1")))


def test_json_numbers_are_the_nearest_floats():
    text = '{"q": [[1e-400, -0.0, 0.1, 9007199254740993, 123456789012345678901234567890, 1E5]]}'
    want = np.array([[0.0, -0.0, 0.1, 2.0**53, 1.2345678901234568e29, 1e5]])
    assert read("json", text)["q"].tobytes() == want.tobytes()


def test_json_as_python_writes_it_has_nan_and_infinity():
    got = read("json", json.dumps({"y": [[float("nan"), float("inf"), -float("inf")]]}))["y"]
    assert_array_equal(got, [[np.nan, np.inf, -np.inf]])
    assert_array_equal(
        read("json", '{"y": ["NaN", "Infinity", "-Infinity", 1]}')["y"], [np.nan, np.inf, -np.inf, 1]
    )


# Names


def test_tokens_from_each_format():
    wide = "label,q_a,q_b,k_a,k_b,v_a\nx,1,2,5,6,0.5\ny,3,4,7,-0.0,1/3\n"
    long = "array,axis0,axis1,value\n" + "".join(
        f"{name},{i},{j},{x!r}\n"
        for name, table in (("v", V), ("q", Q), ("k", K))
        for i, row in enumerate(table)
        for j, x in enumerate(row)
    )
    labelled = Tokens(Q, K, V, labels=["x", "y"])
    assert_same_tokens(tokens_from(read("npz", npz(q=Q, k=K, v=V))))
    assert_same_tokens(tokens_from(read("json", json.dumps({"q": Q, "k": K, "v": V}))))
    assert_same_tokens(tokens_from(read("csv", wide)), labelled)
    assert_same_tokens(tokens_from(read("csv", long)))
    assert_same_tokens(tokens_from(read("csv", long + "labels,1,,y\nlabels,0,,x\n")), labelled)
    assert_same_tokens(tokens_from(read("npz", npz(q=Q, k=K, v=V, labels=np.array(["x", "y"])))), labelled)
    assert_same_tokens(
        tokens_from(read("json", json.dumps({"Q": Q, "K": K, "V": V, "labels": ["x", "y"]}))), labelled
    )


def test_gates_come_along():
    gated = Tokens(Q, K, V, beta=[0.5, 1.0], log_decay=[[-1.0, -np.inf], [0.0, -0.0]])
    named = {"q": Q, "k": K, "v": V, "beta": gated.beta.tolist(), "log_decay": [[-1, "-Infinity"], [0, -0.0]]}
    wide = "q_a,q_b,k_a,k_b,v_a,beta,log_decay_a,log_decay_b\n"
    wide += "1,2,5,6,0.5,0.5,-1,-Infinity\n3,4,7,-0.0,1/3,1,0,-0.0"
    assert_same_tokens(tokens_from(read("json", json.dumps(named))), gated)
    assert_same_tokens(
        tokens_from(read("npz", npz(q=Q, k=K, v=V, beta=gated.beta, log_decay=gated.log_decay))), gated
    )
    assert_same_tokens(tokens_from(read("csv", wide)), gated)
    one = tokens_from(read("json", json.dumps(named | {"beta": 0.25, "log_decay": "x"} | {"log_decay": -1})))
    assert one.beta.shape == one.log_decay.shape == ()


def test_what_is_no_array_is_left_aside_and_named():
    content = {"q": Q, "model": "gpt", "config": {"heads": 2}, "scale": 0.5, "causal": True, "none": None}
    named = read("json", json.dumps(content))
    assert set(named) == {"q", "scale", "causal", "ignored"}
    assert named["ignored"] == ("model", "config")
    with pytest.raises(
        InputError, match=r"k is missing, and there are: q, scale, causal, model \(no numbers\), config"
    ):
        tokens_from(named)
    named = read("npz", npz(q=Q, note=np.array("hello"), meta=np.array("of another program")))
    assert set(named) == {"q", "ignored"}
    assert named["ignored"] == ("note",)
    assert set(read("npz", npz(q=Q, meta=np.array(1.0)))) == {"q"}
    assert set(read("npz", npz(q=Q, meta=np.array('["linattn-snapshot"]')))) == {"q"}
    named = read("csv", "q_a,k_a,v_a,note,1<b>\n1,2,3,x,y\n")
    assert named["ignored"] == ("note", '"1<b>"')


def test_more_axes_are_kept_for_whoever_picks_a_head():
    array = np.arange(24.0).reshape(1, 2, 3, 4)
    assert_array_equal(read("npz", npz(q=array))["q"], array)
    assert_array_equal(read("json", json.dumps({"q": array.tolist()}))["q"], array)
    with pytest.raises(
        InputError, match=r"its shape is \(1, 2, 3, 4\). Keep one batch and one head, such as q\[0, :, 0, :\]"
    ):
        tokens_from({"q": array, "k": array, "v": array})


def test_a_small_name_is_taken_before_a_capital_one():
    named = {"q": np.array(Q), "k": np.array(K), "v": np.array(V)}
    capital = {name.upper(): array + 1 for name, array in named.items()}
    assert_same_tokens(tokens_from(capital | named))


def test_labels_that_are_no_texts_are_refused():
    named = {"q": np.array(Q), "k": np.array(K), "v": np.array(V), "labels": np.array([1.0, 2.0])}
    with pytest.raises(InputError, match="labels needs a list of texts; it arrived as numbers"):
        tokens_from(named)


def test_a_table_without_names():
    assert_array_equal(read("csv", "1,2\n3,4")["array"], Q)
    assert read("csv", "the,1\ncat,2")["labels"] == ("the", "cat")
    assert_array_equal(read("csv", r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}")["array"], Q)
    assert_array_equal(read("json", "[[1, 2], [3, 4]]")["array"], Q)


# Text files


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("mark", [True, False])
def test_encodings(encoding, mark):
    text = "label;q_a\r\nκλειδί;0,5\r\n"
    data = text.encode(encoding)
    if encoding == "utf-16" and mark:
        data = b"\xfe\xff" + text.encode("utf-16-be")
    if encoding == "utf-32" and mark:
        data = b"\x00\x00\xfe\xff" + text.encode("utf-32-be")
    named = read("csv", data)
    assert named["labels"] == ("κλειδί",)
    assert named["q"] == [[0.5]]


@pytest.mark.parametrize(
    "text", ["q_a,q_b\n1,2\n3,4", "q_a;q_b\r1;2\r3;4", "q_a\tq_b\r\n1\t2\r\n\r\n3\t4\r\n,\r\n"[:-4]]
)
def test_line_ends_and_separators(text):
    assert_array_equal(read("csv", text)["q"], Q)


@pytest.mark.parametrize(
    "names", ["q_b,q_a", "q_1,q_0", "q_2,q_1", "q b,q a", "q[1],q[0]", "q.1,q.0", "q1,q0", " q_b , q_a "]
)
def test_columns_go_by_their_names(names):
    assert_array_equal(read("csv", f"{names}\n2,1\n4,3")["q"], Q)


def test_a_single_column_needs_no_component():
    named = read("csv", "q,k,v,beta,log_decay\n1,2,3,0.5,-1\n4,5,6,1,-Infinity\n")
    assert named["q"].shape == named["v"].shape == (2, 1)
    assert named["beta"].shape == named["log_decay"].shape == (2,)


def test_a_table_may_have_fewer_queries_and_undefined_answers():
    named = read("csv", "q_a,k_a,v_a,y_a,y_b\n1,2,3,NaN,-Infinity\n,4,5,,\n")
    assert named["q"].tolist() == [[1]]
    assert named["k"].tolist() == [[2], [4]]
    assert_array_equal(named["y"], [[np.nan, -np.inf]])
    assert read("csv", "q_a,k_a\n,1\n")["q"].shape == (0, 1)


def test_rows_of_the_long_form_may_stand_in_any_order_and_be_typed_by_hand():
    lines = [
        "q,1,0,3",
        "q,0,1,2",
        "q,0,0,1",
        "q,1,1,4",
        "",
        "beta,,,1/2",
        "k,0,,TRUE",
        "k,1,,false",
        "y,0,,NaN",
    ]
    named = read("csv", "array,axis0,axis1,value\n" + "\n".join(lines))
    assert_array_equal(named["q"], Q)
    assert named["k"].tolist() == [True, False]
    assert named["beta"] == "1/2"
    assert np.isnan(named["y"])
    german = read("csv", 'array;axis0;axis1;value\nq;0;0;"0,5"\nq;0;1;1,25e-3\nbeta;;;0,5\n')
    assert german["q"].tolist() == [[0.5, 0.00125]]
    assert german["beta"] == 0.5


def test_components_have_letters():
    for i in (0, 1, 25, 26, 27, 51, 52, 701):
        assert column(f"q_{component(i)}") == ("q", i)
    for name in ("key", "q_", "q__a", "q_abc", "query", "q_A", "y=", ""):
        assert column(name) is None


@given(st.text(max_size=6, alphabet="'=+-@\t\r ab\0🦊\n\""))
def test_a_text_cell_comes_back_and_is_no_formula(text):
    cell = text_cell(text)
    assert text_of_cell(cell) == text
    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r")


# Snapshots


def some_trace(**settings):
    tokens = Tokens(Q, K, V, labels=["=1+1", 'a"b\nc'], beta=[0.5, 0.25], log_decay=[-1.0, -np.inf])
    return run(tokens, "elu1", "decay", **settings)


@pytest.mark.parametrize("step", [None, 0, 1, 2])
@pytest.mark.parametrize("record", [export("json"), export("npz"), CSV], ids=lambda e: e.key)
def test_results_of_a_snapshot_arrive_to_the_last_bit(record, step):
    trace = some_trace()
    named = read(record.key, record.write(trace, step=step))
    assert named["step"] == step
    assert named["ignored"] == ()
    results = {"S_after": trace.S[step], "z_after": trace.z[step]} if step is not None else {}
    if step:
        results |= {
            "y": trace.y[step - 1],
            "write": trace.contribution(step - 1),
            "S_before": trace.S[step - 1],
        }
    if step is None:
        results = {
            "S": trace.S,
            "z": trace.z,
            "y": trace.y,
            "weights": trace.weights(),
            "defined": trace.defined,
        }
    for name, want in results.items():
        assert named[name].dtype == want.dtype
        assert named[name].shape == want.shape
        assert named[name].tobytes() == np.ascontiguousarray(want).tobytes(), name


@pytest.mark.parametrize("record", [export("json"), export("npz"), CSV], ids=lambda e: e.key)
def test_a_result_past_the_limits_is_left_out_since_the_run_makes_it_again(record, monkeypatch):
    trace = some_trace()
    data = record.write(trace)
    for module in (limits, cells):
        monkeypatch.setattr(module, "MAX_NUMBERS", 6)  # S has 3·2·1, z 3·2
    named = read(record.key, data)
    assert named["ignored"] == ()
    for module in (limits, cells):
        monkeypatch.setattr(module, "MAX_NUMBERS", 5)
    named = read(record.key, data)
    assert set(named["ignored"]) == {"results.S", "results.z"}
    assert_same_tokens(tokens_from(named), trace.tokens)
    for module in (limits, cells):
        monkeypatch.setattr(module, "MAX_NUMBERS", 3)
    with pytest.raises(InputError, match="q needs at most 3 numbers"):
        read(record.key, data)


def test_an_archive_past_the_limit_in_all_leaves_out_results(monkeypatch):
    data = export("npz").write(some_trace())
    monkeypatch.setattr(npz_file, "MAX_TOTAL", 30)
    named = read("npz", data)
    assert any(name.startswith("results.") for name in named["ignored"])
    assert_same_tokens(tokens_from(named), some_trace().tokens)


@pytest.mark.parametrize("step", [None, 0, 1])
def test_the_wide_form_has_a_row_for_each_token(step):
    trace = some_trace()
    data = CSV_WIDE.write(trace, step=step)
    header = data.decode().splitlines()[0]
    assert header == "label,q_a,q_b,k_a,k_b,v_a,beta,log_decay,y_a"
    if step == 0:
        assert data.decode() == header + "\r\n"
        return
    named = read("csv", data)
    rows = slice(0, step)
    assert named["labels"] == trace.tokens.labels[rows]
    for name, want in {"q": Q, "k": K, "v": V, "y": trace.y.tolist()}.items():
        assert named[name].tolist() == want[rows]
    assert named["beta"].tolist() == [0.5, 0.25][rows]
    assert named["log_decay"].tolist() == [-1.0, -np.inf][rows]


def test_the_wide_form_of_a_full_read_and_of_single_gates():
    trace = run(Tokens([[1.0]], [[2.0], [3.0]], [[4.0], [5.0]], beta=0.5), "identity", read="full")
    assert CSV_WIDE.write(trace).decode().splitlines() == [
        "q_a,k_a,v_a,beta,y_a",
        "1.0,2.0,4.0,0.5,4.6",
        ",3.0,5.0,0.5,",
    ]
    with pytest.raises(InputError, match="from 0 to 2"):
        CSV_WIDE.write(trace, step=3)


def test_csv_is_marked_as_utf8_where_it_is_not_ascii():
    plain = run(Tokens(Q, K, V, labels=["a", "b"]))
    assert CSV_WIDE.write(plain).startswith(b"label,")
    foreign = CSV_WIDE.write(run(Tokens(Q, K, V, labels=["é", "🧮"])))
    assert foreign.startswith("\ufefflabel,".encode())
    assert read("csv", foreign)["labels"] == ("é", "🧮")


@pytest.mark.parametrize("key", ["json", "npz"])
def test_half_a_character_is_refused_before_anyone_sees_it(key):
    file = {"json": json.dumps({"labels": ["\ud800"]}).encode(), "npz": npz(labels=np.array(["\ud800"]))}[key]
    with pytest.raises(InputError, match=r"entry 0 .* has half of a surrogate pair"):
        read(key, file)


def test_an_archive_is_unpacked_no_further_than_its_headers_say():
    """32 MB that deflate to 32 kB: read whole, they would show in the peak."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("q.npy", saved(np.array(Q)) + bytes(2**25))
    tracemalloc.start()
    with pytest.raises(InputError):
        read("npz", file.getvalue())
    assert tracemalloc.get_traced_memory()[1] < 2**21
    tracemalloc.stop()
