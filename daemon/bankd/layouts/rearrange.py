"""From a new layout to operations on files, with a last check; and links that follow blocks which a change moves.

`plan_layout` relinks a layout, checks that every link still leads as far and that every memory is there once, and gives
the operations: parts first, then the page that they came from, then the links to them. What the check finds is a bug in
bankd, so nothing is written then. `follow_blocks` compares what every reference led to before a change with what it leads
to after it: a link that would break follows its block, in the style in which it was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from bankd.edits.inserting import block_key
from bankd.edits.operations import Move, Moved, Operation, Relink, Rewrite, Write, digest_of
from bankd.layouts.links import (
    Edit,
    Link,
    LinkScene,
    Reach,
    Relinked,
    Source,
    Stray,
    block_named,
    choose_style,
    fragment_of,
    relink_layout,
    retarget,
    with_targets,
)
from bankd.layouts.merge import (
    Layout,
    LayoutPiece,
    NewPage,
    combine_layouts,
    folders_moved,
    line_positions,
    placed_pieces,
    plan_move,
)
from bankd.layouts.split import Limits, is_due, plan_split
from bankd.pages import references, resolve
from bankd.pages.memory import split_id
from bankd.pages.names import ARCHIVE, BANK, Names, is_own, path_key
from bankd.pages.page import read_page
from bankd.pages.scanner import Document, document_of, encode_text, scan_text

_OF_OBSIDIAN = (".canvas", ".base")
REFERRING = (".md", *_OF_OBSIDIAN, ".yaml", ".yml", ".json", ".toml", ".sh", ".bash", ".zsh", ".py")
"""The endings of files whose text may name paths of the bank."""
_GROUPS = {
    references.LinkKind.BARE: "bare",
    references.LinkKind.ROUTE: "route",
    **dict.fromkeys(resolve.WIKI_KINDS, "wiki"),
}


SourcesFor = Callable[[Layout, Names], Mapping[str, Source]]
"""Gives the pages of a layout and the files with a reference that it touches, read."""


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """A layout with its operations, and what would go wrong.

    `seamless` are pages over the limit that have no place to cut; `before` has the old texts of all files.
    """

    layout: Layout
    relinked: Relinked
    operations: tuple[Operation, ...]
    seamless: tuple[str, ...] = ()
    left: Mapping[str, str] = field(default_factory=dict)
    """The pages that are left alone, each with its fault."""
    findings: tuple[str, ...] = ()
    before: Mapping[str, str] = field(default_factory=dict)


def is_splittable(path: str) -> bool:
    """Whether a file is a page that may be split; the inbox and all else in `_meta` are not."""
    return path.startswith(BANK) and path.endswith(".md") and not is_own(path.removeprefix(BANK))


@dataclass(frozen=True, slots=True)
class Bank:
    """What a split needs to know of other files: their names, which names are taken, which pages may be split, references."""

    names: Names
    is_taken: Callable[[str], bool]
    may_split: Callable[[str], bool]
    sources_for: SourcesFor


def split_large(
    pages: Mapping[str, str], limits: Limits, bank: Bank, faults: Callable[[Rearrangement], Sequence[str]]
) -> Rearrangement | None:
    """Split the pages (path -> text) that have reached the limit; None when there is none.

    A page that reaches it because its links become longer is split too: the next run must find nothing to do. When
    `faults` finds something, the pages are tried one by one, and those with a fault wait for the next run.
    """
    texts = {path: text for path, text in pages.items() if bank.may_split(path)}
    large = {path: text for path, text in texts.items() if is_due(document_of(text), limits)}
    due = dict(large)
    while due:
        rearrangement = _split_all(due, texts, limits, bank)
        others = rearrangement.relinked.texts.keys() - {*rearrangement.layout.new_paths, *due}
        longer = {path for path in others if is_due(scan_text(rearrangement.relinked.texts[path]), limits)}
        grown = {path for path in longer if bank.may_split(path)}
        if grown:
            due |= {path: texts.get(path) or rearrangement.before[path] for path in grown}
        elif faults(rearrangement):
            return _one_by_one(large, lambda paths: _split_all(paths, texts, limits, bank), faults)
        else:
            return rearrangement
    return None


def _one_by_one(
    pages: Mapping[str, str],
    plan: Callable[[Mapping[str, str]], Rearrangement],
    faults: Callable[[Rearrangement], Sequence[str]],
) -> Rearrangement:
    """Rearrange as many pages as possible together without a fault; the others are `left`, each with its fault."""
    kept: dict[str, str] = {}
    left: dict[str, str] = {}
    for path, value in sorted(pages.items()):
        if found := faults(plan({**kept, path: value})):
            left[path] = found[0]
        else:
            kept[path] = value
    return replace(plan(kept), left=left)


def _split_all(due: Mapping[str, str], texts: Mapping[str, str], limits: Limits, bank: Bank) -> Rearrangement:
    planned: dict[str, Layout] = {}
    new: set[str] = set()

    def is_taken(name: str) -> bool:
        return path_key(name) in new or bank.is_taken(name)

    for path, text in sorted(due.items()):
        if layout := plan_split(path, document_of(text), limits, is_taken):
            planned[path] = layout
            new.update(map(path_key, layout.new_paths))
    as_left = {**texts, **due}

    def sources_for(layout: Layout, names: Names) -> Mapping[str, Source]:
        found = bank.sources_for(layout, names)
        wanted = found.keys() | (layout.sources & planned.keys())  # a page that this run makes is not on the disk yet
        return {**found, **{path: read_source(path, as_left[path]) for path in wanted if path in as_left}}

    rearrangement = plan_layout(combine_layouts(tuple(planned.values())), bank.names, sources_for)
    return replace(rearrangement, seamless=tuple(sorted(due.keys() - planned.keys())))


def heal_links(
    moves: Mapping[str, str],
    sources: Mapping[str, Source],
    names: Names,
    sources_for: SourcesFor,
    others: Collection[str],
) -> Rearrangement:
    """Let links follow pages that the user has moved (old path -> new); pages with a fault are `left`.

    `sources` are the moved pages by their old paths, `names` the files as they are now, `others` the other pages.
    """

    def heal(moved: Mapping[str, str]) -> Rearrangement:
        layout = plan_move(moved, {old: len(sources[old].lines) for old in moved}, None)
        layout = replace(layout, folders=folders_moved(moved, others))
        own = {old: sources[old] for old in moved}
        before = names.changed(moved.values(), moved)
        return plan_layout(layout, before, lambda *touched: {**sources_for(*touched), **own}, by_hand=moved)

    whole = heal(moves)
    return _one_by_one(moves, heal, lambda healed: healed.findings) if whole.findings else whole


def plan_layout(
    layout: Layout, names: Names, sources_for: SourcesFor, *, by_hand: Mapping[str, str] | None = None
) -> Rearrangement:
    """Relink a layout and check the result; pages in `by_hand` are at their new paths already."""
    moved = by_hand or {}
    sources, relinked = _relink_all(layout, names, sources_for, sources_for(layout, names))
    before = {moved.get(path, path): "".join(source.lines) for path, source in sources.items()}
    of_rules = ((path, source) for path, source in sources.items() if not path.endswith(_OF_OBSIDIAN))
    rules = (path for path, source in of_rules if any(r.kind is references.LinkKind.ROUTE for r in source.references))
    routing = next(rules, "")
    new = {path: read_source(path, text, routing) for path, text in relinked.texts.items()}
    findings = find_layout_faults(layout, relinked, sources, new, names)
    operations = operations_for(replace(layout, gone=()) if moved else layout, relinked, before, moved.values())
    return Rearrangement(layout, relinked, operations, findings=tuple(findings), before=before)


def _relink_all(
    layout: Layout,
    names: Names,
    sources_for: SourcesFor,
    sources: Mapping[str, Source],
    given: Mapping[Link, Edit] | None = None,
) -> tuple[Mapping[str, Source], Relinked]:
    """Relink a layout, and links to headings that this changes in other pages; gives all files that were read, too."""
    followed: set[str] = set()
    while True:
        relinked = relink_layout(layout, sources, names, given)
        others = relinked.texts.keys() - {*layout.new_paths, *followed}
        renamed = {path for path in others if _renames_heading("".join(sources[path].lines), relinked.texts[path])}
        if not renamed:
            return sources, relinked
        followed |= renamed
        as_before = (NewPage(path, (LayoutPiece(path, 0, len(sources[path].lines)),)) for path in sorted(renamed))
        found = sources_for(Layout(tuple(as_before)), names)
        sources = {**{path: source for path, source in found.items() if path not in layout.new_paths}, **sources}


def _renames_heading(before: str, after: str) -> bool:
    """Whether a rewritten link stands in a heading, so that links to this heading must change."""
    return resolve.outline_of(scan_text(before)).spots != resolve.outline_of(scan_text(after)).spots


def read_source(path: str, text: str, routing: str = "") -> Source:
    """A file with its references; `routing` is the path of the file of rules."""
    document = document_of(text)
    if path == routing:
        return Source(document.lines, references.route_targets(text))
    if path.endswith(_OF_OBSIDIAN):
        return Source(document.lines, references.targets_of_obsidian(text))
    if path.endswith(".md"):
        return Source(document.lines, references.references_of(document))
    return Source(document.lines, references.references_in_text(text) if path.endswith(REFERRING) else ())


def operations_for(
    layout: Layout, relinked: Relinked, before: Mapping[str, str], there: Collection[str] = ()
) -> tuple[Operation, ...]:
    """The operations for a layout; `before` has the old pages and every file with a reference that changes.

    A new page must not exist yet, unless the user has put it `there`.
    """
    old = layout.sources | set(there)
    return (
        *(
            Write(path, None, relinked.texts[path], phase=0, is_layout=True)
            for path in layout.new_paths
            if path not in old
        ),
        *_rewritten_pages(layout, relinked, {path: text for path, text in before.items() if path in old}),
        *_relinked(layout, relinked, before),
    )


def reference_rewriter(routing: str) -> Rewrite:
    """The function with which a transaction rewrites the references of a file as it is at that moment."""

    def rewrite(path: str, text: str, new: Mapping[str, str]) -> str:
        source = read_source(path, text, routing)
        named = ((reference, new.get(reference_name(reference))) for reference in source.references)
        return "".join(with_targets(source.lines, [(one, target) for one, target in named if target is not None]))

    return rewrite


def reference_name(reference: references.Reference) -> str:
    """The name of a reference in a journal: its kind and its target, since brackets and text read a target differently."""
    return f"{_GROUPS.get(reference.kind, 'link')} {reference.target}"


def _rewritten_pages(layout: Layout, relinked: Relinked, before: Mapping[str, str]) -> Iterator[Operation]:
    is_merge = bool(layout.gone) and not layout.is_move
    for path in layout.new_paths:
        after = relinked.texts[path]
        if path in before and before[path] != after:
            moved, phase = tuple(_moved(layout, relinked, path)), 1 if is_merge else 2
            yield Write(path, before[path], after, moved, phase, is_layout=True)
    for path in layout.gone:
        yield Write(path, before[path], None, tuple(_moved(layout, relinked, path)), is_layout=True)


def _moved(layout: Layout, relinked: Relinked, path: str) -> Iterator[Moved]:
    """The lines of an old page that went to other files."""
    for new_page, piece, _ in placed_pieces(layout):
        if piece.source == path and new_page.path != path:
            yield Moved(new_page.path, piece.start, piece.end, (digest_of(encode_text(relinked.texts[new_page.path])),))


def _relinked(layout: Layout, relinked: Relinked, before: Mapping[str, str]) -> Iterator[Operation]:
    """Links to what has moved, page by page; each is rewritten only if its target is where the plan put it."""
    documents: dict[str, Document] = {}
    grouped: dict[str, dict[str, Move]] = {}
    outside = [edit for edit in relinked.edits if edit.new_page not in layout.new_paths]
    by_line = {(edit.new_page, edit.reference.line): edit for edit in outside}
    for edit in outside:
        name, cause = reference_name(edit.reference), _cause(edit, by_line)
        key = _key(cause, relinked, documents) if cause.leads_to in layout.new_paths else ""
        grouped.setdefault(edit.new_page, {})[name] = Move(name, edit.target, _witness(layout, cause), key)
    for path, moves in sorted(grouped.items()):
        words = {name.partition(" ")[2] for name in moves}
        if any(move.new in words for move in moves.values()):  # rewriting twice would then change more
            needs = tuple(sorted({move.target for move in moves.values()}))
            yield Write(path, before[path], relinked.texts[path], phase=3, needs=needs, is_layout=True)
        else:
            yield Relink(path, tuple(moves.values()))


def _cause(edit: Edit, by_line: Mapping[tuple[str, int], Edit]) -> Edit:
    """The edit that this one depends on: a link to a heading follows the link that changes in the heading."""
    seen = [edit]
    while edit.line is not None and (cause := by_line.get((edit.leads_to, edit.line))) and cause not in seen:
        edit = cause
        seen.append(edit)
    return edit


def _witness(layout: Layout, edit: Edit) -> str:
    """The file whose presence shows that the target of a reference is there; for a folder, any page in it."""
    inside = (path for path in layout.new_paths if path.startswith(edit.leads_to + "/"))
    return edit.leads_to if edit.leads_to.endswith(".md") else next(inside, edit.leads_to)


def _key(edit: Edit, relinked: Relinked, documents: dict[str, Document]) -> str:
    """The key of the block that a reference names; "" for a whole page."""
    if edit.line is None or edit.leads_to not in relinked.texts:
        return ""
    document = documents.setdefault(edit.leads_to, scan_text(relinked.texts[edit.leads_to]))
    block = next((b for b in document.blocks if b.start <= edit.line < max(b.end, b.whole_end)), None)
    if block is None:
        return ""
    lines = "".join(document.lines[block.start : max(block.end, block.whole_end)])
    return split_id(document.lines[edit.line].rstrip())[1] or block_key(lines)


def find_layout_faults(
    layout: Layout, relinked: Relinked, old: Mapping[str, Source], new: Mapping[str, Source], names: Names
) -> list[str]:
    """Everything that a layout would lose or break, in words; empty when all is well.

    `old` and `new` are the files that it reads and writes, `names` the files as they are now.
    """
    before = LinkScene(names, _outlines(old))
    after = LinkScene(names.changed(layout.gone, layout.new_paths), _outlines({**old, **new}))
    lost, there, findings = set(relinked.lost), {path: _by_line(source) for path, source in new.items()}, list[str]()
    for link, new_page, line, nth in _references_laid(layout, old, new):
        here, was = there[new_page].get(line, []), link.reference
        if nth >= len(here) or here[nth].kind != was.kind:
            findings.append(f"{link.source}:{was.line + 1}: {was.target} would not be read back in {new_page}")
        elif link not in lost and after.reach(Link(new_page, here[nth])) < before.reach(link):
            findings.append(f"{new_page}:{line + 1}: {here[nth].target} would lead nowhere")
    stood, stand = _count_ids(layout.sources, old), _count_ids(layout.new_paths, new)
    wrong = [id_ for id_ in sorted(stood | stand) if stood[id_] != stand[id_]]
    findings += (f"memory {id_} would stand {stand[id_]} times" for id_ in wrong)
    both = sorted(set(layout.gone).intersection(layout.new_paths))
    return [*findings, *(f"{path}: would be written, and taken away" for path in both)]


def _references_laid(
    layout: Layout, old: Mapping[str, Source], new: Mapping[str, Source]
) -> Iterator[tuple[Link, str, int, int]]:
    """Every old reference with its new page and line, and its number in that line; other files keep their lines."""
    positions = line_positions(layout)
    for path, source in old.items():
        for number, here in _by_line(source).items():
            page, line = positions.get((path, number), ("", 0)) if path in layout.sources else (path, number)
            for nth, reference in enumerate(here if page in new else ()):
                yield Link(path, reference), page, line, nth


def _count_ids(paths: Iterable[str], files: Mapping[str, Source]) -> Counter[str]:
    pages = (read_page(path, encode_text("".join(files[path].lines))) for path in paths)
    return Counter(entry.memory.id for page in pages for entry in page.entries if entry.memory.id)


def _outlines(files: Mapping[str, Source]) -> Callable[[str], resolve.Outline | None]:
    """Gives the places of a Markdown file among these, each found once; None for any other file."""

    @cache
    def outline_in(path: str) -> resolve.Outline | None:
        is_read = path in files and path.endswith(".md")
        return resolve.outline_of(scan_text("".join(files[path].lines))) if is_read else None

    return outline_in


def _by_line(source: Source) -> dict[int, list[references.Reference]]:
    found: dict[int, list[references.Reference]] = {}
    for reference in source.references:
        found.setdefault(reference.line, []).append(reference)
    return found


@dataclass(frozen=True, slots=True)
class Followed:
    """A reference with its new target, the page and block that this leads to, and the block that it named before.

    `is_alone` is false when its file has the new target already.
    """

    link: Link
    target: str
    page: str
    block: str
    was: str
    is_alone: bool = True

    @property
    def record(self) -> tuple[str, str, str]:
        """Its file, its old name and its new target: enough to write it as before."""
        return self.link.source, reference_name(self.link.reference), self.target


@dataclass(frozen=True, slots=True)
class Following:
    """The links that a change would break: those that follow their block, and those that stay broken."""

    followed: tuple[Followed, ...] = ()
    dangling: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Moving:
    """A change: the files before and after it, and the pages that may hold a moved block.

    `heirs`: id -> the id of the memory that replaces it. `written`: for some references, how they were once written.
    """

    before: LinkScene
    after: LinkScene
    pages: Sequence[str]
    heirs: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[tuple[str, str], str] = field(default_factory=dict)


def loses_places(before: resolve.Outline | None, after: resolve.Outline | None) -> bool:
    """Whether a page has lost a place that a link could name, or may have given its name to another place."""
    if before is None or after is None:
        return before is not after
    kept = before.blocks.keys() <= after.blocks.keys() and before.ids.keys() <= after.ids.keys()
    names = [(spot.anchor, spot.words, spot.level) for spot in after.spots]
    return not kept or names[: len(before.spots)] != [(spot.anchor, spot.words, spot.level) for spot in before.spots]


def follow_blocks(links: Iterable[Link], moving: Moving) -> Following:
    """Find new targets for the links that the change would break, and for those that can be written as once before."""
    followed, dangling = list[Followed](), list[Link]()
    for link in links:
        is_dead = moving.after.reach(link) < moving.before.reach(link)
        candidates = _candidates(link, moving, is_dead=is_dead)
        if found := next((item for item in candidates if _leads_as_far(item, moving)), None):
            followed.append(found)
        elif is_dead:
            dangling.append(link)
    return Following(tuple(followed), tuple(dangling))


def heal_strays(strays: Iterable[Stray], now: LinkScene) -> tuple[Followed, ...]:
    """Let links follow the blocks that the user has moved to one other page."""
    moved = [(stray, stray.holders[0]) for stray in strays if len(stray.holders) == 1]
    before = LinkScene(now.names.changed((), [stray.page for stray, _ in moved]), now.outline_of)
    moving, found = Moving(before, now, ()), list[Followed]()
    for stray, page in moved:
        if old := before.target(stray.link):
            goal = Followed(stray.link, "", page, stray.block, stray.block)
            candidates = _rewritten(stray.link, old, resolve.split_target(stray.link.reference.target)[1], goal, moving)
            points = (one for one in candidates if now.reach(_with_target(one.link, one.target)) is Reach.POINT)
            found += [point] if (point := next(points, None)) else []
    return tuple(found)


def follow_headings(
    followed: Sequence[Followed], names: Names, read: Callable[[str], Source], sources_for: SourcesFor
) -> tuple[Followed, ...]:
    """Add to followed links those to headings that contain one of them: a rewritten target renames its heading.

    `names`, `read` and `sources_for` tell of the files before the change.
    """
    given = {item.link: item for item in followed}
    sources = {path: read(path) for path in sorted({link.source for link in given})}
    edits = {link: edit_of(item) for link, item in given.items()}
    _, relinked = _relink_all(Layout(()), names, sources_for, sources, edits)
    by_line = {(edit.new_page, edit.reference.line): edit for edit in relinked.edits}
    for edit in relinked.edits:
        cause = _cause(edit, by_line)
        if (origin := given.get(Link(cause.source, cause.reference))) and edit is not cause:
            link = Link(edit.source, edit.reference)
            given.setdefault(link, replace(origin, link=link, target=edit.target))
    return tuple(given.values())


def _candidates(link: Link, moving: Moving, *, is_dead: bool) -> Iterator[Followed]:
    """New targets for a link: as it was written before, if its block is back; then, if it is dead, the others.

    These are on the same page, which may need a longer name now, then on every page that has the block.
    """
    was = _block_of(link, moving.before)
    if words := moving.written.get((link.source, reference_name(link.reference))):
        once = _with_target(link, words)
        if (target := moving.after.target(once)) and (block := _block_of(once, moving.after)):
            yield Followed(link, words, target.path, block, was)
    old = moving.before.target(link)
    if not is_dead or old is None:
        return
    _, raw = resolve.split_target(link.reference.target)
    if old.path in moving.after.names:
        yield from _rewritten(link, old, raw, Followed(link, "", old.path, was, was), moving)
    block = moving.heirs.get(was, was)
    shown = raw if block == was else f"^{block}{_rest(link, old, moving.before)}"
    for page in _holders(block, moving):
        yield from _rewritten(link, old, shown, Followed(link, "", page, block, was), moving)


def _rewritten(
    link: Link, old: resolve.Target, fragment: str | None, goal: Followed, moving: Moving
) -> Iterator[Followed]:
    """The target of a reference in its style; one that comes back from the archive becomes as short as possible."""
    new = replace(old, path=goal.page)
    style = choose_style(old, new)
    if style.base is resolve.Base.NAME and old.path.startswith(ARCHIVE):
        style = replace(style, segments=1)
    target = retarget(link.reference, old, replace(new, style=style), link.source, moving.after.names, fragment)
    if target is not None:
        yield replace(goal, target=target)


def _holders(block: str, moving: Moving) -> list[str]:
    """The pages that have a block after the change: those of the bank first, and those that did not have it before first."""
    outlines = {page: moving.after.outline_of(page) for page in moving.pages if page in moving.after.names}
    found = [page for page, outline in outlines.items() if outline and block in outline.blocks]

    def had(page: str) -> bool:
        outline = moving.before.outline_of(page) if page in moving.before.names else None
        return outline is not None and block in outline.blocks

    return sorted(found, key=lambda page: (page.startswith(ARCHIVE), had(page), page))


def _block_of(link: Link, scene: LinkScene) -> str:
    """The id of the block that a reference leads to; empty if it leads to something else."""
    return block_named(link.reference) if scene.reach(link) is Reach.POINT else ""


def _rest(link: Link, old: resolve.Target, before: LinkScene) -> str:
    """What follows the fragment of a bare path: a Korean particle."""
    outline = before.outline_of(old.path)
    return fragment_of(link.reference, old, outline)[1] if outline else ""


def _with_target(link: Link, target: str) -> Link:
    return replace(link, reference=replace(link.reference, target=target))


def _leads_as_far(item: Followed, moving: Moving) -> bool:
    link = _with_target(item.link, item.target)
    target = moving.after.target(link)
    is_there = target is not None and target.path == item.page
    return is_there and moving.after.reach(link) >= moving.before.reach(item.link)


def edit_of(followed: Followed) -> Edit:
    """A followed reference as an edit of its line."""
    link = followed.link
    return Edit(link.source, link.source, link.reference, followed.target, followed.page)


def relink_operations(followed: Iterable[Followed]) -> tuple[Relink, ...]:
    """One operation per page; a link is rewritten only if its block is where it was seen."""
    grouped: dict[str, dict[str, Move]] = {}
    for item in followed:
        key, was = (block if block.startswith("m-") else "" for block in (item.block, item.was))
        move = Move(reference_name(item.link.reference), item.target, item.page, key, was)
        grouped.setdefault(item.link.source, {})[move.old] = move
    return tuple(Relink(path, tuple(moves.values())) for path, moves in sorted(grouped.items()))
