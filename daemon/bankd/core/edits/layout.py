"""How lines of pages are laid out anew: what a split, a move and a merge have in common.

A layout says which old lines stand where; the words in them are changed only by `relink`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LayoutPiece:
    """Lines `start` to `end` of an old page (half open), or, without a source, `text` that is new.

    A copy repeats lines that stand elsewhere: nothing outside its own page refers to it. An unended piece has
    lost the end of its last line.
    """

    source: str | None = None
    start: int = 0
    end: int = 0
    text: str = ""
    is_copy: bool = False
    is_unended: bool = False


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page as it will be: its pieces from top to bottom."""

    path: str
    pieces: tuple[LayoutPiece, ...]


@dataclass(frozen=True, slots=True)
class Home:
    """Where links to a whole page lead afterwards: a page, and there the line that was `line` of the old one."""

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
        """The old pages that the new ones are made of; one that is gone is one of them even if it had no line to give."""
        found = (piece.source for new_page in self.new_pages for piece in new_page.pieces)
        return frozenset(source for source in (*found, *self.gone) if source)

    @property
    def new_paths(self) -> tuple[str, ...]:
        """The paths of all new pages."""
        return tuple(new_page.path for new_page in self.new_pages)


def combine_layouts(layouts: tuple[Layout, ...]) -> Layout:
    """One layout that does what several of different pages do."""
    return Layout(
        tuple(new_page for layout in layouts for new_page in layout.new_pages),
        tuple(path for layout in layouts for path in layout.gone),
        {old: home for layout in layouts for old, home in layout.homes.items()},
        {old: new for layout in layouts for old, new in layout.folders.items()},
        any(layout.is_move for layout in layouts),
    )


@dataclass(frozen=True, slots=True)
class Position:
    """A line of a page."""

    path: str
    line: int


def line_positions(layout: Layout) -> dict[Position, Position]:
    """Where each old line that is not a mere copy stands now."""
    found = {}
    for new_page, piece, first in placed_pieces(layout):
        if piece.source and not piece.is_copy:
            for n in range(piece.start, piece.end):
                found[Position(piece.source, n)] = Position(new_page.path, first + n - piece.start)
    return found


def placed_pieces(layout: Layout) -> Iterator[tuple[NewPage, LayoutPiece, int]]:
    """Each piece with its new page and its first line there."""
    for new_page in layout.new_pages:
        first = 0
        for piece in new_page.pieces:
            yield new_page, piece, first
            first += piece.end - piece.start if piece.source else piece.text.count("\n")
