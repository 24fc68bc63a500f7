"""The index as the story of a run knows it: refreshed, asked for look-alikes, and the door to the Kiwi worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from itertools import islice

from bankd.app.search_service import SearchService
from bankd.core.language.likeness import LetterPairs, may_be_alike
from bankd.core.language.wording import Wording
from bankd.core.lifecycle.similar import NEAREST, Similar
from bankd.core.markdown.memory import Memory
from bankd.core.plan.judging import Neighbour, said_on
from bankd.core.ranking.query import Filters, FoundRow
from bankd.ports import MemoryCatalog
from bankd.search import NeighbourQueries, rank_similar

_LOOK_ALIKES = 20
"""The most memories that share words with a new one to be looked at; a twin shares nearly all of its words."""
_SIMILAR = 2 * NEAREST
"""What stands in the inbox is asked for nothing, and may be more like a new line than what has its page."""
_AT_ONCE = 500
"""New memories that are looked at together; what is found for them fits into some megabytes."""


class RunIndex:
    """One workspace's index for the length of a command; the worker starts when a text has to be analysed."""

    def __init__(
        self,
        now: datetime,
        publish: Callable[[str, bytes], None],
        catalog: MemoryCatalog,
        open_search: Callable[[], SearchService],
        *,
        is_ours: bool = True,
    ) -> None:
        """Take the moment, how to write the tree file, and what opens search: it is closed at the end if it is ours."""
        self._now, self._publish, self._catalog = now, publish, catalog
        self._open_search, self._is_ours = open_search, is_ours
        self._opened: SearchService | None = None

    @property
    def _search(self) -> SearchService:
        self._opened = self._opened or self._open_search()
        return self._opened

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage that was found."""
        return self._opened.take_made_anew() if self._opened else []

    def refresh(self, now: datetime) -> Sequence[str]:
        """Bring index and tree-index.json up to date with the bank; gives what had to be made anew."""
        self._search.refresh(now, self._publish)
        return self._search.take_made_anew()

    def catch_up(self, now: datetime) -> None:
        """Bring the index alone up to date: for one who only looks, and may not write in the bank."""
        self._search.refresh(now, None)

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        """For each new memory, by id: the memories of the bank that look like it, as they stand on their pages now."""
        return self._search.index.whole(self._now, lambda: self._neighbours_of(memories))

    def _neighbours_of(self, memories: Mapping[str, Memory]) -> dict[str, Sequence[Neighbour]]:
        if not self._search.index.open():
            return {}
        unchanged = self._search.index.unchanged()
        queries, letters = NeighbourQueries(self._search.index, self._search.analyser), LetterPairs()
        found: dict[str, Sequence[Neighbour]] = {}
        rest = iter(memories.items())
        while some := dict(islice(rest, _AT_ONCE)):
            found |= self._neighbours(some, queries, letters, unchanged)
        return found

    def _neighbours(
        self, memories: Mapping[str, Memory], queries: NeighbourQueries, letters: LetterPairs, unchanged: Set[str]
    ) -> Iterator[tuple[str, list[Neighbour]]]:
        """Those of several memories: what was found for more than one of them is fetched once."""
        index = self._search.index
        found = {id_: index.find(*queries.read(new.text), Filters(), _LOOK_ALIKES) for id_, new in memories.items()}
        rows = {row.row: (row, letters.of(row.text)) for row in index.rows([*set().union(*found.values())])}
        paths = index.paths({row.page for row, _ in rows.values()})
        for id_, new in memories.items():
            pairs = letters.of(new.text)
            near = (row for row, its in (rows[n] for n in sorted(found[id_]) if n in rows) if may_be_alike(pairs, its))
            looks = (self._look(paths[row.page], row, unchanged) for row in near if row.page in paths)
            yield id_, [look for look in looks if look]

    def _look(self, path: str, row: FoundRow, unchanged: Set[str]) -> Neighbour | None:
        """A row as a memory; nothing is blocked by an index that lags behind a page, so a changed page is read again."""
        id_ = row.id or f"bank/{path}:{row.line}"
        if path in unchanged:
            memory = Memory(row.text, row.tag, entities=row.entities, id=row.id)
            return Neighbour(id_, said_on(path, memory))
        there = self._catalog.memory_at(f"bank/{path}", row.line)
        return Neighbour(id_, said_on(path, there)) if there is not None and there.text == row.text else None

    def similar_to(self, memory: Memory) -> Sequence[Similar]:
        """The memories of the bank that are most like one, best first; none while there is no index."""
        return self._search.index.whole(self._now, lambda: self._similar_to(memory))

    def _similar_to(self, memory: Memory) -> list[Similar]:
        if not self._search.index.open():
            return []
        ranked = rank_similar(memory.text, self._search.index, self._search.analyser, self._now.date(), _SIMILAR)
        return [
            Similar(
                one.row.id or f"bank/{one.path}:{one.row.line}", one.path, one.row.tag, one.row.text, one.parts["score"]
            )
            for one in ranked
        ]

    def take_apart(self, texts: Iterable[str]) -> Mapping[str, Wording]:
        """The wording of each text, by the worker where it is Korean."""
        return self._search.take_apart(texts)

    def close(self) -> None:
        """Let go of the index, and end the worker."""
        if self._opened is not None and self._is_ours:
            self._opened.close()
