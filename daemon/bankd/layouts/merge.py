"""Layouts: which old lines stand on which new page. Also the layouts of a merge and of a move.

A merge puts the parts of a page back into it: what a split wrote goes, what people wrote stays, in the same order. A
move gives pages another path; `moved_by_hand` recognises one that the user has made. `links` changes link targets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from bankd.pages.page import inherited_front_matter, line_end_of, part_lines
from bankd.pages.scanner import BlockKind, Document, scan_text


@dataclass(frozen=True, slots=True)
class LayoutPiece:
    """Lines `start` to `end` of an old page (half open); without a source, new `text`."""

    source: str | None = None
    start: int = 0
    end: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page as it will be: its pieces from top to bottom."""

    path: str
    pieces: tuple[LayoutPiece, ...]


@dataclass(frozen=True, slots=True)
class Home:
    """The new target of links to a whole old page: a page, and there the place of the old page's line `line`."""

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """New pages made of old lines, the pages that are gone, and where links to these lead now."""

    new_pages: tuple[NewPage, ...]
    gone: tuple[str, ...] = ()
    homes: Mapping[str, Home] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    is_move: bool = False

    @property
    def sources(self) -> frozenset[str]:
        """The old pages that the new ones are made of, with all that are gone, even empty ones."""
        found = (piece.source for new_page in self.new_pages for piece in new_page.pieces)
        return frozenset(source for source in (*found, *self.gone) if source)

    @property
    def new_paths(self) -> tuple[str, ...]:
        """The paths of all new pages."""
        return tuple(new_page.path for new_page in self.new_pages)


def combine_layouts(layouts: tuple[Layout, ...]) -> Layout:
    """One layout with all that several layouts of different pages do."""
    return Layout(
        tuple(new_page for layout in layouts for new_page in layout.new_pages),
        tuple(path for layout in layouts for path in layout.gone),
        {old: home for layout in layouts for old, home in layout.homes.items()},
        {old: new for layout in layouts for old, new in layout.folders.items()},
        any(layout.is_move for layout in layouts),
    )


def line_positions(layout: Layout) -> dict[tuple[str, int], tuple[str, int]]:
    """The new page and line of each old line, by its old page and line."""
    found = {}
    for new_page, piece, first in placed_pieces(layout):
        if piece.source:
            for n in range(piece.start, piece.end):
                found[piece.source, n] = (new_page.path, first + n - piece.start)
    return found


def placed_pieces(layout: Layout) -> Iterator[tuple[NewPage, LayoutPiece, int]]:
    """Each piece with its new page and its first line there."""
    for new_page in layout.new_pages:
        first = 0
        for piece in new_page.pieces:
            yield new_page, piece, first
            first += piece.end - piece.start if piece.source else piece.text.count("\n")


def plan_merge(hub: str, documents: Mapping[str, Document]) -> Layout | tuple[str, ...]:
    """Lay a hub and all its parts out as one page, or say which page a merge would have to throw something away of.

    `documents` holds the hub, its parts, and theirs.
    """
    merger = _Merger(hub, documents)
    pieces = list(merger.pieces(hub, 0, len(documents[hub].lines)))
    problems = (*merger.problems, *_unclosed(pieces, documents))
    if problems:
        return problems
    own = LayoutPiece(hub, 0, 0)  # a hub without a line of its own is rewritten all the same
    spaced = tuple(_spaced(pieces, documents))
    return Layout((NewPage(hub, (own, *spaced)),), tuple(merger.homes), merger.homes)


def parts_of(hub: str, documents: Mapping[str, Document]) -> list[str]:
    """The existing parts that the lines of a hub lead to, with their own parts."""
    found = []
    for part in part_lines(documents[hub], hub).values():
        if part in documents and part != hub:
            found += [part, *parts_of(part, documents)]
    return found


class _Merger:
    def __init__(self, hub: str, documents: Mapping[str, Document]) -> None:
        self._hub, self._documents = hub, documents
        self._front = inherited_front_matter(documents[hub])
        self.homes: dict[str, Home] = {}
        self.problems: list[str] = []

    def pieces(self, path: str, start: int, end: int) -> Iterator[LayoutPiece]:
        """The lines of a page, with the body of a part in the place of each line that leads to one."""
        for line, part in sorted(part_lines(self._documents[path], path).items()):
            if part in self._documents and part not in self.homes and start <= line < end:
                if start < line:
                    yield LayoutPiece(path, start, line)
                yield from self._part(part)
                start = line + 1
        if start < end:
            yield LayoutPiece(path, start, end)

    def _part(self, part: str) -> Iterator[LayoutPiece]:
        document, body = self._documents[part], 0
        if document.blocks and document.blocks[0].kind is BlockKind.FRONT_MATTER:
            body = document.blocks[0].end
            if "".join(document.lines[:body]) != self._front:
                reason = "its front matter is not that of the page: move what matters there, then take it out here"
                self.problems.append(f"{part}: {reason}")
        heading = next((b.start for b in document.blocks if b.start >= body and b.kind is BlockKind.HEADING), None)
        self.homes[part] = Home(self._hub, heading)
        yield from self.pieces(part, body, len(document.lines))


