"""Every file that may have references, or be referred to: in the workspace and in the other folders of the settings."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from bankd.adapters.storage.tree import FILE_CAP
from bankd.core.daemon.settle import FileFingerprint, ignored_among

FOLDERS = ("bank", "memory", "archive")
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_OWN = frozenset({"events", "recall"})
"""Folders of the workspace, and only there: a page of the bank about events has its parts in `events/`."""


class ReferringFiles:
    """Those of one workspace, whose resolved folder is `home`; `roots` are the other folders, relative where they lie in it."""

    def __init__(self, home: str, roots: Collection[str]) -> None:
        """Take the other folders as the settings name them."""
        self.home, self._prefix = home, str(Path(home, "x"))[:-1]
        self.roots = tuple(_relative(Path(home, root).resolve(), home) for root in roots)

    def walk(self) -> Iterator[tuple[str, FileFingerprint]]:
        """Every file of the bank, the logs, the archive, the other folders and the top; nothing is opened."""
        folders = [*FOLDERS, *(root for root in self.roots if root.partition("/")[0] not in FOLDERS)]
        while folders:
            for entry in self._entries(folders.pop()):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(self._path(entry))
                else:
                    yield from _regular(self._path(entry), entry)
        for entry in self._entries(""):
            if not entry.is_dir(follow_symlinks=False):
                yield from _regular(entry.name, entry)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What is in a folder and might be referred to."""
        try:
            with os.scandir(Path(self.home, folder)) as entries:
                there = {entry.name: entry for entry in entries if _is_visible(entry) and self._path(entry) not in _OWN}
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return []
        ignored = ignored_among([name for name in there if name.endswith(".md")])
        return [there[name] for name in sorted(there.keys() - ignored)]

    def _path(self, entry: os.DirEntry[str]) -> str:
        return entry.path.removeprefix(self._prefix)


def _relative(path: Path, home: str) -> str:
    """A path relative to the workspace if it lies in there, else as it is."""
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else path.as_posix()


def _is_visible(entry: os.DirEntry[str]) -> bool:
    return not (entry.name.startswith(".") or entry.name in _SKIPPED or entry.is_symlink())


def _regular(path: str, entry: os.DirEntry[str]) -> Iterator[tuple[str, FileFingerprint]]:
    """A file as it looks, if it is one, and is still there."""
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return
    if stat.S_ISREG(state.st_mode) and state.st_size <= FILE_CAP:
        yield path, FileFingerprint(state.st_size, state.st_mtime_ns, state.st_ino)
