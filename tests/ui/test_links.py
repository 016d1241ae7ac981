"""Links: every place has one, and every link leads somewhere that makes sense."""

import base64
import io
import json
import random
import re
import string
import zlib
from urllib.parse import parse_qs, quote

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from visits import visit, visitor

from linattn_core import EXAMPLES, FEATURE_MAPS, UPDATE_RULES, Tokens
from linattn_ui import cells, link_tokens, link_values, links, mixing, settings, words, write_rules
from linattn_ui.links import LONGEST, OPERATIONS, Place, decode, encode


def opened(text):
    """A link as Streamlit reads it."""
    return decode(parse_qs(text, keep_blank_values=True))


def same(one, other):
    return (
        one.values == other.values
        and {key: type(value) for key, value in one.values.items()}
        == {key: type(value) for key, value in other.values.items()}
        and cells.same(one.table, other.table)
        and list(one.table.columns) == list(other.table.columns)
        and list(one.table.index) == list(other.table.index)
        and (one.step, one.operation, one.part) == (other.step, other.operation, other.part)
    )


def usual(example="article", **changed):
    place = opened(f"example={example}").place
    return Place(place.values | changed, place.table)


def packed(found):
    data = found if isinstance(found, bytes) else json.dumps(found).encode()
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


# ---- there and back --------------------------------------------------------------------------------------

VALUES = {
    "phi": st.sampled_from([phi.key for phi in FEATURE_MAPS]),
    "rule": st.sampled_from([rule.key for rule in UPDATE_RULES]),
    "later": st.booleans(),
    "normalize": st.sampled_from(list(settings.THREE)),
    "read_before_write": st.sampled_from(list(settings.THREE)),
    "softmax_scale": st.none() | st.floats(0, 1e6),
    "eps": st.floats(0, 1),
    "decimals": st.integers(1, 12),
} | {
    name: (st.integers if isinstance(knob.default, int) else st.floats)(knob.low, knob.high)
    for name, knob in settings.knobs().items()
}
NUMERALS = st.floats(allow_nan=False, allow_infinity=False).map(cells.seed) | st.sampled_from(
    ["1/3", "-2.5e-3", "+1", "1e+22", "", " 1", "−2", ".5", "abc", "0", "1_0", "1~0"]
)
TEXTS = NUMERALS | st.text(
    st.characters(), max_size=6
)  # lone surrogates, line breaks, NUL: a grid may hold any


@st.composite
def tables(draw):
    T, d_k, d_v = (draw(st.integers(1, high)) for high in (4, 3, 3))
    texts = draw(st.sampled_from([NUMERALS, TEXTS]))
    rows = [[draw(TEXTS), *(draw(texts) for _ in range(2 * d_k + d_v))] for _ in range(T)]
    index = pd.Index([words.token(t) for t in range(T)], name="token")
    return pd.DataFrame(rows, columns=pd.Index(cells.columns(d_k, d_v)), index=index, dtype=object)


@st.composite
def places(draw):
    example = draw(st.sampled_from([record.key for record in EXAMPLES]))
    sizes = {"random_T": st.integers(1, 9), "random_d_k": st.integers(1, 4), "random_d_v": st.integers(1, 4)}
    sizes["random_seed"] = st.integers(0, 2**31 - 1)
    values = usual(example).values | {name: draw(value) for name, value in VALUES.items()}
    if example == "random":
        values |= {name: draw(value) for name, value in sizes.items()}
    table = draw(st.none() | tables())
    table = links.base(values) if table is None else table
    step = draw(st.none() | st.integers(0, len(table) - 1))
    operation, part = (draw(st.none() | st.sampled_from(names)) for names in (OPERATIONS, links.PARTS))
    return Place(values, table, step, operation, part=part)


