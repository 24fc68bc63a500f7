"""What each new line of a run is to the bank and to the lines before it: the same, newer, or different.

Who might be alike comes from outside (the index); this decides, line by line, in the order of the logs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from typing import NamedTuple

from bankd.core.dedup.compare import Match, Relation, find_match
from bankd.core.dedup.slots import slots_of
from bankd.core.language.reading import compared_text, read_statement
from bankd.core.language.statement import Statement
from bankd.core.language.wording import Wording
from bankd.core.lifecycle.decay import Fading, is_fading, raise_confidence
from bankd.core.lifecycle.retain import RetainLine
from bankd.core.markdown.memory import Memory, parse_memory
from bankd.core.markdown.page_lines import MARKER, MemoryLines, with_confidence
from bankd.core.plan.decisions import Blocked, Confirmed, Placement, Update
from bankd.errors import bug_in

_NEAREST = 10
"""Earlier lines of the same run that are compared with a new one, those that share most words first."""

_LATEST = 50
"""Lines with a word that are looked at, the latest: a thousand lines of one form would be compared a million times.

Of the labelled pairs of all sets in one run, 411 find their partner so, with 200 lines 412."""

_TIMES_AS_LONG, _LETTERS_MORE = 2, 20
"""How much longer the longer of two memories may be; in 12,250 labelled pairs of five sets it was 3 letters over twice."""

_ENTITIES = "entities/"
"""The folder of pages about one person or thing each, relative to the bank."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory of the bank that looks like a new one; without an id it goes by its place, page and line."""

    id: str
    memory: Memory


def said_on(page: str, memory: Memory) -> Memory:
    """A memory with whom its page is about: what the user writes on `entities/Peter.md` is said of Peter."""
    if memory.entities or not page.startswith(_ENTITIES):
        return memory
    return replace(memory, entities=(page.removeprefix(_ENTITIES).removesuffix(".md").split("/")[0],))


@dataclass(frozen=True, slots=True)
class JudgedLines:
    """The lines that are new, those that say nothing new, and what the new ones update; `warnings` name those kept unjudged."""

    placements: tuple[Placement, ...]
    blocked: tuple[Blocked, ...]
    updates: tuple[Update, ...]
    warnings: tuple[str, ...] = ()


def judge_lines(
    placements: Sequence[Placement],
    neighbours: Mapping[str, Sequence[Neighbour]],
    wordings: Mapping[str, Wording],
    threshold: int,
) -> JudgedLines:
    """Judge the lines of a run; `neighbours` by the id of the line, `wordings` by text.

    Only memories of one tag are compared: what somebody thinks and what is so are two things in the same words.
    """
    judge = _Judge(wordings, threshold)
    kept: list[Placement] = []
    blocked: list[Blocked] = []
    updates: list[Update] = []
    warnings: list[str] = []
    for placement in placements:
        try:
            match = judge.match(placement.line, neighbours.get(placement.line.id, ()))
        except Exception as error:  # one line that cannot be compared must not keep all the others out
            match = None
            warnings.append(bug_in(f"{placement.line.place}: kept without being compared with what is known", error))
        if match and match.verdict.outcome is Relation.SAME:
            blocked.append(Blocked(placement.line, match.id, match.verdict.reason))
            continue
        kept.append(placement)
        updates += _update(placement, match)
    return JudgedLines(tuple(kept), tuple(blocked), tuple(updates), tuple(warnings))


