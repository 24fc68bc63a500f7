"""What the bank and its archive hold: the catalog, brought up to date with the pages that changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import groupby

from bankd.adapters.storage.files import BankFiles
from bankd.adapters.workspace.catalog_database import CatalogDatabase, HeldMemory
from bankd.core.daemon.edit_loops import ADVICE, why_resting
from bankd.core.daemon.health import Copied
from bankd.core.daemon.settle import FileFingerprint
from bankd.core.dedup.pairs import Pairs
from bankd.core.edits.operations import digest_of
from bankd.core.edits.spans import block_key, lines_named
from bankd.core.lifecycle.decay import FADING_TAG
from bankd.core.lifecycle.retiring import Opinion
from bankd.core.markdown.memory import Memory
from bankd.core.markdown.page_lines import MemoryLines, PageLines
from bankd.core.markdown.pages import Entry, Page, holds_memories, read_page_once
from bankd.core.plan.decisions import Deferred, Undated
from bankd.errors import ConflictError

FOLDERS = ("bank", "archive")


class PageMemoryCatalog:
    """The pages of a workspace as the rules ask for them."""

    def __init__(
        self, files: BankFiles, catalog_db: CatalogDatabase, settle_seconds: float, own_writes: Mapping[str, str]
    ) -> None:
        """Ask of these files; `own_writes`, by their digests, are complete however young they are."""
        self._files, self._catalog_db, self._settle, self._own_writes = files, catalog_db, settle_seconds, own_writes
        self.resting: Mapping[str, datetime] = {}
        self._closed: dict[str, str] = {}
        self._emptied: set[str] = set()

    def refresh(self, now: datetime) -> Sequence[Deferred]:
        """Read the pages that changed; gives those that could not be read now, and why."""
        self._closed = {path: f"{why_resting(until)}; {ADVICE}" for path, until in self.resting.items()}
        self._emptied = set()
        self._catalog_db.refill = lambda: self._take_in(now)
        self._take_in(now)
        return [
            Deferred(path, reason, path in self.resting, hides_nothing=path in self._emptied)
            for path, reason in sorted(self._closed.items())
        ]

    def _take_in(self, now: datetime) -> None:
        self._catalog_db.change(lambda: self._refresh_all(now))

    def _refresh_all(self, now: datetime) -> None:
        for folder in FOLDERS:
            self._refresh(folder, now)
        for path in sorted(self._emptied - self.resting.keys()):
            if self._catalog_db.forget_covered(path):  # the user took its memories to other pages
                self._closed.pop(path, None)

    def _refresh(self, folder: str, now: datetime) -> None:
        known = self._catalog_db.fingerprints(folder)
        survey = self._files.survey(folder, now, self._settle, known)
        self._closed |= {**survey.unsettled, **survey.quarantined}
        self._emptied |= survey.emptied
        self._read_own_writes(survey.unsettled)
        for path, seen in survey.files.items():
            if known.get(path) != seen and path not in self.resting and holds_memories(path):
                self._read(path, seen)
        for path in known.keys() - survey.files.keys() - self._closed.keys():
            self._catalog_db.forget_file(path)

    def _read_own_writes(self, unsettled: Iterable[str]) -> None:
        """Read what we have just written ourselves: it is young, and complete all the same."""
        for path in sorted(self._own_writes.keys() & set(unsettled)):
            seen, data = self._files.fingerprint(path), self._files.read(path)
            if seen and data is not None and digest_of(data) == self._own_writes[path] and holds_memories(path):
                self._catalog_db.record_page(path, seen, data)

    def _read(self, path: str, seen: FileFingerprint) -> None:
        try:
            data = self._files.read(path)
        except (ConflictError, OSError) as error:
            self._closed[path] = str(error)
            return
        if data is not None:
            self._catalog_db.record_page(path, seen, data)

    def unsettled(self, now: datetime) -> Mapping[str, str]:
        """The pages of the bank that are left alone for now, each with why; one that we wrote last ourselves was read."""
        return self._files.survey("bank", now, self._settle, self._catalog_db.fingerprints("bank")).unsettled

    def pages_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """For each id that is held: the pages that hold it, relative to the workspace."""
        found = self._catalog_db.find_ids(ids)
        return {id_: tuple(held.path for held in places) for id_, places in found.items()}

    def mentions_of(self, ids: Collection[str]) -> Mapping[str, str]:
        """Of ids that no page holds: where one ends a line all the same, as in a code block, `page:line`."""
        paths = [path for folder in FOLDERS for path in self._catalog_db.fingerprints(folder)] if ids else ()
        found = ((path, lines_named(self._bytes_of(path), ids)) for path in paths)
        return {id_: f"{path}:{line}" for path, lines in found for id_, line in lines.items()}

    def _bytes_of(self, path: str) -> bytes | None:
        try:
            return self._files.read(path)
        except (ConflictError, OSError):  # whoever looks at all pages names it
            return None

    def changed_since_look(self, threshold: int, most: int | None = None) -> Mapping[str, str]:
        """The memories that are new, or say something else than when they were compared, with their text keys."""
        return self._catalog_db.compared.changed(threshold, most)

    def record_look(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that these were compared, and what was found."""
        self._catalog_db.compared.record(keys, pairs)

    def unmatched(self, most: int) -> Mapping[str, str]:
        """The memories that were compared by the rules alone, the last added first, with their text keys."""
        return self._catalog_db.compared.unmatched(most)

    def surely_alike(self, id_: str) -> Sequence[tuple[str, str]]:
        """The pairs of a memory that were found to say the same, or a newer value."""
        return self._catalog_db.compared.surely_alike(id_)

    def record_matched(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that a model looked at these, and what it found."""
        self._catalog_db.compared.record_matched(keys, pairs)

    def known_pairs(self) -> Pairs:
        """Which memories look alike, and what they are to each other."""
        return self._catalog_db.compared.pairs()

    def keep_apart(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what these are to each other."""
        self._catalog_db.compared.forget(pairs)

    def compare_again(self, ids: Iterable[str]) -> None:
        """Have these compared again by the next look."""
        self._catalog_db.compared.look_again(ids)

    def find_exact_matches(self, keys: Iterable[str]) -> Mapping[str, str]:
        """For each text key that a page of the bank holds: the id, or place, of that memory.

        The page is read again before it is believed: a line must not be blocked by a catalog that lags behind.
        """
        found = self._catalog_db.find_keys(keys)
        in_bank = {key: [held for held in places if held.path.startswith("bank/")] for key, places in found.items()}
        return {key: held.id or f"{held.path}:{held.line}" for key, places in in_bank.items() for held in places[:1]}

    def copied(self) -> Sequence[Copied]:
        """The memories that stand more than once, because the user copied them with their id."""
        return self._catalog_db.copied()

    def undated(self) -> Sequence[Undated]:
        """The confidences that the user wrote without their day, on pages that can be written now."""
        open_ = [held for held in self._catalog_db.undated() if held.path not in self._closed]
        return [Undated(held.path, held.id or block_key(text), text) for held, text in self._texts_at(open_)]

    def copies_of(self, id_: str) -> Sequence[tuple[str, str]]:
        """Wherever a memory stands, `page:line`, and its exact lines there with all that is nested in it."""
        held = self._catalog_db.find_ids([id_]).get(id_, [])
        return [(f"{copy.path}:{copy.line}", text) for copy, text in self._texts_at(held)]

    def lines_of(self, ids: Iterable[str], folder: str = "bank") -> Mapping[str, MemoryLines]:
        """The exact lines of memories on pages of the bank, or the archive, that can be written now, by id."""
        places = (held for found in self._catalog_db.find_ids(ids).values() for held in found)
        found = self._lines_at(held for held in places if held.path.startswith(f"{folder}/"))
        return {held.id: lines for held, lines in found if held.id}

    def all_lines(self, folder: str = "bank") -> Mapping[str, MemoryLines]:
        """The same of every memory with an id, in the order of pages."""
        return self.lines_of(self._catalog_db.ids(folder), folder)

    def texts_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        """Where each memory stands, `page:line`, and what it says there, wherever it is."""
        places = (places[0] for places in self._catalog_db.find_ids(ids).values())
        return {held.id: (f"{held.path}:{held.line}", text) for held, text in self._texts_at(places) if held.id}

    def pages(self, folder: str = "bank") -> Iterator[Page]:
        """Every page that holds memories."""
        return (self._page(path).page for path in self._catalog_db.count(folder))

    def lines_at(self, places: Iterable[tuple[str, int]]) -> Mapping[tuple[str, int], MemoryLines]:
        """The same of memories without an id, by page and line."""
        found = self._lines_at(HeldMemory(path, line, None) for path, line in places)
        return {(held.path, held.line): lines for held, lines in found}

    def _lines_at(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, MemoryLines]]:
        open_ = (held for held in places if held.path not in self._closed)
        return ((held, page.lines.of(entry)) for held, page, entry in self._found(open_))

    def _texts_at(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, str]]:
        return ((held, page.page.text_of(entry)) for held, page, entry in self._found(places))

    def _found(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, _Standing, Entry]]:
        """Memories where they are now, page by page: each is read and taken apart once."""
        ordered = sorted(places, key=lambda held: (held.path, held.line))
        for path, of_page in groupby(ordered, key=lambda held: held.path):
            page = self._page(path)
            for held in of_page:
                entry = page.entries.get(held.line)
                if entry is not None and entry.memory.id == held.id:
                    yield held, page, entry

    def _page(self, path: str) -> _Standing:
        """A page as it is now; taken apart once while its bytes stay the same."""
        return _read_once(path, self._files.read(path) or b"")

    def opinions(self) -> Sequence[Opinion]:
        """The opinions with a confidence on pages of the bank that can be written now."""
        found = [(held, c) for held, tag, c in self._catalog_db.confident() if tag == FADING_TAG]
        return [Opinion(held.path, held.line, held.id, c) for held, c in found if held.path not in self._closed]

    def memory_at(self, path: str, line: int) -> Memory | None:
        """The memory that begins on a line of a page, as the page is now."""
        try:
            page = self._page(path)
        except (ConflictError, OSError):
            return None
        entry = page.entries.get(line)
        return entry.memory if entry else None

    def count(self) -> int:
        """How many memories the bank holds."""
        return sum(self.sizes().values())

    def sizes(self) -> Mapping[str, int]:
        """How many memories each page of the bank holds, of those that hold any."""
        return self._catalog_db.count("bank")

    def read(self, page: str) -> bytes | None:
        """The bytes of a page relative to the workspace; None when there is none."""
        return self._files.read(page)


class _Standing:
    """A page taken apart, and its memories by the 1-based lines where they begin."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.lines = PageLines(page)
        self.entries = {entry.line: entry for entry in page.entries}


@lru_cache(maxsize=512)
def _read_once(path: str, data: bytes) -> _Standing:
    return _Standing(read_page_once(path, data))
