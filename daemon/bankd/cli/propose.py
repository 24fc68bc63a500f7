"""`bankctl propose`: rules find in the prose of the logs what asks to be remembered."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_dry_run, add_json, add_now

_DAYS = 14


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--days", type=int, default=_DAYS, metavar="N", help=f"logs of so many days back ({_DAYS})")
    add_dry_run(parser)
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Propose, or say what would be proposed."""
    from bankd.app.propose import propose_lines
    from bankd.cli.printing import plain, say, say_json, styled
    from bankd.cli.workspace import find_workspace
    from bankd.wiring.workspace import open_workspace

    root = find_workspace(arguments.workspace)
    with open_workspace(root, arguments.now, write=not arguments.dry_run) as workspace:
        found = propose_lines(workspace, arguments.days, dry_run=arguments.dry_run)
    if arguments.json:
        say_json({"proposed": [one._asdict() for one in found], "applied": not arguments.dry_run})
        return 0
    for one in found:
        say(f"{styled(f'memory/{one.log}:{one.line}', 'bold')}  it {one.act}\n  {plain(f'- {one.tag}: {one.text}')}")
    if not found:
        say("no prose asks to be remembered that is neither known nor was proposed before")
    elif arguments.dry_run:
        say("Nothing was written")
    else:
        say(
            f"{len(found)} lines proposed in memory/proposed/: take off the note at the end of a line, and it is taken in; "
            "the next run names the others in bankctl inbox, and inbox dismiss declines one for good"
        )
    return 0
