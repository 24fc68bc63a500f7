"""When to call a person: after three failures of a job in a row, once, until the job has worked again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FAILURES_IN_A_ROW = 3


class PersonCall(StrEnum):
    """What to tell a person."""

    FAILING = "failing"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Alarm:
    """The failures of one job in a row, and whether somebody was called for them."""

    failures: int = 0
    rings: bool = False


def after_run(alarm: Alarm, *, worked: bool, after: int = FAILURES_IN_A_ROW) -> tuple[Alarm, PersonCall | None]:
    """The alarm after a run, and the call to make now if any."""
    if worked:
        return Alarm(), PersonCall.RECOVERED if alarm.rings else None
    failures = alarm.failures + 1
    if failures < after or alarm.rings:
        return Alarm(failures, alarm.rings), None
    return Alarm(failures, rings=True), PersonCall.FAILING
