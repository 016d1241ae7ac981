"""Pasted text and files as texts of a grid: what arrives, where it goes, and what is said of it."""

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linattn_core import EXAMPLES, EXPORTS, FEATURE_MAPS, UPDATE_RULES, InputError, Tokens, example, run
from linattn_ui import cells, intake, settings

ARTICLE = cells.texts(example("article").tokens)
WIDE = "\n".join(",".join(str(10 * i + j) for j in range(8)) for i in range(12))
TINY, HUGE = 5e-324, 1.7976931348623157e308
EXTREME = Tokens(
    [[TINY, -0.0], [HUGE, 0.1]],
    [[1 / 3, -TINY], [2**53 + 0.0, 1e-300]],
    [[0.1 + 0.2, 1e22, -HUGE], [np.pi, 5e-324, 123456789.123456789]],
    labels=("'=1", "\u202eab"),
    beta=[0.5, 1.0],
    log_decay=[-np.inf, -1e-17],
)


def tables(grid):
    tokens = cells.tokens_of(grid, example("article").tokens)
    return tokens.q, tokens.k, tokens.v


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_a_pasted_table_becomes_one_and_the_others_follow(name):
    arrival = intake.pasted(WIDE, name, ARTICLE)
    found = dict(zip("qkv", tables(arrival.table), strict=True))
    was = dict(zip("qkv", tables(ARTICLE), strict=True))
    rows = np.array([[10.0 * i + j for j in range(8)] for i in range(12)])
    assert_array_equal(found.pop(name), rows)
    for other, table in found.items():
        assert_array_equal(table[:3, :2], was[other])
        assert not table[3:].any()
        assert not table[:, 2:].any()
        assert table.shape == ((12, 2) if name == "v" or other == "v" else (12, 8))


@pytest.mark.parametrize(
    ("text", "into", "said"),
    [
        (
            WIDE,
            "k",
            "12 rows × 8 columns become k. q and v get 9 more rows of zeros. q gets 6 more columns of zeros.",
        ),
        (WIDE, "v", "12 rows × 8 columns become v. q and k get 9 more rows of zeros."),
        ("1 2", "q", "1 row × 2 columns become q. k and v lose the last 2 rows."),
        ("1\n2", "q", "2 rows × 1 column become q. k and v lose the last row. k loses the last column."),
        ("1 2\n3 4\n5 6\n7 8", "k", "4 rows × 2 columns become k. q and v get 1 more row of zeros."),
        ("the,1,2\ncat,3,4\nsat,5,6", "v", "3 rows × 2 columns become v. The first column holds the labels."),
        (WIDE, "all", "12 rows × 8 columns become q (2 columns), k (2) and v (4)."),
    ],
    ids=str,
)
def test_what_a_paste_does_is_said_before(text, into, said):
    assert intake.pasted(text, into, ARTICLE).said == said


@pytest.mark.parametrize(
    ("width", "sizes"),
    [(6, (2, 2)), (9, (3, 3)), (3, (1, 1)), (7, (2, 3)), (5, (2, 1)), (192, (64, 64)), (48, (16, 16))],
)
def test_side_by_side_the_columns_are_shared_out(width, sizes):
    row = list(range(width))
    q, k, v = tables(intake.pasted(str([row, row]), "all", ARTICLE).table)
    assert (k.shape[1], v.shape[1]) == sizes
    assert [*q[1], *k[1], *v[1]] == row


def test_texts_stay_as_typed():
    table = intake.pasted("1/3; 0,5\n-2e-3; −1", "k", ARTICLE).table
    assert table[["k a", "k b"]].to_numpy().tolist() == [["1/3", "0.5"], ["-2e-3", "-1"]]


@pytest.mark.parametrize(
    "text",
    [
        "1,0.5\n-2,3",
        "1\t0.5\n-2\t3",
        "1;0,5\n-2;3",
        "1 0.5\n-2 3",
        "[[1, 0.5], [-2, 3]]",
        "array([[ 1. ,  0.5],\n       [-2. ,  3. ]])",
        "[[ 1.   0.5]\n [-2.   3. ]]",
        r"\begin{pmatrix} 1 & \frac{1}{2} \\ -2 & 3 \end{pmatrix}",
        "2/2, 1/2\n-4/2, 9/3",
    ],
)
def test_every_form_is_the_same_table(text):
    _, k, _ = tables(intake.pasted(text, "k", ARTICLE).table)
    assert k.tolist() == [[1, 0.5], [-2, 3]]


def test_pasted_labels_replace_and_others_stay():
    labelled = ARTICLE.assign(label=["a", "b", "c"])
    assert list(intake.pasted("1 2\n3 4", "k", labelled).table["label"]) == ["a", "b"]
    assert list(intake.pasted("x,1,2\ny,3,4", "k", labelled).table["label"]) == ["x", "y"]
    assert list(intake.pasted("1 2 3\n3 4 5", "all", labelled).table["label"]) == ["", ""]


def test_columns_with_names_go_where_they_say():
    text = "label\tq_a\tk_a\tv_a\tv_b\tv_c\ty_a\nx\t1\t2\t3\t4\t5\t99"
    arrival = intake.pasted(text, "all", ARTICLE)
    assert arrival.table.to_numpy().tolist() == [["x", "1", "2", "3", "4", "5"]]


def test_a_pasted_snapshot_is_a_snapshot():
    text = next(e for e in EXPORTS if e.key == "json").write(run(EXTREME, "identity", "decay")).decode()
    assert intake.pasted(text, "all", ARTICLE).settings["rule"] == "decay"


