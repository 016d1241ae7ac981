"""The main job under the title: the stage, two variants of the article's tokens, the grid, worked equations.

One fragment: when the stage comes to rest or typing pauses, only this is drawn again.
"""

from typing import Any

import streamlit as st

from linattn_core import EXPORTS
from linattn_ui import cells, copy_link, equations, frame, grid, stage, state, tour, words
from linattn_ui.settings import Settings

VARIANTS = (  # label, what happens to the article's tokens, what to look at then
    ("Give p₂ the key [2, 2]", cells.both_rows, words.both_rows),
    ("Other values, same state", cells.same_state, words.same_state),
)


@st.fragment
def show(settings: Settings) -> None:
    """What is typed, and everything that follows from it."""
    picture = st.container()  # drawn above the grid, filled after it
    trace, problem = state.last_good(settings, grid.edit(), state.source())
    state.write_address()
    with picture:
        _above(settings, trace, problem)
        go = state.go()
        stage.show(
            trace,
            softmax_scale=settings.softmax_scale,
            digits=settings.decimals,
            step=go["step"],
            operation=go["operation"],
            highlight=go["highlight"],
            nonce=go["nonce"],
            on_rest=state.rest,
        )
        copy_link.show()
        _variants(settings, state.edited())
    _equations(trace, settings.decimals)
    _downloads(trace, settings)


def _above(settings: Settings, trace: Any, problem: str | None) -> None:
    """The stop of the tour, or what there is to say of the tokens."""
    stop = state.stop()
    if stop is None:
        frame.say(settings, trace, problem)
    else:
        tour.show(trace, *stop)
        frame.warn(trace, problem, said=state.tour_place() == "at")


def _downloads(trace: Any, settings: Settings) -> None:
    """The whole run in every format; a file is made when it is asked for."""
    st.subheader("Take this run away")
    with st.container(horizontal=True):
        for export in EXPORTS:
            st.download_button(
                export.title,
                lambda export=export: export.write(trace),
                cells.file_name(settings.example.key, trace) + export.suffix,
                export.mime,
                key=f"download_{export.key}",
                on_click="ignore",
            )


def _variants(settings: Settings, edited: bool) -> None:
    """Two changes that show what one-hot keys hide."""
    if settings.example.key != "article":
        return
    boxes = st.columns(2)
    before = settings.attempt(settings.example.tokens) if settings.rule.key == "add" else None  # holds there
    for box, (label, change, look) in zip(boxes, VARIANTS, strict=True):
        tokens = change(settings.example.tokens)
        box.button(label, on_click=state.put_tokens, args=(tokens,), width="stretch")
        after = None if before is None else settings.attempt(tokens)
        if after is not None:
            box.caption(look(before, after, settings.decimals))
    if edited:
        st.button("Back to the example", on_click=state.reset)


def _equations(trace: Any, decimals: int) -> None:
    lines = equations.worked(trace, state.written(trace), decimals)
    st.subheader("This step in equations")
    if not lines:
        st.caption("Nothing is written yet: S₀ and z₀ are what the run starts with.")
        return
    for line in lines:
        title, formula = st.columns([1, 3], vertical_alignment="center")
        title.caption(line.title)
        formula.latex(line.latex, width="content")
    with st.expander("LaTeX to copy"):
        st.code(equations.document(lines), language="latex")
