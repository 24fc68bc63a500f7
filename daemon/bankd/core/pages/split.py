"""When and how a page becomes a hub with parts: a layout, made of the page alone and of the names that are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bankd.core.edits.layout import Layout, LayoutPiece, NewPage
from bankd.core.links.references import Definition, definitions_of, label_uses
from bankd.core.markdown.hubs import (
    inherited_front_matter,
    line_end_of,
    part_line,
    part_lines,
    part_path,
    shared_head,
    slug_of,
    slug_of_titles,
)
from bankd.core.markdown.pages import heading_title, read_page
from bankd.core.markdown.policy import SplitPolicy
from bankd.core.markdown.scanner import BlockKind, Document
from bankd.core.markdown.titles import plain_text, without_explicit_id
from bankd.core.pages.split_points import Section, divide_lines, size_of, tail_start


def is_own_page(path: str, data: bytes) -> bool:
    """Whether bankd wrote most memories of a page; nobody's page is split unless somebody asks for it."""
    entries = read_page(path, data).entries
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
    """Lay a page out as a hub with parts, whatever its size; None when it has no seam."""
    return _Splitter(path, document, limits, is_taken).layout()


def is_due(document: Document, limits: Limits) -> bool:
    """Whether a page has reached the size at which it is split."""
    return size_of(document, 0, len(document.lines)) >= limits.split


class _Splitter:
    """One page, with what each of its parts needs to know."""

    def __init__(self, path: str, document: Document, limits: Limits, is_taken: Callable[[str], bool]) -> None:
        self._path, self._document = path, document
        self._is_taken = is_taken
        self._front = inherited_front_matter(document)
        self._room = max(limits.warn - len(self._front.encode("utf-8", "surrogateescape")), limits.warn // 2)
        self._line_end = line_end_of(document)
        self._definitions = definitions_of(document)
        self._uses = label_uses(document)
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
        kept = [*range(opening_end), *range(rest.start, rest.end)]
        pieces = (LayoutPiece(self._path, 0, opening_end), LayoutPiece(text=listed), rest, *self._copies(kept))
        return Layout((NewPage(self._path, pieces), *self._sheets))

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """The lines that may move: not the definitions at the end, and not the lines for parts there are already."""
        end = tail_start(self._document)
        listed = part_lines(self._document, self._path)
        yield (max(listed) + 1 if listed else 0), end
        if listed:
            yield 0, min(listed)

    def _divide(self, hub: str, start: int, end: int) -> tuple[int, str] | None:
        """Make new pages of the parts of these lines: where the opening ends, and the hub's lines; None without a seam."""
        division = divide_lines(self._document, start, end, self._room)
        if division is None:
            return None
        lines = []
        for number, section in enumerate(division.sections, 1):
            title, slug = self._named(hub, section, number)
            part = part_path(hub, slug, self._is_taken, self._chosen)
            marker = self._marker(division.opening_end)
            lines.append(part_line(hub, part, title, self._about(section), self._line_end, marker))
            self._add_part(part, section)
        return division.opening_end, "".join(lines)

    def _add_part(self, part: str, section: Section) -> None:
        front = (LayoutPiece(text=self._front),) if self._front else ()
        is_large = size_of(self._document, section.start, section.end) > self._room
        place = len(self._sheets)
        divided = self._divide(part, section.start, section.end) if is_large else None
        opening_end, listed = divided or (section.end, "")
        body = (LayoutPiece(self._path, section.start, opening_end), *((LayoutPiece(text=listed),) if listed else ()))
        copies = self._copies(range(section.start, opening_end))
        self._sheets.insert(place, NewPage(part, (*front, *body, *copies)))

    def _named(self, hub: str, section: Section, number: int) -> tuple[str, str]:
        """The title of a part and the name that it gives its file."""
        if not section.titles:
            name = hub.rpartition("/")[2].removesuffix(".md")
            return f"{name} {number}", f"{slug_of(name)}-{number}"
        return ", ".join(map(_shown, section.titles)), slug_of_titles(section.titles)

    def _marker(self, opening_end: int) -> str:
        """A list marker that does not join the hub's lines to a list right above them."""
        above = self._document.lines[opening_end - 1] if opening_end else ""
        return "*" if above.lstrip().startswith("- ") else "-"

    def _about(self, section: Section) -> str:
        """A line of what is in a section: its headings, else how much of what."""
        blocks = [block for block in self._document.blocks if section.start <= block.start < section.end]
        headings = [_shown(heading_title(self._document.lines, b)) for b in blocks if b.kind is BlockKind.HEADING]
        below = [title for title in headings if title not in set(map(_shown, section.titles))]
        if below:
            return ", ".join(below[:6]) + (", …" if len(below) > 6 else "")
        counts = (
            (sum(block.kind is kind and block.depth == 0 for block in blocks), word)
            for kind, word in ((BlockKind.ITEM, "item"), (BlockKind.PARAGRAPH, "paragraph"), (BlockKind.TABLE, "table"))
        )
        return ", ".join(f"{count} {word}{'s' * (count > 1)}" for count, word in counts if count)

    def _copies(self, own: Sequence[int]) -> tuple[LayoutPiece, ...]:
        """The definitions that these lines use and that stand elsewhere."""
        needed = [definition for definition in self._needed(own) if definition.start not in own]
        if not needed:
            return ()
        pieces = [LayoutPiece(text=shared_head(self._line_end))]
        for definition in sorted(needed, key=lambda d: (d.label.startswith("^"), d.start)):
            pieces.append(LayoutPiece(self._path, definition.start, definition.end, is_copy=True))
            if not self._document.lines[definition.end - 1].endswith("\n"):
                pieces.append(LayoutPiece(text=self._line_end))
        return tuple(pieces)

    def _needed(self, own: Sequence[int]) -> Iterable[Definition]:
        """What these lines call, and what that calls in turn."""
        needed: dict[str, Definition] = {}
        ranges: list[Sequence[int]] = [own]
        while ranges:
            lines = ranges.pop()
            called = {use.label for use in self._uses if use.line in lines}
            for definition in self._definitions:
                if definition.label in called and definition.label not in needed:
                    needed[definition.label] = definition
                    ranges.append(range(definition.start, definition.end))
        return needed.values()


def _shown(title: str) -> str:
    return plain_text(without_explicit_id(title))
