"""Files of other folders whose references follow: the only files outside the workspace that bankd ever writes.

Same way of writing as in the bank: staged beside the file, exchanged, and looked at what came out. There is no journal;
what a crash leaves undone is found and offered as any move that the user has made.

What remembers a text beside the pages, read for purging it: bytes are looked at, nothing is believed.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from bankd.edits.operations import Operation, Rewrite
from bankd.edits.transaction import Applied, Look, Step, Transaction, take_step
from bankd.errors import ConflictError, StorageError
from bankd.memory.ledger import CorruptLine, Ledger, fold_events
from bankd.memory.provenance import encoded_forms, holds_form, scrub_bytes, scrub_record
from bankd.pages.names import folders_above, is_outside
from bankd.storage.derived import remove_derived
from bankd.storage.disk import check_room
from bankd.storage.events import ENRICHED, EVENTS, PACKED, REPLIES, line_of, log_files, parse_row, read_log_file
from bankd.storage.journals import DONE, RUNS, TXN
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import FILE_CAP, FileTree, Syscalls, find_lines, open_regular, read_all
from bankd.workspace.catalog import CatalogDatabase
from bankd.workspace.runs import PATH as LEDGER

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


_DERIVED = ("index", "analyses", "meaning", "brief-facts.json")
_LOGS = (EVENTS, REPLIES, ENRICHED)
_REWRITTEN = (*_LOGS, *(f"{folder}/archive" for folder in _LOGS), TXN, DONE, RUNS)
_LARGEST = 64 << 20
"""Bytes of a copy that is looked through."""
_OWN_FOLDERS = ("events/", ".bankd/")
_Scrub: TypeAlias = tuple[str, Callable[[], object]]
"""A file or folder that holds the text, and what takes it out there."""


class TextTraces:
    """Where a text may be left in a workspace."""

    def __init__(
        self, tree: FileTree, writer: TransactionWriter, catalog_db: CatalogDatabase, close_index: Callable[[], None]
    ) -> None:
        """Take the files, what writes them, the catalog, and what lets go of the index before it is taken away."""
        self._tree, self._journals, self._staging = tree, writer.journals, writer.staging
        self._catalog_db, self._close_index = catalog_db, close_index

    def require_room(self) -> None:
        """Raises StorageError where the largest file that may be written anew would not fit."""
        tree = self._tree
        sizes = [size for folder in _REWRITTEN for _, size in tree.sizes(folder, tree.names(folder)).values()]
        check_room(tree, max(sizes, default=0))

    def find(self, words: tuple[str, ...], memories: Collection[str]) -> Iterator[_Scrub]:
        """Each file or folder of ours that holds the text, or may hold what these memories answer, and what takes it out.

        The journals are last: a purge that was stopped finds in them which memories and words it was about.
        """
        catalog = (".bankd/catalogue.sqlite3", partial(self._catalog_db.scrub, words, memories))
        return chain(self._in_lines(words), self._in_copies(encoded_forms(words)), [catalog], self._in_journals(words))

    def _in_journals(self, words: tuple[str, ...]) -> Iterator[_Scrub]:
        for folder in (TXN, DONE, RUNS):
            for journal in list(self._journals.load(folder)):
                fields = {**journal.transaction.to_json(), "before": dict(journal.before)}
                clean = scrub_record(fields, words)
                if clean != fields:
                    before = clean.pop("before")
                    clean_one = replace(journal, transaction=Transaction.from_json(clean), before=before)
                    yield f"{folder}/{journal.name}", partial(self._journals.rewrite, folder, clean_one)

    def _in_lines(self, words: tuple[str, ...]) -> Iterator[_Scrub]:
        """The event log of every writer, what models said, and the ledger of runs."""
        for path in [*log_files(self._tree, EVENTS), *log_files(self._tree, REPLIES), LEDGER]:
            data = self._unpacked(path)
            clean = b"\n".join(_scrub_line(line, words) for line in data.split(b"\n"))
            if clean != data:
                yield path, partial(self._publish, path, clean)
        yield from self._in_enriched(words)

    def _unpacked(self, path: str) -> bytes:
        with suppress(ConflictError, PermissionError):  # what is left there is named
            return read_log_file(self._tree, path)[0]
        return b""

    def _publish(self, path: str, clean: bytes) -> None:
        self._staging.publish(path, gzip.compress(clean, mtime=0) if path.endswith(PACKED) else clean)

    def _in_enriched(self, words: tuple[str, ...]) -> Iterator[_Scrub]:
        """What a model wrote: of a statement with the text all of it goes, which says the same in other words."""
        for path in log_files(self._tree, ENRICHED):
            lines = self._unpacked(path).split(b"\n")
            kept = [line for line in lines if _scrub_line(line, words) == line]
            if kept != lines:
                yield path, partial(self._publish, path, b"\n".join(kept))

    def _in_copies(self, forms: tuple[bytes, ...]) -> Iterator[_Scrub]:
        """Displaced files, answers kept for reading, and everything that is derived."""
        tree = self._tree
        for folder in (".bankd/trash", ".bankd/stage", ".bankd/reports", "recall", "recall/brief"):
            for path in (f"{folder}/{name}" for name in tree.names(folder)):
                if holds_form(tree.read_own(path, _LARGEST) or b"", forms):
                    yield path, partial(tree.remove, path)
        for name in _DERIVED:
            if (tree.root / ".bankd" / name).exists():
                yield f".bankd/{name}", partial(self._drop_derived, name)

    def drop_passages(self) -> None:
        """Take away the index of the logs, which still have the text; it is made again when it is next needed."""
        self._drop_derived("index/logs")

    def _drop_derived(self, name: str) -> None:
        self._close_index()
        remove_derived(path := self._tree.root / ".bankd" / name)
        if path.exists():
            raise StorageError(f"{path}: cannot be removed, and may hold the text")

    def beyond(self, forms: tuple[bytes, ...], scrubbed: Collection[str]) -> Iterator[str]:
        """Where the text still is outside of what will be scrubbed, and where nobody can say: read, not believed."""
        tree, root = self._tree, self._tree.root
        within = tuple(f"{path}/" for path in scrubbed)
        wanted, longest = re.compile(b"|".join(map(re.escape, forms))), max(map(len, forms))
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root).as_posix()
            if path.is_dir() or path.is_symlink() or ".git" in path.relative_to(root).parts:
                continue
            if relative in scrubbed or relative.startswith(within):
                continue
            try:
                with tree.file(relative) as descriptor:
                    yield from _places(relative, find_lines(descriptor, wanted, longest))
            except FileNotFoundError:
                continue
            except (OSError, ConflictError) as problem:
                yield f"{relative}, which cannot be looked through: {_reason(problem)}"
        if any((folder / ".git").exists() for folder in (root, *root.parents)):
            yield "the history of the git repository around this workspace, if it was ever committed"
        yield "backups, and copies on other machines"


def _scrub_line(line: bytes, words: tuple[str, ...]) -> bytes:
    """A line without the text; one that does not have it stays as it is, and so does one that cannot be read."""
    forms = encoded_forms(words)
    if not holds_form(line, forms):
        return line
    row = parse_row(line)
    return scrub_bytes(line, forms) if row is None else line_of(scrub_record(row, words)).rstrip(b"\n")


def _places(path: str, lines: Iterable[int]) -> Iterator[str]:
    """Where a file has the text; in one of our own that is what is not said by anybody, or a link that a page still has."""
    if path.startswith(_OWN_FOLDERS):
        yield from (f"{path}, as part of a day, an id, a name or a link" for _ in islice(lines, 1))
    else:
        yield from (f"{path}:{line}" for line in lines)


def _reason(problem: OSError | ConflictError) -> str:
    return problem.strerror or str(problem) if isinstance(problem, OSError) else str(problem).rpartition(": ")[2]
