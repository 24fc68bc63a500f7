"""`bankctl duplicates`: the lines that said nothing new, and a way in for them."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.options import JSON, add_apply, add_dry_run, add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named

if TYPE_CHECKING:
    from bankd.app.duplicates import BlockedLine
    from bankd.app.workspace import Workspace
    from bankd.cycle import Report


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="every blocked line, its twin and the reason (without an action: this)")
    shown = actions.add_parser("show", help="one of them")
    allowed = actions.add_parser("allow", help="let it in: it becomes a memory on the page that its rule gives")
    for action in (shown, allowed):
        action.add_argument("id", metavar="ID", help="the id of the blocked line, as the list shows it")
    add_dry_run(allowed)
    merge = actions.add_parser("merge", help="merge a memory of the bank with its near-copies")
    merge.add_argument("id", metavar="ID", help="a memory of the bank")
    add_apply(merge)
    for action in (listing, shown, allowed, merge):
        action.add_argument("--json", action="store_true", default=SUPPRESS, help=JSON)
        action.add_argument("--workspace", metavar="DIR", default=SUPPRESS, help="the workspace")


def run(arguments: Namespace) -> int:
    """List, show, allow or merge."""
    from bankd.app.duplicates import find_blocked, list_blocked
    from bankd.cli.reports import tell

    action = arguments.action or "list"
    writes = (action == "allow" and not arguments.dry_run) or (action == "merge" and arguments.apply)
    with open_named(arguments, write=writes) as workspace:
        if action == "list":
            return _list(list_blocked(workspace), as_json=arguments.json)
        if action == "show":
            line = find_blocked(workspace, arguments.id.removeprefix("^"))
            return say_answer(asdict(line), _lines_of(line), as_json=arguments.json)
        return tell(_act(workspace, action, arguments), as_json=arguments.json)


def _act(workspace: Workspace, action: str, arguments: Namespace) -> Report:
    from bankd.app.consolidate import consolidate_bank
    from bankd.app.duplicates import allow_line

    id_ = arguments.id.removeprefix("^")
    if action == "allow":
        return allow_line(workspace, id_, dry_run=arguments.dry_run)
    return consolidate_bank(workspace, None, id_, apply=arguments.apply)


def _list(lines: list[BlockedLine], *, as_json: bool) -> int:
    said = f"{len(lines)} blocked; bankctl duplicates allow ID lets one in" if lines else "no line was blocked"
    whole = {"duplicates": [asdict(line) for line in lines]}
    return say_answer(whole, *map(_lines_of, lines), said, as_json=as_json)


def _lines_of(line: BlockedLine) -> str:
    twin = f"{line.twin_text.strip()}  ({line.twin_place})" if line.twin_text else f"{line.twin}, which is gone since"
    return (
        f"{styled(line.id, 'bold')}  {styled(line.place, 'cyan')}  {styled(line.day, 'dim')}\n  {styled(line.text)}\n"
        f"  {styled('says nothing new beside', 'dim')} {styled(twin)}\n  {styled(line.reason, 'dim')}"
    )
