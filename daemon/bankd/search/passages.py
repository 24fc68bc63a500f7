"""Cuts a log into passages for the index: each holds what stands together under a heading.

A line of a log leans on what is around it, so that a line by itself is found half as often as its section; a section of
any length is found by anything. Hence short sections go together and long ones are cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bankd.pages.page import heading_title, properties_of
from bankd.pages.scanner import Block, BlockKind, Document, scan_text, without_hidden
from bankd.search.indexable import IndexableEntry, IndexablePage, context_of, day_above
from bankd.search.parts import divide_passage

LARGE = 800
"""The most characters in a passage; more only if a single line is longer."""
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
    document = scan_text(text)
    pieces = list(_pieces(document))
    headings = tuple(piece.heading for piece in pieces if piece.level)
    title = headings[0][-1] if headings else path.rsplit("/", 1)[-1].removesuffix(".md")
    return IndexablePage(title, headings, [_entry(path, title, held) for held in _packed(pieces)])


def _pieces(document: Document) -> Iterator[_Piece]:
    opened: list[tuple[int, str]] = []
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            title = heading_title(document.lines, block)
            opened = [(level, name) for level, name in opened if level < block.level] + [(block.level, title)]
            yield _Piece(block.start, document.lines[block.start].strip(), block.level, _names(opened))
        elif block.kind is BlockKind.FRONT_MATTER:
            yield from (_Piece(number, text, 0, ()) for number, text in properties_of(document))
        elif block.kind not in _UNREAD:
            yield from _cut(document, block, _names(opened))


def _names(opened: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(name for _, name in opened)


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
        is_reply = _REPLY.fullmatch(piece.text) or held[-1].text.rstrip().endswith(
            "?"
        )  # it stands with what it answers
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
