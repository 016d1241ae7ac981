"""The guided tour: a panel over the stage with what to look at, and the way on."""

from pathlib import Path
from typing import Any

import streamlit as st

from linattn_ui import state
from linattn_ui.stops import STOPS, Stop

ROOT = Path(__file__).parent.parent


def invite() -> None:
    """The button that starts or resumes the tour, for those who are not on it."""
    if state.stop() is not None:
        return
    left = state.left_tour()
    label = "Take the tour" if left is None else f"Resume the tour ({left + 1} of {len(STOPS)})"
    st.button(label, on_click=state.visit_stop, args=(left or 0,), width="stretch")


def show(trace: Any, n: int, stop: Stop) -> None:
    """One stop: its title, its question or its sentences, previous and next."""
    with st.container(border=True, gap="small", key="tour"):
        st.markdown(f"**{n + 1} of {len(STOPS)} · {stop.title}** ({stop.figure})")
        place = state.tour_place()
        if place == "at":
            st.markdown(stop.say(trace))
        elif place == "before" and stop.ask is not None:
            st.markdown(stop.ask(trace))
        else:
            st.markdown("You have moved on from this stop; the numbers below are where you are now.")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            _ways(n, stop, place)


def _ways(n: int, stop: Stop, place: str) -> None:
    if place != "at":
        label = "Show it" if place == "before" else "Back to this stop"
        st.button(label, on_click=state.reveal_stop, type="primary")
    st.button("◄ Previous stop", on_click=state.visit_stop, args=(n - 1,), disabled=n == 0)
    st.button("Next stop ►", on_click=state.visit_stop, args=(n + 1,), disabled=n == len(STOPS) - 1)
    st.button("Leave the tour", on_click=state.leave_tour)
    if stop.more and (ROOT / stop.more[0]).exists():
        st.page_link(stop.more[0], label=stop.more[1], query_params=state.link_query())
