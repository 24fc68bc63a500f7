"""Makes every reference lead to the same words after lines have moved: only targets change, nothing around them.

A merge undoes to the letter what a split did. So `#x` and a page that names itself in full must not be written alike
after a split: the latter has one step more (a longer path, or one more `../`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bankd.layouts.links import Link, fragment_of
from bankd.layouts.merge import Layout, LayoutPiece, line_positions
from bankd.pages.anchors import AnchorPlace, Outline, find_place, fragment_for, outline_of
from bankd.pages.names import Names, folder_of, path_key
from bankd.pages.references import LinkKind, Reference
from bankd.pages.resolve import (
    WIKI_KINDS,
    Base,
    Style,
    Target,
    encode_fragment,
    render_path,
    resolve_reference,
    split_target,
)
from bankd.pages.scanner import scan_text

HEADING_ROUNDS = 10  # a target inside a heading changes the anchor; a link to it inside a heading needs another round


@dataclass(frozen=True, slots=True)
class Edit:
    """One target that changes: its new page, its old place, the new target, and the file and line that it leads to."""

    new_page: str
    source: str
    reference: Reference
    target: str
    leads_to: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Relinked:
    """Every page that changes, with its whole new text, and the changes in it.

    No new target can be written for the `lost` references; they stay unchanged and are reported.
    """

    texts: Mapping[str, str]
    edits: tuple[Edit, ...]
    lost: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A file that refers to pages: its lines and its references."""

    lines: tuple[str, ...]
    references: tuple[Reference, ...]


def relink_layout(layout: Layout, sources: Mapping[str, Source], names: Names) -> Relinked:
    """Lay the pages out anew and rewrite what refers to them.

    `sources` are the pages of the layout and every other file with a reference that the layout touches.
    """
    after = names.changed(layout.gone, layout.new_paths)
    relinker = _Relinker(layout, sources, names, after)
    edits: tuple[Edit, ...] = ()
    texts = relinker.texts(edits)
    for _ in range(HEADING_ROUNDS):
        edits_now = relinker.edits(texts)
        if edits_now == edits:
            break
        edits = edits_now
        texts = relinker.texts(edits)
    return Relinked(texts, edits, tuple(relinker.lost))


@dataclass(frozen=True, slots=True)
class _Goal:
    """What a reference must lead to: a file, and the place in it with the form in which it is named."""

    target: Target
    place: AnchorPlace | None = None


