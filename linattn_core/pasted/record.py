"""What was pasted, read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pasted:
    """Rows of numbers, all of one length.

    rows: the numbers.   texts: the same as typed, with decimal points; parse_number(text) is the number.
    labels: one text per row, where the first column holds no numbers.
    header: the names of the columns of numbers, where the first row holds no numbers.
    """

    rows: list[list[float]]
    texts: list[list[str]]
    labels: tuple[str, ...] | None
    header: tuple[str, ...] | None
