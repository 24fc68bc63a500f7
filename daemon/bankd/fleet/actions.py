"""`bankctl fleet status`: how it stands with all banks, for people, programs and Prometheus.

What `bankctl fleet` does, an action each.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bankd.cli.location import locate_workspace
from bankd.cli.printing import print_answer, say, say_answer, say_json, styled
from bankd.errors import UsageError, UserError
from bankd.fleet.queue import WorkerPlan
from bankd.fleet.registry import STATES, FleetBank, FleetFacts, UnfinishedNight, render_fleet_metrics
from bankd.fleet.together import (
    Fleet,
    answer_from_fleet,
    make_fleet,
    open_fleet,
    prepare_worker,
    serving_search,
    share_bank,
    use_opensearch,
)
from bankd.fleet.worker import (
    add_bank,
    fleet_dsn,
    keep_dsn,
    remove_banks,
    schedule_banks,
    work_alone,
    work_together,
    worker_name,
)
from bankd.fleet.writer import WrittenShare
from bankd.system.clock import utc_now

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


def run_action(arguments: Namespace) -> int:
    """Do what was asked for."""
    if arguments.action == "init":
        return _init(arguments)
    dsn = fleet_dsn(arguments.dsn)
    if arguments.action == "worker":
        return _work(dsn, arguments)
    acts: Mapping[str, Callable[[Fleet, Namespace], int]] = {
        "add": _add, "remove": _remove, "list": _list, "schedule": _schedule, "status": show_status, "retry": _retry,
        "index": _index, "search": _search, "allow": _allow, "deny": _deny,
    }  # fmt: skip
    with open_fleet(dsn) as fleet:
        return acts[arguments.action](fleet, arguments)


def _init(arguments: Namespace) -> int:
    is_new = make_fleet(arguments.dsn)
    if arguments.opensearch:
        with open_fleet(arguments.dsn) as fleet:
            use_opensearch(fleet, arguments.opensearch)
    path = keep_dsn(arguments.dsn)
    said = (
        f"the tables {'are made' if is_new else 'were there'}; {path} remembers where. Next: bankctl fleet add DIR..."
    )
    return _tell(said, {"made": is_new, "file": str(path)}, arguments)


def _add(fleet: Fleet, arguments: Namespace) -> int:
    if arguments.name and len(arguments.folders) > 1:
        raise UsageError("--name is for one workspace")
    roots = [Path(locate_workspace(folder)).resolve() for folder in arguments.folders]
    joined = (add_bank(fleet, root, arguments.name or root.name, arguments.storage, utc_now()) for root in roots)
    added = [bank for bank in joined if bank]
    return _tell_banks(added, f"{len(added)} banks are new, {len(roots) - len(added)} were there", arguments)


def _remove(fleet: Fleet, arguments: Namespace) -> int:
    remove_banks(fleet, arguments.banks)
    return _tell("out of the fleet; the files are as they were", {"removed": arguments.banks}, arguments)


def _list(fleet: Fleet, arguments: Namespace) -> int:
    banks = fleet.banks.list_banks()
    return _tell_banks(banks, f"{len(banks)} banks", arguments)


def _schedule(fleet: Fleet, arguments: Namespace) -> int:
    if not (arguments.at or arguments.timezone):
        raise UsageError("usage: bankctl fleet schedule NAME... [--at TIME] [--timezone NAME]")
    changed = schedule_banks(fleet, arguments.banks, arguments.at, arguments.timezone, utc_now())
    return _tell_banks(changed, f"{len(changed)} banks have their nights then", arguments)


def _retry(fleet: Fleet, arguments: Namespace) -> int:
    banks = fleet.banks.find(arguments.banks) if arguments.banks else fleet.banks.list_banks()
    count = fleet.queue.retry([bank.name for bank in banks])
    return _tell(f"{count} nights are tried again now", {"again": count}, arguments)


def _index(fleet: Fleet, arguments: Namespace) -> int:
    banks = fleet.banks.find(arguments.banks) if arguments.banks else fleet.banks.list_banks()
    fleet.banks.share([bank.name for bank in banks])
    written, problems = dict[str, WrittenShare](), dict[str, str]()
    for bank in banks:
        try:
            written[bank.name] = share_bank(fleet, bank)
        except (UserError, OSError) as error:
            problems[bank.name] = str(error)
    said = f"{len(written)} banks, {sum(one.memories for one in written.values())} memories changed"
    for name, problem in problems.items():
        sys.stderr.write(f"bankctl: {name}: {problem}\n")
    _tell(said, {"banks": {name: one._asdict() for name, one in written.items()}, "problems": problems}, arguments)
    return 3 if problems else 0


def _search(fleet: Fleet, arguments: Namespace) -> int:
    request = {"query": " ".join(arguments.query), "limit": arguments.limit, "banks": arguments.bank}
    answer = answer_from_fleet(fleet, request, utc_now())
    if arguments.json:
        say_json(answer)
    else:
        shown = [*answer["hits"], *answer["nearest"]]
        print_answer(answer, {hit["bank"]: "" for hit in shown}, by_page=False, explain=False)
    return 0 if answer["hits"] else 1


def _allow(fleet: Fleet, arguments: Namespace) -> int:
    fleet.banks.allow(arguments.role, fleet.banks.find(arguments.banks))
    return _tell(f"{arguments.role} may search them", {"role": arguments.role, "banks": arguments.banks}, arguments)


def _deny(fleet: Fleet, arguments: Namespace) -> int:
    fleet.banks.deny(arguments.role, fleet.banks.find(arguments.banks))
    return _tell(f"{arguments.role} may not search them", {"role": arguments.role, "banks": arguments.banks}, arguments)


def _work(dsn: str, arguments: Namespace) -> int:
    if arguments.concurrency > 1:
        words = ["--first-wait", str(arguments.first_wait), *(["--until-idle"] if arguments.until_idle else [])]
        words += [word for storage in arguments.storage for word in ("--storage", storage)]
        return work_together(dsn, words, arguments.concurrency, arguments.socket)
    prepare_worker()
    with open_fleet(dsn):
        pass  # what is wrong with it is said at once, and not waited for
    plan = WorkerPlan(arguments.storage, arguments.first_wait, not arguments.until_idle, worker_name())
    with serving_search(dsn, arguments.socket):
        work_alone(dsn, plan)
    return 0


def _tell(said: str, row: Mapping[str, object], arguments: Namespace) -> int:
    return say_answer(row, styled(said), as_json=arguments.json)


def _tell_banks(banks: Sequence[FleetBank], said: str, arguments: Namespace) -> int:
    if arguments.json:
        say_json({"banks": [{**asdict(bank), "at": f"{bank.at:%H:%M}", "due": bank.due.isoformat()} for bank in banks]})
        return 0
    for bank in banks:
        when = f"{bank.at:%H:%M} {bank.zone}, next {bank.due:%Y-%m-%d %H:%M %Z}"
        say("  ".join([styled(bank.name, "bold"), styled(bank.root), styled(bank.storage, "dim"), when]))
    sys.stdout.flush()
    say(said)
    return 0
