"""The page "What a fixed-size state mixes": its first line, and the part of it that is chosen."""

from typing import Any

import streamlit as st

from linattn_core import read_back
from linattn_ui import lesson
from linattn_ui.mixing import any_query, how_many_fit, keys_back, other_lists, two_lists
from linattn_ui.mixing.scene import Scene
from linattn_ui.settings import Settings
from linattn_ui.words import mixing as say

NO_MAP = (
    "β differs between value components, so no weights describe what is read. This page needs one β per key."
)
PARTS = {  # key: title, what draws it
    "lists": ("Two lists, one state", two_lists.show),
    "back": ("Read keys back", keys_back.show),
    "fit": ("How many keys fit", how_many_fit.show),
    "other": ("Change the list", other_lists.show),
    "ask": ("Ask any query", any_query.show),
}


def show(settings: Settings, trace: Any) -> None:
    """The key that is mixed most, then one part; the others cost nothing until they are chosen."""
    if not trace.one_map:
        st.info(NO_MAP)
        return
    asked, (labels, queries) = read_back(trace), lesson.names(trace)
    st.markdown(f"**{say.look(trace, asked, labels, settings.decimals)}**")
    draw = lesson.part(PARTS, "mixing_part")
    draw(Scene(trace, asked, labels, queries, settings.decimals, lesson.colours()))
