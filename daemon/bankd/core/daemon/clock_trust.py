"""What happened to the clock between two looks, and whether it may be believed.

A daemon looks every half minute: the computer slept, or somebody set the clock. Between two runs a step of days, which no
passing of time explains, freezes archiving.
`steady` is a clock that nobody can set and that counts on while the machine sleeps, in seconds since `boot` began.
"""

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


LARGEST_STEP = timedelta(days=3)
"""More than a wrong zone or a weekend of drift explains; less than the opinions of a bank can fade in unseen."""


FROZEN = (
    "the clock moved by more than three days that did not pass; nothing is archived for its age until it is right again, "
    "or a person says so: bankctl clock accept"
)


@dataclass(frozen=True, slots=True)
class ClockLook:
    """What the clocks said at one moment; `wall` is aware."""

    wall: datetime
    steady: float
    boot: str


@dataclass(frozen=True, slots=True)
class ClockTrust:
    """The last reading that was believed, and by how much the clock is off since; `off` of None means believed."""

    anchor: ClockLook
    off: timedelta | None = None

    @property
    def is_frozen(self) -> bool:
        """While frozen nothing is archived for its age."""
        return self.off is not None


def step_between(earlier: ClockLook, later: ClockLook) -> timedelta | None:
    """By how much the wall clock moved beyond the time that passed; None across a restart of the machine."""
    if earlier.boot != later.boot:
        return None
    return (later.wall - earlier.wall) - timedelta(seconds=later.steady - earlier.steady)


def judge_reading(trust: ClockTrust | None, look: ClockLook) -> ClockTrust:
    """Take a reading into account: believe it, or freeze; a clock that is set back to where it belongs thaws by itself.

    Across a restart nothing tells how long the machine was off: what was believed stays believed, what was frozen
    stays frozen, and the budget of a run bounds what a wrong date can archive.
    """
    if trust is None:
        return ClockTrust(look)
    step = step_between(trust.anchor, look)
    if step is None:
        return trust if trust.is_frozen else ClockTrust(look)
    return ClockTrust(trust.anchor, step) if abs(step) > LARGEST_STEP else ClockTrust(look)


def accept_reading(look: ClockLook) -> ClockTrust:
    """A person says that the clock is right."""
    return ClockTrust(look)
