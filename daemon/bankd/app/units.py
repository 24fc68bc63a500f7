"""The use cases of systemd: install bankd's units, look at them, and remove them."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.config import replace_file, shipped_folder
from bankd.errors import UserError
from bankd.health import units

if TYPE_CHECKING:
    from bankd.system.manager import Manager

TEMPLATE = "bankd@.service"
ONE, ALL = "bankd.service", "bankd-all.service"
LEAST_DEPTH = 2
"""Folders that a service may not have write access to as a whole."""
SYSTEMD = Path("/run/systemd/system")
"""This folder exists where systemd runs the computer (sd_booted(3))."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The unit of one workspace: `bankd.service` of the user, or `bankd@NAME.service` of the system."""

    root: Path
    manager: Manager
    name: str | None = None
    is_all: bool = False
    """Whether it serves all banks on the user's list: `bankd-all.service`."""
    is_online: bool = False
    """Whether it needs the network to ask a model."""

    @property
    def unit(self) -> str:
        """The name by which systemd starts and stops it."""
        return self.path.name if self.manager.is_user else f"bankd@{self._instance()}.service"

    @property
    def path(self) -> Path:
        """The unit's file."""
        return self.manager.unit_folder / (TEMPLATE if not self.manager.is_user else ALL if self.is_all else ONE)

    def state(self) -> units.UnitState:
        """Its state by systemd."""
        return self.manager.state(self.unit)

    def how_to_start(self) -> str:
        """The command that starts a service, of those that work here."""
        if self.manager.is_running() and not self._is_temporary():
            return f"bankctl service install{' --all' if self.is_all else ''}"
        programs, has_cron = str(Path(sys.executable).parent), shutil.which("crontab") is not None
        if self.is_all:
            return f"{shlex.quote(f'{programs}/bankd')} --all   # and leave it running"
        return units.start_by_hand(programs=programs, workspace=str(self.root), has_cron=has_cron)

    def no_manager(self) -> str:
        """Why no service manager can be used: there is none, or none for this user."""
        if not SYSTEMD.is_dir():
            return "there is no systemd here"
        return f"no systemd of {'yours' if self.manager.is_user else 'the system'} can be reached from here"

    def _is_temporary(self) -> bool:
        return not self.is_all and str(self.root).startswith(("/tmp/", "/var/tmp/"))  # noqa: S108  nothing is made there

    def install(self, *, start: bool) -> Iterator[str]:
        """Put the files in place, have systemd check them, and start it; gives a line for each thing done."""
        if start and not self.manager.is_running():
            raise UserError(f"{self.no_manager()}; nothing was installed; start bankd yourself:", self.how_to_start())
        if self._is_temporary():
            raise UserError(f"{self.root}: the service has a /tmp of its own; move the workspace out of it first")
        for path, text in self._files():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(path, text, 0o644)
            except OSError as error:
                raise UserError(f"{path}: {error.strerror}") from error
            yield f"written  {path}"
        if complaint := self.manager.verify(self.path):
            raise UserError(f"systemd does not accept {self.path}: {complaint}")
        if not start:
            return
        self.manager.run("daemon-reload")
        self.manager.run("enable", self.unit)
        self.manager.run("restart", self.unit)
        yield f"started  {self.unit}; see: bankctl status"
        user = pwd.getpwuid(os.getuid()).pw_name
        if self.manager.is_user and not self.manager.has_linger(user):
            yield f"it runs while you are logged in; for always: loginctl enable-linger {user}"
        if self.is_all and self.path.with_name(ONE).exists():
            yield f"{ONE} is installed too, and serves only its own bank; to let this one serve it: bankctl service uninstall"

    def uninstall(self) -> Iterator[str]:
        """Stop it and remove its files; the workspace stays as it is."""
        if self.manager.is_running() and self.state().load not in {"", "not-found"}:
            self.manager.run("disable", "--now", self.unit)
            yield f"stopped  {self.unit}"
        for path, _ in self._files():
            # Other instances may use the template.
            if path.exists() and path.name != TEMPLATE:
                path.unlink()
                yield f"removed  {path}"
        if self.manager.is_running():
            self.manager.run("daemon-reload")

    def _files(self) -> list[tuple[Path, str]]:
        program = Path(sys.executable).parent / "bankd"
        if not program.exists():
            raise UserError(f"{program}: not there; install bankd with pip or pipx first")
        text = (shipped_folder("systemd") / self.path.name).read_text(encoding="utf-8")
        root, written = str(self.root), "" if self.is_all else self.written_folder()
        unit = units.fill_unit(text, bankd=str(program), workspace=root, written=written)
        if self.manager.is_user:
            return [(self.path, units.with_network(unit) if self.is_online else unit)]
        # The program may be in a home folder, which the unit does not see.
        folders = {sys.prefix, sys.base_prefix, str(program.parent)}
        binds = tuple(sorted(path for path in folders if units.is_below_homes(path)))
        drop_in = units.instance_drop_in(workspace=root, written=written, binds=binds, is_online=self.is_online)
        return [(self.path, unit), (self.path.parent / f"{self.unit}.d" / "workspace.conf", drop_in)]

    def written_folder(self) -> str:
        """The folder that the service may write; UserError if that would be too much."""
        linked = [str(path.resolve()) for name in ("memory", "bank") if (path := self.root / name).is_symlink()]
        written = units.written_folder(str(self.root), linked)
        if linked and written.count("/") < LEAST_DEPTH:
            all_linked = ", ".join(linked)
            raise UserError(
                f"only {written} holds both {self.root} and {all_linked}: too much for a service; move them closer"
            )
        return written

    def _instance(self) -> str:
        name = self.name or pwd.getpwuid(self.root.stat().st_uid).pw_name
        if not units.is_instance_name(name):
            raise UserError(f"{name!r} is no user name for an instance; give another with --name")
        try:
            pwd.getpwnam(name)
        except KeyError as error:
            raise UserError(f"there is no user {name}; make one with: useradd --system {name}") from error
        return name
