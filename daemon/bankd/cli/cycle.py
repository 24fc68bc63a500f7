"""`bankctl cycle`: one run in the foreground, or its plan."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import datetime


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("kind", choices=["micro", "reflect"], help="micro: take in new lines; reflect: all steps")
    parser.add_argument("--dry-run", action="store_true", help="print the plan and write nothing")
    parser.add_argument(
        "--now", type=_moment, metavar="ISO", help="run as if it were this moment, e.g. 2026-05-02T03:00"
    )
    parser.add_argument(
        "--force", action="store_true", help="go beyond the budget, and believe that what is gone was deleted"
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="leave files that are still being written for the next run"
    )
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a moment such as 2026-05-02T03:00") from error


def run(arguments: Namespace) -> int:
    """Run the cycle and print its report."""
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.reports import print_report
    from bankd.cli.workspace import find_workspace
    from bankd.core.report import plan_json
    from bankd.wiring.workspace import open_workspace

    with open_workspace(find_workspace(arguments.workspace), arguments.now, write=not arguments.dry_run) as workspace:
        if not (arguments.no_wait or arguments.now or arguments.dry_run):
            workspace.wait_until_settled()
        report = workspace.run_cycle(arguments.kind, dry_run=arguments.dry_run, force=arguments.force)
    if arguments.json:
        say_json(
            {
                "kind": report.kind,
                "applied": report.is_applied,
                "notes": list(report.notes),
                **plan_json(report.plan),
            }
        )
    else:
        print_report(report.plan, applied=report.is_applied)
        for note in report.notes:
            say(styled(note, "yellow"))
    return 0
