"""The stage shows the run: every number in the page has the bits of the core's, at every step."""

import io
import json
import re
import struct
from collections import Counter

import numpy as np
import pytest
from playwright.sync_api import expect
from stage_cases import cases

from linattn_core import export, ordered_dot, ordered_sum, softmax
from linattn_core.all_pairs import carried_reads

pytest_plugins = ["stage_server"]


def bits(x):
    """The number as its eight bytes; there is one NaN."""
    return "NaN" if np.isnan(x) else struct.pack("<d", x).hex()


def named(name, array):
    """{"name[i,j]": number} for all of an array."""
    array = np.asarray(array)
    if array.ndim == 0:
        return {name: array[()]}
    return {f"{name}[{','.join(map(str, index))}]": array[index] for index in np.ndindex(array.shape)}


def expected(trace, step, softmax_scale=None):
    """Every number that the stage shows after `step` tokens, by its name."""
    shown = named("S_after", trace.S[step]) | named("z_after", trace.states[step, :, -1])
    if step > 0:
        shown |= written(trace, step - 1)
    if 0 < step <= len(trace.q):
        shown |= read(trace, step - 1) | listed(trace, step - 1, softmax_scale)
    if not trace.settings.normalize:
        averaged = (
            "z_",
            "write_z",
            "removal_z",
            "removed_z",
            "old_z",
            "error_z",
            "u_z",
            "norm",
            "weight[",
            "sum_share",
            "carried_share",
        )
        shown = {name: x for name, x in shown.items() if not name.startswith(averaged)}
    return shown | maps(trace, softmax_scale)


def written(trace, t):
    """Lane A without the query: what token t writes, into which state, and the state that all read."""
    shown = (
        typed("k", trace, t)
        | named("k", trace.k[t])
        | named("v_typed", trace.tokens.v[t])
        | named("u", trace.u[t])
        | named("write", trace.contribution(t))
        | named("write_z", trace.k[t] * trace.written[t, -1])
        | named("S_before", trace.S[t])
        | named("z_before", trace.states[t, :, -1])
        | corrected(trace, t)
    )
    if trace.settings.read == "full":
        shown |= named("S_read", trace.S[-1]) | named("z_read", trace.z[-1])
    return shown


def typed(name, trace, t):
    """What was typed for token t, where each component of φ(x) has one of x beside it."""
    x, mapped = getattr(trace.tokens, name), getattr(trace, name)
    return named(f"{name}_typed", x[t]) if x.shape == mapped.shape else {}


def corrected(trace, t):
    """What the rule makes of the state before it writes."""
    found, shown = trace.correction(t), {}
    if trace.alpha is not None:
        shown |= named("S_decayed", found.decayed[:, :-1]) | named("z_decayed", found.decayed[:, -1])
    if found.old is not None:
        shown |= named("old", found.old[:-1])
    if found.error is not None:
        shown |= named("error", found.error[:-1]) | {"old_z": found.old[-1], "error_z": found.error[-1]}
        shown |= {"u_z": trace.written[t, -1]}
    if found.removal is not None:
        beta, settings = trace.gates["beta"][t], trace.settings
        shown |= named("removed", (beta * found.old)[:-1]) | {"removed_z": (beta * found.old)[-1]}
        shown |= named("removal", found.removal[:, :-1]) | named("removal_z", found.removal[:, -1])
        shown |= named("b", trace.gates["b"][t])
        if settings.read == "full" or not settings.read_before_write:  # else the query stands in its place
            shown |= named("a", trace.gates["a"][t])
    return shown


def read(trace, t):
    """What query t reads in lane A, and its answer."""
    shown = {}
    if trace.bonus is not None:
        own = (trace.bonus * trace.k[t])[:, None] * np.append(trace.v[t], 1)
        met = trace.states[t] + own
        shown = named("S_read", met[:, :-1]) | named("z_read", met[:, -1])
    return shown | (
        typed("q", trace, t)
        | named("q", trace.q[t])
        | named("read", trace.read[t])
        | named("norm", trace.reads[t, -1])
        | named("y", trace.y[t])
    )


