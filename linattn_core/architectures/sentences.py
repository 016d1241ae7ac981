"""What an architecture sets, in words: each sentence from the field that `prepare` and `settings` use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linattn_core.feature_maps import feature_map

if TYPE_CHECKING:
    from linattn_core.architectures.record import Architecture

OURS = {
    "log_decay": "the log decay",
    "beta": "the share corrected β",
    "gamma": "the share kept γ",
    "u": "the bonus u",
    "a": "a, which reads what is removed,",
    "b": "b, where that goes,",
}


def sentences(architecture: Architecture, d_k: int, head: int) -> dict[str, str]:
    """A sentence each: rule, map, key_norm, scale, division, gates, letters and state."""
    return {
        "rule": f"The write rule is “{architecture.update_rule.title}”.",
        "map": _map(architecture),
        "key_norm": "q and k are scaled to unit length first."
        if architecture.unit_length
        else "q and k keep their lengths.",
        "scale": f"Scores are multiplied by 1/√{d_k} = {architecture.scale(d_k):.4g}."
        if architecture.scaled
        else "Scores are not scaled.",
        "division": f"y is {'' if architecture.divides else 'not '}divided by the score sum.",
        "gates": _gates(architecture, head),
        "letters": _letters(architecture),
        "state": _state(architecture),
    }


def _map(architecture: Architecture) -> str:
    if architecture.phi == "identity":
        return "No feature map: q and k are used as they come."
    return f"The feature map of q and k is “{feature_map(architecture.phi).title}”."


def _gates(architecture: Architecture, head: int) -> str:
    said = {ours: letter for letter, ours in architecture.letters.items() if ours in OURS}
    parts = [f"{OURS[ours]} is {letter}" for ours, letter in said.items() if ours != letter]
    parts += [f"{OURS[ours]} is given" for ours, letter in said.items() if ours == letter]
    if architecture.share is not None:
        parts.append(f"head {head} keeps the share γ = {architecture.share(head)} of the state at each token")
    text = "; ".join(parts) or "no gates: nothing decays, and every value is written in full"
    return f"{text[:1].upper()}{text[1:]}."


def _letters(architecture: Architecture) -> str:
    played = {ours: letter for letter, ours in architecture.letters.items()}
    return ", ".join(f"{played[ours]} plays {ours}" for ours in "qkv") + "."


def _state(architecture: Architecture) -> str:
    letter, ours = list(architecture.letters.items())[-1]
    if ours == "S":
        return "Its state is S, with one row per key component."
    return f"Its own state {letter} has one row per value component; S is it transposed."
