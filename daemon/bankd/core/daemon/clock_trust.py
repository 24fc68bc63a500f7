"""Whether the clock may be believed: between two runs a step of days, which no passing of time explains, freezes archiving.

`steady` is a clock that nobody can set and that counts on while the machine sleeps, in seconds since `boot` began.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

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
