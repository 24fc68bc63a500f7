"""What an editor wrote to a file that had been replaced under it: a three-way merge of lines that never deletes.

`pristine` is the text that was replaced, `late` what the editor made of it, `live` the page as it is now.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from bankd.core.edits.spans import majority_ending
from bankd.core.markdown.memory import split_id

_OURS = re.compile(r"\]\([^()]*\)|\[\[[^\[\]|]*|\(c=[^()]*\)")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that became other lines, with the line that stood before them ("" at the start)."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    after: str


def find_hunks(pristine: str, late: str) -> Iterator[Hunk]:
    """What the editor changed or added; what he only deleted is left out, because an unfinished save looks like that."""
    old, new = _bare_lines(pristine), _bare_lines(late)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))))
    matcher = SequenceMatcher(lambda line: not line.strip(), old[same:], new[same:], autojunk=False)
    for kind, *ends in matcher.get_opcodes():
        i, j, k, m = (end + same for end in ends)
        if kind in {"insert", "replace"} and any(line.strip() for line in new[k:m]):
            yield Hunk(tuple(old[i:j]), tuple(new[k:m]), new[k - 1] if k else "")


def is_carried(live: str, pristine: str, late: str) -> bool:
    """Whether every line that the editor wrote is in the page already: one comparison instead of a merge."""
    return set(_bare_lines(late)) - set(_bare_lines(pristine)) <= set(_bare_lines(live)) | {""}


def _bare_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def carry_lines(live: str, pristine: str, late: str, elsewhere: Collection[str] = ()) -> str:
    """Bring an editor's late lines into a page; those whose id is in `elsewhere` belong to another page by now."""
    page = _Lines(live, late)
    for hunk in find_hunks(pristine, late):
        page.merge(hunk, elsewhere)
    return page.text


class _Lines:
    """The lines of a page, compared without their carriage returns and kept with them."""

    def __init__(self, text: str, late: str) -> None:
        self._return = "\r" if majority_ending(text) == "\r\n" else ""
        self._raw = text.split("\n")
        self._bare = [line.removesuffix("\r") for line in self._raw]
        self._kept = frozenset(_bare_lines(late))  # what he has still is not what he reworded, were its id the same

    @property
    def text(self) -> str:
        return "\n".join(self._raw)

    def merge(self, hunk: Hunk, elsewhere: Collection[str]) -> None:
        """Put the new lines where they were written, in the place of the lines that they finish or reword."""
        new = [line for line in hunk.new if split_id(line)[1] not in elsewhere]
        if all(self._place_of(line, hunk.old) is not None for line in new if line.strip()):
            return
        at = self._bare.index(hunk.after) + 1 if hunk.after in self._bare else self._end()
        for line in new:
            there = self._place_of(line, hunk.old) if line.strip() else None
            at = self._put(line, at, hunk.old) if there is None else there + 1

    def _place_of(self, line: str, old: tuple[str, ...]) -> int | None:
        """Where the page has this line already: as it is, without its id, or with links that we have mended since."""
        words, key = split_id(line)
        for form in (line, words):
            if form in self._bare and (form == line or self._line_of(key) is not None):
                return self._bare.index(form)
        if not set(_OURS.findall(line)) <= set(_OURS.findall("\n".join(old))):
            return None  # the editor wrote this link or confidence himself
        same = (n for n, had in enumerate(self._bare) if _OURS.search(had) and _essence(had) == _essence(line))
        return next(same, None)

    def _put(self, line: str, at: int, old: tuple[str, ...]) -> int:
        former = self._former(line, old)
        if former is not None:
            at = former
            del self._bare[at], self._raw[at]
        elif self._line_of(split_id(line)[1]) is not None:
            line = split_id(line)[0]  # the page has another wording of this memory by now: both are kept
        is_last = at == len(self._raw)
        if is_last and at:
            self._raw[-1] += self._return
        self._bare.insert(at, line)
        self._raw.insert(at, line if is_last else line + self._return)
        return at + 1

    def _former(self, line: str, old: tuple[str, ...]) -> int | None:
        """The line of the page that this one finishes or rewords; what we changed in it meanwhile does not count."""
        there = self._line_of(split_id(line)[1])
        if there is not None and self._bare[there] in self._kept:
            there = None
        for had in old:
            if there is not None and _is_same(had, line) and _essence(had) == _essence(self._bare[there]):
                return there
            if had in self._bare and had not in self._kept and _is_same(had, line):
                return self._bare.index(had)
        return None

    def _line_of(self, key: str | None) -> int | None:
        found = (n for n, line in enumerate(self._bare) if key is not None and split_id(line)[1] == key)
        return next(found, None)

    def _end(self) -> int:
        end = len(self._bare)
        while end and not self._bare[end - 1].strip():
            end -= 1
        return end


def _essence(line: str) -> str:
    """A line without what bankd itself changes in it: targets of links, and a confidence with its day."""
    return _OURS.sub("", line)


def _is_same(old: str, new: str) -> bool:
    """Whether a line is the other one reworded or finished: the same id, or its beginning."""
    key = split_id(new)[1]
    return (key is not None and split_id(old)[1] == key) or (bool(old.strip()) and new.startswith(old))
