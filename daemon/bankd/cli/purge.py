"""`bankctl purge`: take a text out of everything that remembers it, and say where it still is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.dangling import Announcer
from bankd.cli.options import add_apply, add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("what", metavar="ID|TEXT", help="the id of a memory, or the text itself")
    add_apply(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Purge it, or say where it would be taken out."""
    from bankd.app.forget import purge_text
    from bankd.wiring.workspace import open_workspace

    announcer = Announcer("this cannot be undone: change them by hand", as_json=arguments.json)
    with open_workspace(find_workspace(arguments.workspace), write=arguments.apply) as workspace:
        purged = purge_text(workspace, arguments.what.removeprefix("^"), announcer, apply=arguments.apply)
    if arguments.json:
        said = {"cleaned": purged.cleaned, "beyond": purged.beyond, "applied": arguments.apply}
        say_json({**said, "dangling": announcer.rows})
        return 0
    done = "purged" if arguments.apply else "would be purged"
    for path in purged.cleaned:
        say(f"{styled(done, 'green')}  {styled(path)}")
    say("bankd does not reach:")
    for place in purged.beyond:
        say(f"  {styled(place, 'yellow')}")
    if not arguments.apply:
        say("nothing was written; the same with --apply does it, and that cannot be undone")
    return 0
