"""What is left of each token at each step, and what another order of the same tokens changes."""

import streamlit as st

from linattn_core import InputError
from linattn_core.mixing import reordered
from linattn_core.rule_comparison import in_order, left
from linattn_ui import lesson, words
from linattn_ui.figures import write_rules as draw
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules.scene import Scene

ABOUT = (
    "One row a token, one column a state. Full blue, 1, is all of its value, which adding keeps for ever; "
    "red is less than nothing: a later write took more than there was. Empty: not written yet."
)
ONE_TOKEN = "There is one token here, so there is no other order."


def show(scene: Scene) -> None:
    """Token × step for every rule; then the writes shuffled."""
    st.subheader("What its own key still reads of each token")
    st.caption(ABOUT + (f" {draw.POOLED}" if len(scene.labels) > draw.MOST else ""))
    kept = {rule: left(one) for rule, one in scene.traces.items()}
    scene.side_by_side(
        "left",
        "What is left of each token",
        lambda rule: draw.left(kept[rule], scene.colours, labels=scene.labels),
    )
    st.markdown(say.left(kept, scene.labels, scene.decimals))
    _order(scene)


def _order(scene: Scene) -> None:
    st.subheader("The same tokens in another order")
    if len(scene.labels) == 1:
        st.caption(ONE_TOKEN)
        return
    seed = st.columns(3)[0].number_input(
        "0 is backwards, other numbers draw an order",
        0,
        999,
        key="write_rules_order",
        persist_state="session",
    )
    order = reordered(len(scene.labels), int(seed))
    try:
        again = {rule: in_order(one, order) for rule, one in scene.traces.items()}
    except InputError as fault:
        st.warning(words.plain(str(fault)))
        return
    T = len(order)
    st.markdown(f"Written as {say.order(order)}, S{words.sub(T)} is, compared with before:")
    lesson.bullets(say.shuffled(scene.traces, again, order, scene.decimals))
