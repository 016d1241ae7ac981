"""Each stored key read back."""

import numpy as np
import pandas as pd
import streamlit as st

from linattn_core.mixing import parts
from linattn_ui import lesson, words
from linattn_ui.figures import mixing as draw
from linattn_ui.mixing.scene import Scene
from linattn_ui.words import mixing as say
from linattn_ui.words.answers import answer

ABOUT = (
    "Each stored key asks the last state as if it were a query. Blue is what its own value weighs in the "
    "answer; the rest is its neighbours: tokens whose keys overlap with it."
)


def show(scene: Scene) -> None:
    """A bar for every key, and one key's answer token by token."""
    st.markdown(f"{say.how_many(scene.asked, scene.labels)} {ABOUT}")
    drawn = draw.shares(scene.asked, scene.colours, scene.labels)
    lesson.chart(drawn, "mixing_shares", "One bar a key: its own weight and the weights of its neighbours.")
    t = scene.token("Key to read back", "key")
    st.markdown(say.back(scene.asked, t, scene.labels, scene.decimals))
    lesson.table(_split(scene, t), "mixing_split", scene.decimals)


def _split(scene: Scene, t: int) -> pd.DataFrame:
    """Score, weight and part of every token in the answer, the largest weights first."""
    asked = scene.asked
    order: list[int] = np.argsort(-np.abs(scene.asked.weights()[t]), kind="stable").tolist()
    pieces = parts(asked, t)
    return pd.DataFrame(
        {
            "token": [scene.labels[s] + (" (itself)" if s == t else "") for s in order],
            "score": asked.scores()[t][order].astype(float),
            "weight": asked.weights()[t][order].astype(float),
            "value": [words.vector(asked.v[s], scene.decimals) for s in order],
            "weight × value": [answer(pieces[s], scene.decimals) for s in order],
        }
    )
