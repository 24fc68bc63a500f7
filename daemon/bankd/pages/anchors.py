"""The places inside a page that a link can name, and the names that GitHub and Obsidian give them.

Only what follows the `#` of a link; `resolve` decides which page it leads to.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from bankd.pages.page import EXPLICIT_ID, github_anchor, heading_title, obsidian_words
from bankd.pages.scanner import QUOTE_MARK, BlockKind, Document, walk_blocks

_HTML_ID = re.compile(r"<[A-Za-z][^<>]*?\s(?:id|name)\s*=\s*[\"']([^\"'<>]+)[\"']")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$")
_UNLINKABLE = re.compile(r"[#|^:\[\]\\\s]+")  # what Obsidian leaves out of a wikilink's heading
_QUOTES = {BlockKind.QUOTE: (QUOTE_MARK, QUOTE_MARK)}
_WITHOUT_PLACES = frozenset(
    {BlockKind.FENCE, BlockKind.CODE, BlockKind.COMMENT, BlockKind.FRONT_MATTER, BlockKind.BLANK}
)


class Form(StrEnum):
    """The ways in which a fragment names a place."""

    ANCHOR = "anchor"  # GitHub's name for a heading
    EXPLICIT = "explicit"  # `{#id}` behind a heading, or an HTML id
    HEADING = "heading"  # Obsidian: the words of the heading
    BLOCK = "block"  # Obsidian: ^id


@dataclass(frozen=True, slots=True)
class AnchorPlace:
    """A line of a page (0-based), and the form in which a fragment named it."""

    line: int
    form: Form


@dataclass(frozen=True, slots=True)
class Spot:
    """A heading with all its names; only GitHub knows one inside a quote."""

    line: int
    level: int
    title: str
    words: str
    anchor: str
    is_quoted: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """Every place of a page that a fragment can name."""

    spots: tuple[Spot, ...]
    ids: dict[str, int]
    blocks: dict[str, int]


def outline_of(document: Document) -> Outline:
    """Find the places of a page."""
    ids: dict[str, int] = {}
    blocks: dict[str, int] = {}
    spots: list[Spot] = []
    taken: dict[str, int] = {}
    for block, layer in walk_blocks(document, _QUOTES):
        if block.kind in _WITHOUT_PLACES:
            continue
        line, lines = layer.first + block.start, layer.lines
        for offset, text in enumerate(lines[block.start : block.end]):
            for found in _HTML_ID.finditer(text):
                ids.setdefault(found[1], line + offset)
            if found_id := _BLOCK_ID.search(text.rstrip("\r\n")):
                blocks.setdefault(found_id[1].lower(), line + offset)
        if block.kind is BlockKind.HEADING:
            title = heading_title(lines, block)
            if explicit := EXPLICIT_ID.search(title):
                ids.setdefault(explicit[1], line)
            unique = anchor = unicodedata.normalize("NFC", github_anchor(title))
            while unique in taken:  # `a`, `a-1`, `a-2`, but never one that another heading already has
                taken[anchor] += 1
                unique = f"{anchor}-{taken[anchor]}"
            taken[unique] = 0
            spots.append(Spot(line, block.level, title, obsidian_words(title), unique, layer.depth > 0))
    return Outline(tuple(spots), ids, blocks)


def find_place(outline: Outline, fragment: str, *, is_wiki: bool) -> AnchorPlace | None:
    """Find what a fragment (as written, without the first `#`) names."""
    text = unicodedata.normalize("NFC", fragment if is_wiki else unquote(fragment))
    if text.startswith("^"):
        line = outline.blocks.get(text[1:].strip().lower())
        return None if line is None else AnchorPlace(line, Form.BLOCK)
    finders = (_by_words, _by_id, _by_anchor) if is_wiki else (_by_id, _by_anchor, _by_words)
    return next((place for find in finders if (place := find(outline, text))), None)


def fragment_for(outline: Outline, place: AnchorPlace, old: str) -> str | None:
    """Name a line of a page as the old fragment named it; None when nothing names it.

    The result is not escaped. The old fragment is kept when it still names the line.
    """
    is_wiki = place.form in {Form.HEADING, Form.BLOCK}
    if find_place(outline, old, is_wiki=is_wiki) == place:
        return old
    spot = next((spot for spot in outline.spots if spot.line == place.line), None)
    if spot is None:
        return None
    candidates = [spot.anchor]
    if is_wiki:  # the shortest path of headings first
        parents = _heading_path(outline, spot)
        candidates = ["#".join(parents[n:]) for n in range(len(parents) - 1, -1, -1)] + candidates
    for text in candidates:
        found = find_place(outline, text, is_wiki=is_wiki)
        if found and found.line == place.line:
            return text
    return None


def _by_words(outline: Outline, text: str) -> AnchorPlace | None:
    """Follow Obsidian: each part of `A#B` is the first heading with these words below the one before."""
    wanted = [words for part in text.split("#") if (words := obsidian_words(part))]
    level, found = 0, None
    for spot in outline.spots:
        if wanted and not spot.is_quoted and spot.words == wanted[0] and spot.level > level:
            wanted.pop(0)
            level, found = spot.level, spot
    return AnchorPlace(found.line, Form.HEADING) if found and not wanted else None


def _by_id(outline: Outline, text: str) -> AnchorPlace | None:
    line = outline.ids.get(text)
    return None if line is None else AnchorPlace(line, Form.EXPLICIT)


def _by_anchor(outline: Outline, text: str) -> AnchorPlace | None:
    """Match GitHub's anchors as written, then ignoring case, as the script of GitHub's pages does."""
    exact = (spot for spot in outline.spots if spot.anchor == text)
    folded = (spot for spot in outline.spots if spot.anchor == text.lower())
    spot = next(exact, None) or next(folded, None)
    return AnchorPlace(spot.line, Form.ANCHOR) if spot else None


def _heading_path(outline: Outline, target: Spot) -> list[str]:
    path: list[Spot] = []
    for spot in outline.spots:
        if not spot.is_quoted:
            path = [above for above in path if above.level < spot.level] + [spot]
        if spot == target:
            break
    return [_UNLINKABLE.sub(" ", spot.title).strip() for spot in path]