class _Relinker:
    def __init__(self, layout: Layout, sources: Mapping[str, Source], names: Names, after: Names) -> None:
        self._layout = layout
        self._sources = sources
        self._names, self._after = names, after
        self._lines = {path: source.lines for path, source in sources.items()}
        self._positions = line_positions(layout)
        self._outlines: dict[str, Outline] = {}
        self._texts: Mapping[str, str] = {}
        self._new_outlines: dict[str, Outline] = {}
        self.lost: list[Link] = []

    def texts(self, edits: Iterable[Edit]) -> dict[str, str]:
        """The whole text of every new page and of every other file with an edit."""
        by_line: dict[tuple[str, str, int], list[Edit]] = {}
        for edit in edits:
            by_line.setdefault((edit.new_page, edit.source, edit.reference.line), []).append(edit)

        def line_of(new_page: str, source: str, number: int) -> str:
            return edit_line(self._lines[source][number], by_line.get((new_page, source, number), ()))

        def text_of(path: str, piece: LayoutPiece) -> str:
            if piece.source is None:
                return piece.text
            text = "".join(line_of(path, piece.source, n) for n in range(piece.start, piece.end))
            return text.removesuffix("\n").removesuffix("\r") if piece.is_unended else text

        texts = {page.path: "".join(text_of(page.path, p) for p in page.pieces) for page in self._layout.new_pages}
        for path in {new_page for new_page, _, _ in by_line} - set(texts):
            texts[path] = "".join(line_of(path, path, n) for n in range(len(self._lines[path])))
        return texts

    def edits(self, texts: Mapping[str, str]) -> tuple[Edit, ...]:
        """The edits that are needed, given the new pages as they are after the last round."""
        self.lost = []
        self._texts, self._new_outlines = texts, {}
        sources = self._sources.items()
        return tuple(e for path, source in sources for one in source.references for e in self._edits_of(path, one))

    def _edits_of(self, path: str, reference: Reference) -> Iterable[Edit]:
        target = resolve_reference(reference, path, self._names)
        goal = self._goal(reference, target, path) if target else None
        if target is None or goal is None:
            return
        for new_page in self._pages_with(path, reference.line):
            written = self._written(reference, target, goal, path, new_page)
            if written is None:
                self.lost.append(Link(path, reference))
            elif written != reference.target:
                line = goal.place.line if goal.place else None
                yield Edit(new_page, path, reference, written, goal.target.path, line)

    def _pages_with(self, path: str, line: int) -> Iterable[str]:
        """The new pages on which an old line stands."""
        if path not in self._layout.sources:
            return [path]
        return [
            new_page.path
            for new_page in self._layout.new_pages
            if any(piece.source == path and piece.start <= line < piece.end for piece in new_page.pieces)
        ]

    def _goal(self, reference: Reference, target: Target, path: str) -> _Goal | None:
        if target.is_folder:
            return _Goal(self._folder_now(target))
        if target.path not in self._layout.sources:  # a link in a heading there may change what it is named by
            is_rewritten = target.path in self._texts and target.path in self._lines
            return _Goal(target, self._place(reference, target) if is_rewritten else None)
        place = self._place(reference, target)
        if place is not None:
            now = self._positions.get((target.path, place.line))
            return _Goal(replace(target, path=now[0]), replace(place, line=now[1])) if now else None
        if target.style.base is Base.SELF:
            return None  # it named nothing before
        home = self._layout.homes.get(target.path)
        if home is None:
            return _Goal(target) if target.path in self._after else None
        return _Goal(replace(target, path=home.path), self._home_place(reference, target.path, home.line))

    def _home_place(self, reference: Reference, old: str, line: int | None) -> AnchorPlace | None:
        """The heading that stands for a page that has become a part of another."""
        if line is None or (old, line) not in self._positions:
            return None
        path, line = self._positions[old, line]
        outline = self._outline_now(path)
        spot = next((spot for spot in outline.spots if spot.line == line), None)
        named = spot and find_place(outline, spot.anchor, is_wiki=reference.kind in WIKI_KINDS)
        return replace(named, line=line) if named else None

    def _folder_now(self, target: Target) -> Target:
        """The new place of a folder; if all its pages were merged into the page of the same name, that page."""
        folder = target.path
        for old, new in self._layout.folders.items():
            if folder == old or folder.startswith(old + "/"):
                folder = new + folder[len(old) :]
                break
        hub = next((home.path for old, home in self._layout.homes.items() if folder_of(old) == folder), folder)
        is_gone = not self._after.has_folder(folder) and hub in self._after
        return replace(target, path=hub, is_folder=False) if is_gone else replace(target, path=folder)

    def _place(self, reference: Reference, target: Target) -> AnchorPlace | None:
        """The place that the fragment names on the old page."""
        if not target.fragment:
            return None
        if target.path not in self._outlines:
            self._outlines[target.path] = outline_of(scan_text("".join(self._lines[target.path])))
        outline = self._outlines[target.path]
        return find_place(outline, fragment_of(reference, target, outline)[0], is_wiki=reference.kind in WIKI_KINDS)

    def _outline_now(self, path: str) -> Outline:
        """The places of a page as it would be written in this round."""
        if path not in self._new_outlines:
            self._new_outlines[path] = outline_of(scan_text(self._texts[path]))
        return self._new_outlines[path]

    def _written(self, reference: Reference, target: Target, goal: _Goal, path: str, new_page: str) -> str | None:
        """The target to write on a new page: the old words wherever they still lead there."""
        raw_path, raw_fragment = split_target(reference.target)
        new_path: str | None = raw_path
        goal_target = goal.target
        if not self._layout.is_move:
            is_inside = path in self._layout.sources and goal.place is not None
            style = choose_style(reference, target, goal.target, path, new_page, is_inside=is_inside)
            goal_target = replace(goal.target, style=style)
        is_respelt = target.path != goal.target.path and path_key(target.path) == path_key(goal.target.path)
        if is_respelt or not self._still_leads(reference, goal_target, new_page):  # some tools are case-sensitive
            new_path = render_path(reference, goal_target, new_page, self._after)
        if new_path is None:
            return None
        fragment = self._fragment(reference, target, goal)
        if fragment is None:
            return new_path + (f"#{raw_fragment}" if raw_fragment is not None else "")
        return f"{new_path}#{fragment}"

    def _fragment(self, reference: Reference, target: Target, goal: _Goal) -> str | None:
        """The words after the `#`; None when they stay as they are."""
        if goal.place is None:
            return None
        outline = self._outline_now(goal.target.path)
        old, rest = "", ""
        if target.fragment:
            old, rest = fragment_of(reference, target, self._outlines[target.path])
        named = fragment_for(outline, goal.place, old)
        if named is None or (named == old and old):
            return None
        return encode_fragment(reference, named) + rest

    def _still_leads(self, reference: Reference, goal: Target, new_page: str) -> bool:
        raw_path, _ = split_target(reference.target)
        if goal.style.base is Base.SELF or not raw_path:
            return goal.path == new_page and not raw_path
        found = resolve_reference(replace(reference, target=raw_path), new_page, self._after)
        return found is not None and (found.path, found.is_folder) == (goal.path, goal.is_folder)


