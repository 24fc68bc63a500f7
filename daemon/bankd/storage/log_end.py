"""The one thing that bankd writes in memory/: text at the end of a log, durable before anybody hears of it."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from bankd.edits.operations import digest_of
from bankd.errors import StorageError, UserError
from bankd.memory.retain import LogPlace
from bankd.pages.scanner import decode_text
from bankd.pages.text import is_wide
from bankd.storage.disk import advise_person, sync_file
from bankd.storage.tree import FileTree

LOG_CAP = 1 << 30
"""Bytes of a log, or of a source of one, that is read as a whole."""


def append_line(tree: FileTree, log: str, line: str) -> LogPlace:
    """Append a Retain line to a log, made when missing; StorageError when the disk does not take it, the log as it was."""
    return _add(tree, log, line, once=False)[0]


def append_line_once(tree: FileTree, log: str, line: str) -> tuple[LogPlace, bool]:
    """The same, unless the log has that line already, whoever else says it at this moment; gives whether it was written."""
    return _add(tree, log, line, once=True)


def append_text(tree: FileTree, folder: str, log: str, text: str) -> None:
    """Append a text that ends with a line break to a log in a folder below `memory/`, both made when missing."""
    path = f"memory/{folder}"
    try:
        with tree.folder(path, make=True) as fd_of_folder:
            fd = tree.calls.open_to_append(log, fd_of_folder, 0o644)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                size = os.fstat(fd).st_size
                glue = b"\n" if size and os.pread(fd, 1, size - 1) != b"\n" else b""
                _write_or_take_back(tree, fd, glue + text.encode("utf-8", "surrogateescape"), size)
            finally:
                os.close(fd)
            sync_file(tree, fd_of_folder)
    except OSError as problem:
        raise StorageError(
            f"{path}/{log}: {advise_person(problem)}. What was not written is written next time"
        ) from problem


def cut_text(tree: FileTree, folder: str, log: str, text: str) -> bool:
    """Take a text off the end of a log below `memory/`, in one step; False where the log does not end with it."""
    path, tail = f"memory/{folder}", text.encode("utf-8", "surrogateescape")
    with tree.folder(path) as fd_of_folder:
        fd = tree.calls.open_to_append(log, fd_of_folder, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            start = os.fstat(fd).st_size - len(tail)
            if start < 0 or os.pread(fd, len(tail), start) != tail:
                return False
            tree.calls.truncate(fd, start)
            sync_file(tree, fd)
        finally:
            os.close(fd)
    return True


def move_end(tree: FileTree, folder: str, log: str, to: str, size: int, digest: str) -> bool:
    """Move the last bytes of a file in a folder below `memory/` to the end of another there, made when missing.

    They are durable there before they go here. False, and nothing is done, unless they have that digest.
    """
    data = tree.read(f"memory/{folder}/{log}", LOG_CAP) or b""
    tail = data[-size:]
    if digest_of(tail) != digest:
        return False
    if tail == data and _take_name(tree, f"memory/{folder}", log, to):
        return True
    text = decode_text(tail)
    append_text(tree, folder, to, text)
    if cut_text(tree, folder, log, text):
        return True
    cut_text(tree, folder, to, text)  # somebody wrote below it at this moment
    return False


def _take_name(tree: FileTree, folder: str, log: str, to: str) -> bool:
    with tree.folder(folder) as fd_of_folder:
        try:
            tree.calls.rename_new(log, fd_of_folder, to, fd_of_folder)
        except FileExistsError:
            return False
        sync_file(tree, fd_of_folder)
    return True


def _add(tree: FileTree, log: str, line: str, *, once: bool) -> tuple[LogPlace, bool]:
    try:
        with tree.folder("memory") as folder:
            is_new = log not in tree.names("memory")
            fd = tree.calls.open_to_append(log, folder, 0o644)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)  # let go of when it is closed
                found = _find(fd, line) if once else None
                place = LogPlace(log, found or _append(tree, fd, line, log))
            except OSError:
                if is_new and not os.fstat(fd).st_size:
                    with suppress(OSError):
                        tree.calls.unlink(log, folder)
                raise
            finally:
                os.close(fd)
            if is_new:
                sync_file(tree, folder)
            return place, found is None
    except OSError as problem:
        raise StorageError(f"memory/{log}: {advise_person(problem)}. The line was not added") from problem


def _find(fd: int, line: str) -> int | None:
    """The number of the first line that is this one already; what hangs below either is not compared."""
    first = line.partition("\n")[0].encode("utf-8", "surrogateescape")
    rows = os.pread(fd, os.fstat(fd).st_size, 0).split(b"\n")
    return next((number for number, row in enumerate(rows, 1) if row.rstrip() == first), None)


def _append(tree: FileTree, fd: int, line: str, log: str) -> int:
    """Append it with what must stand before it; gives its number."""
    if is_wide(os.pread(fd, 4, 0)):
        raise UserError(
            f"memory/{log}: is UTF-16 or UTF-32, and a line in UTF-8 would spoil it; save it as UTF-8 first"
        )
    size = os.fstat(fd).st_size
    own = line.encode("utf-8", "surrogateescape") + b"\n"
    opening = b"" if size else f"# {log.removesuffix('.md')}\n\n## Retain\n".encode()
    glue = b"\n" if size and os.pread(fd, 1, size - 1) != b"\n" else b""
    _write_or_take_back(tree, fd, glue + opening + own, size)
    end = os.lseek(fd, 0, os.SEEK_CUR)  # of what we wrote, even if somebody has appended more by now
    return _newlines_before(fd, end - len(own)) + 1


def _write_or_take_back(tree: FileTree, fd: int, data: bytes, size: int) -> None:
    done = tree.calls.write(fd, data)
    try:
        while done < len(data):
            done += tree.calls.write(fd, data[done:])
        sync_file(tree, fd)
    except OSError:
        if os.fstat(fd).st_size == size + done:  # nobody else has appended meanwhile
            with suppress(OSError):
                tree.calls.truncate(fd, size)
        raise


def _newlines_before(fd: int, end: int) -> int:
    chunks = range(0, end, 1 << 20)
    return sum(os.pread(fd, min(1 << 20, end - start), start).count(b"\n") for start in chunks)
