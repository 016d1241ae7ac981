"""How numbers, vectors and names are printed."""

import math
import re
from collections.abc import Sequence

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


def sub(t: int) -> str:
    """12 as ₁₂"""
    return str(t).translate(SUBSCRIPTS)


def listed(names: Sequence[str]) -> str:
    """A; a and b; a, b, c and 5 more."""
    shown = list(names) if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