def listed(trace, t, softmax_scale):
    """Lane B, for query t."""
    full = trace.settings.read == "full"
    seen, attended = sight(trace, t), len(trace.k) if full else t + 1
    softmax_y, softmax_weights = softmax(trace.tokens, scale=softmax_scale, read=trace.settings.read)
    shown = (
        named("softmax_weight", softmax_weights[t, :attended])
        | named("softmax_y", softmax_y[t])
        | named("sum_softmax", ordered_sum(softmax_weights[t]))
    )
    if not trace.one_map:
        return shown
    scores, weights = trace.scores()[t], trace.weights()[t]
    shown |= named("score", scores[:seen]) | named("weight", weights[:seen])
    *terms, score, share = carried(trace, t)
    shown |= {"sum_score": ordered_sum(scores) + score, "sum_share": ordered_sum(weights) + share}
    if trace.initial is not None and trace.initial[1] is not None:
        shown |= {"carried_score": score, "carried_share": share}
    if trace.v.shape[1] <= 4:  # more columns do not fit into the list
        shown |= named("carried", terms) if trace.initial is not None else {}
        with np.errstate(all="ignore"):
            products = scores[:seen, None] * trace.v[:seen]
            shown |= named("term", products) | named("sum_term", ordered_dot(scores, trace.v) + terms)
    return shown


def carried(trace, t):
    """What query t reads of each column of the state carried in and of its z, and the share of that."""
    reads = carried_reads(trace)[t]
    if trace.initial is None or trace.initial[1] is None:
        return [*reads[:-1], 0, 0]
    with np.errstate(all="ignore"):
        return [*reads, reads[-1] / (trace.norm[t] + trace.settings.eps)]


def sight(trace, t):
    """How many tokens query t sees."""
    if trace.settings.read == "full":
        return len(trace.k)
    return t if trace.settings.read_before_write and trace.bonus is None else t + 1


def maps(trace, softmax_scale):
    """The two maps under the lanes, where they are printed: the same at every step."""
    T, Tq = len(trace.k), len(trace.q)
    if max(T, Tq) > 16:
        return {}
    _, shares = softmax(trace.tokens, scale=softmax_scale, read=trace.settings.read)
    attended = [T if trace.settings.read == "full" else t + 1 for t in range(Tq)]
    weights = trace.weights() if trace.one_map else None
    sights = [sight(trace, t) if trace.one_map else 0 for t in range(Tq)]
    linear = {f"weight_map[{t},{s}]": weights[t, s] for t in range(Tq) for s in range(sights[t])}
    return linear | {f"softmax_map[{t},{s}]": shares[t, s] for t in range(Tq) for s in range(attended[t])}


def differences(shown, wanted):
    """{name: (in the page, in the run)} of what is missing, superfluous or unequal; what is there twice."""
    twice = [name for name, count in Counter(name for name, _ in shown).items() if count > 1]
    shown = {name: float(value) for name, value in shown}
    unequal = {name for name in shown.keys() & wanted.keys() if bits(shown[name]) != bits(wanted[name])}
    names = sorted(unequal | (shown.keys() ^ wanted.keys()))
    return {name: (shown.get(name), wanted.get(name)) for name in names} | dict.fromkeys(twice, "twice")


@pytest.mark.parametrize("name", [name for name in cases() if name != "large"])
def test_every_number_has_the_bits_of_the_core(stage, name):
    case, trace = cases()[name], cases()[name].trace
    stage.show(name)
    steps = (0, 1, 2, 63, 64) if name == "long" else range(len(trace.k) + 1)
    for step, shown in zip(steps, stage.cells(steps), strict=True):
        assert differences(shown, expected(trace, step, case.shown.get("softmax_scale"))) == {}, step
    assert not re.search(r"false|null|NaN|\[object", stage.root.text_content())


def test_a_long_run_keeps_the_bits_of_every_state(stage):
    trace = cases()["long"].trace
    stage.show("long")
    steps = range(len(trace.k) + 1)
    for step, shown in zip(steps, stage.states(steps), strict=True):
        assert differences(shown, named("S_after", trace.S[step]) | named("z_after", trace.z[step])) == {}


def test_a_large_run_shows_a_part_and_says_so(stage):
    trace = cases()["large"].trace
    stage.show("large")
    expect(stage.root).to_contain_text("S is 70×66; the first 64×64 cells are drawn, the sums use all of it.")
    expect(stage.root).to_contain_text("Drawn 400×400: each dot is the largest of its block.")
    expect(stage.root).to_contain_text("450 tokens: scroll the list; Σ is over all")
    shown = {name: float(value) for name, value in stage.cells([450])[0]}
    wanted = expected(trace, 450)
    hidden = {name for name in wanted.keys() - shown.keys() if not re.search(r"\b6[4-9]\b", name)}
    assert hidden == set()
    assert {name for name, x in shown.items() if bits(x) != bits(wanted[name])} == set()


