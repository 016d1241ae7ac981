"""Sentences with numbers in them, and how a number is printed.

Text without numbers stands in the page where it is read; anything computed is a pure function here.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

DOUBTFUL = 1e12  # above this Σ|scores| / |score sum| leaves about four digits of y
PLAIN_BELOW = 1e9
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def number(x: float, decimals: int = 3) -> str:
    """X as a reader wants it: 3, 1.5, −0.333, 2.5e−8; never nan, inf or 17 digits.

    >>> number(1.5), number(-1 / 3), number(2e-8), number(1e12)
    ('1.5', '−0.333', '2e−8', '1e12')
    """
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "too large to print" if x > 0 else "too far below 0 to print"
    mantissa, exponent = _parts(float(x), decimals)
    return (mantissa + (f"e{exponent}" if exponent else "")).replace("-", "−")


def latex_number(x: float, decimals: int = 3) -> str:
    r"""The same for LaTeX: -0.333, 2.5 \cdot 10^{-8}, \text{undefined}."""
    if not math.isfinite(x):
        return rf"\text{{{number(x)}}}"
    mantissa, exponent = _parts(float(x), decimals)
    return mantissa + (rf" \cdot 10^{{{exponent}}}" if exponent else "")


def _parts(x: float, decimals: int) -> tuple[str, int]:
    """Digits and power of ten; power 0 where plain decimals say enough."""
    text = _trim(f"{x:.{decimals}f}")
    too_small = abs(x) < 10.0 ** -max(1, decimals - 1) and float(text) != x
    if abs(x) < PLAIN_BELOW and not too_small:
        return text, 0
    mantissa, _, exponent = f"{x:.{decimals}e}".partition("e")
    return _trim(mantissa), int(exponent)


def _trim(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def vector(xs: Sequence[float], decimals: int = 3) -> str:
    """[1.5, 0.5]; of more than 6 components the first three and the last."""
    texts = [number(x, decimals) for x in xs]
    shown = texts if len(texts) <= 6 else [*texts[:3], "…", texts[-1]]
    return f"[{', '.join(shown)}]"


def component(i: int) -> str:
    """Name of a component: a … z, then aa, ab, …

    >>> component(0), component(25), component(26)
    ('a', 'z', 'aa')
    """
    letter = chr(ord("a") + i % 26)
    return letter if i < 26 else component(i // 26 - 1) + letter


def token(t: int) -> str:
    """p₀, p₁, …"""
    return f"p{sub(t)}"


def plain(text: str) -> str:
    r"""Text that Markdown shows as it is: a backslash before every mark, line breaks as ↵.

    Addresses become links even then, so an invisible joiner breaks them up.

    >>> print(plain("<b> $x$"))
    \<b\> \$x\$
    """
    text = re.sub(r"\s*[\r\n]+\s*", " ↵ ", text)
    text = re.sub(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", "\u2060", text, flags=re.IGNORECASE)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


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


def drawn(tokens: Any, seed: int) -> str:
    """The sentence of random tokens, which have other sizes on request."""
    (T, d_k), d_v = tokens.k.shape, tokens.v.shape[1]
    return f"{T} tokens from seed {seed}, with keys of {d_k} and values of {d_v} components."


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


def both_rows(trace: Any, decimals: int = 3) -> str:
    """What to look at once the last key points at both rows."""
    T = len(trace.k)
    shares = " ".join(number(100 * w, 0) + " %" for w in trace.weights()[T - 1])
    return (
        f"Its write fills both rows; z{sub(T)} = {vector(trace.z[T], decimals)}, "
        f"shares {shares}, y{sub(T - 1)} = {vector(trace.y[T - 1], decimals)}."
    )


def same_state(trace: Any, decimals: int = 3) -> str:
    """What to look at once other values end in the same state."""
    T = len(trace.k)
    return (
        f"S{sub(T)}, z{sub(T)} and y{sub(T - 1)} = {vector(trace.y[T - 1], decimals)} stay; "
        f"S₁, S₂ and y₀ = {vector(trace.y[0], decimals)} change. The state cannot tell the two lists apart."
    )


def sub(t: int) -> str:
    """12 as ₁₂"""
    return str(t).translate(SUBSCRIPTS)


def findings(trace: Any) -> list[str]:
    """What a reader must know before trusting the numbers: undefined rows, cancellation, overflow."""
    return [
        sentence
        for sentence in (_undefined(trace), _cancellation(trace), _overflow(trace))
        if sentence is not None
    ]


def _undefined(trace: Any) -> str | None:
    missing = [t for t, defined in enumerate(trace.defined) if not defined]
    if not missing:
        return None
    ys = _listed([f"y{sub(t)}" for t in missing])
    verb = "is" if len(missing) == 1 else "are"
    return f"{ys} {verb} undefined: the scores sum to 0, and nothing can be divided by 0."


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


def _overflow(trace: Any) -> str | None:
    if trace.overflow is None:
        return None
    return (
        f"S{sub(trace.overflow)} holds numbers past 1.8e308, too large to print. "
        "Where y is shown, it was computed without them."
    )


def _listed(names: Sequence[str]) -> str:
    """A; a and b; a, b, c and 5 more."""
    shown = list(names) if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
