"""Text as a terminal may see it: what would move the cursor, hide or reorder text is shown as text instead.

Every command passes what it prints through here, JSON too.
"""

from __future__ import annotations

import re

# C0 and C1 except tab and newline, what undecodable bytes became, and the marks that reorder or hide what follows:
# bidi embeddings, overrides, isolates and marks, and spaces without width. Joiners stay: emoji and Indic text need them.
# They are compiled when a text has such a mark, which most have not: a search would wait for it.
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_UNDECODABLE = "[\ud800-\udfff]"
_INVISIBLE = "[\u061c\u115f\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
ACTING = f"[{_INVISIBLE[1:-1]}\x80-\x9f\u2028\u2029]"
"""What acts on a terminal and JSON does not escape by itself."""
_BREAK = "[\n\t\u2028\u2029]"
_BREAK_NAMES = {"\n": "\\n", "\t": "\\t", "\u2028": "<U+2028>", "\u2029": "<U+2029>"}


def is_plain(text: str) -> bool:
    """Whether there is nothing to show otherwise: all letters have a form, but for the one that fills a syllable."""
    return text.isprintable() and "\u115f" not in text


def make_visible(text: str) -> str:
    r"""The text with control and bidi characters made visible: `\x1b` and `<U+202E>`; newlines and tabs stay."""
    if is_plain(text):
        return text
    text = re.sub(_CONTROL, lambda found: f"\\x{ord(found[0]):02x}", text)
    text = re.sub(_UNDECODABLE, lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", text)
    return re.sub(_INVISIBLE, lambda found: f"<U+{ord(found[0]):04X}>", text)


def show_line(text: str) -> str:
    """The same on one line: a newline in a name must not forge a second line of a log or a table."""
    if is_plain(text):
        return text
    return re.sub(_BREAK, lambda found: _BREAK_NAMES[found[0]], make_visible(text))
