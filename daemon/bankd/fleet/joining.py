"""Joining a fleet: where its database is, which banks are in it, and at what hour they have their nights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bankd.config import load_usable_settings
from bankd.config.workspace_config import SETTINGS
from bankd.core.daemon.nights import FleetBank
from bankd.core.daemon.schedule import Daily
from bankd.errors import UsageError, UserError
from bankd.wiring.fleet import Fleet
from bankd.wiring.fleet_search import forget_shared


def add_bank(fleet: Fleet, root: Path, name: str, storage: str, now: datetime) -> FleetBank | None:
    """Put a workspace into the fleet, its nights at the hour and in the zone of its own settings; None: it was there."""
    settings, _ = load_usable_settings(root / SETTINGS)
    at, zone = read_hour(settings.schedule.reflect_at), settings.timezone
    bank = FleetBank(0, name, str(root), storage, zone, at, next_night(at, zone, now))
    return bank if fleet.banks.add(bank) else None


def schedule_banks(
    fleet: Fleet, names: Sequence[str], at: str | None, zone: str | None, now: datetime
) -> list[FleetBank]:
    """Have the nights of these banks at another hour, in another zone, or both; what is not said stays."""
    for bank in (banks := fleet.banks.find(names)):
        hour, where = read_hour(at) if at else bank.at, zone or bank.zone
        fleet.banks.reschedule(bank, hour, where, next_night(hour, where, now))
    return list(fleet.banks.find([bank.name for bank in banks]))


def remove_banks(fleet: Fleet, names: Sequence[str]) -> None:
    """Take banks out of the fleet; their files stay as they are."""
    forget_shared(fleet, fleet.banks.find(names))
    fleet.banks.remove(names)
    fleet.queue.drop(names)


def read_hour(text: str) -> time:
    """A time of day such as 03:00."""
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no time of day such as 03:00") from None


def next_night(at: time, zone: str, now: datetime) -> datetime:
    """When the next night of a bank is due; UsageError where nobody knows the zone."""
    try:
        return Daily(at, ZoneInfo(zone)).following(now).due
    except (ZoneInfoNotFoundError, ValueError):
        raise UsageError(f"{zone!r} is no time zone such as Asia/Seoul") from None


def fleet_file() -> Path:
    """Where the address of the database is written down, by the XDG base directory specification."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(home) if Path(home).is_absolute() else Path("~/.config").expanduser()
    return folder / "bankd" / "fleet"


def fleet_dsn(given: str | None) -> str:
    """The address, as libpq reads it; UserError where there is none."""
    if found := given or os.environ.get("BANKD_FLEET"):
        return found
    try:
        return fleet_file().read_text("utf-8").strip()
    except OSError:
        raise UserError("no fleet is known here: bankctl fleet init DSN, or set BANKD_FLEET") from None


def keep_dsn(dsn: str) -> Path:
    """Write the address down for this user alone: it may hold a password."""
    path = fleet_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    staged = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"{dsn}\n")
    staged.replace(path)
    return path
