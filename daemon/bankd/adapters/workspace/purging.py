"""What remembers a text beside the pages, read for purging it: bytes are looked at, nothing is believed."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TypeAlias

from bankd.adapters.models.replies import ENRICHED, REPLIES
from bankd.adapters.storage.derived import remove_derived
from bankd.adapters.storage.disk import check_room
from bankd.adapters.storage.events import EVENTS, PACKED, line_of, log_files, parse_row, read_log_file
from bankd.adapters.storage.journals import DONE, RUNS, TXN
from bankd.adapters.storage.transactions import TransactionWriter
from bankd.adapters.storage.tree import FileTree, find_lines
from bankd.adapters.workspace.catalog_database import CatalogDatabase
from bankd.adapters.workspace.run_ledger import PATH as LEDGER
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle.purge import encoded_forms, holds_form, scrub_bytes, scrub_record
from bankd.errors import ConflictError, StorageError

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
