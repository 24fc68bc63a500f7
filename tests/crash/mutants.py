"""The transaction layer with one rule switched off each: what the suite must catch."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any

import pytest

from bankd.edits import transaction as core_transaction
from bankd.edits.inserting import cut_spans, find_all, page_of, split_bom
from bankd.edits.operations import Remove, digest_of
from bankd.edits.transaction import Applied, Journal, Step, Transaction
from bankd.storage import disk, events, journals, staging
from bankd.storage.journals import TXN, Journals
from bankd.storage.staging import STAGE, StagedName, Staging
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import FileTree, split_path

Patch = pytest.MonkeyPatch


def _sync_only(wanted: Callable[[int], bool]) -> Callable[[Patch], None]:
    real = disk.sync_file

    def sync(tree: FileTree, fd: int) -> None:
        if wanted(os.fstat(fd).st_mode):
            real(tree, fd)

    def switch_off(patch: Patch) -> None:
        for module in (disk, staging, journals, events):
            patch.setattr(module, "sync_file", sync)

    return switch_off


def _journal_deleted_first(patch: Patch) -> None:
    real = TransactionWriter.run

    def run(self: TransactionWriter, journal: Journal, staged: Any) -> Applied:
        self._tree.remove(f"{TXN}/{journal.name}")
        return real(self, journal, staged)

    patch.setattr(TransactionWriter, "run", run)
    patch.setattr(Journals, "move", lambda *_: None)


def _replace_without_a_look(patch: Patch) -> None:
    patch.setattr(Staging, "swap", _plain_replace)


def _plain_replace(self: Staging, staged: StagedName, path: str) -> bool:
    parent, leaf = split_path(path)
    tree = self._tree
    with tree.folder(STAGE, make=True) as stage, tree.folder(parent, make=True) as folder:
        tree.calls.rename(str(staged), stage, leaf, folder)
    return True


def _check_then_replace(patch: Patch) -> None:
    def swap(self: Staging, staged: StagedName, path: str) -> bool:
        if digest_of(self._tree.read(path)) != staged.before:
            return False
        return _plain_replace(self, staged, path)

    patch.setattr(Staging, "swap", swap)


def _remove_before_create(patch: Patch) -> None:
    real = Transaction.steps

    def steps(self: Transaction) -> tuple[Step, ...]:
        return tuple(sorted(real(self), key=lambda step: step.phase != Remove.phase))

    patch.setattr(Transaction, "steps", steps)
    patch.setattr(core_transaction, "_with_copy", lambda operation, _: operation)


def _events_first(patch: Patch) -> None:
    real = TransactionWriter.commit

    def commit(self: TransactionWriter, transaction: Transaction) -> Applied:
        if transaction.events:
            self.events.append(transaction.events)
        return real(self, transaction)

    patch.setattr(TransactionWriter, "commit", commit)


def _remove_without_guard(patch: Patch) -> None:
    def apply(self: Remove, data: bytes | None) -> bytes | None:
        bom, text = split_bom(data or b"")
        spans = [s for found in find_all(page_of(text), [p.key for p in self.pieces]).values() for s in found]
        return (bom + cut_spans(text, spans)[0]).encode("utf-8", "surrogateescape") if spans else data

    patch.setattr(Remove, "apply", apply)


def _staged_under_the_final_name(patch: Patch) -> None:
    def stage(self: Staging, name: str, data: bytes, model: str | None = None, mode: int = 0o666) -> None:
        with self._tree.folder(STAGE, make=True) as folder:
            self._write(self._create(name, folder, mode), data, model)

    patch.setattr(Staging, "stage", stage)


MUTANTS: dict[str, Callable[[Patch], None]] = {
    "no file sync": _sync_only(stat.S_ISDIR),
    "no folder sync": _sync_only(stat.S_ISREG),
    "journal deleted first": _journal_deleted_first,
    "no compare": _replace_without_a_look,
    "check, then replace": _check_then_replace,
    "remove before create": _remove_before_create,
    "events first": _events_first,
    "remove without guard": _remove_without_guard,
    "staged under the final name": _staged_under_the_final_name,
}
