"""The ledger of runs survives torn lines, full disks and growth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bankd.health.schedule import LedgerRow, RunOutcome
from bankd.workspace import runs as run_ledger
from bankd.workspace.runs import RunLedger, read_ledger

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
    learnt = ledger.learn()

    assert learnt == [by_hand]
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
