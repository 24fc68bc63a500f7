"""The reverse of a run: to the byte where all is as the run left it, else as far as nobody has been there since.

A run that moved lines between pages is taken back whole or not at all: half of it would be parts without a hub, and
memories that stand twice. Of any other run the memories go back one by one; see `reversing`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bankd.core.edits.operations import Create, Drop, Operation, Recast, Relink, Remove, Restore, digest_of
from bankd.core.edits.recasting import pieces_of_page, recast_removals
from bankd.core.edits.spans import BOM, ids_in
from bankd.core.edits.transaction import Look, Transaction
from bankd.core.lifecycle.purge import PURGED
from bankd.core.markdown.anchors import find_place, outline_of
from bankd.core.markdown.names import Names, path_key
from bankd.core.markdown.page_lines import MemoryLines, PageLines
from bankd.core.markdown.pages import read_page
from bankd.core.markdown.scanner import decode_text, scan_text

Files = Mapping[str, bytes | None]


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run that is to be taken back: its transaction, and its files from before and as it left them."""

    transaction: Transaction
    before: Files
    after: Files


@dataclass(frozen=True, slots=True)
class Inbound:
    """A reference to a page: the file and the line in which it stands, and what it names on the page, if anything."""

    source: str
    line: int
    fragment: str = ""
    is_wiki: bool = False

    def is_alive(self, data: bytes | None) -> bool:
        """Whether it leads to something on a page of these bytes."""
        if data is None or not self.fragment:
            return data is not None
        return find_place(outline_of(scan_text(decode_text(data))), self.fragment, is_wiki=self.is_wiki) is not None


@dataclass(frozen=True, slots=True)
class PresentState:
    """The workspace as it is now: its pages, their bytes, which references lead to one, and which ids were forgotten.

    `learned_since` has the memories that were learned after the run that is to be taken back.
    """

    names: Names
    look: Look
    links_to: Callable[[str], Sequence[Inbound]]
    forgotten: Collection[str]
    learned_since: Collection[str] = ()

    def pages(self) -> list[str]:
        """All pages, in the order of their paths."""
        return sorted(self.names.paths())

    def pages_of(self, page: str) -> list[str]:
        """A page and its parts under the names that they have now, whatever their case."""
        key = path_key(page)
        below = key.removesuffix(".md") + "/"
        return [path for path in self.pages() if path_key(path) == key or path_key(path).startswith(below)]

    def stand(self, ids: Collection[str]) -> dict[str, list[MemoryLines]]:
        """Every place of these memories."""
        found: dict[str, list[MemoryLines]] = {id_: [] for id_ in ids}
        for path in self.pages() if ids else ():
            data = self.look(path) or b""
            if not ids_in(data).isdisjoint(ids):
                for id_, lines in memories_of({path: data}, with_id=True):
                    found.get(id_, []).append(lines)
        return found


@dataclass(slots=True)
class Undoing:
    """The operations that take a run back, what becomes of memories by that, and what stays as people have it now.

    `turned` has the memories that come or go: where each stood and where it will, None for nowhere. What is in
    `obstacles` forbids to take back anything.
    """

    operations: list[Operation] = field(default_factory=list)
    turned: dict[str, tuple[MemoryLines | None, MemoryLines | None]] = field(default_factory=dict)
    stays: list[str] = field(default_factory=list)
    obstacles: tuple[str, ...] = ()


def is_taken_back(past: PastRun, now: PresentState) -> bool:
    """Whether every file is as it was before the run."""
    return all(digest_of(now.look(path)) == digest_of(data) for path, data in past.before.items())


def moves_lines(transaction: Transaction) -> bool:
    """Whether a run gave pages another layout, or links another target for one: a split, merge, move, heal, or its undo.

    Links that follow a memory to another page go back with it.
    """
    carried = {removal.elsewhere for removal in _removals(transaction)}
    return any(
        isinstance(op, Create | Recast)
        or (isinstance(op, Restore) and op.is_whole)
        or (isinstance(op, Relink) and not all(move.target in carried for move in op.moves))
        for op in transaction.operations
    )


