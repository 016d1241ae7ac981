"""What each write does to the loss of its own key, and what every key returns at the end."""

import pandas as pd
import streamlit as st

from linattn_core import beside, example, run, update_rule
from linattn_ui import lesson, words
from linattn_ui.figures import write_rules as draw
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules.scene import Scene

ABOUT = (
    "‖answer − v‖², the answer being what the state returns for the token's own key. Grey: before its write; "
    "blue: right after it. One axis for all rules; the dotted line is the token chosen above."
)
SHOWN = ("add", "decay", "delta", "gated_delta")  # of the example where a mean is wanted
GATES = {"gamma": 0.5, "beta": 1.0}  # and there


def show(scene: Scene) -> None:
    """Token by token; then each key asked once all tokens are written."""
    st.subheader("Loss before and after each write")
    st.caption(ABOUT)
    each = scene.losses
    all_of = [x for one in each.values() for x in (one.loss_before, one.loss_after)]
    axis = draw.axis_of("loss", *all_of)
    scene.side_by_side(
        "loss",
        "Loss before and after each write",
        lambda rule: draw.losses(each[rule], scene.colours, labels=scene.labels, axis=axis, t=scene.s),
        lambda rule: say.loss(scene.traces[rule], each[rule], scene.labels, scene.decimals),
    )
    st.subheader("What every key returns at the end")
    st.markdown(say.returned(scene.traces, each, scene.labels, scene.decimals))
    lesson.table(_table(scene), "rules_returned", scene.decimals, ("token",))
    st.caption(_noisy(scene.first.settings.normalize, scene.decimals))


def _table(scene: Scene) -> pd.DataFrame:
    def vectors(rows: object) -> list[str]:
        return [words.vector(row, scene.decimals) for row in rows]  # pyright: ignore[reportGeneralTypeIssues]

    def answers(rule: str) -> list[str]:
        run, end = scene.traces[rule], scene.losses[rule].end
        return [say.answer(run, row, scene.decimals) for row in end]

    columns = {rule: answers(rule) for rule in scene.losses}
    columns |= {f"loss, {rule}": one.loss_end for rule, one in scene.losses.items()}
    return pd.DataFrame({"token": scene.labels, "its value": vectors(scene.first.v)} | columns)


def _noisy(divide: bool, decimals: int) -> str:
    """The example where dividing is what is wanted, under the four rules; its tokens, not those on screen."""
    record = example("noisy_mean")
    base = run(record.tokens, **record.settings)
    answers = {
        say.name(rule): beside(base, rule, divide=True, **GATES).y[-1] for rule in map(update_rule, SHOWN)
    }
    return say.noisy(record.tokens.v.mean(axis=0), answers, record.title, divide, GATES, decimals)
