"""The index as the story of a run knows it: refreshed, asked for look-alikes, and the door to the Kiwi worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from bankd.adapters.holdings import PageHoldings
from bankd.core.judging import Neighbour
from bankd.core.likeness import letter_pairs, may_be_alike
from bankd.core.memory import Memory
from bankd.core.query import Filters, FoundRow, Query
from bankd.core.wording import Wording
from bankd.search import read
from bankd.wiring.searching import Searching, open_search

_LOOK_ALIKES = 20
"""So many memories that share words with a new one are looked at; a twin shares nearly all of its words."""


class RunIndex:
    """One workspace's index for the length of a command; the worker starts when a text has to be analysed."""

    def __init__(
        self,
        root: Path,
        publish: Callable[[str, bytes], None],
        holdings: PageHoldings,
        searching: Searching | None = None,
    ) -> None:
        """Take the workspace, how to write the tree file, and the daemon's own search, which stays open."""
        self._root, self._publish, self._holdings = root, publish, holdings
        self._opened, self._is_ours = searching, searching is None

    @property
    def _search(self) -> Searching:
        self._opened = self._opened or open_search(self._root)
        return self._opened

    def refresh(self, now: datetime) -> Sequence[str]:
        """Bring index and tree-index.json up to date with the bank."""
        is_first = not (self._root / ".bankd" / "index").exists()
        done = self._search.refresh(now, self._publish)
        return [f"the search index was made anew: {done.why_rebuilt}"] if done.why_rebuilt and not is_first else []

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        """For each new memory, by id: the memories of the bank that look like it, read from their pages."""
        if not self._search.index.open():
            return {}
        return {id_: self._neighbours(memory) for id_, memory in memories.items()}

    def _neighbours(self, memory: Memory) -> list[Neighbour]:
        index = self._search.index
        pairs = letter_pairs(memory.text)
        rows = index.find(read(Query(memory.text), index, self._search.analyser), Filters(), _LOOK_ALIKES)
        near = [row for row in rows if may_be_alike(pairs, letter_pairs(row.text))]
        paths = index.paths({row.page for row in near})
        return [found for row in near if row.page in paths and (found := self._look(f"bank/{paths[row.page]}", row))]

    def _look(self, path: str, row: FoundRow) -> Neighbour | None:
        """Read the memory again where it stands: nothing is blocked by an index that lags behind the page."""
        memory = self._holdings.memory_at(path, row.line)
        if memory is None or memory.text != row.text:
            return None
        return Neighbour(row.id or f"{path}:{row.line}", memory)

    def take_apart(self, texts: Iterable[str]) -> Mapping[str, Wording]:
        """The wording of each text, by the worker where it is Korean."""
        return self._search.wordings.take_apart(texts)

    def close(self) -> None:
        """Let go of the index, and end the worker."""
        if self._opened is not None and self._is_ours:
            self._opened.close()
