"""The prose of logs in sections: what a model is asked about at a time, and by which key it is known to have been."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from bankd.memory.ledger import Ledger
from bankd.memory.retain import LogReading
from bankd.pages.scanner import Block, BlockKind, scan_text

FOLDER = "distilled"
"""Below `memory/`: the logs that have the lines of models. They are not distilled themselves."""
_LONGEST = 6_000
"""Characters of a section, some 1,500 tokens of English: a model that sees more says less of each line of it."""
_LONGEST_LINE = 4_000
"""Characters of a line that a model is shown; a longer one was written by no person, and search finds it."""
_PROSE = {BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE, BlockKind.TABLE}
_KEYS = re.compile(r"^<!-- (distilled|proposed|derived) ([0-9a-f]{12}) -->$", re.MULTILINE)

DISTILLED, PROPOSED, DERIVED = "distilled", "proposed", "derived"
"""Who has read a section: a model, the rules that propose lines, or a model that looks for insights in the bank."""


class ProseSection(NamedTuple):
    """A piece of a log: its heading, and its lines with their 1-based numbers."""

    log: str
    heading: str
    lines: tuple[tuple[int, str], ...]

    @property
    def key(self) -> str:
        """What stays the same until a word of it changes, wherever it moves in its log."""
        said = "\n".join([self.log, self.heading, *(text for _, text in self.lines)])
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def texts_of(self, numbers: Iterable[int]) -> list[str]:
        """Those of its lines that have these numbers."""
        wanted = set(numbers)
        return [text for number, text in self.lines if number in wanted]


def distilled_keys(text: str, by: str = DISTILLED) -> set[str]:
    """The keys of the sections that a distilled log has the lines of, by who read them."""
    return {key for who, key in _KEYS.findall(text) if who == by}


def distilled_mark(key: str, by: str = DISTILLED) -> str:
    """The line that says that a section was read."""
    return f"<!-- {by} {key} -->"


def opening_of(log: str) -> str:
    """How a distilled log begins."""
    return f"# {log.removeprefix(FOLDER + '/').removesuffix('.md')}, distilled\n\n## Retain\n"


def sections_of(reading: LogReading, text: str) -> Iterator[ProseSection]:
    """The prose of a log, heading by heading; its Retain lines, code and comments are none."""
    document = scan_text(text)
    taken = {line.place.line for line in reading.lines} | {bad.place.line for bad in reading.bad}
    heading = ""
    lines: list[tuple[str, int, str]] = []
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            heading = document.lines[block.start].strip().strip("# ")
        elif block.kind in _PROSE and block.start + 1 not in taken:
            lines += [(heading, *line) for line in _lines_of(document.lines, block)]
    for title, found in groupby(lines, key=lambda line: line[0]):
        yield from _cut(reading.log, title, [(number, said) for _, number, said in found])


def _lines_of(lines: Sequence[str], block: Block) -> Iterator[tuple[int, str]]:
    for number in range(block.start + 1, block.end + 1):
        said = lines[number - 1].strip()
        if said and len(said) <= _LONGEST_LINE:
            yield number, said


def _cut(log: str, heading: str, lines: Sequence[tuple[int, str]]) -> Iterator[ProseSection]:
    """Sections of at most so many characters."""
    part: list[tuple[int, str]] = []
    size = 0
    for line in lines:
        if part and size + len(line[1]) > _LONGEST:
            yield ProseSection(log, heading, tuple(part))
            part, size = [], 0
        part.append(line)
        size += len(line[1])
    if part:
        yield ProseSection(log, heading, tuple(part))


def distilled_in(ledger: Ledger) -> list[str]:
    """The ids of the memories that came from lines of models."""
    return [id_ for id_, fact in ledger.consumed.items() if str(fact.get("log", "")).startswith(f"{FOLDER}/")]


def new_sections(sections: Iterable[ProseSection], known: Set[str]) -> list[ProseSection]:
    """Those that were not distilled as they are now, each once."""
    return [*{section.key: section for section in sections if section.key not in known}.values()]
