"""Full disks, disks that cannot be written, and what commands say of the daemon's state."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from bankd.wiring.probing import examine_workspace, find_installation, open_probe


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MB of its own, mounted where only this test looks."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def on_small_disk(small_disk: Path, made_workspace: Path, manager: Any) -> Any:
    manager.workspace = small_disk / "w"
    shutil.copytree(made_workspace, manager.workspace)
    (manager.workspace / ".bankd").chmod(0o700)
    manager.age()
    return manager


def fill(disk: Path) -> Path:
    """A file that leaves no room."""
    ballast = disk / "ballast"
    descriptor = os.open(ballast, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while os.write(descriptor, b"x" * 65536):
            pass
    os.close(descriptor)
    return ballast


def test_a_full_disk_fails_runs_until_there_is_room(on_small_disk: Any, small_disk: Path) -> None:
    manager = on_small_disk
    manager.learn()
    manager.wait_until(lambda: manager.ask("status")["index"]["memories"] > 0)
    ballast = fill(small_disk)
    (manager.workspace / "memory/2026-11-20.md").open("a").close()
    with (manager.workspace / "bank/world/facts.md").open("rb") as page:
        before = page.read()
    ballast.unlink()
    manager.note("- W: The office moved to Mapo.")
    manager.age()
    ballast = fill(small_disk)
    failed = manager.ask("run", kind="micro")
    status = manager.ask("status")

    assert failed["exit"] == 3, failed
    assert (manager.workspace / "bank/world/facts.md").read_bytes() == before
    assert any(finding["needs_person"] for finding in status["findings"])
    assert manager.ask("search", query="Busan")["hits"]

    ballast.unlink()
    assert manager.ask("run", kind="micro")["ok"]
    assert "Mapo" in manager.bank()
    assert [finding for finding in manager.ask("status")["findings"] if finding["needs_person"]] == []


def test_on_a_full_disk_verify_and_search_answer_and_purge_says_what_it_needs(
    on_small_disk: Any, small_disk: Path
) -> None:
    manager = on_small_disk
    assert manager.bankctl("cycle", "micro").returncode == 0
    before = manager.bank()
    (page,) = (p for p in (manager.workspace / "bank").rglob("*.md") if "Lives in Busan" in p.read_text("utf-8"))
    os.utime(page, (1, 1))
    ballast = fill(small_disk)

    verified, found = manager.bankctl("doctor", "verify"), manager.bankctl("search", "Busan")
    purged = manager.bankctl("forget", "--everywhere", "Lives in Busan since May.", "--apply")

    assert verified.returncode == found.returncode == 0
    assert "all promises hold" in verified.stdout
    assert "Busan" in found.stdout
    assert (purged.returncode, manager.bank()) == (3, before)
    assert "MB needed; nothing was written" in purged.stderr
    ballast.unlink()
    assert manager.bankctl("forget", "--everywhere", "Lives in Busan since May.", "--apply").returncode == 0
    assert "Busan" not in manager.bank()


def remount(place: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", place], check=True)


def test_a_read_only_bank_is_told_and_mended(on_small_disk: Any, small_disk: Path) -> None:
    manager = on_small_disk
    remount(small_disk, "ro")
    alone = manager.bankd()
    manager.start()
    waiting = manager.wait_for("waiting:")
    remount(small_disk, "rw")

    assert alone.returncode == 3
    assert "file system is read-only" in alone.stderr
    assert "Traceback" not in alone.stderr
    assert "file system is read-only" in waiting
    manager.wait_until(lambda: "Busan" in manager.bank())


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Path]:
    """An ext4 disk of its own, mounted from a file: the kernel stops writing it at once when told to abort."""
    image, place = tmp_path / "image", tmp_path / "mounted"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(96 << 20)
    made = subprocess.run(["mkfs.ext4", "-q", image], check=False, capture_output=True)
    if made.returncode or subprocess.run(["mount", "-o", "loop", image, place], check=False).returncode:
        pytest.skip("needs the right to mount a loop device")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_disk_that_turns_read_only_under_a_running_daemon_is_told_and_searched(
    image: Path, made_workspace: Path, manager: Any
) -> None:
    manager.workspace = image / "w"
    shutil.copytree(made_workspace, manager.workspace)
    (manager.workspace / ".bankd").chmod(0o700)
    manager.age()
    manager.learn()
    manager.wait_until(lambda: manager.ask("status")["index"]["memories"] > 0)
    remount(image, "abort")
    told = manager.wait_for("STATUS=nothing can be written")
    failed = manager.ask("run", kind="micro")
    with_daemon, answer = manager.bankctl("status"), manager.ask("search", query="Busan")
    code = manager.stop()
    subprocess.run(["umount", image], check=True)
    subprocess.run(["mount", "-o", "loop", image.parent / "image", image], check=True)

    assert "is on a disk that is read-only" in told
    assert failed["exit"] == 3
    assert "readonly" in failed["error"].replace("-", "")  # said by the kernel or by SQLite, whichever comes first
    assert with_daemon.returncode == 3
    assert "! nothing can be written" in with_daemon.stdout
    assert answer["hits"]
    assert "error   nothing can be written" in manager.said()
    assert code == 0
    manager.start()
    manager.wait_until(lambda: manager.ask("run", kind="micro")["ok"])


def test_a_workspace_that_another_takes_the_place_of_is_opened_anew(manager: Any) -> None:
    manager.learn()
    manager.ask("run", kind="reflect")  # after the run that wrote Busan, which would write while we copy
    manager.wait_until(lambda: manager.ask("status")["index"]["memories"] > 0)
    manager.workspace.rename(manager.workspace.parent / "away")
    passing = shutil.ignore_patterns("*.sock", "*.sqlite3-*")
    shutil.copytree(manager.workspace.parent / "away", manager.workspace, ignore=passing)
    assert manager.process.wait(30) == 75  # so that the service manager starts it again
    assert "another disk mounted there" in manager.said()


def test_a_bank_that_is_read_only_for_a_while_is_told_and_made_up_for(manager: Any) -> None:
    bank = str(manager.workspace / "bank")
    manager.learn()
    manager.ask("run", kind="reflect")
    if subprocess.run(["mount", "--bind", bank, bank], check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", bank], check=True)
        told = manager.wait_for("STATUS=nothing can be written")
        manager.note("- W: The office moved to Mapo.")
        manager.wait_until(lambda: manager.ask("run", kind="reflect").get("exit") == 3)
        status, answer = manager.bankctl("status"), manager.ask("search", query="Busan")
    finally:
        subprocess.run(["umount", "-l", bank], check=True)

    assert f"{bank} is read-only" in told
    assert status.returncode == 3
    assert "reflect failed 1 time" in status.stdout
    assert answer["hits"]
    manager.wait_until(lambda: "it can be written again" in manager.said())
    manager.wait_until(lambda: "Mapo" in manager.bank())
    manager.wait_until(lambda: not [f for f in manager.ask("status")["findings"] if f["needs_person"]])


@pytest.mark.parametrize(("away", "said"), [(".", "no workspace is there"), ("memory", "memory: no such folder")])
def test_what_is_not_mounted_yet_is_waited_for(manager: Any, tmp_path: Path, away: str, said: str) -> None:
    place = manager.workspace / away
    place.rename(tmp_path / "away")
    alone = manager.bankd()
    manager.start()
    told = manager.wait_for("waiting:")
    (tmp_path / "away").rename(place)

    assert alone.returncode == 3
    assert said in alone.stderr
    assert said in told
    manager.wait_until(lambda: "Busan" in manager.bank())


def test_a_memory_folder_that_vanishes_is_told_and_when_it_comes_back_watched_and_read_again(manager: Any) -> None:
    manager.learn()
    (manager.workspace / "memory").rename(manager.workspace / "away")
    failed = manager.ask("run", kind="micro")
    finding = manager.ask("status")["findings"][0]
    (manager.workspace / "away").rename(manager.workspace / "memory")
    manager.note("- W: The office moved to Mapo.")

    assert failed["exit"] == 3
    assert finding["needs_person"]
    manager.wait_until(lambda: "Mapo" in manager.bank())
    manager.note("- W: The harbour froze in January.")
    manager.wait_until(lambda: "harbour froze" in manager.bank())
    assert not [found for found in manager.ask("status")["findings"] if found["needs_person"]]


def test_status_tells_of_a_daemon_and_of_none(manager: Any) -> None:
    alone = manager.bankctl("status", "--json")
    manager.serve()
    with_daemon = manager.bankctl("status", "--json")
    for_people = manager.bankctl("status")
    manager.ask("run", kind="reflect")
    (manager.workspace / "memory").rename(manager.workspace / "away")
    manager.ask("run", kind="micro")
    in_trouble = manager.bankctl("status")

    assert json.loads(alone.stdout)["daemon"] is None
    assert alone.returncode == 0
    assert json.loads(with_daemon.stdout)["daemon"]["pid"] == manager.process.pid
    assert "by inotify" in for_people.stdout
    assert in_trouble.returncode == 3
    assert "memory/ is missing" in in_trouble.stdout


def test_a_run_by_hand_is_the_last_run_with_a_daemon_and_without(manager: Any) -> None:
    before = manager.bankctl("status").stdout
    manager.bankctl("cycle", "reflect")
    alone = manager.bankctl("status").stdout
    manager.serve()
    manager.bankctl("cycle", "reflect")
    with_daemon = manager.wait_until(
        lambda: (last := manager.ask("status")["jobs"][1]["last"]) and last["note"] == "nothing new" and last
    )

    assert before.count("never ran") == 2
    assert "ran by hand" in alone
    assert with_daemon["by_hand"]
    assert with_daemon["outcome"] == "ran"


def snapshot(workspace: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in workspace.rglob("*") if path.is_file()
    }


def test_looking_changes_nothing(manager: Any) -> None:
    manager.bankctl("cycle", "micro")
    before = snapshot(manager.workspace)
    for command in ("status", "status --metrics", "doctor", "service status"):
        done = manager.bankctl(*command.split())

        assert done.returncode in {0, 3}, done
        assert "Traceback" not in done.stderr
        assert snapshot(manager.workspace) == before, command


TROUBLES: dict[str, tuple[Callable[[Path], object], str]] = {
    "settings open to others": (lambda root: (root / "bankd.yaml").chmod(0o666), "chmod go-w"),
    "no memory": (lambda root: (root / "memory").rename(root / "away"), "memory/ is missing"),
    "open derived folder": (lambda root: (root / ".bankd").chmod(0o755), "chmod 700"),
    "conflict copy": (lambda root: (root / "bank/a.sync-conflict-20261121-1.md").write_text("x"), "conflict copy"),
    "a pipe for a page": (lambda root: os.mkfifo(root / "bank/pipe.md"), "pipe.md is left alone"),
    "names alike": (lambda root: [(root / f"bank/{name}.md").write_text("x") for name in ("\uac01", "\u1100\u1161\u11a8")], "look alike"),
    "a torn journal": (lambda root: [(root / ".bankd/txn").mkdir(exist_ok=True), (root / ".bankd/txn/7.json.bad").write_text("x")], "torn journal"),
}  # fmt: skip


@pytest.mark.parametrize("trouble", TROUBLES)
def test_the_doctor_finds_each_trouble_with_its_fix(manager: Any, trouble: str) -> None:
    make, expected = TROUBLES[trouble]
    make(manager.workspace)
    manager.age()
    with open_probe(manager.workspace) as probe:
        areas = examine_workspace(probe, find_installation(manager.workspace))
    findings = [finding for area in areas.values() for finding in area]
    found = [finding for finding in findings if expected in finding.text + finding.fix]

    assert found, findings
    assert all(finding.fix for finding in found)


def test_the_doctor_has_nothing_to_say_of_a_healthy_workspace(manager: Any) -> None:
    manager.learn()
    manager.age()
    manager.ask("run", kind="micro")
    manager.wait_until(lambda: manager.ask("status")["index"]["pending"] == 0)
    done = manager.bankctl("doctor", "--json")

    assert done.returncode == 0, done.stdout
    assert {area: found for area, found in json.loads(done.stdout).items() if found} == {}


def test_where_no_systemd_is_all_advice_is_of_a_command_that_works(manager: Any, tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path), "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}  # no systemctl
    manager.bankctl("cycle", "micro")
    said = {
        name: manager.bankctl(*name.split(), **bare)
        for name in (
            "service install",
            "service status",
            "service reload",
            "status",
            "doctor",
            f"init {manager.workspace}",
        )
    }
    advice = said["service install"].stderr.splitlines()[1].removeprefix("bankctl: ")

    assert {name: done.returncode for name, done in said.items() if done.returncode} == dict.fromkeys(
        ("service install", "service status", "service reload"), 3
    )
    for done in said.values():
        assert advice in done.stdout + done.stderr
        assert not re.search("service install|systemctl|loginctl|cron", done.stdout + done.stderr)
    assert not (tmp_path / "config").exists()

    manager.start(notify=False, words=["bash", "-c", f"exec {advice}"])
    manager.wait_until(lambda: "Busan" in manager.bank() and manager.ask("ping").get("ok"))


def test_installing_writes_a_unit_that_systemd_accepts(
    manager: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    variables = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_RUNTIME_DIR": str(tmp_path)}
    kept = Path("/srv") / f"bankd-test-{os.getpid()}"
    if not os.access("/srv", os.W_OK):
        pytest.skip("needs a folder outside of /tmp")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # which a service has for itself
        manager.workspace = Path(shutil.move(manager.workspace, folder))
        refused = manager.bankctl("service", "install", "--no-start", **variables)
        shutil.move(manager.workspace, kept)
    try:
        manager.workspace = kept
        installed = manager.bankctl("service", "install", "--no-start", **variables)
        again = manager.bankctl("service", "install", "--no-start", **variables)
        status = manager.bankctl("service", "status", "--json", **variables)
        removed = manager.bankctl("service", "uninstall", **variables)
    finally:
        shutil.rmtree(kept)

    assert refused.returncode == 3
    assert "move the workspace" in refused.stderr
    assert (installed.returncode, again.returncode) == (0, 0), installed
    assert json.loads(status.stdout)["unit"] == "bankd.service"
    assert removed.returncode == 0
    assert not (tmp_path / "config/systemd/user/bankd.service").exists()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["se"], ["search", "service"]), (["service", "un"], ["uninstall"]), (["search", "--ex"], ["--explain"]),
        (["search", "--pl"], ["--plain"]), (["search", "--tag", ""], ["W", "B", "O", "S"]), (["fleet", "stat"], ["status"]), (["import", "/et"], []),
    ],
)  # fmt: skip
def test_each_shell_completes_commands_options_and_their_words(
    typed: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def completions(*asked: str) -> str:
        capsys.readouterr()
        main(["completions", *asked])
        return capsys.readouterr().out

    for shell in ("bash", "zsh", "fish"):
        said = completions(shell, *typed).splitlines()
        assert [line.partition("\t")[0].partition(":")[0] for line in said] == words

    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    script = f"PATH={programs}; {completions('bash')}"
    check = (
        f"{script}\nCOMP_WORDS=(bankctl {shlex.join(typed)}) COMP_CWORD={len(typed)}; _bankctl; echo ${{COMPREPLY[@]}}"
    )
    assert subprocess.run(["bash", "-c", check], capture_output=True, text=True, check=True).stdout.split() == words
