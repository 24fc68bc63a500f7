"""What is worth a warning, what needs a person, when the clock is believed, and when somebody is called."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bankd.health.health import (
    LENT,
    BankFacts,
    ClockReading,
    ClockTrust,
    Copied,
    DaemonFacts,
    HealthFacts,
    IndexFacts,
    JobFacts,
    QueueFacts,
    facts_to_json,
    judge_health,
    judge_reading,
    render_metrics,
    tell_standstill,
)
from bankd.health.schedule import History, JobState, LedgerRow, RunOutcome, Slot, add_row

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
WELL = HealthFacts(
    "/w",
    NOW,
    BankFacts(pages=3, index=IndexFacts("7", 40, updated="2026-11-22T11:00:00+00:00")),
    (
        JobFacts("micro", LedgerRow(NOW, "micro", RunOutcome.RAN, seconds=0.5), NOW + timedelta(minutes=30)),
        JobFacts("reflect"),
    ),
    (),
    DaemonFacts(7, "0.1.0", NOW, {"mode": "inotify", "losses": 0}),
)


def missed(days_ago: float, made_up: bool) -> LedgerRow:
    at = NOW - timedelta(days=days_ago)
    return LedgerRow(at, "reflect", RunOutcome.MISSED, Slot("x", at), made_up=made_up)


TROUBLES = {
    "failed 2 times in a row: disk full": (
        True,
        replace(WELL, jobs=(JobFacts("micro", LedgerRow(NOW, "micro", RunOutcome.FAILED, note="disk full"), failures=2),)),
    ),
    "the settings cannot be used": (True, replace(WELL, daemon=DaemonFacts(7, "0", NOW, settings_problem="bad"))),
    "bankd.yaml:3: no such setting": (True, replace(WELL, daemon=None, unusable=("bankd.yaml:3: no such setting",))),
    "stands still: the workspace is lent to another process, since 6 min; 2 jobs wait": (
        True, replace(WELL, daemon=DaemonFacts(7, "0", NOW, queue=QueueFacts(LENT, 360, 2))),
    ),
    "stands still: reflect runs, since 65 min; 0 jobs wait": (
        True, replace(WELL, daemon=DaemonFacts(7, "0", NOW, queue=QueueFacts("reflect runs", 3900))),
    ),
    "stands still: nothing is done, since 2 min; 1 job waits": (
        True, replace(WELL, daemon=DaemonFacts(7, "0", NOW, queue=QueueFacts("", 120, 1))),
    ),
    "by polling only": (False, replace(WELL, daemon=DaemonFacts(7, "0", NOW, {"mode": "polling", "reason": "nfs4"}))),
    "memory/ is missing": (True, replace(WELL, bank=BankFacts(missing=("memory",)))),
    "the index cannot be used: torn": (True, replace(WELL, bank=BankFacts(index=IndexFacts(problem="torn")))),
    "the clock jumped": (True, replace(WELL, bank=BankFacts(is_clock_frozen=True))),
    "large pages: a.md": (False, replace(WELL, bank=BankFacts(large=("a.md",)))),
    "m-1 stands 2 times: bank/a.md:3, bank/b.md:4": (
        True, replace(WELL, bank=BankFacts(copied=(Copied("m-1", ("bank/a.md:3", "bank/b.md:4")),))),
    ),
    "1 line is proposed, and waits": (False, replace(WELL, bank=BankFacts(offered=1))),
    "1 contradiction waits": (False, replace(WELL, bank=BankFacts(contradictions=1))),
    "1 line in the inbox fits": (False, replace(WELL, bank=BankFacts(inbox=1))),
    "no daemon runs": (False, replace(WELL, daemon=None)),
    "2 planned runs were missed in the last 7 days, 1 of them not": (
        False,
        replace(WELL, rows=(missed(1, made_up=True), missed(2, made_up=False), missed(8, made_up=False))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", TROUBLES)
def test_each_trouble_is_told(words: str) -> None:
    needs_person, facts = TROUBLES[words]
    found = [finding for finding in judge_health(facts) if words in finding.text]

    assert [finding.needs_person for finding in found] == [needs_person]
    assert not needs_person or found[0].fix


@pytest.mark.parametrize("queue", [("", 0, 0), (LENT, 200, 3), ("reflect runs", 3500, 1), ("", 30, 2), ("", 9e9, 0)])
def test_a_queue_that_goes_on_is_no_trouble(queue: tuple[str, float, int]) -> None:
    assert tell_standstill(QueueFacts(*queue)) == ""


def test_an_index_that_nobody_made_yet_is_no_trouble() -> None:
    new = BankFacts(pages=3, index=IndexFacts(pending=3))

    assert [found.text.split(":")[0] for found in judge_health(replace(WELL, bank=new, daemon=None))] == [
        "no daemon runs"
    ]


def test_of_many_files_the_status_names_three_and_counts_the_rest() -> None:
    bank = BankFacts(left_alone={f"bank/{n}.md": "has merge markers" for n in range(5)})
    found = facts_to_json(replace(WELL, bank=bank))["findings"]

    assert [one["text"].partition(":")[0] for one in found] == [
        *[f"bank/{n}.md is left alone" for n in range(3)], "2 more findings about files",
    ]  # fmt: skip
    assert all(one["needs_person"] for one in found)


def test_where_all_is_well_nothing_is_said() -> None:
    assert judge_health(WELL) == ()


def test_the_status_is_json_that_names_its_version() -> None:
    status = json.loads(json.dumps(facts_to_json(WELL)))

    assert status["version"] == 1
    assert status["bank"] == {"pages": 3, "memories": 40, "inbox": 0, "prose": 0}
    assert status["jobs"][0]["next"] == "2026-11-22T12:30:00+00:00"
    assert status["jobs"][1]["last"] is None


@pytest.mark.parametrize("facts", [WELL, *(facts for _, facts in TROUBLES.values())])
def test_metrics_are_what_prometheus_reads(facts: HealthFacts) -> None:
    lines = render_metrics(facts).splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    names = [re.split(r"[{ ]", line)[0] for line in samples]

    assert all(re.fullmatch(r'[a-z_]+(\{[a-z]+="[a-z]+"\})? \d+(\.\d+)?(e-\d+)?', line) for line in samples)
    assert len(samples) == len({line.rsplit(" ", 1)[0] for line in samples})
    assert {line.split()[2] for line in lines if line.startswith("# TYPE")} == set(names)
    assert names == sorted(names, key=names.index)


START = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


def look(wall: timedelta, steady: timedelta, boot: str = "a") -> ClockReading:
    return ClockReading(START + wall, steady.total_seconds(), boot)


@pytest.mark.parametrize(
    ("wall", "steady", "frozen"),
    [
        (timedelta(minutes=30), timedelta(minutes=30), False),
        (timedelta(days=30), timedelta(days=30), False),  # asleep for a month
        (timedelta(days=3), timedelta(0), False),
        (timedelta(days=3, seconds=1), timedelta(0), True),
        (timedelta(days=1500), timedelta(minutes=30), True),
        (timedelta(days=-4), timedelta(minutes=30), True),
        (timedelta(days=-1), timedelta(minutes=30), False),
    ],
)
def test_a_step_of_more_than_three_days_freezes(wall: timedelta, steady: timedelta, frozen: bool) -> None:
    trust = judge_reading(judge_reading(None, look(timedelta(0), timedelta(0))), look(wall, steady))

    assert trust.is_frozen is frozen


def test_it_stays_frozen_until_a_person_accepts_or_the_clock_is_set_right() -> None:
    first = judge_reading(None, look(timedelta(0), timedelta(0)))
    jumped = judge_reading(first, look(timedelta(days=1500), timedelta(hours=1)))
    later = judge_reading(jumped, look(timedelta(days=1500, hours=5), timedelta(hours=6)))
    set_right = judge_reading(later, look(timedelta(hours=7), timedelta(hours=7)))

    assert later.is_frozen
    assert not set_right.is_frozen
    assert not ClockTrust(look(timedelta(days=1500), timedelta(hours=8))).is_frozen


@pytest.mark.parametrize("was_frozen", [False, True])
def test_a_restart_neither_freezes_nor_thaws(was_frozen: bool) -> None:
    before = ClockTrust(look(timedelta(0), timedelta(0)), timedelta(days=1500) if was_frozen else None)
    after = judge_reading(before, look(timedelta(days=20), timedelta(0), boot="b"))
    once_more = judge_reading(after, look(timedelta(days=20, hours=1), timedelta(hours=1), boot="b"))

    assert (after.is_frozen, once_more.is_frozen) == (was_frozen, was_frozen)


AWAKE = datetime(2026, 11, 22, 3, tzinfo=UTC)


def calls(outcomes: str) -> str:
    """The call after each run of a row such as `xx.x`, x being a failure: `F` that it fails, `R` that it works again."""
    history, made = History(JobState(AWAKE)), ""
    for outcome in outcomes:
        before = history.rings
        history = add_row(history, LedgerRow(AWAKE, "reflect", RunOutcome.RAN if outcome == "." else RunOutcome.FAILED))
        made += "-" if history.rings == before else "F" if history.rings else "R"
    return made


def test_the_third_failure_calls_once_until_it_worked() -> None:
    assert calls("xx.xxx") == "-----F"
    assert calls("xxxxxx.xxx") == "--F---R--F"
    assert calls("xx.") == "---"
