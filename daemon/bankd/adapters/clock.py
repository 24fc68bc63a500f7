"""The computer's clocks; no other module reads them."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from time import monotonic  # noqa: TID251  # the one place that may
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from bankd.core.jumps import Reading


def read_clock(zone: str) -> datetime:
    """The present moment in a time zone, aware."""
    return datetime.now(ZoneInfo(zone))  # noqa: TID251  # the one place that may


def utc_now() -> datetime:
    """The wall clock, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251  # the one place that may


def read_monotonic() -> float:
    """Seconds that only go forward, and not while the computer sleeps: for how long something took or waited."""
    return monotonic()  # the one place that may


def read_clocks() -> Reading:
    """The wall clock beside the two clocks that count from boot, with and without sleep."""
    from bankd.core.jumps import Reading  # noqa: PLC0415 -- `bankctl search` reads the clock and has no time for it

    return Reading(utc_now(), time.clock_gettime(time.CLOCK_BOOTTIME), monotonic())
