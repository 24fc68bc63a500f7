"""Reads the computer's clocks; no other module does."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic  # noqa: TID251  # the one place that may
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bankd.health.health import ClockReading

_ZONES = "/usr/share/zoneinfo"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def read_clock(zone: str) -> datetime:
    """The present moment in a time zone, aware."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 -- see below

    return datetime.now(ZoneInfo(zone))  # noqa: TID251  # the one place that may


def read_clock_alone(zone: str) -> datetime:
    """Like `read_clock`, by the C library, for a process with one thread: importing `zoneinfo` takes 7 % of `bankctl search`."""
    if not os.path.isfile(f"{_ZONES}/{zone}"):  # noqa: PTH113 -- the C library would take it for UTC
        return read_clock(zone)
    before = os.environ.get("TZ")
    try:
        _set_zone(f":{_ZONES}/{zone}")
        return utc_now().astimezone()
    finally:
        _set_zone(before)


def _set_zone(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    time.tzset()


def utc_now() -> datetime:
    """The wall clock, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251  # the one place that may


def read_monotonic() -> float:
    """Seconds that only increase, and not while the computer sleeps: to measure how long something takes."""
    return monotonic()  # the one place that may


def read_clocks() -> ClockReading:
    """The wall clock, the seconds since boot, sleep included, and the id of that boot."""
    from bankd.health.health import ClockReading  # noqa: PLC0415 -- `bankctl search` reads the clock and has no time for it

    boot = ""
    with suppress(OSError):
        boot = _BOOT_ID.read_text().strip()
    return ClockReading(utc_now(), time.clock_gettime(time.CLOCK_BOOTTIME), boot)
