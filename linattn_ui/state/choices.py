"""The sidebar's choices: plain values under the widgets' keys, and one frozen Settings made of them."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from linattn_core import EXAMPLES, FEATURE_MAPS, random_tokens
from linattn_ui import cells
from linattn_ui import settings as choices
from linattn_ui.settings import CHOICES, NO_WIDGET, RANDOM, THREE, Settings
from linattn_ui.state import step, tokens


def start() -> None:
    """First thing in every rerun: the example's values at first, later a fallback for what may not stand."""
    for key, may_stand in choices.checks().items():
        if key in st.session_state and not may_stand(st.session_state[key]):
            del st.session_state[key]
    if "grid" not in st.session_state:
        st.session_state.setdefault("example", EXAMPLES[0].key)
        choose_example()
    random = {key: first for key, (_, _, first) in RANDOM.items()}
    usual = {"example": EXAMPLES[0].key} | choices.fallbacks() | random
    seen = st.session_state.get("seen", {})  # a rerun that ended early on another page may have dropped a key
    for key, fallback in usual.items():
        st.session_state.setdefault(key, seen.get(key, fallback))
    tokens.see()


def read() -> Settings:
    """The values under the widgets' keys as one frozen object."""
    chosen = st.session_state
    example, phi, rule = (record(name) for name in CHOICES)
    options: dict[str, Any] = {knob.name: chosen[knob.name] for knob in open_knobs()}
    options |= {name: THREE[chosen[name]] for name in ("normalize", "read_before_write")}
    options |= {"read": "full" if chosen["later"] else "causal", "eps": float(chosen["eps"])}
    options |= _extras(phi)
    return Settings(example, phi, rule, options, chosen["softmax_scale"], int(chosen["decimals"]))


def _extras(phi: Any) -> dict[str, Any]:
    """What no widget holds of the keywords of `run`, without the arrays of other maps."""
    others = {array.name for other in FEATURE_MAPS if other is not phi for array in other.arrays}
    return {name: x for name, x in tokens.extras().items() if name not in others}


def record(name: str) -> Any:
    """The chosen record of "example", "phi" or "rule"."""
    return choices.find(name, st.session_state.get(name))


def open_knobs() -> list[Any]:
    """The knobs of the chosen map and rule that the tokens do not carry themselves, nor an array replaces."""
    grid, phi = st.session_state["grid"], record("phi")
    extras = _extras(phi)
    gates = {"beta": tokens.source().beta, "gamma": tokens.source().log_decay}
    carried = {name: cells.gate(given, grid["cur"], tokens.source()) for name, given in gates.items()}
    carried |= {"gamma" if name == "log_decay" else name: value for name, value in extras.items()}
    carried |= {name: array for array in phi.arrays if array.name in extras for name in array.instead_of}
    knobs = (*phi.knobs, *record("rule").knobs)
    return [knob for knob in knobs if carried.get(knob.name) is None]


def value(key: str) -> Any:
    """What a widget holds."""
    return st.session_state[key]


def pick(key: str) -> None:
    """Callback of a menu under "more": its choice becomes the choice, and the menu is empty again."""
    if st.session_state.get(f"other_{key}") is not None:
        st.session_state[key] = st.session_state[f"other_{key}"]
    st.session_state[f"other_{key}"] = None


def choose_example() -> None:
    """Callback: take over the example's tokens and settings, and go to its last token."""
    _take_settings(choices.set_by(record("example")))
    draw_tokens()


def draw_tokens() -> None:
    """Callback: the example's tokens into the grid."""
    tokens.start_grid(*home())
    step.go_to_end()


def home() -> tuple[Any, dict[str, Any]]:
    """The example's tokens, drawn from sizes and seed if random, and what no widget holds of its settings."""
    example = record("example")
    asked = (int(st.session_state.get(key, first)) for key, (_, _, first) in RANDOM.items())
    extras = {name: value for name, value in example.settings.items() if name in NO_WIDGET}
    return (random_tokens(*asked) if example.key == "random" else example.tokens), extras


def take(options: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of `run` as the choices; returns those that no widget can hold."""
    held, rest = choices.split(options)
    _take_settings(held)
    return rest


def _take_settings(new: Mapping[str, Any]) -> None:
    """What the example names is set; what the last one named goes back, unless the reader changed it."""
    old = st.session_state.get("set_by_example", {})
    for name, fallback in choices.fallbacks().items():
        if name in new:
            st.session_state[name] = new[name]
        elif name in old and st.session_state.get(name) == old[name]:
            st.session_state[name] = fallback
    st.session_state["set_by_example"] = new
