"""Sentences of every page: the example, the feature map, what to know before trusting the numbers."""

import math
from collections.abc import Sequence
from typing import Any

from linattn_core.rule_comparison import eigenvalues
from linattn_ui.words.numbers import listed, number, sub, token, vector

DOUBTFUL = 1e12  # above this Σ|scores| / |score sum| leaves about four digits of y


def map_title(phi: Any, example: Any) -> str:
    """A feature map in the menu; "already transformed" is said only where the example's vectors are."""
    if phi.key == "identity" and example.settings.get("phi") != "identity":
        return "none (vectors as typed)"
    return phi.title


def about_map(phi: Any) -> str:
    """What a map is easily taken for."""
    if phi.key == "exp":
        return "Each component on its own: exp(q)·exp(k) is not exp(q·k), the score of softmax."
    return "Not softmax attention: it normalises each vector on its own." if phi.key == "softmax" else ""


def softmax_scale(tokens: Any) -> str:
    """What softmax attention multiplies its scores by when nothing is asked for: 1/√2 = 0.7071."""
    d_k = tokens.k.shape[1]
    return f"1/√{d_k} = {number(d_k**-0.5, 4)}"


def title(example: Any) -> str:
    """An example in the menu: The article's three tokens."""
    return example.title[:1].upper() + example.title[1:]


def story(example: Any, sentence: str, edited: bool, changed: bool) -> str:
    """The example's sentence; where numbers or settings are no longer its own, that is said first."""
    if edited:
        return f"{title(example)}, edited. As it was: {sentence}"
    return f"With the example's own settings: {sentence}" if changed else sentence


def carries(trace: Any) -> str:
    """That a run starts from a state of its own, which no cell of the grid shows."""
    if trace.initial is None:
        return ""
    carried = "S₀ and z₀" if trace.initial[1] is not None else "S₀"
    return f" This run starts from a state that was carried in: step 0 of the stage shows {carried}."


def drawn(tokens: Any, seed: int) -> str:
    """The sentence of random tokens, which have other sizes on request."""
    (T, d_k), d_v = tokens.k.shape, tokens.v.shape[1]
    how_many, of_v = (f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((T, "token"), (d_v, "component")))
    return f"{how_many} from seed {seed}, with keys of {d_k} and values of {of_v}."


def example_sets(
    example: Any, phi: Any, other_title: str, other_y: Sequence[float], decimals: int = 3
) -> str:
    """Why φ is what it is for this example, with the answer that another φ gives for the same numbers."""
    if example.settings.get("phi") != "identity":
        return ""
    if phi.key == "identity":
        return (
            "This example's vectors are already transformed, so φ is set to none; with "
            f"{other_title} the same numbers give {vector(other_y, decimals)}."
        )
    return f"This example's vectors are already transformed; {phi.title} transforms them once more."


def findings(trace: Any) -> list[str]:
    """What a reader must know before trusting the numbers: undefined rows, cancellation, overflow."""
    return [
        sentence
        for sentence in (_undefined(trace), _cancellation(trace), _growth(trace), _overflow(trace))
        if sentence is not None
    ]


def _undefined(trace: Any) -> str | None:
    missing = [t for t, defined in enumerate(trace.defined) if not defined]
    said = []
    if 0 in missing and trace.settings.misses_itself and trace.initial is None:
        said = ["y₀ is undefined: its query reads before any token is written."]
        missing.remove(0)
    if missing:
        ys = listed([f"y{sub(t)}" for t in missing])
        verb = "is" if len(missing) == 1 else "are"
        said.append(f"{ys} {verb} undefined: the scores sum to 0, and nothing can be divided by 0.")
    return " ".join(said) or None


def _cancellation(trace: Any) -> str | None:
    doubtful = [
        (c, t)
        for t, c in enumerate(trace.condition)
        if trace.defined[t] and math.isfinite(c) and c > DOUBTFUL
    ]
    if not doubtful:
        return None
    worst, t = max(doubtful)
    name = f"y{sub(t)}"
    return (
        f"Do not trust {name}: its scores nearly cancel (their sizes add up to {number(worst, 1)} times "
        f"their sum), so rounding decides the result."
    )


def _growth(trace: Any) -> str | None:
    """A rule that corrects overshoots where β k·k passes 2: its error is multiplied by 1 − β k·k."""
    if trace.settings.rule.asks != "k":
        return None
    factors = eigenvalues(trace)
    t = int(factors.argmin())
    if factors[t] >= -1:
        return None
    return (
        f"β k·k is {number(1 - factors[t])} for {token(t)}, past 2: its write overshoots, and what the state "
        f"gets wrong for this key grows to {number(-factors[t])} times as much. Keys of length 1 "
        "(the map “unit length”) keep β k·k at β."
    )


def _overflow(trace: Any) -> str | None:
    if trace.overflow is None:
        return None
    return (
        f"S{sub(trace.overflow)} holds numbers past 1.8e308, too large to print. "
        "Where y is shown, it was computed without them."
    )