def _unclosed(pieces: list[LayoutPiece], documents: Mapping[str, Document]) -> Iterator[str]:
    """The pages whose last block would swallow the next part, even with a blank line between them."""
    for piece, after in pairwise(pieces):
        if piece.source and _would_join(piece, after, documents, gap=("\n",)):
            reason = "has a comment or code block that is not closed, and would hide what comes after it: close it"
            yield f"{piece.source}: {reason}"


def _spaced(pieces: list[LayoutPiece], documents: Mapping[str, Document]) -> Iterator[LayoutPiece]:
    """Add line ends so that what the user added at the end of a part does not run into the next part."""
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        yield piece
        if after is None or piece.source is None or after.source is None:
            continue
        document = documents[piece.source]
        line_end = line_end_of(document)
        if not document.lines[piece.end - 1].endswith("\n"):
            yield LayoutPiece(text=line_end)
        if _would_join(piece, after, documents):
            yield LayoutPiece(text=line_end)


def _would_join(
    piece: LayoutPiece, after: LayoutPiece, documents: Mapping[str, Document], gap: tuple[str, ...] = ()
) -> bool:
    """Whether the last block of one piece would swallow the first of the next; a split never cuts there."""
    document, next_document = documents[piece.source or ""], documents[after.source or ""]
    filled = (block for block in document.blocks if block.kind is not BlockKind.BLANK)
    last = next((block for block in filled if max(block.end, block.whole_end) == piece.end), None)
    first = next((block for block in next_document.blocks if block.start == after.start), None)
    if last is None or first is None:
        return False
    above = [line.rstrip("\r\n") + "\n" for line in document.lines[last.start : piece.end]]
    above.extend(gap)
    joined = scan_text("".join([*above, *next_document.lines[first.start : first.end]]))
    return not any(block.start == len(above) and block.kind is first.kind for block in joined.blocks)


def plan_move(moves: Mapping[str, str], line_counts: Mapping[str, int], folder: tuple[str, str] | None) -> Layout:
    """Lay pages out under new paths, whole; `folder` is (old, new) when a whole folder goes."""
    new_pages = tuple(NewPage(new, (LayoutPiece(old, 0, line_counts[old]),)) for old, new in moves.items())
    homes = {old: Home(new) for old, new in moves.items()}
    return Layout(new_pages, tuple(moves), homes, dict([folder] if folder else []), is_move=True)


@dataclass(frozen=True, slots=True)
class PageIdentity:
    """What identifies a page: the digest of its bytes, and the ids of its memories."""

    digest: str
    ids: frozenset[str]


def moved_by_hand(gone: Mapping[str, PageIdentity], new: Mapping[str, PageIdentity]) -> dict[str, str]:
    """The new paths of pages that are gone: by the same bytes, else by more than half of their memories.

    Of several candidates the one with the same file name counts; if none or several have it, the page is not found.
    """
    found: dict[str, str] = {}
    for old, print_ in sorted(gone.items()):
        rest = {path: other for path, other in new.items() if path not in found.values()}
        same = [path for path, other in rest.items() if other.digest == print_.digest]
        alike = same or [path for path, other in rest.items() if 2 * len(print_.ids & other.ids) > len(print_.ids)]
        named = [path for path in alike if path.rpartition("/")[2] == old.rpartition("/")[2]]
        chosen = alike if len(alike) == 1 else named
        if len(chosen) == 1:
            found[old] = chosen[0]
    return found


def folders_moved(moves: Mapping[str, str], still_there: Collection[str]) -> dict[str, str]:
    """The folders that moved as a whole: all their pages went to the same place, and nothing is left."""
    found: dict[str, str] = {}
    for old, new in moves.items():
        before, after = root_of_move(old, new)
        is_whole = all(
            moves[path] == after + path[len(before) :] for path in moves if path.startswith(before + "/")
        ) and not any(path.startswith(before + "/") for path in still_there)
        if before and after and before != old and is_whole:
            found[before] = after
    return found


def root_of_move(old: str, new: str) -> tuple[str, str]:
    """The page, or the topmost folder, that was moved: the parts by which the two paths differ."""
    was, now = old.split("/"), new.split("/")
    while was and now and was[-1] == now[-1]:
        was.pop()
        now.pop()
    return "/".join(was), "/".join(now)
