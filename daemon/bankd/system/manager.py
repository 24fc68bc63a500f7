"""systemd: notifications of our state, the signals that it sends, and its units by `systemctl`.

Notifications go by the protocol of sd_notify(3): a datagram to the socket in `NOTIFY_SOCKET`, if there is one. Each call of
`systemctl` has a time limit, and gives an error in words instead of raising.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bankd.errors import UserError
from bankd.health.units import UnitState
from bankd.system.clock import read_monotonic


@dataclass(slots=True)
class Notifier:
    """Tells systemd the state of this process; does nothing if systemd did not start it."""

    address: str | None
    watchdog: timedelta | None = None

    def pause(self, usual: float) -> float:
        """Seconds between two signs of life: the usual ones, or fewer if systemd waits for less."""
        return min(usual, self.watchdog.total_seconds() / 3) if self.watchdog else usual

    def ready(self, status: str) -> None:
        self.send("READY=1", f"STATUS={status}")

    def status(self, status: str) -> None:
        self.send(f"STATUS={status}")

    def alive(self) -> None:
        """Feed the watchdog; call it only with proof of progress."""
        self.send("WATCHDOG=1")

    def reloading(self) -> None:
        """Announce a reload; `ready` ends it. The time stamp is what Type=notify-reload asks for."""
        self.send("RELOADING=1", f"MONOTONIC_USEC={int(read_monotonic() * 1_000_000)}")

    def stopping(self, status: str) -> None:
        self.send("STOPPING=1", f"STATUS={status}")

    def extend(self, by: timedelta) -> None:
        """Ask for more time to start or stop, counted from now."""
        self.send(f"EXTEND_TIMEOUT_USEC={by // timedelta(microseconds=1)}")

    def send(self, *fields: str) -> None:
        """Send assignments of the protocol, such as `READY=1`."""
        if self.address is None:
            return
        # An address that begins with @ is in the abstract namespace, which sockets spell with a NUL.
        address = "\0" + self.address[1:] if self.address.startswith("@") else self.address
        text = "\n".join(field.replace("\n", " ") for field in fields)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.setblocking(False)
            try:
                sender.sendto(text.encode(errors="replace"), address)
            except OSError:  # systemd may have gone, or not read: that must not stop the service
                return


def take_notifier(environment: MutableMapping[str, str]) -> Notifier:
    """Make the notifier, and remove its variables from the environment, so that children cannot notify in our name."""
    address = environment.pop("NOTIFY_SOCKET", "")
    watchdog = environment.pop("WATCHDOG_USEC", "")
    watched_pid = environment.pop("WATCHDOG_PID", "")
    if not address.startswith(("/", "@")):
        return Notifier(None)
    is_ours = not watched_pid or watched_pid == str(os.getpid())
    interval = timedelta(microseconds=int(watchdog)) if watchdog.isdigit() and int(watchdog) and is_ours else None
    return Notifier(address, interval)


HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Signals:
    """Collects signals from its construction on. Make it once, in the main thread.

    The handler does nothing: Python writes the number of the signal into a pipe. Setting a threading.Event in a handler
    could deadlock with a wait for it in the same thread.
    """

    def __init__(self) -> None:
        self._reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in HANDLED:
            signal.signal(number, lambda *_: None)

    def wait(self, seconds: float) -> set[signal.Signals]:
        """The signals that came, as soon as there is one; empty after this many seconds without."""
        ready, _, _ = select.select([self._reader], [], [], seconds)
        if not ready:
            return set()
        return {signal.Signals(number) for number in os.read(self._reader, 1024)} & set(HANDLED)


TIMEOUT = 30


@dataclass(frozen=True, slots=True)
class Manager:
    """The user's manager or the system's."""

    is_user: bool

    @property
    def unit_folder(self) -> Path:
        """Where units that an administrator or user adds belong."""
        if not self.is_user:
            return Path("/etc/systemd/system")
        config = os.environ.get("XDG_CONFIG_HOME", "")
        return (Path(config) if config.startswith("/") else Path.home() / ".config") / "systemd/user"

    def is_running(self) -> bool:
        """Whether such a manager can be reached from here."""
        if shutil.which("systemctl") is None:
            return False
        return self._call("show", "--property=Version").returncode == 0

    def state(self, unit: str) -> UnitState:
        """The state of a unit; `load` is `not-found` if it is not installed."""
        names = ("LoadState", "ActiveState", "SubState", "UnitFileState", "NRestarts", "Result", "StatusText")
        if shutil.which("systemctl") is None:
            return UnitState()
        done = self._call("show", unit, f"--property={','.join(names)}")
        fields = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
        return UnitState(*(fields.get(name, "") for name in names))

    def run(self, *words: str) -> None:
        """Call systemctl; raises UserError with what it said."""
        done = self._call(*words)
        if done.returncode:
            said = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
            raise UserError(f"systemctl {' '.join(words)}: {said}")

    def _call(self, *words: str) -> subprocess.CompletedProcess[str]:
        return _bounded(["systemctl", *(["--user"] if self.is_user else []), "--no-pager", *words])

    def verify(self, path: Path) -> str:
        """What `systemd-analyze verify` complains of. It only prints a line for a misspelt setting, so any line counts."""
        program = shutil.which("systemd-analyze")
        if program is None:
            return ""
        done = _bounded([program, "verify", "--man=no", *(["--user"] if self.is_user else []), str(path)])
        return done.stderr.strip() or (f"exit code {done.returncode}" if done.returncode else "")

    @staticmethod
    def has_linger(user: str) -> bool:
        """Whether the user's manager runs without a login."""
        return Path("/var/lib/systemd/linger", user).exists()


def _bounded(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command for at most TIMEOUT seconds; one that cannot be run gives exit code 1 and the reason."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))
