"""One daemon for all banks on the list, as its service manager and its users see it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bankd.system.socket_client import NoDaemonError, send_request
from tests.service.conftest import BIN, LONG_ENOUGH, Manager


class Banks:
    """Banks on a list of their own, and a daemon that serves them all."""

    def __init__(self, made: Path, folder: Path, manager: Manager) -> None:
        self._made, self._folder, self._manager = made, folder, manager
        self.config = folder / "config"

    def add(self, name: str) -> Path:
        """Make a bank and put it on the list."""
        root = self._folder / name
        if not root.exists():
            shutil.copytree(self._made, root)
            (root / ".bankd").chmod(0o700)
            os.utime(root / "memory/2026-11-20.md", (1_700_000_000, 1_700_000_000))
        self.bankctl("banks", "add", str(root))
        return root

    def bankctl(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.config)}
        return subprocess.run(
            [BIN / "bankctl", *words], env=environment, capture_output=True, text=True, timeout=120, check=True
        )

    def start(self) -> None:
        self._manager.start(words=[str(BIN / "bankd"), "--all"], XDG_CONFIG_HOME=str(self.config))
        self._manager.wait_for("READY=1")

    def heard(self, text: str) -> str:
        """The first status with a text in it, waited for."""
        return self._manager.wait_for(text)

    def wait_until(self, claim: Callable[[], object]) -> object:
        return self._manager.wait_until(claim)

    def has_learned(self, root: Path, word: str) -> bool:
        return any(word in page.read_text() for page in (root / "bank").rglob("*.md"))


@pytest.fixture
def banks(made_workspace: Path, tmp_path: Path, manager: Manager) -> Banks:
    return Banks(made_workspace, tmp_path / "all", manager)


def is_served(root: Path) -> bool:
    try:
        return bool(send_request(str(root), {"op": "status"}, timeout=LONG_ENOUGH)["daemon"])
    except NoDaemonError:
        return False


def test_each_bank_has_what_a_daemon_of_its_own_would_give_it(banks: Banks, manager: Manager) -> None:
    ann, ben = banks.add("ann"), banks.add("ben")
    banks.start()
    banks.heard("2 of 2 banks served")
    banks.wait_until(lambda: banks.has_learned(ann, "Busan") and banks.has_learned(ben, "Busan"))
    with (ben / "memory/2026-11-20.md").open("a") as log:
        log.write("- W: The office moved to Mapo.\n")
    banks.wait_until(lambda: banks.has_learned(ben, "Mapo"))
    assert send_request(str(ben), {"op": "search", "query": "office Mapo"}, timeout=LONG_ENOUGH)["hits"]
    assert not banks.has_learned(ann, "Mapo")
    assert "bank=ben run ran job=micro" in manager.said()
    assert manager.stop() == 0
    assert not (ann / ".bankd/bankd.sock").exists()
    assert manager.said().count("stopped cleanly=True") == 3


def test_one_that_cannot_be_served_is_named_and_holds_none_back(banks: Banks, manager: Manager) -> None:
    ann, bad = banks.add("ann"), banks.add("bad")
    settings = (bad / "bankd.yaml").read_text()
    (bad / "bankd.yaml").write_text("timezone: [\n")
    banks.start()
    said = banks.heard("1 of 2 banks served")
    banks.wait_until(lambda: banks.has_learned(ann, "Busan"))
    (bad / "bankd.yaml").write_text(settings)

    assert f"bad: waiting: {bad}/bankd.yaml:" in said
    banks.heard("2 of 2 banks served")
    assert manager.said().count("bank=bad waiting") == 1


def test_the_list_is_waited_for_and_followed_and_one_that_cannot_be_read_changes_nothing(banks: Banks) -> None:
    banks.start()
    banks.heard("0 of 0 banks served; no bank is on the list; bankctl banks add DIR puts one there")
    ann, ben = banks.add("ann"), banks.add("ben")
    banks.wait_until(lambda: is_served(ann) and is_served(ben))
    banks.bankctl("banks", "remove", "ann")
    banks.wait_until(lambda: not is_served(ann))
    alone = banks.bankctl("--workspace", str(ann), "cycle", "micro")
    (banks.config / "bankd/banks.yaml").write_text("no line of a list\n")
    banks.heard("banks.yaml:1: must be `name: /folder`")

    assert "learned" in alone.stdout or "nothing new" in alone.stdout
    assert is_served(ben)


def test_a_bank_that_another_daemon_serves_is_taken_over_when_it_ends(
    banks: Banks, manager: Manager, tmp_path: Path
) -> None:
    ann = banks.add("ann")
    other = subprocess.Popen([BIN / "bankd", "--workspace", ann], stderr=subprocess.DEVNULL)
    try:
        banks.wait_until(lambda: is_served(ann))
        banks.start()
        said = banks.heard("ann: waiting:")
    finally:
        other.terminate()
        other.wait(LONG_ENOUGH)

    assert "0 of 1 banks served" in said
    banks.heard("1 of 1 banks served")


def test_a_workspace_that_is_moved_is_looked_for_again(banks: Banks, manager: Manager) -> None:
    ann, ben = banks.add("ann"), banks.add("ben")
    banks.start()
    banks.heard("2 of 2 banks served")
    manager.heard.clear()
    ann.rename(ann.with_name("away"))
    banks.heard("1 of 2 banks served")
    ann.with_name("away").rename(ann)
    manager.heard.clear()

    banks.heard("2 of 2 banks served")
    assert is_served(ben)


def test_all_read_their_settings_again(banks: Banks, manager: Manager) -> None:
    ann, ben = banks.add("ann"), banks.add("ben")
    banks.start()
    banks.heard("2 of 2 banks served")
    (ben / "bankd.yaml").write_text("timezone: Mars/Olympus\n")
    assert manager.process is not None
    manager.process.send_signal(signal.SIGHUP)
    banks.wait_until(lambda: "bank=ben settings not reloaded" in manager.said())
    banks.wait_until(lambda: "bank=ann settings reloaded" in manager.said())
    assert is_served(ann)
    assert is_served(ben)
