"""`bankctl verify`: check the promises of a bank from the outside."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)


def run(arguments: Namespace) -> int:
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
