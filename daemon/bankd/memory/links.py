"""Links and the layout of pages in a plan: every link leads after a plan where it led before, and no memory is lost.

Links follow what a plan moves, in the same plan; a memory that a link cannot follow stays. Links in lines that move are
rewritten for their new page. In a reflect run links also follow what was moved by hand, and large pages are split.

The checks compare the pages that a plan touches, before and after. What they find is a bug in bankd.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bankd.edits.operations import Append, Operation, Piece, Relink, Remove, Rewrite
from bankd.edits.transaction import Transaction, replay_transaction
from bankd.layouts import rearrange
from bankd.layouts.links import Link, LinkScene, Reach, place_in, retarget, with_targets
from bankd.layouts.merge import root_of_move
from bankd.layouts.split import Limits, is_own_page
from bankd.memory.archive import allowed_removals
from bankd.memory.plan import Deferred, Plan
from bankd.pages.memory import Memory, statement_of
from bankd.pages.names import ARCHIVE, BANK, is_outside
from bankd.pages.page import Page, part_lines, parts_folder, read_page, read_page_once
from bankd.pages.references import without_targets
from bankd.pages.resolve import Base, Outline, outline_of
from bankd.pages.scanner import decode_text, scan_text
from bankd.settings import BudgetPolicy, Settings

if TYPE_CHECKING:
    from bankd.workspace.catalog import PageMemoryCatalog
    from bankd.workspace.graph import LinkGraph


def rebase_links(text: str, page: str, to: str, before: LinkScene, after: LinkScene) -> str:
    """Rewrite the links in lines of one page for another page; only their targets change."""
    page, to = _written_for(page), _written_for(to)
    if page == to:
        return text
    source = rearrange.read_source(to, text)
    targets = ((one, _rewritten(Link(page, one), to, before, after)) for one in source.references)
    return "".join(with_targets(source.lines, targets))


def _written_for(page: str) -> str:
    """The page for which lines were written: lines in the archive stay as they were in the bank."""
    return BANK + page.removeprefix(ARCHIVE) if page.startswith(ARCHIVE) else page


def _rewritten(link: Link, to: str, before: LinkScene, after: LinkScene) -> str:
    """The target of a link for the page `to`; unchanged if it leads to the same from there, leads nowhere, or moves too."""
    target, same = before.target(link), link.reference.target
    if target is None:
        return same
    # `#x` may name a place that moves along with the lines: only one that stays is written anew.
    if target.style.base is Base.SELF and not (before.reach(link) is after.reach(link) is Reach.POINT):
        return same
    return retarget(link.reference, target, target, to, after.names) or same


Read = Callable[[str], bytes | None]


def relink_plan(plan: Plan, graph: LinkGraph, read: Read) -> Plan:
    """Let links follow what a plan moves, and rewrite links in what it moves.

    A memory that a link cannot follow stays, with a warning.
    """
    plan = plan.into_archive(graph.names)
    if plan.restored:
        change = _foreseen(plan.operations, graph, read)
        back = []
        for item in plan.restored:
            stored, page = item.stored, item.place.page
            text = rebase_links(stored.text, stored.page, page, change.before, change.after)
            back.append(replace(item, place=replace(item.place, text=text)))
        plan = plan.with_(restored=tuple(back))
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
    places = {id_: f"{stuck[id_].source}:{stuck[id_].reference.line + 1}" for id_ in sorted(staying)}
    reasons = (f"{id_} stays: {place} links to it and cannot follow" for id_, place in places.items())
    return relink_plan(plan.without(staying).with_(warnings=(*plan.warnings, *reasons)), graph, read)


def _breaking(
    plan: Plan, followed: Sequence[rearrange.Followed], graph: LinkGraph, read: Read
) -> list[rearrange.Followed]:
    """The links that cannot follow without breaking others: they are in headings that other links lead to."""
    if not followed:
        return []
    dead = find_dead_links((*plan.operations, *rearrange.relink_operations(followed)), graph, read)
    pages = {target.path for link in dead if (target := graph.scene.target(link))}
    return [item for item in followed if item.link.source in pages]


def rebase_moved(operations: Sequence[Operation], graph: LinkGraph, read: Read) -> tuple[Operation, ...]:
    """The operations with all links rewritten that are in lines which move to another page."""
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


def _memory_named(link: Link, graph: LinkGraph, read: Read) -> str:
    """The id of the memory that holds the place a link leads to; empty for none."""
    target = graph.scene.target(link)
    outline = graph.scene.outline_of(target.path) if target else None
    place = place_in(outline, link.reference, target) if target and outline else None
    if target is None or place is None:
        return ""
    entries = read_page(target.path, read(target.path) or b"").entries
    return next((e.memory.id for e in entries if e.memory.id and e.start <= place.line < e.whole_end), "")


def follow_links(
    operations: Iterable[Operation],
    graph: LinkGraph,
    read: Read,
    heirs: Mapping[str, str] | None = None,
    written: Mapping[tuple[str, str], str] | None = None,
) -> rearrange.Following:
    """The effect of operations on links: those that follow, and those that will break.

    `heirs` has for each merged memory the one that stays; `written` how links to restored memories were written.
    """
    wanted = tuple(operations)
    if not _may_break(wanted, graph):
        return rearrange.Following()
    change = _foreseen(wanted, graph, read)
    links = [link for link in change.links() if change.leaves(link)]
    links += [link for page in {page for page, _ in written or {}} for link in graph.links_of(page)]
    pages = {path for path in change.texts if path.endswith(".md")}
    if links:  # a person may have copied what goes, with its id
        gone = {piece.key for op in wanted if isinstance(op, Remove) for piece in op.pieces}
        pages |= {path for block in gone for path in graph.pages_with(block) if path.startswith(BANK)}
    moving = rearrange.Moving(change.before, change.after, sorted(pages), heirs or {}, written or {})
    following = rearrange.follow_blocks(list(dict.fromkeys(links)), moving)

    def is_alone(item: rearrange.Followed) -> bool:
        """Whether no other reference of the file is written like the new one."""
        now = rearrange.reference_name(replace(item.link.reference, target=item.target))
        return all(rearrange.reference_name(link.reference) != now for link in graph.links_of(item.link.source))

    followed = rearrange.follow_headings(following.followed, graph.names, graph.read, graph.sources_for)
    return replace(following, followed=tuple(replace(item, is_alone=is_alone(item)) for item in followed))


def find_dead_links(operations: Iterable[Operation], graph: LinkGraph, read: Read) -> list[Link]:
    """The references that work better now than after the operations."""
    wanted = tuple(operations)
    if not _may_break(wanted, graph):
        return []
    change = _foreseen(wanted, graph, read)
    return [link for link in change.links() if change.is_dead(link)]


def _may_break(operations: Iterable[Operation], graph: LinkGraph) -> bool:
    """Whether operations can break a link; an addition can only by making a page with a name that exists elsewhere."""
    return any(not isinstance(op, Append) or _doubles_name(op.path, graph) for op in operations)


def _doubles_name(path: str, graph: LinkGraph) -> bool:
    return path not in graph.names and path.startswith(BANK) and bool(graph.names.named(path.rpartition("/")[2]))


@dataclass(slots=True)
class _Change:
    """The links before and after some operations; `old` and `texts` are the touched files before and after."""

    operations: tuple[Operation, ...]
    graph: LinkGraph
    old: Mapping[str, bytes]
    texts: Mapping[str, str]
    _outlines: dict[str, Outline] = field(default_factory=dict)
    _names: dict[str, set[str]] = field(default_factory=dict)
    """The names of the references in each file after the change."""

    @property
    def before(self) -> LinkScene:
        return self.graph.scene

    @property
    def after(self) -> LinkScene:
        return LinkScene(self.graph.names.changed(self.old.keys() - self.texts.keys(), self.texts), self._outline)

    def _outline(self, path: str) -> Outline | None:
        if path not in self.texts or not path.endswith(".md"):
            return None if path in self.old else self.graph.scene.outline_of(path)
        if path not in self._outlines:
            self._outlines[path] = outline_of(scan_text(self.texts[path]))
        return self._outlines[path]

    def is_dead(self, link: Link) -> bool:
        """Whether a reference still exists after the change (perhaps rewritten) but no longer leads where it did."""
        relinks = (operation for operation in self.operations if isinstance(operation, Relink))
        moves = {(operation.path, move.old): move.new for operation in relinks for move in operation.moves}
        moved, now = moves.get((link.source, rearrange.reference_name(link.reference))), link
        if moved and not (link.source in self.texts and self.leaves(link)):
            now = Link(link.source, replace(link.reference, target=moved))
        elif not self.leaves(link):
            return False
        return self.after.reach(now) < self.before.reach(link)

    def leaves(self, link: Link) -> bool:
        """Whether a reference is still in its file after the change, unchanged."""
        path = link.source
        if path not in self.texts:
            return path not in self.old
        if path not in self._names:
            source = rearrange.read_source(path, self.texts[path], self.graph.routing)
            self._names[path] = {rearrange.reference_name(reference) for reference in source.references}
        return rearrange.reference_name(link.reference) in self._names[path]

    def links(self) -> Iterator[Link]:
        """The references that the operations may break; references to untouched pages are skipped."""
        known, after = self.before.outline_of, self.after
        pointed = self.graph.links_into(self.old.keys())
        targets = {target.path for link in pointed if (target := self.before.target(link))}
        less = {page for page in targets if rearrange.loses_places(known(page), after.outline_of(page))}
        yield from (link for link in pointed if (target := self.before.target(link)) and target.path in less)
        gone = self.old.keys() - self.texts.keys()
        yield from self.graph.links_named([*gone, *(path for path in self.texts if _doubles_name(path, self.graph))])


def _foreseen(operations: tuple[Operation, ...], graph: LinkGraph, read: Read) -> _Change:
    inside = tuple(operation for operation in operations if not is_outside(operation.path))
    named = {move.target for operation in inside if isinstance(operation, Relink) for move in operation.moves}
    before = {path: data for path in {*named, *(op.path for op in inside)} if (data := read(path)) is not None}
    after = foresee_pages(Transaction("", "", inside), before, rearrange.reference_rewriter(graph.routing))
    return _Change(operations, graph, before, {path: decode_text(data) for path, data in after.items()})


def find_healing(graph: LinkGraph) -> tuple[Sequence[rearrange.Followed], rearrange.Rearrangement]:
    """How links follow what the user has moved: those to blocks, and those to pages and folders."""
    moves = graph.moved()
    healed = rearrange.heal_strays((stray for stray in graph.strays() if stray.page not in moves), graph.scene)
    healed = rearrange.follow_headings(healed, graph.names, graph.read, graph.sources_for)
    sources = {old: graph.read(new) for old, new in moves.items()}
    others = graph.sizes().keys() - set(moves.values()) if moves else ()
    return healed, rearrange.heal_links(moves, sources, graph.names, graph.sources_for, others)


def heal_outside_moves(plan: Plan, graph: LinkGraph, settings: Settings) -> Plan:
    """Let links follow what the user has moved, if `links.heal` says so; else say what does."""
    if settings.links.heal != "apply":
        roots = sorted({root_of_move(old, new) for old, new in graph.moved().items()})
        said = ((new, f"was {old}; to update the links: bankctl page links --heal") for old, new in roots)
        wait = (Deferred(new, words, needs_person=True) for new, words in said)
        return plan.with_(deferred=(*plan.deferred, *wait))
    moves, (healed, healing) = graph.moved(), find_healing(graph)
    plan = plan.with_(followed=(*plan.followed, *healed))
    if not moves:
        return plan
    left = (
        Deferred(moves[old], f"links do not follow from {old}: {why}", needs_person=True)
        for old, why in healing.left.items()
    )
    return plan.with_(rearranged=healing if healing.operations else None, deferred=(*plan.deferred, *left))


def split_pages(
    plan: Plan, unread_pages: Sequence[Deferred], catalog: PageMemoryCatalog, graph: LinkGraph, settings: Settings
) -> Plan:
    """Split the pages that are too large after this run; every link follows in the same plan.

    A page whose split has a fault is left alone and named; the others are split all the same.
    """
    if plan.rearranged:  # links can follow one rearrangement a run: pages are split in the next
        return plan
    limits = Limits.of(settings.split)
    pages = foresee_pages(plan.transaction, _touched(plan, catalog))
    large = (path for path, size in graph.sizes().items() if size >= limits.split and path not in pages)
    pages |= {path: data for path in large if (data := catalog.read(path)) is not None}
    closed = {item.what for item in unread_pages} | set(graph.moved().values())  # links find these first
    closed |= {item.link.source for item in plan.followed}

    def may_split(path: str) -> bool:
        data = pages[path] if path in pages else catalog.read(path) or b""
        return path not in closed and _is_ours(path, data, limits, settings)

    rearranged = rearrange.split_large(
        {path: decode_text(data) for path, data in pages.items()},
        limits,
        rearrange.Bank(graph.names, graph.is_name_taken, may_split, graph.sources_for),
        lambda found: find_faults(plan.with_(rearranged=found), catalog, graph),
    )
    left = rearranged.left if rearranged else {}
    named = (Deferred(path, f"is not split: {why}", needs_person=True) for path, why in left.items())
    return plan.with_(rearranged=rearranged, deferred=(*plan.deferred, *named))


def _is_ours(path: str, data: bytes, limits: Limits, settings: Settings) -> bool:
    """Whether a file is a page that is large enough, and may be split without asking."""
    is_large = len(data) >= limits.warn and rearrange.is_splittable(path)
    return is_large and (settings.split.pages == "all" or is_own_page(path, data))


def note_sizes(plan: Plan, catalog: PageMemoryCatalog, graph: LinkGraph, settings: Settings) -> list[str]:
    """Notes on pages that are over the size at which they are split and cannot be, and on those that come near it."""
    limits, sizes = Limits.of(settings.split), graph.sizes()
    seamless = plan.rearranged.seamless if plan.rearranged else ()
    near = (path for path, size in sorted(sizes.items()) if limits.warn <= size < limits.split)
    large = [path for path in near if _is_ours(path, catalog.read(path) or b"", limits, settings)]
    at = f"{limits.split / 1024:g} KiB"
    over = [f"{path} is over {at} and has no place where it could be split" for path in seamless]
    return over + [f"{path} has {sizes[path] / 1024:.1f} KiB; at {at} it is split" for path in large]


Pages = Mapping[str, bytes]


def _touched(plan: Plan, catalog: PageMemoryCatalog) -> Pages:
    """The pages that a plan touches, as they are."""
    paths = sorted({operation.path for operation in plan.operations if not is_outside(operation.path)})
    return {path: data for path in paths if (data := catalog.read(path)) is not None}


def find_faults(plan: Plan, catalog: PageMemoryCatalog, graph: LinkGraph) -> list[str]:
    """Everything that a plan would lose, duplicate, garble or break, a sentence each; empty when all is well."""
    before, dead = _touched(plan, catalog), find_dead_links(plan.operations, graph, catalog.read)
    return [*find_losses(plan, before, foresee_pages(plan.transaction, before)), *find_broken(plan, dead)]


def find_losses(plan: Plan, before: Pages, after: Pages) -> list[str]:
    """Every way in which the plan's result would lose, double or garble a memory; empty when all is well."""
    old = {path: read_page_once(path, data) for path, data in before.items()}
    new = {path: read_page_once(path, data) for path, data in after.items()}
    held, kept = _ids(old), _ids(new)
    lost = [f"memory {id_} would be lost by run {plan.run}" for id_ in sorted(held) if id_ not in kept]
    # A memory that the user has copied may stand as often as before.
    more = {id_: n for id_, n in kept.items() if id_.startswith("m-") and n > max(held[id_], 1)}
    doubled = [f"memory {id_} would stand {n} times" for id_, n in sorted(more.items())]
    return [*lost, *_unplaced(plan, new), *doubled, *_unwritten_prose(old, new)]


