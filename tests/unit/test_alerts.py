"""A person is called once for three failures in a row, and told when the job works again."""

from __future__ import annotations

from bankd.health.ledger import Alarm, PersonCall, after_run


def calls(outcomes: str) -> str:
    """The call after each run of a row such as `xx.x`, x being a failure: `F` that it fails, `R` that it works again."""
    alarm, made = Alarm(), ""
    for outcome in outcomes:
        alarm, call = after_run(alarm, worked=outcome == ".")
        made += {None: "-", PersonCall.FAILING: "F", PersonCall.RECOVERED: "R"}[call]
    return made


def test_the_third_failure_calls_once_until_it_worked() -> None:
    assert calls("xx.xxx") == "-----F"
    assert calls("xxxxxx.xxx") == "--F---R--F"
    assert calls("xx.") == "---"
