"""The journals of runs, as a reader without the lock meets them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bankd.edits.transaction import Journal, Transaction
from bankd.storage.journals import DONE, RUNS, TXN, Journals
from bankd.storage.staging import Staging
from bankd.storage.tree import FileTree


@pytest.fixture
def journals(tmp_path: Path) -> Iterator[Journals]:
    """Two transactions that wait for their second look."""
    tree = FileTree(tmp_path)
    journals = Journals(tree, Staging(tree))
    for seq in (1, 2):
        journal = Journal(seq, Transaction(f"run-{seq}", "2026-06-10T03:00:00+09:00"), {})
        journals.commit(journal)
        journals.move(journal, TXN, DONE)
    yield journals
    tree.close()


def test_one_that_moves_on_while_a_reader_looks_is_passed_over(journals: Journals) -> None:
    reading = journals.load(DONE)
    first = next(reading)
    journals.move(Journal(2, first.transaction, {}), DONE, RUNS)

    assert list(reading) == []
    assert journals.set_aside == []


def test_one_that_moves_on_is_found_where_it_went(journals: Journals, tmp_path: Path) -> None:
    class Moving(Journals):
        def load(self, folder: str, since: int = 0) -> Iterator[Journal]:
            if folder == DONE:
                journals.move(next(journals.load(DONE)), DONE, RUNS)
            return super().load(folder, since)

    reader = Moving(FileTree(tmp_path), journals._staging)

    assert [journal.seq for journal in reader.all()] == [1, 2]


def test_a_torn_one_is_set_aside_and_one_who_may_not_do_so_reads_on(journals: Journals, tmp_path: Path) -> None:
    torn = tmp_path / DONE / "000001.json"
    torn.write_bytes(torn.read_bytes()[:-9])
    rename, journals._tree.calls.rename = journals._tree.calls.rename, _refuse  # type: ignore[method-assign]

    assert [journal.seq for journal in journals.load(DONE)] == [2]
    assert (journals.set_aside, torn.exists()) == ([], True)
    journals._tree.calls.rename = rename  # type: ignore[method-assign]
    assert [journal.seq for journal in journals.load(DONE)] == [2]
    assert (journals.set_aside, torn.exists()) == ([f"{DONE}/000001.json.bad"], False)


def test_one_whose_time_is_no_time_is_set_aside(journals: Journals) -> None:
    odd = Journal(1, Transaction("run-1", "[purged]-06-10T03:00:00+09:00"), {})
    journals.rewrite(DONE, odd)

    assert [journal.seq for journal in journals.load(DONE)] == [2]
    assert journals.set_aside == [f"{DONE}/000001.json.bad"]


def _refuse(*_: object) -> None:
    raise PermissionError
