"""A person is called once for three failures in a row, and told when the job works again."""

from __future__ import annotations

from bankd.health.ledger import Alarm, PersonCall, after_run


def calls(outcomes: str) -> list[PersonCall | None]:
    """The call after each run of a row such as `xx.x`, x being a failure."""
    alarm, made = Alarm(), []
    for outcome in outcomes:
        alarm, call = after_run(alarm, worked=outcome == ".")
        made.append(call)
    return made


def test_the_third_failure_calls_once_until_it_worked() -> None:
    assert calls("xx.xxx") == [None] * 5 + [PersonCall.FAILING]
    assert calls("xxxxxx.xxx") == [
        None,
        None,
        PersonCall.FAILING,
        None,
        None,
        None,
        PersonCall.RECOVERED,
        None,
        None,
        PersonCall.FAILING,
    ]
    assert calls("xx.") == [None] * 3
