"""A new layout in the words of the transaction layer: parts first, then the page that they came from, then links to them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bankd.core.edits.layout import Layout, LayoutPiece, NewPage, combine_layouts
from bankd.core.edits.operations import Create, Move, Moved, Operation, Recast, Relink, Rewrite, digest_of
from bankd.core.edits.spans import block_key
from bankd.core.links.references import Reference, references_in_text, references_of, route_targets
from bankd.core.links.relink import Edit, Relinked, Source, edit_line, relink_layout
from bankd.core.links.resolve import WIKI_KINDS
from bankd.core.markdown.anchors import outline_of
from bankd.core.markdown.inline import LinkKind
from bankd.core.markdown.memory import split_id
from bankd.core.markdown.names import BANK, Names, is_own, path_key
from bankd.core.markdown.scanner import Document, document_of, encode_text, scan_text
from bankd.core.pages.moves import folders_moved, plan_move
from bankd.core.pages.split import Limits, is_due, plan_split
from bankd.core.pages.verify_layout import LayoutCheck

REFERRING = (".md", ".yaml", ".yml", ".json", ".toml", ".sh", ".bash", ".zsh", ".py")
"""The endings of files whose text may name paths of the bank."""
_GROUPS = {LinkKind.BARE: "bare", LinkKind.ROUTE: "route", **dict.fromkeys(WIKI_KINDS, "wiki")}


SourcesFor = Callable[[Layout, Names], Mapping[str, Source]]
"""Gives the pages of a layout and the files with a reference that it touches, read."""


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """What a layout comes to: the layout, its operations, pages over the limit that have no seam, and what would go wrong."""

    layout: Layout
    relinked: Relinked
    operations: tuple[Operation, ...]
    seamless: tuple[str, ...] = ()
    left: Mapping[str, str] = field(default_factory=dict)
    """The pages that are left alone, each with what would go wrong."""
    findings: tuple[str, ...] = ()
    before: Mapping[str, str] = field(default_factory=dict)

    def grown(self, limits: Limits) -> set[str]:
        """The pages outside the layout that reach the size of a split by their longer links."""
        others = self.relinked.texts.keys() - set(self.layout.new_paths)
        return {path for path in others if is_due(scan_text(self.relinked.texts[path]), limits)}


def is_splittable(path: str) -> bool:
    """Whether a file is a page that may be split: the inbox and what else bankd keeps in `_meta` are not."""
    return path.startswith(BANK) and path.endswith(".md") and not is_own(path.removeprefix(BANK))


@dataclass(frozen=True, slots=True)
class Bank:
    """What a split needs to know of the rest: the names, which are taken, which pages may be split, who refers to what."""

    names: Names
    is_taken: Callable[[str], bool]
    may_split: Callable[[str], bool]
    sources_for: SourcesFor


def split_large(
    pages: Mapping[str, str], limits: Limits, bank: Bank, faults: Callable[[Rearrangement], Sequence[str]]
) -> Rearrangement | None:
    """Split those of these pages (path -> text) that have reached their size; None when none has.

    A page that reaches it because links in it become longer is split too: the next run must find nothing to do. Where
    `faults` finds something, each page is tried by itself, and the rest waits for the next run.
    """
    texts = {path: text for path, text in pages.items() if bank.may_split(path)}
    large = {path: text for path, text in texts.items() if is_due(document_of(text), limits)}
    due = dict(large)
    while due:
        rearrangement = _split_all(due, texts, limits, bank)
        grown = {path for path in rearrangement.grown(limits) - due.keys() if bank.may_split(path)}
        if grown:
            due |= {path: texts.get(path) or rearrangement.before[path] for path in grown}
        elif faults(rearrangement):
            return _one_by_one(large, lambda paths: _split_all(paths, texts, limits, bank), faults)
        else:
            return rearrangement
    return None


_Value = TypeVar("_Value")


def _one_by_one(
    pages: Mapping[str, _Value],
    plan: Callable[[Mapping[str, _Value]], Rearrangement],
    faults: Callable[[Rearrangement], Sequence[str]],
) -> Rearrangement:
    """Rearrange as many of these pages as go together without a fault; the others are `left`, each with its fault."""
    kept: dict[str, _Value] = {}
    left: dict[str, str] = {}
    for path, value in sorted(pages.items(), key=lambda item: item[0]):
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
    """Let links follow pages that the user has moved (old path -> new); those that cannot are `left`.

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
    """Relink for a layout and look at the result; pages in `by_hand` stand at their new paths already."""
    moved = by_hand or {}
    sources, relinked = _relink_all(layout, names, sources_for)
    before = {moved.get(path, path): "".join(source.lines) for path, source in sources.items()}
    rules = (path for path, source in sources.items() if any(r.kind is LinkKind.ROUTE for r in source.references))
    routing = next(rules, "")
    new = {path: read_source(path, text, routing) for path, text in relinked.texts.items()}
    findings = LayoutCheck(layout, relinked, sources, new).findings(names)
    kept = replace(layout, gone=()) if moved else layout
    operations = operations_for(kept, relinked, before, moved.values())
    return Rearrangement(layout, relinked, operations, findings=tuple(findings), before=before)


