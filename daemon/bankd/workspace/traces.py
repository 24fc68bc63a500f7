"""The traces of a text that is purged: what remembers it beside the pages."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TypeAlias

from bankd.edits.transaction import Transaction
from bankd.errors import ConflictError, StorageError
from bankd.memory.undo import encoded_forms, holds_form, scrub_bytes, scrub_record
from bankd.storage.disk import check_room, remove_derived
from bankd.storage.events import EVENTS, PACKED, REPLIES, line_of, log_files, parse_row, read_log_file
from bankd.storage.journals import DONE, RUNS, TXN
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import FileTree, find_lines
from bankd.workspace.catalog import CatalogDatabase
from bankd.workspace.facts import LEDGER

_DERIVED = ("index", "analyses", "meaning", "brief-facts.json")
_LOGS = (EVENTS, REPLIES)
_REWRITTEN = (*_LOGS, *(f"{folder}/archive" for folder in _LOGS), TXN, DONE, RUNS)
_LARGEST = 64 << 20  # bytes of a copy that is searched
_OWN_FOLDERS = ("events/", ".bankd/")
_Scrub: TypeAlias = tuple[
    str, Callable[[], object]
]  # the path of a file that holds the text, and a call that takes it out


class TextTraces:
    """The places in a workspace where a text may be left. Bytes are searched, and no index or catalog is trusted."""

    def __init__(
        self, tree: FileTree, writer: TransactionWriter, catalog_db: CatalogDatabase, close_index: Callable[[], None]
    ) -> None:
        """`close_index` is called before the index is removed."""
        self._tree, self._journals, self._staging = tree, writer.journals, writer.staging
        self._catalog_db, self._close_index = catalog_db, close_index

    made_anew = frozenset({".bankd/catalogue.sqlite3", *(f".bankd/{name}" for name in _DERIVED)})
    """What a purge always cleans or removes: it is made from the pages, and may hold the text in a form that is not searched."""

    def require_room(self) -> None:
        """StorageError when there is no room for the largest file that may be written anew."""
        tree = self._tree
        sizes = [size for folder in _REWRITTEN for _, size in tree.sizes(folder, tree.names(folder)).values()]
        check_room(tree, max(sizes, default=0))

    def find(self, words: tuple[str, ...], memories: Collection[str]) -> Iterator[_Scrub]:
        """The files and folders that hold the text, or may hold the questions of these memories, each with its scrub.

        The journals are last: a purge that was stopped finds its memories and words in them.
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
                    yield f"{folder}/{journal.name}", partial(self._journals.write, folder, clean_one)

    def _in_lines(self, words: tuple[str, ...]) -> Iterator[_Scrub]:
        """The event logs, the replies of models and the ledger of runs."""
        for path in [*log_files(self._tree, EVENTS), *log_files(self._tree, REPLIES), LEDGER]:
            data = b""
            with suppress(ConflictError, PermissionError):  # `beyond` names what is left there
                data = read_log_file(self._tree, path)[0]
            clean = b"\n".join(_scrub_line(line, words) for line in data.split(b"\n"))
            if clean != data:
                packed = gzip.compress(clean, mtime=0) if path.endswith(PACKED) else clean
                yield path, partial(self._staging.publish, path, packed)

    def _in_copies(self, forms: tuple[bytes, ...]) -> Iterator[_Scrub]:
        """Displaced files, kept answers, and everything that is derived."""
        tree = self._tree
        for folder in (".bankd/trash", ".bankd/stage", ".bankd/reports", "recall", "recall/brief"):
            for path in (f"{folder}/{name}" for name in tree.names(folder)):
                if holds_form(tree.read_own(path, _LARGEST) or b"", forms):
                    yield path, partial(tree.remove, path)
        for name in _DERIVED:
            if (tree.root / ".bankd" / name).exists():
                yield f".bankd/{name}", partial(self._drop_derived, name)

    def drop_passages(self) -> None:
        """Remove the index of the logs, which may hold the text; it is made again when it is needed."""
        self._drop_derived("index/logs")

    def _drop_derived(self, name: str) -> None:
        self._close_index()
        remove_derived(path := self._tree.root / ".bankd" / name)
        if path.exists():
            raise StorageError(f"{path}: cannot be removed, and may hold the text")

    def beyond(self, forms: tuple[bytes, ...], scrubbed: Collection[str]) -> Iterator[str]:
        """The places that hold the text and will not be scrubbed, and those that cannot be searched, in words."""
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
                why = problem.strerror if isinstance(problem, OSError) else str(problem).rpartition(": ")[2]
                yield f"{relative}, which cannot be looked through: {why or problem}"
        if any((folder / ".git").exists() for folder in (root, *root.parents)):
            yield "the history of the git repository around this workspace, if it was ever committed"
        yield "backups, and copies on other machines"


def _scrub_line(line: bytes, words: tuple[str, ...]) -> bytes:
    """A line without the text; one that does not hold it is given back as it is."""
    forms = encoded_forms(words)
    if not holds_form(line, forms):
        return line
    row = parse_row(line)
    return scrub_bytes(line, forms) if row is None else line_of(scrub_record(row, words)).rstrip(b"\n")


def _places(path: str, lines: Iterable[int]) -> Iterator[str]:
    """The places of the text in a file. One of our own files is named once: there it is part of an id, a name or a link."""
    if path.startswith(_OWN_FOLDERS):
        yield from (f"{path}, as part of a day, an id, a name or a link" for _ in islice(lines, 1))
    else:
        yield from (f"{path}:{line}" for line in lines)
