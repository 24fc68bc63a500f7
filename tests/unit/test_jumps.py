"""Sleep and a clock that was set are told apart by three clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bankd.health.health import ClockReading, JumpKind, find_jumps

NOW = datetime(2026, 11, 22, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wall", "since_boot", "awake", "expected"),
    [
        (30, 30, 30, []),
        (31, 30, 30, []),
        (3 * 3600 + 30, 3 * 3600 + 30, 30, [(JumpKind.SUSPEND, 3 * 3600)]),
        (30 - 7200, 30, 30, [(JumpKind.BACK, 7200)]),
        (30 + 86400, 30, 30, [(JumpKind.FORWARD, 86400)]),
        (30 + 3600, 30 + 7200, 30, [(JumpKind.SUSPEND, 7200), (JumpKind.BACK, 3600)]),
    ],
)
def test_jumps_are_told_apart(
    wall: float, since_boot: float, awake: float, expected: list[tuple[JumpKind, int]]
) -> None:
    after = ClockReading(NOW + timedelta(seconds=wall), 1000 + since_boot, 500 + awake)
    jumps = find_jumps(ClockReading(NOW, 1000, 500), after)

    assert [(jump.kind, jump.by.total_seconds()) for jump in jumps] == expected


def test_a_jump_has_words() -> None:
    jump = find_jumps(ClockReading(NOW, 0, 0), ClockReading(NOW - timedelta(hours=2), 30, 30))[0]

    assert str(jump) == "the clock was set back by 2:00:30"