def find_obstacles(past: PastRun, now: PresentState) -> Iterator[str]:
    """Why a run cannot be taken back to the byte."""
    for path, data in past.before.items():
        if digest_of(now.look(path)) != digest_of(past.after[path]):
            yield f"{path}: {_what_happened(past.after[path], now.look(path))}"
        elif (other := now.names.file(path) or path) != path:
            yield f"{path}: {other} was made since"
        elif PURGED in decode_text(data or b""):
            yield f"{path}: a text was purged from what is kept of it"
        else:
            yield from _references(path, past, now)
    yield from _copied(past, now)


def _copied(past: PastRun, now: PresentState) -> Iterator[str]:
    """The memories of which the undo would leave one copy too many or too few, and those that were forgotten since."""
    was, left = stand_of(past.before), stand_of(past.after)
    for id_, places in now.stand(sorted(left.keys() - was.keys())).items():
        if len(places) > 1:  # of two copies, the undo would take the one that it knows
            yield f"{id_}: stands on {' and '.join(lines.page for lines in places)}"
    for id_, places in now.stand(sorted(was.keys() - left.keys())).items():
        if places or id_ in now.forgotten:
            yield f"{id_}: " + (f"stands on {places[0].page} by now" if places else "forgotten since")


def _what_happened(left: bytes | None, now: bytes | None) -> str:
    if now is None:
        return "is not there any more"
    return "was made since" if left is None else "changed since"


def _references(path: str, past: PastRun, now: PresentState) -> Iterator[str]:
    """The places outside the run that refer to what would go; links to a memory follow it, or are named elsewhere.

    The page that a rule of routing.yaml names is made when a line needs it, so a run that made it can be taken back.
    """
    was, left = past.before[path], past.after[path]
    links = now.links_to(path)
    if not moves_lines(past.transaction):
        links = [link for link in links if link.source.endswith(".md") and not link.fragment.startswith("^")]
    for link in links:
        if link.source not in past.before and link.is_alive(left) and not link.is_alive(was):
            named = f"{path}#{link.fragment}" if was is not None else path
            yield f"{link.source}:{link.line} refers to {named}, which would go"


def undo_exactly(past: PastRun) -> Undoing:
    """Give every file its bytes from before back."""
    undoing = Undoing()
    sources = {removal.elsewhere: removal for removal in _removals(past.transaction) if removal.elsewhere}
    is_whole = moves_lines(past.transaction)
    for path, data in past.before.items():
        left = past.after[path]
        if data is not None:
            undoing.operations.append(Restore(path, digest_of(left), decode_text(data), is_whole))
        elif left is not None:
            moved = sources.get(path)
            pieces, home = (moved.pieces, moved.path) if moved else ((), "")
            undoing.operations.append(Drop(path, decode_text(left), pieces, home))
    was, left_now = stand_of(past.before), stand_of(past.after)
    undoing.turned = {id_: (left_now.get(id_), was.get(id_)) for id_ in sorted(was.keys() | left_now.keys())}
    return undoing


def _removals(transaction: Transaction) -> list[Remove]:
    """What a run took out of each page, as it stood there: elsewhere its links may be written in another way."""
    found: list[Remove] = []
    for operation in transaction.operations:
        if isinstance(operation, Remove):
            found.append(operation)
        elif isinstance(operation, Recast):
            found += recast_removals(operation)
        elif isinstance(operation, Drop):
            found.append(Remove(operation.path, pieces_of_page(operation.text), operation.elsewhere))
    return found


def stand_of(files: Files) -> dict[str, MemoryLines]:
    """The memories of some files, in the order in which they stand there; one that stands twice by its first place."""
    found: dict[str, MemoryLines] = {}
    for id_, lines in memories_of(files, with_id=True):
        found.setdefault(id_, lines)
    return found


def memories_of(files: Files, *, with_id: bool = False) -> Iterator[tuple[str, MemoryLines]]:
    """The memories of some files by their ids; one without an id, unless only those `with_id` are wanted, by its place."""
    for path, data in sorted(files.items()):
        if data is not None and path.endswith(".md"):
            page = read_page(path, data.removeprefix(BOM.encode()))
            lines = PageLines(page)
            for entry in page.entries:
                if entry.memory.id or not with_id:
                    yield entry.memory.id or f"{path}:{entry.line}", lines.of(entry)
