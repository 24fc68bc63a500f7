"""Nights of several banks over PostgreSQL: each once a date, whatever ends in between."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from bankd.cli import main
from bankd.errors import UserError
from bankd.fleet.actions import (
    Fleet,
    add_bank,
    queue_due,
    remove_banks,
)
from bankd.system.clock import read_monotonic, utc_now
from tests.fleet.conftest import MakeBank
from tests.fleet.postgres import Postgres
from tests.settings import change_setting

LONG_AGO = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)
BANKCTL = Path(sys.executable).parent / "bankctl"


def join(fleet: Fleet, *roots: Path) -> None:
    """Put workspaces in whose night is long due."""
    for root in roots:
        assert add_bank(fleet, root, root.name, "default", LONG_AGO)


def start_worker(dsn: str, *words: str) -> subprocess.Popen[bytes]:
    command = [BANKCTL, "fleet", "worker", "--first-wait", "1", *words]
    return subprocess.Popen(command, env={**os.environ, "BANKD_FLEET": dsn}, stderr=subprocess.PIPE)


def work(dsn: str, *words: str) -> str:
    """Let a worker do what waits; gives what it wrote to its log."""
    worker = start_worker(dsn, "--until-idle", *words)
    _, log = worker.communicate(timeout=120)
    assert worker.returncode == 0, log.decode()
    return log.decode()


def bytes_of(root: Path) -> dict[str, str]:
    """What people see of a workspace: its pages, logs and events."""
    paths = (path for folder in ("bank", "memory", "events") for path in (root / folder).rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def outcomes(fleet: Fleet) -> dict[str, tuple[bool, int, str]]:
    rows = fleet.database.rows("SELECT bank, is_done, tries, said FROM nights")
    return {bank: (is_done, tries, said) for bank, is_done, tries, said in rows}


def learned(root: Path) -> bool:
    pages = "".join(path.read_text("utf-8") for path in (root / "bank").rglob("*.md"))
    return f"The server of {root.name} stands in Busan." in pages and pages.count("stands in Busan") == 1


def test_every_bank_has_its_night_once_a_date(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    roots = [make_bank(f"b{number}") for number in range(4)]
    join(fleet, *roots)
    work(dsn)

    assert all(learned(root) for root in roots)
    assert {bank: (done, tries) for bank, (done, tries, _) in outcomes(fleet).items()} == {
        root.name: (True, 1) for root in roots
    }
    assert fleet.unfinished() == []
    assert fleet.facts(utc_now()).due == 0
    before = [bytes_of(root) for root in roots]
    with fleet.database.transaction() as connection:  # a night that is done is not done again, even when asked for
        night = fleet.database.rows("SELECT night FROM nights LIMIT 1")[0][0]
        fleet.put(connection, [(bank, night) for bank in fleet.list_banks()])
    work(dsn)
    assert [bytes_of(root) for root in roots] == before


def test_a_night_that_is_run_again_changes_no_byte(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    root = make_bank("again")
    join(fleet, root)
    work(dsn)
    before = bytes_of(root)
    with fleet.database.transaction() as connection:
        connection.execute("DELETE FROM nights")
        connection.execute("UPDATE banks SET due = %s", (LONG_AGO,))
    work(dsn)

    assert outcomes(fleet)["again"][:2] == (True, 1)
    assert bytes_of(root) == before


def test_what_waits_is_not_put_there_twice(fleet: Fleet, make_bank: MakeBank) -> None:
    join(fleet, make_bank("one"))
    now = utc_now()
    assert queue_due(fleet, now) == 1
    with fleet.database.transaction() as connection:
        connection.execute("UPDATE banks SET due = %s", (LONG_AGO,))
    queue_due(fleet, now)

    assert [(one.bank, one.state) for one in fleet.unfinished()] == [("one", "waiting")]


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    roots = [make_bank(f"b{number}") for number in range(6)]
    join(fleet, *roots)
    worker = start_worker(dsn)
    wait_until(lambda: len(outcomes(fleet)) >= 2)
    worker.kill()
    worker.communicate()
    with fleet.database.transaction() as connection:  # as if it had been silent for a minute
        connection.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'")
        connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT max(id) FROM procrastinate_workers) WHERE task_name = 'night' AND id = (SELECT min(id) FROM procrastinate_jobs WHERE task_name = 'night')"
        )
    assert "stalled" in {one.state for one in fleet.unfinished()}
    work(dsn)

    assert all(learned(root) for root in roots)
    assert all(done for done, _, _ in outcomes(fleet).values())
    assert fleet.unfinished() == []


def test_a_worker_waits_for_what_another_is_putting_into_the_queue(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    root = make_bank("one")
    join(fleet, root)
    with fleet.database.transaction() as connection:
        fleet.put(connection, fleet.take_due(connection, utc_now()))
        worker = start_worker(dsn, "--until-idle")
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(4)
    _, log = worker.communicate(timeout=60)

    assert worker.returncode == 0, log.decode()
    assert learned(root)


def test_a_database_that_stops_and_starts_is_waited_for(
    postgres: Postgres, fleet: Fleet, dsn: str, make_bank: MakeBank
) -> None:
    roots = [make_bank(f"b{number}") for number in range(6)]
    join(fleet, *roots)
    worker = start_worker(dsn)
    wait_until(lambda: len(outcomes(fleet)) >= 1)
    postgres.stop()
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(2)
    postgres.start()
    wait_until(lambda: len(outcomes(fleet)) == len(roots), 60)
    worker.send_signal(signal.SIGTERM)
    _, log = worker.communicate(timeout=60)

    assert worker.returncode == 0
    assert b"the database is lost" in log
    assert all(learned(root) for root in roots)


def test_a_bank_that_cannot_be_done_stops_no_other_is_named_with_why_and_waits_for_a_person_at_last(
    fleet: Fleet,
    dsn: str,
    make_bank: MakeBank,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    good, gone, torn = make_bank("good"), make_bank("gone"), make_bank("torn")
    join(fleet, good, gone, torn)
    gone.rename(tmp_path / "elsewhere")
    (torn / "bankd.yaml").write_text("dedup: [", "utf-8")
    monkeypatch.setenv("BANKD_FLEET", dsn)
    work(dsn)

    assert learned(good)
    assert main(["fleet", "status", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    left = {one["bank"]: one for one in status["unfinished"]}
    assert {name: one["state"] for name, one in left.items()} == {"gone": "again", "torn": "again"}
    assert "sees no workspace there" in left["gone"]["said"]
    assert "bankd.yaml" in left["torn"]["said"]
    assert (status["banks"], status["done"], status["due"]) == (3, 1, 0)

    with fleet.database.transaction() as connection:
        connection.execute("UPDATE procrastinate_jobs SET attempts = 5, scheduled_at = now() WHERE status = 'todo'")
    work(dsn)
    assert main(["fleet", "status"]) == 3
    said = capsys.readouterr().out
    assert "failed" in said
    assert "bankctl fleet retry" in said
    assert main(["fleet", "status", "--metrics"]) == 3
    assert 'bankd_fleet_nights{state="failed"} 2' in capsys.readouterr().out

    (tmp_path / "elsewhere").rename(gone)
    assert main(["fleet", "retry", "gone"]) == 0
    work(dsn)
    assert learned(gone)


def test_a_bank_that_a_person_holds_is_tried_again(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    held, free = make_bank("held"), make_bank("free")
    join(fleet, held, free)
    program = "import sys,pathlib; from bankd.wiring.workspace import open_workspace\nwith open_workspace(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    person = subprocess.Popen([sys.executable, "-c", program, held], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert person.stdout is not None
    assert person.stdout.readline() == b"held\n"
    work(dsn)
    assert learned(free)
    assert not learned(held)
    assert [(one.bank, one.state) for one in fleet.unfinished()] == [("held", "again")]
    person.communicate()
    fleet.retry(["held"])
    work(dsn)

    assert learned(held)


def test_a_disk_that_is_full_stops_its_own_bank_alone(
    fleet: Fleet, dsn: str, make_bank: MakeBank, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small], check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    try:
        full, free = make_bank("small/full"), make_bank("free")
        join(fleet, full, free)
        ballast = small / "ballast"
        with ballast.open("wb", 0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        work(dsn)
        assert learned(free)
        assert [(one.bank, one.state) for one in fleet.unfinished()] == [("full", "again")]
        assert "full" in outcomes(fleet)["full"][2]
        ballast.unlink()
        fleet.retry(["full"])
        work(dsn)
        assert learned(full)
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)


def test_sigterm_lets_a_worker_finish_what_it_holds(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    roots = [make_bank(f"b{number}") for number in range(6)]
    join(fleet, *roots)
    worker = start_worker(dsn, "--concurrency", "2")
    wait_until(lambda: len(outcomes(fleet)) >= 1)
    worker.send_signal(signal.SIGTERM)
    _, log = worker.communicate(timeout=60)

    assert worker.returncode == 0, log.decode()
    assert all(done for done, _, _ in outcomes(fleet).values())
    assert "running" not in {one.state for one in fleet.unfinished()}


def test_a_worker_takes_the_banks_of_its_storages_alone(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    here, there = make_bank("here"), make_bank("there")
    join(fleet, here)
    add_bank(fleet, there, "there", "nas", LONG_AGO)
    work(dsn, "--storage", "default")

    assert learned(here)
    assert [(one.bank, one.state) for one in fleet.unfinished()] == [("there", "waiting")]


def test_each_bank_has_its_own_hour_and_zone(fleet: Fleet, make_bank: MakeBank) -> None:
    now = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)
    berlin = make_bank("berlin")
    join(fleet, make_bank("seoul"), berlin)
    change_setting(berlin, "timezone: Asia/Seoul", "timezone: Europe/Berlin")
    change_setting(berlin, 'reflect_at: "03:00"', 'reflect_at: "04:30"')
    assert add_bank(fleet, berlin, "berlin", "default", now) is None
    due = {bank.name: bank.due.astimezone(UTC) for bank in fleet.list_banks()}

    assert due["seoul"] == datetime(2026, 5, 2, 18, 0, tzinfo=UTC)
    assert due["berlin"] == datetime(2026, 5, 3, 2, 30, tzinfo=UTC)
    assert queue_due(fleet, due["berlin"] - timedelta(seconds=1)) == 1
    assert queue_due(fleet, due["berlin"]) == 1
    assert [one.night for one in fleet.unfinished()] == ["2026-05-03", "2026-05-03"]


def test_after_a_week_without_a_worker_one_night_is_done_and_not_seven(fleet: Fleet, make_bank: MakeBank) -> None:
    join(fleet, make_bank("one"))

    assert queue_due(fleet, LONG_AGO + timedelta(days=7)) == 1
    assert [one.night for one in fleet.unfinished()] == ["2026-05-09"]


def test_names_are_unique_and_what_is_not_there_is_named(fleet: Fleet, make_bank: MakeBank, tmp_path: Path) -> None:
    one = make_bank("one")
    join(fleet, one)

    assert add_bank(fleet, one, "one", "default", LONG_AGO) is None
    with pytest.raises(UserError, match="already"):
        add_bank(fleet, tmp_path / "other", "one", "default", LONG_AGO)
    with pytest.raises(UserError, match="nobody: the fleet has no bank"):
        remove_banks(fleet, ["nobody"])


def test_what_is_taken_out_has_no_nights_and_keeps_its_files(fleet: Fleet, dsn: str, make_bank: MakeBank) -> None:
    root = make_bank("one")
    join(fleet, root)
    queue_due(fleet, utc_now())
    before = bytes_of(root)
    remove_banks(fleet, ["one"])
    work(dsn)

    assert fleet.list_banks() == []
    assert fleet.unfinished() == []
    assert bytes_of(root) == before


def test_from_an_empty_database_by_commands_alone(
    dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("BANKD_FLEET", raising=False)

    assert main(["fleet", "list"]) == 3
    assert "bankctl fleet init" in capsys.readouterr().err
    assert main(["fleet", "list", "--dsn", dsn]) == 3
    assert "has no fleet" in capsys.readouterr().err
    assert main(["fleet", "init", dsn]) == 0
    assert (tmp_path / "config/bankd/fleet").stat().st_mode & 0o777 == 0o600
    assert main(["fleet", "init", dsn]) == 0
    assert "are there already" in capsys.readouterr().out


def test_a_database_that_is_not_there_is_said_in_a_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["fleet", "status", "--dsn", f"host={tmp_path} user=x dbname=x"]) == 3
    assert "does not answer" in capsys.readouterr().err


def wait_until(is_so: Callable[[], bool], seconds: float = 30) -> None:
    end = read_monotonic() + seconds
    while not is_so():
        assert read_monotonic() < end
        Event().wait(0.02)
