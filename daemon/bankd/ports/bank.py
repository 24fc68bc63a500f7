"""The memories of the bank as a run and a command know them: where each stands, what is like it, what refers to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bankd.core.daemon.health import Copied
from bankd.core.dedup.pairs import Pairs
from bankd.core.edits.layout import Layout
from bankd.core.lifecycle.follow import PagePart
from bankd.core.lifecycle.retiring import Opinion
from bankd.core.lifecycle.similar import Similar
from bankd.core.links.linking import Link, Stray
from bankd.core.links.points import LinkScene
from bankd.core.links.relink import Source
from bankd.core.markdown.memory import Memory
from bankd.core.markdown.names import Names
from bankd.core.markdown.page_lines import MemoryLines
from bankd.core.markdown.pages import Page
from bankd.core.markdown.scanner import Document
from bankd.core.plan.decisions import Deferred, Undated
from bankd.core.plan.judging import Neighbour


class MemoryCatalog(Protocol):
    """What the bank and its archive hold, without reading every page again."""

    resting: Mapping[str, datetime]
    """The pages that a run leaves alone until then, because something changes them back."""

    def refresh(self, now: datetime) -> Sequence[Deferred]:
        """Bring it up to date with the pages; gives the pages that could not be read now, and why."""

    def pages_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """For each id that is held: the pages that hold it, relative to the workspace."""

    def mentions_of(self, ids: Collection[str]) -> Mapping[str, str]:
        """Of ids that no page holds: where one ends a line all the same, as in a code block, `page:line`."""

    def find_exact_matches(self, keys: Iterable[str]) -> Mapping[str, str]:
        """For each text key that a page of the bank holds: the id, or place, of that memory."""

    def changed_since_look(self, threshold: int, most: int | None = None) -> Mapping[str, str]:
        """The memories of the bank that are new, or say something else than when they were compared, with their text keys.

        All are after a look by another threshold. What was found of these, or of memories that are gone, is forgotten.
        """

    def record_look(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that these were compared, and what was found."""

    def unmatched(self, most: int) -> Mapping[str, str]:
        """Up to so many memories that were compared by the rules alone, the last added first, with their text keys."""

    def surely_alike(self, id_: str) -> Sequence[tuple[str, str]]:
        """The pairs of a memory, older and newer, that were found to say the same, or a newer value."""

    def record_matched(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that a model looked at these, and what it found; other pairs stay as they are."""

    def known_pairs(self) -> Pairs:
        """Which memories look alike, and what they are to each other."""

    def keep_apart(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what these are to each other, in whatever order they stand."""

    def compare_again(self, ids: Iterable[str]) -> None:
        """Have these compared again by the next look."""

    def copied(self) -> Sequence[Copied]:
        """The memories that stand more than once, because the user copied them with their id."""

    def undated(self) -> Sequence[Undated]:
        """The confidences that the user wrote without their day, on pages that can be written now."""

    def lines_of(self, ids: Iterable[str], folder: str = "bank") -> Mapping[str, MemoryLines]:
        """The exact lines of memories on pages of the bank, or the archive, that can be written now, by id."""

    def all_lines(self) -> Mapping[str, MemoryLines]:
        """The same of every memory of the bank that has an id."""

    def copies_of(self, id_: str) -> Sequence[tuple[str, str]]:
        """Wherever a memory stands, `page:line`, and its exact lines there."""

    def texts_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        """Where each memory stands, `page:line`, and what it says there, wherever it is."""

    def pages(self, folder: str = "bank") -> Iterable[Page]:
        """Every page of the bank, or the archive, that holds memories."""

    def opinions(self) -> Sequence[Opinion]:
        """The opinions with a confidence on pages of the bank that can be written now."""

    def lines_at(self, places: Iterable[tuple[str, int]]) -> Mapping[tuple[str, int], MemoryLines]:
        """The same of memories without an id, by page and line."""

    def memory_at(self, path: str, line: int) -> Memory | None:
        """The memory that begins on a line of a page, as the page is now."""

    def unsettled(self, now: datetime) -> Mapping[str, str]:
        """The pages of the bank that are left alone for now, each with why; not those that we wrote last ourselves."""

    def count(self) -> int:
        """How many memories the bank holds."""

    def sizes(self) -> Mapping[str, int]:
        """How many memories each page of the bank holds, of those that hold any."""

    def read(self, page: str) -> bytes | None:
        """The bytes of a page relative to the workspace; None when there is none."""


class Index(Protocol):
    """What search reads, as a run knows it."""

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        """For each new memory, by id: the memories of the bank that look like it, read from their pages."""

    def nearest(self, text: str) -> Sequence[str]:
        """The ids of the memories of the bank that share words with a text, those that share most first."""

    @property
    def has_more(self) -> bool:
        """Whether the last refresh left memories without a sentence vector that will get one."""

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """How near the two texts of each pair are, as far as both have sentence vectors."""

    def similar_to(self, memory: Memory) -> Sequence[Similar]:
        """The memories of the bank that are most like one, best first."""

    def refresh(self, now: datetime) -> Sequence[str]:
        """Bring index and tree up to date with the bank; gives what a person should know of it."""


class Graph(Protocol):
    """Which files there are, and which refer to which."""

    @property
    def routing(self) -> str:
        """The file of routing rules, relative to the workspace."""

    @property
    def names(self) -> Names:
        """The files that a link may lead to."""

    @property
    def scene(self) -> LinkScene:
        """The files with the places in them, for asking how far references lead."""

    def links_into(self, pages: Collection[str]) -> Sequence[Link]:
        """The references to a place inside one of these pages, from the pages themselves too."""

    def strays(self) -> Sequence[Stray]:
        """The references that led to a block which is not there any more."""

    def pages_with(self, block: str) -> Sequence[str]:
        """The files in which a block of this id stands."""

    def links_to(self, path: str) -> Sequence[Link]:
        """The references that lead to a file or folder."""

    def broken(self) -> Iterable[tuple[Link, bool]]:
        """The references that lead nowhere, and whether each led somewhere once."""

    def settle(self, moved: Iterable[str]) -> None:
        """Count these pages, by their old paths, as moved no longer."""

    def document(self, path: str) -> Document:
        """A page as it is now."""

    def links_named(self, pages: Collection[str]) -> Sequence[Link]:
        """The references that may mean these pages, as far as their last word tells."""

    def links_of(self, page: str) -> Sequence[Link]:
        """The references that stand in a page."""

    def refresh(self) -> None:
        """Bring it up to date with the files that changed."""

    def sizes(self) -> Mapping[str, int]:
        """The bytes of every page of the bank."""

    def moved(self) -> Mapping[str, str]:
        """The pages that the user has moved and that links wait to follow, old path to new."""

    def read(self, path: str) -> Source:
        """A file with its references, as it is now."""

    def is_name_taken(self, path: str) -> bool:
        """Whether a new page may not have this name."""

    def is_hub(self, path: str) -> bool:
        """Whether a page may have parts."""

    def view(self, path: str) -> PagePart | None:
        """What decides whether a memory fits a page; None when there is no such page."""

    def sources_for(self, layout: Layout, names: Names) -> dict[str, Source]:
        """The pages of a layout and the files with a reference that it touches."""