def test_the_steps_end_with_the_last_token(stage):
    for name in ("article", "full_fewer", "full_more"):
        stage.show(name)
        T = len(cases()[name].tokens.k)
        expect(stage.part("step")).to_have_attribute("max", str(T))
        stage.at(T)


NUMBERS = {
    "article": {"S_after[0,0]": 3, "S_after[0,1]": 1, "z_after[0]": 2, "score[1]": 0, "norm": 2, "y[0]": 1.5},
    "decayed": {"y[0]": 1.2, "y[1]": 0.8},
    "elu1": {"y[0]": 1.071, "y[1]": 1.214},
}


@pytest.mark.parametrize("name", NUMBERS)
def test_it_opens_on_the_numbers_of_the_article(stage, name):
    stage.show(name)
    assert {cell: stage.number(cell) for cell in NUMBERS[name]} == pytest.approx(NUMBERS[name], abs=5e-4)


def test_a_run_that_does_not_divide_shows_its_answer(stage):
    stage.show("undivided")
    expect(stage.cell("y[0]")).to_be_visible()
    expect(stage.part("caption")).to_contain_text("y₂ is that sum: this run does not divide")


def test_what_does_not_exist_is_said(stage):
    for name, step, words in (
        ("dead", 1, "its scores sum to 0, so y₀ is undefined"),
        ("cancel", 2, "its scores sum to 0, so y₁ is undefined"),
        ("reads_first", 1, "no token was written before it, so y₀ is undefined"),
        ("overflow", 3, "its sums do not fit a float, so y₂ is undefined"),
        ("overflow_in_one", 2, "its sums do not fit a float, so y₁ is undefined"),
    ):
        stage.show(name)
        stage.go(step)
        expect(stage.part("caption")).to_contain_text(words)
        expect(stage.cell("y[0]")).to_have_text("undefined")


def test_a_decay_is_said(stage):
    for name, step, words in (
        ("decayed", 1, "p₀. p₀ adds 1×[2, 0]"),
        ("decayed", 2, "p₁. The old state shrinks to 0.5 of itself; p₁ adds"),
        ("kept", 2, "p₁. The old state is kept whole; p₁ adds"),
        ("nearly_kept", 2, "p₁. The old state shrinks to just below 1 of itself; p₁ adds"),
        ("carried_gated", 1, "p₀. The old state shrinks to 0.5 to 1 of itself, row by row; p₀ adds"),
    ):
        stage.show(name)
        stage.go(step)
        expect(stage.part("caption")).to_contain_text(words)


CORRECTIONS = (
    (
        "delta",
        1,
        "p₀ asks S₀ for its key: [0, 0]; its value is [2, 0], so it writes the error, 1×[2, 0] to row a;",
    ),
    (
        "delta",
        3,
        "p₂ asks S₂ for its key: [2, 0]; its value is [1, 1], so it writes the error, 1×[−1, 1] to row a;",
    ),
    ("delta_same", 2, "p₁ asks S₁ for its key: [2, 0]; its value is [2, 0], so nothing is left to write;"),
    ("delta_half", 3, "its value is [1, 1], so it writes 0.5 of the error, 1×[0, 0.5] to row a;"),
    ("delta_none", 3, "its value is [1, 1], but β is 0, so it writes nothing;"),
    ("delta_wide", 13, "p₁₂ asks S₁₂ for its key and writes 0.7 of the error to all 5 rows, most of it,"),
    ("rwkv7", 3, "a₂ reads [−1, 0] of S₂, which b₂ adds: 1×[−1, 0] to row a; p₂ adds 1×[1, 1] to row a;"),
    ("rwkv6_plain", 3, "q₂ reads from S₂, before this write, [1, 0];"),
    ("rwkv6", 3, "q₂ reads from S₂ and u times its own token, before this write,"),
)


def test_a_correction_is_said(stage):
    for name, step, words in CORRECTIONS:
        if not stage.page.get_by_label("Case").input_value().startswith(f"{name} "):
            stage.show(name)
        stage.go(step)
        expect(stage.part("caption")).to_contain_text(words)


