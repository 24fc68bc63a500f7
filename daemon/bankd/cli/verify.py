"""`bankctl verify`: check the promises of a bank from the outside."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Check; exit code 3 when a promise does not hold."""
    from dataclasses import asdict

    from bankd.app.verify import verify_workspace
    from bankd.wiring.workspace import open_workspace

    with open_workspace(find_workspace(arguments.workspace), write=False) as workspace:
        verdict = verify_workspace(workspace)
    if arguments.json:
        say_json({"ok": not verdict.findings, **asdict(verdict)})
        return 3 if verdict.findings else 0
    for finding in verdict.findings:
        say(f"{styled(finding.kind, 'red')}  {styled(finding.place, 'bold')}  {styled(finding.words)}")
    for page in verdict.emptied:
        say(f"{styled('waits', 'yellow')}  {styled(page.page, 'bold')}  {styled(page.words)}")
    waiting = f", {verdict.waiting} wait for the next run" if verdict.waiting else ""
    counted = f"{verdict.lines} Retain lines, {verdict.memories} memories{waiting}"
    broken = len(verdict.findings)
    say(f"{counted}: " + (f"{broken} finding{'s' if broken > 1 else ''}" if broken else "all promises hold"))
    return 3 if verdict.findings else 0
