"""What the reader chose: this folder alone touches st.session_state and st.query_params.

Streamlit keeps plain widget values under the widgets' keys. The grid's texts, the step at rest, what the
example set and the last run that worked have one key each; everything else is derived on every rerun,
but for runs of the same tokens under the same settings.
"""

from linattn_ui.state.address import about_link, link_query, start, write_address
from linattn_ui.state.arrivals import file_fault, open_file, paste, preview, upload_key
from linattn_ui.state.choices import choose_example, draw_tokens, open_knobs, pick, read, record, value
from linattn_ui.state.history import next_of
from linattn_ui.state.parts import menu_key
from linattn_ui.state.remembered import remembered
from linattn_ui.state.step import choose_query, go, last_good, query, query_key, rest, written
from linattn_ui.state.tokens import (
    edited,
    editor_input,
    extras,
    note,
    put_tokens,
    redo,
    refuse_edits,
    reset,
    resize,
    sizes,
    source,
    texts,
    typed,
    undo,
)
from linattn_ui.state.tour import leave as leave_tour
from linattn_ui.state.tour import left as left_tour
from linattn_ui.state.tour import place as tour_place
from linattn_ui.state.tour import reveal as reveal_stop
from linattn_ui.state.tour import stop
from linattn_ui.state.tour import visit as visit_stop

__all__ = [
    "about_link",
    "choose_example",
    "choose_query",
    "draw_tokens",
    "edited",
    "editor_input",
    "extras",
    "file_fault",
    "go",
    "last_good",
    "leave_tour",
    "left_tour",
    "link_query",
    "menu_key",
    "next_of",
    "note",
    "open_file",
    "open_knobs",
    "paste",
    "pick",
    "preview",
    "put_tokens",
    "query",
    "query_key",
    "read",
    "record",
    "redo",
    "refuse_edits",
    "remembered",
    "reset",
    "resize",
    "rest",
    "reveal_stop",
    "sizes",
    "source",
    "start",
    "stop",
    "texts",
    "tour_place",
    "typed",
    "undo",
    "upload_key",
    "value",
    "visit_stop",
    "write_address",
    "written",
]
