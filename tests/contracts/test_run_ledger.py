"""The ledger of runs, their journals as a reader meets them, and the buffer of recent answers."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bankd.edits.transaction import Journal, Transaction
from bankd.errors import UserError
from bankd.health.schedule import LedgerRow, RunOutcome
from bankd.index.sources import RecallBuffer
from bankd.storage.journals import DONE, RUNS, TXN, Journals, Staging
from bankd.storage.tree import FileTree
from bankd.system.socket_server import SocketServer
from bankd.workers.vector_store import VectorStore
from bankd.workspace import facts as run_ledger
from bankd.workspace.facts import RunLedger, read_ledger

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def row(number: int) -> LedgerRow:
    return LedgerRow(NOW + timedelta(minutes=number), "micro", RunOutcome.RAN, note=str(number))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / ".bankd").mkdir()
    return tmp_path


def test_rows_are_kept(workspace: Path) -> None:
    RunLedger(workspace).add(row(1))
    RunLedger(workspace).add(row(2))

    assert list(read_ledger(workspace)) == [row(1), row(2)]
    assert (workspace / ".bankd/runs.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_torn_or_foreign_line_costs_only_itself(workspace: Path) -> None:
    RunLedger(workspace).add(row(1))
    path = workspace / ".bankd/runs.jsonl"
    path.write_bytes(b'\xff\n[]\n{"at":1}\n' + b"[" * 100_000 + b"\n" + path.read_bytes() + b'{"at": "2026-11-2')

    RunLedger(workspace).add(row(2))

    assert list(read_ledger(workspace)) == [row(1), row(2)]


def test_what_a_full_disk_refused_is_written_later(workspace: Path) -> None:
    ledger = RunLedger(workspace)
    (workspace / ".bankd").rename(workspace / "away")
    ledger.add(row(1))
    (workspace / "away").rename(workspace / ".bankd")
    ledger.add(row(2))

    assert list(read_ledger(workspace)) == [row(1), row(2)]


def test_what_commands_added_is_learnt_once(workspace: Path) -> None:
    ledger, by_hand = RunLedger(workspace), replace(row(2), by_hand=True)
    ledger.add(row(1))
    RunLedger(workspace).add(by_hand)
    assert ledger.learn() == [by_hand]
    assert ledger.learn() == []
    assert list(ledger.rows) == [row(1), by_hand]


def test_what_is_ones_own_is_not_learnt_even_when_another_wrote_before(workspace: Path) -> None:
    ledger = RunLedger(workspace)
    RunLedger(workspace).add(row(1))
    ledger.add(row(2))

    assert ledger.learn() == [row(1)]
    assert ledger.learn() == []


def test_it_does_not_grow_for_ever(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_ledger, "LARGEST", 2_000)
    ledger = RunLedger(workspace)
    for number in range(200):
        ledger.add(row(number))

    assert (workspace / ".bankd/runs.jsonl").stat().st_size < 2_200
    assert list(read_ledger(workspace))[-1] == row(199)


def test_rows_of_several_threads_are_all_written(workspace: Path) -> None:
    ledger = RunLedger(workspace)
    minutes = [range(start, start + 200) for start in range(0, 800, 200)]

    with ThreadPoolExecutor(len(minutes)) as pool:
        list(pool.map(lambda some: [ledger.add(row(minute % 60)) for minute in some], minutes))

    assert len(list(read_ledger(workspace))) == 800


@pytest.fixture
def journals(tmp_path: Path) -> Iterator[Journals]:
    """Two transactions that wait for their second look."""
    tree = FileTree(tmp_path)
    journals = Journals(tree, Staging(tree))
    for seq in (1, 2):
        journal = Journal(seq, Transaction(f"run-{seq}", "2026-06-10T03:00:00+09:00"), {})
        journals.write(TXN, journal)
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
    journals.write(DONE, odd)

    assert [journal.seq for journal in journals.load(DONE)] == [2]
    assert journals.set_aside == [f"{DONE}/000001.json.bad"]


def _refuse(*_: object) -> None:
    raise PermissionError


AT = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


def answer(query: str) -> dict[str, object]:
    return {"query": query, "generation": 1, "hits": [], "nearest": []}


def kept(folder: Path) -> list[str]:
    return sorted(file.read_text().splitlines()[0] for file in folder.glob("*.md"))


def test_an_answer_goes_when_its_time_is_over(tmp_path: Path) -> None:
    buffer = RecallBuffer(tmp_path, 60)

    buffer.keep(answer("old"), AT)
    buffer.keep(answer("recent"), AT + timedelta(minutes=30))
    buffer.keep(answer("new"), AT + timedelta(minutes=61))

    assert kept(tmp_path) == ["# new", "# recent"]


def test_another_process_takes_away_what_the_first_left(tmp_path: Path) -> None:
    RecallBuffer(tmp_path, 60).keep(answer("old"), AT)

    RecallBuffer(tmp_path, 60).keep(answer("is the password Gr4nary!77pq?"), AT + timedelta(hours=2))

    assert kept(tmp_path) == ["# is the password [password]"]


def test_it_does_not_look_through_the_folder_at_every_answer(tmp_path: Path) -> None:
    buffer = RecallBuffer(tmp_path, 60)
    buffer.keep(answer("first"), AT)
    (tmp_path / "20261122T010000-0abc0abc.md").write_text("# old\n")

    buffer.keep(answer("second"), AT + timedelta(seconds=30))
    assert "# old" in kept(tmp_path)

    buffer.keep(answer("third"), AT + timedelta(seconds=61))
    assert kept(tmp_path) == ["# first", "# second", "# third"]


def test_what_people_put_there_stays(tmp_path: Path) -> None:
    (tmp_path / "MyThoughts-2026.md").write_text("# mine\n")

    RecallBuffer(tmp_path, 60).keep(answer("query"), AT)

    assert kept(tmp_path) == ["# mine", "# query"]


def test_a_workspace_that_was_moved_is_not_made_again_where_it_was(tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    with pytest.raises(UserError, match="not there any more"):
        SocketServer(moved / ".bankd/bankd.sock", lambda request: request).start()
    for work in (
        lambda: RecallBuffer(moved / "recall", 60).keep(answer("query"), AT),
        lambda: VectorStore(moved / ".bankd/meaning/model/bank").append([1], [[1.0]]),
    ):
        with pytest.raises(FileNotFoundError):
            work()
    assert not moved.exists()


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(_staged: str, _file: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", replace)

    with pytest.raises(OSError, match="No space"):
        RecallBuffer(tmp_path, 60).keep(answer("query"), AT)

    assert list(tmp_path.iterdir()) == []
