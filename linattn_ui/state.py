"""What the reader chose: the only module that touches st.session_state and st.query_params.

Streamlit keeps plain widget values under the widgets' keys. The grid's texts, the step at rest, what the
example set and the last run that worked have one key each; everything else is derived on every rerun.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from linattn_core import EXAMPLES, InputError, random_tokens
from linattn_ui import cells
from linattn_ui import settings as choices
from linattn_ui.settings import CHOICES, NO_WIDGET, RANDOM, SIZES, THREE, Settings


def start() -> None:
    """First thing in every rerun: the example's values at first, later a fallback for what may not stand."""
    for key, may_stand in choices.checks().items():
        if key in st.session_state and not may_stand(st.session_state[key]):
            del st.session_state[key]
    if "grid" not in st.session_state:
        st.session_state.setdefault("example", EXAMPLES[0].key)
        choose_example()
    random = {key: first for key, (_, _, first) in RANDOM.items()}
    for key, fallback in (choices.fallbacks() | random | _sizes()).items():
        st.session_state.setdefault(key, fallback)


def read() -> Settings:
    """The values under the widgets' keys as one frozen object."""
    chosen = st.session_state
    example, phi, rule = (record(name) for name in CHOICES)
    options = {name: value for name, value in example.settings.items() if name in NO_WIDGET}
    options |= {knob.name: chosen[knob.name] for knob in open_knobs()}
    options |= {name: THREE[chosen[name]] for name in ("normalize", "read_before_write")}
    options |= {"read": "full" if chosen["later"] else "causal", "eps": float(chosen["eps"])}
    return Settings(example, phi, rule, options, chosen["softmax_scale"], int(chosen["decimals"]))


def record(name: str) -> Any:
    """The chosen record of "example", "phi" or "rule"."""
    return choices.find(name, st.session_state.get(name))


def open_knobs() -> list[Any]:
    """The knobs of the chosen map and rule that the tokens do not carry themselves."""
    grid = st.session_state["grid"]
    gates = {"beta": source().beta, "gamma": source().log_decay}
    carried = {name: cells.gate(given, grid["cur"], source()) for name, given in gates.items()}
    knobs = (*record("phi").knobs, *record("rule").knobs)
    return [knob for knob in knobs if carried.get(knob.name) is None]


def value(key: str) -> Any:
    """What a widget holds."""
    return st.session_state[key]


def pick(key: str) -> None:
    """Callback of a menu under "more": its choice becomes the choice, and the menu is empty again."""
    if st.session_state.get(f"other_{key}") is not None:
        st.session_state[key] = st.session_state[f"other_{key}"]
    st.session_state[f"other_{key}"] = None


# The example


def choose_example() -> None:
    """Callback: take over the example's tokens and settings, and go to its last token."""
    _take_settings(choices.set_by(record("example")))
    draw_tokens()


def draw_tokens() -> None:
    """Callback: the example's tokens into the grid; "random" draws them from its sizes and seed."""
    example = record("example")
    asked = (int(st.session_state.get(key, first)) for key, (_, _, first) in RANDOM.items())
    start_grid(random_tokens(*asked) if example.key == "random" else example.tokens)
    go_to_end()


def _take_settings(new: Mapping[str, Any]) -> None:
    """What the example names is set; what the last one named goes back, unless the reader changed it."""
    old = st.session_state.get("set_by_example", {})
    for name, fallback in choices.fallbacks().items():
        if name in new:
            st.session_state[name] = new[name]
        elif name in old and st.session_state.get(name) == old[name]:
            st.session_state[name] = fallback
    st.session_state["set_by_example"] = new


# The grid: `base` is what the editor was given, `cur` what it shows, `rev` is new for every new base


def start_grid(tokens: Any) -> None:
    """The grid of these tokens; they are what "reset" comes back to and "edited" is measured against."""
    texts = cells.texts(tokens)
    rev = st.session_state["grid"]["rev"] if "grid" in st.session_state else -1
    st.session_state["grid"] = {"rev": rev, "source": tokens, "start": texts, "wide": texts}
    put(texts)


def put(table: pd.DataFrame) -> None:
    """Other texts into the grid. From callbacks only: the widgets of this rerun are not drawn yet."""
    grid = st.session_state["grid"]
    grid |= {"base": table, "cur": table, "rev": grid["rev"] + 1}
    for key, size in _sizes().items():
        st.session_state[key] = size


def _sizes() -> dict[str, int]:
    return dict(zip(SIZES, cells.sizes(st.session_state["grid"]["cur"]), strict=True))


def put_tokens(tokens: Any) -> None:
    """Callback of a button that changes the example's tokens."""
    put(cells.texts(tokens))
    st.rerun()  # of all: the sidebar says what follows from the tokens


def reset() -> None:
    """Callback: back to the example's tokens."""
    put(st.session_state["grid"]["start"])
    st.rerun()


def resize() -> None:
    """Callback: the grid in the sizes asked for. What no longer fits is kept for when it fits again."""
    grid = st.session_state["grid"]
    grid["wide"] = cells.merged(grid["wide"], grid["cur"])
    asked = {
        key: st.session_state[key]
        for key, high in SIZES.items()
        if choices.within(st.session_state[key], 1, high)
    }
    T, d_k, d_v = (int(size) for size in (_sizes() | asked).values())
    step, _ = st.session_state["rest"]
    if T != len(grid["cur"]) and (step is None or step > T):
        go_to_end()
    put(cells.resize(grid["wide"], T, d_k, d_v))


def editor_input() -> tuple[pd.DataFrame, str]:
    """What to give the editor, and its key."""
    grid = st.session_state["grid"]
    key = f"grid_{grid['rev']}"
    if key not in st.session_state:  # first drawn, or back from another page: Streamlit dropped the edits
        grid["base"] = grid["cur"]
    return grid["base"], key


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Keep what the editor shows."""
    st.session_state["grid"]["cur"] = table
    return table


def refuse_edits() -> None:
    """The editor could not make sense of a message: start it again from its last texts."""
    grid = st.session_state["grid"]
    grid |= {"base": grid["cur"], "rev": grid["rev"] + 1}


def source() -> Any:
    """The tokens that the grid started from."""
    return st.session_state["grid"]["source"]


def edited() -> bool:
    """Whether the grid says something else than the example."""
    return not cells.same(st.session_state["grid"]["cur"], st.session_state["grid"]["start"])


# The run and the step


def last_good(settings: Settings, table: pd.DataFrame) -> tuple[Any, str | None]:
    """The run of what is typed; where that is impossible the last run that worked, and the sentence why."""
    try:
        trace = settings.run(cells.tokens_of(table, source()))
    except InputError as fault:
        return st.session_state["last_good"], str(fault)
    st.session_state["last_good"] = trace
    return trace, None


def go_to_end() -> None:
    """Send the stage to its last step. It obeys only where the nonce is new."""
    nonce = st.session_state["go"]["nonce"] + 1 if "go" in st.session_state else 0
    st.session_state["go"] = {"nonce": nonce, "step": None, "operation": None}
    st.session_state["rest"] = (None, None)


def go() -> Mapping[str, Any]:
    """Where Python last sent the stage; equal on every rerun until it is sent again."""
    return st.session_state["go"]


def rest(step: int, operation: str | None = None) -> None:
    """Callback of the stage: it rests after `step` tokens are written."""
    st.session_state["rest"] = (step, operation)


def written(trace: Any) -> int:
    """How many tokens are written where the stage rests."""
    step, _ = st.session_state["rest"]
    return len(trace.k) if step is None else choices.clamped(step, 0, len(trace.k))
