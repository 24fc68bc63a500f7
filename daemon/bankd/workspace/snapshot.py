"""The state of the Markdown files in some folders, and how to find out which of them differ now.

A hint that a file changed only makes us look sooner; nothing is believed that was not looked at. Symbolic links,
devices and pipes are not files here, and no link is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path

from bankd.edits.settle import is_conflict_copy, why_ignored
from bankd.pages.text import is_utf8
from bankd.system.clock import utc_now


def is_visible(path: str) -> bool:
    """Whether a path is UTF-8 and no folder or name on it hidden (`.git/`, `.obsidian/`, `.a.md.swp`, `.#a.md`)."""
    return not path.startswith(".") and "/." not in path and is_utf8(path)


def is_watched(path: str) -> bool:
    """Whether a workspace-relative path names a Markdown file that can be a page or a log."""
    return is_visible(path) and not why_ignored(path.rpartition("/")[2]) and not is_conflict_copy(path)


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
        """The paths that were quiet, or held, for long enough; they are no longer held."""
        due = [path for path, _ in takewhile(lambda item: item[1] <= now - self.quiet, self._last.items())]
        due += [path for path, _ in takewhile(lambda item: item[1] <= now - self.longest, self._first.items())]
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


@dataclass(frozen=True, slots=True)
class Stamp:
    """The state of a file; its digest is not compared. `changed_ns` (ctime) moves with each write and cannot be set back."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    digest: bytes | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Changes:
    """Workspace-relative paths whose contents differ from what was known."""

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.deleted)

    @property
    def paths(self) -> tuple[str, ...]:
        """The changed and the deleted paths."""
        return self.changed + self.deleted


# A file written within this time of being looked at may be written again without a new time stamp (kernel ticks of
# 1 to 10 ms; the same trouble as git's racy index), so it is hashed the next time whatever its stamp says.
_RACY_NS = 50_000_000


@dataclass(slots=True)
class Snapshot:
    """The stamps of the files in `folders` of a workspace when they were last looked at, and the folders with files."""

    workspace: Path
    folders: tuple[str, ...]
    known: dict[str, Stamp] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)

    def look_at_all(self) -> Changes:
        """Compare everything with the disk; gives the differences, which are known from now on."""
        found_directories: set[str] = set()
        found = {path for folder in self.folders for path in self._walk(folder, found_directories)}
        self.directories = found_directories
        return self._settle(found, set(self.known) - found)

    def look_at(self, paths: Iterable[str]) -> Changes:
        """Compare some files and folders (with everything below them) with the disk; gives the differences, which are known from now on."""
        found: set[str] = set()
        was: set[str] = set()
        for path in paths:
            if path not in self.known or _is_directory(self.workspace / path):
                was.update(_below(self.known, path))
                self.directories.difference_update(_below(self.directories, path))
                found.update(self._walk(path, self.directories))
            else:
                found.add(path)
        return self._settle(found, was - found)

    def _walk(self, path: str, directories: set[str]) -> Iterator[str]:
        if is_watched(path) and not _is_directory(self.workspace / path):
            yield path
        elif is_visible(path):
            yield from self._walk_folder(path, directories)

    def _walk_folder(self, folder: str, directories: set[str]) -> Iterator[str]:
        try:
            entries = sorted(os.scandir(self.workspace / folder), key=lambda entry: entry.name)
        except OSError:  # gone or unreadable: nothing is known about it
            return
        directories.add(folder)
        for entry in entries:
            path = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False) and is_visible(path):
                yield from self._walk_folder(path, directories)
            elif is_watched(path):
                yield path

    def _settle(self, found: Iterable[str], gone: Iterable[str]) -> Changes:
        changed, deleted = [], list(gone)
        for path in sorted(found):
            now = _read_stamp(self.workspace / path)
            if now is None:
                deleted += [path] if path in self.known else []
            elif self._differs(path, now):
                changed.append(path)
        for path in deleted:
            self.known.pop(path, None)
        return Changes(tuple(changed), tuple(sorted(deleted)))

    def _differs(self, path: str, now: Stamp) -> bool:
        before = self.known.get(path)
        if before == now:
            return False
        # The digest is only worth reading if there is one to compare with, or will be soon.
        racy = utc_now().timestamp() * 1e9 - now.changed_ns < _RACY_NS
        digest = _read_digest(self.workspace / path) if before is not None or racy else None
        self.known[path] = replace(now, digest=digest, changed_ns=0 if racy else now.changed_ns)
        return before is None or before.digest is None or before.digest != digest


def _below(known: Iterable[str], folder: str) -> list[str]:
    """The known paths inside a folder, or the path itself."""
    return [path for path in known if path == folder or path.startswith(f"{folder}/" if folder else "")]


def _is_directory(path: Path) -> bool:
    """Whether there is a directory, links not followed."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _read_stamp(path: Path) -> Stamp | None:
    """The stamp of a regular file without its digest; None when there is none."""
    with suppress(OSError):
        seen = path.lstat()
        if stat.S_ISREG(seen.st_mode):
            return Stamp(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
    return None


def _read_digest(path: Path) -> bytes | None:
    """A digest of a regular file's contents; None when it cannot be read."""
    digest = blake2b(digest_size=16)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        while chunk := os.read(descriptor, 1 << 20):
            digest.update(chunk)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return digest.digest()
