"""Old segments of the event log, packed and later put away; their bytes stay the same, and the fold reads them all.

Only this writer's own: another machine may be appending to its files. What is packed is there for good, and was read
back, before the plain file goes: first to where nobody appends to it, and for good when nobody has. A crash on the way
leaves several copies, which are one when they are read, and which the next night makes one.

Many repositories ignore `*.gz`: a log that is packed would vanish from them, its old name deleted and its new one never
added. So nothing is packed where the workspace's own `.gitignore` files leave the new name out and not the old one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from fnmatch import fnmatchcase
from typing import NamedTuple

from bankd.adapters.storage.disk import sync_file
from bankd.adapters.storage.events import parse_row
from bankd.adapters.storage.segments import (
    EVENTS,
    PACKED,
    SEGMENT_CAP,
    archive_of,
    pack,
    plain_name,
    segment_of,
    segment_paths,
    unpack,
)
from bankd.adapters.storage.staging import Staging
from bankd.adapters.storage.tree import FileTree, split_path
from bankd.core.use.policy import ARCHIVED_AFTER, PACKED_AFTER
from bankd.errors import ConflictError

_NAME = ".gitignore"
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Patterns(NamedTuple):
    """The patterns of a workspace, in order, the last that fits decides; each with the file that it stands in."""

    found: tuple[tuple[str, str], ...]

    def reason_against(self, new: str, old: str) -> str:
        """Why a file should not be renamed: its new name would be left out, its old one is not; empty when it may."""
        by = self._left_out_by(new)
        return f"{by} leaves {new} out of the repository" if by and not self._left_out_by(old) else ""

    def _left_out_by(self, path: str) -> str:
        parts = path.split("/")
        ways = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        by = ""
        for file, pattern in self.found:
            bare = pattern.removeprefix("!").rstrip("/")
            names = ways if "/" in bare else parts
            if any(fnmatchcase(name, bare.lstrip("/").removeprefix("**/")) for name in names):
                by = "" if pattern.startswith("!") else file
        return by


def read_patterns(tree: FileTree, folder: str) -> Patterns:
    """The patterns in the root of a workspace and in one of its folders; a file that cannot be read has none."""
    return Patterns(tuple((path, line) for path in (_NAME, f"{folder}/{_NAME}") for line in _lines(tree, path)))


def _lines(tree: FileTree, path: str) -> list[str]:
    try:
        data = tree.read(path) or b""
    except ConflictError:
        return []
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    text = data.removeprefix(mark).decode(encoding, "replace")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class SegmentPacker:
    """The segments of one writer; the lock must be held."""

    def __init__(self, tree: FileTree, staging: Staging, writer: str, folder: str = EVENTS) -> None:
        self._tree, self._staging, self._writer = tree, staging, writer
        self._folder, self._archive = folder, archive_of(folder)

    def pack_until(self, today: date) -> list[str]:
        """Pack what is old and put away what is older; gives what there is to say. One that fails stays as it is."""
        notes: list[str] = []
        for path in segment_paths(self._tree, self._folder):
            if segment_of(path)[0] == self._writer and not self._is_away(path):
                try:
                    notes += self._settle(path, today)
                except (ConflictError, OSError) as problem:
                    notes.append(f"{path}: stays as it is ({problem})")
        return notes

    def _settle(self, path: str, today: date) -> Iterator[str]:
        data, wrong = self._read(path)
        last = last_day(data) if data else None
        if wrong:
            yield f"{path}: {wrong}"
        elif last is not None and data is not None:
            for target in self._targets(path, (today - last).days):
                if reason := read_patterns(self._tree, EVENTS).reason_against(target, path):
                    yield f"{path}: stays unpacked, for {reason}"
                    return
                self._move(path, data, target)
                path = target

    def _is_away(self, path: str) -> bool:
        return path.startswith(f"{self._archive}/") and path.endswith(PACKED)

    def _targets(self, path: str, age: int) -> Iterator[str]:
        """Where a segment goes, step by step."""
        packed = f"{self._folder}/{plain_name(path)}{PACKED}"
        if age > PACKED_AFTER and path != packed:
            yield packed
        if age > ARCHIVED_AFTER:
            yield f"{self._archive}/{plain_name(path)}{PACKED}"

    def _move(self, path: str, data: bytes, target: str) -> None:
        """Put the bytes of a segment, and those that stand there already, where they belong; then the first copy goes."""
        held, wrong = self._read(target)
        if wrong:
            raise ConflictError(f"{target}: {wrong}")
        whole = data if held is None else united(held, data)
        if whole != held:
            self._staging.publish(target, pack(whole))
        if self._read(target)[0] != whole:
            raise ConflictError(f"{target}: does not read as it was written; the other copy stays")
        aside = path if path.endswith(PACKED) else f"{self._archive}/{plain_name(path)}"
        if aside != path:
            self._rename(path, aside)
        if self._read(aside)[0] != data:
            raise ConflictError("somebody wrote to it meanwhile; the next night looks again")
        parent, name = split_path(aside)
        with self._tree.folder(parent) as folder:
            self._tree.calls.unlink(name, folder)
            sync_file(self._tree, folder)

    def _rename(self, old: str, new: str) -> None:
        (old_parent, old_name), (new_parent, new_name) = split_path(old), split_path(new)
        with self._tree.folder(old_parent) as here, self._tree.folder(new_parent, make=True) as there:
            try:
                self._tree.calls.rename_new(old_name, here, new_name, there)
            except FileExistsError as problem:
                raise ConflictError(f"{new} is in the way; the next night looks again") from problem
            sync_file(self._tree, there)

    def _read(self, path: str) -> tuple[bytes | None, str]:
        data = self._tree.read(path, SEGMENT_CAP)
        return unpack(data) if data is not None and path.endswith(PACKED) else (data, "")


def united(one: bytes, other: bytes) -> bytes:
    """What two copies of a segment hold together: the longer where it goes on as the other ends, else each line once."""
    shorter, longer = sorted((one, other), key=len)
    if longer.startswith(shorter):
        return longer
    lines = one.split(b"\n")
    lines = lines[:-1] if not lines[-1] else lines
    known = set(lines)
    more = [line for line in other.split(b"\n") if line and line not in known]
    return b"".join(line + b"\n" for line in (*lines, *more))


def last_day(data: bytes) -> date | None:
    """The latest day of all events that can be read; None when there is none, and nobody can tell how old it is."""
    days = []
    for line in data.split(b"\n"):
        row = parse_row(line) if line.strip() else None
        if row is not None and (found := _DAY.match(str(row.get("at", "")))):
            with suppress(ValueError):
                days.append(date.fromisoformat(found[0]))
    return max(days, default=None)
