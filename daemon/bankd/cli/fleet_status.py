"""`bankctl fleet status`: how it stands with all banks, for people, programs and Prometheus."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import asdict

from bankd.cli.printing import say, say_json, styled
from bankd.core.daemon.nights import STATES, FleetFacts, UnfinishedNight, render_fleet_metrics
from bankd.wiring.fleet import Fleet, utc_now

_SLOWEST = 3
_COLOURS = {"failed": "red", "stalled": "red", "again": "yellow"}


def show_status(fleet: Fleet, arguments: Namespace) -> int:
    """Show it; exit code 3 where a night failed for good, so that a person has to look."""
    facts = look_at_fleet(fleet)
    if arguments.metrics:
        sys.stdout.write(render_fleet_metrics(facts))
    elif arguments.json:
        say_json(_as_json(facts))
    else:
        _show(facts, arguments.limit or len(facts.unfinished))
    return 3 if facts.count("failed") else 0


def look_at_fleet(fleet: Fleet) -> FleetFacts:
    """How it stands now."""
    banks, queue = fleet.banks, fleet.queue
    return FleetFacts(
        banks.count(),
        banks.count_due(utc_now()),
        queue.count_workers(),
        banks.count_done(),
        queue.unfinished(),
        banks.slowest(_SLOWEST),
    )


def _as_json(facts: FleetFacts) -> dict[str, object]:
    unfinished = [{**asdict(one), "next_try": one.next_try and one.next_try.isoformat()} for one in facts.unfinished]
    slowest = [{**asdict(one), "ended": one.ended.isoformat()} for one in facts.slowest]
    return {**asdict(facts), "unfinished": unfinished, "slowest": slowest}


def _show(facts: FleetFacts, most: int) -> None:
    counts = [f"{facts.due} due", *(f"{facts.count(state)} {state}" for state in STATES)]
    say(f"{facts.banks} banks, {facts.workers} workers; {', '.join(counts)}; {facts.done} done in the last 24 hours")
    order = sorted((one for one in facts.unfinished if one.state != "waiting"), key=lambda one: one.state != "failed")
    for one in order[:most]:
        say(_line_of(one))
    if len(order) > most:
        say(f"and {len(order) - most} more; -n 0 shows all")
    for outcome in facts.slowest:
        say(styled(f"slow: {outcome.bank}  {outcome.night}  {outcome.seconds:.1f} s", "dim"))
    if facts.count("failed"):
        say("mend what is said there, then: bankctl fleet retry")
    if not facts.workers and (facts.due or facts.unfinished):
        say(styled("no worker runs: bankctl fleet worker", "red"))


def _line_of(one: UnfinishedNight) -> str:
    again = (
        f"tried {one.tries} times, again at {one.next_try:%H:%M:%S}" if one.state == "again" and one.next_try else ""
    )
    parts = [
        styled(one.state, _COLOURS.get(one.state, "bold")),
        styled(one.bank),
        one.night,
        styled(one.said),
        styled(again, "dim"),
    ]
    return "  ".join(part for part in parts if part)
