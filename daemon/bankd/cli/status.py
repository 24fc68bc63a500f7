"""`bankctl status`: how bankd is doing; exit code 3 while something needs a person."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bankd.cli.options import add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)
    parser.add_argument("--missed", action="store_true", help="list the planned runs that were missed")
    parser.add_argument("--metrics", action="store_true", help="print Prometheus metrics")


def run(arguments: Namespace) -> int:
    """Look and print; nothing is changed."""
    from bankd.app.doctor import metrics_of, read_status
    from bankd.wiring.probing import open_probe

    with open_probe(find_workspace(arguments.workspace)) as probe:
        if arguments.metrics:
            say(metrics_of(probe).rstrip("\n"))
            return 0
        status = read_status(probe)
    if arguments.json:
        say_json(status)
    else:
        for line in _missed(status) if arguments.missed else _lines(status):
            say(line)
    return 3 if any(finding["needs_person"] for finding in status["findings"]) else 0


def _lines(status: dict[str, Any]) -> Iterator[str]:
    from bankd.core.plan.report import tell_prose

    bank = status["bank"]
    yield f"{styled('workspace', 'dim')}  {styled(status['workspace'], 'bold')}"
    yield f"{styled('bank', 'dim')}       {bank['memories']} memories on {bank['pages']} pages, {bank['inbox']} in the inbox"
    if bank["prose"]:
        yield f"{styled('logs', 'dim')}       {tell_prose(bank['prose'])}"
    if fading := _fading(status):
        yield f"{styled('opinions', 'dim')}   {fading}"
    yield f"{styled('index', 'dim')}      {styled(_index_line(status))}"
    yield f"{styled('daemon', 'dim')}     {styled(_daemon_line(status))}"
    for job in status["jobs"]:
        yield f"{styled(job['job'].ljust(10), 'dim')} {styled(_job_line(job, status))}"
    for finding in status["findings"]:
        sign, colour = ("!", "red") if finding["needs_person"] else ("-", "yellow")
        fix = f"  → {finding['fix']}" if finding["fix"] else ""
        yield f"{styled(sign, colour)} {styled(finding['text'])}{styled(fix, 'dim')}"


def _fading(status: dict[str, Any]) -> str:
    """What the last reflect cycle announced as fading; empty when it announced nothing."""
    last = next((job["last"] for job in status["jobs"] if job["job"] == "reflect"), None) or {}
    count = last.get("counts", {}).get("fading", 0)
    told = "1 opinion fades" if count == 1 else f"{count} opinions fade"
    names = "it" if count == 1 else "them"
    return f"{told} within 7 days; bankctl decay forecast names {names}" if count else ""


def _index_line(status: dict[str, Any]) -> str:
    index = status["index"]
    if not index["updated"] and not index["problem"]:
        return "not made yet: the first search or run makes it"
    state = "up to date" if not index["pending"] else f"{index['pending']} changed files pending"
    when = f", last change taken in {_at(index['updated'], status)}" if index["updated"] else ""
    rough = f", {index['provisional']} pages wait for the analyser" if index["provisional"] else ""
    return f"{state}{when}{rough}; worker {index['worker']}"


def _daemon_line(status: dict[str, Any]) -> str:
    daemon = status["daemon"]
    if daemon is None:
        return "none"
    watcher = daemon["watcher"]
    lost = f", events lost {watcher['losses']} times and made good" if watcher["losses"] else ""
    watching = f"{watcher['files']} files by {watcher['mode']}{lost}"
    return f"process {daemon['pid']} since {_at(daemon['since'], status)}, watching {watching}"


def _job_line(job: dict[str, Any], status: dict[str, Any]) -> str:
    if job["running"]:
        return "running now"
    following = f"next {_at(job['next'], status)}" if job["next"] else "not planned while no daemon runs"
    last = job["last"]
    if last is None:
        return f"never ran; {following}"
    hand = " by hand" if last.get("by_hand") else ""
    note = f" ({last['note'].splitlines()[0]})" if last.get("note") else ""
    return f"{last['outcome']}{hand} {_at(last['at'], status)}{note}; {following}"


def _missed(status: dict[str, Any]) -> Iterator[str]:
    for row in status["missed"]:
        end = "made up for" if row["made_up"] else "not made up for"
        yield styled(f"{row['job']:8} was due {_at(row['due'], status)}, noticed {_at(row['at'], status)}, {end}")


def _at(moment: str, status: dict[str, Any]) -> str:
    """A moment as clocks show it where the workspace is, which is how the settings name their times."""
    from zoneinfo import ZoneInfo

    return f"{datetime.fromisoformat(moment).astimezone(ZoneInfo(status.get('timezone', 'UTC'))):%Y-%m-%d %H:%M}"
