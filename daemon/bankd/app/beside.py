"""The indexes beside that of the bank: of the logs and of the archive, each by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from bankd.answering import Beside
from bankd.core.ranking.query import GROUPS, Hit
from bankd.errors import StorageError

if TYPE_CHECKING:
    from bankd.answering import Work
    from bankd.ports.searching import WorkspaceIndex

QUICK_PAGES = 200
"""The most changed pages that are read before an answer when no daemon does it; more wait for a run."""


class BesideIndexes:
    """The indexes of logs and archive: made by a run, or by a search where little is to be read."""

    def __init__(self, indexes: Mapping[str, WorkspaceIndex], outcome_of: Callable[[Hit], str | None]) -> None:
        """Take the indexes by the names of their groups, and who knows what became of a hit."""
        self._indexes, self._outcome_of = indexes, outcome_of

    def asked(self, groups: Collection[str], now: datetime) -> list[Beside]:
        """What to ask, of the groups that are wanted; none named wants all."""
        return [Beside(group, partial(_ask, index, now), self._outcome_of) for group, index in self._wanted(groups)]

    def _wanted(self, groups: Collection[str]) -> Iterator[tuple[str, WorkspaceIndex]]:
        return ((group, index) for group, index in self._indexes.items() if group in (groups or GROUPS))

    def state(self, now: datetime) -> list[tuple[int, int]]:
        """Open the newest state of each; gives what changes with it."""
        for index in self._indexes.values():
            index.whole(now, index.open)
        return [(index.opened, index.generation) for index in self._indexes.values()]

    def catch_up(self, groups: Collection[str], now: datetime) -> tuple[list[str], int]:
        """Read what changed where it is little; gives what there is to say, and how many pages wait."""
        found = [self._catch_up(group, index, now) for group, index in self._wanted(groups)]
        return [note for note, _ in found if note], sum(pending for _, pending in found)

    @staticmethod
    def _catch_up(group: str, index: WorkspaceIndex, now: datetime) -> tuple[str, int]:
        pending = index.whole(now, lambda: _pending(index))
        if not pending:
            return _too_large(index), 0
        if pending > QUICK_PAGES:
            missing = f"{GROUPS[group]}/ is not searchable yet: bankctl index refresh"
            return "" if index.is_there() else missing, pending
        try:
            index.whole(now, partial(index.refresh, now))
        except StorageError as problem:
            return str(problem), pending
        return _too_large(index), 0

    def refresh(self, now: datetime) -> None:
        """Bring each up to date; none is made for a folder without a page."""
        for index in self._indexes.values():
            if index.is_there() or index.pages_there():
                index.whole(now, partial(index.refresh, now))

    def rebuild(self, now: datetime) -> None:
        """Make each anew while the old one answers; none for a folder without a page, as an empty one costs every search."""
        for index in self._indexes.values():
            if index.is_there() or index.pages_there():
                index.rebuild(now)

    def take_in(self, now: datetime, paths: Collection[str]) -> None:
        """Bring those that are there up to date with these files of the workspace; a whole folder is not read here."""
        for group, index in self._indexes.items():
            if (own := paths_within(group, paths)) and index.is_there():
                index.take_in(now, own)

    def pending(self) -> int:
        """How many pages changed since they were read, or were never read; raises IndexDamaged."""
        return sum(map(_pending, self._indexes.values()))

    def sizes(self) -> dict[str, int]:
        """How many passages or memories each holds."""
        return {group: index.facts().memories for group, index in self._indexes.items()}

    def verify(self) -> None:
        """Check every file; raises IndexDamaged."""
        for index in self._indexes.values():
            index.verify()

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage, once."""
        return [said for index in self._indexes.values() for said in index.take_made_anew()]

    def close(self) -> None:
        """Let go of all files."""
        for index in self._indexes.values():
            index.close()


def _ask(index: WorkspaceIndex, now: datetime, work: Work) -> Sequence[Hit]:
    """Ask an index, if it is there; its damage is not the bank's."""
    return index.whole(now, lambda: work(index) if index.open() else ())


def _too_large(index: WorkspaceIndex) -> str:
    """What to say of files that search does not read for their size."""
    return "; ".join(f"{path} is too large to be searched: divide it" for path in index.too_large()[:3])


def _pending(index: WorkspaceIndex) -> int:
    return index.pending() if index.open() else index.pages_there()


def paths_within(group: str, paths: Collection[str]) -> list[str]:
    """Those of these files of the workspace that a group is about, named from its folder on."""
    folder = f"{GROUPS[group]}/"
    return [path.removeprefix(folder) for path in paths if path.startswith(folder)]
