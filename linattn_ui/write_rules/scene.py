"""What every part of the page draws from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from linattn_core.rule_comparison import Losses
from linattn_ui import lesson
from linattn_ui.figures import write_rules as draw
from linattn_ui.theme import Colours
from linattn_ui.words import write_rules as say

Traces = Mapping[str, Any]  # what a rule is called -> its run


@dataclass(frozen=True, eq=False)
class Scene:
    """The run of the sidebar, γ and β where it has none, the runs side by side and their losses.

    s, t: the token and the query to look at.
    """

    trace: Any
    gates: Mapping[str, float]
    traces: Traces
    losses: Mapping[str, Losses]
    s: int
    t: int
    labels: Sequence[str]
    decimals: int
    colours: Colours

    @property
    def first(self) -> Any:
        """Any of the runs, for what all share: keys, values, settings."""
        return next(iter(self.traces.values()))

    def scale(self) -> tuple[float, Mapping[str, float]]:
        """One scale for all states of all rules, and the rules that go far past it."""
        return draw.scale_of({rule: one.S for rule, one in self.traces.items()})

    def look(self) -> str:
        """The first line: growth where there is some, else what the token's key returns."""
        limit, beyond = self.scale()
        said = say.grown(self.traces, beyond, limit, self.labels, self.decimals)
        return said or say.look(self.traces, self.losses, self.s, self.labels, self.decimals)

    def side_by_side(
        self,
        key: str,
        says: str,
        picture: Callable[[str], go.Figure],
        text: Callable[[str], str] | None = None,
    ) -> None:
        """One column a rule: what it is called, its picture, its sentence. On a phone one below the other."""
        for column, rule in zip(st.columns(len(self.traces)), self.traces, strict=True):
            with column:
                st.markdown(f"**{rule}**")
                lesson.chart(picture(rule), f"rules_{key}_{rule}", f"{says} under {rule}.")
                if text is not None:
                    st.markdown(text(rule))
