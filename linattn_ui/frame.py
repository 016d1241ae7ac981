"""What every page has around it: title, links to the other pages, sidebar."""

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from linattn_core import EXAMPLES, FEATURE_MAPS, UPDATE_RULES, run
from linattn_ui import settings as choices
from linattn_ui import state, tour, words
from linattn_ui.settings import Settings

ROOT = Path(__file__).parent.parent
SHORT = {"phi": ("identity", "elu1", "relu", "exp"), "rule": ("add", "decay", "delta")}
# Else a choice is lost on the way to another page. A widget is also given its value: what the session sets is
# sent once, and of two reruns in a row the browser may draw the second alone, with the least value.
KEPT: Any = {"persist_state": "session"}
RANDOM = {
    "random_T": "Tokens",
    "random_d_k": "q and k components",
    "random_d_v": "v components",
    "random_seed": "Seed",
}


def begin(page: str) -> Settings:
    """First line of every page. Returns what the reader has chosen."""
    st.set_page_config(
        page_title=f"{page} · Linear attention, step by step",
        page_icon="🧮",
        layout="wide",
        initial_sidebar_state=272,
    )
    state.start(page)
    with st.sidebar:
        _links()
        _choices()
        with st.expander("More"):
            _more()
    _heading(page)
    return state.read()


def _heading(page: str) -> None:
    """What the page is called; on the first one the product's name, with the tour beside it."""
    if page != title_of(ROOT / "app.py"):
        st.title(page, anchor=False)
        return
    title, way_in = st.columns([4, 1], vertical_alignment="center")
    title.title("Linear attention, step by step", anchor=False)
    with way_in:
        tour.invite()


def _links() -> None:
    """A link to every page, which opens on the same tokens, settings and step."""
    carried = state.link_query()
    for path in [ROOT / "app.py", *sorted(ROOT.glob("pages/[0-9]*_*.py"))]:
        st.page_link(str(path.relative_to(ROOT)), label=title_of(path), query_params=carried)


@cache
def title_of(path: Path) -> str:
    """What a page is called in links: its docstring up to the colon."""
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return said.partition(": ")[0]


def _choices() -> None:
    titles = {record.key: words.title(record) for record in EXAMPLES}
    st.selectbox(
        "Example",
        list(titles),
        list(titles).index(state.value("example")),
        format_func=titles.__getitem__,
        key="example",
        on_change=state.choose_example,
        **KEPT,
    )
    if state.value("example") == "random":
        _random()
    _menu("Feature map φ", "phi", FEATURE_MAPS)
    _about_phi()
    _menu("Write rule", "rule", UPDATE_RULES)
    for knob in state.open_knobs():
        _knob(knob)


def _about_phi() -> None:
    """What the example sets and what another map would answer; what exp is not."""
    example, phi = state.record("example"), state.record("phi")
    usual = run(example.tokens, "elu1").y[-1]
    for sentence in (words.example_sets(example, phi, "ELU+1", usual), words.about_map(phi)):
        if sentence:
            st.caption(sentence)


def _random() -> None:
    for key, label in RANDOM.items():
        low, high, _ = choices.RANDOM[key]
        st.number_input(label, low, high, state.value(key), key=key, on_change=state.draw_tokens, **KEPT)


def _menu(label: str, key: str, records: Sequence[Any]) -> None:
    """The short list, and what was picked under "more"."""
    known = {record.key: _title(record) for record in records}
    short = [name for name in known if name in (*SHORT[key], state.value(key))]
    st.radio(label, short, short.index(state.value(key)), format_func=known.__getitem__, key=key, **KEPT)


def _title(record: Any) -> str:
    return words.map_title(record, state.record("example"))


def _knob(knob: Any) -> None:
    whole = isinstance(knob.default, int)
    draw = st.number_input if whole else st.slider
    draw(knob.title, knob.low, knob.high, state.value(knob.name), key=knob.name, help=knob.help, **KEPT)


def _more() -> None:
    _other("Another feature map", "phi", FEATURE_MAPS)
    _other("Another write rule", "rule", UPDATE_RULES)
    _three("Divide by the score sum", "normalize", state.record("rule").divides)
    st.toggle(
        "May see later tokens",
        state.value("later"),
        key="later",
        help="Every query reads the last state.",
        **KEPT,
    )
    _three("Read before write", "read_before_write", state.record("rule").bonus is not None)
    st.number_input(
        "Softmax scale",
        0.0,
        1e6,
        value=state.value("softmax_scale"),
        key="softmax_scale",
        format="%g",
        placeholder=words.softmax_scale(state.source()),
        **KEPT,
    )
    eps, decimals = state.value("eps"), state.value("decimals")
    st.number_input("eps added to the score sum", 0.0, 1.0, eps, key="eps", format="%g", step=1e-6, **KEPT)
    st.number_input("Decimals shown", 1, 12, decimals, key="decimals", **KEPT)


def _other(label: str, key: str, records: Sequence[Any]) -> None:
    rest = {record.key: _title(record) for record in records if record.key not in SHORT[key]}
    if rest:
        name = f"other_{key}"
        st.selectbox(label, list(rest), None, rest.__getitem__, key=name, on_change=state.pick, args=(key,))


def _three(label: str, key: str, usual: bool) -> None:
    titles = {"rule": f"as the write rule does: {'yes' if usual else 'no'}", "yes": "yes", "no": "no"}
    now = list(titles).index(state.value(key))
    st.selectbox(label, list(titles), now, format_func=titles.__getitem__, key=key, **KEPT)


def say(settings: Settings, trace: Any, problem: str | None) -> None:
    """The example's sentence; what is wrong with the input; what to know before trusting the numbers."""
    told = words.story(settings.example, _sentence(settings), state.edited(), settings.changed)
    st.caption(told + words.carries(trace))
    warn(trace, problem)


def warn(trace: Any, problem: str | None, said: bool = False) -> None:
    """The same without the example's sentence; said: what to know of the numbers stands there already."""
    if problem is not None:
        st.error(f"{words.plain(problem)} The picture shows the last numbers that worked.")
    for sentence in () if said else words.findings(trace):
        st.warning(sentence)
    for sentence in state.about_link():
        st.info(words.plain(sentence))


def _sentence(settings: Settings) -> str:
    if settings.example.key == "random":
        return words.drawn(state.source(), state.value("random_seed"))
    return settings.example.story
