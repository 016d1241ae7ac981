"""Where somebody is in the tour. The stop is in the address; `tour_left` keeps the place of one who left."""

import streamlit as st

from linattn_ui.state import address
from linattn_ui.stops import STOPS, Stop

ASIDE = {"decimals", "softmax_scale", "tour"}  # what may differ from a stop's link at the stop


def stop() -> tuple[int, Stop] | None:
    """Number (from 0) and stop; None outside of the tour."""
    n = st.session_state["tour"]
    return None if n is None else (n, STOPS[n])


def place() -> str:
    """Whether the page stands "at" the stop, "before" it (the question), or "elsewhere"."""
    n = st.session_state["tour"]
    here = {name: text for name, text in address.here().query.items() if name not in ASIDE}
    return next((name for name in ("at", "before") if here == dict(getattr(STOPS[n], name))), "elsewhere")


def visit(n: int) -> None:
    """Callback: to a stop; where it asks something, to its question."""
    _open(n, "before" if STOPS[n].before else "at")


def reveal() -> None:
    """Callback: the answer to the stop's question; also the way back for one who moved on."""
    _open(st.session_state["tour"], "at")


def _open(n: int, name: str) -> None:
    st.session_state["tour"] = n
    at = name == "at"
    address.open_query(
        getattr(STOPS[n], name), STOPS[n].highlight if at else None, f"Stop {n + 1} of the tour."
    )
    st.rerun()


def leave() -> None:
    """Callback: out of the tour; the tokens and the step stay."""
    st.session_state.update(tour_left=st.session_state["tour"], tour=None)
    st.rerun()


def left() -> int | None:
    """The stop where the tour was left."""
    return st.session_state.get("tour_left")
