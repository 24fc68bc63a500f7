"""What to make of hints that a file may have changed: which paths count, when they are quiet, what really differs.

Hints are never truth: a path is only looked at sooner because of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bankd.core.markdown.utf8 import is_utf8

# Swap, backup and lock files of editors, the probe that vim writes, half-made copies, and what sync tools leave.
_PASSING = re.compile(r"(?:.*~|4913|#.*#|.*\.tmp|.*\.icloud|.*\.part|.*\.crswap)$")
_CONFLICT = re.compile(r".*(?:\.sync-conflict-.*|\([^()]*conflicted copy[^()]*\).*)$", re.IGNORECASE)


def is_conflict_copy(path: str) -> bool:
    """Whether a sync tool wrote this beside the file it could not merge."""
    return _CONFLICT.match(path.rpartition("/")[2]) is not None


def is_visible(path: str) -> bool:
    """Whether a path is UTF-8 and no folder or name on it hidden (`.git/`, `.obsidian/`, `.a.md.swp`, `.#a.md`)."""
    return not path.startswith(".") and "/." not in path and is_utf8(path)


def is_watched(path: str) -> bool:
    """Whether a workspace-relative path names a Markdown file that can be a page or a log."""
    name = path.rpartition("/")[2]
    is_markdown = name.lower().endswith(".md")
    return is_markdown and is_visible(path) and not _PASSING.match(name) and not is_conflict_copy(path)


@dataclass(slots=True)
class Debouncer:
    """Holds a path until it has been quiet for `quiet` seconds, or for `longest` seconds since its first hint."""

    quiet: float
    longest: float
    # Both are in the order of their times, because a path noted again goes to the end of `_last`.
    _last: dict[str, float] = field(default_factory=dict)
    _first: dict[str, float] = field(default_factory=dict)

    def note(self, path: str, now: float) -> None:
        """A hint about a path."""
        self._last.pop(path, None)
        self._last[path] = now
        self._first.setdefault(path, now)

    def take(self, now: float) -> list[str]:
        """The paths whose time has come; they are not held any more."""
        due = _until(self._last, now - self.quiet) + _until(self._first, now - self.longest)
        for path in due:
            self._last.pop(path, None)
            self._first.pop(path, None)
        return list(dict.fromkeys(due))

    def wait(self, now: float) -> float | None:
        """Seconds until `take` gives something; None when nothing is held."""
        if not self._last:
            return None
        quiet_at = next(iter(self._last.values())) + self.quiet
        longest_at = next(iter(self._first.values())) + self.longest
        return max(0.0, min(quiet_at, longest_at) - now)

    def __len__(self) -> int:
        return len(self._last)


def _until(times: Mapping[str, float], limit: float) -> list[str]:
    found = []
    for path, time in times.items():
        if time > limit:
            break
        found.append(path)
    return found


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another; `changed_ns` (ctime) moves with each write and cannot be set back."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    digest: bytes | None = None

    def looks_like(self, other: Stamp) -> bool:
        """Whether everything but the digest is the same."""
        mine = (self.size, self.modified_ns, self.changed_ns, self.inode)
        return mine == (other.size, other.modified_ns, other.changed_ns, other.inode)


@dataclass(frozen=True, slots=True)
class Changes:
    """Workspace-relative paths whose contents differ from what was known."""

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.deleted)

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them."""
        return self.changed + self.deleted


def paths_below(known: Iterable[str], folder: str) -> list[str]:
    """The known paths inside a folder, or the path itself."""
    prefix = f"{folder}/" if folder else ""
    return [path for path in known if path == folder or path.startswith(prefix)]
