"""How commands print: colour on a terminal only, nothing that a memory holds can move the cursor."""

from __future__ import annotations

import os
import sys
import unicodedata
from functools import lru_cache
from typing import TextIO

from bankd.cli.streams import write_json
from bankd.core.markdown.display import make_visible, show_line

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


def has_colour(stream: TextIO) -> bool:
    """Whether to colour: `NO_COLOR` forbids, `FORCE_COLOR` asks, else only a terminal gets it."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def say(text: str = "") -> None:
    """Print lines that bankd wrote or styled itself."""
    sys.stdout.write(text + "\n")


def say_json(value: object) -> None:
    """Print one JSON object on one line; Hangul stays Hangul, and nothing in it can move the cursor."""
    write_json(value)


def say_answer(whole: object, *lines: str, as_json: bool) -> int:
    """Print one JSON object, or for people those of these lines that say something; gives exit code 0."""
    if as_json:
        say_json(whole)
    else:
        for line in filter(None, lines):
            say(line)
    return 0


def styled(text: str, *styles: str) -> str:
    """A text made safe for one line of a terminal, styled where colour is wanted."""
    safe = show_line(text)
    if not safe or not styles or not has_colour(sys.stdout):
        return safe
    codes = ";".join(_STYLES[style] for style in styles)
    return f"\x1b[{codes}m{safe}\x1b[0m"


def plain(text: str) -> str:
    """A text made safe for a terminal, line breaks kept."""
    return make_visible(text)


def width(text: str) -> int:
    """Columns that a text takes: Hangul takes two a syllable."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4_096)
def _columns_of(character: str) -> int:
    """Columns of one character: two where it is wide, none where it stands on the one before."""
    return 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)


def padded(text: str, columns: int) -> str:
    """A text filled up with spaces to a width in columns."""
    return text + " " * max(0, columns - width(text))


def shortened(text: str, columns: int) -> str:
    """A text cut to a width in columns, with an ellipsis where something was cut."""
    text = " ".join(text.split())
    return text if width(text) <= columns else _beginning(text, columns - 1) + "…"


def _beginning(text: str, columns: int) -> str:
    """As much of a text as fits into a width in columns."""
    for at, character in enumerate(text):
        columns -= _columns_of(character)
        if columns < 0:
            return text[:at]
    return text


class Progress:
    """A bar on standard error while long work goes on; nothing where that is no terminal."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, max(total, 1), 0
        self._shown = sys.stderr.isatty() and not os.environ.get("NO_PROGRESS")

    def step(self, note: str = "", by: int = 1) -> None:
        """Show that more of `total` is done."""
        self._done += by
        if self._shown:
            filled = 24 * self._done // self._total
            bar = "#" * filled + "-" * (24 - filled)
            sys.stderr.write(f"\r\x1b[K{self._what} [{bar}] {shortened(show_line(note), 40)}")
            sys.stderr.flush()

    def close(self) -> None:
        """Take the bar away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def reads_korean() -> bool:
    """Whether the reader has chosen Korean."""
    return next(filter(None, map(os.environ.get, ("LC_ALL", "LC_TIME", "LANG"))), "").startswith("ko")
