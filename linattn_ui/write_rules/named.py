"""The same tokens as a named architecture would mix them: settings of one update and one read."""

from typing import Any

import numpy as np
import streamlit as st

from linattn_core import ARCHITECTURES, Architecture, InputError, architecture
from linattn_core.positions import visible
from linattn_core.rule_comparison import as_architecture
from linattn_ui import lesson, words
from linattn_ui.figures import write_rules as draw
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules.scene import Scene

MOST_HEADS = 8
ABOUT = (
    "Each is settings of the same update and read. q, k and v are those on screen, in place of the model's "
    "own projections; γ and β that it does not fix are those above."
)


def show(scene: Scene) -> None:
    """What it sets, a sentence each with the source; its state, in its own letters, and its weights."""
    st.caption(ABOUT)
    model, head = _choice()
    try:
        one = as_architecture(scene.trace, model, head, **scene.gates)
    except InputError as fault:
        st.warning(words.plain(str(fault)))
        return
    st.markdown(f"**{say.named(model, one, scene.t, scene.decimals)}**")
    sets, state, weights = st.columns(3)
    with sets:
        lesson.bullets([words.plain(said) for said in model.sentences(one.tokens.k.shape[1], head).values()])
        st.caption(words.plain(f"Source: {model.source}."))
    with state:
        _state(scene, model, one)
    with weights:
        _weights(scene, one)


def _choice() -> tuple[Architecture, int]:
    """A model whose write rule there is, and its head where heads differ."""
    titles = {model.key: model.title for model in ARCHITECTURES}
    menu, box, _ = st.columns(3)
    key = menu.selectbox(
        "Architecture", list(titles), format_func=titles.__getitem__, key="named", persist_state="session"
    )
    model = architecture(key)
    if model.share is None:
        return model, 0
    heads = range(MOST_HEADS)
    return model, box.select_slider("Head", heads, key="named_head", persist_state="session")


def _state(scene: Scene, model: Architecture, one: Any) -> None:
    S, letter = one.S[scene.s + 1], f"{model.state.removesuffix('ᵀ')}{words.sub(scene.s + 1)}"
    turned = model.state.endswith("ᵀ")
    st.markdown(f"**{letter}{', S transposed: values down, keys across' if turned else ''}**")
    drawn = draw.state(S.T if turned else S, scene.colours, limit=draw.largest(one.S) or 1.0)
    lesson.chart(drawn, "named_state", f"The state of {model.title} after token {scene.s}.")


def _weights(scene: Scene, one: Any) -> None:
    st.markdown("**Effective weights**")
    w, seen = one.weights(), visible(one.settings, len(one.k), len(one.q))
    limit, _ = draw.scale_of({"": np.where(seen, w, np.nan)}, many=len(scene.labels))
    drawn = draw.weights(w, seen, scene.colours, labels=scene.labels, limit=limit, t=scene.t)
    lesson.chart(drawn, "named_weights", "Its effective weights, one row a query, one column a token.")
