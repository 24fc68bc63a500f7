"""The parts of a passage: an item, a turn, a row, a paragraph. A passage is found as a whole and shown by one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bankd.search.find import share_asked
from bankd.search.score import Candidate, Corpus, score_memories

if TYPE_CHECKING:
    from bankd.search.score import Weights
    from bankd.words.analysis import Analysis

_BEGINS = re.compile(r"[ \t]*(?:[-*+>|]|\d{1,9}[.)][ \t]|\[?\d{1,2}:\d{2})")
_HEAD = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:[WBOS](?:\([^()\n]*\))?(?:[ \t]*@[\w-]+)*[ \t]*:[ \t]*)?")
_ASKED = re.compile(r"\n[ \t]+\?[ \t].*")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_WRAPPED = 60
"""In columns: a line shorter than this was not wrapped."""
_AS_MUCH = 0.5
"""A second line of a passage is shown only if it has this share of the question's words."""
_ENDS = (".", "!", "?", "。", ":")
_TURN = re.compile(r"(?: {0,3}#{1,6}[ \t]+)?\d{1,2}:\d\d[ \t]+(?P<who>\S.*)")
_SAYS = re.compile(r"(?:\[?\d{1,2}:\d\d\]?[ \t]+)?\**(?P<who>[^\W\d_][^\n:*]{1,20}):\**[ \t]")
"""How a turn begins: in imported sessions with a heading (`## 10:02 user`), as people write it with a name (`Kim: where is it?`)."""
_REPLY = 280
"""Characters: no further line of a reply is shown after this many."""


class Part(NamedTuple):
    """A part, how many lines below the first of its passage it begins, and whether it is a heading."""

    offset: int
    text: str
    is_heading: bool

    @property
    def said(self) -> str:
        """The plain text of the part: no list marker, no tag, no questions below it.

        So a sentence is equal to itself, whether it is tagged or not.
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


def lines_of(text: str) -> list[str]:
    """The parts of a passage that get a vector each beside the whole; none if it has only one."""
    said = [part.said for part in divide_passage(text) if not part.is_heading]
    return said if len(said) > 1 else []


def choose_lines(
    parts: Sequence[Part], read: Sequence[Analysis], weights: Weights, nearness: Mapping[int, float] = {}
) -> Sequence[int]:
    """The parts of a passage that answer, each judged like a memory: the best, and others that share enough of the question.

    A heading is chosen only if there is nothing else.
    """
    told = [number for number, part in enumerate(parts) if not part.is_heading] or range(len(parts))
    alone = [Candidate(n, 0, 2 * n, read[n].sentences, (), frozenset(), read[n].denies) for n in told]
    corpus = Corpus(len(alone), sum(len(one.terms) for one in read) / len(read))
    scores = [parts["text"] for parts in score_memories(alone, {}, weights, corpus, nearness=nearness)]
    best, *others = (n for _, n in sorted(zip(scores, told, strict=True), key=lambda one: (-one[0], one[1])))
    shares = [share_asked(one.terms, weights) for one in read]
    return [best, *(n for n in others if shares[n] >= max(shares[best], _AS_MUCH))]


def shown_parts(parts: Sequence[Part], chosen: int, heading: str) -> Sequence[str]:
    """The texts to show: the chosen part; after a question the part that follows; after a turn of a dialogue its reply.

    `heading` is the heading of the passage, which may name the speaker of its first turn.
    """
    who, shown = list(_speakers(parts, heading))[1:], [parts[chosen].text]
    if not who[chosen]:
        after = parts[chosen + 1 : chosen + 2] if parts[chosen].text.rstrip("*_ ").endswith("?") else ()
        return [*shown, *(part.text for part in after if not part.is_heading)]
    later = [n for n in range(chosen + 1, len(parts)) if not parts[n].is_heading and who[n] != who[chosen]]
    for n in later:
        if n > later[0] and (who[n] != who[later[0]] or n - 1 not in later or sum(map(len, shown[1:])) >= _REPLY):
            break
        said = parts[n].text
        shown.append(said if n > later[0] or _SAYS.match(said) else f"{who[n]}: {said.lstrip('> ')}")
    return shown


def _speakers(parts: Iterable[Part], heading: str) -> Iterator[str]:
    """Who says each part; empty if nobody is named."""
    who = ""
    for part in (Part(0, heading, is_heading=True), *parts):
        named = (_TURN if part.is_heading else _SAYS).match(part.text)
        who = named["who"] if named else "" if part.is_heading else who
        yield who
