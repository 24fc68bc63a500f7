"""Which files a run may touch: not those that are being written, merged, copied in conflict, or too large to trust.

Not touching a file is always right; each one that is left alone has its reason in words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bankd.pages.text import ENDED_BY_CR, is_utf8, is_wide, shown_path

LINE_CAP = 64 * 1024  # bytes
ENTRY_CAP = 20_000  # list items and paragraphs in a file, counted by their first lines
EMPTY_DAYS = 1  # a file that fell to nothing is not "everything deleted" before it has been empty so long
UNENDED_MINUTES = 10  # Obsidian ends no last line; one that has been left alone so long is not being written any more
SWAP_HOURS = 1  # an older swap file was left by an editor that died

_JUST_SAVED = "changed less than"
_IGNORED = re.compile(
    r"\..*|.*~|#.*#|4913|.*\.(?:tmp|bak|icloud|crdownload|part)|.*\.sw[a-z]|.*\.sync-conflict-.*|.*\(conflicted copy.*"
)
_MERGE = re.compile(rb"(?m)^(?:<{7} |={7}\r?$|>{7} )")
_ENTRY = re.compile(rb"(?m)^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class FileFingerprint(NamedTuple):
    """What tells a file from its earlier self without reading it."""

    size: int
    mtime_ns: int
    inode: int


class ListedFile(NamedTuple):
    """What a folder says of a file; `mtime` is in seconds of the epoch."""

    seen: FileFingerprint
    mtime: float
    is_regular: bool


class RestRule(NamedTuple):
    """When a file is at rest: `now` and `settle` in seconds, and the largest that is read, in bytes; None for any."""

    now: float
    settle: float
    largest: int | None


@dataclass(slots=True)
class Survey:
    """The Markdown files under a folder by workspace-relative path, those of a folder before what follows it by name.

    Those that are left alone have the reason why.

    `emptied` are those of the unsettled that wait for no other reason than that there is nothing in them.
    """

    files: dict[str, FileFingerprint] = field(default_factory=dict)
    unsettled: dict[str, str] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    quarantined: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)


def judge_listings(
    listings: Mapping[str, Mapping[str, ListedFile]], rest: RestRule, known: Mapping[str, FileFingerprint]
) -> Survey:
    """The files of some folders by what they look like; those at rest may still be left alone for what is in them.

    One that still has its `known` fingerprint was complete when it was read, so it is at rest however young it is.
    """
    survey = Survey()
    for folder, listing in listings.items():
        _judge_listing(folder, listing, rest, known, survey)
    survey.files = dict(sorted(survey.files.items(), key=lambda item: item[0].split("/")))
    return survey


def _judge_listing(
    folder: str, listing: Mapping[str, ListedFile], rest: RestRule, known: Mapping[str, FileFingerprint], survey: Survey
) -> None:
    prefix = f"{folder}/" if folder else ""
    for name, listed in listing.items():
        path = f"{prefix}{name}"
        is_known = known.get(path) == listed.seen
        if reason := why_ignored(name):
            survey.ignored[shown_path(path)] = reason
        elif reason := _why_odd(path, listed, rest.largest):
            survey.quarantined[shown_path(path)] = reason
        elif reason := _why_waiting(name, listed, listing, rest._replace(settle=0) if is_known else rest):
            survey.unsettled[path] = reason
        elif reason := why_doubted(listed.seen.size, rest.now - listed.mtime):
            survey.unsettled[path] = reason
            survey.emptied.add(path)
        else:
            survey.files[path] = listed.seen


def _why_odd(path: str, listed: ListedFile, largest: int | None) -> str | None:
    if not is_utf8(path):
        return "its name is not UTF-8; rename it"
    if not path.endswith(".md"):
        return f"its name ends in {path[-3:]}, and only .md is read; rename it"
    if not listed.is_regular:
        return "a link or special file"
    return f"larger than {largest >> 20} MB" if largest is not None and listed.seen.size > largest else None


def _why_waiting(name: str, listed: ListedFile, listing: Mapping[str, ListedFile], rest: RestRule) -> str | None:
    beside = (swap for swap in swap_names(name) if swap in listing)
    swaps = [swap for swap in beside if rest.now - listing[swap].mtime < SWAP_HOURS * 3600]
    return why_unsettled(rest.now - listed.mtime, rest.settle, swaps)


def ignored_among(names: Iterable[str]) -> set[str]:
    """Those of these names of files that are nobody's page or log."""
    return {name for name in names if why_ignored(name)}


def why_ignored(name: str) -> str | None:
    """Why a file is nobody's page: an editor's or a sync tool's, or not Markdown; None for a page or log."""
    if re.fullmatch(r".*\.sync-conflict-.*|.*\(conflicted copy.*", name):
        return "a sync tool's conflict copy; merge it by hand"
    if _IGNORED.fullmatch(name):
        return "an editor's or tool's temporary file"
    return None if name.lower().endswith(".md") else "not a Markdown file"


def why_unsettled(seconds: float, settle: float, swaps: Collection[str]) -> str | None:
    """Why a file waits for the next run; `seconds` is its age, `swaps` its young swap files beside it."""
    if abs(seconds) < settle:
        return f"{_JUST_SAVED} {settle:g} s ago"
    if swaps:
        return "open in an editor"
    return None


def is_just_saved(reason: str) -> bool:
    """Whether a file waits only because it was saved a moment ago: it is read soon, and nobody need do anything."""
    return reason.startswith(_JUST_SAVED)


def why_doubted(size: int, seconds: float) -> str | None:
    """Why a file that is at rest is not believed all the same; `seconds` is its age."""
    is_young = abs(seconds) < EMPTY_DAYS * 86400
    return "empty, perhaps cut by an unfinished save" if size == 0 and is_young else None


def swap_names(name: str) -> tuple[str, str, str]:
    """The names under which editors keep a page that is open."""
    return f".{name}.swp", f".#{name}", f"{name}~"


def why_quarantined(data: bytes) -> str | None:
    """Why the contents of a file are never rewritten; None when they may be."""
    if len(_MERGE.findall(data)) >= 2 and b"<<<<<<< " in data:
        return "has merge markers; resolve the merge"
    if is_wide(data[:4]):
        return "UTF-16 or UTF-32; save it as UTF-8"
    if b"\r" in data and re.search(ENDED_BY_CR, data):
        return "its lines end in a carriage return alone; save it with line feeds"
    if len(data) > LINE_CAP and max(map(len, data.split(b"\n"))) > LINE_CAP:
        return f"a line is longer than {LINE_CAP >> 10} KB"
    if len(data) > 2 * ENTRY_CAP and len(_ENTRY.findall(data)) > ENTRY_CAP:
        return f"more than {ENTRY_CAP} entries"
    return None
