"""Three trained heads of one size: how often each names the colour that was given last."""

import streamlit as st

from linattn_core.heads import HEADS, recall
from linattn_ui import lesson
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules.scene import Scene

READERS = [(head.key, head.key) for head in HEADS] + [("softmax", "add")]  # whose q, k, v; how they are read
ABOUT = (
    "Three heads of one size, each trained on lists that give names a colour, some of them a second time "
    "another one, and then ask for each name. These are lists that no head was trained on, read here by the "
    "same runs as everything else. tools/train_heads.py trains them again."
)


def show(scene: Scene) -> None:
    """Right answers of every head, where a name has one colour and where it was given another."""
    st.caption(ABOUT)
    found = {who: recall(*who) for who in READERS}
    st.markdown(f"**{say.trained({who: found[who] for who in READERS[:-1]})}**")
    columns = ("head", f"right, of {len(found[READERS[0]].right)}", "one colour", "another colour since")
    lesson.text_table(columns, [say.shares(who, one) for who, one in found.items()])
    lesson.bullets([say.rewritten(found), say.other_reader(found[READERS[0]], found[READERS[-1]])])
    st.markdown("Step through one of the lists with")
    with st.container(horizontal=True):
        for head in HEADS:
            st.page_link("app.py", label=head.title, query_params={"example": f"trained_{head.key}"})
