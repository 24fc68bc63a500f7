"""The outside world of a run in dictionaries: every port of `run_cycle`, all over the same pages and logs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import accumulate

from bankd.cycle import World
from bankd.edits.inserting import block_key, lines_named
from bankd.edits.transaction import Applied, Transaction, take_step
from bankd.health.health import Copied, find_copied
from bankd.layouts.links import Link, LinkScene, Source, Stray
from bankd.layouts.merge import Layout
from bankd.layouts.rearrange import read_source, reference_rewriter
from bankd.memory.archive import Opinion
from bankd.memory.judge import Neighbour, said_on
from bankd.memory.ledger import Ledger, fold_events, make_event
from bankd.memory.new_lines import PastLine, order_by_day, past_line
from bankd.memory.plan import Deferred, Undated
from bankd.memory.provenance import HeldBack
from bankd.memory.retain import LogReading, read_log
from bankd.memory.route import PagePart, Similar, read_part
from bankd.memory.use import FADING_TAG
from bankd.pages.memory import Memory
from bankd.pages.names import Names
from bankd.pages.page import Entry, MemoryLines, Page, PageLines, parts_folder, read_page
from bankd.pages.resolve import outline_of
from bankd.pages.scanner import decode_text, encode_text, scan_text
from bankd.ports import UnreadLogs
from bankd.same import Pairs, text_key
from bankd.search.request import KeptAnswer
from bankd.words.statement import Wording, plain_wording


@lru_cache
def _read(path: str, text: str) -> Page:
    return read_page(path, encode_text(text))


@lru_cache
def _all_lines(path: str, text: str) -> PageLines:
    return PageLines(_read(path, text))


def _lines(page: Page, entry: Entry) -> MemoryLines:
    return _all_lines(page.path, page.document.text).of(entry)


class FakeDisk:
    """A workspace: its pages, by paths from `bank/` or `archive/` on, its logs, and what was done to it, in order."""

    def __init__(self, pages: Mapping[str, str] | None = None, logs: Mapping[str, str] | None = None) -> None:
        self.pages, self.logs = dict(pages or {}), dict(logs or {})
        self.closed: dict[str, str] = {}
        """Pages that cannot be read or written now, and why."""
        self.steps: list[str] = []

    @property
    def open_pages(self) -> dict[str, str]:
        return {path: text for path, text in self.pages.items() if path not in self.closed}

    def entries(self, folder: str = "") -> Iterator[tuple[Page, Entry]]:
        """Every memory below a folder, page by page."""
        for path, text in sorted(self.pages.items()):
            page = _read(path, text)
            yield from ((page, entry) for entry in page.entries if path.startswith(folder))


class FakeLogs:
    """The logs; one that was marked as read is given again when it has changed."""

    def __init__(self, disk: FakeDisk) -> None:
        self.held_back: dict[str, Sequence[HeldBack]] = {}
        self.questions: dict[str, Mapping[str, Sequence[str]]] = {}
        self._disk, self.read = disk, dict[str, str]()
        self.waiting: list[Deferred] = []
        self._lines: dict[str, Sequence[PastLine]] = {}

    def present(self) -> frozenset[str]:
        return frozenset(self._disk.logs)

    def unread(self, now: datetime, start: str = "", enough: int | None = None) -> UnreadLogs:
        new = order_by_day(log for log, text in self._disk.logs.items() if self.read.get(log) != text)
        new = new[new.index(start) if start else 0 :]
        readings = [read_log(log, self._disk.logs[log], anywhere=True) for log in new]
        sizes = list(accumulate(len(reading.lines) for reading in readings))
        read = (
            len(new)
            if enough is None
            else sum(size - len(r.lines) < enough for size, r in zip(sizes, readings, strict=True))
        )
        return UnreadLogs(readings[:read], self.waiting, new[read:])

    def note_held_back(self, lines: Mapping[str, Sequence[HeldBack]]) -> None:
        self.held_back = dict(lines)

    def note_questions(self, questions: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self.questions |= questions

    def mark_read(self, readings: Iterable[LogReading]) -> None:
        self._disk.steps.append("mark read")
        readings = list(readings)
        self.read |= {reading.log: self._disk.logs[reading.log] for reading in readings}
        self._lines |= {reading.identity: [past_line(line) for line in reading.lines] for reading in readings}

    def lines_before(self, identity: str) -> Sequence[PastLine]:
        return self._lines.get(identity, ())


class FakeRecalls:
    """What was asked for, by id."""

    def __init__(self) -> None:
        self.days: dict[str, date] = {}

    def answers(self) -> Sequence[KeptAnswer]:
        return [KeptAnswer(day, (id_,)) for id_, day in self.days.items()]


class FakeHoldings:
    """What the pages hold, read again each time; of `unseen` pages it does not know, as a stale catalog."""

    def __init__(self, disk: FakeDisk) -> None:
        self._disk = disk
        self.unseen: set[str] = set()

    def _entries(self, *, folder: str = "", is_open: bool = False) -> Iterator[tuple[Page, Entry]]:
        hidden = {*self.unseen, *(self._disk.closed if is_open else ())}
        return ((page, entry) for page, entry in self._disk.entries(folder) if page.path not in hidden)

    def refresh(self, now: datetime) -> Sequence[Deferred]:
        self._disk.steps.append("refresh holdings")
        return [Deferred(path, reason) for path, reason in sorted(self._disk.closed.items())]

    def pages_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        wanted, found = set(ids), dict[str, tuple[str, ...]]()
        for page, entry in self._entries():
            if (id_ := entry.memory.id) and id_ in wanted:
                found[id_] = (*found.get(id_, ()), page.path)
        return found

    def mentions_of(self, ids: Collection[str]) -> Mapping[str, str]:
        pages = self._disk.pages.items()
        return {id_: f"{path}:{n}" for path, text in pages for id_, n in lines_named(text.encode(), ids).items()}

    def changed_since_look(self, threshold: int, most: int | None = None) -> Mapping[str, str]:
        return {}

    def record_look(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        pass

    def known_pairs(self) -> Pairs:
        return {}

    def keep_apart(self, pairs: Iterable[tuple[str, str]]) -> None:
        pass

    def find_exact_matches(self, keys: Iterable[str]) -> Mapping[str, str]:
        wanted = set(keys)
        found = ((text_key(entry.memory), page, entry) for page, entry in self._entries(folder="bank/"))
        return {key: entry.memory.id or f"{page.path}:{entry.line}" for key, page, entry in found if key in wanted}

    def copied(self) -> Sequence[Copied]:
        places: dict[str, list[str]] = {}
        for page, entry in self._entries():
            if entry.memory.id:
                places.setdefault(entry.memory.id, []).append(f"{page.path}:{entry.line}")
        return find_copied(places)

    def undated(self) -> Sequence[Undated]:
        open_ = self._entries(folder="bank/", is_open=True)
        found = [(page, entry) for page, entry in open_ if (c := entry.memory.confidence) and c.day is None]
        texts = [(page, entry, _lines(page, entry).text) for page, entry in found]
        return [Undated(page.path, entry.memory.id or block_key(text), text) for page, entry, text in texts]

    def lines_of(self, ids: Iterable[str]) -> Mapping[str, MemoryLines]:
        wanted = set(ids)
        return {id_: lines for id_, lines in self.all_lines().items() if id_ in wanted}

    def all_lines(self) -> Mapping[str, MemoryLines]:
        open_ = self._entries(folder="bank/", is_open=True)
        return {entry.memory.id: _lines(page, entry) for page, entry in open_ if entry.memory.id}

    def opinions(self) -> Sequence[Opinion]:
        open_ = self._entries(folder="bank/", is_open=True)
        tagged = ((page, entry) for page, entry in open_ if entry.memory.tag == FADING_TAG)
        return [
            Opinion(page.path, entry.line, entry.memory.id, c)
            for page, entry in tagged
            if (c := entry.memory.confidence)
        ]

    def lines_at(self, places: Iterable[tuple[str, int]]) -> Mapping[tuple[str, int], MemoryLines]:
        wanted = set(places)
        open_ = self._entries(folder="bank/", is_open=True)
        return {at: _lines(page, entry) for page, entry in open_ if (at := (page.path, entry.line)) in wanted}

    def count(self) -> int:
        return sum(1 for _ in self._entries(folder="bank/"))

    def read(self, page: str) -> bytes | None:
        return encode_text(self._disk.pages[page]) if page in self._disk.pages else None


class FakeTransactions:
    """Writes whole transactions; what is meant for a `contested` page stays undone, with what tells of it, and is named."""

    def __init__(self, disk: FakeDisk) -> None:
        self.shut: set[str] = set()
        self._disk = disk
        self.events: list[Mapping[str, object]] = []
        self.committed: list[Transaction] = []
        self.contested: set[str] = set()

    def ledger(self) -> Ledger:
        return fold_events(self.events)

    def closed(self, paths: Collection[str]) -> Mapping[str, str]:
        return {path: "marked immutable" for path in paths if path in self.shut}

    def commit(self, transaction: Transaction) -> Applied:
        self._disk.steps.append("commit")
        self.committed.append(transaction)
        for step in transaction.steps():
            if step.path not in self.contested:
                data = take_step(step, self._look(step.path), self._look, reference_rewriter("routing.yaml")).data
                self._put(step.path, data)
        held = {entry.memory.id for _, entry in self._disk.entries()}
        self.events += [said for said in transaction.events if said["type"] != "kept" or said["memory"] in held]
        touched = {step.path for step in transaction.steps()}
        return Applied(0, conflicts=[f"{path}: the user was faster" for path in sorted(touched & self.contested)])

    def note(self, kind: str, memory: str, at: datetime, **facts: object) -> None:
        """An event from before the run."""
        self.events.append(make_event(kind, f"{memory}@{at}", at, memory=memory, **facts))

    def _look(self, path: str) -> bytes | None:
        return encode_text(self._disk.pages[path]) if path in self._disk.pages else None

    def _put(self, path: str, data: bytes | None) -> None:
        if data is None:
            self._disk.pages.pop(path, None)
        else:
            self._disk.pages[path] = decode_text(data)


def _words_of(text: str) -> set[str]:
    return {word for word in text.casefold().split() if len(word) > 1}


class FakeRunIndex:
    """Takes every memory of the bank for a look-alike of any other."""

    def __init__(self, disk: FakeDisk) -> None:
        self._disk = disk

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        known = [
            Neighbour(entry.memory.id or f"{page.path}:{entry.line}", said_on(page.path[5:], entry.memory))
            for page, entry in self._disk.entries("bank/")
        ]
        return {id_: [one for one in known if one.id != id_] for id_ in memories}

    has_more = False

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        return [None] * len(pairs)

    def similar_to(self, memory: Memory) -> Sequence[Similar]:
        """Those that share a word of two letters or more, by the share of such words."""
        words = _words_of(memory.text)
        found = [
            Similar(said.id or "", page.path.removeprefix("bank/"), said.tag, said.text, share, said.entities)
            for page, said in ((page, entry.memory) for page, entry in self._disk.entries("bank/"))
            if (share := len(words & _words_of(said.text)) / max(len(words), 1))
        ]
        return sorted(found, key=lambda one: -one.score)

    def refresh(self, now: datetime) -> Sequence[str]:
        self._disk.steps.append("refresh index")
        return []


class FakeWordings:
    """Takes texts apart by their characters alone; what it was told to get ready for is `expected`."""

    def __init__(self) -> None:
        self.expected: list[str] = []

    def expect(self, texts: Iterable[str]) -> None:
        self.expected += texts

    def take_apart(self, texts: Iterable[str]) -> Mapping[str, Wording]:
        return {text: plain_wording(text) for text in texts}


class FakeGraph:
    """The pages and what refers to what, read again each time; `moves` are those that links wait to follow."""

    def __init__(self, disk: FakeDisk) -> None:
        self._disk = disk
        self.moves: dict[str, str] = {}
        self.routing = "routing.yaml"
        self.lost: list[Stray] = []

    @property
    def names(self) -> Names:
        return Names(self._disk.pages)

    @property
    def scene(self) -> LinkScene:
        return LinkScene(self.names, lambda path: outline_of(scan_text(self._disk.pages[path])))

    def strays(self) -> Sequence[Stray]:
        return self.lost

    def pages_with(self, block: str) -> list[str]:
        return sorted(path for path, text in self._disk.pages.items() if f"^{block}" in text)

    def links_into(self, pages: Collection[str]) -> list[Link]:
        found = (link for link in self.links_named(pages) if link.reference.target.count("#"))
        return [link for link in found if (target := self.scene.target(link)) and target.path in pages]

    def links_named(self, pages: Collection[str]) -> list[Link]:
        return [link for path in self._disk.pages for link in self.links_of(path)]

    def links_of(self, page: str) -> list[Link]:
        return [Link(page, reference) for reference in self.read(page).references] if page in self._disk.pages else []

    def refresh(self) -> None:
        self._disk.steps.append("refresh graph")

    def sizes(self) -> Mapping[str, int]:
        return {path: len(encode_text(text)) for path, text in self._disk.pages.items() if path.startswith("bank/")}

    def moved(self) -> Mapping[str, str]:
        return self.moves

    def read(self, path: str) -> Source:
        return read_source(path, self._disk.pages[path])

    def is_name_taken(self, path: str) -> bool:
        return bool(self.names.named(path.rpartition("/")[2]))

    def is_hub(self, path: str) -> bool:
        return self.names.has_folder(parts_folder(path))

    def view(self, path: str) -> PagePart | None:
        text = self._disk.pages.get(path)
        return None if text is None else read_part(_read(path, text))

    def sources_for(self, layout: Layout, names: Names) -> dict[str, Source]:
        """Every page may refer to what is laid out anew."""
        return {path: self.read(path) for path in sorted(self._disk.pages)}


class FakeWorld:
    """All ports over one disk."""

    def __init__(self, pages: Mapping[str, str] | None = None, logs: Mapping[str, str] | None = None) -> None:
        self.disk = FakeDisk(pages, logs)
        self.logs, self.recalls = FakeLogs(self.disk), FakeRecalls()
        self.catalog, self.graph = FakeHoldings(self.disk), FakeGraph(self.disk)
        self.transactions, self.index = FakeTransactions(self.disk), FakeRunIndex(self.disk)
        self.wordings = FakeWordings()
        self.world = World(
            self.logs, self.catalog, self.transactions, self.index, self.wordings, self.graph, self.recalls
        )
