"""A command of the settings: its output is bounded, and it ends with all that it started, whatever that does."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from bankd.settings import DistilPolicy
from bankd.system.child import GRACE, ChildDiedError, CommandStoppedError, run_command
from bankd.system.clock import read_monotonic
from bankd.system.process import call_person
from bankd.workers.models import start_child

SLEEPER = (
    "import signal, sys, time; {ignore} open(sys.argv[1], 'w').write(str(__import__('os').getpid())); time.sleep(600)"
)
IGNORE = "signal.signal(signal.SIGTERM, signal.SIG_IGN);"


def python(*words: str) -> list[str]:
    return [sys.executable, "-c", *words]


def parent_of(sleeper: str, note: Path, then: str) -> list[str]:
    """A command that starts a process, waits until that has noted its number, and goes on."""
    starts = (
        f"import subprocess, sys, time, pathlib; subprocess.Popen([sys.executable, '-c', {sleeper!r}, {str(note)!r}])\n"
        f"while not (pathlib.Path({str(note)!r}).exists() and pathlib.Path({str(note)!r}).read_text()): time.sleep(0.01)\n"
        f"{then}"
    )
    return python(starts)


def is_gone(number: str) -> bool:
    """Whether a process has ended, waited for or not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_until(claim: Callable[[], bool], seconds: float = 20) -> bool:
    until = read_monotonic() + seconds
    while not claim() and read_monotonic() < until:
        Event().wait(0.02)
    return claim()


def test_what_a_command_is_given_and_prints_and_says_comes_back() -> None:
    large = b"x" * 300_000
    echo = "import sys; d = sys.stdin.buffer.read(); sys.stdout.buffer.write(d); sys.stderr.write('oh'); sys.exit(3)"

    assert run_command(python(echo), large, 60, 1 << 20) == (3, large, b"oh")


def test_a_command_that_prints_without_end_is_ended_and_takes_no_memory() -> None:
    endless = "import os\nwhile True: os.write(1, b'x' * 65536)"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(CommandStoppedError, match="printed more than 1,024 KB"):
        run_command(python(endless), b"", 8, 1 << 20)

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_of_what_it_says_of_errors_without_end_only_the_end_is_kept() -> None:
    noisy = "import os\nfor _ in range(100): os.write(2, b'x' * 65536)\nos.write(2, b'the reason')"

    said = run_command(python(noisy), b"", 60, 1 << 20).said

    assert said.endswith(b"the reason")
    assert len(said) < 10_000


def test_an_answer_is_taken_although_a_grandchild_holds_the_pipe_and_that_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "grandchild"

    ran = run_command(parent_of(SLEEPER.format(ignore=""), note, "print('done')"), b"", 30, 1 << 20)

    assert ran.output == b"done\n"
    assert wait_until(lambda: is_gone(note.read_text()), 5)


@pytest.mark.parametrize("ignore", ["", IGNORE], ids=["ends when asked", "ignores being asked"])
def test_what_it_started_does_not_outlive_the_timeout(tmp_path: Path, ignore: str) -> None:
    note, started = tmp_path / "grandchild", read_monotonic()
    command = parent_of(SLEEPER.format(ignore=ignore), note, f"import signal; {ignore} time.sleep(600)")

    with pytest.raises(CommandStoppedError, match="no answer in 3 seconds; it was ended"):
        run_command(command, b"", 3, 1 << 20)

    assert read_monotonic() - started < 3 + GRACE + 4
    assert wait_until(lambda: is_gone(note.read_text()), 5)


def test_a_command_is_asked_to_end_before_it_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "note"
    ends = f"import signal, sys, time; signal.signal(15, lambda *_: (open({str(note)!r}, 'w').write('x'), sys.exit()))\ntime.sleep(60)"

    with pytest.raises(CommandStoppedError):
        run_command(python(ends), b"", 2, 1 << 20)

    assert note.exists()


def settings_of(command: list[str], tmp_path: Path) -> DistilPolicy:
    program = tmp_path / "program.py"
    program.write_text(command[2])
    return DistilPolicy(provider="command", command=f"{sys.executable} {program}", seconds=60)


REQUEST = {"system": "", "text": "", "schema": {}, "most_tokens": 10}


def test_it_ends_when_the_run_that_asks_lets_go(tmp_path: Path) -> None:
    note = tmp_path / "grandchild"
    command = parent_of(SLEEPER.format(ignore=IGNORE), note, "time.sleep(600)")
    child = start_child(settings_of(command, tmp_path), read_monotonic)

    def ask() -> None:
        with pytest.raises(ChildDiedError):
            child.ask(REQUEST, seconds=60)

    asking = Thread(target=ask)
    asking.start()
    assert wait_until(lambda: note.exists() and bool(note.read_text()))

    child.close()
    asking.join()

    assert wait_until(lambda: is_gone(note.read_text()), 5)


def test_it_ends_when_the_process_that_asks_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "grandchild"
    settings = settings_of(parent_of(SLEEPER.format(ignore=""), note, "time.sleep(600)"), tmp_path)
    asks = (
        "from bankd.workers.models import start_child; from bankd.system.clock import read_monotonic\n"
        f"from bankd.settings import DistilPolicy\n"
        f"settings = DistilPolicy(provider='command', command={settings.command!r}, seconds=60)\n"
        f"start_child(settings, read_monotonic).ask({REQUEST!r}, seconds=60)"
    )
    with subprocess.Popen(python(asks)) as master:
        assert wait_until(lambda: note.exists() and bool(note.read_text()))
        os.kill(master.pid, signal.SIGKILL)

    assert wait_until(lambda: is_gone(note.read_text()), 5)


def test_the_reason_is_told_plainly(tmp_path: Path) -> None:
    endless = settings_of(python("import os\nwhile True: os.write(1, b'x' * 65536)"), tmp_path)
    child = start_child(endless, read_monotonic)

    said = child.ask(REQUEST, seconds=60)
    child.close()

    assert said["kind"] == "declined"
    assert "printed more than 1,024 KB and was ended" in said["problem"]


def test_an_alert_that_prints_without_end_is_ended_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    program = tmp_path / "alert.py"
    program.write_text("import os\nwhile True: os.write(1, b'x' * 65536)")

    assert not call_person(f"{sys.executable} {program}", "the disk is full")
    assert "printed more than" in caplog.text
