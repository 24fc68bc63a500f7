"""Files of other folders whose references follow: the only files outside the workspace that bankd ever writes.

Same way of writing as in the bank: staged beside the file, exchanged, and looked at what came out. There is no journal;
what a crash leaves undone is found and offered as any move that the user has made.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bankd.adapters.storage.syscalls import Syscalls
from bankd.adapters.storage.transactions import TransactionWriter
from bankd.adapters.storage.tree import FILE_CAP, open_regular, read_all
from bankd.core.edits.journal import Applied
from bankd.core.edits.operations import Operation, Rewrite
from bankd.core.edits.transaction import Look, Step, Transaction, take_step
from bankd.core.lifecycle.events import CorruptLine, Ledger, fold_events
from bankd.core.markdown.names import folders_above, is_outside
from bankd.errors import ConflictError

_TRIES = 5


class OutsideFiles:
    """Writes files outside the workspace, by absolute paths."""

    def __init__(self, calls: Syscalls) -> None:
        self._calls = calls

    def relink(self, operations: Iterable[Operation], look: Look, rewrite: Rewrite | None) -> list[str]:
        """Carry out operations on outside files; gives what was left alone, in words."""
        problems = []
        for operation in operations:
            try:
                self._change(operation.path, _changing(operation, look, rewrite))
            except (OSError, ConflictError) as problem:
                problems.append(f"{operation.path}: links could not follow ({problem})")
        return problems

    def _change(self, path: str, change: Callable[[bytes], bytes | None]) -> None:
        folder = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for _ in range(_TRIES):
                if self._try(folder, path.rpartition("/")[2], path, change):
                    return
        finally:
            os.close(folder)
        raise ConflictError("it changes all the time")

    def _try(self, folder: int, name: str, path: str, change: Callable[[bytes], bytes | None]) -> bool:
        """Exchange once; False when somebody else's edit came out, which is put back."""
        old, mode = _read(name, folder, path)
        new = change(old)
        if new is None or new == old:
            return True
        staged = f".bankd-{name}.tmp"
        with suppress(FileNotFoundError):
            self._calls.unlink(staged, folder)
        try:
            self._stage(staged, folder, new, mode)
            self._calls.exchange(staged, folder, name, folder)
            is_ours = _read(staged, folder, path)[0] == old
            if not is_ours:
                self._calls.exchange(staged, folder, name, folder)
            self._calls.sync(folder)
            return is_ours
        finally:
            with suppress(FileNotFoundError):
                self._calls.unlink(staged, folder)

    def _stage(self, name: str, folder: int, data: bytes, mode: int) -> None:
        fd = self._calls.create(name, folder, mode)
        try:
            os.fchmod(fd, mode)
            while data:
                data = data[self._calls.write(fd, data) :]
            self._calls.sync(fd)
        finally:
            os.close(fd)


def _changing(operation: Operation, look: Look, rewrite: Rewrite | None) -> Callable[[bytes], bytes | None]:
    return lambda data: take_step(Step(operation.path, (operation,)), data, look, rewrite).data


def _read(name: str, folder: int, path: str) -> tuple[bytes, int]:
    fd = open_regular(name, folder, path)
    try:
        state = os.fstat(fd)
        if state.st_nlink > 1:
            raise ConflictError("it has another name elsewhere")
        return read_all(fd, path, FILE_CAP), stat.S_IMODE(state.st_mode)
    finally:
        os.close(fd)


class WorkspaceWriter(TransactionWriter):
    """The transaction layer as the stories know it; files outside the workspace follow when all else is done."""

    def ledger(self) -> Ledger:
        """The fold of the event log."""
        return fold_events(self.events.read_events())

    @property
    def corrupt(self) -> Sequence[CorruptLine]:
        """The lines of the event log that could not be read when it was folded."""
        return self.events.corrupt

    def commit(self, transaction: Transaction) -> Applied:
        """Make all of a transaction happen, or nothing of it; StorageError when the disk does not let us."""
        outside = [operation for operation in transaction.operations if is_outside(operation.path)]
        inside = tuple(operation for operation in transaction.operations if not is_outside(operation.path))
        applied = super().commit(replace(transaction, operations=inside))
        applied.conflicts += OutsideFiles(self._tree.calls).relink(outside, self.look, self.rewrite)
        return applied

    def remove_empty_folders(self, gone: Iterable[str]) -> None:
        """Leave no folder behind that has nothing in it any more, of those above pages that are gone."""
        for folder in sorted({folder for path in gone for folder in folders_above(path)}, reverse=True):
            self._tree.remove_empty(folder)
