"""`bankctl status`, `doctor`, `clock`, `verify`, `config` and `route`: how the workspace is, and what is wrong.

None of them changes the bank. Exit code 3 means that something needs a person.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bankd.cli.base import add_options
from bankd.cli.location import find_workspace, open_named
from bankd.cli.printing import counted, plain, say, say_answer, styled

if TYPE_CHECKING:
    from collections.abc import Iterator


def status_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_options(parser, "--json")
    parser.add_argument("--missed", action="store_true", help="list the planned runs that were missed")
    parser.add_argument("--metrics", action="store_true", help="print Prometheus metrics")


def status_command(arguments: Namespace) -> int:
    """Print the state of bank, logs, index, daemon and jobs, and the findings."""
    from bankd.app.doctor import metrics_of, read_status
    from bankd.wiring.probing import open_probe

    with open_probe(find_workspace(arguments.workspace)) as probe:
        if arguments.metrics:
            say(metrics_of(probe).rstrip("\n"))
            return 0
        status = read_status(probe)
    say_answer(status, *(_missed if arguments.missed else _lines)(status), as_json=arguments.json)
    return 3 if any(finding["needs_person"] for finding in status["findings"]) else 0


def _lines(status: dict[str, Any]) -> Iterator[str]:
    from bankd.memory.report import tell_prose

    bank, jobs = status["bank"], status["jobs"]
    held = f"{counted(bank['memories'], 'memory', 'memories')} on {counted(bank['pages'], 'page')}"
    yield f"{_label('workspace')} {styled(status['workspace'], 'bold')}"
    yield f"{_label('bank')} {held}, {bank['inbox']} in the inbox"
    if bank["prose"]:
        yield f"{_label('logs')} {tell_prose(bank['prose'])}"
    last = next((job["last"] for job in jobs if job["job"] == "reflect"), None) or {}
    if count := last.get("counts", {}).get("fading", 0):
        fading = counted(count, "opinion fades", "opinions fade")
        yield f"{_label('opinions')} {fading} within 7 days; to list {'it' if count == 1 else 'them'}: bankctl decay forecast"
    yield f"{_label('index')} {styled(_index_line(status))}"
    yield f"{_label('daemon')} {styled(_daemon_line(status))}"
    for job in jobs:
        yield f"{_label(job['job'])} {styled(_job_line(job, status))}"
    for finding in status["findings"]:
        sign, colour = ("!", "red") if finding["needs_person"] else ("-", "yellow")
        fix = f"  → {finding['fix']}" if finding["fix"] else ""
        yield f"{styled(sign, colour)} {styled(finding['text'])}{styled(fix, 'dim')}"


def _missed(status: dict[str, Any]) -> Iterator[str]:
    for row in status["missed"]:
        end = "made up for" if row["made_up"] else "not made up for"
        yield styled(f"{row['job']:8} was due {_at(row['due'], status)}, noticed {_at(row['at'], status)}, {end}")


def _label(name: str) -> str:
    return styled(name.ljust(10), "dim")


def _index_line(status: dict[str, Any]) -> str:
    index = status["index"]
    if not index["updated"] and not index["problem"]:
        return "not built yet: the first search or run builds it"
    state = f"{counted(index['pending'], 'changed file')} pending" if index["pending"] else "up to date"
    when = f", last updated {_at(index['updated'], status)}" if index["updated"] else ""
    rough = f", {index['provisional']} pages wait for the analyser" if index["provisional"] else ""
    return f"{state}{when}{rough}; worker {index['worker']}"


def _daemon_line(status: dict[str, Any]) -> str:
    daemon = status["daemon"]
    if daemon is None:
        return "none"
    watcher = daemon["watcher"]
    lost = f", missed events {watcher['losses']} times and recovered" if watcher["losses"] else ""
    watching = f"{counted(watcher['files'], 'file')} by {watcher['mode']}{lost}"
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


def _at(moment: str, status: dict[str, Any]) -> str:
    """A moment in the time zone of the workspace, which is the one that its settings use."""
    return f"{datetime.fromisoformat(moment).astimezone(ZoneInfo(status.get('timezone', 'UTC'))):%Y-%m-%d %H:%M}"


def doctor_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_options(parser, "--json")


def doctor_command(arguments: Namespace) -> int:
    """Examine the workspace and its surroundings; print each problem with its fix."""
    from bankd.app.doctor import examine_workspace
    from bankd.wiring.probing import find_installation, open_probe

    root = find_workspace(arguments.workspace)
    with open_probe(root) as probe:
        areas = examine_workspace(probe, find_installation(root))
    lines = []
    for area, findings in areas.items():
        lines.append(f"    {styled(area, 'bold')}" if findings else f"{styled('ok', 'green')}  {area}")
        for finding in findings:
            sign = styled("!!", "red") if finding.needs_person else styled("--", "yellow")
            lines += [f"{sign}  {styled(finding.text)}", f"      {styled(finding.fix, 'cyan')}" if finding.fix else ""]
    whole = {area: [asdict(finding) for finding in findings] for area, findings in areas.items()}
    say_answer(whole, *lines, as_json=arguments.json)
    return 3 if any(finding.needs_person for findings in areas.values() for finding in findings) else 0


def clock_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "show (default): whether the clock is believed; accept: confirm that it is right"
    parser.add_argument("action", nargs="?", choices=["show", "accept"], default="show", help=help_)
    add_options(parser, "--json")


def clock_command(arguments: Namespace) -> int:
    """Show whether the clock is believed, or confirm it; while it is not, nothing is archived for its age."""
    accepts = arguments.action == "accept"
    with open_named(arguments, write=accepts) as workspace:
        clock = workspace.outside.clock_trust
        trust, now = clock.accept() if accepts else clock.judge(), workspace.now
    off = None if trust.off is None else round(trust.off.total_seconds())
    whole = {"now": now.isoformat(timespec="seconds"), "believed": not trust.is_frozen, "off_seconds": off}
    said, fix = f"it is {now:%Y-%m-%d %H:%M}; the clock is believed", ""
    if trust.off is not None:
        jump = f"jumped {abs(trust.off)} {'ahead' if trust.off.total_seconds() > 0 else 'back'}"
        said = f"it is {now:%Y-%m-%d %H:%M}; the clock {jump}; archiving is paused"
        fix = "set the clock right, or confirm it: bankctl clock accept"
    say_answer(whole, said, fix, as_json=arguments.json)
    return 3 if trust.is_frozen else 0


def verify_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_options(parser, "--json")


def verify_command(arguments: Namespace) -> int:
    """Check the promises of the bank from the outside; exit code 3 when one does not hold."""
    from bankd.app.doctor import verify_workspace

    with open_named(arguments, write=False) as workspace:
        verdict = verify_workspace(workspace)
    rows = [(one.kind, "red", one.place, one.words) for one in verdict.findings]
    rows += [("waits", "yellow", one.page, one.words) for one in verdict.emptied]
    waiting = f", {verdict.waiting} waiting for the next run" if verdict.waiting else ""
    found = counted(len(rows) - len(verdict.emptied), "finding") if verdict.findings else "all promises hold"
    read = f"{counted(verdict.lines, 'Retain line')}, {counted(verdict.memories, 'memory', 'memories')}"
    say_answer(
        {"ok": not verdict.findings, **asdict(verdict)},
        *(f"{styled(kind, colour)}  {styled(place, 'bold')}  {styled(words)}" for kind, colour, place, words in rows),
        f"{read}{waiting}: {found}",
        as_json=arguments.json,
    )
    return 3 if verdict.findings else 0


def config_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "check: read bankd.yaml and the routing file, and print every problem with its file and line"
    parser.add_argument("action", choices=["check"], help=help_)
    add_options(parser, "--json")


def config_command(arguments: Namespace) -> int:
    """Check settings and rules."""
    from bankd.config.workspace import check_configuration

    problems, rules = check_configuration(find_workspace(arguments.workspace))
    said = f"settings and {counted(rules, 'rule')} are fine"
    if not rules:
        said = "settings are fine; there are no rules: every line goes to the default page of its tag or to the inbox"
    whole = {"problems": list(problems), "rules": rules}
    say_answer(whole, plain("\n".join(problems)) or said, as_json=arguments.json)
    return 3 if problems else 0


def route_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("action", choices=["test"], help="test: show all rules that match, the winner first")
    parser.add_argument("text", nargs="+", metavar="TEXT", help='a Retain line, such as "W @Peter: In Marrakech"')
    add_options(parser, "--json")


def route_command(arguments: Namespace) -> int:
    """Print the pages where a text would go, each with the rule that names it."""
    from bankd.app.review import places_for
    from bankd.memory.retain import read_log, retain_line

    line = retain_line(" ".join(arguments.text), None)
    memory = read_log("", f"{line}\n", anywhere=True).lines[0].memory
    with open_named(arguments, write=False) as workspace:
        (found,) = places_for(workspace, [memory])
    rows = [{"page": item.page, "heading": item.heading, "reason": item.reason} for item in found]
    lines: list[str] = []
    for item in found:
        place = item.page + (f"#{item.heading}" if item.heading else "")
        lines.append(f"{'  ' if lines else '->'} {styled(place, 'dim' if lines else 'bold')}  {styled(item.reason)}")
    return say_answer({"text": memory.text, "tag": memory.tag, "candidates": rows}, *lines, as_json=arguments.json)
