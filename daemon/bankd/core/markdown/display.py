"""Text as a terminal may see it: what would move the cursor, hide or reorder text is shown as text instead.

Every command passes what it prints through here, JSON too.
"""

from __future__ import annotations

import re

# C0 and C1 except tab and newline, what undecodable bytes became, and the marks that reorder or hide what follows:
# bidi embeddings, overrides, isolates and marks, and spaces without width. Joiners stay: emoji and Indic text need them.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNDECODABLE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile("[\u061c\u115f\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
ACTING = re.compile(f"[{_INVISIBLE.pattern[1:-1]}\x80-\x9f\u2028\u2029]")
"""What acts on a terminal and JSON does not escape by itself."""
_BREAK = re.compile("[\n\t\u2028\u2029]")
_BREAK_NAMES = {"\n": "\\n", "\t": "\\t", "\u2028": "<U+2028>", "\u2029": "<U+2029>"}


def make_visible(text: str) -> str:
    r"""The text with control and bidi characters made visible: `\x1b` and `<U+202E>`; newlines and tabs stay."""
    text = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    text = _UNDECODABLE.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", text)
    return _INVISIBLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def show_line(text: str) -> str:
    """The same on one line: a newline in a name must not forge a second line of a log or a table."""
    return _BREAK.sub(lambda found: _BREAK_NAMES[found[0]], make_visible(text))
