"""Lines that go to another page: what they refer to is written as it has to be there, and leads where it led.

Links keep to the points that they name: they follow what a plan moves in the same plan, or the memory stays.

Only references to what a plan touches are looked at; the graph knows them.

The chapter of a reflect run in which pages change: links follow what was moved by hand, large pages are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bankd.edits.operations import Append, Operation, Piece, Relink, Remove
from bankd.edits.transaction import Transaction
from bankd.layouts.links import Link, LinkScene, Reach, place_in
from bankd.layouts.rearrange import (
    Bank,
    Followed,
    Following,
    Moving,
    follow_blocks,
    follow_headings,
    heal_links,
    heal_strays,
    is_splittable,
    loses_places,
    read_source,
    reference_name,
    reference_rewriter,
    relink_operations,
    split_large,
)
from bankd.layouts.relink import Edit, TargetChange, choose_style, edit_line
from bankd.layouts.split import Limits, is_own_page
from bankd.memory.check import foresee_pages
from bankd.memory.plan import Deferred, Plan
from bankd.pages.anchors import Outline, outline_of
from bankd.pages.names import ARCHIVE, BANK, is_outside
from bankd.pages.page import read_page
from bankd.pages.resolve import Base, render_path, split_target
from bankd.pages.scanner import decode_text, scan_text
from bankd.ports import Graph, MemoryCatalog
from bankd.settings import Settings


def rebase_links(text: str, page: str, to: str, before: LinkScene, after: LinkScene) -> str:
    """Lines of one page as another has to have them; nothing changes around the targets."""
    page, to = _written_for(page), _written_for(to)
    if page == to:
        return text
    source = read_source(to, text)
    lines = list(source.lines)
    edits: dict[int, list[Edit]] = {}
    for reference in source.references:
        written = _rewritten(Link(page, reference), to, before, after)
        edits.setdefault(reference.line, []).append(Edit(to, page, reference, written, to))
    for number, here in edits.items():
        lines[number] = edit_line(lines[number], here)
    return "".join(lines)


def _written_for(page: str) -> str:
    """The page for which lines were written: those in the archive stay as they were in the bank."""
    return BANK + page.removeprefix(ARCHIVE) if page.startswith(ARCHIVE) else page


def _rewritten(link: Link, to: str, before: LinkScene, after: LinkScene) -> str:
    """The target on the other page; as it was where it leads to the same from there, or led nowhere, or goes along."""
    target, same = before.target(link), link.reference.target
    if target is None or not _stays(link, target.style.base, before, after):
        return same
    moved = after.target(replace(link, source=to))
    if moved and (moved.path, moved.is_folder) == (target.path, target.is_folder):
        return same
    style = choose_style(link.reference, TargetChange(target, target, link.source, to), is_inside=False)
    path = render_path(link.reference, replace(target, style=style), to, after.names)
    fragment = split_target(same)[1]
    return same if path is None else path + (f"#{fragment}" if fragment is not None else "")


def _stays(link: Link, base: Base, before: LinkScene, after: LinkScene) -> bool:
    """Whether a reference leads, from its old page, as far as before: `#x` may name what goes along with the lines."""
    return base is not Base.SELF or before.reach(link) is after.reach(link) is Reach.POINT


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


def heal_outside_moves(plan: Plan, graph: Graph, settings: Settings) -> Plan:
    """Let links follow what the user has moved, if the settings say so."""
    if settings.links.heal != "apply":
        return plan
    moves = graph.moved()
    healed = heal_strays((stray for stray in graph.strays() if stray.page not in moves), graph.scene)
    healed = follow_headings(healed, graph.scene, graph.read, graph.links_into)
    plan = plan.with_(followed=(*plan.followed, *healed))
    if not moves:
        return plan
    sources = {old: graph.read(new) for old, new in moves.items()}
    others = graph.sizes().keys() - set(moves.values())
    healing = heal_links(moves, sources, graph.names, graph.sources_for, others)
    left = (
        Deferred(moves[old], f"links do not follow from {old}: {why}", needs_person=True)
        for old, why in healing.left.items()
    )
    return plan.with_(rearranged=healing if healing.operations else None, deferred=(*plan.deferred, *left))


def split_pages(
    plan: Plan,
    unread_pages: Sequence[Deferred],
    catalog: MemoryCatalog,
    graph: Graph,
    settings: Settings,
    find_faults: Callable[[Plan], Sequence[str]],
) -> Plan:
    """Divide the pages that have grown too large, as this run leaves them; every link follows in the same plan.

    A page with which the plan would have a fault is left alone and named; the others are divided all the same.
    """
    if plan.rearranged:  # links follow one rearrangement a run: the pages are split in the next
        return plan
    limits = Limits.of(settings.split)
    touched = {operation.path for operation in plan.operations if not is_outside(operation.path)}
    before = {path: data for path in touched if (data := catalog.read(path)) is not None}
    pages = foresee_pages(plan.transaction, before)
    large = (path for path, size in graph.sizes().items() if size >= limits.split and path not in pages)
    pages |= {path: data for path in large if (data := catalog.read(path)) is not None}
    closed = {item.what for item in unread_pages} | set(graph.moved().values())  # links find these first
    closed |= {item.link.source for item in plan.followed}

    def may_split(path: str) -> bool:
        data = pages[path] if path in pages else catalog.read(path) or b""
        return is_splittable(path) and path not in closed and _is_ours(path, data, limits, settings)

    bank = Bank(graph.names, graph.is_name_taken, may_split, graph.sources_for)
    rearranged = split_large(
        {path: decode_text(data) for path, data in pages.items()},
        limits,
        bank,
        lambda found: find_faults(plan.with_(rearranged=found)),
    )
    left = rearranged.left if rearranged else {}
    named = (Deferred(path, f"is not split: {why}", needs_person=True) for path, why in left.items())
    return plan.with_(rearranged=rearranged, deferred=(*plan.deferred, *named))


def _is_ours(path: str, data: bytes, limits: Limits, settings: Settings) -> bool:
    """Whether the settings let a page of this size be split unasked."""
    return len(data) >= limits.warn and (settings.split.pages == "all" or is_own_page(path, data))


def note_sizes(plan: Plan, catalog: MemoryCatalog, graph: Graph, settings: Settings) -> list[str]:
    """The pages that come near the size at which they are split, and those that are over it and cannot be."""
    limits, sizes = Limits.of(settings.split), graph.sizes()
    seamless = plan.rearranged.seamless if plan.rearranged else ()
    large = [path for path, size in sorted(sizes.items()) if limits.warn <= size < limits.split and is_splittable(path)]
    large = [path for path in large if _is_ours(path, catalog.read(path) or b"", limits, settings)]
    at = f"{limits.split / 1024:g} KiB"
    return [f"{path} is over {at} and has no seam to split it at" for path in seamless] + [
        f"{path} has {sizes[path] / 1024:.1f} KiB; at {at} it is split" for path in large
    ]
