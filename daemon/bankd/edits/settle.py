"""Which files a run may touch: not those that are being written, merged, copied in conflict, or too large to trust.

Not touching a file is always safe; each file that is left alone has its reason in words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bankd.pages.text import ENDED_BY_CR, is_utf8, is_wide, shown_path

LINE_CAP = 64 * 1024  # bytes
ENTRY_CAP = 20_000  # list items and paragraphs in a file, counted by their first lines
EMPTY_DAYS = 1  # an emptied file does not mean "everything deleted" before it has been empty so long
UNENDED_MINUTES = 10  # Obsidian writes no final newline; after so long, the last line is taken as complete
SWAP_HOURS = 1  # an older swap file comes from an editor that crashed

_JUST_SAVED = "changed less than"
_IGNORED = re.compile(
    r"\..*|.*~|#.*#|4913|.*\.(?:tmp|bak|icloud|crdownload|part)|.*\.sw[a-z]|.*\.sync-conflict-.*|.*\(conflicted copy.*"
)
_MERGE = re.compile(rb"(?m)^(?:<{7} |={7}\r?$|>{7} )")
_ENTRY = re.compile(rb"(?m)^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class FileFingerprint(NamedTuple):
    """What shows that a file has changed, without reading it."""

    size: int
    mtime_ns: int
    inode: int


class ListedFile(NamedTuple):
    """What the listing of a folder says of a file; `mtime` is in seconds since the epoch."""

    seen: FileFingerprint
    mtime: float
    is_regular: bool


class RestRule(NamedTuple):
    """When a file is at rest: `now` and `settle` in seconds; `largest` is the largest file read, in bytes (None: any)."""

    now: float
    settle: float
    largest: int | None


@dataclass(slots=True)
class Survey:
    """The Markdown files under a folder, by path in the workspace; those that are left alone have the reason.

    `files` are sorted folder by folder. `emptied` are the unsettled files that wait only because they are empty.
    """

    files: dict[str, FileFingerprint] = field(default_factory=dict)
    unsettled: dict[str, str] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    quarantined: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)


def judge_listings(
    listings: Mapping[str, Mapping[str, ListedFile]], rest: RestRule, known: Mapping[str, FileFingerprint]
) -> Survey:
    """Judge the files of some folders by their listings; `why_quarantined` judges the contents of those at rest.

    A file that still has its `known` fingerprint was complete when it was read, so it is at rest, however young.
    """
    survey = Survey()
    for folder, listing in listings.items():
        for name, listed in listing.items():
            path = f"{folder}/{name}" if folder else name
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
    survey.files = dict(sorted(survey.files.items(), key=lambda item: item[0].split("/")))
    return survey


def _why_odd(path: str, listed: ListedFile, largest: int | None) -> str | None:
    if not is_utf8(path):
        return "its name is not UTF-8; rename it"
    if not path.endswith(".md"):
        return f"its name ends in {path[-3:]}, and only .md is read; rename it"
    if not listed.is_regular:
        return "a link or special file"
    return f"larger than {largest >> 20} MB" if largest is not None and listed.seen.size > largest else None


def _why_waiting(name: str, listed: ListedFile, listing: Mapping[str, ListedFile], rest: RestRule) -> str | None:
    names = (f".{name}.swp", f".#{name}", f"{name}~")  # under which editors keep a page that is open
    swaps = [swap for swap in names if swap in listing and rest.now - listing[swap].mtime < SWAP_HOURS * 3600]
    return why_unsettled(rest.now - listed.mtime, rest.settle, swaps)


def ignored_among(names: Iterable[str]) -> set[str]:
    """The names of files that are neither a page nor a log."""
    return {name for name in names if why_ignored(name)}


def why_ignored(name: str) -> str | None:
    """Why a file is neither page nor log: an editor or a sync tool made it, or it is not Markdown; None if it is one."""
    if re.fullmatch(r".*\.sync-conflict-.*|.*\(conflicted copy.*", name):
        return "a sync tool's conflict copy; merge it by hand"
    if _IGNORED.fullmatch(name):
        return "an editor's or tool's temporary file"
    return None if name.lower().endswith(".md") else "not a Markdown file"


def why_unsettled(seconds: float, settle: float, swaps: Collection[str]) -> str | None:
    """Why a file waits for the next run; `seconds` is its age, `swaps` are young swap files beside it."""
    if abs(seconds) < settle:
        return f"{_JUST_SAVED} {settle:g} s ago"
    return "open in an editor" if swaps else None


def is_just_saved(reason: str) -> bool:
    """Whether a file waits only because it was just saved: it is read soon, and nobody needs to do anything."""
    return reason.startswith(_JUST_SAVED)


def why_doubted(size: int, seconds: float) -> str | None:
    """Why a file at rest still waits: it is empty; `seconds` is its age."""
    is_young = abs(seconds) < EMPTY_DAYS * 86400
    return "empty, perhaps cut by an unfinished save" if size == 0 and is_young else None


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
