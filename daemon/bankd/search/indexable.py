"""The parts of a page or a log that go into the index: memories or passages with place, day and heading, and the texts to analyse.

Properties, rows of tables and code go in as plain text. Such a text is found and shown by its line, but it is not a
memory: nothing is compared with it, and it is not counted.

A log is cut into passages: each holds what stands together under a heading.
A line of a log leans on what is around it, so that a line by itself is found half as often as its section; a section of
any length is found by anything. Hence short sections go together and long ones are cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from bankd.layouts.links import mentions_of
from bankd.memory.use import UseEvent
from bankd.pages.names import day_in
from bankd.pages.page import Entry, Page, properties_of, read_page_once, with_headings
from bankd.pages.scanner import Block, BlockKind, Document, scan_text, without_hidden
from bankd.search.parts import divide_passage
from bankd.secrets.screening import screen_text
from bankd.words.analysis import AnalysisText


class IndexAnalyses(NamedTuple):
    """The analyses of texts for the index, the readings they add to the lexicon, and which are provisional.

    A reading is a run of Hangul with its terms, spaces between them.
    """

    of: Mapping[str, AnalysisText]
    readings: Mapping[str, str]
    provisional: frozenset[str]


class MemoryDates(NamedTuple):
    """Dates from events since an earlier look: by memory id, when it was learned, and when confirmed or superseded."""

    learned: Mapping[str, date]
    changed: Mapping[str, date]
    seen: str
    """How far they were read, for the next look."""
    uses: Sequence[UseEvent] = ()
    """The events of use."""


class LineQuestions(NamedTuple):
    """The questions that a memory answers, as they stand below a line of a log; empty if they were removed there."""

    log: str
    memory: str
    questions: Sequence[str]


class NewQuestions(NamedTuple):
    """Questions that changed since a look at them; `seen` says how far they were read, for the next look."""

    changed: Sequence[LineQuestions]
    seen: str
    is_all: bool = False
    """Whether these are all questions, so that earlier ones are forgotten."""


class IndexableEntry(NamedTuple):
    """One memory of a page, as search shows it."""

    line: int
    id: str | None
    tag: str | None
    hundredths: int | None
    day: date | None
    entities: tuple[str, ...]
    heading: tuple[str, ...]
    text: str
    context: str
    """Its headings and whom it is about, as one text."""
    learned: date | None = None
    """The day of its log; for a memory without events, `day`."""
    parts: tuple[str, ...] = ()
    """The texts that are analysed one by one: for a passage its lines, so that one more line costs only one analysis."""
    questions: tuple[str, ...] = ()
    """The questions below its log lines: they help to find it, and are not part of its text."""
    is_text: bool = False
    """Whether it is not a memory, but a property, a row of a table or a block of code, which can only be found."""
    mentions: tuple[str, ...] = ()
    """Its links and the memories merged into it, as `layouts.links` writes them."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of it to analyse."""
        return self.parts or (self.text,)


class IndexablePage(NamedTuple):
    """The parts of a page that go into the index: title, heading paths, and memories or passages."""

    title: str
    headings: Sequence[tuple[str, ...]]
    entries: Sequence[IndexableEntry]


def entries_of(page: Page) -> Iterator[IndexableEntry]:
    """The memories of a page that have a text."""
    for entry in page.entries:
        memory = entry.memory
        if text := without_hidden(memory.text).strip():
            heading = entry.heading or (page.title,)
            confidence = memory.confidence.hundredths if memory.confidence else None
            day = _day_of(page.path, entry)
            context = context_of(heading, memory.entities)
            yield IndexableEntry(
                entry.line, memory.id, memory.tag, confidence, day, memory.entities, heading, text, context,
                mentions=mentions_of(memory),
            )  # fmt: skip


def context_of(heading: tuple[str, ...], entities: tuple[str, ...]) -> str:
    """The headings of a memory and whom it is about, as one text."""
    return "\n".join((*heading, " ".join(entities).replace("-", " ").replace("_", " "))).strip()


