"""`bankctl forget`: a person's deletion of a memory, for good."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_apply, add_json


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("id", metavar="ID", help="the memory, such as m-k3fba2xqb7te")
    add_apply(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Forget it, or say what would go."""
    from bankd.app.forget import forget_memory
    from bankd.cli.dangling import Announcer
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.workspace import find_workspace
    from bankd.wiring.workspace import open_workspace

    announcer = Announcer("this cannot be undone: change them by hand", as_json=arguments.json)
    with open_workspace(find_workspace(arguments.workspace), write=arguments.apply) as workspace:
        gone = forget_memory(workspace, arguments.id.removeprefix("^"), announcer, apply=arguments.apply)
    if arguments.json:
        said = {"id": gone.id, "pages": gone.pages, "run": gone.run, "applied": arguments.apply}
        say_json({**said, "dangling": announcer.rows})
        return 0
    say(f"{'forgotten' if arguments.apply else 'would be forgotten'}: {styled(gone.text)}")
    for page in gone.pages:
        say(f"  out of {styled(page)}")
    if not arguments.apply:
        say(f"nothing was written; bankctl forget {gone.id} --apply does it, and that cannot be undone")
        return 0
    say(
        f"its log line will not bring it back; old copies of the page remain for a while: bankctl purge {gone.id} --apply ends those"
    )
    return 0
