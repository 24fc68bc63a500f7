"""Sleep and a clock that was set are told apart by three clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bankd.health.health import ClockReading, find_jumps

NOW = datetime(2026, 11, 22, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wall", "since_boot", "awake", "expected"),
    [
        (30, 30, 30, []),
        (31, 30, 30, []),
        (3 * 3600 + 30, 3 * 3600 + 30, 30, ["the computer slept for 3:00:00"]),
        (30 - 7200, 30, 30, ["the clock was set back by 2:00:00"]),
        (30 + 86400, 30, 30, ["the clock was set forward by 1 day, 0:00:00"]),
        (30 + 3600, 30 + 7200, 30, ["the computer slept for 2:00:00", "the clock was set back by 1:00:00"]),
    ],
)
def test_jumps_are_told_apart(wall: float, since_boot: float, awake: float, expected: list[str]) -> None:
    after = ClockReading(NOW + timedelta(seconds=wall), 1000 + since_boot, 500 + awake)
    jumps = find_jumps(ClockReading(NOW, 1000, 500), after)

    assert list(jumps) == expected
