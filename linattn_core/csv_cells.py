"""What the two CSV forms look like, for those who write and those who read them.

long   one row a number: `array,axis0,axis1,axis2,value`; an array fills as many axes as it has
wide   one row a token: `label,q_a,q_b,k_a,k_b,v_a,v_b,y_a,y_b`
"""

import math
import re
from typing import Any

LONG_HEADER = ("array", "axis0", "axis1", "axis2", "value")
COLUMN = r"(q|k|v|y|beta|log_decay)(?:[ _.\[]([a-z]{1,2})\]?|[ _.\[]?([0-9]{1,6})\]?)?"
SPREADSHEET_FORMULA = r"'*[=+\-@\t\r]"


def component(i: int) -> str:
    """Name of a component: a … z, then aa, ab, …

    >>> component(0), component(25), component(26)
    ('a', 'z', 'aa')
    """
    letter = chr(ord("a") + i % 26)
    return letter if i < 26 else component(i // 26 - 1) + letter


def column(name: str) -> tuple[str, int | None] | None:
    """The array that a column belongs to and which of its columns this is; None where it is another column.

    >>> column("q_b"), column("k[2]"), column("beta"), column("note")
    (('q', 1), ('k', 2), ('beta', None), None)
    """
    found = re.fullmatch(COLUMN, name.strip())
    if not found:
        return None
    array, letters, digits = found.groups()
    if letters:
        place = 0
        for letter in letters:
            place = 26 * place + ord(letter) - ord("a") + 1
        return array, place - 1
    return array, int(digits) if digits else None


def number_cell(value: Any) -> str:
    """The shortest text that reads back to the same number: 0.1, -0.0, NaN, -Infinity, true.

    >>> number_cell(0.1), number_cell(float("-inf")), number_cell(True), number_cell(None)
    ('0.1', '-Infinity', 'true', 'null')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def text_cell(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would run it as a formula.

    >>> text_cell("=1+1"), text_cell("'=1"), text_cell("'tis")
    ("'=1+1", "''=1", "'tis")
    """
    return "'" + text if re.match(SPREADSHEET_FORMULA, text) else text


def text_of_cell(cell: str) -> str:
    """What `text_cell` was given.

    >>> text_of_cell("'=1+1"), text_of_cell("''=1"), text_of_cell("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return cell[1:] if cell.startswith("'") and re.match(SPREADSHEET_FORMULA, cell) else cell
