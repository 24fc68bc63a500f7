"""`bankctl forget`: a person's deletion of a memory, for good."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.dangling import Announcer
from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("id", metavar="ID", help="the memory, such as m-k3fba2xqb7te")
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Forget it, or say what would go."""
    from bankd.app.forget import forget_memory

    announcer = Announcer("this cannot be undone: change them by hand", as_json=arguments.json)
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        gone = forget_memory(workspace, arguments.id.removeprefix("^"), announcer, apply=not arguments.dry_run)
    said = {"id": gone.id, "pages": gone.pages, "run": gone.run, "applied": not arguments.dry_run}
    last = "its log line will not bring it back; old copies of the page remain for a while: bankctl purge"
    return say_answer(
        {**said, "dangling": announcer.rows},
        f"{'would be forgotten' if arguments.dry_run else 'forgotten'}: {styled(gone.text)}",
        *(f"  out of {styled(page)}" for page in gone.pages),
        f"nothing was written; bankctl forget {gone.id} does it, and that cannot be undone"
        if arguments.dry_run
        else f"{last} {gone.id} --apply ends those",
        as_json=arguments.json,
    )
