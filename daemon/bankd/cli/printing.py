"""How commands print: styles on a terminal only, text made safe, JSON, long output through a pager, progress.

Nothing that a memory holds can move the cursor: all text from outside goes through `styled` or `plain`.
"""

from __future__ import annotations

import io
import os
import re
import sys
import unicodedata
from contextlib import contextmanager
from functools import lru_cache

from bankd.pages.text import make_visible, show_line, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_STYLE = re.compile(r"\x1b\[[\d;]*m")


def say(text: str = "") -> None:
    """Print lines that bankd wrote, in the reader's language, or made safe itself."""
    sys.stdout.write(text + "\n")


def say_json(value: object) -> None:
    """Print a value as JSON on one line; letters that the terminal's encoding does not have are escaped."""
    line = to_json(value)
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        import json

        line = json.dumps(json.loads(line))
    sys.stdout.write(line + "\n")


class Outcome:
    """What a command found or did: a value for `--json`, lines for people, of which empty ones are left out, the exit code."""

    def __init__(self, whole: object, *lines: str, code: int = 0) -> None:
        self._whole, self._lines, self._code = whole, lines, code

    def show(self, *, as_json: bool) -> int:
        """Print it; gives the exit code."""
        if as_json:
            say_json(self._whole)
        else:
            for line in filter(None, self._lines):
                say(line)
        return self._code


def has_colour(stream: TextIO) -> bool:
    """Whether to colour: `NO_COLOR` forbids, `FORCE_COLOR` asks, else only a terminal gets it."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


class _Held(io.StringIO):
    """What a command prints, until it is known how long it is; colours as on the terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@contextmanager
def paged() -> Iterator[None]:
    """Show what is printed inside through `$PAGER` (`less -FRX`) if it does not fit the terminal."""
    screen = sys.stdout
    if not (screen.isatty() and sys.stdin.isatty()) or os.environ.get("TERM") == "dumb":
        yield
        return
    held = sys.stdout = _Held()
    try:
        yield
    finally:
        sys.stdout = screen
        text = held.getvalue()
        columns, lines = os.get_terminal_size(screen.fileno())  # 0 and 0 where a terminal does not say
        plain_lines = _STYLE.sub("", text).split("\n")
        taken = sum(1 + max(width(line) - 1, 0) // (columns or 80) for line in plain_lines)
        if taken <= (lines or 24) or not _show_through_pager(text):
            screen.write(text)


def _show_through_pager(text: str) -> bool:
    import shlex
    import subprocess

    words = shlex.split(os.environ.get("PAGER", "less -FRX")) or ["cat"]
    try:
        # `less` shows Hangul as bytes where the locale is named but not installed, so it is told the encoding.
        speaking = {**os.environ, "LESSCHARSET": "utf-8"}
        subprocess.run(words, input=text.encode("utf-8", "replace"), env=speaking, check=False)  # noqa: S603 -- the user's own pager
    except OSError:
        return False
    return True


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
    """Columns that a text takes: a syllable of Hangul takes two."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4_096)
def _columns_of(character: str) -> int:
    """Columns of one character: two where it is wide, none if it combines with the one before."""
    return 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)


def padded(text: str, columns: int) -> str:
    """A text filled up with spaces to a width in columns."""
    return text + " " * max(0, columns - width(text))


def shortened(text: str, columns: int) -> str:
    """A text on one line, cut to a width in columns, with an ellipsis where something was cut."""
    text = " ".join(text.split())
    if width(text) <= columns:
        return text
    left = columns - 1
    for at, character in enumerate(text):
        left -= _columns_of(character)
        if left < 0:
            return text[:at] + "…"
    return text


class Progress:
    """A bar on standard error while long work goes on; nothing if that is no terminal."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, max(total, 1), 0
        self._shown = sys.stderr.isatty() and not os.environ.get("NO_PROGRESS")

    def step(self, note: str = "", by: int = 1) -> None:
        """Show that more of `total` is done."""
        self._done += by
        filled = 24 * self._done // self._total
        bar = "#" * filled + "-" * (24 - filled)
        self._write(f"{self._what} [{bar}] {shortened(show_line(note), 40)}")

    def close(self) -> None:
        """Remove the bar."""
        self._write("")

    def _write(self, line: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
