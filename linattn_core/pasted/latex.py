"""Matrices in LaTeX."""

import re
from collections.abc import Iterator

from linattn_core.limits import MAX_NUMBERS
from linattn_core.pasted.table import Table, gather, table
from linattn_core.tokens import InputError

BEGIN = r"\\begin\s*\{\s*(?:\w*matrix|array)\*?\s*\}(?:\s*\[[^\]]{0,9}\])?(?:\s*\{[^{}]*\})?"
END = r"\\end\s*\{[^{}]*\}"
ROW_END = r"\\\\(?:\[[^\]]{0,20}\])?"  # \\, \\[2pt]
REWRITTEN = (
    (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2"),
    (r"\\[dt]?frac\s*([0-9])\s*([0-9])", r"\1/\2"),
    (r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}", r"\1"),
    (r"\s?\\(?:cdot|times)\s*10\s*+\^\s*+\{?+\s*+([+\-−]?[0-9]+)\s*\}?", r"e\1"),
    (r"\{,\}", "."),
    (r"\\hline|\\[,;:! ]|~|\\q?quad\b|\\\[|\\\]|[{}$]", ""),
    (r"([+\-−])\s+", r"\1"),
)


def is_latex(text: str) -> bool:
    """Whether the text has signs that only LaTeX has."""
    return any(sign in text for sign in ("\\begin", "\\frac", "\\dfrac", "\\tfrac")) or (
        "\\\\" in text and "&" in text
    )


def latex(text: str) -> Table:
    r"""What stands between \begin{pmatrix} and \end{pmatrix}: cells between &, rows between \\.

    Raises:
        InputError: no matrix, more than one, one that does not end, or rows of different lengths.
    """
    body = _body(text)
    if body.count("&") + body.count("\\\\") > MAX_NUMBERS:
        raise InputError(f"A matrix needs at most {MAX_NUMBERS:,} numbers; this one has more. Cut it.")
    return table(*gather(_rows(body)))


def _body(text: str) -> str:
    """The inside of the only matrix; the whole text where no matrix begins or ends."""
    begins, ends = text.count("\\begin"), text.count("\\end")
    if not begins and not ends:
        return text
    start, stop = re.search(BEGIN, text), re.search(END, text)
    if begins != 1 or ends != 1 or not start or not stop or stop.start() < start.end():
        raise InputError(
            r"LaTeX needs one matrix, from \begin{pmatrix} to \end{pmatrix} (or bmatrix, matrix, array); "
            rf"this text has {begins} \begin and {ends} \end. Paste one whole matrix."
        )
    return text[start.end() : stop.start()]


def _rows(body: str) -> Iterator[tuple[str, list[str]]]:
    """The place and the cells of each row that holds anything."""
    for i, row in enumerate(re.split(ROW_END, body), 1):
        for pattern, plain in REWRITTEN:
            row = re.sub(pattern, plain, row)
        if row.strip():
            yield f"row {i}", [cell.strip() for cell in row.split("&")]
