"""The prose of logs: sections, each with a key that records that it was read, and the pieces that a model reads at once.

A section is the text below one heading: a part of a day, or a turn of an imported session. A piece is as much of one log
as fits into a call: a whole session, if possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple, TypeVar

from bankd.briefing.shown import count_tokens
from bankd.errors import BankError
from bankd.memory.retain import LogReading, project_of_log, scan_log
from bankd.pages.scanner import Block, BlockKind
from bankd.ports import ProseLogs

FOLDER = "distilled"
"""The folder below `memory/` for the lines of models. Its logs are not distilled themselves."""
MOST_TOKENS = 6_000
"""The most tokens of a log that a model is shown at once (an upper bound is counted)."""
_OVERLAP = 400
"""The most tokens from before a piece that are shown too, so that a reply has its question."""
_LONGEST_LINE = 4_000
"""The most characters of a line that a model is shown; no person writes a longer one, and search finds it anyway."""
_PROSE = {BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE, BlockKind.TABLE}
_QUOTED = re.compile(r"^(?:>[ \t]?)+")
_SESSION_ID = re.compile(r"(?:: \d{4}-\d\d-\d\d_|[_ ]?)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
"""The id of a session in the title of its log: a model needs it for nothing."""
_KEYS = re.compile(r"^<!-- (distilled|proposed|derived)((?: [0-9a-f]{12})+) -->$", re.MULTILINE)

DISTILLED, PROPOSED, DERIVED = "distilled", "proposed", "derived"
"""The readers of a section: a model, the rules that propose lines, or a model that looks for insights in the bank."""


_Thing = TypeVar("_Thing")


class ProseSection(NamedTuple):
    """The text below one heading of a log, without quote marks: the heading, and the lines with their 1-based numbers."""

    log: str
    heading: str
    lines: tuple[tuple[int, str], ...]

    @property
    def key(self) -> str:
        """A key that changes only when a word changes, wherever the section moves in its log."""
        said = "\n".join([self.log, self.heading, *(text for _, text in self.lines)])
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def text(self) -> str:
        """The section as a model sees it: its heading, and each line after its number."""
        heading = [f"## {self.heading}"] if self.heading else []
        return "\n".join([*heading, *(f"{number}| {text}" for number, text in self.lines)])


class LogPiece(NamedTuple):
    """The part of a log that a model reads at once: new sections, and those `before` them that it has read already.

    `title` is that of the log, with its day, without the id of its session, with the project if the log names one: the folder of
    that is `project`. A call may read several pieces: their lines are numbered through, those of this one from `start`.
    """

    log: str
    title: str
    before: tuple[ProseSection, ...]
    sections: tuple[ProseSection, ...]
    project: str = ""
    start: int = 1

    @property
    def lines(self) -> dict[int, tuple[int, str]]:
        """All of its lines, by the numbers that a model sees; each with its number in the log."""
        lines = (line for section in (*self.before, *self.sections) for line in section.lines)
        return dict(enumerate(lines, self.start))

    @property
    def texts(self) -> dict[int, str]:
        """The texts of its lines, by the numbers that a model sees."""
        return {number: text for number, (_, text) in self.lines.items()}

    @property
    def text(self) -> str:
        """The piece as a model sees it below its title: the headings, and each line after its number.

        A turn of one line stands on the line of its heading, which says who speaks and when.
        """
        shown, numbered = list[str](), iter(self.texts.items())
        for at, section in enumerate((*self.before, *self.sections)):
            shown += ["Read before:"] if self.before and at == 0 else ["New:"] if at == len(self.before) > 0 else []
            lines = [f"{number}| {text}" for _, (number, text) in zip(section.lines, numbered, strict=False)]
            if section.heading in self.title:
                shown += lines
            elif len(lines) == 1:
                shown.append(lines[0].replace("|", f" {section.heading}|", 1))
            else:
                shown += [f"## {section.heading}", *lines]
        return "\n".join(shown)


def log_pieces(log: str, text: str, sections: Sequence[ProseSection], known: Collection[str]) -> Iterator[LogPiece]:
    """The pieces of a log that have something new; `known` are the keys of the sections that were read."""
    named, of = re.search(r"^# +(.+)$", text, re.MULTILINE), project_of_log(text)
    stem = log.rpartition("/")[2].removesuffix(".md")
    title = named[1] if named and stem[:10] in named[1] else ": ".join([stem, *([named[1]] if named else ())])
    title = _SESSION_ID.sub("", title) + (f" (project {of})" if of else "")
    new = [section for section in sections if section.key not in known]
    for part in _packed(new, lambda section: section.text, MOST_TOKENS):
        before = [one for one in sections if one.lines[0][0] < part[0].lines[0][0]]
        yield LogPiece(log, title, _last(before), tuple(part), of)


def _packed(things: Iterable[_Thing], text_of: Callable[[_Thing], str], most: int) -> Iterator[list[_Thing]]:
    """The things in their order, as many together as have at most so many tokens; one that has more stands alone."""
    part, size = list[_Thing](), 0
    for thing in things:
        tokens = count_tokens(text_of(thing))
        if part and size + tokens > most:
            yield part
            part, size = [], 0
        part.append(thing)
        size += tokens
    if part:
        yield part


def _last(sections: Sequence[ProseSection]) -> tuple[ProseSection, ...]:
    """The last sections that fit into the overlap; only the last lines of a long one."""
    found, left = list[ProseSection](), _OVERLAP
    for section in reversed(sections):
        lines = section.lines
        while lines and count_tokens(section._replace(lines=lines).text) > left:
            lines = lines[1:]
        left -= count_tokens(section._replace(lines=lines).text)
        found += [section._replace(lines=lines)] if lines else []
        if len(lines) < len(section.lines):
            break
    return tuple(reversed(found))


def sections_of(reading: LogReading, text: str) -> Iterator[ProseSection]:
    """The prose of a log, heading by heading, without Retain lines, code and comments; cut so that each fits into a piece."""
    document = scan_log(text)
    taken = {line.place.line for line in reading.lines} | {bad.place.line for bad in reading.bad}
    heading = ""
    lines: list[tuple[str, int, str]] = []
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            heading = document.lines[block.start].strip().strip("# ")
        elif block.kind in _PROSE and block.start + 1 not in taken:
            lines += [(heading, *line) for line in _lines_of(document.lines, block)]
    for title, found in groupby(lines, key=lambda line: line[0]):
        rows = ((number, said) for _, number, said in found)
        for part in _packed(rows, lambda row: f"{row[0]}| {row[1]}\n", MOST_TOKENS - _OVERLAP):
            yield ProseSection(reading.log, title, tuple(part))


def _lines_of(lines: Sequence[str], block: Block) -> Iterator[tuple[int, str]]:
    for number in range(block.start + 1, block.end + 1):
        said = _QUOTED.sub("", lines[number - 1].strip()).strip()
        if said and len(said) <= _LONGEST_LINE:
            yield number, said


def distilled_keys(text: str, by: str = DISTILLED) -> set[str]:
    """The keys of the sections that a distilled log marks as read, by reader."""
    return {key for who, keys in _KEYS.findall(text) if who == by for key in keys.split()}


def append_lines(logs: ProseLogs, log: str, lines: Iterable[str], keys: Iterable[str], by: str) -> str:
    """Append lines to a distilled log, with a mark that names the sections they are of; gives why that could not be done."""
    day = log.removeprefix(f"{FOLDER}/").removesuffix(".md")
    opening = "" if logs.text(log) else f"# {day}, distilled\n\n## Retain\n"
    mark = f"<!-- {by} {' '.join(dict.fromkeys(keys))} -->"
    try:
        logs.append(log, "\n".join([opening, *lines, "", mark, ""]))
    except BankError as problem:
        return str(problem)
    return ""