@lru_cache(maxsize=256)
def nodes_of(path: str, heading: tuple[str, ...]) -> Sequence[str]:
    """The nodes that a memory stands under: folders, page, and headings as `page#Heading`."""
    parts = path.split("/")
    folders = ["/".join(parts[:count]) for count in range(1, len(parts))]
    return (*folders, path, *(f"{path}#{title}" for title in heading))


def _day_of(path: str, entry: Entry) -> date | None:
    """The day of a memory: of its confidence, else the nearest heading with a date, else in the page's path."""
    if entry.memory.confidence and entry.memory.confidence.day:
        return entry.memory.confidence.day
    return day_above(path, entry.heading)


@lru_cache(maxsize=256)
def day_above(path: str, heading: tuple[str, ...]) -> date | None:
    """The day in the nearest heading that has one, else in the path."""
    return next(filter(None, map(day_in, (*reversed(heading), path))), None)


class Refreshed(NamedTuple):
    """What a refresh of the index did; `why_rebuilt` is empty when it was not a rebuild."""

    read: int
    removed: int
    provisional: int
    why_rebuilt: str = ""


LARGE = 800
"""The most characters in a piece of code or a passage of a log; more only if a single line is longer."""
_CODE = {BlockKind.FENCE, BlockKind.CODE}
_TAGS = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->")
_CELLS = re.compile(r"(?<!\\)\|")
_HEAD = 2
"""Lines of a table above its rows: the names of its columns, and the rule below them."""


def read_bank_page(path: str, data: bytes) -> IndexablePage:
    """Read a page of memories, named from the workspace on."""
    page = read_page_once(path, data)
    entries = sorted((*entries_of(page), *texts_of(page)), key=lambda entry: entry.line)
    return IndexablePage(page.title, [heading.path for heading in page.headings], entries)


def texts_of(page: Page) -> Iterator[IndexableEntry]:
    """The properties, table rows, code and HTML of a page, with likely credentials masked."""
    for number, text in properties_of(page.document):
        yield from _text(page, number, (page.title,), text)
    for block, above in with_headings(page.document):
        heading = above or (page.title,)
        if block.kind is BlockKind.TABLE:
            yield from _rows(page, block, heading)
        elif block.kind in _CODE:
            yield from _code(page, block, heading)
        elif block.kind is BlockKind.HTML:
            yield from _html(page, block, heading)


def _rows(page: Page, block: Block, heading: tuple[str, ...]) -> Iterator[IndexableEntry]:
    """Each row of a table with the names of its columns; for a table without rows, only these names."""
    columns = _cells(page.document.lines[block.start])
    for number in range(block.start + _HEAD, block.end):
        yield from _text(page, number, heading, " | ".join(_cells(page.document.lines[number])), columns)
    if block.end - block.start <= _HEAD:
        yield from _text(page, block.start, heading, " | ".join(columns))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|")) if cell.strip()]


def _code(page: Page, block: Block, heading: tuple[str, ...]) -> Iterator[IndexableEntry]:
    """The code of a block without its fences, in pieces."""
    is_fenced = block.kind is BlockKind.FENCE
    start, held = block.start + is_fenced, list[str]()
    for number in range(block.start + is_fenced, block.end):
        line = page.document.lines[number].rstrip()
        if is_fenced and number == block.end - 1 and set(line.strip()) in ({"`"}, {"~"}):
            break
        if held and sum(map(len, held)) + len(line) > LARGE:
            yield from _text(page, start, heading, "\n".join(held))
            start, held = number, []
        held.append(line)
    yield from _text(page, start, heading, "\n".join(held))


def _html(page: Page, block: Block, heading: tuple[str, ...]) -> Iterator[IndexableEntry]:
    """The text of a block of HTML, such as a callout of Notion, without its tags; nothing of scripts and styles."""
    lines = page.document.lines[block.start : block.end]
    if not lines[0].lstrip().lower().startswith(("<script", "<style")):
        texts = [_TAGS.sub(" ", line).strip() for line in lines]
        first = next((number for number, text in enumerate(texts) if text), 0)
        yield from _text(page, block.start + first, heading, "\n".join(filter(None, texts)))


