"""The service manager, by `systemctl` and its files; every call is bounded in time and gives words instead of raising."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bankd.core.daemon.units import UnitState
from bankd.errors import UserError

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
        """Whether such a manager can be talked to from here."""
        if shutil.which("systemctl") is None:
            return False
        return self._call("show", "--property=Version").returncode == 0

    def state(self, unit: str) -> UnitState:
        """The state of a unit; `load` is `not-found` where it is not installed."""
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
        command = ["systemctl", *(["--user"] if self.is_user else []), "--no-pager", *words]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            return subprocess.CompletedProcess(command, 1, "", str(error))

    def verify(self, path: Path) -> str:
        """What `systemd-analyze verify` complains of; a misspelt setting is only a line there, so any line counts."""
        program = shutil.which("systemd-analyze")
        if program is None:
            return ""
        words = [program, "verify", "--man=no", *(["--user"] if self.is_user else []), str(path)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False)  # noqa: S603
        except subprocess.TimeoutExpired as error:
            return str(error)
        return done.stderr.strip() or (f"exit code {done.returncode}" if done.returncode else "")

    @staticmethod
    def has_linger(user: str) -> bool:
        """Whether the user's manager runs without a login."""
        return Path("/var/lib/systemd/linger", user).exists()
