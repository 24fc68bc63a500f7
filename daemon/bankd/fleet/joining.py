"""Banks come into a fleet, go, and get the hour of their nights."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bankd.config import load_usable_settings
from bankd.config.workspace_config import SETTINGS
from bankd.core.daemon.nights import FleetBank
from bankd.core.daemon.schedule import Daily
from bankd.errors import UsageError
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