def edit_line(line: str, edits: Iterable[Edit]) -> str:
    """Put new targets into a line."""
    for edit in sorted(edits, key=lambda edit: -edit.reference.start):
        line = line[: edit.reference.start] + edit.target + line[edit.reference.end :]
    return line


def choose_style(reference: Reference, old: Target, new: Target, path: str, new_page: str, *, is_inside: bool) -> Style:
    """Choose the style of a reference that led to `old`, leads to `new`, stood on `path` and stands on `new_page`.

    `is_inside`: it names a place, and its page is laid out anew.
    """
    if is_inside and new.path == new_page and old.path != path:
        return _as_own_page(reference, old, new)
    if is_inside and old.path == path and old.style.base is not Base.SELF and new.path != old.path:
        return _as_other_part(old, new, new_page)
    return _with_depth(old, new)


def _with_depth(old: Target, new: Target) -> Style:
    """The style of a wikilink with a path: the path begins at the same folder as before, so it grows if the new place is deeper."""
    if old.style.base is not Base.NAME or old.style.segments == 1:
        return old.style
    deeper = new.path.count("/") - old.path.count("/")
    return replace(old.style, segments=max(1, old.style.segments + deeper))


def _as_other_part(old: Target, new: Target, new_page: str) -> Style:
    """The style for a page that named itself in full and now names another of its parts: one step more than `#x` needs."""
    style = old.style
    if style.base is Base.NAME:
        return replace(style, segments=style.segments + new.path.count("/") - old.path.count("/"))
    if style.base is Base.RELATIVE and new.path != new_page:
        return replace(style, climb=style.climb + 1)
    return style


def _as_own_page(reference: Reference, old: Target, new: Target) -> Style:
    """The reverse: a reference that named another part now names its own page."""
    style = old.style
    if style.base is Base.NAME and style.segments > 1:
        return _with_depth(old, new)
    if style.base is Base.RELATIVE and (style.climb or reference.kind is LinkKind.BARE):
        return replace(style, climb=max(0, style.climb - 1))
    return Style(Base.SELF) if style.base in {Base.NAME, Base.RELATIVE} else style
