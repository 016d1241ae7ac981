"""One token's write into the state under each rule, and the T×T map that each rule amounts to."""

import streamlit as st

from linattn_core.positions import visible
from linattn_ui import lesson, words
from linattn_ui.figures import write_rules as draw
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules.scene import Scene


def show(scene: Scene) -> None:
    """The state after the token and what its query reads of it; then all weights."""
    _states(scene)
    _weights(scene)
    with st.expander("Formulas and sources"):
        for rule, one in scene.traces.items():
            st.markdown(f"**{rule}**: {words.plain(one.settings.rule.source)}")
            st.latex(one.settings.rule.latex, width="content")


def _states(scene: Scene) -> None:
    s, t, (limit, beyond) = scene.s, scene.t, scene.scale()
    st.subheader(f"S{words.sub(s + 1)}, after {words.token(s)}")
    scale = say.scale(limit, beyond, scene.decimals)
    st.caption(f"Rows are key components, columns value components. {scale} It holds for all steps.")

    def says(rule: str) -> str:
        one = scene.traces[rule]
        return f"{say.wrote(one, s, scene.decimals)}\n\n{say.read(one, t, scene.decimals)}"

    scene.side_by_side(
        "state",
        f"The state after token {s}",
        lambda rule: draw.state(scene.traces[rule].S[s + 1], scene.colours, limit=limit),
        says,
    )


def _weights(scene: Scene) -> None:
    st.subheader("Effective weights")
    maps = {rule: one.weights() for rule, one in scene.traces.items()}
    limit, beyond = draw.scale_of(maps, many=len(scene.labels))
    pooled = f" {draw.POOLED}" if max(maps[next(iter(maps))].shape) > draw.MOST else ""
    about = "One row a query, one column a token: weights times values is y, less what was carried in."
    st.caption(f"{about} {say.scale(limit, beyond, scene.decimals)}{pooled}")
    seen = visible(scene.first.settings, len(scene.first.k), len(scene.first.q))
    scene.side_by_side(
        "weights",
        "Effective weights",
        lambda rule: draw.weights(
            maps[rule], seen, scene.colours, labels=scene.labels, limit=limit, t=scene.t
        ),
    )
    lesson.bullets(say.weights(scene.traces, scene.t, scene.labels, scene.decimals))
