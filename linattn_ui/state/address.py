"""The address bar: the one reader and writer of st.query_params.

A query that we did not write wins over the session: a fresh visit, a reload, Back, Forward, a pasted link.
Each write is a step of the browser's history, so it is written at rest and only where it says something new.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from linattn_ui import cells, links
from linattn_ui import settings as choices
from linattn_ui.links import LEFT_OUT, Link, Opened, Place
from linattn_ui.settings import RANDOM
from linattn_ui.state import choices as chosen
from linattn_ui.state import parts, step, tokens

KEPT = 12  # tokens too long for a link that Back and Forward still find
SEEN = 1_000


def start(page: str = "") -> None:
    """First thing in every rerun: what the address bar says, where it is news."""
    first = "address" not in st.session_state
    chosen.start()
    st.session_state.setdefault("tour", None)
    parts.forget()
    if first:
        st.session_state["address"] = {"bar": "", "link": here(), "seen": {"": True}, "opened": None}
        st.session_state["left_out"] = {}
    _arrive(_bar(), first)
    tokens.see()
    if st.session_state.get("page", page) != page:  # the stage appears anew
        step.go_to(*step.rested())
    st.session_state["page"] = page


def _bar() -> Mapping[str, Sequence[str]]:
    return {key: st.query_params.get_all(key) for key in st.query_params}


def _arrive(bar: Mapping[str, Sequence[str]], first: bool) -> None:
    """Take over what the address bar says, unless it is ours."""
    address, text = st.session_state["address"], urlencode(bar, doseq=True)
    if text == address["bar"]:
        return
    stale = text in address["seen"] and not _is_history() and address["bar"] is not None
    if stale:  # sent before our last words arrived: those stand, and are said again
        address["link"] = None
        return
    address["bar"] = None  # a newer rerun may end this one anywhere: then it starts over
    kept = st.session_state["left_out"]
    opened = links.decode(bar, {mark: table for mark, (table, _) in kept.items()})
    _take(opened, kept[opened.found][1] if opened.found else None, tokens.put if first else _replace)
    parts.ask(opened.place.part)
    st.session_state["address"] |= {"link": here(opened.place.part), "opened": opened}
    _remember(text)


def _is_history() -> bool:
    """Whether Back or Forward asked for this rerun; a query from elsewhere counts as if it did."""
    return getattr(get_script_run_ctx(), "is_history_navigation", True)


def _remember(text: str) -> None:
    address = st.session_state["address"]
    address |= {"bar": text, "seen": _with(address["seen"], text)}


def _with(seen: Mapping[str, bool], text: str) -> dict[str, bool]:
    return dict.fromkeys(list({**seen, text: True})[-SEEN:], True)


def _replace(table: pd.DataFrame, came: Mapping[str, Any]) -> None:
    tokens.replace(table, came, "As the address says.", with_choices=True)


def _take(
    opened: Opened,
    came: Mapping[str, Any] | None,
    put: Callable[[pd.DataFrame, Mapping[str, Any]], None],
) -> None:
    """Settings, tokens, step and operation of a link into the session."""
    place, before = opened.place, st.session_state["example"]
    for key, value in place.values.items():
        if key not in RANDOM or place.values["example"] == "random":
            st.session_state[key] = value
    st.session_state["set_by_example"] = choices.set_by(chosen.record("example"))
    grid = st.session_state["grid"]
    wanted = _came(before, place) if came is None else came
    moved = any(grid["came"][name] is not wanted[name] for name in wanted)
    if moved or not cells.same(grid["cur"], place.table):
        put(place.table, wanted)
    st.session_state["tour"] = place.tour
    step.go_to(place.step, place.operation, links.highlight(place))


def open_query(query: Mapping[str, str], highlight: str | None, note: str) -> None:
    """What a link of our own says, as one change that undo takes back; the stop of the tour stays."""
    place = links.decode({name: [text] for name, text in query.items()}).place
    stop = st.session_state["tour"]
    _take(Opened(place), None, lambda table, came: tokens.replace(table, came, note, with_choices=True))
    st.session_state["tour"] = stop
    step.go_to(place.step, place.operation, highlight)


def _came(before: str, place: Place) -> Mapping[str, Any]:
    """What comes with the tokens of a link: what comes with its example."""
    now = st.session_state["grid"]["came"]
    if before == place.values["example"] and cells.same(now["start"], links.base(place.values)):
        return now | {"source": now["home"], "extras": now["usual"]}
    home, extras = chosen.home()
    start = links.base(place.values)
    return {"home": home, "start": start, "source": home, "extras": extras, "usual": extras}


def here(part: str | None = None) -> Link:
    """The link to what is chosen, typed and shown now; to that part of the page."""
    keys = ["example", *choices.fallbacks(), *RANDOM]
    grid, values = st.session_state["grid"], {key: st.session_state[key] for key in keys}
    place = Place(values, grid["cur"], *step.rested(), st.session_state["tour"], part, _unseen())
    return links.encode(place)


def _unseen() -> str:
    """Names the gates and other numbers that came with the tokens, where they are not the example's."""
    came, cur = st.session_state["grid"]["came"], st.session_state["grid"]["cur"]
    now = _named(came["source"], cur) | tokens.extras()
    usual = _named(came["home"], came["start"]) | came["usual"]
    texts = repr(_plain(now))
    return "" if texts == repr(_plain(usual)) else texts


def _named(source: Any, table: Any) -> dict[str, Any]:
    gates = {"beta": source.beta, "log_decay": source.log_decay}
    return {name: cells.gate(given, table, source) for name, given in gates.items()}


def _plain(x: Any) -> Any:
    """Arrays inside as lists, whose repr tells every bit."""
    if isinstance(x, Mapping):
        return {name: _plain(value) for name, value in x.items()}
    return [_plain(value) for value in x] if isinstance(x, tuple | list) else np.asarray(x).tolist()


def write_address() -> None:
    """Last thing of a page that can change something: the address bar says where we are."""
    address, link = st.session_state["address"], here(parts.shown())
    if link == address["link"]:
        return
    if link.left_out:
        kept, grid = st.session_state["left_out"], st.session_state["grid"]
        kept = kept | {link.query["left_out"]: (grid["cur"], grid["came"])}
        st.session_state["left_out"] = dict(list(kept.items())[-KEPT:])
    address |= {"link": link, "opened": None}
    _remember(link.text)  # first: a newer rerun may end this one anywhere, and would take it for a visitor's
    st.query_params.from_dict(link.query)


def link_query() -> dict[str, str]:
    """What links to other pages carry. Typing makes them stale, so they count as said: the session wins."""
    link, address = here(), st.session_state["address"]
    address["seen"] = _with(address["seen"], link.text)
    return link.query


def about_link() -> list[str]:
    """What to say of the link that was opened, and of the one that others get."""
    opened: Opened | None = st.session_state["address"]["opened"]
    link: Link = st.session_state["address"]["link"] or here()
    said = []
    if opened is not None:
        said = [links.about_ignored(opened.ignored), LEFT_OUT if opened.left_out is not None else ""]
    return [sentence for sentence in (*said, link.left_out) if sentence]
