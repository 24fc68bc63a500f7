"""The only reader of the clock."""

from __future__ import annotations

from datetime import datetime
from time import monotonic  # noqa: TID251  # the one place that may
from zoneinfo import ZoneInfo


def read_clock(zone: str) -> datetime:
    """The present moment in a time zone, aware."""
    return datetime.now(ZoneInfo(zone))  # noqa: TID251  # the one place that may


def read_monotonic() -> float:
    """Seconds that only go forward, for how long something took or waited."""
    return monotonic()  # the one place that may