@pytest.mark.parametrize("suffix", ["npz", "json"])
@pytest.mark.parametrize("names", ["qkv", "QKV"])
def test_arrays_with_names_fill_the_grid(suffix, names):
    arrays = {name: np.arange(6.0).reshape(2, 3) + i for i, name in enumerate(names)}
    if suffix == "npz":
        data = npz(**arrays)
    else:
        data = str({name: a.tolist() for name, a in arrays.items()}).replace("'", '"').encode()
    arrival = intake.opened(f"x.{suffix}", data, "k", ARTICLE)  # names count more than what was asked for
    for table, array in zip(tables(arrival.table), arrays.values(), strict=True):
        assert_array_equal(table, array)
    assert arrival.said == "2 tokens, 3 components of q and k, 3 of v."


def test_an_array_without_a_name_goes_where_it_was_asked_to():
    _, k, _ = tables(intake.opened("k.npy", npy(np.eye(3, dtype="f4")), "k", ARTICLE).table)
    assert_array_equal(k, np.eye(3))
    _, _, v = tables(intake.opened("x.csv", b"7,8,9\n1,2,3", "v", ARTICLE).table)
    assert v.tolist() == [[7, 8, 9], [1, 2, 3]]
    assert intake.opened("one.npz", npz(keys=np.eye(2)), "q", ARTICLE).said.startswith(
        "2 rows × 2 columns become q."
    )


def runs():
    """Every example under its own settings and under every map and rule; the ends of float64."""
    for record in EXAMPLES:
        yield record.key, record.tokens, dict(record.settings)
    for phi in FEATURE_MAPS:
        yield f"phi {phi.key}", example("negative").tokens, {"phi": phi.key}
    for rule in UPDATE_RULES:
        yield f"rule {rule.key}", EXTREME, {"phi": "identity", "rule": rule.key, "normalize": False}
    odd = {
        "scale": 0.3,
        "eps": 0.1,
        "dtype": "float32",
        "read": "full",
        "initial": (np.ones((2, 2)), np.ones(2)),
    }
    yield (
        "odd settings",
        example("article").tokens,
        {"phi": "relu", "rule": "decay", "gamma": [0.1, 0.5, 1.0], **odd},
    )
    yield (
        "log_decay as a knob",
        example("article").tokens,
        {"rule": "decay", "log_decay": [-np.inf, -1.0, 0.0]},
    )
    yield "before", example("article").tokens, {"rule": "decay", "gamma": 0.25, "read_before_write": True}


def bits(tokens):
    return {name: getattr(tokens, name).tobytes() for name in "qkv"} | {
        name: None if (gate := getattr(tokens, name)) is None else (gate.shape, gate.tobytes())
        for name in ("beta", "log_decay")
    }


def meant(held):
    """The keywords of `run` that the sidebar's choices stand for."""
    three = {name: settings.THREE[held[name]] for name in ("normalize", "read_before_write")}
    options = held | three | {"read": "full" if held["later"] else "causal"}
    return {name: value for name, value in options.items() if name != "later"}


@pytest.mark.parametrize("export", [e for e in EXPORTS if e.key != "csv_wide"], ids=lambda e: e.key)
@pytest.mark.parametrize(("tokens", "options"), [r[1:] for r in runs()], ids=[r[0] for r in runs()])
def test_a_snapshot_restores_every_bit(export, tokens, options):
    with np.errstate(all="ignore"):
        trace = run(tokens, **options)
        arrival = intake.opened("x" + export.suffix, export.write(trace, step=1), "all", ARTICLE)
    again = cells.tokens_of(arrival.table, arrival.tokens)
    assert bits(again) == bits(tokens)
    assert again.labels == tokens.labels
    assert arrival.step == 1
    held, rest = settings.split(arrival.settings)
    with np.errstate(all="ignore"):
        back = run(again, **meant(held), **rest)
    for name in ("S", "z", "y", "norm", "u"):
        assert_array_equal(np.asarray(getattr(back, name)), np.asarray(getattr(trace, name)))
        assert np.asarray(getattr(back, name)).tobytes() == np.asarray(getattr(trace, name)).tobytes()


def test_what_a_widget_can_hold_is_a_choice_and_the_rest_goes_along():
    options = {
        "phi": "relu",
        "rule": "decay",
        "read": "full",
        "normalize": True,
        "scale": 1.0,
        "eps": 0,
        "read_before_write": False,
        "dtype": "float64",
        "gamma": 1,
    }
    held, rest = settings.split(options)
    assert held == {
        "phi": "relu",
        "rule": "decay",
        "later": True,
        "normalize": "rule",
        "eps": 0.0,
        "read_before_write": "rule",
        "gamma": 1.0,
    }
    assert {type(held[name]) for name in ("eps", "gamma")} == {float}
    assert rest == {}
    odd = {"normalize": False, "eps": 5.0, "scale": 2.0, "dtype": "float32", "gamma": np.array([0.5])}
    held, rest = settings.split(options | odd)
    assert held["normalize"] == "no"
    assert set(rest) == {"eps", "scale", "dtype", "gamma"}


def test_what_was_not_read_is_said():
    said = intake.opened("x.json", b'{"q": [[1]], "k": [[1]], "v": [[1]], "<b>": "x"}', "all", ARTICLE).said
    assert said == '1 token, 1 component of q and k, 1 of v. Not read: "<b>".'


def test_a_grid_that_is_half_typed_is_no_obstacle():
    table = ARTICLE.copy()
    table.loc["p₀", "q a"] = "half"
    arrival = intake.pasted("1 2\n3 4\n5 6", "k", table)
    assert arrival.table.loc["p₀", "q a"] == "half"
    with pytest.raises(InputError, match="half"):
        cells.tokens_of(arrival.table, example("article").tokens)
