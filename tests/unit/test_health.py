"""What is worth a warning, what needs a person, and how other programs read it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bankd.health.health import (
    LENT,
    BankFacts,
    Copied,
    DaemonFacts,
    HealthFacts,
    IndexFacts,
    JobFacts,
    QueueFacts,
    facts_to_json,
    judge_health,
    render_metrics,
    tell_standstill,
)
from bankd.health.ledger import LedgerRow, RunOutcome
from bankd.health.schedule import Slot

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
    "the index: torn": (True, replace(WELL, bank=BankFacts(index=IndexFacts(problem="torn")))),
    "the clock jumped": (True, replace(WELL, bank=BankFacts(is_clock_frozen=True))),
    "large pages: a.md": (False, replace(WELL, bank=BankFacts(large=("a.md",)))),
    "m-1 stands 2 times: bank/a.md:3, bank/b.md:4": (
        True, replace(WELL, bank=BankFacts(copied=(Copied("m-1", ("bank/a.md:3", "bank/b.md:4")),))),
    ),
    "1 line is proposed, and waits": (False, replace(WELL, bank=BankFacts(offered=1))),
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


@pytest.mark.parametrize(
    "queue",
    [
        QueueFacts(),
        QueueFacts(LENT, 200, 3),
        QueueFacts("reflect runs", 3500, 1),
        QueueFacts("", 30, 2),
        QueueFacts("", 9e9),
    ],
)
def test_a_queue_that_goes_on_is_no_trouble(queue: QueueFacts) -> None:
    assert tell_standstill(queue) == ""


def test_an_index_that_nobody_made_yet_is_no_trouble() -> None:
    new = BankFacts(pages=3, index=IndexFacts(pending=3))

    assert [found.text.split(":")[0] for found in judge_health(replace(WELL, bank=new, daemon=None))] == [
        "no daemon runs"
    ]


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