@given(places())
def test_a_link_leads_back_to_the_bit(place):
    link = encode(place)
    assert not link.left_out
    assert len(link.text) <= LONGEST
    found = opened(link.text)
    assert same(found.place, place)
    assert (found.ignored, found.left_out) == ((), None)
    assert not any("+" in part for pair in link.query.items() for part in pair)
    assert encode(found.place) == link


@pytest.mark.parametrize("example", [e.key for e in EXAMPLES])
def test_every_example_map_and_rule_has_a_link(example):
    for phi in FEATURE_MAPS:
        for rule in UPDATE_RULES:
            place = usual(example, phi=phi.key, rule=rule.key)
            found = opened(encode(place).text)
            assert same(found.place, place)
            assert not found.ignored


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (usual(), "example=article"),
        (Place(usual().values, usual().table, 2), "example=article&t=2"),
        (Place(usual().values, usual().table, 3), "example=article"),
        (Place(usual().values, usual().table, 0, "write"), "example=article&t=0&op=write"),
        (Place(usual().values, usual().table, 1, "<b>"), "example=article&t=1"),
        (usual(rule="decay", gamma=1 / 3), "example=article&rule=decay&gamma=0.3333333333333333"),
        (usual("dead_relu"), "example=dead_relu"),
        (usual("dead_relu", phi="identity"), "example=dead_relu&phi=identity"),
        (usual(later=True, normalize="no", eps=1e-6), "example=article&normalize=no&later=yes&eps=1e-06"),
        (usual(softmax_scale=1e6, decimals=5), "example=article&softmax_scale=1000000&decimals=5"),
        (usual("random", random_T=9, random_seed=3), "example=random&tokens=9&seed=3"),
        (usual(random_T=9), "example=article"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_only_what_differs_is_written(place, text):
    if place.values["example"] == "random":
        place = Place(place.values, links.base(place.values))
    assert encode(place).text == text


def typed(cell, text, example="article"):
    place = usual(example)
    table = place.table.copy()
    table.loc[cell] = text
    return Place(place.values, table)


def test_a_table_that_differs_can_be_read_in_the_link():
    assert encode(typed(("p₂", "v a"), "1/3")).text == "example=article&v=2_0~0_3~1%2F3_1"
    assert encode(typed(("p₁", "label"), "cat")).text == "example=article&labels=~cat~"


def test_other_marks_and_long_tables_are_packed():
    assert list(encode(typed(("p₁", "label"), "a b")).query) == ["example", "own"]
    values = usual("random", random_T=30).values
    table = links.base(values)
    table[:] = "0.25"
    assert list(encode(Place(values, table)).query) == ["example", "tokens", "own"]


def test_tokens_too_long_for_a_link_are_left_out_and_found_where_they_are_kept():
    values = usual("random", random_T=64, random_d_k=8, random_d_v=8).values
    table = links.base(values).iloc[:60]
    link = encode(Place(values, table, 50))
    assert link.left_out.startswith("These tokens need ")
    assert len(link.text) <= LONGEST
    assert link.text.startswith("example=random&tokens=64&d_k=8&d_v=8&left_out=")
    found = opened(link.text)
    assert found.left_out == links.mark(table)
    assert cells.same(found.place.table, links.base(values))
    query = parse_qs(link.text)
    assert decode(query, {links.mark(table): table}).left_out is None
    assert same(decode(query, {links.mark(table): table}).place, Place(values, table, 50))


def test_a_text_too_long_to_unpack_is_left_out_too():
    assert encode(typed(("p₀", "label"), "a" * 10_000)).left_out == ""
    assert encode(typed(("p₀", "label"), "a" * 3_000_000)).left_out.startswith("These tokens need 3,000,0")


def test_the_limit_is_exact():
    letters = "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=LONGEST))
    start = len("example=article&labels=~~")
    place = typed(("p₂", "label"), letters[: LONGEST - start])
    assert len(encode(place).text) == LONGEST
    assert encode(typed(("p₂", "label"), letters[: LONGEST - start + 1])).left_out == (
        "These tokens need 2,001 characters, more than a link can carry (2,000). "
        "Take the .json snapshot instead."
    )


def test_what_no_cell_shows_is_left_out_and_said():
    place = usual()
    link = encode(Place(place.values, place.table, unseen="{'beta': 0.5}"))
    assert link.left_out == links.FROM_FILE
    assert link.query["left_out"] != links.mark(place.table)


@pytest.mark.parametrize("name", ["softmax_scale", "eps", "decimals", *settings.knobs()])
def test_the_ends_of_a_range_are_those_of_the_sidebar(name):
    low, high = (float(link_ends(name)[i]) for i in (0, 1))
    may_stand = settings.checks()[name]
    assert may_stand(low)
    assert may_stand(high)
    assert not may_stand(low - 1)
    assert not may_stand(high + 1)


def link_ends(name):
    """What -1e300 and 1e300 are moved to."""
    said = next(said for said, field in link_values.fields("article").items() if field.key == name)
    return [opened(f"{said}={x}").place.values[name] for x in ("-1e300", "1e300")]


def test_the_seed_of_a_map_and_of_random_tokens_are_two():
    found = opened("example=random&phi=favor&seed=3&map_seed=4").place.values
    assert (found["random_seed"], found["seed"]) == (3, 4)


# ---- links that nobody here wrote ------------------------------------------------------------------------

BOMB = packed(b'{"q":[["' + b"0" * 50_000_000 + b'"]]}')
GOOD = packed({"v": [["1", "2"], ["3", "4"], ["5", "6"]]})
DAMAGED = "own (damaged; the example's tokens are shown)"
UNFIT = "tokens (q, k, v and labels do not fit together; the example's are shown)"
RAGGED = "tokens (a table is ragged or empty; the example's are shown)"
MANY = "513 tokens of 1 and 1 components (too many; the example's are shown)"
WIDE = "3 tokens of 2 and 65 components (too many; the example's are shown)"
FIRST = '"k0" (unknown), "k1" (unknown), "k2" (unknown), "k3" (unknown)'
SEVERAL = 'phi "x" (identity is used), t "-1" (0 is used), op "9" (none is used), "a" (unknown)'
NO_TEXT = "tokens (a cell is no text; the example's are shown)"

BAD = [  # link, what is ignored, the link to the nearest thing that makes sense
    ("phi=banana", 'phi "banana" (identity is used)', "example=article"),
    ("phi=", 'phi "" (identity is used)', "example=article"),
    ("phi=ELU1", 'phi "ELU1" (identity is used)', "example=article"),
    ("phi=elu+1", 'phi "elu 1" (identity is used)', "example=article"),
    ("example=dead_relu&phi=x", 'phi "x" (relu is used)', "example=dead_relu"),
    ("rule=delta_v9", 'rule "delta_v9" (add is used)', "example=article"),
    ("rule=__class__", 'rule "__class__" (add is used)', "example=article"),
    ("example=gone", 'example "gone" (article is shown)', "example=article"),
    ("example=", 'example "" (article is shown)', "example=article"),
    ("example=gone&t=1", 'example "gone" (article is shown)', "example=article&t=1"),
    ("colour=red", '"colour" (unknown)', "example=article"),
    ("version=2&t=1", '"version" (unknown)', "example=article&t=1"),
    ("=1", '"" (unknown)', "example=article"),
    ("__proto__=1", '"__proto__" (unknown)', "example=article"),
    ("random_T=5", '"random_T" (unknown)', "example=article"),
    ("tokens=5&seed=2", '"tokens" (unknown), "seed" (unknown)', "example=article"),
    ("grid=1", '"grid" (unknown)', "example=article"),
    ("%3Cscript%3E=1", '"<script>" (unknown)', "example=article"),
    ("t=99", 't "99" (3 is used)', "example=article"),
    ("t=-1", 't "-1" (0 is used)', "example=article&t=0"),
    ("t=1.5", 't "1.5" (1 is used)', "example=article&t=1"),
    ("t=two", 't "two" (3 is used)', "example=article"),
    ("t=", 't "" (3 is used)', "example=article"),
    ("t=nan", 't "nan" (3 is used)', "example=article"),
    ("t=inf", 't "inf" (3 is used)', "example=article"),
    ("t=1e400", 't "1e400" (3 is used)', "example=article"),
    ("t=%D9%A2", 't "٢" (3 is used)', "example=article"),
    ("t=1_0", 't "1_0" (3 is used)', "example=article"),
    ("op=multiply", 'op "multiply" (none is used)', "example=article"),
    ("op=", 'op "" (none is used)', "example=article"),
    ("part=<b>", 'part "<b>" (the first is shown)', "example=article"),
    ("decimals=99", 'decimals "99" (12 is used)', "example=article&decimals=12"),
    ("decimals=0", 'decimals "0" (1 is used)', "example=article&decimals=1"),
    ("decimals=2.5", 'decimals "2.5" (2 is used)', "example=article&decimals=2"),
    ("decimals=many", 'decimals "many" (3 is used)', "example=article"),
    ("eps=-1", 'eps "-1" (0 is used)', "example=article"),
    ("eps=2", 'eps "2" (1 is used)', "example=article&eps=1"),
    ("eps=nan", 'eps "nan" (0 is used)', "example=article"),
    ("eps=1%2F3", 'eps "1/3" (0 is used)', "example=article"),
    ("gamma=1.5", 'gamma "1.5" (1 is used)', "example=article&gamma=1"),
    ("gamma=-0.5", 'gamma "-0.5" (0 is used)', "example=article&gamma=0"),
    ("gamma=NaN", 'gamma "NaN" (0.9 is used)', "example=article"),
    ("softmax_scale=1e9", 'softmax_scale "1e9" (1000000 is used)', "example=article&softmax_scale=1000000"),
    ("softmax_scale=None", 'softmax_scale "None" (usual is used)', "example=article"),
    ("later=1", 'later "1" (no is used)', "example=article"),
    ("later=True", 'later "True" (no is used)', "example=article"),
    ("normalize=true", 'normalize "true" (rule is used)', "example=article"),
    ("read_before_write=maybe", 'read_before_write "maybe" (rule is used)', "example=article"),
    ("example=random&tokens=513", 'tokens "513" (512 is used)', "example=random&tokens=512"),
    ("example=random&tokens=0", 'tokens "0" (1 is used)', "example=random&tokens=1"),
    ("example=random&d_k=1e9", 'd_k "1e9" (64 is used)', "example=random&d_k=64"),
    ("example=random&seed=-5", 'seed "-5" (0 is used)', "example=random&seed=0"),
    ("example=random&seed=x", 'seed "x" (1 is used)', "example=random"),
    ("phi=exp&phi=elu1", '"phi" given 2 times', "example=article&phi=elu1"),
    ("t=1&t=2&t=x", '"t" given 3 times, t "x" (3 is used)', "example=article"),
    ("v=1_2", UNFIT, "example=article"),
    ("v=1_2~3~4_5", RAGGED, "example=article"),
    ("q=1~2~3", UNFIT, "example=article"),
    ("labels=a_b~c_d~e_f", UNFIT, "example=article"),
    ("labels=a~b", UNFIT, "example=article"),
    ("v=" + "~".join(["1_2"] * 513), UNFIT, "example=article"),
    ("q={0}&k={0}&v={0}&labels={0}".format("~".join("1" * 513)), MANY, "example=article"),
    ("v={0}~{0}~{0}".format("_".join("1" * 65)), WIDE, "example=article"),
    ("v=" + "1" * 100_000, "tokens (too long; the example's are shown)", "example=article"),
    ("own=", DAMAGED, "example=article"),
    ("own=AAAA", DAMAGED, "example=article"),
    ("own=%00%01", DAMAGED, "example=article"),
    ("own=ж", DAMAGED, "example=article"),
    ("own=" + GOOD[:-4], DAMAGED, "example=article"),
    ("own=" + GOOD[:10], DAMAGED, "example=article"),
    ("own=" + GOOD[:-3] + "AAA", DAMAGED, "example=article"),
    ("own=" + GOOD + GOOD, DAMAGED, "example=article"),
    ("own=A", DAMAGED, "example=article"),
    ("own=" + "A" * 100_000, DAMAGED, "example=article"),
    ("own=" + BOMB[:8_000], DAMAGED, "example=article"),
    ("own=" + packed(b"0" * 5_000_000), DAMAGED, "example=article"),
    ("own=" + packed(b"[" * 100_000), DAMAGED, "example=article"),
    ("own=" + packed(b'{"q":[["\xff"]]}'), DAMAGED, "example=article"),
    ("own=" + packed([1, 2]), DAMAGED, "example=article"),
    ("own=" + packed({}), DAMAGED, "example=article"),
    ("own=" + packed({"w": [["1"]]}), DAMAGED, "example=article"),
    ("own=" + packed({"own": [["1"]]}), DAMAGED, "example=article"),
    ("own=" + packed({"v": 1}), RAGGED, "example=article"),
    ("own=" + packed({"v": []}), RAGGED, "example=article"),
    ("own=" + packed({"v": [[], [], []]}), RAGGED, "example=article"),
    ("own=" + packed({"v": ["12", "34", "56"]}), RAGGED, "example=article"),
    ("own=" + packed({"v": [[1, 2], [3, 4], [5, 6]]}), NO_TEXT, "example=article"),
    ("own=" + packed({"v": [["1", None]] * 3}), NO_TEXT, "example=article"),
    ("own=" + packed({"v": [["1", ["2"]]] * 3}), NO_TEXT, "example=article"),
    ("own=" + packed({"labels": [["a"]] * 4}), UNFIT, "example=article"),
    ("own=AAAA&phi=elu1&t=1", DAMAGED, "example=article&phi=elu1&t=1"),
    ("x" * 100_000, '"xxxxxxxxxxxxxxxxxxxxxxx…" (unknown)', "example=article"),
    ("&".join(f"k{n}=1" for n in range(900)), f"{FIRST} and 896 more", "example=article"),
    ("a=1&b=2&phi=x&t=-1&op=9", f"{SEVERAL} and 1 more", "example=article&t=0"),
]  # fmt: skip


@pytest.mark.parametrize(("link", "ignored", "nearest"), BAD, ids=[link[:40] for link, _, _ in BAD])
def test_a_bad_link_opens_the_nearest_thing_and_says_what_it_ignored(link, ignored, nearest):
    query = parse_qs(link, keep_blank_values=True)
    found = decode(query or {link: [""]})
    assert links.about_ignored(found.ignored) == f"Ignored in this link: {ignored}."
    assert same(found.place, opened(nearest).place)
    assert not opened(nearest).ignored
    assert encode(found.place).text == nearest


def test_there_are_enough_bad_links():
    assert len(BAD) >= 60


def test_what_is_unpacked_is_bounded():
    text = packed(b"0" * 50_000_000)
    assert len(text) > link_tokens.LONGEST_PACKED
    with pytest.raises(ValueError, match=r"^$"):
        link_tokens._inflated(packed(b"0" * (link_tokens.LONGEST_TEXT + 1)))
    assert len(link_tokens._inflated(packed(b"0" * link_tokens.LONGEST_TEXT))) == link_tokens.LONGEST_TEXT


KEYS = (
    st.sampled_from(["example", "t", "op", "left_out", *link_tokens.KEYS, *link_values.fields("random")])
    | st.text()
)
ANYTHING = st.text() | st.floats().map(str) | st.sampled_from([GOOD, "1_2~3_4~5_6", "random", "article"])


@given(st.dictionaries(KEYS, st.lists(ANYTHING, min_size=1, max_size=3)))
def test_no_link_raises_and_every_place_it_leads_to_has_a_link(query):
    found = decode(query)
    checks = settings.checks()
    assert all(checks[key](value) for key, value in found.place.values.items())
    assert same(opened(encode(found.place).text).place, found.place)
    assert len(links.about_ignored(found.ignored)) < 500


# ---- the page --------------------------------------------------------------------------------------------


def page(text, at=None):
    at = at or visitor()
    for key in list(at.query_params):
        del at.query_params[key]
    for key, value in parse_qs(text, keep_blank_values=True).items():
        at.query_params[key] = value
    return at.run()


def bar(at):
    return {key: value[0] if isinstance(value, list) else value for key, value in at.query_params.items()}


def said(at):
    return [re.sub(r"\\(.)", r"\1", info.value).replace("\u2060", "") for info in at.info]


def test_a_link_opens_its_place():
    at = page("example=sentence&phi=exp&rule=decay&gamma=0.25&t=4&op=add&decimals=5&later=yes")
    assert not at.exception
    assert at.selectbox(key="example").value == "sentence"
    assert at.radio(key="phi").value == "exp"
    assert at.slider(key="gamma").value == 0.25
    assert at.toggle(key="later").value
    assert at.number_input(key="decimals").value == 5
    go = at.session_state["go"]
    assert (go["step"], go["operation"]) == (4, "add")
    assert any("S_{4} = " in formula.value for formula in at.latex)
    assert not said(at)
    assert bar(at)["t"] == "4"


def test_own_vectors_arrive_as_they_were_typed():
    at = page(f"example=article&v={quote('2_0~0_3~1/3_1')}&labels=cat~~dog")
    assert at.session_state["last_good"].v[2, 0] == 1 / 3
    assert at.session_state["grid"]["cur"].loc["p₂", "v a"] == "1/3"
    assert at.session_state["last_good"].tokens.labels == ("cat", "p1", "dog")


def test_random_tokens_follow_from_sizes_and_seed():
    at = page("example=random&tokens=5&d_k=2&d_v=3&seed=8")
    assert at.session_state["last_good"].v.shape == (5, 3)
    assert [at.number_input(key=key).value for key in settings.RANDOM] == [5, 2, 3, 8]


def test_nonsense_is_said_until_something_changes():
    at = page("phi=**x**&t=99&colour=red")
    assert said(at) == [
        'Ignored in this link: phi "**x**" (identity is used), t "99" (3 is used), "colour" (unknown).'
    ]
    assert r"\*\*x\*\*" in at.info[0].value
    assert said(at.run())
    assert bar(at)["colour"] == "red"  # the address stays until there is something else to say
    at.radio(key="phi").set_value("elu1").run()
    assert not said(at)
    assert bar(at) == {"example": "article", "phi": "elu1"}


def test_a_change_is_written_once():
    at = page("")
    assert bar(at) == {}
    at.radio(key="rule").set_value("decay").run()
    assert bar(at) == {"example": "article", "rule": "decay"}
    at.radio(key="rule").set_value("add").run()
    assert bar(at) == {"example": "article"}


def test_another_link_wins_over_the_session():
    at = page("example=article&phi=elu1&t=1")
    at = page("example=cancel&eps=0.5", at)
    assert at.selectbox(key="example").value == "cancel"
    assert at.radio(key="phi").value == "identity"
    assert at.number_input(key="eps").value == 0.5
    assert at.session_state["rest"] == (None, None)


def test_an_old_query_that_is_not_back_or_forward_does_not_undo_anything():
    """The browser asked for a rerun before the last words about its address arrived."""
    at = page("example=article")
    at.radio(key="rule").set_value("decay").run()
    at = page("example=article", at)
    assert at.radio(key="rule").value == "decay"
    assert bar(at) == {"example": "article", "rule": "decay"}


def test_tokens_that_do_not_run_are_explained_beside_the_example():
    at = page("example=article&v=x_0~0_3~1_1")
    assert not at.exception
    assert 'column v a: the cell is "x"' in at.error[0].value.replace("\\", "")
    assert at.session_state["grid"]["cur"].loc["p₀", "v a"] == "x"
    at = page("example=article&later=yes&read_before_write=yes")
    assert not at.exception
    assert len(at.error) == 1


def test_tokens_that_were_left_out_are_said():
    at = page("example=random&left_out=12345678")
    assert said(at) == [links.LEFT_OUT]


@pytest.mark.parametrize("link", [link for link, _, _ in BAD if len(link) < 300][::9])
def test_the_page_opens_on_any_link(link):
    at = page(link)
    assert not at.exception
    assert said(at)[0].startswith("Ignored in this link: ")


def test_what_came_with_a_file_and_no_cell_shows_is_said_and_not_lost(reader):
    tokens = Tokens([[1, 0]] * 3, [[1, 0]] * 3, [[2], [3], [4]], log_decay=[-1, -np.inf, 0])
    reader.open("mine.npz", _npz(tokens))
    assert said(reader.at) == [links.FROM_FILE]
    assert list(bar(reader.at)) == ["example", "left_out"]
    assert_array_equal(reader.trace.tokens.log_decay, [-1, -np.inf, 0])
    there = dict(bar(reader.at))
    reader.press("Reset to the example")
    assert bar(reader.at) == {"example": "article"}
    del reader.at.session_state["address"]["seen"][links.urlencode(there)]  # as Back would
    page(links.urlencode(there), reader.at)
    assert_array_equal(reader.trace.tokens.log_decay, [-1, -np.inf, 0])
    assert said(reader.at) == [links.FROM_FILE]


def _npz(tokens):
    file = io.BytesIO()
    np.savez(file, q=tokens.q, k=tokens.k, v=tokens.v, log_decay=tokens.log_decay)
    return file.getvalue()


def test_what_a_link_replaced_can_be_undone(reader):
    reader.type(0, "q a", "7")
    page("example=cancel&phi=exp", reader.at)
    assert reader.trace.settings.phi.key == "exp"
    reader.press("Undo")
    assert reader.trace.settings.phi.key == "identity"
    assert reader.texts[0][1] == "7"
    assert bar(reader.at)["example"] == "article"


def test_a_link_on_arrival_is_nothing_to_undo(reader):
    assert page("example=cancel").session_state["history"]["past"] == []


def test_a_link_opens_the_part_of_a_page_that_was_seen():
    at = visit("4_Mixing", example="article", part="ask")
    assert at.segmented_control(key="mixing_part").value == "ask"
    assert bar(at) == {"example": "article", "part": "ask"}
    at.segmented_control(key="mixing_part").set_value("lists").run()
    assert bar(at) == {"example": "article"}
    at.segmented_control(key="mixing_part").set_value("back").run()
    assert bar(at) == {"example": "article", "part": "back"}
    at = visit("5_Write_rules", example="article", part="named")
    assert at.segmented_control(key="write_rules_part").value == "named"


def test_the_part_of_another_page_is_left_out():
    at = visit("4_Mixing", example="article", part="named")
    assert at.segmented_control(key="mixing_part").value == "lists"
    assert bar(at) == {"example": "article"}
    at = visit("1_Compare", example="article", part="ask")
    assert bar(at) == {"example": "article"}
    assert not at.exception


def test_every_part_of_every_page_can_stand_in_a_link():
    assert {*mixing.PARTS, *write_rules.PARTS} == set(links.PARTS)


def test_links_to_other_pages_carry_ours():
    at = page("example=cancel&t=1")
    at.radio(key="phi").set_value("exp").run()
    assert (
        at.session_state["address"]["link"].query == bar(at) == {"example": "cancel", "phi": "exp", "t": "1"}
    )
