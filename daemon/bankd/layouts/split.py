"""When and how a page becomes a hub with parts: a layout, made of the page alone and of the names that are taken.

A page is cut between blocks, and best between sections, entities, months or runs of list items; never inside a fence,
table, list item, paragraph, or anything that opens and closes around other blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from bankd.layouts.merge import Layout, LayoutPiece, NewPage, line_positions
from bankd.pages import page as pages
from bankd.pages.references import definitions_of, label_uses
from bankd.pages.scanner import Block, BlockKind, Document
from bankd.settings import SplitPolicy


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that stay together, with the titles of the sections in them."""

    start: int
    end: int
    titles: tuple[str, ...]


Division: TypeAlias = tuple[int, tuple[Section, ...]]
"""The line before which all stays on the hub, and the sections after that."""

_HTML_TAG = re.compile(
    r"<(/?)(div|details|section|article|aside|table|figure|blockquote|center|picture)\b[^>]*?(/?)>", re.I
)
_CONTAINER = re.compile(r"[ \t]*(:{3,})[ \t]*(\S?)")
_TOGGLES = (re.compile(r"^[ \t]*%%[ \t]*$"), re.compile(r"^[ \t]*\$\$[ \t]*$"))
_ENTITY = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\w+(?:\([^()]*\))?[ \t]+(@[\w-]+)")
_MONTH = re.compile(r"(?<!\d)(\d{4}-\d{2})-\d{2}(?!\d)")
_OPAQUE = frozenset({BlockKind.FENCE, BlockKind.CODE, BlockKind.COMMENT, BlockKind.FRONT_MATTER})
_LEAD = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.COMMENT, BlockKind.FRONT_MATTER})


def size_of(document: Document, start: int, end: int) -> int:
    """The bytes of some lines."""
    return sum(len(line.encode("utf-8", "surrogateescape")) for line in document.lines[start:end])


def _free_blocks(document: Document) -> list[Block]:
    """The outermost blocks, without those inside something that must stay together."""
    tops = [block for block in document.blocks if block.depth == 0 and block.kind is not BlockKind.BLANK]
    spans = list(_enclosures(document, tops))
    return [block for block in tops if not any(first < block.start <= last for first, last in spans)]


