"""What each action of `bankctl fleet` does and prints."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bankd.cli.answers import print_answer
from bankd.cli.location import locate_workspace
from bankd.cli.printing import say, say_answer, say_json, styled
from bankd.errors import UsageError, UserError
from bankd.fleet.queue import WorkerPlan
from bankd.fleet.registry import STATES, FleetBank, FleetFacts, render_fleet_metrics
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
from bankd.translate import counted
from bankd.translate import translate as _


def run_action(arguments: Namespace) -> int:
    """Do what was asked for."""
    if arguments.action == "init":
        return _init(arguments)
    dsn = fleet_dsn(arguments.dsn)
    if arguments.action == "worker":
        return _work(dsn, arguments)
    acts: Mapping[str, Callable[[Fleet, Namespace], int]] = {
        "add": _add, "schedule": _schedule, "status": _status, "index": _index, "search": _search,
    }  # fmt: skip
    with open_fleet(dsn) as fleet:
        return acts.get(arguments.action, _act_shortly)(fleet, arguments)


def _act_shortly(fleet: Fleet, arguments: Namespace) -> int:
    """The actions that are one call: list, remove, retry, allow, deny."""
    match arguments.action:
        case "list":
            banks = fleet.banks.list_banks()
            return _tell_banks(banks, counted(len(banks), "bank"), arguments)
        case "remove":
            remove_banks(fleet, arguments.banks)
            said, row = _("removed from the fleet; the files of the banks did not change"), {"removed": arguments.banks}
        case "retry":
            count = fleet.queue.retry([bank.name for bank in _chosen(fleet, arguments)])
            said, row = _(f"{count} nights are tried again now"), {"again": count}
        case action:
            change, may = (fleet.banks.allow, "may") if action == "allow" else (fleet.banks.deny, "may not")
            change(arguments.role, fleet.banks.find(arguments.banks))
            said = _(f"{arguments.role} {may} search these banks")
            row = {"role": arguments.role, "banks": arguments.banks}
    return _tell(said, row, arguments)


def _status(fleet: Fleet, arguments: Namespace) -> int:
    """Show the state of the fleet. Exit code 3 if a night failed for good: a person has to look."""
    banks, queue = fleet.banks, fleet.queue
    counts = banks.count(), banks.count_due(utc_now()), queue.count_workers(), banks.count_done()
    facts = FleetFacts(*counts, queue.unfinished(), banks.slowest(3))
    if arguments.metrics:
        sys.stdout.write(render_fleet_metrics(facts))
    elif arguments.json:
        unfinished = [
            {**asdict(one), "next_try": one.next_try and one.next_try.isoformat()} for one in facts.unfinished
        ]
        slowest = [{**asdict(one), "ended": one.ended.isoformat()} for one in facts.slowest]
        say_json({**asdict(facts), "unfinished": unfinished, "slowest": slowest})
    else:
        _show(facts, arguments.limit or len(facts.unfinished))
    return 3 if facts.count("failed") else 0


def _show(facts: FleetFacts, most: int) -> None:
    counts = [_(f"{facts.due} due"), *(f"{facts.count(state)} {_(state)}" for state in STATES)]
    say(_(f"{facts.banks} banks, {facts.workers} workers; {', '.join(counts)}; {facts.done} done in the last 24 hours"))
    order = sorted((one for one in facts.unfinished if one.state != "waiting"), key=lambda one: one.state != "failed")
    for one in order[:most]:
        again = one.state == "again" and one.next_try
        parts = (
            styled(_(one.state), {"failed": "red", "stalled": "red", "again": "yellow"}.get(one.state, "bold")),
            styled(one.bank), one.night, styled(_(one.said)),
            styled(_(f"tried {one.tries} times, again at {one.next_try:%H:%M:%S}") if again else "", "dim"),
        )  # fmt: skip
        say("  ".join(part for part in parts if part))
    if len(order) > most:
        say(_(f"and {len(order) - most} more; -n 0 shows all"))
    for outcome in facts.slowest:
        say(styled(_(f"slow: {outcome.bank}  {outcome.night}  {outcome.seconds:.1f} s"), "dim"))
    if facts.count("failed"):
        say(_("when the causes are fixed, type: bankctl fleet retry"))
    if not facts.workers and (facts.due or facts.unfinished):
        say(styled(_("no worker runs; start one with: bankctl fleet worker"), "red"))


def _init(arguments: Namespace) -> int:
    is_new = make_fleet(arguments.dsn)
    if arguments.opensearch:
        with open_fleet(arguments.dsn) as fleet:
            use_opensearch(fleet, arguments.opensearch)
    path = keep_dsn(arguments.dsn)
    made = _("made the tables") if is_new else _("the tables are there already")
    said = _(f"{made}; {path} has the address of the database. Next: bankctl fleet add DIR...")
    return _tell(said, {"made": is_new, "file": str(path)}, arguments)


def _add(fleet: Fleet, arguments: Namespace) -> int:
    if arguments.name and len(arguments.folders) > 1:
        raise UsageError("--name takes one workspace; add the others without it")
    roots = [Path(locate_workspace(folder)).resolve() for folder in arguments.folders]
    joined = (add_bank(fleet, root, arguments.name or root.name, arguments.storage, utc_now()) for root in roots)
    added = [bank for bank in joined if bank]
    return _tell_banks(added, _(f"{len(added)} banks are new, {len(roots) - len(added)} are there already"), arguments)


def _schedule(fleet: Fleet, arguments: Namespace) -> int:
    if not (arguments.at or arguments.timezone):
        raise UsageError("usage: bankctl fleet schedule NAME... [--at TIME] [--timezone NAME]")
    changed = schedule_banks(fleet, arguments.banks, arguments.at, arguments.timezone, utc_now())
    return _tell_banks(changed, _(f"{len(changed)} banks have a new time"), arguments)


def _chosen(fleet: Fleet, arguments: Namespace) -> Sequence[FleetBank]:
    """The banks that are named, or all."""
    return fleet.banks.find(arguments.banks) if arguments.banks else fleet.banks.list_banks()


def _index(fleet: Fleet, arguments: Namespace) -> int:
    banks = _chosen(fleet, arguments)
    fleet.banks.share([bank.name for bank in banks])
    written, problems = dict[str, WrittenShare](), dict[str, str]()
    for bank in banks:
        try:
            written[bank.name] = share_bank(fleet, bank)
        except (UserError, OSError) as error:
            problems[bank.name] = str(error)
    said = _(f"{len(written)} banks, {sum(one.memories for one in written.values())} memories changed")
    for name, problem in problems.items():
        sys.stderr.write(f"bankctl: {name}: {_(problem)}\n")
    _tell(said, {"banks": {name: one._asdict() for name, one in written.items()}, "problems": problems}, arguments)
    return 3 if problems else 0


def _search(fleet: Fleet, arguments: Namespace) -> int:
    request = {"query": " ".join(arguments.query), "limit": arguments.limit, "banks": arguments.bank}
    answer = answer_from_fleet(fleet, request, utc_now())
    if arguments.json:
        say_json(answer)
    else:
        shown = [*answer["hits"], *answer["nearest"]]
        roots = {hit["bank"]: "" for hit in shown}
        print_answer(answer, roots, is_plain=not sys.stdout.isatty(), by_page=False, ids=True, explain=False)
    return 0 if answer["hits"] else 1


def _work(dsn: str, arguments: Namespace) -> int:
    if arguments.concurrency > 1:
        words = ["--first-wait", str(arguments.first_wait), *(["--until-idle"] if arguments.until_idle else [])]
        words += [word for storage in arguments.storage for word in ("--storage", storage)]
        return work_together(dsn, words, arguments.concurrency, arguments.socket)
    prepare_worker()
    with open_fleet(dsn):
        pass  # a problem at the start is an error; only later the worker waits for the database
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
        when = f"{bank.at:%H:%M} {bank.zone}, " + _(f"next {bank.due:%Y-%m-%d %H:%M %Z}")
        say("  ".join([styled(bank.name, "bold"), styled(bank.root), styled(bank.storage, "dim"), when]))
    sys.stdout.flush()
    say(said)
    return 0
