"""What every page but the first shares: the run of the tokens on screen, the chosen query, charts, tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from linattn_ui import copy_link, figures, frame, state, theme
from linattn_ui.settings import Settings

Drawing = Callable[[Any], None]

ROWS = 12  # of a table before it scrolls


def run(settings: Settings) -> Any:
    """The run of the tokens as they stand on the first page, with what is to be said of them."""
    trace, problem = state.last_good(settings, state.texts(), state.source())
    frame.say(settings, trace, problem)
    return trace


def end() -> None:
    """Last line of such a page: the address says where we are, and a button copies it."""
    copy_link.show()
    state.write_address()


def query(trace: Any, label: str = "Query") -> int:
    """Which query to look at: the one that the stage rests at, and the stage follows."""
    t, last = state.query(trace), len(trace.q) - 1
    if last == 0:
        return t
    return st.slider(label, 0, last, key=state.query_key(t), format="p%d", on_change=state.choose_query)


def names(trace: Any) -> tuple[list[str], list[str]]:
    """What tokens and queries are called on an axis; both alike where each token has its query."""
    labels = figures.names(trace.tokens.names)
    same = len(trace.q) == len(trace.k)
    return labels, labels if same else figures.names([f"p{t}" for t in range(len(trace.q))])


def colours() -> theme.Colours:
    """The colours of the theme that the visitor's browser shows."""
    return theme.colours(st.context.theme.type == "dark")


def part(parts: Mapping[str, tuple[str, Drawing]], key: str) -> Drawing:
    """What draws the chosen one of a page's parts (key: title, what draws it); at first that is the first."""
    chosen = st.segmented_control(
        "What to look at",
        list(parts),
        required=True,
        format_func=lambda name: parts[name][0],
        key=state.menu_key(key, list(parts)),
        label_visibility="collapsed",
        persist_state="session",
        wrap=True,
    )
    return parts[chosen or next(iter(parts))][1]


def bullets(sentences: Iterable[str]) -> None:
    """A list of those that say something."""
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences if sentence))


def text_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A small table whose cells wrap, so that a phone shows all of its columns."""
    lines = [columns, ["---"] * len(columns), *rows]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def chart(figure: go.Figure, key: str, says: str) -> None:
    """A figure as wide as its column; `says` is for those who do not see it."""
    st.plotly_chart(figure, theme=None, key=key, alt=says, config={"displayModeBar": False})


def table(rows: pd.DataFrame, key: str, decimals: int, heading: Sequence[str] = ()) -> None:
    """A table that scrolls past twelve rows. Numbers are shown to the decimals chosen; columns sort."""
    formats: dict[str, Any] = {
        name: st.column_config.NumberColumn(name, format=f"%.{decimals}f")
        for name in rows.columns
        if pd.api.types.is_float_dtype(rows[name])
    }
    pinned = {name: st.column_config.TextColumn(name, pinned=True) for name in heading}
    st.dataframe(
        rows,
        key=key,
        hide_index=True,
        placeholder="–",
        column_config=formats | pinned,
        height=35 * (min(len(rows), ROWS) + 1) + 3,
    )
