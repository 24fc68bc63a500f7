"""What a page of the bank says: its title, its headings, its memories and where each stands.

Reading never changes a page; `Page.document.text` is the page as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from bankd.core.markdown.hubs import part_of_line
from bankd.core.markdown.memory import Memory, parse_memory
from bankd.core.markdown.names import INBOX, is_own
from bankd.core.markdown.scanner import Block, BlockKind, Document, decode_text, document_of
from bankd.core.markdown.utf8 import MARK

_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_HEADING_TEXT = re.compile(r" {0,3}#{1,6}[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$")


class Entry(NamedTuple):
    """A memory in its page: own lines `start` to `end`, with nested blocks to `whole_end` (0-based, half open)."""

    memory: Memory
    start: int
    end: int
    whole_end: int
    heading: tuple[str, ...]
    kind: Literal["item", "paragraph"]

    @property
    def line(self) -> int:
        """The 1-based line where it begins, as editors count."""
        return self.start + 1


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with the path of the headings around it, itself last."""

    title: str
    path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file of the bank, read."""

    path: str
    document: Document
    headings: tuple[Heading, ...]
    entries: tuple[Entry, ...]

    def text_of(self, entry: Entry) -> str:
        """The exact lines of a memory with all that is nested in it."""
        return "".join(self.document.lines[entry.start : entry.whole_end]).rstrip("\r\n")

    @property
    def title(self) -> str:
        """The first heading, else the file's name."""
        return self.headings[0].title if self.headings else self.path.rsplit("/", 1)[-1].removesuffix(".md")


def read_page(path: str, data: bytes) -> Page:
    """Read a page of the bank."""
    document = document_of(decode_text(data))
    reader = _Reader(path, document)
    entries = tuple(reader.entries())
    return Page(path, document, tuple(reader.headings), entries)


@lru_cache(maxsize=32)
def read_page_once(path: str, data: bytes) -> Page:
    """Read a page of the bank by its path in the workspace, once: several steps of a run look at one that changed."""
    return read_page(path, data)


def holds_memories(path: str) -> bool:
    """Whether a page, by its path in the workspace, holds memories: in `bank/_meta/` only the inbox does."""
    page = path.removeprefix("bank/")
    return path.endswith(".md") and (page in {path, INBOX} or not is_own(page))


def heading_title(lines: tuple[str, ...], block: Block) -> str:
    """The text of a heading block, ATX or setext, without its marks."""
    first = lines[block.start].removeprefix(MARK).rstrip("\r\n")
    if found := _HEADING_TEXT.match(first):
        return found[1].strip()
    return " ".join(line.removeprefix(MARK).strip() for line in lines[block.start : block.end - 1])


class _Reader:
    """Walks the blocks once, with the headings that are open at the current one."""

    def __init__(self, path: str, document: Document) -> None:
        self._path, self._document = path, document
        self._open: list[tuple[int, str]] = []
        self._heading: tuple[str, ...] = ()
        self.headings: list[Heading] = []

    def entries(self) -> Iterator[Entry]:
        for block in self._document.blocks:
            if block.kind is BlockKind.HEADING:
                self._enter(block)
            elif block.kind in {BlockKind.ITEM, BlockKind.PARAGRAPH} and not self._stands_for_part(block):
                yield self._entry(block)

    def _enter(self, block: Block) -> None:
        title = heading_title(self._document.lines, block)
        self._open = [(level, name) for level, name in self._open if level < block.level] + [(block.level, title)]
        self._heading = tuple(name for _, name in self._open)
        self.headings.append(Heading(title, self._heading, block.start, block.end))

    def _stands_for_part(self, block: Block) -> bool:
        """A hub's line for a part is a place of the tree, not a memory."""
        is_line = block.kind is BlockKind.ITEM and block.end - block.start == 1
        return is_line and part_of_line(self._document.lines[block.start], self._path) is not None

    def _entry(self, block: Block) -> Entry:
        is_item = block.kind is BlockKind.ITEM
        first, *others = self._document.lines[block.start : block.end]
        first = first.removeprefix(MARK)
        lines = [_MARKER.sub("", first, count=1) if is_item else first, *others]
        memory = parse_memory("\n".join([line.strip(" \t\r\n") for line in lines]))
        return Entry(memory, block.start, block.end, block.whole_end, self._heading, "item" if is_item else "paragraph")