def _text(
    page: Page, number: int, heading: tuple[str, ...], text: str, columns: Sequence[str] = ()
) -> Iterator[IndexableEntry]:
    if text.strip():
        day, context = day_above(page.path, heading), context_of((*heading, *columns), ())
        yield IndexableEntry(
            number + 1, None, None, None, day, (), heading, screen_text(text, ()), context, is_text=True
        )


SMALL = 120
"""A passage with fewer characters takes the next section too, unless that has a higher level: turns each have a heading."""
_REPLY = re.compile(r"#+ \d\d:\d\d (?!user$).+")
"""The heading of a turn of an imported session that is not the user's."""
_UNREAD = {BlockKind.BLANK, BlockKind.COMMENT, BlockKind.RULE, BlockKind.REFERENCE}


class _Piece(NamedTuple):
    """Some lines of a log, from the 0-based line `start`; `level` is that of a heading, 0 of all else."""

    start: int
    text: str
    level: int
    heading: tuple[str, ...]


def read_log_page(path: str, text: str) -> IndexablePage:
    """Read a log, named by its path below `memory/`, as a page of passages."""
    pieces = list(_pieces(scan_text(text)))
    headings = tuple(piece.heading for piece in pieces if piece.level)
    title = headings[0][-1] if headings else path.rsplit("/", 1)[-1].removesuffix(".md")
    return IndexablePage(title, headings, [_entry(path, title, held) for held in _packed(pieces)])


def _pieces(document: Document) -> Iterator[_Piece]:
    for block, heading in with_headings(document):
        if block.kind is BlockKind.HEADING:
            yield _Piece(block.start, document.lines[block.start].strip(), block.level, heading)
        elif block.kind is BlockKind.FRONT_MATTER:
            yield from (_Piece(number, text, 0, ()) for number, text in properties_of(document))
        elif block.kind not in _UNREAD:
            yield from _cut(document, block, heading)


def _cut(document: Document, block: Block, heading: tuple[str, ...]) -> Iterator[_Piece]:
    """A block at its line ends, and a long line anywhere, so that no piece is much longer than a passage."""
    for number in range(block.start, block.end):
        line = without_hidden(document.lines[number]).rstrip()
        pieces = (line[at : at + LARGE] for at in range(0, len(line), LARGE))
        yield from (_Piece(number, text, 0, heading) for text in pieces if text.strip())


def _packed(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    held: list[_Piece] = []
    for piece in pieces:
        if len(held) == 1 and 0 < held[0].level < piece.level:
            held = []  # a heading right above another heading, which has its name in its path
        elif held and _begins_anew(held, piece):
            yield held
            held = []
        held.append(piece)
    if held:
        yield held


def _begins_anew(held: Sequence[_Piece], piece: _Piece) -> bool:
    size = sum(len(one.text) for one in held)
    if piece.level:
        # A reply stands with what it answers.
        is_reply = _REPLY.fullmatch(piece.text) or held[-1].text.rstrip().endswith("?")
        return size >= (LARGE // 2 if is_reply else SMALL) or piece.level < held[0].level
    return size + len(piece.text) > LARGE or piece.start == held[-1].start


def _entry(path: str, title: str, held: Sequence[_Piece]) -> IndexableEntry:
    """A passage; its own heading is left out of its text, unless there is no other text."""
    said = held[1:] if held[0].level and len(held) > 1 else held
    first, heading = said[0].start, held[0].heading or (title,)
    lines = [""] * (said[-1].start - first + 1)
    for piece in said:
        lines[piece.start - first] = piece.text
    text = "\n".join(lines)
    parts = tuple(part.said for part in divide_passage(text))
    day = day_above(path, heading)
    return IndexableEntry(first + 1, None, None, None, day, (), heading, text, context_of(heading, ()), parts=parts)
