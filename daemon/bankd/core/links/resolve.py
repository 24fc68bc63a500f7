"""What a target as written leads to: a file or a folder, by path or by name.

The place inside a page is decided in `anchors`. A target that could mean two files means none.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import unquote

from bankd.core.links.references import Reference
from bankd.core.markdown.inline import LinkKind
from bankd.core.markdown.names import ARCHIVE, BANK, Names, folder_of, join_path, path_key, relative_path

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BARE_PREFIX = re.compile(r"\$\{?\w+\}?/")
_LEADING_CLIMB = re.compile(r"(?:\./)?(?:\.\./)*")
INDEX_PAGES = ("README.md", "index.md")
_OURS = (BANK, ARCHIVE)
WIKI_KINDS = frozenset({LinkKind.WIKI, LinkKind.EMBED})


class Base(StrEnum):
    """From where a target counts its path."""

    SELF = "self"  # only a fragment
    RELATIVE = "relative"
    ROOT = "root"  # `/x` counts from bank/
    WORKSPACE = "workspace"  # `bank/x`, `/bank/x`
    NAME = "name"  # the last parts of the path, as many as are needed


@dataclass(frozen=True, slots=True)
class Style:
    """How a target is written: where it counts from, what stands before it, how its file name ends.

    `segments` is how much of a path a wikilink spells out, `climb` how much further up a relative path goes than it must.
    """

    base: Base
    prefix: str = ""
    ending: str = ".md"
    segments: int = 1
    climb: int = 0


@dataclass(frozen=True, slots=True)
class Target:
    """The file or folder that a reference leads to, and what it names inside it (as written)."""

    path: str
    fragment: str | None
    style: Style
    is_folder: bool = False


def resolve_reference(reference: Reference, source: str, names: Names) -> Target | None:
    """Find what a reference in a file leads to; None for the outside world, nothing at all, or two things at once."""
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
    found = _target(join_path(folder_of(source), path), path, fragment, style, names)
    if found is None:
        return None
    least = relative_path(names.seen_from(source, found.path), folder_of(source)).count("../")
    climb = max(0, _LEADING_CLIMB.match(path).group().count("../") - least)  # type: ignore[union-attr]
    return replace(found, style=replace(found.style, climb=climb))


def _target(full: str | None, written: str, fragment: str | None, style: Style, names: Names) -> Target | None:
    """Try a path as it is, then as the sites that leave out `.md` mean it, then as a folder."""
    if full is None:
        return None
    tries = [] if written.endswith("/") else [(full, full[-3:] if full.endswith(".md") else "?"), (full + ".md", "")]
    if full.endswith(".html"):
        tries.append((full.removesuffix("html") + "md", ".html"))
    tries += [(f"{full}/{page}", "/" if written.endswith("/") else "folder") for page in INDEX_PAGES]
    for path, ending in tries:
        if file := names.file(path):
            return Target(file, fragment, replace(style, ending=ending))
    if names.has_folder(full):
        return Target(
            names.inside(full), fragment, replace(style, ending="/" if written.endswith("/") else "?"), is_folder=True
        )
    return None


def _resolve_wiki(path: str, fragment: str | None, source: str, names: Names) -> Target | None:
    ending = ".md" if path.endswith(".md") else ""
    if path.startswith(("./", "../", "/")):
        return _resolve_path(path, fragment, source, names)
    segments = path.count("/") + 1
    style = Style(Base.NAME, ending=ending, segments=segments)
    for full in (BANK + path, path):  # a path from the root is never ambiguous
        if file := names.file(full) or names.file(full + ".md"):
            return Target(file, fragment, style)
    key = path_key("/" + path)
    wanted = (key, key + ".md")
    found = [file for file in names.named(path.rpartition("/")[2]) if path_key("/" + file).endswith(wanted)]
    return Target(found[0], fragment, style) if len(found) == 1 else None


def _resolve_bare(path: str, fragment: str | None, source: str, names: Names) -> Target | None:
    """A bare path counts from the workspace; in the bank also from the bank; with dots from its own folder."""
    prefix = found.group() if (found := _BARE_PREFIX.match(path)) else ""
    rest = path.removeprefix(prefix)
    if rest.startswith(("./", "../")):
        found_relative = _resolve_relative(rest, fragment, source, names)
        return found_relative if found_relative and found_relative.path.startswith(_OURS) else None
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
    """Whether a bare path names a page of the archive, and not one of a folder of the bank with that name."""
    is_in_bank = source.startswith(BANK) and names.file(BANK + path)
    return path.startswith(ARCHIVE) and not is_in_bank and names.file(path) is not None
