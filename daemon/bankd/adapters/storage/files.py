"""Reading the workspace: which Markdown files there are, which of them are at rest, and their bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, TypeAlias

from bankd.adapters.storage.syscalls import Syscalls
from bankd.adapters.storage.tree import FILE_CAP, FileTree
from bankd.core.daemon.settle import FileFingerprint, ListedFile, RestRule, Survey, judge_listing, why_quarantined
from bankd.core.markdown.utf8 import shown_path
from bankd.errors import ConflictError

_Known: TypeAlias = Mapping[str, FileFingerprint] | None
"""How files looked that need not be looked into again; None when no content matters."""
_Looked: TypeAlias = tuple[ListedFile, bool]
"""How something in a folder looks, and whether it is a folder."""
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
        """How a file looks now; None when it is gone."""
        try:
            with self.tree.file(path) as fd:
                state = os.fstat(fd)
        except FileNotFoundError:
            return None
        return FileFingerprint(state.st_size, state.st_mtime_ns, state.st_ino)

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

        `any_content` is for files that are only read, part by part: their size and contents are no reason to stop.
        """
        survey = Survey()
        rest = RestRule(now.timestamp(), settle_seconds, None if any_content else FILE_CAP)
        self._walk(folder, rest, None if any_content else known or {}, survey)
        if survey.files and (reason := self.merging()):
            survey.unsettled.update(dict.fromkeys(survey.files, reason))
            survey.files.clear()
        return survey

    def merging(self) -> str | None:
        """Say so when the repository around the workspace is in the middle of something."""
        for folder in (self.tree.root, *self.tree.root.resolve().parents):
            git = folder / ".git"
            if git.is_dir():
                found = next((name for name in _IN_A_MERGE if (git / name).exists()), None)
                return f"git is at work ({found})" if found else None
        return None

    def _walk(self, folder: str, rest: RestRule, known: _Known, survey: Survey) -> None:
        try:
            names = self.tree.names(folder)
            with self.tree.folder(folder) as fd:
                looked = ((name, _look(name, fd)) for name in names)
                states = {name: state for name, state in looked if state is not None}
        except (FileNotFoundError, NotADirectoryError):
            return
        except PermissionError:
            survey.quarantined[shown_path(folder)] = "may not be looked into; correct its owner or mode"
            return
        except ConflictError as problem:
            survey.quarantined[shown_path(folder)] = shown_path(str(problem))
            return
        self._walk_listing(folder, states, rest, known, survey)

    def _walk_listing(
        self, folder: str, states: Mapping[str, _Looked], rest: RestRule, known: _Known, survey: Survey
    ) -> None:
        listing = {n: s for n, (s, is_folder) in states.items() if not is_folder}
        own = judge_listing(folder, listing, rest, known or {})
        for name, (_, is_folder) in states.items():
            path = f"{folder}/{name}" if folder else name
            if is_folder:
                if not name.startswith("."):
                    self._walk_folder_or_page(path, rest, known, survey)
            elif path in own.files:
                self._look_into(path, own.files[path], known, survey)
        survey.leave_alone(own)

    def _walk_folder_or_page(self, path: str, rest: RestRule, known: _Known, survey: Survey) -> None:
        if path.endswith(".md"):
            survey.quarantined[shown_path(path)] = "a folder, though its name is a page's"
        self._walk(path, rest, known, survey)

    def _look_into(self, path: str, seen: FileFingerprint, known: _Known, survey: Survey) -> None:
        """Take a file for at rest, unless what is in it says otherwise."""
        if known is not None and known.get(path) != seen and (reason := self._why_quarantined(path)):
            survey.quarantined[path] = reason
        else:
            survey.files[path] = seen

    def _why_quarantined(self, path: str) -> str | None:
        try:
            data = self.tree.read(path)
        except (ConflictError, OSError) as problem:
            return str(problem).removeprefix(f"{path}: ")
        return "vanished while we looked" if data is None else why_quarantined(data)


def _look(name: str, folder: int) -> _Looked | None:
    """How a file looks now, and whether it is a folder; None for one that went away since its folder was listed."""
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    seen = FileFingerprint(state.st_size, state.st_mtime_ns, state.st_ino)
    return ListedFile(seen, state.st_mtime, stat.S_ISREG(state.st_mode)), stat.S_ISDIR(state.st_mode)
