"""The sources of an import (files and archives anywhere), and its target, the logs below `memory/imports/`."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath

from bankd.errors import UserError
from bankd.pages.scanner import decode_text
from bankd.pages.text import decode_wide, is_wide
from bankd.storage.log_end import LOG_CAP, append_text, move_end
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import FileTree

_FOLDER = "memory/imports"
_KINDS = {".jsonl", ".json", ".md", ".zip"}
_PASSED_OVER = {".git", "node_modules", ".venv", ".bankd"}
_SEEN, _SEEN_CAP = ".bankd/imports.json", 64 << 20


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file, or a member of a zip archive."""

    file: Path
    member: str = ""

    @property
    def path(self) -> str:
        """Its place, as shown to people."""
        return f"{self.file}/{self.member}" if self.member else str(self.file)

    @property
    def stamp(self) -> str:
        """Its size and time."""
        return f"{self._state.st_size} {self._state.st_mtime_ns}"

    @property
    def size(self) -> int:
        """Bytes of the file, or of the archive that it is in."""
        return self._state.st_size

    @property
    def _state(self) -> os.stat_result:
        return self.file.stat()

    @property
    def changed_at(self) -> datetime:
        """When it was last written."""
        return datetime.fromtimestamp(self._state.st_mtime, UTC)

    def lines(self) -> Iterator[str]:
        """Its lines, as UTF-8; other bytes are kept as surrogates."""
        if self.member:
            yield from io.StringIO(self.text())
            return
        with self.file.open("rb") as opened:
            yield from (decode_text(line) for line in opened)

    def text(self) -> str:
        """Its whole text; ValueError when it is too large to be read as a whole."""
        if self.member:
            archive = _archive(self.file, self.stamp)
            _require_readable(archive.getinfo(self.member).file_size)
            data = archive.read(self.member)
        else:
            _require_readable(self.size)
            data = self.file.read_bytes()
        return (decode_wide(data) or "") if is_wide(data[:4]) else decode_text(data)


@lru_cache(maxsize=1)
def _archive(file: Path, _stamp: str) -> zipfile.ZipFile:
    """An archive that stays open while its members are read: its list of them is long."""
    return zipfile.ZipFile(file)


def _require_readable(size: int) -> None:
    if size > LOG_CAP:
        raise ValueError(f"larger than {LOG_CAP >> 20} MB")


def find_sources(places: Sequence[Path], root: Path) -> list[FileSource]:
    """The files at these places that may hold conversations, oldest first, except those of the workspace itself.

    UserError for a place that does not exist.
    """
    missing = [f"{place}: no such file or folder" for place in places if not place.exists()]
    if missing:
        raise UserError(*missing)
    files = {file.resolve() for place in places for file in _files_at(place)}
    own = {file for file in files if file.is_relative_to(root.resolve())}
    sources = [source for file in sorted(files - own) for source in _sources_in(file)]
    # A resumed session holds a copy of the one before it, and is larger where both files have one time.
    return sorted(sources, key=lambda source: (source.changed_at, source.size, source.path))


def passed_over(places: Sequence[Path], root: Path) -> list[str]:
    """The files in these folders and archives that are of no kind that can be imported; hidden folders are not looked into."""
    found: list[str] = []
    for place in places:
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if not name.startswith(".") and name not in _PASSED_OVER]
            found += [str(Path(folder, name)) for name in sorted(names) if Path(name).suffix not in _KINDS]
        if place.suffix == ".zip":
            with suppress(OSError, zipfile.BadZipFile):
                names = _archive(place, FileSource(place).stamp).namelist()
                read = {*_members(names)}
                found += [f"{place}:{name}" for name in names if name not in read and not name.endswith("/")]
    return [name for name in found if not Path(name).is_relative_to(root)]


def _files_at(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
        return
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(set(folders) - _PASSED_OVER)
        yield from (file for name in names if (file := Path(folder, name)).suffix in _KINDS and file.is_file())


def _sources_in(file: Path) -> Iterator[FileSource]:
    if file.suffix != ".zip":
        yield FileSource(file)
        return
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        names = []
    found = _members(names)
    yield from (FileSource(file, name) for name in found) if found else [FileSource(file)]


def _members(names: Sequence[str]) -> list[str]:
    """The members of an archive that are read."""
    found = [name for name in names if PurePosixPath(name).suffix in {".jsonl", ".md"}]
    found += [name for name in names if PurePosixPath(name).name.startswith("conversations")]
    return list(dict.fromkeys(found))


class ImportedLogs:
    """The logs below `memory/imports/`, and the sources that were read whole. The lock must be held."""

    def __init__(self, tree: FileTree, transactions: TransactionWriter) -> None:
        self._tree, self._transactions = tree, transactions

    def names(self, agent: str) -> Sequence[str]:
        """The logs of an agent."""
        try:
            return self._tree.names(f"{_FOLDER}/{agent}")
        except FileNotFoundError:
            return []

    def read(self, agent: str, log: str) -> str:
        """The text of a log."""
        return decode_text(self._tree.read(f"{_FOLDER}/{agent}/{log}", LOG_CAP) or b"")

    def append(self, agent: str, log: str, text: str) -> None:
        """Put a text at the end of a log."""
        append_text(self._tree, f"imports/{agent}", log, text)

    def move_end(self, log: str, to: str, size: int, digest: str) -> bool:
        """Move the last `size` bytes of a log to the end of another; False, and nothing is done, unless they have that digest."""
        agent, _, name = log.rpartition("/")
        return move_end(self._tree, f"imports/{agent}", name, to.rpartition("/")[2], size, digest)

    def seen(self) -> Mapping[str, str]:
        """The stamps of the sources that were read whole; none when that file cannot be read."""
        try:
            found = json.loads(self._tree.read_own(_SEEN, _SEEN_CAP) or b"{}")
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def remember(self, seen: Mapping[str, str]) -> None:
        """Remember these stamps."""
        self._transactions.publish(
            _SEEN, json.dumps(seen, ensure_ascii=False, indent=0).encode("utf-8", "surrogateescape")
        )