def _relink_all(layout: Layout, names: Names, sources_for: SourcesFor) -> tuple[Mapping[str, Source], Relinked]:
    """Relink a layout, and what links to headings that this changes in other pages; gives all that was read for it."""
    sources = sources_for(layout, names)
    followed: set[str] = set()
    while True:
        relinked = relink_layout(layout, sources, names)
        others = relinked.texts.keys() - {*layout.new_paths, *followed}
        renamed = {path for path in others if _renames_heading("".join(sources[path].lines), relinked.texts[path])}
        if not renamed:
            return sources, relinked
        followed |= renamed
        as_before = (NewPage(path, (LayoutPiece(path, 0, len(sources[path].lines)),)) for path in sorted(renamed))
        found = sources_for(Layout(tuple(as_before)), names)
        sources = {**{path: source for path, source in found.items() if path not in layout.new_paths}, **sources}


def _renames_heading(before: str, after: str) -> bool:
    """Whether a rewritten link stands in a heading, so that links to the heading have to name it otherwise."""
    return outline_of(scan_text(before)).spots != outline_of(scan_text(after)).spots


def read_source(path: str, text: str, routing: str = "") -> Source:
    """A file with its references; `routing` is the path of the file of rules."""
    document = document_of(text)
    if path == routing:
        return Source(document.lines, route_targets(text))
    if path.endswith(".md"):
        return Source(document.lines, references_of(document))
    return Source(document.lines, references_in_text(text) if path.endswith(REFERRING) else ())


def operations_for(
    layout: Layout, relinked: Relinked, before: Mapping[str, str], there: Collection[str] = ()
) -> tuple[Operation, ...]:
    """What has to be done for a layout; `before` holds the old pages and every file with a reference that changes.

    A new page must not exist yet, unless the user has put it `there`.
    """
    old = layout.sources | set(there)
    return (
        *(
            Create(new_page.path, relinked.texts[new_page.path])
            for new_page in layout.new_pages
            if new_page.path not in old
        ),
        *_recast(layout, relinked, {path: text for path, text in before.items() if path in old}),
        *_relinked(layout, relinked, before),
    )


def reference_rewriter(routing: str) -> Rewrite:
    """The rule by which the transaction layer rewrites the references of a file, however the user has changed it."""

    def rewrite(path: str, text: str, new: Mapping[str, str]) -> str:
        source = read_source(path, text, routing)
        lines = list(source.lines)
        edits: dict[int, list[Edit]] = {}
        for reference in source.references:
            if (target := new.get(reference_name(reference))) is not None:
                edits.setdefault(reference.line, []).append(Edit(path, path, reference, target, ""))
        for number, here in edits.items():
            lines[number] = edit_line(lines[number], here)
        return "".join(lines)

    return rewrite


def reference_name(reference: Reference) -> str:
    """How a reference is named in a journal: the same words mean other things in brackets and in text."""
    return f"{_GROUPS.get(reference.kind, 'link')} {reference.target}"


def _recast(layout: Layout, relinked: Relinked, before: Mapping[str, str]) -> Iterator[Operation]:
    is_merge = bool(layout.gone) and not layout.is_move
    for new_page in layout.new_pages:
        if new_page.path in before and before[new_page.path] != relinked.texts[new_page.path]:
            moved = tuple(_moved(layout, relinked, new_page.path))
            yield Recast(
                new_page.path, before[new_page.path], relinked.texts[new_page.path], moved, 1 if is_merge else 2
            )
    for path in layout.gone:
        yield Recast(path, before[path], None, tuple(_moved(layout, relinked, path)))


def _moved(layout: Layout, relinked: Relinked, path: str) -> Iterator[Moved]:
    """Which lines of an old page have gone to which other file."""
    for new_page, piece in _pieces(layout):
        if piece.source == path and new_page.path != path and not piece.is_copy:
            yield Moved(new_page.path, piece.start, piece.end, (digest_of(encode_text(relinked.texts[new_page.path])),))


def _pieces(layout: Layout) -> Iterator[tuple[NewPage, LayoutPiece]]:
    return ((new_page, piece) for new_page in layout.new_pages for piece in new_page.pieces)


def _relinked(layout: Layout, relinked: Relinked, before: Mapping[str, str]) -> Iterator[Operation]:
    """Links to what has moved, page by page; each is rewritten only if what it means is where the plan put it."""
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
        if any(move.new in words for move in moves.values()):  # twice would be once too often
            needs = tuple(sorted({move.target for move in moves.values()}))
            yield Recast(path, before[path], relinked.texts[path], phase=3, needs=needs)
        else:
            yield Relink(path, tuple(moves.values()))


def _cause(edit: Edit, by_line: Mapping[tuple[str, int], Edit]) -> Edit:
    """The edit without which this one would be wrong: a link to a heading follows the link that changes in the heading."""
    seen = [edit]
    while edit.line is not None and (cause := by_line.get((edit.leads_to, edit.line))) and cause not in seen:
        edit = cause
        seen.append(edit)
    return edit


def _witness(layout: Layout, edit: Edit) -> str:
    """The file that shows that what a reference means is there; for a folder, any page in it."""
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
