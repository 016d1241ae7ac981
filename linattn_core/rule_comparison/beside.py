"""The same tokens again: under another write rule, as a named architecture, or in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linattn_core.architectures import Architecture
from linattn_core.mixing import changed_list, run_again
from linattn_core.recurrence import run
from linattn_core.trace import Trace
from linattn_core.update_rules import UpdateRule

GATES = {"gamma": ("gamma", "log_decay"), "beta": ("beta",)}  # a knob, and how a run may be given it


def beside(trace: Trace, rule: UpdateRule, *, divide: bool, **gates: Any) -> Trace:
    """The same run with another write rule; `gates`, gamma= or beta=, stand in for what it does not have.

    Raises:
        InputError: the rule cannot be run on these tokens, or not divided.
    """
    settings = trace.settings
    usual = settings.rule.bonus is not None and settings.read == "causal"
    asked = settings.read_before_write
    names = {knob.name for knob in (*rule.knobs, *rule.arrays)}
    own = {name: x for name, x in settings.knobs.items() if name in names}
    return run(
        trace.tokens,
        settings.phi,
        rule,
        read=settings.read,
        normalize=divide,
        scale=settings.scale,
        eps=settings.eps,
        initial=trace.initial,
        read_before_write=None if asked == usual else asked,
        dtype=settings.dtype,
        **settings.phi.taken(settings.knobs) | own | _gates(trace, gates),
    )


def as_architecture(trace: Trace, model: Architecture, head: int = 0, **gates: Any) -> Trace:
    """The tokens of the run, mixed as a head of `model` mixes them; `gates` as in `beside`.

    Rule, map, scale, division and a share γ that is fixed are the model's; nothing is carried in.

    Raises:
        InputError: its map or rule cannot be run on these tokens.
    """
    tokens, settings = trace.tokens, model.settings(trace.tokens.k.shape[1], head)
    given, decays = _gates(trace, gates), GATES["gamma"]
    if model.share is not None:
        given = {name: x for name, x in given.items() if name not in decays}
    elif set(given) & set(decays):
        settings.pop("gamma", None)
    carried = {"gamma": tokens.log_decay, "beta": tokens.beta}
    kept = {name: x for name, x in (settings | given).items() if carried.get(name) is None}
    return run(tokens, read=trace.settings.read, dtype=trace.settings.dtype, **kept)


def _gates(trace: Trace, gates: Mapping[str, Any]) -> dict[str, Any]:
    """The gates that the run was given, and of `gates` those that neither it nor its tokens have."""
    own = {name: x for name, x in trace.settings.knobs.items() if name in (*GATES["gamma"], *GATES["beta"])}
    return own | {name: x for name, x in gates.items() if name in open_gates(trace)}


def open_gates(trace: Trace) -> list[str]:
    """Of gamma and beta those that neither the tokens nor the settings of the run give."""
    given = set(trace.settings.knobs)
    given |= {name for name in ("beta", "log_decay") if getattr(trace.tokens, name) is not None}
    return [name for name, ways in GATES.items() if not given & set(ways)]


def in_order(trace: Trace, rows: Sequence[int]) -> Trace:
    """The same run with its tokens written in another order; all queries read the last state."""
    return run_again(trace, changed_list(trace.tokens, rows), rows)
