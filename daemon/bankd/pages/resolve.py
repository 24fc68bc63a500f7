"""Finds the file or folder that a target leads to, and writes new targets in the style of old ones.

A target that could mean two files means none. Places inside a page have the names that GitHub and Obsidian give them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import quote, unquote

from bankd.pages.names import ARCHIVE, BANK, Names, folder_of, is_outside, join_path, path_key, relative_path
from bankd.pages.page import EXPLICIT_ID, github_anchor, heading_title, obsidian_words
from bankd.pages.references import LinkKind, Reference, is_bare_path
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


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BARE_PREFIX = re.compile(r"\$\{?\w+\}?/")
INDEX_PAGES = ("README.md", "index.md")
_OURS = (BANK, ARCHIVE)
WIKI_KINDS = frozenset({LinkKind.WIKI, LinkKind.EMBED})


class Base(StrEnum):
    """The folder that the path of a target starts from."""

    SELF = "self"  # only a fragment
    RELATIVE = "relative"
    ROOT = "root"  # `/x` counts from bank/
    WORKSPACE = "workspace"  # `bank/x`, `/bank/x`
    NAME = "name"  # the last parts of the path, as many as are needed


@dataclass(frozen=True, slots=True)
class Style:
    """How a target is written: where its path starts, what stands before the path, how the file name ends.

    `segments`: how many parts of the path a wikilink has.
    """

    base: Base
    prefix: str = ""
    ending: str = ".md"
    segments: int = 1


@dataclass(frozen=True, slots=True)
class Target:
    """The file or folder that a reference leads to, and its fragment as written."""

    path: str
    fragment: str | None
    style: Style
    is_folder: bool = False


def resolve_reference(reference: Reference, source: str, names: Names) -> Target | None:
    """Find what a reference in a file leads to; None for the outside world, for nothing, and for two files at once."""
    path, fragment = split_target(reference.target)
    if not path:
        return Target(source, fragment, Style(Base.SELF)) if fragment else None
    if reference.kind in WIKI_KINDS:
        return _resolve_wiki(path, fragment, source, names)
    if reference.kind is LinkKind.BARE:
        return _resolve_bare(path, fragment, source, names)
    if reference.kind is LinkKind.ROUTE:
        file = names.file(BANK + path)
        return Target(file, fragment, Style(Base.ROOT, "bare")) if file else None
    if _SCHEME.match(path):
        return None
    readings = dict.fromkeys((unquote(_unescape(path.partition("?")[0])), _unescape(path)))
    found = (_resolve_path(reading, fragment, source, names) for reading in readings)
    return next((target for target in found if target), None)


def split_target(target: str) -> tuple[str, str | None]:
    """Divide a target at its first `#`."""
    path, mark, fragment = target.partition("#")
    return path, fragment if mark else None


def _unescape(path: str) -> str:
    return html.unescape(_ESCAPE.sub(r"\1", path))


def _resolve_path(path: str, fragment: str | None, source: str, names: Names) -> Target | None:
    if path.startswith("/"):
        found = _target(join_path(BANK, path), path, fragment, Style(Base.ROOT), names)
        return found or _target(join_path("", path), path, fragment, Style(Base.WORKSPACE, "/"), names)
    return _resolve_relative(path, fragment, source, names)


def _resolve_relative(path: str, fragment: str | None, source: str, names: Names) -> Target | None:
    style = Style(Base.RELATIVE, "./" if path.startswith("./") else "")
    return _target(join_path(folder_of(source), path), path, fragment, style, names)


def _target(full: str | None, written: str, fragment: str | None, style: Style, names: Names) -> Target | None:
    """Try a path as it is, then with `.md` (which some sites leave out), then as a folder."""
    if full is None:
        return None
    tries = [] if written.endswith("/") else [(full, full[-3:] if full.endswith(".md") else "?"), (full + ".md", "")]
    if full.endswith(".html"):
        tries.append((full.removesuffix("html") + "md", ".html"))
    tries += [(f"{full}/{page}", "/" if written.endswith("/") else "folder") for page in INDEX_PAGES]
    for path, ending in tries:
        if file := names.file(path):
            return Target(file, fragment, replace(style, ending=ending))
    if not names.has_folder(full):
        return None
    style = replace(style, ending="/" if written.endswith("/") else "?")
    return Target(names.inside(full), fragment, style, is_folder=True)


def _resolve_wiki(path: str, fragment: str | None, source: str, names: Names) -> Target | None:
    if path.startswith(("./", "../", "/")):
        return _resolve_path(path, fragment, source, names)
    style = Style(Base.NAME, ending=".md" if path.endswith(".md") else "", segments=path.count("/") + 1)
    for full in (BANK + path, path):  # a path from the root is never ambiguous
        if file := names.file(full) or names.file(full + ".md"):
            return Target(file, fragment, style)
    wanted = ((key := path_key("/" + path)), key + ".md")
    found = [file for file in names.named(path.rpartition("/")[2]) if path_key("/" + file).endswith(wanted)]
    return Target(found[0], fragment, style) if len(found) == 1 else None


def _resolve_bare(path: str, fragment: str | None, source: str, names: Names) -> Target | None:
    """A bare path starts from the workspace; in a file of the bank also from the bank; with dots from its own folder."""
    prefix = found.group() if (found := _BARE_PREFIX.match(path)) else ""
    rest = path.removeprefix(prefix)
    if rest.startswith(("./", "../")):
        near = _resolve_relative(rest, fragment, source, names)
        return near if near and near.path.startswith(_OURS) else None
    full: str | None
    if rest.startswith("/"):
        full, style = names.inside(rest), Style(Base.WORKSPACE, f"{names.home}/")
    elif rest.startswith(BANK) or _is_archived(rest, source, names):
        full, style = join_path("", rest), Style(Base.WORKSPACE, prefix)
    elif source.startswith(BANK):
        full, style = join_path(BANK, rest), Style(Base.ROOT, "bare")
    else:
        return None
    if full is None or not full.startswith(_OURS):
        return None
    if file := names.file(full):
        return Target(file, fragment, style)
    if path.endswith(".md") or not names.has_folder(full):
        return None
    return Target(full, fragment, replace(style, ending="/" if path.endswith("/") else "?"), is_folder=True)


def _is_archived(path: str, source: str, names: Names) -> bool:
    """Whether a bare path names a page of the archive, and not one of a folder `archive` in the bank."""
    is_in_bank = source.startswith(BANK) and names.file(BANK + path)
    return path.startswith(ARCHIVE) and not is_in_bank and names.file(path) is not None


def render_path(reference: Reference, target: Target, source: str, names: Names) -> str | None:
    """Write the path of a target in its style, or the nearest style that leads there; None if no style does.

    The caller adds the fragment.
    """
    # Only where the file lies outside the workspace and the target does not, the path is absolute.
    seen = f"{names.home}/{target.path}" if is_outside(source) and not is_outside(target.path) else target.path
    for style in _styles(reference, target, source):
        if style.base is Base.SELF:
            return ""
        written = _written(reference, seen, target.path, style, source)
        if reference.kind is LinkKind.BARE and not is_bare_path(written, is_angled=reference.is_angled):
            continue
        found = resolve_reference(replace(reference, target=written), source, names)
        if found and found.path == target.path and found.is_folder == target.is_folder:
            is_plain = reference.kind is LinkKind.ROUTE and not reference.is_angled
            return (
                f'"{written}"' if is_plain and not set("[]{},:#'").isdisjoint(written) else written
            )  # as YAML needs it
    return None


def encode_fragment(reference: Reference, fragment: str) -> str:
    """Write a fragment as the reference writes its own."""
    if reference.kind in WIKI_KINDS or reference.kind is LinkKind.BARE:
        return fragment
    return _encoded(reference, fragment, safe="#^&=+,;:@!$'*~/?")


def _styles(reference: Reference, target: Target, source: str) -> list[Style]:
    """The style itself, then plainer and plainer ones."""
    kind, style = reference.kind, target.style
    if style.base is Base.SELF and target.path != source:
        style = Style(Base.NAME, ending="") if kind in WIKI_KINDS else Style(Base.RELATIVE)
    depth = target.path.count("/") + 1
    if style.base is Base.NAME:
        # a vault may begin at bank/: there the name of that folder leads nowhere
        is_below_bank = target.path.startswith(BANK) and not reference.target.startswith(BANK)
        first = min(style.segments, depth - is_below_bank)
        return [replace(style, segments=n) for n in range(first, depth + 1)]
    endings = [style.ending, ".md"] if style.ending != "folder" else ["folder", "/", ".md"]
    plain = [Style(Base.WORKSPACE)] if kind is LinkKind.BARE else []  # `v.md` alone would not pass for a path
    return [*(replace(style, ending=ending) for ending in endings), *plain]


def _written(reference: Reference, seen: str, path: str, style: Style, source: str) -> str:
    if style.base is Base.NAME:
        return _with_ending("/".join(path.split("/")[-style.segments :]), style.ending)
    if style.base is Base.RELATIVE:
        plain = style.prefix + relative_path(seen, folder_of(source))
    elif style.base is Base.ROOT:
        plain = ("" if style.prefix == "bare" else "/") + path.removeprefix(BANK)
    else:
        plain = style.prefix + path
    plain = _with_ending(plain, style.ending)
    is_raw = reference.kind in WIKI_KINDS | {LinkKind.BARE, LinkKind.ROUTE}
    return plain if is_raw else _encoded(reference, plain, safe="/!$&'*+,;=:@~")


def _with_ending(path: str, ending: str) -> str:
    """A path without the ending that its style leaves out."""
    if ending in {"/", "folder"}:
        for page in INDEX_PAGES:
            if path == page or path.endswith("/" + page):
                folder = path[: -len(page)] or "./"
                return folder if ending == "/" else folder.rstrip("/")
        return path if path.endswith("/") else path + ("" if path.endswith(".md") else "/")
    return path.removesuffix(".md") + ending if ending in {"", ".html"} else path


def _encoded(reference: Reference, text: str, safe: str) -> str:
    """Percent-encode what must be encoded there; letters beyond ASCII and signs only where the old target did.

    Parentheses stay as they are only where the old target had some: for many readers the first one ends a link.
    """
    if reference.is_angled and "%" not in reference.target:
        return text.replace("\\", "\\\\").replace("<", "\\<").replace(">", "\\>")
    bare = safe + "()" if "(" in reference.target else safe
    kept = (sign for sign in bare if sign == "/" or quote(sign, safe="") not in reference.target.upper())
    quoted = quote(text, safe="".join(kept), errors="surrogateescape")
    if text.count("(") != text.count(")"):
        quoted = quoted.replace("(", "%28").replace(")", "%29")
    if reference.target.isascii() and re.search(r"%[89A-Fa-f][0-9A-Fa-f]", reference.target):
        return quoted
    return re.sub(r"(?:%[89A-F][0-9A-F])+", lambda found: unquote(found.group(), errors="surrogateescape"), quoted)
