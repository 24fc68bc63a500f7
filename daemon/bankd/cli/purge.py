"""`bankctl purge`: take a text out of everything that remembers it, and say where it still is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.dangling import Announcer
from bankd.cli.options import add_apply, add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("what", metavar="ID|TEXT", help="the id of a memory, or the text itself")
    add_apply(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Purge it, or say where it would be taken out."""
    from bankd.app.forget import purge_text

    announcer = Announcer("this cannot be undone: change them by hand", as_json=arguments.json)
    with open_named(arguments, write=arguments.apply) as workspace:
        purged = purge_text(workspace, arguments.what.removeprefix("^"), announcer, apply=arguments.apply)
    done = styled("purged" if arguments.apply else "would be purged", "green")
    said = {"cleaned": purged.cleaned, "beyond": purged.beyond, "applied": arguments.apply}
    return say_answer(
        {**said, "dangling": announcer.rows},
        *(f"{done}  {styled(path)}" for path in purged.cleaned),
        "bankd does not reach:",
        *(f"  {styled(place, 'yellow')}" for place in purged.beyond),
        "" if arguments.apply else "nothing was written; the same with --apply does it, and that cannot be undone",
        as_json=arguments.json,
    )
