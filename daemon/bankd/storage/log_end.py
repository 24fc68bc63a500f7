"""The end of a log below `memory/`: text is appended there, durably, or taken off again. Nothing else of a log changes."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile

from bankd.edits.operations import digest_of
from bankd.errors import StorageError, UserError
from bankd.memory.retain import LogPlace, part_replaced, project_in
from bankd.pages.scanner import decode_text
from bankd.pages.text import is_wide
from bankd.storage.disk import advise_person, sync_file
from bankd.storage.tree import FileTree, closing_descriptor

LOG_CAP = 1 << 30
"""Bytes of a log, or of a source of one, that is read as a whole."""


def append_line(tree: FileTree, log: str, line: str, *, once: bool = False) -> tuple[LogPlace, bool]:
    """Append a Retain line to a log, which is made if missing; gives the place of the line, and whether it was written.

    With `once` nothing is written if the log has the line already. If the log has it without `(replaces …)`, that is added
    below it, or, if other lines follow, the whole line is written again. StorageError
    when the disk does not take it; the log is unchanged then.
    """
    try:
        with tree.folder("memory") as folder:
            is_new = log not in tree.names("memory")
            with _locked(tree, log, folder) as fd:
                try:
                    found, more = _find(fd, line) if once else (None, line)
                    number = _append(tree, fd, more, log) if more else found
                    place = LogPlace(log, found or number or 0)
                except OSError:
                    if is_new and not os.fstat(fd).st_size:
                        with suppress(OSError):
                            tree.calls.unlink(log, folder)
                    raise
            if is_new:
                sync_file(tree, folder)
            return place, bool(more)
    except OSError as problem:
        raise StorageError(f"memory/{log}: {advise_person(problem)}. The line was not added") from problem


@contextmanager
def _locked(tree: FileTree, log: str, folder: int) -> Iterator[int]:
    """A log opened at its end (made if missing) and locked; other writers of it wait until it is closed."""
    with closing_descriptor(tree.calls.open_to_append(log, folder, 0o644)) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd


def _find(fd: int, line: str) -> tuple[int | None, str]:
    """The number of the line of the log with the same text as `line`, and the text still to append (empty if complete).

    Questions below the lines are ignored. A line of another project is a different line.
    """
    said, replaces = part_replaced(line.partition("\n")[0])
    rows = decode_text(os.pread(fd, os.fstat(fd).st_size, 0)).removesuffix("\n").split("\n")
    project = project_in(line)
    same = (number for number, row in enumerate(rows, 1) if part_replaced(row.rstrip())[0] == said)
    numbers = [number for number in same if project_in(rows[number - 1]) == project]
    if not numbers:
        return None, line
    at = numbers[-1]
    item = [rows[at - 1], *takewhile(_is_below, rows[at:])]
    if not replaces or any(part_replaced(row)[1] == replaces for row in item):
        return at, ""
    return (at, f"  (replaces {replaces})") if at - 1 + len(item) == len(rows) else (None, line)


def _is_below(row: str) -> bool:
    return row.startswith("  ") and bool(row.strip())


def _append(tree: FileTree, fd: int, line: str, log: str) -> int:
    """Append a line, in a new log after its title and heading; gives its number."""
    if is_wide(os.pread(fd, 4, 0)):
        raise UserError(
            f"memory/{log}: is UTF-16 or UTF-32, and a line in UTF-8 would spoil it; save it as UTF-8 first"
        )
    own = line.encode("utf-8", "surrogateescape") + b"\n"
    is_empty = not os.fstat(fd).st_size
    _write_or_take_back(tree, fd, f"# {log.removesuffix('.md')}\n\n## Retain\n".encode() + own if is_empty else own)
    start = os.lseek(fd, 0, os.SEEK_CUR) - len(own)  # of what we wrote, even if somebody has appended more by now
    chunks = range(0, start, 1 << 20)
    return 1 + sum(os.pread(fd, min(1 << 20, start - chunk), chunk).count(b"\n") for chunk in chunks)


def _write_or_take_back(tree: FileTree, fd: int, data: bytes) -> None:
    """Write at the end of a log, on a new line, and sync; after an error the log is as it was before."""
    size = os.fstat(fd).st_size
    data = (b"\n" if size and os.pread(fd, 1, size - 1) != b"\n" else b"") + data
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


def append_text(tree: FileTree, folder: str, log: str, text: str) -> None:
    """Append a text that ends with a line break to a log in a folder below `memory/`; both are made when missing."""
    path = f"memory/{folder}"
    try:
        with tree.folder(path, make=True) as fd_of_folder:
            with _locked(tree, log, fd_of_folder) as fd:
                _write_or_take_back(tree, fd, text.encode("utf-8", "surrogateescape"))
            sync_file(tree, fd_of_folder)
    except OSError as problem:
        raise StorageError(
            f"{path}/{log}: {advise_person(problem)}. What was not written is written next time"
        ) from problem


def cut_text(tree: FileTree, folder: str, log: str, text: str) -> bool:
    """Cut a text off the end of a log below `memory/`, in one step; False when the log does not end with it."""
    tail = text.encode("utf-8", "surrogateescape")
    with tree.folder(f"memory/{folder}") as fd_of_folder, _locked(tree, log, fd_of_folder) as fd:
        start = os.fstat(fd).st_size - len(tail)
        if start < 0 or os.pread(fd, len(tail), start) != tail:
            return False
        tree.calls.truncate(fd, start)
        sync_file(tree, fd)
    return True


def move_end(tree: FileTree, folder: str, log: str, to: str, size: int, digest: str) -> bool:
    """Move the last `size` bytes of a log below `memory/` to the end of another in its folder, made when missing.

    They are durable there before they are cut off here. False, and nothing is done, unless they have that digest.
    """
    data = tree.read(f"memory/{folder}/{log}", LOG_CAP) or b""
    tail = data[-size:]
    if digest_of(tail) != digest:
        return False
    if tail == data:
        with suppress(FileExistsError), tree.folder(f"memory/{folder}") as fd_of_folder:
            tree.calls.rename_new(log, fd_of_folder, to, fd_of_folder)
            sync_file(tree, fd_of_folder)
            return True
    text = decode_text(tail)
    append_text(tree, folder, to, text)
    if cut_text(tree, folder, log, text):
        return True
    cut_text(tree, folder, to, text)  # somebody wrote below it at this moment
    return False
