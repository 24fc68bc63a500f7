"""What the bank, the archive and the logs held when a run last read them: derived, in `.bankd/catalogue.sqlite3`.

It saves reading files that did not change. It holds the places of memories, the lines of logs that wait for a person,
and which memories say the same. A damaged file is made anew from the pages; nothing is lost with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import date, datetime
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from bankd.edits.inserting import block_key, lines_named
from bankd.edits.operations import Replace, digest_of
from bankd.edits.second_look import ADVICE, match_equal, why_resting
from bankd.edits.settle import FileFingerprint
from bankd.errors import ConflictError
from bankd.health.health import Copied, find_copied
from bankd.memory.archive import HeldMemory, memory_of
from bankd.memory.judge import said_on
from bankd.memory.plan import Deferred, date_confidence
from bankd.memory.retain import HeldBack, LogPlace
from bankd.memory.undo import PURGED
from bankd.memory.use import FADING_TAG
from bankd.pages.memory import Confidence, Memory, text_key
from bankd.pages.page import Entry, MemoryLines, Page, PageLines, holds_memories, read_page_once
from bankd.same import Likeness, Pairs, Relation
from bankd.storage.disk import DerivedDatabase, storage_told
from bankd.storage.tree import BankFiles

_FORMAT = 16
_UNMATCHED = """
SELECT looked_at.id, looked_at.key FROM looked_at JOIN memories ON memories.id = looked_at.id
LEFT JOIN matched ON matched.id = looked_at.id AND matched.key = looked_at.key
WHERE matched.id IS NULL GROUP BY looked_at.id ORDER BY MAX(memories.rowid) DESC LIMIT ?
"""
_SURE = "SELECT older, newer FROM alike WHERE relation IN ('same', 'newer') AND (older = ? OR newer = ?)"
_FOUND = "INSERT OR REPLACE INTO alike VALUES (?, ?, ?, ?, ?, ?)"
_CHANGED = """
SELECT to_look_at.id, looked_at.key, MIN(memories.key) FROM to_look_at
LEFT JOIN looked_at ON looked_at.id = to_look_at.id
LEFT JOIN memories ON memories.id = to_look_at.id AND memories.path >= 'bank/' AND memories.path < 'bank0'
GROUP BY to_look_at.id LIMIT ?
"""


_BELOW = "SELECT * FROM files WHERE path >= ? AND path < ?"
_COPIED = """
SELECT id, path, line FROM memories WHERE id IN (
    SELECT id FROM memories WHERE id >= 'm-' AND id < 'm.' GROUP BY id HAVING COUNT(*) > 1
) ORDER BY path, line
"""
_KNOWN_PAIRS = """SELECT * FROM alike WHERE relation NOT IN ('same', 'near')
    OR NOT EXISTS (SELECT 1 FROM superseded WHERE old IN (older, newer)) ORDER BY older, newer"""
_ALL_IDS = "SELECT DISTINCT id FROM memories WHERE id IS NOT NULL AND path >= 'bank/' AND path < 'bank0'"
PROSE = "SELECT max(0, coalesce(sum(lines), 0)) FROM prose"
HELD_BACK = "SELECT log, line, reason, text, kind, key FROM held_back ORDER BY log, line"
_SAVED = "INSERT OR IGNORE INTO noted VALUES (?)"
_ALL_SAVED = "SELECT substr(what, 7) FROM noted WHERE what LIKE ? ORDER BY what"
_FOLDERS = ("bank", "archive")


def read_known(catalog: Path, folder: str) -> dict[str, FileFingerprint]:
    """The fingerprints of a folder's files when they were last read; empty without a catalog. Nothing is written."""
    return dict(seen_file(*row) for row in _read_only(catalog, _BELOW, (f"{folder}/", f"{folder}0")))


def read_held_back(catalog: Path) -> list[HeldBack]:
    """The lines of logs that wait for a person; none without a catalog. Nothing is written."""
    return [held_back_of(*row) for row in _read_only(catalog, HELD_BACK)]


def read_prose(catalog: Path) -> int:
    """The number of log lines that were read and not taken in; 0 without a catalog. Nothing is written."""
    return sum(count for (count,) in _read_only(catalog, PROSE))


def read_copied(catalog: Path) -> list[Copied]:
    """The memories that stand more than once; none without a catalog. Nothing is written."""
    return _copied(_read_only(catalog, _COPIED))


