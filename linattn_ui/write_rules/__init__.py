"""The page "Write rules": which rules, its first line, and the part of it that is chosen."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from linattn_core import UPDATE_RULES, InputError, UpdateRule
from linattn_core.rule_comparison import beside, losses, open_gates
from linattn_core.update_rules import BETA, GAMMA
from linattn_ui import lesson, state, words
from linattn_ui.settings import Settings
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules import answers, betas, capacity, kept, named, step, trained
from linattn_ui.write_rules.scene import Scene, Traces

MOST = 4  # rules side by side
USUAL = ("add", "decay", "delta", "gated_delta")
KNOBS = {"gamma": (GAMMA, 0.5), "beta": (BETA, 1.0)}  # and what each starts from here
PARTS = {  # key: title, what draws it
    "step": ("States and weights", step.show),
    "answers": ("Losses and answers", answers.show),
    "kept": ("What is left", kept.show),
    "beta": ("β from 0 to 2", betas.show),
    "fit": ("How many pairs fit", capacity.show),
    "named": ("Named architectures", named.show),
    "trained": ("Trained heads", trained.show),
}
ONE_SWITCH = (
    "The switch is one for every rule: the average of one beside the sum of another would differ by the "
    "division, not by the rule. Rules and division are chosen here, all else in the sidebar."
)
NO_RULE = "Choose a write rule above; up to four stand side by side."
TOO_MANY = f" Only {MOST} fit side by side: the first {MOST} of those chosen are shown."


def show(settings: Settings, trace: Any) -> None:
    """What one token's write does under every rule, then one part; the others cost nothing until chosen."""
    first = st.container()
    rules, divide = _rules()
    t, gates = _token_and_gates(trace, rules)
    traces = _runs(trace, rules, divide, gates)
    if not traces:
        st.info(NO_RULE)
        return
    scene = Scene(
        trace,
        gates,
        traces,
        {rule: losses(one) for rule, one in traces.items()},
        len(trace.k) - 1 if trace.settings.read == "full" else t,
        t,
        lesson.names(trace)[0],
        settings.decimals,
        lesson.colours(),
    )
    first.markdown(f"**{scene.look()}**")
    lesson.part(PARTS, "write_rules_part")(scene)


def _rules() -> tuple[Sequence[UpdateRule], bool]:
    """Which rules, and whether all of them divide."""
    titles = {rule.key: say.name(rule) for rule in UPDATE_RULES}
    menu, switch = st.columns([3, 1], vertical_alignment="bottom")
    chosen = menu.pills(
        "Write rules side by side",
        list(titles),
        selection_mode="multi",
        default=USUAL,
        format_func=titles.__getitem__,
        key="write_rules",
        persist_state="session",
    )
    divide = switch.toggle("Divide by the score sum", key="write_rules_divide", persist_state="session")
    st.caption(ONE_SWITCH + (TOO_MANY if len(chosen) > MOST else ""))
    return [rule for rule in UPDATE_RULES if rule.key in chosen][:MOST], divide


def _token_and_gates(trace: Any, rules: Sequence[UpdateRule]) -> tuple[int, Mapping[str, float]]:
    """The token to look at; γ and β where neither the tokens nor the sidebar's rule have them."""
    taken = {knob.name for rule in rules for knob in rule.knobs}
    shown = [name for name in open_gates(trace) if name in taken]
    first, *boxes = st.columns(len(shown) + 1)
    with first:
        t = lesson.query(trace, "Token and its query")
    gates = {}
    for box, name in zip(boxes, shown, strict=True):
        knob, usual = KNOBS[name]
        gates[name] = box.slider(
            knob.title,
            knob.low,
            knob.high,
            usual,
            0.01,
            key=f"write_rules_{name}",
            help=knob.help,
            persist_state="session",
        )
    return t, gates


def _runs(trace: Any, rules: Sequence[UpdateRule], divide: bool, gates: Mapping[str, float]) -> Traces:
    """What a rule is called -> the run of these tokens with it; a rule that cannot run says why."""
    traces = {}
    for rule in rules:
        try:
            one = state.remembered(
                f"beside_{rule.key}",
                (trace, divide, gates),
                partial(beside, trace, rule, divide=divide, **gates),
            )
        except InputError as fault:
            st.warning(words.plain(f"{say.name(rule)}: {fault}"))
            continue
        if one.one_map:
            traces[say.name(rule)] = one
        else:
            st.warning(f"{say.name(rule)} has a β for each value component here, so no one map describes it.")
    return traces
