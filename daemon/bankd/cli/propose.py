"""`bankctl propose`: what asks to be remembered in prose, found by rules, without a language model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_dry_run, add_json, add_now
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named
from bankd.errors import UsageError


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--days", type=int, default=14, metavar="N", help="read the logs of the last N days (default: 14)"
    )
    add_dry_run(parser)
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Let what is found wait in the inbox, or only say what that is."""
    from bankd.app.distil import propose_now

    if not 0 <= arguments.days <= 36_500:
        raise UsageError("--days must be from 0 to 36500")
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        if not arguments.now:
            workspace.wait_until_settled()
        found = propose_now(workspace, arguments.days, dry_run=arguments.dry_run)
    rows = [
        {"place": f"memory/{one.section.log}:{line.sources[0]}", "tag": line.tag, "text": line.text, "rule": rule}
        for one in found
        for line, rule in one.lines
    ]
    lines = [f"{styled(r['place'], 'bold')}  {r['tag']}: {r['text']}  {styled(r['rule'], 'dim')}" for r in rows]
    way = "after the next run bankctl inbox shows them, inbox accept takes one in"
    way = "nothing was written" if arguments.dry_run else way
    said = f"{len(rows)} {'line' if len(rows) == 1 else 'lines'} proposed; {way}"
    whole = {"proposed": rows, "applied": not arguments.dry_run}
    return say_answer(whole, *lines, said if rows else "nothing new asks to be remembered", as_json=arguments.json)
