"""The last run that worked, and where the stage is."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from linattn_core import InputError, run
from linattn_ui import cells
from linattn_ui import settings as choices
from linattn_ui.settings import Settings
from linattn_ui.state.remembered import remembered


def last_good(settings: Settings, table: pd.DataFrame, source: Any) -> tuple[Any, str | None]:
    """The run of what is typed; where that is impossible the last run that worked, and the sentence why."""
    try:
        tokens = remembered("tokens", (table, source), lambda: cells.tokens_of(table, source))
        made_of = (tokens, settings.phi, settings.rule, dict(settings.options))
        trace = remembered("run", made_of, lambda: settings.run(tokens))
    except InputError as fault:
        return st.session_state.get("last_good") or _usual(settings.example), str(fault)
    st.session_state["last_good"] = trace
    return trace, None


def _usual(example: Any) -> Any:
    """What is shown where nothing has worked yet: a link may bring tokens that do not run."""
    return run(example.tokens, **example.settings)


def go_to_end() -> None:
    """Send the stage to its last step."""
    go_to(None)


def go_to(step: int | None, operation: str | None = None, highlight: str | None = None) -> None:
    """Send the stage to a step; None is the last. It obeys only where the nonce is new.

    highlight: the name of a number that is lit there, as when it is clicked.
    """
    nonce = st.session_state["go"]["nonce"] + 1 if "go" in st.session_state else 0
    st.session_state["go"] = {"nonce": nonce, "step": step, "operation": operation, "highlight": highlight}
    st.session_state["rest"] = (step, operation)


def go() -> Mapping[str, Any]:
    """Where Python last sent the stage; equal on every rerun until it is sent again."""
    return st.session_state["go"]


def rested() -> tuple[int | None, str | None]:
    """Where the stage rests: tokens written (None: all) and the operation reached (None: by token)."""
    return st.session_state["rest"]


def rest(step: int, operation: str | None = None) -> None:
    """Callback of the stage: it rests after `step` tokens are written."""
    st.session_state["rest"] = (step, operation)


def written(trace: Any) -> int:
    """How many tokens are written where the stage rests."""
    step, _ = st.session_state["rest"]
    return len(trace.k) if step is None else choices.clamped(step, 0, len(trace.k))


def query(trace: Any) -> int:
    """The query that reads where the stage rests; the first one before anything is written."""
    return min(max(written(trace) - 1, 0), len(trace.q) - 1)


def query_key(t: int) -> str:
    """Key of the menu that chooses a query, with `t` under it."""
    st.session_state["query"] = t
    return "query"


def choose_query() -> None:
    """Callback of that menu: the stage will rest where this query reads."""
    go_to(st.session_state["query"] + 1)
