"""The bytes of a text file as text."""

import codecs

from linattn_core.tokens import InputError

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decoded(data: bytes) -> str:
    """UTF-8, or what the mark at its start says.

    Raises:
        InputError: bytes that are not in that encoding.
    """
    encoding = next((name for mark, name in MARKS if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\0" in data[:2]:
        raise InputError(
            "A text file needs UTF-8; this one begins like UTF-16 without its mark. Save it again as UTF-8."
        )
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise InputError(
            f"A text file needs UTF-8; line {line} (counted from 1) has the byte "
            f"0x{data[fault.start]:02x} out of place. Save it again as UTF-8."
        ) from None
