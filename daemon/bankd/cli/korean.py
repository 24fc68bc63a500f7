"""What commands say in Korean: each English line is a key of `korean.tsv`, with `{}` for what changes in it.

Only what bankd wrote itself is a key, so texts of memories, paths and ids stay as they are.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_STYLE = re.compile(r"(?P<before>(?:\s|\x1b\[[\d;]*m)*)(?P<said>.*?)(?P<after>(?:\s|\x1b\[0m)*)", re.DOTALL)


@cache
def korean_words() -> dict[str, str]:
    """The table for commands, merged over the table of the page, which has the names of kinds and decisions."""
    words: dict[str, str] = {}
    for file in (Path(__file__).parent.parent / "ui" / "korean.tsv", Path(__file__).with_name("korean.tsv")):
        words |= dict(row.split("\t", 1) for row in file.read_text("utf-8").splitlines())
    return words


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """The keys with slots as patterns, the longest first: it says most of a line."""
    keys = sorted((key for key in korean_words() if "{}" in key and len(key) > 2), key=len, reverse=True)
    return [(re.compile("(.+?)".join(map(re.escape, key.split("{}"))), re.DOTALL), korean_words()[key]) for key in keys]


def in_korean(text: str) -> str:
    """A line in Korean; as it is where the table does not have it. Spaces and styles around it stay."""
    found = _STYLE.fullmatch(text)
    if not found or not (said := found["said"]):
        return text
    return found["before"] + _whole(said) + found["after"]


def _whole(said: str) -> str:
    words = korean_words()
    if said in words:
        return words[said]
    for pattern, korean in _patterns():
        if match := pattern.fullmatch(said):
            parts = [words.get(part, part) for part in match.groups()]
            return korean.format(*parts)
    return said
