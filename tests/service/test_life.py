"""The life of the daemon, as its service manager and its users see it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from bankd.system.clock import read_monotonic, utc_now
from bankd.system.socket_client import borrow_lock
from bankd.workspace.waiting import add_transcript, take_transcripts


def test_it_is_ready_alive_and_gone_and_has_the_levels_of_the_journal_only_in_that(manager: Any) -> None:
    # A lock file that names a living stranger is no lock.
    (manager.workspace / ".bankd/lock").write_text(f'{{"pid": {os.getppid()}, "host": "x", "started": "2026-01-01"}}\n')
    manager.start(JOURNAL_STREAM="1:2")
    ready = manager.wait_for("READY=1")
    manager.wait_for("WATCHDOG=1")
    code = manager.stop()
    manager.wait_for("STOPPING=1")

    assert "files watched" in ready
    assert "info    started" in manager.said()
    assert code == 0
    assert manager.senders == {manager.process.pid}
    assert not (manager.workspace / ".bankd/bankd.sock").exists()


def test_what_was_logged_before_it_started_and_a_new_line_are_taken_in(manager: Any) -> None:
    manager.learn()
    manager.note("- W: The office moved to Mapo.")

    manager.wait_until(lambda: "Mapo" in manager.bank())


def test_it_works_where_the_settings_put_the_folders(manager: Any, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    for name in ("memory", "bank"):
        (manager.workspace / name).rename(vault / name)
    with (manager.workspace / "bankd.yaml").open("a") as settings:
        settings.write(f"folders: {{memory: '{vault}/memory', bank: '{vault}/bank'}}\n")
    manager.learn()
    with (vault / "memory/2026-11-20.md").open("a") as log:
        log.write("- W: The office moved to Mapo.\n")
    manager.wait_until(lambda: "Mapo" in manager.bank())
    (vault / "bank/world/yak.md").write_text("# Yak\n\n- W: The yak grazes behind the barn.\n")

    assert manager.wait_until(lambda: manager.ask("search", query="yak barn").get("hits"))
    (manager.workspace / "bankd.yaml").write_text("search: {analyser: lexicon}\n")
    assert "when bankd is started again" in manager.ask("reload")["problem"]


def test_a_slip_in_a_question_is_one_with_and_without_a_daemon(manager: Any) -> None:
    alone = manager.bankctl("search", "Busan", "--since", "soon")
    manager.start()
    asked = manager.bankctl("search", "Busan", "--since", "soon")

    assert (asked.returncode, asked.stderr) == (alone.returncode, alone.stderr)
    assert asked.returncode == 2


def test_history_is_taken_in_batch_after_batch_by_itself(manager: Any) -> None:
    settings = "settle_seconds: 3\nsearch: {analyser: lexicon}\nbudget: {max_added_lines: 2}\n"
    (manager.workspace / "bankd.yaml").write_text(settings)  # each batch is for pages that the last wrote just now
    for day in range(1, 6):
        log = manager.workspace / f"memory/2026-10-0{day}.md"
        log.write_text(f"- W: The office of day {day} is in Mapo.\n- B: Waters plant {day} at noon.\n")
    manager.age()
    manager.start()
    manager.wait_until(lambda: all(f"plant {day}" in manager.bank() for day in range(1, 6)))
    manager.wait_until(lambda: "Busan" in manager.bank())

    def batches() -> list[int]:
        """How many lines each run took in; the last one is recorded a moment after its pages are there."""
        runs = json.loads(manager.bankctl("log", "--json").stdout)["runs"]
        counts = [run.get("counts", {}) for run in runs if run["status"] == "changed"]
        return [one.get("learned", 0) + one.get("inbox", 0) for one in counts]

    manager.wait_until(lambda: batches() == [2] * 6)


def test_a_transcript_that_a_hook_handed_over_becomes_a_log(manager: Any, tmp_path: Path) -> None:
    transcript = tmp_path / "0b9f3c1e-1111-4222-8333-944455556666.jsonl"
    said = {"type": "user", "uuid": "u", "timestamp": "2026-11-20T09:00:00Z", "sessionId": "s"}
    transcript.write_text(json.dumps(said | {"message": {"role": "user", "content": "the deploy moved"}}) + "\n")
    add_transcript(str(manager.workspace), str(transcript))
    manager.serve()

    assert manager.ask("run", kind="micro")["ok"]
    assert "> the deploy moved" in (manager.workspace / "memory/imports/claude-code/2026-11-20-55556666.md").read_text()
    assert take_transcripts(str(manager.workspace)) == []


def test_a_reload_changes_the_settings(manager: Any) -> None:
    manager.serve()
    (manager.workspace / "bankd.yaml").write_text(
        'search: {analyser: lexicon}\ntimezone: Europe/Berlin\nschedule: {reflect_at: "04:30"}\n'
    )
    manager.process.send_signal(signal.SIGHUP)
    manager.wait_for("RELOADING=1")

    def reflect_is_due() -> str:
        return str(manager.ask("status")["jobs"][1]["next"])

    manager.wait_until(lambda: reflect_is_due().endswith(("T03:30:00+00:00", "T02:30:00+00:00")))
    assert manager.process.poll() is None


def test_bad_new_settings_leave_the_old_ones_in_force(manager: Any) -> None:
    manager.serve()
    before = manager.ask("status")["jobs"][1]["next"]
    for bad in ("timezone: Mars/Olympus\n", "settle_seconds: [\n", "routing: nowhere.yaml\n"):
        (manager.workspace / "bankd.yaml").write_text(bad)
        manager.process.send_signal(signal.SIGHUP)
        status = manager.wait_until(lambda: (told := manager.ask("status"))["daemon"]["settings_problem"] and told)

        assert status["jobs"][1]["next"] == before, bad
        assert [finding for finding in status["findings"] if finding["needs_person"]]
        assert manager.ask("run", kind="micro")["ok"]

        (manager.workspace / "bankd.yaml").write_text("search: {analyser: lexicon}\n")
        assert manager.ask("reload") == {"ok": True, "problem": ""}
        assert manager.ask("status")["daemon"]["settings_problem"] == ""
    manager.wait_for("the new settings cannot be used, the old ones hold")


def test_a_second_daemon_in_any_folder_of_the_workspace_says_who_is_there(manager: Any) -> None:
    manager.serve()
    command = [Path(sys.executable).parent / "bankd"]
    rest = {name: value for name, value in os.environ.items() if name != "BANKD_WORKSPACE"}
    folder = manager.workspace / "memory"
    inside = subprocess.run(command, cwd=folder, env=rest, capture_output=True, text=True, timeout=60, check=False)

    for second in (inside, manager.bankd()):
        assert second.returncode == 75
        assert f"process {manager.process.pid}" in second.stderr
    assert manager.ask("ping")["ok"]


def test_after_kill_nothing_is_in_the_way_and_no_child_of_it_holds_anything(manager: Any) -> None:
    manager.serve()
    manager.stop(signal.SIGKILL)
    assert (manager.workspace / ".bankd/bankd.sock").exists()
    assert manager.bankctl("cycle", "micro").returncode == 0
    manager.heard.clear()
    manager.serve()

    assert manager.ask("ping")["ok"]


def test_commands_borrow_the_right_to_write_from_it(manager: Any) -> None:
    manager.learn()
    manager.note("- W: The office moved to Mapo.")
    manager.age()
    done = [manager.bankctl("cycle", "micro") for _ in range(3)]

    assert [run.returncode for run in done] == [0, 0, 0], done
    assert "Mapo" in manager.bank()
    manager.wait_until(lambda: manager.ask("run", kind="micro")["ok"])


def test_a_borrower_that_dies_gives_back(manager: Any) -> None:
    manager.serve()
    loan = borrow_lock(str(manager.workspace))
    refused = manager.ask("run", kind="micro", within=0.3)
    queue = manager.ask("status")["daemon"]["queue"]
    loan.close()

    assert refused["exit"] == 75
    assert (queue["doing"], queue["waiting"] > 0) == ("the workspace is lent to another process", True)
    assert manager.ask("run", kind="micro")["ok"]


MODEL = """
import json, pathlib, subprocess, sys
asked = json.load(sys.stdin)["messages"][0]["content"]
if "</log>\\n1. " in asked:
    is_trial = "# 2026-05-01" in asked
    said = [{"number": n, "problem": "", "supported": not is_trial or n %% 2 == 0} for n in range(1, 7)]
