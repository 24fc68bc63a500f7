"""What comes back from the archive: only what a person asks for, to the place it came from, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bankd.core.edits.operations import Append, Operation, Piece, Remove
from bankd.core.edits.spans import unix_text
from bankd.core.lifecycle.archive import PageContents, Tombstone, restore_place
from bankd.core.lifecycle.events import Event
from bankd.core.markdown.page_lines import MemoryLines
from bankd.core.markdown.pages import Page


@dataclass(frozen=True, slots=True)
class Restored:
    """A memory that leaves the archive: its page there, its exact lines, and where they go.

    `placed` has the lines as the page has to have them, where that is not as they were.
    """

    id: str
    archive: str
    text: str
    page: str
    heading: tuple[str, ...]
    after: tuple[str, ...]
    before: tuple[str, ...]
    is_apart: tuple[bool, bool] | None = None
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """How links to it were written before it went: by their file and their present words."""
    placed: str = ""

    @property
    def operations(self) -> tuple[Operation, Operation]:
        """Into the bank first, then out of the archive."""
        piece = Piece(self.id, unix_text(self.text))
        heading = self.heading[-1] if len(self.heading) > 1 else ""
        title = self.heading[0] if self.heading else ""
        there = Piece(self.id, unix_text(self.placed or self.text))
        back = Append(self.page, heading, (there,), title, self.after, self.before, self.is_apart)
        return back, Remove(self.archive, (piece,), self.page)


def plan_restoring(
    id_: str,
    lines: MemoryLines,
    tombstone: Event | None,
    contents: Mapping[str, PageContents],
    name_now: Callable[[str], str] = str,
) -> Restored:
    """A memory on its way back; without a tombstone it goes where the place in the archive points.

    `name_now` gives the present path of the page it was on.
    """
    stone = _tombstone(id_, lines, tombstone)
    stone = replace(stone, page=name_now(stone.page))
    page, heading = restore_place(stone, contents)
    gaps = tombstone.get("is_apart") if tombstone else None
    is_apart = (bool(gaps[0]), bool(gaps[1])) if isinstance(gaps, list | tuple) and len(gaps) == 2 else None
    links = written_links(tombstone or {})
    return Restored(id_, lines.page, lines.text, page, heading, stone.after, stone.before, is_apart, links)


def _tombstone(id_: str, lines: MemoryLines, event: Event | None) -> Tombstone:
    if event is None or not event.get("page"):
        return Tombstone("bank/" + lines.page.removeprefix("archive/"), lines.heading)
    heading = tuple(str(title) for title in event.get("heading") or ())
    return Tombstone(str(event["page"]), heading, _ids(event.get("after")), _ids(event.get("before")))


def written_links(tombstone: Event) -> dict[tuple[str, str], str]:
    """How the links were written that led to an archived memory: by their file and their present words."""
    links = tombstone.get("links")
    rows = [row for row in links if len(row) == 3] if isinstance(links, list | tuple) else []
    parted = ((str(page), *str(was).partition(" ")[::2], str(now)) for page, was, now in rows)
    return {(page, f"{kind} {now}"): words for page, kind, words, now in parted}


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),) if value else ()


def read_contents(page: Page) -> PageContents:
    """A page as restoring sees it."""
    ids = tuple(entry.memory.id for entry in page.entries if entry.memory.id)
    return PageContents(page.path, tuple(heading.path for heading in page.headings), ids)
