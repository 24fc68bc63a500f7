"""Text made safe: for a terminal, and for databases, indexes and JSON readers, which take only UTF-8.

Every command passes what it prints through here, JSON too: characters that move the cursor, hide or reorder text are
shown as text. A byte from the disk that is not UTF-8 is decoded to a lone surrogate, so that it can be written back.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import Any

from bankd.pages.bare_json import write_json, write_letters

# C0 and C1 except tab and newline, what undecodable bytes became, and the marks that reorder or hide what follows:
# bidi embeddings, overrides, isolates and marks, and spaces without width. Joiners stay: emoji and Indic text need them.
# They are compiled only when a text has such a character, which is rare: a search has no time for it.
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_UNDECODABLE = "[\ud800-\udfff]"
_INVISIBLE = "[\u061c\u115f\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
ACTING = f"[{_INVISIBLE[1:-1]}\x80-\x9f\u2028\u2029]"
"""Characters that act on a terminal and are not escaped by JSON."""
_BREAK = "[\n\t\u2028\u2029]"
_BREAK_NAMES = {"\n": "\\n", "\t": "\\t", "\u2028": "<U+2028>", "\u2029": "<U+2029>"}


def is_plain(text: str) -> bool:
    """Whether a text can be shown as it is; U+115F counts as printable, but shows nothing."""
    return text.isprintable() and "\u115f" not in text


def make_visible(text: str) -> str:
    r"""The text with control and bidi characters made visible: `\x1b` and `<U+202E>`; newlines and tabs stay."""
    if is_plain(text):
        return text
    text = re.sub(_CONTROL, lambda found: f"\\x{ord(found[0]):02x}", text)
    text = re.sub(_UNDECODABLE, lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", text)
    return re.sub(_INVISIBLE, lambda found: f"<U+{ord(found[0]):04X}>", text)


def show_line(text: str) -> str:
    """A text made visible on one line: a newline in a name must not look like a second line of a log or a table."""
    if is_plain(text):
        return text
    return re.sub(_BREAK, lambda found: _BREAK_NAMES[found[0]], make_visible(text))


ENDED_BY_CR = rb"\r[ \t]*[-*+] [A-Z][(: @]|\^m-[a-z2-7]{12}\r(?!\n)"
"""A list item after a carriage return alone. bankd writes no such line, and all its lines would be read as one."""
MARK = "\ufeff"
"""The byte order mark that some editors write at the start of a file; it is not part of the text."""


def is_utf8(text: str) -> bool:
    """Whether a text has no bytes that were not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def only_utf8(texts: Iterable[str]) -> list[str]:
    """The texts without bytes that were not UTF-8."""
    return [text for text in texts if is_utf8(text)]


def readable_text(text: str) -> str:
    """A text with U+FFFD where it was not UTF-8: for searching and showing, never for writing back."""
    return text if is_utf8(text) else re.sub(_UNDECODABLE, "\ufffd", text)


def readable_value(value: Any) -> Any:
    """A JSON value with every text made readable: a model that stops inside a character leaves half a character."""
    match value:
        case str():
            return readable_text(value)
        case list():
            return [readable_value(one) for one in value]
        case dict():
            return {readable_text(name): readable_value(one) for name, one in value.items()}
        case _:
            return value


def parse_json(text: str | bytes) -> Any:
    """Read JSON; half characters become U+FFFD. Raises ValueError or RecursionError."""
    import json  # noqa: PLC0415 -- the hook of an agent has no time for it

    value = json.loads(text)
    half: Any = "\\ud" if isinstance(text, str) else b"\\ud"  # its escape; some Hangul begins like it
    return readable_value(value) if half in text.lower() else value


def readable_bytes(data: bytes) -> bytes:
    """Bytes with U+FFFD where they are not UTF-8; line numbers stay the same."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode("utf-8")
    return data


def lines_not_utf8(data: bytes) -> list[int]:
    """The 1-based lines with bytes that are not UTF-8."""
    if readable_bytes(data) is data:
        return []
    return [number for number, line in enumerate(data.split(b"\n"), 1) if readable_bytes(line) is not line]


def shown_path(path: str) -> str:
    r"""A path as people read it; one that is not UTF-8 with `\xff` for each such byte."""
    return path if is_utf8(path) else show_line(path)


def is_wide(start: bytes) -> bool:
    """Whether a file begins like UTF-16 or UTF-32: with their byte order mark, or with two ASCII characters."""
    marks = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
    return start.startswith(marks) or _unmarked(start) is not None


def _unmarked(start: bytes) -> str | None:
    """The encoding of UTF-16 without a byte order mark: every second byte of ASCII characters is zero."""
    orders = {"0101": "utf-16-le", "1010": "utf-16-be"}
    return orders.get("".join("01"[not byte] for byte in start[:4]))


def decode_wide(data: bytes) -> str | None:
    """The text of such a file; None if a part has another encoding, such as a list item that was appended in UTF-8."""
    is_32 = data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE))
    try:
        text = data.decode(_unmarked(data[:4]) or ("utf-32" if is_32 else "utf-16"))
    except UnicodeDecodeError:
        return None
    return None if re.search(rb"[-*+] [A-Z][(: @]", data) else text


def to_json(value: object) -> str:
    """A value as JSON for other programs: letters as they are, half characters as U+FFFD, acting characters escaped."""
    text = write_letters(value)
    return text if is_plain(text) else re.sub(ACTING, lambda found: write_json(found[0])[1:-1], readable_text(text))


_MOST_PART = 60
"""Characters of what was replaced."""


def other_part(old: str, new: str) -> str:
    """The words of the old text that differ in the new one; the whole old text, shortened, if they share too little.

    A number has the name or number beside it, as in `14 March` and `3월 14일`: a day of the month alone says little.
    """
    before, after = old.split(), new.split()
    first = next((n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), 0)
    last = next((n for n, (one, other) in enumerate(zip(before[::-1], after[::-1], strict=False)) if one != other), 0)
    end = len(before) - last
    if first >= end or first + last < end - first:
        first, end = 0, len(before)
    elif before[first][:1].isdigit() and ":" not in before[first]:
        is_beside = [word[:1].isupper() or word[:1].isdigit() for word in before]
        first, end = first - (first > 0 and is_beside[first - 1]), end + (last > 0 and is_beside[end])
    text = " ".join(before[first:end]).rstrip(".,;")
    return text if len(text) <= _MOST_PART else f"{text[:_MOST_PART].rstrip()}…"