class _Judge:
    """Finds what a line repeats or updates, and remembers those that repeat nothing."""

    def __init__(self, wordings: Mapping[str, Wording], threshold: int) -> None:
        self._reader, self._threshold = Reader(wordings), threshold
        self._earlier: dict[str | None, EarlierLines] = defaultdict(EarlierLines)

    def match(self, retained: RetainLine, neighbours: Sequence[Neighbour]) -> Match | None:
        memory, read = retained.memory, self._reader.read
        line = ReadLine.of(retained.id, read(memory))
        kin = [item for item in neighbours if item.memory.tag in {None, memory.tag}]
        length = len(memory.text)
        alike = range((length - _LETTERS_MORE) // _TIMES_AS_LONG, length * _TIMES_AS_LONG + _LETTERS_MORE + 1)
        known = [(item.id, read(item.memory)) for item in kin if len(item.memory.text) in alike]
        earlier = self._earlier[memory.tag]
        match = find_match([*known, *earlier.nearest(line)], line.statement, self._threshold)
        if match is None or match.verdict.outcome is not Relation.SAME:
            earlier.add(line)
        return match


def _update(placement: Placement, match: Match | None) -> list[Update]:
    if match is None or not match.id.startswith("m-"):
        return []  # a memory without an id of ours stays as its hand left it
    return [Update(placement.line, match.id, match.verdict.reason)]


class Reader:
    """Reads each memory once."""

    def __init__(self, wordings: Mapping[str, Wording]) -> None:
        self._wordings = wordings
        self._read: dict[tuple[str, tuple[str, ...]], Statement] = {}

    def read(self, memory: Memory) -> Statement:
        """What a memory says, as tokens."""
        key = (memory.text, memory.entities)
        if key not in self._read:
            self._read[key] = read_statement(self._wordings[compared_text(memory)], memory.entities)
        return self._read[key]


class ReadLine(NamedTuple):
    """A line of this run, by its content words and values; by all of its words where it has none."""

    id: str
    statement: Statement
    words: frozenset[str]

    @classmethod
    def of(cls, id_: str, statement: Statement) -> ReadLine:
        content = frozenset([part.stem for part in slots_of(statement).content])
        return cls(id_, statement, content or frozenset([token.base for token in statement.tokens]))

    @property
    def keys(self) -> tuple[object, ...]:
        """What it is found by: its words, and its letters, which two statements share that are the same."""
        return *self.words, ("letters", self.statement.letters)


class EarlierLines:
    """The lines of a run so far, found again by the words that they share with a new one."""

    def __init__(self) -> None:
        self._lines: list[ReadLine] = []
        self._by_key: dict[object, list[int]] = defaultdict(list)

    def add(self, line: ReadLine) -> None:
        """Remember a line."""
        for key in line.keys:
            self._by_key[key].append(len(self._lines))
        self._lines.append(line)

    def nearest(self, new: ReadLine) -> list[tuple[str, Statement]]:
        """The lines that share most words with a new one, at least half of them; among many of equal words the latest."""
        near = [
            (-len(new.words & self._lines[number].words), turn, number)
            for turn, number in enumerate(self._worth_a_look(new) if new.words else ())
        ]
        return [self._lines[number][:2] for some, _, number in sorted(near)[:_NEAREST] if -2 * some >= len(new.words)]

    def _worth_a_look(self, new: ReadLine) -> list[int]:
        """What is in the same words, and what may share half of them: that has at least two of the rarer ones.

        Who has six of twelve words has two of any eight, so that counting tells most lines. What is older than the latest
        with a word may have that too, without being counted.
        """
        found, size = self._by_key, len(new.words)
        least = min(2, (size + 1) // 2)
        rarest = sorted([(len(found.get(word, ())), word) for word in new.words])[: size // 2 + least]
        lines = [found[key] for key in (new.keys[-1], *(word for _, word in rarest)) if key in found]
        older = max((some[-_LATEST] for some in lines if len(some) > _LATEST), default=0)
        counts = Counter(chain.from_iterable([some[-_LATEST:] for some in lines]))
        return [number for number, often in counts.items() if often >= least or number < older]


def confirmations_of(
    blocked: Iterable[Blocked], held: Mapping[str, MemoryLines], today: date, fading: Fading
) -> Iterator[Confirmed]:
    """What becomes of the opinions that blocked lines repeat, each on the day of the latest log that does.

    `held` has the lines of those that can be written now.
    """
    days = {item.twin: item.line.place.day(today) for item in sorted(blocked, key=lambda b: b.line.place.day(today))}
    for twin in sorted(days.keys() & held.keys()):
        lines = held[twin]
        memory = parse_memory(MARKER.sub("", lines.text))
        if memory.confidence is None or not is_fading(memory):
            continue
        day = max(days[twin], memory.confidence.day or days[twin])
        stronger = with_confidence(lines.text, raise_confidence(memory.confidence, day, fading))
        if stronger != lines.text:
            yield Confirmed(lines.page, twin, lines.text, stronger)
