"""`bankctl forget`: a person's deletion of a memory, at once and for good."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("id", metavar="ID", help="the memory, such as m-k3fba2xqb7te")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Forget it."""
    from bankd.app.forget import forget
    from bankd.cli.dangling import Announcer
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.workspace import find_workspace
    from bankd.wiring.workspace import open_workspace

    announcer = Announcer("this cannot be undone: change them by hand", as_json=arguments.json)
    with open_workspace(find_workspace(arguments.workspace)) as workspace:
        gone = forget(workspace, arguments.id.removeprefix("^"), announcer)
    if arguments.json:
        say_json({"id": gone.id, "pages": gone.pages, "run": gone.run, "dangling": announcer.rows})
        return 0
    say(f"forgotten: {styled(gone.text)}")
    for page in gone.pages:
        say(f"  out of {styled(page)}")
    say(
        f"its log line will not bring it back; old copies of the page remain for a while: bankctl purge {gone.id} ends those"
    )
    return 0
