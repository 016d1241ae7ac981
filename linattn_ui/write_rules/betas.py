"""β from 0 to 2: what it costs, and where the state grows."""

import numpy as np
import streamlit as st

from linattn_core.rule_comparison import eigenvalues, key_sizes, sweep, written_again
from linattn_ui import lesson
from linattn_ui.figures import write_rules as draw
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules.scene import Scene

BETAS = np.linspace(0, 2, 41)
TIMES = 12  # that one token is written again
NONE = "None of these rules corrects what the written key returns. Choose delta or gated delta."
ABOUT = (
    "The same tokens written with every β, not divided. At 0 nothing is written; at 1 a key of length 1 is "
    "answered exactly."
)


def show(scene: Scene) -> None:
    """Loss and size against β, and the longest key written again and again."""
    runs = {rule: one for rule, one in scene.traces.items() if one.settings.rule.asks == "k"}
    if not runs:
        st.info(NONE)
        return
    st.caption(ABOUT)
    one, swept = next(iter(runs.values())), {rule: sweep(each, BETAS) for rule, each in runs.items()}
    size, same = float(key_sizes(one).max()), (one.beta == one.beta[0]).all()
    beta, border = float(one.beta[0]) if same else None, 2 / size if size else np.inf
    error = written_again(float(eigenvalues(one).min()), TIMES)
    pictures = {
        "Mean loss of all keys at the end": draw.sweep(swept, "loss", scene.colours, beta, border),
        "Size of S at the end, √(Σ S²)": draw.sweep(swept, "size", scene.colours, beta, border),
        "One token, written again and again": draw.again(error, scene.colours),
    }
    for n, (column, (title, drawn)) in enumerate(zip(st.columns(3), pictures.items(), strict=True)):
        with column:
            st.markdown(f"**{title}**")
            lesson.chart(drawn, f"rules_beta_{n}", title)
    best = [say.best(rule, each, beta, scene.decimals) for rule, each in swept.items()]
    lesson.bullets([say.growth(one, scene.labels, scene.decimals), *best])