else:
    command = [%r, "--workspace", %r, "add", "W: Noted while the model was asked."]
    ran = subprocess.run(command, capture_output=True, text=True)
    pathlib.Path(__file__).with_name("added").write_text(f"{ran.returncode} {ran.stderr}")
    line = {"memory": "", "tag": "W", "about": [], "text": "The queue runs on SQLite.", "sources": [1]}
    said = [{**line, "questions": []}]
print(json.dumps({"lines": said}))
"""


def test_a_night_asks_its_model_before_it_takes_the_lock(manager: Any, tmp_path: Path) -> None:
    program, today = tmp_path / "model.py", f"{utc_now():%Y-%m-%d}"
    program.write_text(MODEL % (str(Path(sys.executable).with_name("bankctl")), str(manager.workspace)))
    settings = manager.workspace / "bankd.yaml"
    distil = f'distil: {{provider: command, command: "{sys.executable} {program}"}}\n'
    settings.write_text(settings.read_text() + distil)
    (manager.workspace / f"memory/{today}-a.md").write_text("We moved the queue to SQLite.\n")
    manager.age()
    manager.serve()

    ran = manager.ask("run", kind="reflect", within=100)

    assert ran["ok"], ran
    assert (tmp_path / "added").read_text() == "0 ", "others could write meanwhile"
    assert "The queue runs on SQLite." in manager.bank()


def test_a_run_that_was_cut_off_is_made_again(manager: Any) -> None:
    ledger = manager.workspace / ".bankd/runs.jsonl"
    ledger.write_text(
        '{"at": "2026-11-20T00:00:00+00:00", "job": "reflect", "outcome": "started", "slot": "2026-11-20", "due": "2026-11-19T18:00:00+00:00"}\n'
        '{"at": "2026-11-20T00:00:00+00:00", "job": "micro", "outcome": "enrolled"}\n'
    )
    manager.start()
    manager.wait_until(
        lambda: '"ran"' in "".join(line for line in ledger.read_text().splitlines() if "reflect" in line)
    )
    missed = [row for row in manager.ask("status")["missed"] if row["job"] == "reflect"]

    assert missed
    assert all(row["made_up"] for row in missed)


def test_three_failures_in_a_row_call_once(manager: Any) -> None:
    calls = manager.workspace / "calls"
    script = manager.workspace / "call"
    script.write_text(f"#!/bin/sh\ncat >> {calls}\n")
    script.chmod(0o755)
    (manager.workspace / "bankd.yaml").write_text(f"search: {{analyser: lexicon}}\nalert: {{command: {script}}}\n")
    manager.serve()
    (manager.workspace / "memory").rename(manager.workspace / "away")
    for _ in range(5):
        manager.ask("run", kind="reflect")
    (manager.workspace / "away").rename(manager.workspace / "memory")
    manager.ask("run", kind="reflect")

    lines = manager.wait_until(
        lambda: calls.exists() and len(calls.read_text().splitlines()) >= 2 and calls.read_text().splitlines()
    )
    assert [line.split(":")[1].strip() for line in lines] == ["reflect has failed", "reflect works again"]


def test_metrics_are_on_the_socket(manager: Any) -> None:
    manager.serve()
    text = manager.ask("metrics")["text"]

    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(len(line.rsplit(" ", 1)) == 2 and float(line.rsplit(" ", 1)[1]) >= 0 for line in samples)
    assert any(line.startswith('bankd_job_failures_in_a_row{job="reflect"}') for line in samples)


def test_without_a_workspace_it_says_what_to_do(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "BANKD_WORKSPACE"}
    program = Path(sys.executable).parent / "bankd"
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 3
    assert "--workspace" in done.stderr


@pytest.mark.full
def test_a_log_that_never_rests_does_not_keep_the_others_waiting(manager: Any) -> None:
    (manager.workspace / "bankd.yaml").write_text("settle_seconds: 2\nsearch: {analyser: lexicon}\n")
    manager.serve()
    over = threading.Event()

    def chatter() -> None:
        while not over.wait(0.2):
            with (manager.workspace / "memory/2026-11-19.md").open("a") as log:
                log.write("Talking on.\n")

    talking = threading.Thread(target=chatter)
    talking.start()
    try:
        manager.wait_until(lambda: "Busan" in manager.bank(), within=90)
    finally:
        over.set()
        talking.join()


def test_a_line_waits_for_a_page_just_saved_by_the_user_and_comes_when_that_rests(manager: Any) -> None:
    (manager.workspace / "bankd.yaml").write_text("settle_seconds: 2\nsearch: {analyser: lexicon}\n")
    manager.learn()
    page, over = manager.workspace / "bank/entities/Peter.md", threading.Event()
    page.write_text(page.read_text() + "\nBeing written.\n")

    def save_again() -> None:
        while not over.wait(0.2):
            os.utime(page)

    saving = threading.Thread(target=save_again)
    saving.start()
    try:
        manager.note("- W @Peter: Sails at weekends.")
        manager.wait_until(lambda: "waits for bank/entities/Peter.md" in _reports(manager.workspace))
        assert "Sails" not in manager.bank()
    finally:
        over.set()
        saving.join()

    manager.wait_until(lambda: "Sails" in manager.bank())
    assert "Being written." in page.read_text()
    assert page.read_text().count("Sails") == 1


def _reports(workspace: Path) -> str:
    """What is kept of all runs."""
    return "".join(file.read_text() for file in (workspace / ".bankd").rglob("*.json*") if file.is_file())


def test_the_socket_stands_where_the_manager_wants_it(manager: Any, tmp_path: Path) -> None:
    runtime, usual = tmp_path / "run", manager.workspace / ".bankd/bankd.sock"
    manager.start(RUNTIME_DIRECTORY=str(runtime))
    manager.wait_for("WATCHDOG=1")

    assert manager.ask("ping")["ok"]
    assert (runtime / "bankd.sock").is_socket()
    assert usual.is_symlink()

    manager.stop(signal.SIGKILL)
    manager.heard.clear()
    manager.start()
    manager.wait_for("WATCHDOG=1")
    assert not usual.is_symlink()
    assert manager.ask("ping")["ok"]

    manager.stop()
    assert not usual.exists()


def children(pid: int) -> list[int]:
    return [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]


@pytest.mark.full
def test_a_run_that_does_not_end_in_time_is_left_to_the_next_start(manager: Any) -> None:
    """The morphological analyser takes seconds to load; the run that waits for it is given up."""
    (manager.workspace / "bankd.yaml").write_text("settle_seconds: 0.2\n")
    (manager.workspace / "memory/2026-11-20.md").write_text("- B: 아침마다 로그를 먼저 읽는 루틴을 지킨다.\n")
    manager.age()
    ledger = manager.workspace / ".bankd/runs.jsonl"
    manager.start()
    manager.wait_until(lambda: ledger.exists() and '"started"' in ledger.read_text() and children(manager.process.pid))
    worker = children(manager.process.pid)[0]
    began = read_monotonic()
    code = manager.stop()
    took = read_monotonic() - began

    assert code == 0
    assert took < 5
    manager.wait_until(lambda: not Path(f"/proc/{worker}").exists())

    manager.start()
    manager.wait_until(lambda: "루틴" in manager.bank(), within=90)
    manager.wait_until(lambda: manager.ask("search", query="루틴을 지키다").get("hits"), within=90)
