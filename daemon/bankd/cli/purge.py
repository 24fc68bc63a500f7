"""`bankctl purge`: take a text out of everything that remembers it, and say where it still is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("what", metavar="ID|TEXT", help="the id of a memory, or the text itself")
    parser.add_argument("--yes", action="store_true", help="do it; it cannot be undone")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Purge it."""
    from bankd.app.forget import purge
    from bankd.cli.dangling import Announcer
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.workspace import find_workspace
    from bankd.errors import RefusedError
    from bankd.wiring.workspace import open_workspace

    if not arguments.yes:
        raise RefusedError("purging rewrites events and past runs and cannot be undone", "--yes")
    announcer = Announcer("this cannot be undone: change them by hand", as_json=arguments.json)
    with open_workspace(find_workspace(arguments.workspace)) as workspace:
        purged = purge(workspace, arguments.what.removeprefix("^"), announcer)
    if arguments.json:
        say_json({"cleaned": purged.cleaned, "beyond": purged.beyond, "dangling": announcer.rows})
        return 0
    for path in purged.cleaned:
        say(f"{styled('purged', 'green')}  {styled(path)}")
    say("bankd does not reach:")
    for place in purged.beyond:
        say(f"  {styled(place, 'yellow')}")
    return 0