def _enclosures(document: Document, tops: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """First and last line of everything that opens in one block and closes in a later one."""
    open_marks: list[tuple[str, int]] = []
    for block in tops:
        if block.kind in _OPAQUE:
            continue
        for line in range(block.start, block.whole_end):
            for mark, opens in _marks(document.lines[line], open_marks):
                if opens:
                    open_marks.append((mark, line))
                elif mark in (names := [name for name, _ in open_marks]):
                    before = len(names) - 1 - names[::-1].index(mark)
                    yield open_marks[before][1], line
                    del open_marks[before:]


def _marks(line: str, open_marks: Sequence[tuple[str, int]]) -> Iterator[tuple[str, bool]]:
    """The marks that a line opens (True) and closes (False)."""
    if container := _CONTAINER.match(line):
        yield container[1], bool(container[2])
    for toggle in _TOGGLES:
        if toggle.match(line):
            yield toggle.pattern, toggle.pattern not in {mark for mark, _ in open_marks}
    for tag in _HTML_TAG.finditer(line):
        if not tag[3]:
            yield tag[2].lower(), not tag[1]


def _under_headings(
    document: Document, blocks: Sequence[Block], start: int, sections: list[Section], room: int
) -> Division | None:
    """Sections by heading; an opening that is too long for the hub is divided by its own blocks."""
    opening_end = sections[0].start
    whole = size_of(document, opening_end, sections[-1].end)
    packed = _packed(document, sections, min(room, whole) // 2)  # a small page has several parts too
    if size_of(document, start, opening_end) > room:
        before = [block for block in blocks if block.start < opening_end]
        if opening := _by_items(document, before, opening_end, room * 3 // 4):
            return opening[0], opening[1] + packed
    return (opening_end, packed) if len(packed) > 1 or opening_end > start else None


def _by_heading(document: Document, blocks: Sequence[Block], end: int) -> list[Section]:
    """Sections at the highest level that has at least two headings; a title alone at its level stays on the hub."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    text = [block for block in blocks if block.kind is not BlockKind.FRONT_MATTER]
    if headings and text[0] is headings[0] and sum(block.level <= headings[0].level for block in headings) == 1:
        headings = headings[1:]  # the title
    for level in range(1, 7):
        heads = [block for block in headings if block.level <= level]
        if len(heads) > 1 or (heads and level == 6):
            ends = [*(block.start for block in heads[1:]), end]
            titles = [pages.heading_title(document.lines, block) for block in heads]
            return [Section(b.start, e, (t,)) for b, e, t in zip(heads, ends, titles, strict=True)]
    return []


def _by_items(document: Document, blocks: Sequence[Block], end: int, room: int) -> Division | None:
    """Sections of whole blocks: by entity or month where items stand in runs of them, else by size alone."""
    units = _glued(document, blocks)
    body = _opening(units)
    if len(units) - body < 2:
        return None
    starts = [unit.start for unit in units[body:]]
    ends = [*starts[1:], end]
    for shape in (_ENTITY, _MONTH):
        keys = [found[1] if (found := shape.search(document.lines[start])) else None for start in starts]
        runs = [(key, list(group)) for key, group in groupby(range(len(keys)), key=keys.__getitem__)]
        if all(key for key, _ in runs) and 1 < len(runs) <= len(keys) / 3:
            sections = [Section(starts[group[0]], ends[group[-1]], (str(key),)) for key, group in runs]
            return starts[0], _packed(document, sections, room // 2)
    sections = [Section(first, last, ()) for first, last in zip(starts, ends, strict=True)]
    packed = _packed(document, sections, room)
    return (starts[0], packed) if len(packed) > 1 else None


def _glued(document: Document, blocks: Sequence[Block]) -> list[Block]:
    """The blocks that begin a unit: the block after a heading (not the title) or a line with a final colon stays with it."""
    units: list[Block] = []
    held = False
    title = next((block for block in blocks if block.kind is not BlockKind.FRONT_MATTER), None)
    for block in blocks:
        if not held:
            units.append(block)
        introduces = block.kind is BlockKind.PARAGRAPH and document.lines[block.end - 1].rstrip().endswith(":")
        held = introduces or (block.kind is BlockKind.HEADING and block is not title)
    return units


def _opening(units: Sequence[Block]) -> int:
    """How many units open the page: title, description and what introduces the first list."""
    count = 0
    while count < len(units) and units[count].kind in _LEAD | {BlockKind.HEADING}:
        count += 1
    return min(1, count) if count == len(units) else count  # only prose: the first unit


def _packed(document: Document, sections: Sequence[Section], room: int) -> tuple[Section, ...]:
    """Join neighbours that are small together."""
    packed: list[Section] = []
    sizes: list[int] = []
    for section in sections:
        size = size_of(document, section.start, section.end)
        if packed and sizes[-1] + size <= room:
            packed[-1] = Section(packed[-1].start, section.end, packed[-1].titles + section.titles)
            sizes[-1] += size
        else:
            packed.append(section)
            sizes.append(size)
    return tuple(packed)


def is_own_page(path: str, data: bytes) -> bool:
    """Whether bankd wrote most memories of a page: pages that people wrote are split only on request."""
    entries = pages.read_page(path, data).entries
    return 2 * sum((entry.memory.id or "").startswith("m-") for entry in entries) > len(entries)


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes: a page of `split` is split, a part should stay below `warn`."""

    warn: int = 8 * 1024
    split: int = 15 * 1024

    @classmethod
    def of(cls, policy: SplitPolicy) -> Limits:
        """The sizes of the settings."""
        return cls(int(policy.warn_kib * 1024), int(policy.split_kib * 1024))


def plan_split(path: str, document: Document, limits: Limits, is_taken: Callable[[str], bool]) -> Layout | None:
    """Lay a page out as a hub with parts, whatever its size; None when there is no place to cut.

    A page whose parts would share a footnote or link definition has none.
    """
    return _Splitter(path, document, limits, is_taken).layout()


def is_due(document: Document, limits: Limits) -> bool:
    """Whether a page has reached the size at which it is split."""
    return size_of(document, 0, len(document.lines)) >= limits.split


class _Splitter:
    """One page while it is divided."""

    def __init__(self, path: str, document: Document, limits: Limits, is_taken: Callable[[str], bool]) -> None:
        self._path, self._document = path, document
        self._is_taken = is_taken
        self._front = pages.inherited_front_matter(document)
        self._room = max(limits.warn - len(self._front.encode("utf-8", "surrogateescape")), limits.warn // 2)
        self._line_end = pages.line_end_of(document)
        self._chosen: set[str] = set()
        self._sheets: list[NewPage] = []

    def layout(self) -> Layout | None:
        for start, end in self._ranges():
            if lines := self._divide(self._path, start, end):
                break
        else:
            return None
        opening_end, listed = lines
        rest = LayoutPiece(self._path, end, len(self._document.lines))
        pieces = (LayoutPiece(self._path, 0, opening_end), LayoutPiece(text=listed), rest)
        layout = Layout((NewPage(self._path, pieces), *self._sheets))
        return None if _parts_definitions(self._document, layout) else layout

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """The lines that may move: not the lines that stand for existing parts."""
        end = len(self._document.lines)
        listed = pages.part_lines(self._document, self._path)
        yield (max(listed) + 1 if listed else 0), end
        if listed:
            yield 0, min(listed)

    def _divide(self, hub: str, start: int, end: int) -> tuple[int, str] | None:
        """Make new pages of the parts of these lines; give the end of the opening and the hub's lines, or None."""
        blocks = [block for block in _free_blocks(self._document) if start <= block.start < end]
        if titled := _by_heading(self._document, blocks, end):
            division = _under_headings(self._document, blocks, start, titled, self._room)
        else:
            division = _by_items(self._document, blocks, end, self._room * 3 // 4)
        if division is None:
            return None
        (opening_end, sections), lines = division, []
        above = self._document.lines[opening_end - 1] if opening_end else ""
        marker = "*" if above.lstrip().startswith("- ") else "-"  # apart from a list right above
        for number, section in enumerate(sections, 1):
            title, slug = self._named(hub, section, number)
            part = pages.part_path(hub, slug, self._is_taken, self._chosen)
            lines.append(pages.part_line(hub, part, title, self._about(section), self._line_end, marker))
            self._add_part(part, section)
        return opening_end, "".join(lines)

    def _add_part(self, part: str, section: Section) -> None:
        front = (LayoutPiece(text=self._front),) if self._front else ()
        is_large = size_of(self._document, section.start, section.end) > self._room
        place = len(self._sheets)
        divided = self._divide(part, section.start, section.end) if is_large else None
        opening_end, listed = divided or (section.end, "")
        body = (LayoutPiece(self._path, section.start, opening_end), *((LayoutPiece(text=listed),) if listed else ()))
        self._sheets.insert(place, NewPage(part, (*front, *body)))

    def _named(self, hub: str, section: Section, number: int) -> tuple[str, str]:
        """The title of a part and the name of its file."""
        if not section.titles:
            name = hub.rpartition("/")[2].removesuffix(".md")
            return f"{name} {number}", f"{pages.slug_of(name)}-{number}"
        return ", ".join(map(_shown, section.titles)), pages.slug_of_titles(section.titles)

    def _about(self, section: Section) -> str:
        """A section in one line: its headings, else the number of items, paragraphs and tables."""
        blocks = [block for block in self._document.blocks if section.start <= block.start < section.end]
        headings = [_shown(pages.heading_title(self._document.lines, b)) for b in blocks if b.kind is BlockKind.HEADING]
        below = [title for title in headings if title not in set(map(_shown, section.titles))]
        if below:
            return ", ".join(below[:6]) + (", …" if len(below) > 6 else "")
        counts = (
            (sum(block.kind is kind and block.depth == 0 for block in blocks), word)
            for kind, word in ((BlockKind.ITEM, "item"), (BlockKind.PARAGRAPH, "paragraph"), (BlockKind.TABLE, "table"))
        )
        return ", ".join(f"{count} {word}{'s' * (count > 1)}" for count, word in counts if count)


def _parts_definitions(document: Document, layout: Layout) -> bool:
    """Whether a footnote or link definition would stand on another page than a line that uses it."""
    pages_of = {line: page for (_, line), (page, _) in line_positions(layout).items()}
    defined = {definition.label: pages_of[definition.start] for definition in definitions_of(document)}
    return any(pages_of[line] != defined[label] for label, line in label_uses(document) if label in defined)


def _shown(title: str) -> str:
    return pages.plain_text(pages.without_explicit_id(title))
