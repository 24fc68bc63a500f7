"""`bankctl undo`: take a run back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("run_id", metavar="RUN", help="the run, as `bankctl log` names it")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace) -> int:
    """Take it back, and say what stays."""
    from bankd.cli.dangling import Announcer
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.workspace import find_workspace
    from bankd.wiring.runs import undo_run
    from bankd.wiring.workspace import open_workspace

    announcer = Announcer("undoing this undo lets them lead there again", as_json=arguments.json)
    with open_workspace(find_workspace(arguments.workspace)) as workspace:
        undone = undo_run(workspace, arguments.run_id, announcer)
    if arguments.json:
        whole = {"run": undone.run, "undoes": arguments.run_id, "changed": undone.changed, "stays": undone.stays}
        say_json(whole | {"dangling": announcer.rows})
        return 0
    for path in undone.changed:
        say(f"{styled('back', 'green')}  {styled(path)}")
    for words in undone.stays:
        say(f"{styled('stays', 'yellow')} {styled(words)}")
    if undone.changed:
        say(f"taken back; bankctl undo {undone.run} brings it again")
    else:
        say("nothing of it is left to take back")
    return 0