def foresee_pages(transaction: Transaction, before: Pages, rewrite: Rewrite | None = None) -> dict[str, bytes]:
    """The pages that a transaction touches as they will be afterwards; `rewrite` says how links follow."""
    after = replay_transaction(transaction, before, lambda _: None, rewrite)
    return {path: data for path, data in after.items() if data is not None}


def _ids(pages: Mapping[str, Page]) -> Counter[str]:
    return Counter(entry.memory.id for page in pages.values() for entry in page.entries if entry.memory.id)


def _unplaced(plan: Plan, new: Mapping[str, Page]) -> list[str]:
    """The new memories that are not once, in the same words, on their page or a part of it."""
    findings = []
    there: dict[str | None, list[tuple[str, Memory]]] = defaultdict(list)
    for path, page in new.items():
        for entry in page.entries:
            there[entry.memory.id].append((path, entry.memory))
    for placement in plan.placements:
        line, target = placement.line, f"bank/{placement.destination.page}"
        below = parts_folder(target) + "/"
        found = [said for path, said in there[line.id] if path == target or path.startswith(below)]
        if len(found) != 1 or statement_of(found[0]) != statement_of(line.memory):
            findings.append(f"{line.place} would not be read back from {placement.destination.page}")
    return findings


def _unwritten_prose(old: Mapping[str, Page], new: Mapping[str, Page]) -> list[str]:
    """The user's texts without an id that would be lost: they must stay word for word, but link targets may change.

    A line that the user copied from a hub is such a text where it links to no part. It may become a link to a part again.
    """
    before = Counter(without_targets(e.memory.text) for page in old.values() for e in page.entries if not e.memory.id)
    after = Counter(without_targets(e.memory.text) for page in new.values() for e in page.entries)
    for page in new.values():
        lines = (page.document.lines[number].strip()[2:] for number in part_lines(page.document, page.path))
        after.update(map(without_targets, lines))
    return [f"a text without an id would be lost: {text[:60]!r}" for text in sorted((before - after).elements())]


def find_broken(plan: Plan, dead: Iterable[Link] = ()) -> list[str]:
    """Every link that works now and would not after the plan: those that its splits break, and those of `dead`."""
    known = plan.rearranged.relinked.lost if plan.rearranged else ()
    found = [link for link in dead if link not in known]
    layout = plan.rearranged.findings if plan.rearranged else ()
    return [
        *layout,
        *(f"{link.source}:{link.reference.line + 1}: {link.reference.target} would lead nowhere" for link in found),
    ]


def find_excess(plan: Plan, budget: BudgetPolicy, held: int) -> str | None:
    """Why a plan takes out too many of `held` memories to run without `--force` (`budget` in the settings); else None."""
    removed = len(plan.taken_out)
    if removed <= allowed_removals(held, budget):
        return None
    limit = f"budget.max_removed_percent = {budget.max_removed_percent} allows"
    return f"this run would take {removed} of {held} memories out of the bank, more than {limit}"
