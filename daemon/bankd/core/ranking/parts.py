"""The parts of a passage: an item, a turn, a row, a paragraph. A passage is found as a whole and shown by one of them."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
import re
from collections.abc import Iterator
from typing import NamedTuple

_BEGINS = re.compile(r"[ \t]*(?:[-*+>|]|\d{1,9}[.)][ \t]|\[?\d{1,2}:\d{2})")
_HEAD = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:[WBOS](?:\([^()\n]*\))?(?:[ \t]*@[\w-]+)*[ \t]*:[ \t]*)?")
_ASKED = re.compile(r"\n[ \t]+\?[ \t].*")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_WRAPPED = 60
"""Columns; whoever wraps a sentence does it later than that."""
_ENDS = (".", "!", "?", "。", ":")


class Part(NamedTuple):
    """A part, how many lines below the first of its passage it begins, and whether it is a heading."""

    offset: int
    text: str
    is_heading: bool

    @property
    def said(self) -> str:
        """Its text without the mark of an item, the tag of a Retain line and the questions below that.

        The same words are the same, tagged or not.
        """
        return _HEAD.sub("", _ASKED.sub("", self.text), count=1)


def divide_passage(text: str) -> list[Part]:
    """The parts of a passage, in order; empty lines belong to none."""
    return list(_parts(text.split("\n")))


def _parts(lines: list[str]) -> Iterator[Part]:
    start = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and _goes_on(lines[end - 1], lines[end]):
            continue
        if any(line.strip() for line in lines[start:end]):
            yield Part(start, "\n".join(lines[start:end]).strip(), _HEADING.match(lines[start]) is not None)
        start = end


def _goes_on(before: str, line: str) -> bool:
    """Whether a line is the rest of a sentence that was wrapped, or a question that an item answers."""
    if _ASKED.match("\n" + line):
        return bool(before.strip())
    said = before.rstrip()
    return len(said) >= _WRAPPED and not said.endswith(_ENDS) and bool(line.strip()) and not _BEGINS.match(line)
