"""Which files a run may touch: not those that are being written, merged, copied in conflict, or too large to trust.

Not touching a file is always safe; each file that is left alone has its reason in words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from bankd.pages.scanner import BlockKind, decode_text, document_of
from bankd.pages.text import ENDED_BY_CR, is_utf8, is_wide, shown_path

LINE_CAP = 64 * 1024  # bytes
ENTRY_CAP = 20_000  # list items and paragraphs in a file, counted by their first lines
EMPTY_DAYS = 1  # an emptied file does not mean "everything deleted" before it has been empty so long
UNENDED_MINUTES = 10  # Obsidian writes no final newline; after so long, the last line is taken as complete
SWAP_HOURS = 1  # an older swap file comes from an editor that crashed

_JUST_SAVED = "changed less than"
_IGNORED = re.compile(r"\..*|.*~|#.*#|4913|.*\.(?:tmp|bak|icloud|crdownload|part|crswap)|.*\.sw[a-z]")
_CONFLICT = re.compile(
    r".*\.sync-conflict-.*|.*[._-]conflict[-_ ]?\d{6}.*|.*[_-]\d{4}_conflict\.md|.*\.conflict\d*\.md"
    r"|.*[(\[](?=[^()\[\]]*(?:confli[ct]|konflikt|конфликт|çakış|충돌|競合|冲突|衝突))"
    r"(?=[^()\[\]]*(?:cop[iy]|kop[iy]|cópia|копи|사본|コピー|副本|複本|\d{4}-?\d\d)|(?:case )?conflict[)\]])[^()\[\]]*[)\]].*",
    re.IGNORECASE,
)
"""Names that only sync tools give: Syncthing, Nextcloud, Synology, Resilio; in brackets Dropbox, Obsidian Sync, Seafile."""
_COPY = re.compile(
    r" \d{1,2}| ?[(\[][^()\[\]]*[)\]]"
    r"|[ _-]{1,3}(?i:copy|copie|copia|cópia|kopie|kopia|복사본|사본|コピー|副本|複本)(?: ?\(?\d{1,2}\)?)?"
    r"|-(?:[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*|[\w-]*(?i:macbook|imac|iphone|ipad|desktop|laptop|notebook|thinkpad)[\w-]*)"
)
"""What stands between a name and its ending in the name of a copy: iCloud, Google Drive, file managers, OneDrive."""
_MOST_ALIKE = 50  # lines of either file that are compared letter by letter
_MERGE = re.compile(rb"(?m)^(?:<{7} |={7}\r?$|>{7} )")
_FENCE_END = re.compile(r"[ \t]*(?:```|~~~)")
_ENTRY = re.compile(rb"(?m)^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class FileFingerprint(NamedTuple):
    """Size, times and inode: they show that a file has changed without reading it."""

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
            if why_ignored(name):
                continue
            if reason := _why_odd(path, listed, rest.largest):
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
    if is_conflict_copy(path):
        return "a sync tool's conflict copy; merge it by hand, then delete the copy"
    if not path.endswith(".md"):
        return f"its name ends in {path[-3:]}, and only .md is read; rename it"
    if not listed.is_regular:
        return "a link or special file"
    return f"larger than {largest >> 20} MB" if largest is not None and listed.seen.size > largest else None


def _why_waiting(name: str, listed: ListedFile, listing: Mapping[str, ListedFile], rest: RestRule) -> str | None:
    names = (f".{name}.swp", f".#{name}", f"{name}~")  # under which editors keep a page that is open
    swaps = [swap for swap in names if swap in listing and rest.now - listing[swap].mtime < SWAP_HOURS * 3600]
    return why_unsettled(rest.now - listed.mtime, rest.settle, swaps)


def why_ignored(name: str) -> str | None:
    """Why a file is neither page nor log: an editor made it, or it is not Markdown; None if it is one."""
    if _IGNORED.fullmatch(name):
        return "an editor's or tool's temporary file"
    return None if name.lower().endswith(".md") else "not a Markdown file"


def is_conflict_copy(path: str) -> bool:
    """Whether a sync tool wrote this beside the file it could not merge, by its name alone."""
    return _CONFLICT.fullmatch(unicodedata.normalize("NFC", path.rpartition("/")[2])) is not None


def is_visible(path: str) -> bool:
    """Whether a path is UTF-8 and no folder or name on it hidden (`.git/`, `.obsidian/`, `.a.md.swp`, `.#a.md`)."""
    return not path.startswith(".") and "/." not in path and is_utf8(path)


def is_watched(path: str) -> bool:
    """Whether a workspace-relative path names a Markdown file that can be a page or a log."""
    return is_visible(path) and not why_ignored(path.rpartition("/")[2]) and not is_conflict_copy(path)


def copied_from(name: str, names: Collection[str]) -> str | None:
    """The file of these beside it that a file may be a copy of, by its name; `is_copy` compares the two."""
    stem = unicodedata.normalize("NFC", name.removesuffix(".md"))
    ends = (at for at in range(len(stem) - 1, 0, -1) if stem[at] in " _-([")
    return next((f"{stem[:at]}.md" for at in ends if f"{stem[:at]}.md" in names and _COPY.fullmatch(stem, at)), None)


def is_copy(data: bytes, original: bytes) -> bool:
    """Whether at least half of the lines of a file stand in another one, as they are or changed a little."""
    mine, theirs = (
        [line.strip() for line in decode_text(text).split("\n") if line.strip() and not line.startswith("#")]
        for text in (data, original)
    )
    rest = Counter(theirs)
    rest.subtract(mine)
    new = [line for line, count in (Counter(mine) - Counter(theirs)).items() for _ in range(count)]
    lost = [line for line, count in rest.items() if count > 0][:_MOST_ALIKE]
    alike = sum(
        any(SequenceMatcher(None, line, old, False).ratio() > 0.8 for old in lost) for line in new[:_MOST_ALIKE]
    )
    return bool(mine) and 2 * (len(mine) - len(new) + alike) >= len(mine)


def why_unsettled(seconds: float, settle: float, swaps: Collection[str]) -> str | None:
    """Why a file waits for the next run; `seconds` is its age, `swaps` are young swap files beside it."""
    if abs(seconds) < settle:
        return f"{_JUST_SAVED} {settle:g} s ago"
    return "open in an editor" if swaps else None


def is_just_saved(reason: str) -> bool:
    """Whether a file waits only because it was just saved: it is read soon, and nobody needs to do anything."""
    return reason.startswith(_JUST_SAVED)


def why_doubted(size: int, seconds: float) -> str | None:
    """Why a file at rest still waits: it is empty and younger than `EMPTY_DAYS`; `seconds` is its age."""
    is_young = abs(seconds) < EMPTY_DAYS * 86400
    return "empty, perhaps cut by an unfinished save" if size == 0 and is_young else None


def why_quarantined(data: bytes) -> str | None:
    """Why the contents of a file are never rewritten; None when they may be."""
    if len(_MERGE.findall(data)) >= 2 and b"<<<<<<< " in data and (line := _find_unmerged(decode_text(data))):
        return f"has merge markers at line {line}; resolve the merge"
    if is_wide(data[:4]):
        return "UTF-16 or UTF-32; save it as UTF-8"
    if b"\r" in data and re.search(ENDED_BY_CR, data):
        return "its lines end in a carriage return alone; save it with line feeds"
    if len(data) > LINE_CAP and max(map(len, data.split(b"\n"))) > LINE_CAP:
        return f"a line is longer than {LINE_CAP >> 10} KB"
    if len(data) > 2 * ENTRY_CAP and len(_ENTRY.findall(data)) > ENTRY_CAP:
        return f"more than {ENTRY_CAP} entries"
    return None


def _find_unmerged(text: str) -> int:
    """The line, from 1, of the first merge marker outside of code that a page shows; 0 for none."""
    document = document_of(text)
    fences = [
        block
        for block in document.blocks
        if block.kind is BlockKind.FENCE and _FENCE_END.match(document.lines[block.end - 1])
    ]
    code = {number for block in fences for number in range(block.start, block.end)}
    markers = (number for number, line in enumerate(document.lines) if line.startswith("<<<<<<< "))
    return next((number + 1 for number in markers if number not in code), 0)
