"""How counts, bytes and lengths are printed, and a table of texts."""

from linattn_ui.changes import many
from linattn_ui.words.numbers import number

STAR = r"T\*"  # the break-even length, as Markdown shows a star
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(n: int) -> str:
    """36; 1,234,567; 5.63 × 10¹⁴.

    >>> count(1234567), count(562949953421312)
    ('1,234,567', '5.63 × 10¹⁴')
    """
    if n < 1e9:
        return f"{n:,}"
    mantissa, _, power = f"{n:.2e}".partition("e")
    return f"{mantissa} × 10{str(int(power)).translate(SUPERSCRIPTS)}"


def counted(n: int, what: str) -> str:
    """1 score, 36 scores, 5.63 × 10¹⁴ scores.

    >>> counted(1, "score"), counted(1234567, "score")
    ('1 score', '1,234,567 scores')
    """
    return many(n, what) if n < 1e9 else f"{count(n)} {what}s"


def size(n: float) -> str:
    """Bytes as a person says them.

    >>> size(512), size(16 * 2**30), size(8454144)
    ('512 bytes', '16 GiB', '8.06 MiB')
    """
    power = 0
    while n >= 1024 and power < len(UNITS) - 1:
        n, power = n / 1024, power + 1
    return f"{number(n, 2 if n < 10 else 1 if n < 100 else 0)} {UNITS[power]}"


def length(T: int) -> str:
    """1k, 128k, 1M: powers of two, as models count."""
    return f"{T >> 20}M" if T >= 1 << 20 else f"{T >> 10}k"
