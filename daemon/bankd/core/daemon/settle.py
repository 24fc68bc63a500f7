"""Which files a run may touch: not those that are being written, merged, copied in conflict, or too large to trust.

Not touching a file is always right; each one that is left alone has its reason in words.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

LINE_CAP = 64 * 1024  # bytes
ENTRY_CAP = 20_000  # list items and paragraphs in a file, counted by their first lines
EMPTY_DAYS = 1  # a file that fell to nothing is not "everything deleted" before it has been empty so long
UNENDED_MINUTES = 10  # Obsidian ends no last line; one that has been left alone so long is not being written any more
SWAP_HOURS = 1  # an older swap file was left by an editor that died

_IGNORED = re.compile(
    r"\..*|.*~|#.*#|4913|.*\.(?:tmp|bak|icloud|crdownload|part)|.*\.sw[a-z]|.*\.sync-conflict-.*|.*\(conflicted copy.*"
)
_MERGE = re.compile(rb"(?m)^(?:<{7} |={7}\r?$|>{7} )")
_ENTRY = re.compile(rb"(?m)^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


@dataclass(frozen=True, slots=True)
class FileFingerprint:
    """What tells a file from its earlier self without reading it."""

    size: int
    mtime_ns: int
    inode: int


@dataclass(slots=True)
class Survey:
    """The Markdown files under a folder by workspace-relative path, sorted; those left alone with the reason why.

    `emptied` are those of the unsettled that wait for no other reason than that there is nothing in them.
    """

    files: dict[str, FileFingerprint] = field(default_factory=dict)
    unsettled: dict[str, str] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    quarantined: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)


def why_ignored(name: str) -> str | None:
    """Why a file is nobody's page: an editor's or a sync tool's, or not Markdown; None for a page or log."""
    if re.fullmatch(r".*\.sync-conflict-.*|.*\(conflicted copy.*", name):
        return "a sync tool's conflict copy; merge it by hand"
    if _IGNORED.fullmatch(name):
        return "an editor's or tool's temporary file"
    return None if name.endswith(".md") else "not a Markdown file"


def why_unsettled(name: str, seconds: float, settle: float, swaps: Collection[str]) -> str | None:
    """Why a file waits for the next run; `seconds` is its age, `swaps` the young swap files beside it."""
    if abs(seconds) < settle:
        return f"changed less than {settle:g} s ago"
    if {f".{name}.swp", f".#{name}", f"{name}~"} & set(swaps):
        return "open in an editor"
    return None


def why_doubted(print_: FileFingerprint, seconds: float) -> str | None:
    """Why a file that is at rest is not believed all the same; `seconds` is its age."""
    is_young = abs(seconds) < EMPTY_DAYS * 86400
    return "empty, perhaps cut by an unfinished save" if print_.size == 0 and is_young else None


def swap_names(name: str) -> tuple[str, str, str]:
    """The names under which editors keep a page that is open."""
    return f".{name}.swp", f".#{name}", f"{name}~"


def why_quarantined(data: bytes) -> str | None:
    """Why the contents of a file are never rewritten; None when they may be."""
    if len(_MERGE.findall(data)) >= 2 and b"<<<<<<< " in data:
        return "has merge markers; resolve the merge"
    if len(data) > LINE_CAP and max(map(len, data.split(b"\n"))) > LINE_CAP:
        return f"a line is longer than {LINE_CAP >> 10} KB"
    if len(data) > 2 * ENTRY_CAP and len(_ENTRY.findall(data)) > ENTRY_CAP:
        return f"more than {ENTRY_CAP} entries"
    return None
