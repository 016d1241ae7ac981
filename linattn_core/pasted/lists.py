"""Lists as Python, NumPy, JSON and PyTorch print them."""

import re
from collections.abc import Iterator

from linattn_core.numerals import quoted
from linattn_core.pasted.table import Table, gather, table
from linattn_core.tokens import InputError

CALL = r"\s*+(?:\w++\s*+=\s*+)?+(?:(?:[\w.]*\.)?(?:array|asarray|tensor|matrix)\s*+\()?+\s*+"
START = rf"{CALL}[\[(]\s*+[\[\]()\"'0-9.+\-−]"  # ++ and *+ never go back over a long text
STRING = r"""(["'])((?:(?!\1)[^\\]|\\.)*)(\1|\\?\Z)"""
ROW = r"[\[(]([^\[\]()]*)[\])]"
DEEPEST = 8
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def is_list(text: str) -> bool:
    """Whether the text is a list, and not lines of which the first has a label such as [CLS]."""
    bare = text.strip().rstrip(",;")
    return re.match(START, text) is not None or (bare.startswith(("[", "(")) and bare.endswith(("]", ")")))


def lists(text: str) -> Table:
    """[[1, 2], [3, 4]], [[1. 2.] [3. 4.]], array([[1, 2]], dtype=float32), rows without the outer brackets.

    Raises:
        InputError: brackets or quotes that do not match, other nesting than rows, a shortened printout.
    """
    strings: list[str] = []
    text = re.sub(STRING, lambda found: _kept(strings, found), text.replace("\0", "�"), flags=re.DOTALL)
    text = _without_call(text)
    _rows_only(text)
    found = enumerate(re.finditer(ROW, text), 1)
    places, cells = gather((f"row {i}", list(_cells(row[1], strings))) for i, row in found)
    return table(places, cells, words=bool(strings))


def _kept(strings: list[str], found: re.Match[str]) -> str:
    """A stand-in without brackets and commas for a text in quotes."""
    if not found[3].strip("\\"):
        raise InputError(f"A text in a list needs a quote at its end; {quoted(found[0])} has none. Close it.")
    strings.append(re.sub(r"\\(.)", lambda sign: ESCAPES.get(sign[1], sign[1]), found[2], flags=re.DOTALL))
    return f"\0{len(strings) - 1}\0"


def _without_call(text: str) -> str:
    """The list alone: without x =, without array( and what stands after the list, such as dtype=."""
    head = re.match(CALL, text)
    start = head.end() if head else 0
    if "(" not in text[:start]:
        return text[start:]
    return text[start : text.rfind("]") + 1 or text.rfind(")")]


def _rows_only(text: str) -> None:
    """Nothing but rows, and brackets around all of them.

    Raises:
        InputError: anything else; the message says what.
    """
    if "..." in text or "…" in text:
        raise InputError(
            'A list needs all its numbers; this printout was shortened to "...". '
            "Print x.tolist(), or save the array as an .npy file."
        )
    opened, closed = (len(re.findall(signs, text)) for signs in (r"[\[(]", r"[\])]"))
    if opened != closed:
        raise InputError(
            f"A list needs a closing bracket for every opening one; {opened:,} open and {closed:,} close. "
            f"Copy all of it."
        )
    skeleton = re.sub(r"[\s,;]+", "", re.sub(ROW, "R", text))
    if not re.fullmatch(rf"[\[(]{{0,{DEEPEST}}}R+[\])]{{0,{DEEPEST}}}", skeleton):
        raise InputError(
            "A list needs rows of numbers, such as [[1, 2], [3, 4]]; this one is nested deeper, or holds "
            "something besides rows. Paste one table: one batch and one head."
        )


def _cells(row: str, strings: list[str]) -> Iterator[str]:
    """The entries of a row, between commas where it has any, else between blanks."""
    cells = row.split(",") if "," in row else row.split()
    if "," in row and not cells[-1].strip():  # a comma after the last entry
        cells.pop()
    for cell in cells:
        string = re.fullmatch("\0([0-9]+)\0", cell.strip())
        yield strings[int(string[1])] if string else cell
