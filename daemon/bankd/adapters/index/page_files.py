"""The pages of a bank, or its archive, as the index reads them: which there are, with a stamp each, and their bytes."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from bankd.core.markdown.utf8 import only_utf8

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.core.ranking.indexable import IndexablePage, MemoryDates, NewQuestions

_LARGEST = 8 * 1024 * 1024
"""Larger files are not pages of a bank; they are quarantined elsewhere."""


class PageFiles:
    """A folder of Markdown files; links out of it are not followed, hidden folders not entered."""

    def __init__(self, folder: Path | str, name: str = "bank") -> None:
        """Read the pages in this folder, whose name in the workspace this is."""
        self._folder, self._name = str(folder), name  # pathlib takes a query longer than all that is read here
        self._names: dict[str, str] = {}
        self._too_large: set[str] = set()

    @property
    def _workspace(self) -> Path:
        from pathlib import Path  # noqa: PLC0415 -- only a writer asks

        return Path(self._folder).parent

    def too_large(self) -> list[str]:
        """The files that are not searched for their size, named from the workspace on, as the last full scan saw them."""
        return sorted(f"{self._name}/{path}" for path in self._too_large)

    def scan(self, paths: Collection[str] | None = None) -> dict[str, str]:
        """Every page, or those of these paths, with a stamp of its size, times and inode; no page is opened."""
        return self._scan_all() if paths is None else self._scan_some(paths)

    def _scan_some(self, paths: Collection[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in paths:
            if name.endswith(".md") and not name.startswith((".", "_meta/schema")) and "/." not in name:
                with suppress(OSError):  # gone
                    self._note(name, os.lstat(f"{self._folder}/{name}"), found)
        return found

    def _scan_all(self) -> dict[str, str]:
        found: dict[str, str] = {}
        self._names, self._too_large = {}, set()
        folders = [""]
        while folders:
            prefix = folders.pop()
            try:
                with os.scandir(f"{self._folder}/{prefix}") as entries:
                    for entry in (entry for entry in entries if not entry.name.startswith(".")):
                        self._look_at(entry, prefix, folders, found)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                continue  # vanished since it was listed, or closed to us, which runs and the doctor say
        self._too_large.intersection_update(only_utf8(self._too_large))
        return {path: found[path] for path in only_utf8(found)}

    def _look_at(self, entry: os.DirEntry[str], prefix: str, folders: list[str], found: dict[str, str]) -> None:
        name = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            folders.append(f"{name}/")
        elif entry.name.endswith(".md") and not name.startswith("_meta/schema"):
            with suppress(FileNotFoundError):  # gone since it was listed; the others are there
                self._note(name, entry.stat(follow_symlinks=False), found)

    def _note(self, name: str, status: os.stat_result, found: dict[str, str]) -> None:
        if stat.S_ISREG(status.st_mode) and status.st_size > _LARGEST:
            self._too_large.add(name)
        elif stat.S_ISREG(status.st_mode):
            path = name if name.isascii() else unicodedata.normalize("NFC", name)
            self._names[path] = name
            found[path] = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"

    def dates_since(self, seen: str) -> MemoryDates:
        """What the events beside the bank tell of the days of memories since an earlier look."""
        from bankd.adapters.index.told import read_event_days  # noqa: PLC0415 -- only a writer asks

        return read_event_days(self._workspace, seen)

    def questions_since(self, seen: str) -> NewQuestions:
        """What runs found in the logs of the questions that memories answer, since an earlier look."""
        from bankd.adapters.index.told import read_questions  # noqa: PLC0415 -- only a writer asks

        return read_questions(self._workspace / ".bankd" / "catalogue.sqlite3", seen)

    def enriched_since(self, seen: str) -> NewQuestions:
        """What a model wrote for statements, when there is more of it than at an earlier look."""
        if not seen and not (self._workspace / "events" / "enriched").is_dir():
            from bankd.core.ranking.indexable import NewQuestions  # noqa: PLC0415 -- same

            return NewQuestions((), seen)
        from bankd.adapters.index.told import read_enriched  # noqa: PLC0415 -- most have no model

        return read_enriched(self._workspace, seen)

    def read(self, path: str) -> bytes | None:
        """The bytes of a page that `scan` gave; None when it is gone or no longer a file."""
        try:
            descriptor = os.open(
                f"{self._folder}/{self._names.get(path, path)}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            )
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            return file.read(_LARGEST + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None

    def contents(self, path: str, data: bytes) -> IndexablePage:
        """The memories of a page, and its tables and code."""
        from bankd.core.ranking.bank_pages import read_bank_page  # noqa: PLC0415 -- a query has no time for reading pages

        return read_bank_page(f"{self._name}/{path}", data)
