"""Reads the workspace: its Markdown files, which of them are at rest, and their bytes. It writes nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, TypeAlias

from bankd.edits.settle import (
    FileFingerprint,
    ListedFile,
    RestRule,
    Survey,
    copied_from,
    is_copy,
    judge_listings,
    why_quarantined,
)
from bankd.errors import ConflictError
from bankd.pages.text import shown_path
from bankd.storage.tree import FILE_CAP, FileTree, Syscalls

_Looked: TypeAlias = tuple[ListedFile, bool]  # the state of an entry, and whether it is a folder
_COMPARED = 256 * 1024
"""Bytes of a file that are compared with the one it may be a copy of."""
_IN_A_MERGE = ("index.lock", "MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD")


class BankFiles:
    """One workspace, for reading."""

    def __init__(self, root: Path, calls: Syscalls | None = None) -> None:
        """Open the workspace; UserError when there is none."""
        self.tree = FileTree(root, calls)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None when it is gone; ConflictError when it is too large or no regular file."""
        return self.tree.read(path)

    def fingerprint(self, path: str) -> FileFingerprint | None:
        """The fingerprint of a file now; None when it is gone."""
        with suppress(FileNotFoundError), self.tree.file(path) as fd:
            state = os.fstat(fd)
            return FileFingerprint(state.st_size, state.st_mtime_ns, state.st_ino)
        return None

    @contextmanager
    def stream(self, path: str) -> Iterator[IO[bytes]]:
        """Open a regular file to read it in parts; FileNotFoundError, or ConflictError when it is something else."""
        with self.tree.file(path) as fd, os.fdopen(fd, "rb", closefd=False) as opened:
            yield opened

    def survey(
        self,
        folder: str,
        now: datetime,
        settle_seconds: float,
        known: Mapping[str, FileFingerprint] | None = None,
        *,
        any_content: bool = False,
    ) -> Survey:
        """List the Markdown files under a folder; those with a `known` fingerprint are at rest and are not read again.

        `any_content` is for files that are only read, part by part: their size and contents do not matter.
        """
        rest = RestRule(now.timestamp(), settle_seconds, None if any_content else FILE_CAP)
        known = {} if any_content else known or {}
        closed: dict[str, str] = {}
        survey = judge_listings(dict(self._walk(folder, closed)), rest, known)
        survey.quarantined |= closed
        changed = [path for path, seen in survey.files.items() if known.get(path) != seen]
        for path in changed:
            if original := copied_from(path, survey.files):
                copy, other = self._start(path), self._start(original)
                if copy and other and is_copy(copy, other):
                    del survey.files[path]
                    survey.quarantined[path] = (
                        f"looks like a conflict copy of {original}; merge it by hand, or rename it"
                    )
        for path in () if any_content else [path for path in changed if path in survey.files]:
            if reason := self._why_quarantined(path):
                del survey.files[path]
                survey.quarantined[path] = reason
        if survey.files and (reason := self.merging()):
            survey.unsettled.update(dict.fromkeys(survey.files, reason))
            survey.files.clear()
        return survey

    def _start(self, path: str) -> bytes:
        """The first bytes of a file; none when it cannot be read, which others name."""
        with suppress(OSError, ConflictError), self.stream(path) as opened:
            return opened.read(_COMPARED)
        return b""

    def merging(self) -> str | None:
        """The message that git is in the middle of something in the repository around the workspace, or None."""
        for folder in (self.tree.root, *self.tree.root.resolve().parents):
            git = folder / ".git"
            if git.is_dir():
                found = next((name for name in _IN_A_MERGE if (git / name).exists()), None)
                return f"git is at work ({found})" if found else None
        return None

    def _walk(self, top: str, closed: dict[str, str]) -> Iterator[tuple[str, Mapping[str, ListedFile]]]:
        """The files of a folder and of all below it; what cannot be looked into is added to `closed`, with the reason."""
        folders = [top]
        while folders:
            folder = folders.pop()
            states = self._look_at(folder, closed)
            yield folder, {name: state for name, (state, is_folder) in states.items() if not is_folder}
            below = [name for name, (_, is_folder) in states.items() if is_folder and not name.startswith(".")]
            folders += [f"{folder}/{name}" if folder else name for name in below]
            pages = {shown_path(path) for path in folders[len(folders) - len(below) :] if path.endswith(".md")}
            closed |= dict.fromkeys(pages, "a folder, though its name is a page's")

    def _look_at(self, folder: str, closed: dict[str, str]) -> dict[str, _Looked]:
        try:
            names = self.tree.names(folder)
            with self.tree.folder(folder) as fd:
                looked = ((name, _look(name, fd)) for name in names)
                return {name: state for name, state in looked if state is not None}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except PermissionError:
            closed[shown_path(folder)] = "may not be looked into; correct its owner or mode"
        except ConflictError as problem:
            closed[shown_path(folder)] = shown_path(str(problem))
        return {}

    def _why_quarantined(self, path: str) -> str | None:
        """The reason why no run may touch a file, or None."""
        try:
            data = self.tree.read(path)
        except (ConflictError, OSError) as problem:
            return str(problem).removeprefix(f"{path}: ")
        return "vanished while we looked" if data is None else why_quarantined(data)


def _look(name: str, folder: int) -> _Looked | None:
    """The state of an entry, and whether it is a folder; None when it went away since its folder was listed."""
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    seen = FileFingerprint(state.st_size, state.st_mtime_ns, state.st_ino)
    return ListedFile(seen, state.st_mtime, stat.S_ISREG(state.st_mode)), stat.S_ISDIR(state.st_mode)
