"""`bankctl status`: how bankd is doing; exit code 3 while something needs a person.

`bankctl doctor`: looks for trouble and says how to mend each; exit code 3 while something needs a person.

`bankctl clock`: whether the clock is believed; while it is not, nothing is archived for its age.

`bankctl verify`: check the promises of a bank from the outside.

`bankctl config check`: every problem of the settings and rules, each with file and line.

`bankctl route test`: where a text would go, and every rule that claims it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bankd.cli.base import add_json
from bankd.cli.location import find_workspace, open_named
from bankd.cli.printing import plain, say, say_answer, say_json, styled


def status_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)
    parser.add_argument("--missed", action="store_true", help="list the planned runs that were missed")
    parser.add_argument("--metrics", action="store_true", help="print Prometheus metrics")


def status_command(arguments: Namespace) -> int:
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
    from bankd.memory.report import tell_prose

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


def doctor_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)


def doctor_command(arguments: Namespace) -> int:
    """Examine and print; nothing is changed."""
    from dataclasses import asdict

    from bankd.app.doctor import examine_workspace
    from bankd.wiring.probing import find_installation, open_probe

    root = find_workspace(arguments.workspace)
    with open_probe(root) as probe:
        areas = examine_workspace(probe, find_installation(root))
    if arguments.json:
        say_json({area: [asdict(finding) for finding in findings] for area, findings in areas.items()})
    else:
        for area, findings in areas.items():
            say(f"{styled('ok', 'green')}  {area}" if not findings else f"    {styled(area, 'bold')}")
            for finding in findings:
                sign = styled("!!", "red") if finding.needs_person else styled("--", "yellow")
                say(f"{sign}  {styled(finding.text)}")
                if finding.fix:
                    say(f"      {styled(finding.fix, 'cyan')}")
    return 3 if any(finding.needs_person for findings in areas.values() for finding in findings) else 0


def clock_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "show (default): whether the clock is believed; accept: say that it is right"
    parser.add_argument("action", nargs="?", choices=["show", "accept"], default="show", help=help_)
    add_json(parser)


def clock_command(arguments: Namespace) -> int:
    """Show, or accept; exit code 3 while a person should look at the clock."""
    accepts = arguments.action == "accept"
    with open_named(arguments, write=accepts) as workspace:
        clock = workspace.outside.clock_trust
        trust = clock.accept() if accepts else clock.judge()
        now = workspace.now
    off = None if trust.off is None else round(trust.off.total_seconds())
    if arguments.json:
        say_json({"now": now.isoformat(timespec="seconds"), "believed": not trust.is_frozen, "off_seconds": off})
    elif trust.off is None:
        say(f"it is {now:%Y-%m-%d %H:%M}, and that is believed")
    else:
        direction = "forward" if trust.off.total_seconds() > 0 else "back"
        say(f"it is {now:%Y-%m-%d %H:%M}; the clock went {direction} by {abs(trust.off)} that did not pass")
        say("nothing is archived for its age; set the clock right, or say that it is: bankctl clock accept")
    return 3 if trust.is_frozen else 0


def verify_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)


def verify_command(arguments: Namespace) -> int:
    """Check; exit code 3 when a promise does not hold."""
    from dataclasses import asdict

    from bankd.app.doctor import verify_workspace

    with open_named(arguments, write=False) as workspace:
        verdict = verify_workspace(workspace)
    broken, rows = len(verdict.findings), [(one.kind, "red", one.place, one.words) for one in verdict.findings]
    rows += [("waits", "yellow", one.page, one.words) for one in verdict.emptied]
    waiting = f", {verdict.waiting} wait for the next run" if verdict.waiting else ""
    found = f"{broken} finding{'s' if broken > 1 else ''}" if broken else "all promises hold"
    say_answer(
        {"ok": not verdict.findings, **asdict(verdict)},
        *(f"{styled(kind, colour)}  {styled(place, 'bold')}  {styled(words)}" for kind, colour, place, words in rows),
        f"{verdict.lines} Retain lines, {verdict.memories} memories{waiting}: {found}",
        as_json=arguments.json,
    )
    return 3 if verdict.findings else 0


def config_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "action", choices=["check"], help="check: read bankd.yaml and the routing file, and say what is wrong"
    )
    add_json(parser)


def config_command(arguments: Namespace) -> int:
    """Check the files."""
    from bankd.config.workspace import check_configuration

    checked = check_configuration(find_workspace(arguments.workspace))
    said = f"settings and {checked.rules} rules are fine"
    if not checked.rules:
        said = (
            "settings are fine; there are no rules, so every line goes to the default page of its tag or to the inbox"
        )
    whole = {"problems": list(checked.problems), "rules": checked.rules}
    say_answer(whole, plain("\n".join(checked.problems)) or said, as_json=arguments.json)
    return 3 if checked.problems else 0


def route_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("action", choices=["test"], help="test: show all rules that match, the winner first")
    parser.add_argument(
        "text", nargs="+", metavar="TEXT", help='a Retain line, such as "W @Peter: Currently in Marrakech"'
    )
    add_json(parser)


def route_command(arguments: Namespace) -> int:
    """Show the candidates."""
    from bankd.app.review import places_for
    from bankd.memory.retain import read_log, retain_line

    line = retain_line(" ".join(arguments.text), None)
    memory = read_log("", f"{line}\n", anywhere=True).lines[0].memory
    with open_named(arguments, write=False) as workspace:
        (found,) = places_for(workspace, [memory])
    rows = [{"page": item.page, "heading": item.heading, "reason": item.reason} for item in found]
    places = [item.page + (f"#{item.heading}" if item.heading else "") for item in found]
    signs = [("->", "bold"), *[("  ", "dim")] * len(found)]
    lines = [
        f"{sign} {styled(place, style)}  {styled(item.reason)}"
        for (sign, style), place, item in zip(signs, places, found, strict=False)
    ]
    return say_answer({"text": memory.text, "tag": memory.tag, "candidates": rows}, *lines, as_json=arguments.json)
