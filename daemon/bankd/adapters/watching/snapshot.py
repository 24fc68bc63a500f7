"""The state of the Markdown files below some folders, as last seen on disk; tells what differs now.

Nothing is believed that was not just looked at, and nothing is followed out: symbolic links, devices and pipes are
not files here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from bankd.adapters.system.clock import utc_now
from bankd.core.daemon.watching import Changes, Stamp, is_visible, is_watched, paths_below

# A file written within this time of being looked at may be written again without a new time stamp (kernel ticks of
# 1 to 10 ms; the same trouble as git's racy index), so it is hashed the next time whatever its stamp says.
RACY_NS = 50_000_000
CHUNK = 1 << 20


@dataclass(slots=True)
class Snapshot:
    """What is known of the files in `folders` of a workspace, and the folders in which they are."""

    workspace: Path
    folders: tuple[str, ...]
    known: dict[str, Stamp] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)

    def look_at_all(self) -> Changes:
        """Compare everything with the disk, and know that from now on."""
        found_directories: set[str] = set()
        found = {path for folder in self.folders for path in self._walk(folder, found_directories)}
        self.directories = found_directories
        return self._settle(found, set(self.known) - found)

    def look_at(self, paths: Iterable[str]) -> Changes:
        """The same for some files and folders, with all that is and was below them."""
        found: set[str] = set()
        was: set[str] = set()
        for path in paths:
            if path not in self.known or is_directory(self.workspace / path):
                was.update(paths_below(self.known, path))
                self.directories.difference_update(paths_below(self.directories, path))
                found.update(self._walk(path, self.directories))
            else:
                found.add(path)
        return self._settle(found, was - found)

    def _walk(self, path: str, directories: set[str]) -> Iterator[str]:
        if is_watched(path) and not is_directory(self.workspace / path):
            yield path
        elif is_visible(path):
            yield from self._walk_folder(path, directories)

    def _walk_folder(self, folder: str, directories: set[str]) -> Iterator[str]:
        try:
            entries = sorted(os.scandir(self.workspace / folder), key=lambda entry: entry.name)
        except OSError:  # gone, or not ours to read: then nothing is known of it
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
            now = read_stamp(self.workspace / path)
            if now is None:
                deleted += [path] if path in self.known else []
            elif self._differs(path, now):
                changed.append(path)
        for path in deleted:
            self.known.pop(path, None)
        return Changes(tuple(changed), tuple(sorted(deleted)))

    def _differs(self, path: str, now: Stamp) -> bool:
        before = self.known.get(path)
        if before is not None and before.looks_like(now):
            return False
        # The digest is only worth reading where there is one to compare with, or will be soon.
        racy = utc_now().timestamp() * 1e9 - now.changed_ns < RACY_NS
        digest = read_digest(self.workspace / path) if before is not None or racy else None
        self.known[path] = replace(now, digest=digest, changed_ns=0 if racy else now.changed_ns)
        return before is None or before.digest is None or before.digest != digest


def is_directory(path: Path) -> bool:
    """Whether there is a directory, links not followed."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def read_stamp(path: Path) -> Stamp | None:
    """The stamp of a regular file without its digest; None when there is none."""
    try:
        seen = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    return Stamp(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)


def read_digest(path: Path) -> bytes | None:
    """A digest of a regular file's contents; None when it cannot be read."""
    digest = blake2b(digest_size=16)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        while chunk := os.read(descriptor, CHUNK):
            digest.update(chunk)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return digest.digest()
