"""Numbers as people type them."""

import math
import re

from linattn_core.tokens import InputError

DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMERIC = rf"\s*(?:{DECIMAL}(?:\s*/\s*{DECIMAL})?|[+-]?(?i:nan|inf|infinity|∞))\s*"
NOT_FINITE = r"[+-]?(?i:nan|inf|infinity|∞)"
MARKS = str.maketrans({"−": "-", "\N{FULLWIDTH HYPHEN-MINUS}": "-", "\N{FRACTION SLASH}": "/"})
LONGEST_QUOTE = 30
LONGEST_NUMBER = 1200  # characters; every double fits, written out in full
ADVICE = "Type one such as 0.5, 1/3 or -2e-3."


def parse_number(text: str, name: str = "The text", *, decimal_comma: bool = False) -> float:
    """A decimal, a fraction or an exponent as the nearest float; a fraction is rounded once.

    name: how the sentence begins when the text is no number.

    Raises:
        InputError: the text is no finite number.

    >>> parse_number("1/3"), parse_number("-2.5e-3"), parse_number("−0")
    (0.3333333333333333, -0.0025, -0.0)
    """
    plain = normal(text, decimal_comma)
    top, slash, bottom = (part.strip() for part in plain.partition("/"))
    parts = (top, bottom) if slash else (top,)
    if len(plain) > LONGEST_NUMBER or not all(re.fullmatch(DECIMAL, part) for part in parts):
        raise InputError(f"{name} {_fault(text, plain)}")
    if slash and not re.search("[1-9]", re.split("[eE]", bottom)[0]):
        raise InputError(f"{name} is {quoted(text)}, which divides by 0. Type another denominator.")
    value = _quotient(top, bottom) if slash else float(top)
    if math.isinf(value):
        raise InputError(f"{name} is {quoted(text)}, which is too large. The largest number is about 1.8e308.")
    return value


def normal(text: str, decimal_comma: bool = False) -> str:
    """The text with ASCII signs, and with a decimal point.

    >>> normal(" −0,5 ", decimal_comma=True)
    '-0.5'
    """
    plain = text.strip().translate(MARKS)
    return plain.replace(",", ".") if decimal_comma else plain


def is_numeric(text: str, decimal_comma: bool = False) -> bool:
    """Whether the text is meant as a number, be it NaN, infinite or a division by 0."""
    return re.fullmatch(NUMERIC, normal(text, decimal_comma)) is not None


def quoted(text: str) -> str:
    """The text in quotes on one line, cut to 30 characters; what cannot be printed becomes �.

    >>> quoted("half")
    '"half"'
    """
    cut = text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"
    return '"' + "".join(c if c.isprintable() else "�" for c in cut) + '"'


def _quotient(top: str, bottom: str) -> float:
    """top / bottom as exact fractions, rounded once; a zero keeps its sign, and what is too large is inf."""
    from fractions import Fraction  # here, so that the core loads without it

    if any(len(re.split("[eE]", part)[-1].lstrip("+-0")) > 4 for part in (top, bottom) if "e" in part.lower()):
        return float(top) / float(bottom) if float(bottom) else math.inf
    negative = top.startswith("-") != bottom.startswith("-")
    try:
        return math.copysign(float(Fraction(top) / Fraction(bottom)), -1 if negative else 1)
    except OverflowError:
        return math.inf


def _fault(text: str, plain: str) -> str:
    """Why the text is no number, as the end of a sentence."""
    if not plain:
        return "is empty. Type a number; 0 is one."
    if len(plain) > LONGEST_NUMBER:
        return f"is {quoted(text)}, {len(plain):,} characters long, which is no number. {ADVICE}"
    if re.fullmatch(NOT_FINITE, plain):
        return f"is {quoted(text)}, which is no finite number. {ADVICE}"
    hint = " Use a point for decimals." if "," in text else ""
    return f"is {quoted(text)}, which is no number. {ADVICE}{hint}"