def read_changes(catalog: Path) -> tuple[Pairs, frozenset[str]]:
    """The pairs in which the newer memory replaces, or may replace, the older, and the ids of all memories of the bank.

    Both are empty without a catalog, and when there is no such pair, nor a question about one. Nothing is written.
    """
    rows = _read_only(catalog, "SELECT * FROM alike WHERE relation IN ('newer', 'likely') ORDER BY older, newer")
    if not rows and not _read_only(catalog, "SELECT 1 FROM noted WHERE what LIKE 'asked %' LIMIT 1"):
        return {}, frozenset()
    return _pairs_of(rows), frozenset(id_ for (id_,) in _read_only(catalog, _ALL_IDS))


def _read_only(catalog: Path, query: str, values: tuple[str, ...] = ()) -> list[Any]:
    try:
        with closing(sqlite3.connect(f"{catalog.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()
    except sqlite3.Error:
        return []


class CatalogDatabase(DerivedDatabase):
    """The catalog's file: fingerprints of files and the places of memories. `PageMemoryCatalog` and `LogFiles` read it too."""

    def __init__(self, path: Path, *, may_stay_in_memory: bool = False) -> None:
        tables = Path(__file__).with_name("catalog.sql").read_text("utf-8")
        super().__init__(path, tables, _FORMAT, may_stay_in_memory=may_stay_in_memory)

    def fingerprints(self, folder: str) -> dict[str, FileFingerprint]:
        """The fingerprints of all files below a folder of the workspace when they were read."""
        return dict(self.read(_BELOW, (f"{folder}/", f"{folder}0"), seen_file))

    def record_file(self, path: str, seen: FileFingerprint) -> None:
        """Remember the fingerprint of a file that was read."""
        self.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (path, *seen_row(seen)))

    def forget_file(self, path: str) -> None:
        """Forget a file that is gone, with its memories."""
        self.execute("DELETE FROM files WHERE path = ?", (path,))
        self.execute("DELETE FROM memories WHERE path = ?", (path,))

    def record_page(self, path: str, seen: FileFingerprint, data: bytes) -> list[str | None]:
        """Remember the memories of a page; gives the ids of those that came or changed.

        A memory whose lines did not change keeps its row and gets its new line.
        """
        page = read_page_once(path, data)
        written = [_digest(page, entry) for entry in page.entries]
        before = self.execute("SELECT rowid, line, written FROM memories WHERE path = ? ORDER BY line", (path,))
        matches = match_equal(written, (digest for _, _, digest in before))
        pairs = list(zip(page.entries, written, matches.before, strict=True))
        new = [(path, *_fields(entry), digest) for entry, digest, same in pairs if same is None]
        kept = [(entry.line, *before[same][:2]) for entry, _, same in pairs if same is not None]
        moved = [(line, row) for line, row, was in kept if line != was]
        self.execute_many("DELETE FROM memories WHERE rowid = ?", [before[number][:1] for number in matches.gone])
        self.execute_many("UPDATE memories SET line = ? WHERE rowid = ?", moved)
        self.execute_many("INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?)", new)
        self.record_file(path, seen)
        return [entry.memory.id for entry, _, same in pairs if same is None]

    def scrub(self, words: Iterable[str], memories: Iterable[str]) -> None:
        """Take these texts out, and the questions of these memories. StorageError when the disk does not take it.

        The file is written anew, because SQLite keeps the bytes of deleted rows.
        """
        asked, texts = [(memory,) for memory in memories], [(word, PURGED) for word in words]
        with storage_told(self._path):
            self.execute_many("DELETE FROM questions WHERE memory = ?", asked)
            self.execute_many("DELETE FROM alike WHERE ? IN (older, newer)", asked)
            self.execute_many("UPDATE questions SET questions = replace(questions, ?, ?)", texts)
            self.execute_many("UPDATE held_back SET text = replace(text, ?, ?)", texts)
            self.execute("VACUUM")

    def find(self, column: str, values: Iterable[str]) -> dict[str, list[HeldMemory]]:
        """The places of each `id`, or of each text `key`; those that stand nowhere are left out."""
        found: dict[str, list[HeldMemory]] = {}
        query = f"SELECT {column}, path, line, id FROM memories WHERE {column} IN ({{}}) ORDER BY path, line"  # noqa: S608  # column names are ours
        for value, *place in self.read_among(query, sorted(set(values)), lambda *row: row):
            found.setdefault(value, []).append(HeldMemory(*place))
        return found

    def forget_covered(self, path: str) -> bool:
        """Have a page read again, and forget its memories that other pages hold too. True when it held no others."""
        elsewhere = "SELECT id FROM memories WHERE id IS NOT NULL AND path <> ?"
        self.execute("UPDATE files SET size = -1 WHERE path = ?", (path,))  # its row stays: who is gone is told by it
        self.execute(f"DELETE FROM memories WHERE path = ? AND (id IS NULL OR id IN ({elsewhere}))", (path, path))  # noqa: S608  # ours
        return not self.execute("SELECT 1 FROM memories WHERE path = ?", (path,))

    def confident(self) -> list[HeldMemory]:
        """The memories of the bank that have a confidence, with it and their tags, in the order of pages."""
        return self.read(
            "SELECT path, line, id, tag, hundredths, day FROM memories"
            " WHERE hundredths IS NOT NULL AND path LIKE 'bank/%' ORDER BY path, line",
            (),
            lambda path, line, id_, tag, hundredths, day: HeldMemory(
                path, line, id_, tag, Confidence(hundredths, date.fromisoformat(day) if day else None)
            ),
        )

    def knows_relations(self) -> bool:
        """Whether `record_relations` was ever called; False in a catalog that was made anew."""
        return self.execute("SELECT 1 FROM noted WHERE what = 'superseded'") != []

    def record_relations(
        self,
        newer: Mapping[str, str],
        projects: Mapping[str, Iterable[str]],
        kept: Iterable[str],
        asked_about: Iterable[str],
    ) -> None:
        """Store for search which memories supersede others, the projects of memories, and the pages on which none fades.

        Also which memories may be superseded, as far as a person is asked about it.
        """
        self.change_rows(
            ("DELETE FROM superseded", [()]),
            ("INSERT INTO superseded VALUES (?, ?)", list(newer.items())),
            ("DELETE FROM projects", [()]),
            ("INSERT INTO projects VALUES (?, ?)", [(id_, one) for id_, some in projects.items() for one in some]),
            ("INSERT OR IGNORE INTO noted VALUES ('superseded')", [()]),
            ("DELETE FROM noted WHERE what LIKE 'kept %' OR what LIKE 'asked %'", [()]),
            ("INSERT OR IGNORE INTO noted VALUES ('kept ' || ?)", [(page,) for page in kept]),
            ("INSERT OR IGNORE INTO noted VALUES ('asked ' || ?)", [(id_,) for id_ in asked_about]),
        )

    def count(self, folder: str) -> Mapping[str, int]:
        """The number of memories on each page below a folder."""
        query = "SELECT path, COUNT(*) FROM memories WHERE path >= ? AND path < ? GROUP BY path ORDER BY path"
        return dict(self.execute(query, (f"{folder}/", f"{folder}0")))


def seen_row(seen: FileFingerprint) -> tuple[int, int, int]:
    """A fingerprint as its columns."""
    return seen.size, seen.mtime_ns, seen.inode


def seen_file(path: str, size: int, mtime_ns: int, inode: int) -> tuple[str, FileFingerprint]:
    """A path and its fingerprint, from its row."""
    return path, FileFingerprint(size, mtime_ns, inode)


def _copied(rows: Iterable[tuple[str, str, int]]) -> list[Copied]:
    places: dict[str, list[str]] = {}
    for id_, path, line in rows:
        places.setdefault(id_, []).append(f"{path}:{line}")
    return find_copied(places)


def _digest(page: Page, entry: Entry) -> bytes:
    """Equal for memories whose lines are equal, wherever they stand."""
    lines = "".join(page.document.lines[entry.start : entry.whole_end])
    return blake2b(f"{entry.kind} {lines}".encode("utf-8", "surrogateescape"), digest_size=16).digest()


def _fields(entry: Entry) -> tuple[object, ...]:
    memory, confidence = entry.memory, entry.memory.confidence
    day = confidence.day.isoformat() if confidence and confidence.day else None
    return entry.line, memory.id, text_key(memory), memory.tag, confidence and confidence.hundredths, day


def _pairs_of(rows: Iterable[Sequence[Any]]) -> Pairs:
    return {
        (older, newer): Likeness(Relation(relation), reason, bool(is_dated), score)
        for older, newer, relation, reason, is_dated, score in rows
    }


def _rows_of(pairs: Pairs) -> list[tuple[object, ...]]:
    return [(*ids, str(one.relation), safe_text(one.reason), one.is_dated, one.score) for ids, one in pairs.items()]


def held_back_of(log: str, line: int, *rest: str) -> HeldBack:
    """A line that waits, from its row."""
    return HeldBack(LogPlace(log, line), *rest)


def safe_text(text: str) -> str:
    """A text that SQLite takes: bytes that are not UTF-8 become question marks."""
    return text.encode("utf-8", "replace").decode()


class PageMemoryCatalog:
    """The pages of a workspace, read when they changed, and the answers of the catalog about them.

    It also keeps the relations that runs found between memories: the same, nearly the same, or a newer value. Triggers in
    SQLite mark memories that were added, changed or removed since they were compared.
    """

    def __init__(
        self, files: BankFiles, catalog_db: CatalogDatabase, settle_seconds: float, own_writes: Mapping[str, str]
    ) -> None:
        """`own_writes` holds the digests of files that we wrote ourselves: those are complete, however young they are."""
        self.database = catalog_db
        self._files, self._settle, self._own_writes = files, settle_seconds, own_writes
        self.resting: Mapping[str, datetime] = {}
        self._closed: dict[str, str] = {}
        self._emptied: set[str] = set()

    def refresh(self, now: datetime) -> Sequence[Deferred]:
        """Read the pages that changed. Gives those that could not be read now, and why."""
        self._closed = {path: f"{why_resting(until)}; {ADVICE}" for path, until in self.resting.items()}
        self._emptied = set()
        take_in = partial(self.database.change, lambda: self._refresh_all(now))
        self.database.refill = take_in
        take_in()
        return [
            Deferred(path, reason, path in self.resting, hides_nothing=path in self._emptied)
            for path, reason in sorted(self._closed.items())
        ]

    def _refresh_all(self, now: datetime) -> None:
        for folder in _FOLDERS:
            self._refresh(folder, now)
        for path in sorted(self._emptied - self.resting.keys()):
            if self.database.forget_covered(path):  # the user took its memories to other pages
                self._closed.pop(path, None)

    def _refresh(self, folder: str, now: datetime) -> None:
        known = self.database.fingerprints(folder)
        survey = self._files.survey(folder, now, self._settle, known)
        for path in sorted(self._own_writes.keys() & survey.unsettled.keys()):  # just written by us: complete
            ours, data = self._files.fingerprint(path), self._files.read(path)
            if ours and data is not None and digest_of(data) == self._own_writes[path]:
                survey.files[path] = ours
                del survey.unsettled[path]
        self._closed |= {**survey.unsettled, **survey.quarantined}
        self._emptied |= survey.emptied
        for path, seen in survey.files.items():
            if known.get(path) != seen and path not in self.resting and holds_memories(path):
                try:
                    if (data := self._files.read(path)) is not None:
                        changed = self.database.record_page(path, seen, data)
                        if changed and known and digest_of(data) != self._own_writes.get(path):
                            lines = [(f"lines {id_}",) for id_ in changed if id_]
                            self.database.execute_many(_SAVED, [(f"saved {path}",), *lines])
                except (ConflictError, OSError) as error:
                    self._closed[path] = str(error)
        for path in known.keys() - survey.files.keys() - self._closed.keys():
            self.database.forget_file(path)

    def saved_by_hand(self, what: Literal["saved", "lines"] = "saved") -> tuple[str, ...]:
        """The pages on which others than bankd wrote or changed memories since `told_by_hand` was called, or these memories."""
        return tuple(one for (one,) in self.database.execute(_ALL_SAVED, (f"{what} %",)))

    def told_by_hand(self) -> None:
        """A run has reported the pages that were saved by hand."""
        self.database.change_rows(("DELETE FROM noted WHERE what LIKE 'saved %' OR what LIKE 'lines %'", [()]))

    def unsettled(self, now: datetime) -> Mapping[str, str]:
        """The pages of the bank that are left alone for now, each with the reason."""
        return self._files.survey("bank", now, self._settle, self.database.fingerprints("bank")).unsettled

    def pages_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """The pages that hold each id, by paths in the workspace; ids that no page holds are left out."""
        return {id_: tuple(held.path for held in places) for id_, places in self.database.find("id", ids).items()}

    def mentions_of(self, ids: Collection[str]) -> Mapping[str, str]:
        """For ids that no page holds as a memory: where one ends a line anyway (in a code block), as `page:line`."""
        found: dict[str, str] = {}
        for path in [path for folder in _FOLDERS for path in self.database.fingerprints(folder)] if ids else ():
            with suppress(ConflictError, OSError):  # whoever looks at all pages names those that cannot be read
                found |= {id_: f"{path}:{line}" for id_, line in lines_named(self._files.read(path), ids).items()}
        return found

    def find_exact_matches(self, keys: Iterable[str], replaced: Collection[str] = ()) -> Mapping[str, str]:
        """The id, or else the place, of the memory of the bank that has each text key, before all one that was not replaced.

        Keys without one are left out.
        """
        found = self.database.find("key", keys)
        in_bank = {key: [held for held in places if held.path.startswith("bank/")] for key, places in found.items()}
        first = {key: min(places, key=lambda held: held.id in replaced) for key, places in in_bank.items() if places}
        return {key: held.id or f"{held.path}:{held.line}" for key, held in first.items()}

    def copied(self) -> Sequence[Copied]:
        """The memories that stand more than once, because the user copied them with their id."""
        return _copied(self.database.execute(_COPIED))

    def undated(self, today: date) -> Sequence[Replace]:
        """How to date the confidences that the user wrote without a day, on pages that can be written now."""
        texts = self._texts_at([one for one in self._confident() if one.confidence and one.confidence.day is None])
        return [Replace(at.path, at.id or block_key(text), text, date_confidence(text, today)) for at, text in texts]

    def copies_of(self, id_: str) -> Sequence[tuple[str, str]]:
        """Each place of a memory, `page:line`, and its exact lines there with everything nested in it."""
        held = self.database.find("id", [id_]).get(id_, [])
        return [(f"{copy.path}:{copy.line}", text) for copy, text in self._texts_at(held)]

    def lines_of(self, ids: Iterable[str], folder: str = "bank") -> Mapping[str, MemoryLines]:
        """The exact lines of memories on pages of the bank, or the archive, that can be written now, by id."""
        places = (held for found in self.database.find("id", ids).values() for held in found)
        found = self._lines_at(held for held in places if held.path.startswith(f"{folder}/"))
        return {held.id: lines for held, lines in found if held.id}

    def memories_of(self, ids: Iterable[str]) -> dict[str, Memory]:
        """The memories on pages of the bank that can be written now, by id, each with whom it is said of on its page."""
        return {id_: said_on(lines.page, memory_of(lines)) for id_, lines in self.lines_of(ids).items()}

    def all_lines(self) -> Mapping[str, MemoryLines]:
        """The exact lines of every memory of the bank with an id on pages that can be written now, by id, in the order of pages."""
        return self.lines_of(id_ for (id_,) in self.database.execute(_ALL_IDS))

    def texts_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        """The first place of each memory, `page:line`, and its text there."""
        places = (places[0] for places in self.database.find("id", ids).values())
        return {held.id: (f"{held.path}:{held.line}", text) for held, text in self._texts_at(places) if held.id}

    def plain_texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """What each memory says, without its tag, confidence, merged memories and id, and without what is nested in it."""
        places = (places[0] for places in self.database.find("id", ids).values())
        return {held.id: entry.memory.text for held, _, entry in self._found(places) if held.id}

    def pages(self, folder: str = "bank") -> Iterator[Page]:
        """Every page that holds memories."""
        return (self._page(path).page for path in self.database.count(folder))

    def lines_at(self, places: Iterable[HeldMemory]) -> Sequence[MemoryLines]:
        """The exact lines of memories at their places, as far as they still stand there."""
        return [lines for _, lines in self._lines_at(places)]

    def _lines_at(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, MemoryLines]]:
        open_ = (held for held in places if held.path not in self._closed)
        return ((held, page.lines.of(entry)) for held, page, entry in self._found(open_))

    def _texts_at(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, str]]:
        return ((held, page.page.text_of(entry)) for held, page, entry in self._found(places))

    def _found(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, _Standing, Entry]]:
        """The memories that still are where the catalog says; each page is read once."""
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

    def opinions(self) -> Sequence[HeldMemory]:
        """The opinions with a confidence on pages of the bank that can be written now."""
        return [held for held in self._confident() if held.tag == FADING_TAG]

    def _confident(self) -> Iterator[HeldMemory]:
        return (held for held in self.database.confident() if held.path not in self._closed)

    def memory_at(self, path: str, line: int) -> Memory | None:
        """The memory that begins on a line of a page, as the page is now."""
        with suppress(ConflictError, OSError):
            entry = self._page(path).entries.get(line)
            return entry.memory if entry else None
        return None

    def count(self) -> int:
        """The number of memories in the bank."""
        return sum(self.sizes().values())

    def sizes(self) -> Mapping[str, int]:
        """The number of memories on each page of the bank that holds any."""
        return self.database.count("bank")

    def read(self, page: str) -> bytes | None:
        """The bytes of a page relative to the workspace; None when there is none."""
        return self._files.read(page)

    def changed_since_look(self, threshold: int, most: int | None = None) -> Mapping[str, str]:
        """The memories of the bank that are new, or say something else than when they were compared, with their text keys."""
        found: dict[str, str] = {}

        def look() -> None:
            self._require(threshold)
            rows = self.database.execute(_CHANGED, (-1 if most is None else most,))
            self._forget_all([(id_,) for id_, before, now in rows if before is not None and before != now])
            settled = [(id_,) for id_, before, now in rows if before == now or now is None]
            self.database.execute_many("DELETE FROM to_look_at WHERE id = ?", settled)
            found.update({id_: now for id_, before, now in rows if now is not None and before != now})

        self.database.change(look)
        return found

    def _require(self, threshold: int) -> None:
        """Forget all relations if they were found with another threshold."""
        mark = f"compared from {threshold}"
        if not self.database.execute("SELECT 1 FROM noted WHERE what = ?", (mark,)):
            for table in ("looked_at", "alike", "matched", "noted WHERE what LIKE 'compared from %'"):
                self.database.execute(f"DELETE FROM {table}")  # noqa: S608  # ours
            self.database.execute("INSERT OR IGNORE INTO to_look_at SELECT id FROM memories WHERE id IS NOT NULL")
            self.database.execute("INSERT INTO noted VALUES (?)", (mark,))

    def _forget_all(self, ids: list[tuple[str]]) -> None:
        for what in ("looked_at WHERE id = ?", "matched WHERE id = ?", "alike WHERE ? IN (older, newer)"):
            self.database.execute_many(f"DELETE FROM {what}", ids)  # noqa: S608  # ours

    def record_look(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Store that these memories were compared, and the result."""
        if keys or pairs:
            self.database.change_rows(
                ("INSERT OR REPLACE INTO looked_at VALUES (?, ?)", list(keys.items())),
                ("DELETE FROM to_look_at WHERE id = ?", [(id_,) for id_ in keys]),
                (_FOUND, _rows_of(pairs)),
            )

    def unmatched(self, most: int) -> Mapping[str, str]:
        """The memories that only the rules compared, the last added first, with their text keys."""
        return dict(self.database.execute(_UNMATCHED, (most,)))

    def surely_alike(self, id_: str) -> Sequence[tuple[str, str]]:
        """The pairs of a memory that say the same, or a newer value."""
        return self.database.execute(_SURE, (id_, id_))

    def record_matched(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that a model compared these, and what it found."""
        if keys:
            self.database.change_rows(
                ("INSERT OR REPLACE INTO matched VALUES (?, ?)", list(keys.items())), (_FOUND, _rows_of(pairs))
            )

    def known_pairs(self) -> Pairs:
        """All pairs that were found, with their relations; a memory that was replaced is no near-copy of one that holds."""
        return _pairs_of(self.database.execute(_KNOWN_PAIRS))

    def keep_apart(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what was found of these pairs, in whichever order their ids stand."""
        both = [pair for one, other in pairs for pair in ((one, other), (other, one))]
        self.database.change_rows(("DELETE FROM alike WHERE older = ? AND newer = ?", both))

    def compare_again(self, ids: Iterable[str]) -> None:
        """Have these memories compared again by the next run."""
        rows = [(id_,) for id_ in ids]
        self.database.change_rows(
            ("DELETE FROM looked_at WHERE id = ?", rows), ("INSERT OR IGNORE INTO to_look_at VALUES (?)", rows)
        )


class _Standing:
    """A page taken apart, and its memories by the 1-based lines where they begin."""

    def __init__(self, path: str, data: bytes) -> None:
        self.page = read_page_once(path, data)
        self.lines = PageLines(self.page)
        self.entries = {entry.line: entry for entry in self.page.entries}


_read_once = lru_cache(maxsize=512)(_Standing)
