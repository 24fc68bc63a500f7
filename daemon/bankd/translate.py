"""The texts of bankd in the reader's language. English is the key; `korean.po`, in the format of gettext, has the Korean.

The file is read at the first text of a Korean reader, and never for others.
"""

from __future__ import annotations

import os
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence


def reads_korean() -> bool:
    """Whether the locale is Korean: `LC_ALL`, `LC_MESSAGES` and `LANG` name it, the first that is set."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    return next((value for name in names if (value := os.environ.get(name))), "").startswith("ko")


def translate(text: str, *values: object, korean: bool | None = None) -> str:
    """A text in the reader's language, with the values in the places of its `{}`.

    Without values it may also be a whole text that a lower room made, such as that of an error: each of its lines is
    then compared with the keys, and what stands in the place of a `{}` is taken over as it is. A text without Korean
    comes back in English. `korean` says the language if it is not that of the locale.
    """
    if korean is None:
        korean = reads_korean()
    said = messages().get(text, text) if korean else text
    if values:
        return said.format(*values)
    if said is not text or not korean:
        return said
    lines = ((line, line.strip()) for line in text.split("\n"))
    return "\n".join(line[: len(line) - len(line.lstrip())] + _translated(said)[1] for line, said in lines)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 memory`, `3 memories`. `many` is the plural where it is not `one` with an s."""
    if number == 1 and not reads_korean():
        return f"1 {one}"
    return translate(f"{{}} {many or one + 's'}", number)


@cache
def messages() -> Mapping[str, str]:
    """The Korean of each English text."""
    with open(f"{os.path.dirname(__file__)}/korean.po", encoding="utf-8") as file:  # noqa: PTH120, PTH123 -- cheaper
        entries = file.read().rstrip('\n"').split('"\n\nmsgid "')[1:]
    parts = (entry.partition('"\nmsgstr "') for entry in entries)
    return {_unquoted(english): _unquoted(korean) for english, _msgstr, korean in parts}


def _unquoted(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") if "\\" in text else text


class _Own(str):
    """A value that is put into a message. A Korean message may write its place as `{:_}`: translate the value too.

    Or as `{:.0}`: leave the value out.
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return translate(str(self), korean=True) if spec == "_" else format(str(self), spec)


def _translated(said: str) -> tuple[int, str]:
    """The letters of the longest key that the text can have been made from, 0 for none, and the text in Korean.

    What stands behind a place, as in `bankd.yaml:3: `, is looked up as a text of its own too.
    """
    if said in messages():
        return len(said), messages()[said]
    found = 0, said
    for piece, english in _templates():
        if piece in said and (match := _pattern(english).fullmatch(said)):
            found = len(english.replace("{}", "")), messages()[english].format(*map(_Own, match.groups()))
            break
    place, colon, rest = said.partition(": ")
    letters, korean = _translated(rest) if colon else (0, "")
    if " " in place:  # hardly a place: only where nothing else fits
        letters = min(letters, 1)
    return (letters + len(colon), f"{place}: {korean}") if letters and letters + len(colon) > found[0] else found


@cache
def _templates() -> Sequence[tuple[str, str]]:
    """The keys with places, the one with the most letters first, each with its longest piece between places."""
    keys = sorted((key for key in messages() if "{}" in key), key=lambda key: -len(key.replace("{}", "")))
    return [(max(key.split("{}"), key=len), key) for key in keys]


@cache
def _pattern(english: str) -> re.Pattern[str]:
    """What a place may hold: one word and the rest where the key has few letters of its own, as `{} is {}`; else anything.

    A place at the end of a word, as in `{} time{}`, holds the s of a plural, or what goes on without a letter.
    """
    import re

    pieces = english.split("{}")
    is_short = sum(map(str.isalpha, "".join(pieces))) < 8
    whole = (r"(\S*?)" if is_short else "(.*?)").join(map(re.escape, pieces))
    whole = r"(.*?)".join(whole.rsplit(r"(\S*?)", 1))
    return re.compile(re.sub(r"(?<=[a-z])\(\.\*\?\)", r"(s?|\\W.*?)", whole), re.DOTALL)
