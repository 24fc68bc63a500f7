"""`bankctl init`: a workspace from the template; nothing that is there already is touched."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from bankd.cli.options import add_json
from bankd.cli.printing import say_answer, styled


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="the workspace to make (default: here)")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Make the workspace."""
    from shlex import quote

    from bankd.app.init import machine_zone, make_workspace
    from bankd.wiring.probing import find_installation

    root = Path(arguments.workspace or arguments.folder).expanduser().absolute()
    made = make_workspace(root, zone=machine_zone())
    return say_answer(
        {"workspace": str(root), "made": made},
        f"{styled(str(root), 'bold')}: {len(made)} files made" if made else f"{root}: everything is there already",
        "Next: put daily logs into memory/, or say something yourself:",
        styled(f'  cd {quote(str(root))} && bankctl add "S: 가치관: 정직을 최우선으로 한다." && bankctl cycle micro'),
        "Then have what is new taken in by itself:",
        styled(f"  {find_installation(root).how_to_start()}"),
        as_json=arguments.json,
    )
