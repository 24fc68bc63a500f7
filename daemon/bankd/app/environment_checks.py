"""What `bankctl doctor` looks at around a workspace: disk, kernel limits, time zone, units."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Iterator
from pathlib import Path

from bankd.app.service_units import Installation
from bankd.app.status import Probe
from bankd.core.daemon.health import HealthFinding
from bankd.core.daemon.units import quote_path
from bankd.core.markdown.policy import Settings

LEAST_FREE = 64 << 20
LEAST_INODES = 1000


def examine_surroundings(
    probe: Probe, settings: Settings, installation: Installation
) -> dict[str, Iterable[HealthFinding]]:
    """Findings by area."""
    return {
        "disk": _check_disk(probe.root),
        "watching": _check_watching(probe),
        "time zone": _check_zone(settings),
        "unit": _check_unit(installation),
    }


def _check_disk(root: Path) -> Iterator[HealthFinding]:
    found = os.statvfs(root)
    free = found.f_bavail * found.f_frsize
    if free < LEAST_FREE:
        text = f"{free >> 20} MB are free; below {LEAST_FREE >> 20} MB runs may have to wait"
        yield HealthFinding(text, "make room on this disk", needs_person=True)
    if found.f_files and found.f_favail < LEAST_INODES:
        yield HealthFinding(
            f"only {found.f_favail} more files can be made on this disk", "delete some", needs_person=True
        )
    if found.f_flag & os.ST_RDONLY:
        yield HealthFinding("the disk is read-only", "mount it for writing", needs_person=True)


def _check_watching(probe: Probe) -> Iterator[HealthFinding]:
    if probe.polled:
        yield HealthFinding(
            f"{probe.polled} does not tell of changes made elsewhere; the daemon looks every few seconds"
        )
        return
    folders = sum(1 for folder in ("memory", "bank") for _ in os.walk(probe.root / folder))
    watches, instances = _limit("max_user_watches"), _limit("max_user_instances")
    if watches is not None and watches < 2 * folders + 100:
        fix = f"sysctl fs.inotify.max_user_watches={max(65536, 4 * folders)}"
        yield HealthFinding(
            f"{watches} inotify watches for {folders} folders and everything else", fix, needs_person=watches <= folders
        )
    if instances is not None and instances < 16:
        yield HealthFinding(f"only {instances} inotify instances a user", "sysctl fs.inotify.max_user_instances=128")


def _limit(name: str) -> int | None:
    try:
        return int(Path("/proc/sys/fs/inotify", name).read_text())
    except (OSError, ValueError):
        return None


def _check_zone(settings: Settings) -> Iterator[HealthFinding]:
    try:
        system = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    except OSError:
        return
    if system and system != settings.timezone and system not in {"UTC", "Etc/UTC"}:
        text = f"this computer is in {system}, the settings say {settings.timezone}"
        yield HealthFinding(text, f"timezone: {system} in bankd.yaml, if you live there")


def problem_of_unit(installation: Installation, text: str) -> str:
    """Why the text of an installed unit does not fit the workspace; empty when it does."""
    if str(installation.root) not in text:
        return "is for another workspace"
    if f"ReadWritePaths={quote_path(installation.written_folder())}\n" not in text:
        return "may not write where memory/ and bank/ are"
    is_shut = installation.is_online and "PrivateNetwork=yes\n" in text
    return "may not use the network, and bankd.yaml names a model elsewhere" if is_shut else ""


def _check_unit(installation: Installation) -> Iterator[HealthFinding]:
    manager, path = installation.manager, installation.path
    if not path.exists():
        return
    if not manager.is_running():
        text = f"a unit is installed ({path}), but {installation.no_manager()}"
        yield HealthFinding(text, installation.how_to_start())
        return
    if complaint := manager.verify(path):
        yield HealthFinding(f"{path}: {complaint}", "bankctl service install", needs_person=True)
    if problem := problem_of_unit(installation, path.read_text(encoding="utf-8")):
        yield HealthFinding(f"{path} {problem}", "bankctl service install")
    state = installation.state()
    if state.active != "active":
        yield HealthFinding(
            f"{installation.unit} is {state.active or 'unknown'} ({state.result})",
            f"systemctl --user restart {installation.unit}",
            needs_person=True,
        )
    user = pwd.getpwuid(os.getuid()).pw_name
    if not manager.has_linger(user):
        yield HealthFinding("the service stops when you log out", f"loginctl enable-linger {user}")
