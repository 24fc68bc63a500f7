"""A first, cheap look at whether two texts can be alike at all, before they are taken apart into morphemes.

The index as the story of a run knows it: refreshed, asked for look-alikes, and the door to the Kiwi worker.

The search index on request: how it stands, made anew, checked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from functools import lru_cache
from itertools import count
from operator import add
from typing import Any, NamedTuple

from bankd.errors import IndexDamaged, StorageError
from bankd.memory.judge import Neighbour, said_on
from bankd.memory.route import Similar
from bankd.pages.memory import Memory
from bankd.ports import MemoryCatalog
from bankd.search.bank_search import BankSearch, Indexes
from bankd.search.look_alikes import LookAlike, LookAlikes
from bankd.search.request import FoundRow
from bankd.words.statement import Wording

_LETTERS = re.compile(r"[\W_]+")

LEAST = 0.15
"""The share of common letter pairs (Dice) below which hardly a pair of data/pairs was found to be the same or changed."""


class Pairs(NamedTuple):
    """The pairs of neighbouring letters of a text, a bit for each, and how many they are."""

    bits: int
    many: int

    def may_be_alike(self, other: Pairs) -> bool:
        """Whether two texts share enough pairs to be worth a close look."""
        return 2 * (self.bits & other.bits).bit_count() >= LEAST * (self.many + other.many)


class LetterPairs:
    """Finds the pairs of texts: what two texts share is counted in one step."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.of = lru_cache(maxsize=10_000)(self._of)  # the same memories are found for many lines of a run

    def _of(self, text: str) -> Pairs:
        """The pairs of a text, without spaces and punctuation; of a single letter that letter."""
        letters = _LETTERS.sub("", text.casefold())
        numbers = [*map(self._numbers.__getitem__, {*map(add, letters, letters[1:])} or {letters})]
        octets = bytearray(max(numbers) // 8 + 1)
        for number in numbers:
            octets[number >> 3] |= 1 << (number & 7)
        return Pairs(int.from_bytes(octets, "little"), len(numbers))


class RunIndex:
    """One workspace's index for the length of a command; the worker starts when a text has to be analysed."""

    def __init__(
        self,
        now: datetime,
        publish: Callable[[str, bytes], None],
        catalog: MemoryCatalog,
        open_search: Callable[[], BankSearch],
        *,
        is_ours: bool = True,
    ) -> None:
        """Take the moment, how to write the tree file, and what opens search: it is closed at the end if it is ours."""
        self._now, self._publish, self._catalog = now, publish, catalog
        self._open_search, self._is_ours = open_search, is_ours
        self._opened: BankSearch | None = None
        self._alike: LookAlikes | None = None
        self._state = (0, 0)

    @property
    def _search(self) -> BankSearch:
        self._opened = self._opened or self._open_search()
        return self._opened

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage that was found."""
        return self._opened.indexes.take_made_anew() if self._opened else []

    def refresh(self, now: datetime) -> Sequence[str]:
        """Bring index and tree-index.json up to date with the bank; gives what had to be made anew, or could not be."""
        refused: list[str] = []

        def publish(path: str, data: bytes) -> None:
            try:
                self._publish(path, data)
            except StorageError as problem:  # it is derived: nothing that was learned has to wait for it
                refused.append(str(problem))

        self._search.refresh(now, publish)
        return [*self._search.indexes.take_made_anew(), *refused]

    @property
    def has_more(self) -> bool:
        """Whether the last refresh left memories without a sentence vector."""
        return self._opened is not None and self._opened.has_more

    def catch_up(self, now: datetime) -> None:
        """Bring the index alone up to date: for a command that only reads and may not write in the bank."""
        self._search.refresh(now, None)

    def _look_alikes(self) -> LookAlikes | None:
        """What asks the index as it is now; None while there is none."""
        index = self._search.index
        if self._alike is None or self._state != (index.opened, index.generation):
            self._alike = LookAlikes(index) if index.open() else None
            self._state = index.opened, index.generation
        return self._alike

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        """For each new memory, by id: the memories of the bank that look like it, as they stand on their pages now."""
        return self._search.index.whole(self._now, lambda: dict(self._neighbours_of(memories)))

    def _neighbours_of(self, memories: Mapping[str, Memory]) -> Iterator[tuple[str, Sequence[Neighbour]]]:
        alike = self._look_alikes()
        if alike is None:
            return
        letters, look = LetterPairs(), _Looks(self._catalog, self._search.index.unchanged())
        for id_, new in memories.items():
            pairs = letters.of(new.text)
            near = sorted(alike.near(new.text), key=lambda one: one.row.row)
            looks = [look.at(one) for one in near if pairs.may_be_alike(letters.of(one.row.text))]
            yield id_, [one for one in looks if one]

    def nearest(self, text: str) -> Sequence[str]:
        """The ids of the memories of the bank that share words with a text, those that share most first."""
        return self._search.index.whole(self._now, lambda: self._nearest(text))

    def _nearest(self, text: str) -> list[str]:
        alike = self._look_alikes()
        return [one.row.id for one in (alike.near(text) if alike else ()) if one.row.id]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """How near the two texts of each pair are, as far as both have sentence vectors."""
        return self._search.cosines(pairs)

    def similar_to(self, memory: Memory) -> Sequence[Similar]:
        """The memories of the bank that are most like one, best first; none while there is no index."""
        return self._search.index.whole(self._now, lambda: self._similar_to(memory))

    def _similar_to(self, memory: Memory) -> list[Similar]:
        alike = self._look_alikes()
        found = alike.similar(memory.text) if alike else ()
        return [
            Similar(row.id or f"bank/{path}:{row.line}", path, row.tag, row.text, score, row.entities)
            for (row, path), score in found
        ]

    def unasked(self, most: int) -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """The memories of the bank without a question that they answer, the last added first."""
        index = self._search.index
        return index.whole(self._now, lambda: index.unasked(most))

    def expect(self, texts: Iterable[str]) -> None:
        """Have the worker load, if these need it, while other things are done."""
        self._search.indexes.wordings().expect(texts)

    def take_apart(self, texts: Iterable[str]) -> Mapping[str, Wording]:
        """The wording of each text, by the worker where it is Korean."""
        return self._search.indexes.wordings().take_apart(texts)

    def close(self) -> None:
        """Let go of the index, and end the worker."""
        if self._opened is not None and self._is_ours:
            self._opened.close()


class _Looks:
    """The memories of the bank as they stand on their pages now, each page read once."""

    def __init__(self, catalog: MemoryCatalog, unchanged: Set[str]) -> None:
        self._catalog, self._unchanged = catalog, unchanged
        self._seen: dict[int, Neighbour | None] = {}

    def at(self, found: LookAlike) -> Neighbour | None:
        """What the index found, as a memory."""
        if found.row.row not in self._seen:
            self._seen[found.row.row] = self._look(found.row, found.path)
        return self._seen[found.row.row]

    def _look(self, row: FoundRow, path: str) -> Neighbour | None:
        """Nothing is blocked by an index that lags behind a page, so a changed page is read again."""
        id_ = row.id or f"bank/{path}:{row.line}"
        if path in self._unchanged:
            memory = Memory(row.text, row.tag, entities=row.entities, id=row.id)
            return Neighbour(id_, said_on(path, memory))
        there = self._catalog.memory_at(f"bank/{path}", row.line)
        return Neighbour(id_, said_on(path, there)) if there is not None and there.text == row.text else None


def index_state(indexes: Indexes) -> dict[str, Any]:
    """How the index stands, read only."""
    try:
        facts = indexes.bank.facts()
        if not facts.updated:
            return _unusable("there is none yet")
        pending = indexes.pending()
        beside = indexes.sizes()
    except IndexDamaged as damage:
        return _unusable(str(damage))
    return {
        "usable": True,
        "memories": facts.memories,
        "generation": int(facts.generation),
        "updated": facts.updated,
        "pending": pending,
        "provisional": facts.provisional,
        "meaning": indexes.meaning_state(),
        **beside,
    }


def _unusable(why: str) -> dict[str, Any]:
    return {"usable": False, "why": f"{why}; make it with: bankctl index rebuild"}


def refresh_index(searching: BankSearch, now: datetime, publish: Callable[[str, bytes], None], *, anew: bool) -> str:
    """Read what changed, or everything anew while the old index answers; tells what was done."""
    done = searching.rebuild(now) if anew else searching.refresh(now, None)
    searching.fill_vectors()
    searching.indexes.write_tree(publish)
    return f"{done.read} pages read, {done.removed} gone" + (f"; made anew: {done.why_rebuilt}" if anew else "")


def check_index(indexes: Indexes) -> str:
    """Compare every file of the index with its checksum; tells what is wrong."""
    try:
        indexes.verify()
    except IndexDamaged as damage:
        return f"damaged: {damage}; make it anew with: bankctl index rebuild"
    return "every file is what was written"