def test_without_one_map_the_list_says_so(stage):
    stage.show("delta_by_column")
    expect(stage.root).to_contain_text(
        "β differs between value components, so no single weight per token gives y"
    )
    assert stage.root.locator("[data-map]").count() == 1


def test_doubtful_answers_are_said(stage):
    for name, words in (
        ("near_zero", "scores cancel"),
        ("negative", "a score is negative"),
        ("cancel", "undefined: the scores sum to 0"),
        ("overflow", "undefined: the sums do not fit a float"),
        ("article", ""),
        ("far", ""),
        ("undivided", ""),
    ):
        stage.show(name)
        expect(stage.root.locator(".doubt")).to_have_text(
            re.compile(f"^{re.escape(words)}" if words else "^$")
        )


# This step as a file


CAUGHT = """async (button) => {
    const make = URL.createObjectURL, open = HTMLAnchorElement.prototype.click, seen = {};
    URL.createObjectURL = (blob) => ((seen.blob = blob), make.call(URL, blob));
    HTMLAnchorElement.prototype.click = function () { seen.name = this.download; };
    button.click();
    Object.assign(URL, { createObjectURL: make });
    HTMLAnchorElement.prototype.click = open;
    return [[...new Uint8Array(await seen.blob.arrayBuffer())], seen.name];
}"""


def saved(stage, kind):
    """The bytes and the name of the file behind a button, caught before the browser's own download."""
    content, title = stage.part(f"save-{kind}").evaluate(CAUGHT)
    return bytes(content), title


def test_a_file_is_downloaded_under_its_name(stage):
    stage.show("article")
    with stage.page.expect_download() as download:
        stage.part("save-json").click()
    assert download.value.suggested_filename == "step_3.json"
    assert download.value.path().read_bytes() == saved(stage, "json")[0]


def unequal(a, b, at=""):
    """Where two JSON values differ; numbers differ where their bits do: 2 is 2.0, but -0.0 is not 0.0."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [
            x
            for name in sorted(a.keys() | b.keys())
            for x in unequal(a.get(name), b.get(name), f"{at}.{name}")
        ]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [x for n, pair in enumerate(zip(a, b, strict=True)) for x in unequal(*pair, f"{at}[{n}]")]
    numbers = {type(a), type(b)} <= {int, float}
    return [] if (bits(a) == bits(b) if numbers else (type(a), a) == (type(b), b)) else [at]


def opened(content):
    """The arrays of an .npz as JSON: shape, type and numbers of each, and its meta."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        files = dict(arrays)
    meta = json.loads(str(files.pop("meta")))
    return meta | {name: [list(x.shape), x.dtype.str, x.ravel().tolist()] for name, x in files.items()}


SAVED = {
    "article": (0, 1, 3),
    "gated": (0, 3),
    "gated_reads_first": (1, 4),
    "dead": (1, 4),
    "signed_zeros": (2,),
    "far": (3,),
    "overflow": (3,),
    "full_fewer": (1, 5),
    "full_more": (2,),
    "carried": (0, 2),
    "carried_undivided": (3,),
    "delta_divided": (0, 3),
    "delta_by_column": (0, 2),
    "rwkv6_divided": (2,),
    "rwkv7_own": (3,),
    "undivided": (3,),
    "labels": (12,),
}


@pytest.mark.parametrize("name", SAVED)
def test_this_step_as_a_file_is_the_file_of_the_core(stage, name):
    trace = cases()[name].trace
    stage.show(name)
    for step in SAVED[name]:
        stage.go(step)
        content, title = saved(stage, "json")
        assert unequal(json.loads(content), json.loads(export("json").write(trace, step=step))) == []
        assert title == f"step_{step}.json"
        content, title = saved(stage, "npz")
        assert unequal(opened(content), opened(export("npz").write(trace, step=step))) == []
        assert title == f"step_{step}.npz"


def test_a_file_says_the_softmax_scale_that_is_on_screen(stage):
    case = cases()["scaled"]
    stage.show("scaled")
    results = json.loads(saved(stage, "json")[0])["results"]
    assert results["softmax_scale"] == case.shown["softmax_scale"] == 0.3
    assert results["softmax_y"] == softmax(case.tokens, scale=0.3)[0][-1].tolist()
