"""What happened to the clock between two looks: a daemon looks every half minute; the computer slept, or somebody set it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

# Shorter sleeps change nothing that a check every 30 s would notice; smaller steps are a network clock at work.
LEAST_SLEEP = timedelta(seconds=30)
LEAST_STEP = timedelta(seconds=30)


class JumpKind(StrEnum):
    """What a jump was."""

    SUSPEND = "suspend"
    FORWARD = "forward"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class ClockReading:
    """One reading of three clocks, the last two in seconds since boot: with sleep (CLOCK_BOOTTIME) and without."""

    wall: datetime
    since_boot: float
    awake: float


@dataclass(frozen=True, slots=True)
class Jump:
    """What happened and by how much."""

    kind: JumpKind
    by: timedelta

    def __str__(self) -> str:
        """Words for the journal and the status."""
        words = {
            JumpKind.SUSPEND: "slept for",
            JumpKind.FORWARD: "was set forward by",
            JumpKind.BACK: "was set back by",
        }
        subject = "the computer" if self.kind is JumpKind.SUSPEND else "the clock"
        return f"{subject} {words[self.kind]} {timedelta(seconds=round(self.by.total_seconds()))}"


def find_jumps(before: ClockReading, after: ClockReading) -> tuple[Jump, ...]:
    """The jumps between two readings; waking from sleep to a clock that was set gives both."""
    passed = timedelta(seconds=after.since_boot - before.since_boot)
    slept = passed - timedelta(seconds=after.awake - before.awake)
    step = after.wall - before.wall - passed
    jumps = [Jump(JumpKind.SUSPEND, slept)] if slept >= LEAST_SLEEP else []
    if abs(step) >= LEAST_STEP:
        jumps.append(Jump(JumpKind.FORWARD if step > timedelta(0) else JumpKind.BACK, abs(step)))
    return tuple(jumps)
