"""What was typed, read: a slip in it is answered with two lines, what is wrong and what was probably meant."""

from __future__ import annotations

import os
import re
from argparse import ArgumentParser, HelpFormatter
from collections.abc import Iterable

from bankd.errors import UsageError

TYPE_CHECKING = False  # `typing` would cost a search more than this module
if TYPE_CHECKING:
    from typing import NoReturn

# Compiled when something was mistyped.
_UNKNOWN = r"unrecognized arguments: (?:.*? )??(?P<word>-\S+)"
_NO_CHOICE = r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<choices>.*)\)"
_CHOICE = r"[\w-]+"


class Parser(ArgumentParser):
    """A parser whose errors are UsageErrors, and that takes no option by its beginning, so that new ones can come."""

    def __init__(self, prog: str, description: str | None = None, **_: object) -> None:
        """Take the name of the command and its line of help."""
        super().__init__(prog, description=description, allow_abbrev=False, formatter_class=_formatter)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what was probably meant."""
        name = self.prog.removeprefix("bankctl ")
        raise UsageError(f"{name}: {message}", f"{self._meant(message)}{self.prog} --help tells more")

    def _meant(self, message: str) -> str:
        if found := re.search(_UNKNOWN, message):
            return suggest_word(found["word"].partition("=")[0], self._option_string_actions)
        if found := re.search(_NO_CHOICE, message):
            return suggest_word(found["word"], re.findall(_CHOICE, found["choices"]))
        return ""


def suggest_word(word: str, known: Iterable[str]) -> str:
    """The beginning of a sentence that names the known word that is most like this; nothing when none is."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


def _formatter(prog: str) -> HelpFormatter:
    return HelpFormatter(prog, width=_columns())


def _columns() -> int:
    """How wide help may be; argparse would import shutil to learn it, at every start."""
    try:
        return int(os.environ.get("COLUMNS", "")) - 2
    except ValueError:
        pass
    try:
        return os.get_terminal_size().columns - 2
    except OSError:
        return 78
