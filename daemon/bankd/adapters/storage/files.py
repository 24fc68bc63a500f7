"""Reading the workspace: which Markdown files there are, which of them are at rest, and their bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO

from bankd.adapters.storage.syscalls import Syscalls
from bankd.adapters.storage.tree import FILE_CAP, FileTree
from bankd.core.daemon.settle import (
    SWAP_HOURS,
    FileFingerprint,
    Survey,
    swap_names,
    why_doubted,
    why_ignored,
    why_quarantined,
    why_unsettled,
)
from bankd.core.markdown.utf8 import is_utf8, shown_path
from bankd.errors import ConflictError

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
        """List the Markdown files under a folder; those with a `known` fingerprint were at rest and are not read again.

        `any_content` is for files that are only read, part by part: their size and contents are no reason to stop.
        """
        survey = Survey()
        self._walk(folder, _Rest(now, settle_seconds, known or {}, any_content), survey)
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

    def _walk(self, folder: str, rest: _Rest, survey: Survey) -> None:
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
        for name, state in states.items():
            path = f"{folder}/{name}" if folder else name
            if stat.S_ISDIR(state.st_mode):
                if not name.startswith("."):
                    self._walk_folder_or_page(path, rest, survey)
            elif reason := why_ignored(name):
                survey.ignored[shown_path(path)] = reason
            else:
                self._judge(path, state, rest, states, survey)

    def _walk_folder_or_page(self, path: str, rest: _Rest, survey: Survey) -> None:
        if path.endswith(".md"):
            survey.quarantined[shown_path(path)] = "a folder, though its name is a page's"
        self._walk(path, rest, survey)

    def _judge(
        self, path: str, state: os.stat_result, rest: _Rest, beside: Mapping[str, os.stat_result], survey: Survey
    ) -> None:
        name = path.rsplit("/", 1)[-1]
        print_ = FileFingerprint(state.st_size, state.st_mtime_ns, state.st_ino)
        swaps = [swap for swap in swap_names(name) if swap in beside and rest.age(beside[swap]) < SWAP_HOURS * 3600]
        if not is_utf8(path):
            survey.quarantined[shown_path(path)] = "its name is not UTF-8; rename it"
        elif not stat.S_ISREG(state.st_mode):
            survey.quarantined[path] = "a link or special file"
        elif state.st_size > FILE_CAP and not rest.any_content:
            survey.quarantined[path] = f"larger than {FILE_CAP >> 20} MB"
        elif reason := why_unsettled(name, rest.age(state), rest.settle, swaps):
            survey.unsettled[path] = reason
        elif reason := why_doubted(print_, rest.age(state)):
            survey.unsettled[path] = reason
            survey.emptied.add(path)
        elif rest.needs_look(path, print_) and (reason := self._why_quarantined(path)):
            survey.quarantined[path] = reason
        else:
            survey.files[path] = print_

    def _why_quarantined(self, path: str) -> str | None:
        try:
            data = self.tree.read(path)
        except (ConflictError, OSError) as problem:
            return str(problem).removeprefix(f"{path}: ")
        return "vanished while we looked" if data is None else why_quarantined(data)


class _Rest:
    """What counts as being at rest."""

    def __init__(self, now: datetime, settle: float, known: Mapping[str, FileFingerprint], any_content: bool) -> None:
        self.settle = settle
        self.any_content = any_content
        self._known = known
        self._now = now.timestamp()

    def needs_look(self, path: str, seen: FileFingerprint) -> bool:
        """Whether the contents of a file must be looked at before it may be touched."""
        return not self.any_content and self._known.get(path) != seen

    def age(self, state: os.stat_result) -> float:
        """Seconds since a file changed; negative for one from the future."""
        return self._now - state.st_mtime


def _look(name: str, folder: int) -> os.stat_result | None:
    """How a file looks now; None for one that went away since its folder was listed, of which the others know nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
