"""A workspace, and a daemon run as a service manager would run it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bankd.system.clock import read_monotonic
from bankd.system.socket_client import NoDaemonError, send_request

BIN = Path(sys.executable).parent
LONG_ENOUGH = 120.0


class Manager:
    """A stand-in for systemd: hears what a daemon says of itself, by the protocol of sd_notify(3)."""

    def __init__(self, workspace: Path, folder: Path) -> None:
        self.workspace = workspace
        self._address = str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._socket.bind(self._address)
        self._socket.settimeout(0.2)
        self.heard: list[str] = []
        self.senders: set[int] = set()
        self.log = folder / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(
        self,
        *options: str,
        notify: bool = True,
        prefix: tuple[str, ...] = (),
        words: list[str] | None = None,
        **variables: str,
    ) -> None:
        """Start the daemon, in this workspace or by the words of a command."""
        environment = {**os.environ, "WATCHDOG_USEC": "900000", "PYTHONWARNINGS": "error", **variables}
        if notify:
            environment["NOTIFY_SOCKET"] = self._address
        command = words or [*prefix, str(BIN / "bankd"), "--workspace", str(self.workspace), *options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def serve(self, *options: str, **more: Any) -> None:
        """Start the daemon, and wait until it serves."""
        self.start(*options, **more)
        self.wait_for("READY=1")

    def learn(self, *options: str, **more: Any) -> None:
        """Start the daemon, and wait until it took in what was logged before."""
        self.start(*options, **more)
        self.wait_until(lambda: "Busan" in self.bank())

    def note(self, line: str) -> None:
        """Add a line to the log."""
        with (self.workspace / "memory/2026-11-20.md").open("a") as log:
            log.write(f"{line}\n")

    def wait_for(self, word: str) -> str:
        """The first message with a word in it, waited for."""
        until = read_monotonic() + LONG_ENOUGH
        while read_monotonic() < until:
            for text in self.heard:
                if word in text:
                    return text
            self._listen()
            assert self.process is not None
            if self.process.poll() is not None and not self._listen():
                break
        raise AssertionError(f"{word} was not said; heard {self.heard}; log: {self.said()}")

    def _listen(self) -> bool:
        try:
            data, extra, _, _ = self._socket.recvmsg(4096, 64)
        except TimeoutError:
            return False
        self.heard.append(data.decode())
        self.senders.add(int.from_bytes(extra[0][2][:4], sys.byteorder))
        return True

    def said(self) -> str:
        """The log of the daemon."""
        return self.log.read_text()

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """Ask the daemon something."""
        return send_request(str(self.workspace), {"op": op, **fields}, timeout=LONG_ENOUGH)

    def wait_until(self, claim: Callable[[], Any], within: float = LONG_ENOUGH) -> Any:
        """Wait until a claim is true; an answer that does not come is no answer yet."""
        until = read_monotonic() + within
        while read_monotonic() < until:
            try:
                if found := claim():
                    return found
            except NoDaemonError:
                pass
            threading.Event().wait(0.05)
        raise AssertionError(f"never true; log: {self.said()}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop the daemon; gives its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(LONG_ENOUGH)

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._socket.close()

    def bank(self) -> str:
        """All that the pages say."""
        return "".join(path.read_text() for path in sorted((self.workspace / "bank").rglob("*.md")))

    def age(self) -> None:
        """Make all files old enough to count as settled."""
        for path in self.workspace.rglob("*.md"):
            os.utime(path, (1_700_000_000, 1_700_000_000))

    def bankctl(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command on the workspace."""
        environment = {**os.environ, "BANKD_WORKSPACE": str(self.workspace), **variables}
        command = [BIN / "bankctl", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    def bankd(self) -> subprocess.CompletedProcess[str]:
        """Run a second daemon in the foreground."""
        command = [BIN / "bankd", "--workspace", self.workspace]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="session")
def made_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "w"
    subprocess.run([BIN / "bankctl", "init", folder], check=True, capture_output=True)
    (folder / "bankd.yaml").write_text("settle_seconds: 0.2\nsearch: {analyser: lexicon}\n")
    (folder / "memory/2026-11-20.md").write_text(
        "## Retain\n- W @Peter: Lives in Busan since May.\n- B: Reads the log first every morning.\n"
    )
    return folder


@pytest.fixture
def workspace(made_workspace: Path, tmp_path: Path) -> Path:
    target = tmp_path / "w"
    shutil.copytree(made_workspace, target)
    (target / ".bankd").chmod(0o700)
    return target


@pytest.fixture
def manager(workspace: Path, tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(workspace, tmp_path)
    manager.age()
    yield manager
    manager.close()
