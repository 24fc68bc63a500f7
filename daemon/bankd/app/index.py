"""The index for the length of a command: refreshed, asked for look-alikes, rebuilt and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from bankd.errors import IndexDamaged, StorageError
from bankd.memory.judge import ComparedMemory, said_on
from bankd.memory.new_lines import letter_pairs, share_of
from bankd.memory.route import Similar
from bankd.pages.memory import Memory
from bankd.search.bank_search import BankSearch, Indexes
from bankd.search.related import LookAlikes
from bankd.search.request import FoundRow
from bankd.words.statement import Wording

if TYPE_CHECKING:
    from bankd.workspace.catalog import PageMemoryCatalog

_T = TypeVar("_T")
_LEAST = 0.15
"""The least share of common letter pairs (Dice): below it hardly a pair of data/pairs was the same or an update."""


class RunIndex:
    """One workspace's index for the length of a command; the worker starts when a text has to be analysed."""

    def __init__(
        self,
        now: datetime,
        publish: Callable[[str, bytes], None],
        catalog: PageMemoryCatalog,
        open_search: Callable[[], BankSearch],
        *,
        is_ours: bool = True,
    ) -> None:
        """Take the time, how to write the tree file, and what opens search; `close` closes it if it `is_ours`."""
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
        """Messages about damage that was found; each is given once."""
        return self._opened.indexes.take_made_anew() if self._opened else []

    def refresh(self, now: datetime) -> Sequence[str]:
        """Bring index and tree-index.json up to date with the bank; gives messages about what was made anew or could not be."""
        refused: list[str] = []

        def publish(path: str, data: bytes) -> None:
            try:
                self._publish(path, data)
            except StorageError as problem:  # the file can be made again: nothing that was learned waits for it
                refused.append(str(problem))

        self._search.refresh(now, publish)
        return [*self._search.indexes.take_made_anew(), *refused]

    @property
    def has_more(self) -> bool:
        """Whether memories without a sentence vector are left."""
        return self._opened is not None and self._opened.has_more

    def catch_up(self, now: datetime) -> None:
        """Bring only the index up to date, for a command that may not write in the bank."""
        self._search.refresh(now, None)

    def _among(self, find: Callable[[LookAlikes], _T], nothing: _T) -> _T:
        """What is found among the look-alikes in the index as it is now; `nothing` while there is no index."""
        index = self._search.index

        def look() -> _T:
            if self._alike is None or self._state != (index.opened, index.generation):
                self._alike = LookAlikes(index) if index.open() else None
                self._state = index.opened, index.generation
            return nothing if self._alike is None else find(self._alike)

        return index.whole(self._now, look)

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[ComparedMemory]]:
        """For each new memory, by its id: the memories of the bank that look like it, as they are on their pages now."""

        def find(alike: LookAlikes) -> dict[str, Sequence[ComparedMemory]]:
            unchanged, found = self._search.index.unchanged(), dict[str, Sequence[ComparedMemory]]()
            seen: dict[int, ComparedMemory | None] = {}
            for id_, new in memories.items():
                pairs = letter_pairs(new.text)
                near = sorted(alike.near(new.text), key=lambda row: row.row)
                rows = [row for row in near if share_of(pairs, letter_pairs(row.text)) >= _LEAST]
                seen |= {row.row: self._on_page(row, unchanged) for row in rows if row.row not in seen}
                found[id_] = [one for row in rows if (one := seen[row.row])]
            return found

        return self._among(find, {})

    def nearest(self, text: str) -> Sequence[str]:
        """The ids of the memories of the bank that share words with a text; those that share most come first."""
        return self._among(lambda alike: [row.id for row in alike.near(text) if row.id], [])

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """The cosine of each pair of texts that both have sentence vectors."""
        return self._search.cosines(pairs)

    def similar_to(self, memory: Memory) -> Sequence[Similar]:
        """The memories of the bank that are most like one, best first; none while there is no index."""

        def find(alike: LookAlikes) -> list[Similar]:
            return [
                Similar(row.id or f"bank/{row.path}:{row.line}", row.path, row.tag, row.text, score, row.entities)
                for row, score in alike.similar(memory.text)
            ]

        return self._among(find, [])

    def take_apart(self, texts: Iterable[str]) -> Mapping[str, Wording]:
        """The wording of each text; the worker reads Korean."""
        return self._search.indexes.analyser.take_apart(texts)

    def close(self) -> None:
        """Close the index, and end the worker."""
        if self._opened is not None and self._is_ours:
            self._opened.close()

    def _on_page(self, row: FoundRow, unchanged: Set[str]) -> ComparedMemory | None:
        """A row of the index as a memory, if its page still has it: an old index must block nothing."""
        id_ = row.id or f"bank/{row.path}:{row.line}"
        if row.path in unchanged:
            return ComparedMemory(id_, said_on(row.path, Memory(row.text, row.tag, entities=row.entities, id=row.id)))
        there = self._catalog.memory_at(f"bank/{row.path}", row.line)
        return ComparedMemory(id_, said_on(row.path, there)) if there is not None and there.text == row.text else None


def index_state(indexes: Indexes) -> dict[str, Any]:
    """The state of the index; nothing is written."""
    try:
        facts, pending, beside = indexes.bank.facts(), indexes.pending(), indexes.sizes()
        if not facts.updated:
            raise IndexDamaged("there is none yet")  # noqa: TRY301  # told as any damage
    except IndexDamaged as damage:
        return {"usable": False, "why": f"{damage}; make it with: bankctl doctor index rebuild"}
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


def refresh_index(searching: BankSearch, now: datetime, publish: Callable[[str, bytes], None], *, anew: bool) -> str:
    """Read what changed, or everything anew while the old index answers; gives a sentence on what was done."""
    done = searching.rebuild(now) if anew else searching.refresh(now, None)
    searching.fill_vectors(now)
    searching.indexes.write_tree(publish)
    return f"pages read: {done.read}, gone: {done.removed}" + (f"; made anew: {done.why_rebuilt}" if anew else "")
