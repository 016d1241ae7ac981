"""The page "Write rules": which rules, its first line, and the part of it that is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from linattn_core import UPDATE_RULES, InputError, UpdateRule
from linattn_core.rule_comparison import beside, losses, open_gates
from linattn_core.update_rules import BETA, GAMMA
from linattn_ui import frame, lesson, state, words
from linattn_ui.settings import Settings
from linattn_ui.words import write_rules as say
from linattn_ui.write_rules import answers, betas, capacity, kept, named, step, trained
from linattn_ui.write_rules.scene import Scene, Traces

MOST = 4  # rules side by side
USUAL = ("add", "decay", "delta", "gated_delta")
CHOSEN, CAME = "write_rules", "write_rules_came"  # the menu's key; what was chosen, in that order
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
ABOUT = (
    f"{MOST} rules fit side by side: one more takes the place of the one chosen longest ago. The switch is "
    "one for every rule: the average of one beside the sum of another would differ by the division, not by "
    "the rule. Rules and division are chosen here, all else in the sidebar."
)
NO_RULE = f"Choose a write rule above; up to {MOST} stand side by side."


def show(settings: Settings) -> None:
    """What one token's write does under every rule, then one part; the others cost nothing until chosen."""
    told, first = st.container(), st.container()
    rules, divide = _rules(settings.rule.key)
    trace, problem = state.last_good(settings, state.texts(), state.source())
    with told:
        frame.say(_divided(settings, divide), _as_divided(trace, divide), problem)
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


def _divided(settings: Settings, divide: bool) -> Settings:
    """The settings with this page's division: the story of an example that divides otherwise says so."""
    normalize = None if divide == settings.rule.divides else divide
    return replace(settings, options={**settings.options, "normalize": normalize})


def _as_divided(trace: Any, divide: bool) -> Any:
    """The sidebar's run as this page divides, for what is to be said of its numbers."""
    try:
        return beside(trace, trace.settings.rule, divide=divide)
    except InputError:
        return trace


def _rules(own: str) -> tuple[Sequence[UpdateRule], bool]:
    """Which rules, and whether all of them divide; own: the sidebar's rule."""
    titles = {rule.key: say.name(rule) for rule in UPDATE_RULES}
    menu, switch = st.columns([3, 1], vertical_alignment="bottom")
    _choose(own)
    chosen = menu.pills(
        "Write rules side by side",
        list(titles),
        selection_mode="multi",
        format_func=titles.__getitem__,
        key=CHOSEN,
        persist_state="session",
        wrap=True,
    )
    divide = switch.toggle("Divide by the score sum", key="write_rules_divide", persist_state="session")
    st.caption(ABOUT)
    return [rule for rule in UPDATE_RULES if rule.key in chosen], divide


def _choose(own: str) -> None:
    """Before the menu is drawn: the usual rules with the sidebar's, until others are chosen; at most MOST."""
    chosen, came = st.session_state.get(CHOSEN), st.session_state.get(CAME, [])
    if chosen is None or chosen == st.session_state.get("write_rules_usual"):
        chosen = came = list(USUAL if own in USUAL else (*USUAL[: MOST - 1], own))
        st.session_state["write_rules_usual"] = chosen
    in_turn = [rule for rule in came if rule in chosen] + [rule for rule in chosen if rule not in came]
    st.session_state[CHOSEN] = st.session_state[CAME] = in_turn[-MOST:]


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
