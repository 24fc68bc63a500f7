"""Links keep to the points that they name: they follow what a plan moves in the same plan, or the memory stays.

Only references to what a plan touches are looked at; the graph knows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bankd.core.edits.operations import Append, Operation, Piece, Relink, Remove
from bankd.core.edits.transaction import Transaction
from bankd.core.links.linking import Link
from bankd.core.links.points import LinkScene, place_in
from bankd.core.markdown.anchors import Outline, outline_of
from bankd.core.markdown.names import BANK, is_outside
from bankd.core.markdown.pages import read_page
from bankd.core.markdown.scanner import decode_text, scan_text
from bankd.core.pages.block_links import (
    Followed,
    Following,
    Moving,
    follow_blocks,
    follow_headings,
    loses_places,
    relink_operations,
)
from bankd.core.pages.rearrange import read_source, reference_name, reference_rewriter
from bankd.core.pages.rebasing import rebase_links
from bankd.core.plan.check import foresee_pages
from bankd.core.plan.plan import Plan
from bankd.ports.bank import Graph

Read = Callable[[str], bytes | None]
Announce = Callable[[Sequence[Link]], None]
"""Hears of the links that will lead nowhere, before a command acts."""


def say_nothing(dangling: Sequence[Link]) -> None:
    """Announce to nobody."""


def relink_plan(plan: Plan, graph: Graph, read: Read) -> Plan:
    """Let links follow what a plan moves, and lead on from it; a memory that a link cannot follow stays, and is named."""
    plan = _rebase_restored(plan.into_archive(graph.names), graph, read)
    following = follow_links(plan.operations, graph, read, plan.heirs, plan.written_links)
    stuck = {_memory_named(link, graph, read): link for link in following.dangling}
    going = {source.id for source in plan.taken_out}
    if not going & stuck.keys():
        stuck = {item.was: item.link for item in _breaking(plan, following.followed, graph, read)}
    staying = going & stuck.keys()
    if not staying:
        deleted = tuple(stray for stray in graph.strays() if stray.block in plan.deleted) if plan.deleted else ()
        is_same = (following.followed, deleted) == (plan.followed, plan.dead_links)
        return plan if is_same else plan.with_(followed=following.followed, dead_links=deleted)
    reasons = (f"{id_} stays: {_place(stuck[id_])} links to it and cannot follow" for id_ in sorted(staying))
    less = plan.without(staying).with_(warnings=(*plan.warnings, *reasons))
    return relink_plan(less, graph, read)


def _breaking(plan: Plan, followed: Sequence[Followed], graph: Graph, read: Read) -> list[Followed]:
    """Those of these links that would break others by following: what links to the headings in which they stand."""
    if not followed:
        return []
    dead = find_dead_links((*plan.operations, *relink_operations(followed)), graph, read)
    pages = {target.path for link in dead if (target := graph.scene.target(link))}
    return [item for item in followed if item.link.source in pages]


def _rebase_restored(plan: Plan, graph: Graph, read: Read) -> Plan:
    """Let what comes back from the archive refer to what it referred to, from a page that is another by now too."""
    if not plan.restored:
        return plan
    change = _foreseen(plan.operations, graph, read)
    back = (
        replace(item, placed=rebase_links(item.text, item.archive, item.page, change.before, change.after))
        for item in plan.restored
    )
    return plan.with_(restored=tuple(back))


def rebase_moved(operations: Sequence[Operation], graph: Graph, read: Read) -> tuple[Operation, ...]:
    """The same operations; the lines that they move to another page refer from there to what they referred to."""
    removals = (op for op in operations if isinstance(op, Remove) and op.elsewhere)
    homes = {(op.elsewhere, piece.key): op.path for op in removals for piece in op.pieces}
    change = _foreseen(tuple(operations), graph, read)

    def rebased(path: str, piece: Piece) -> Piece:
        home = homes.get((path, piece.key), path)
        return replace(piece, text=rebase_links(piece.text, home, path, change.before, change.after))

    return tuple(
        replace(op, pieces=tuple(rebased(op.path, piece) for piece in op.pieces)) if isinstance(op, Append) else op
        for op in operations
    )


def _memory_named(link: Link, graph: Graph, read: Read) -> str:
    """The memory in whose lines the place is that a link names; empty for none."""
    target = graph.scene.target(link)
    outline = graph.scene.outline_of(target.path) if target else None
    place = place_in(outline, link.reference, target) if target and outline else None
    if target is None or place is None:
        return ""
    entries = read_page(target.path, read(target.path) or b"").entries
    return next((e.memory.id for e in entries if e.memory.id and e.start <= place.line < e.whole_end), "")


def _place(link: Link) -> str:
    return f"{link.source}:{link.reference.line + 1}"


def follow_links(
    operations: Iterable[Operation],
    graph: Graph,
    read: Read,
    heirs: Mapping[str, str] | None = None,
    written: Mapping[tuple[str, str], str] | None = None,
) -> Following:
    """What becomes of the links to what operations touch."""
    wanted = tuple(operations)
    if not _may_break(wanted, graph):
        return Following()
    change = _foreseen(wanted, graph, read)
    links = [link for link in change.links() if change.leaves(link)]
    links += [link for page in {page for page, _ in written or {}} for link in graph.links_of(page)]
    pages = {path for path in change.texts if path.endswith(".md")}
    if links:  # a person may have copied what goes, with its id
        pages |= {path for block in _removed(wanted) for path in graph.pages_with(block) if path.startswith(BANK)}
    moving = Moving(change.before, change.after, sorted(pages), heirs or {}, written or {})
    following = follow_blocks(list(dict.fromkeys(links)), moving)
    followed = follow_headings(following.followed, graph.scene, graph.read, graph.links_into)
    return replace(following, followed=tuple(_noting_others(item, graph) for item in followed))


def _removed(operations: Iterable[Operation]) -> set[str]:
    return {piece.key for operation in operations if isinstance(operation, Remove) for piece in operation.pieces}


def _noting_others(item: Followed, graph: Graph) -> Followed:
    """Say whether the file has other references that are written like the new one."""
    now = reference_name(replace(item.link.reference, target=item.target))
    return replace(
        item, is_alone=all(reference_name(link.reference) != now for link in graph.links_of(item.link.source))
    )


def find_dead_links(operations: Iterable[Operation], graph: Graph, read: Read) -> list[Link]:
    """The references that would lead less far after operations, as these leave them."""
    wanted = tuple(operations)
    if not _may_break(wanted, graph):
        return []
    change = _foreseen(wanted, graph, read)
    return [link for link in change.links() if change.is_dead(link)]


def _may_break(operations: Iterable[Operation], graph: Graph) -> bool:
    """Whether operations can break a link: those that only add can by taking a name twice."""
    return any(not isinstance(op, Append) or _doubles_name(op.path, graph) for op in operations)


def _doubles_name(path: str, graph: Graph) -> bool:
    return path not in graph.names and path.startswith(BANK) and bool(graph.names.named(path.rpartition("/")[2]))


@dataclass(slots=True)
class _Change:
    """The files before and after some operations, and the texts of those that they touch."""

    operations: tuple[Operation, ...]
    graph: Graph
    old: Mapping[str, bytes]
    texts: Mapping[str, str]
    _outlines: dict[str, Outline] = field(default_factory=dict)
    _names: dict[str, set[str]] = field(default_factory=dict)

    @property
    def before(self) -> LinkScene:
        return self.graph.scene

    @property
    def after(self) -> LinkScene:
        gone = self.old.keys() - self.texts.keys()
        return LinkScene(self.graph.names.changed(gone, self.texts), self._outline)

    def _outline(self, path: str) -> Outline | None:
        if path not in self.texts or not path.endswith(".md"):
            return None if path in self.old else self.graph.scene.outline_of(path)
        if path not in self._outlines:
            self._outlines[path] = outline_of(scan_text(self.texts[path]))
        return self._outlines[path]

    def is_dead(self, link: Link) -> bool:
        """Whether a reference leads less far, if it is still there, as it is written afterwards."""
        now = self._as_written(link)
        return now is not None and self.after.reach(now) < self.before.reach(link)

    def leaves(self, link: Link) -> bool:
        """Whether a reference stands in its file afterwards as it did."""
        if link.source in self.texts:
            return reference_name(link.reference) in self._names_in(link.source)
        return link.source not in self.old

    def _as_written(self, link: Link) -> Link | None:
        """A reference as it stands in its file afterwards; None when it went with its lines."""
        moved = self._moves().get((link.source, reference_name(link.reference)))
        if moved and not (link.source in self.texts and self.leaves(link)):
            return Link(link.source, replace(link.reference, target=moved))
        return link if self.leaves(link) else None

    def _names_in(self, path: str) -> set[str]:
        if path not in self._names:
            source = read_source(path, self.texts[path], self.graph.routing)
            self._names[path] = {reference_name(reference) for reference in source.references}
        return self._names[path]

    def _moves(self) -> dict[tuple[str, str], str]:
        links = (operation for operation in self.operations if isinstance(operation, Relink))
        return {(operation.path, move.old): move.new for operation in links for move in operation.moves}

    def links(self) -> Iterator[Link]:
        """The references that the operations might break."""
        known, after = self.before.outline_of, self.after
        pointed = self.graph.links_into(self.old.keys())
        targets = {target.path for link in pointed if (target := self.before.target(link))}
        less = {page for page in targets if loses_places(known(page), after.outline_of(page))}
        yield from (link for link in pointed if (target := self.before.target(link)) and target.path in less)
        yield from self.graph.links_named([path for path in self.texts if _doubles_name(path, self.graph)])


def _foreseen(operations: tuple[Operation, ...], graph: Graph, read: Read) -> _Change:
    inside = tuple(operation for operation in operations if not is_outside(operation.path))
    named = {move.target for operation in inside if isinstance(operation, Relink) for move in operation.moves}
    before = {path: data for path in {*named, *(op.path for op in inside)} if (data := read(path)) is not None}
    after = foresee_pages(Transaction("", "", inside), before, reference_rewriter(graph.routing))
    return _Change(operations, graph, before, {path: decode_text(data) for path, data in after.items()})
