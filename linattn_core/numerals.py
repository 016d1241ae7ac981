"""Numbers as people type them."""

import math
import re

from linattn_core.inputs import InputError, of_kind

DECIMAL = r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"  # ++ never goes back over a long text
NOT_FINITE = r"[+-]?(?i:nan|inf|infinity|∞)"
NUMERIC = rf"{DECIMAL}(?:\s*+/\s*+{DECIMAL})?|{NOT_FINITE}"
SIGNS = str.maketrans({"\N{MINUS SIGN}": "-", "\N{FRACTION SLASH}": "/"})
LONGEST_QUOTE = 30
LONGEST_NUMBER = 1200  # characters: enough for every double written out in full
ADVICE = "Type one such as 0.5, 1/3 or -2e-3."


def parse_number(text: str, name: str = "The text", *, decimal_comma: bool = False) -> float:
    """A decimal, a fraction or an exponent as the nearest float; a fraction is rounded once.

    name: how the sentence begins if the text is no number.

    Raises:
        InputError: no text, or one that is no finite number.

    >>> parse_number("1/3"), parse_number("-2.5e-3"), parse_number("−0")
    (0.3333333333333333, -0.0025, -0.0)
    """
    of_kind("text", text, str, "a text", "Put it in quotes.")
    plain = normal(text, decimal_comma)
    fault = _fault(text, plain)
    if fault:
        raise InputError(f"{name} {fault}")
    top, slash, bottom = (part.strip() for part in plain.partition("/"))
    value = _quotient(top, bottom) if slash else float(top)
    if math.isinf(value):
        raise InputError(
            f"{name} is {quoted(text)}, which is too large. The largest number is about 1.8e308."
        )
    return value


def decimal(text: str) -> float | None:
    """The number where the text is a plain finite decimal, as nearly all are; else None, for parse_number."""
    value = float(text) if re.fullmatch(DECIMAL, text) and len(text) <= LONGEST_NUMBER else math.inf
    return value if math.isfinite(value) else None


def normal(text: str, decimal_comma: bool = False) -> str:
    """The text with ASCII signs, and with a decimal point.

    >>> normal(" −0,5 ", decimal_comma=True)
    '-0.5'
    """
    plain = text.strip().translate(SIGNS)
    return plain.replace(",", ".") if decimal_comma else plain


def is_numeric(text: str, decimal_comma: bool = False) -> bool:
    """Whether the text is meant as a number, be it NaN, infinite or a division by 0."""
    return re.fullmatch(NUMERIC, normal(text, decimal_comma)) is not None


def quoted(text: str) -> str:
    """The text in quotes on one line, cut to 30 characters; what cannot be printed becomes �.

    >>> quoted("half")
    '"half"'
    """
    text = text.strip()
    cut = text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"
    return '"' + "".join(c if c.isprintable() else "�" for c in cut) + '"'


def called(name: object) -> str:
    """A name from outside in a sentence: as it is where it is plain, else quoted and cut.

    >>> called("q_phi"), called("<b>")
    ('q_phi', '"<b>"')
    """
    return str(name) if re.fullmatch(r"[\w.]{1,40}", str(name)) else quoted(str(name))


def shown(value: object) -> str:
    """Any value from outside in a sentence: texts quoted, numbers cut, everything else by its type.

    >>> shown("<b>"), shown(1.5), shown([1]), shown(None)
    ('"<b>"', '1.5', 'a list', 'nothing')
    """
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() < 64):
        return repr(value)
    if isinstance(value, int):
        return "a number of more than 64 bits"
    return "nothing" if value is None else f"a {type(value).__name__}"


def _quotient(top: str, bottom: str) -> float:
    """top / bottom as exact fractions, rounded once; a zero keeps its sign, and what is too large is inf."""
    from fractions import Fraction  # here, so that the core loads without it

    negative = top.startswith("-") != bottom.startswith("-")
    try:
        return math.copysign(float(Fraction(top) / Fraction(bottom)), -1 if negative else 1)
    except OverflowError:
        return -math.inf if negative else math.inf


def _fault(text: str, plain: str) -> str | None:
    """Why the text is no finite number, as the end of a sentence; None where it is one."""
    if not plain:
        return "is empty. Type a number; 0 is one."
    if len(plain) > LONGEST_NUMBER:
        return f"is {quoted(text)}, {len(plain):,} characters long, which is no number. {ADVICE}"
    if re.fullmatch(NOT_FINITE, plain):
        return f"is {quoted(text)}, which is no finite number. {ADVICE}"
    if not re.fullmatch(NUMERIC, plain):
        hint = " Use a point for decimals." if "," in text else ""
        return f"is {quoted(text)}, which is no number. {ADVICE}{hint}"
    bottom = plain.partition("/")[2]
    if bottom and not re.search("[1-9]", re.split("[eE]", bottom)[0]):
        return f"is {quoted(text)}, which divides by 0. Type another denominator."
    if bottom and re.search("[eE][+-]?[0-9]{5}", plain):  # the exact quotient would have as many digits
        return f"is {quoted(text)}, a fraction with an exponent of 5 digits or more. Type the quotient."
    return None
