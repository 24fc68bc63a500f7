"""`bankctl archive`: what left the bank, what may, and the way back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_apply, add_dry_run, add_force, add_json, add_now
from bankd.cli.printing import say, say_answer, styled
from bankd.cli.workspace import open_named
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.archive import ArchivedMemory, OfferedMemory


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = (
        "list (default): what is in it; put ID...: there by hand; restore ID...: back to the place it came from; "
        "candidates: what may go, the weakest first: superseded, faded, or not asked for in 90 days, and longer what "
        "was used; gc: these go"
    )
    parser.add_argument(
        "action", nargs="?", choices=["list", "put", "restore", "candidates", "gc"], default="list", help=help_
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="the memories to put there, or to restore")
    add_dry_run(parser)
    add_apply(parser, "gc")
    add_force(parser, "gc")
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List, restore or collect."""
    from bankd.app.archive import collect_garbage, list_archive, offer_candidates, restore_memories
    from bankd.app.decisions import archive_memories
    from bankd.cli.reports import tell

    names_ids = arguments.action in {"put", "restore"}
    if names_ids != bool(arguments.ids):
        raise UsageError(f"usage: bankctl archive {arguments.action}{' ID...' if names_ids else ''}")
    writes = not arguments.dry_run and (names_ids or arguments.apply)
    ids = [id_.removeprefix("^") for id_ in arguments.ids]
    with open_named(arguments, write=writes) as workspace:
        if arguments.action == "list":
            return _list(list_archive(workspace), as_json=arguments.json)
        if arguments.action == "candidates":
            return _offer(offer_candidates(workspace), as_json=arguments.json)
        if names_ids:
            act = restore_memories if arguments.action == "restore" else archive_memories
            report = act(workspace, ids, dry_run=arguments.dry_run)
        else:
            report = collect_garbage(workspace, apply=writes, force=arguments.force)
    code = tell(report, as_json=arguments.json)
    if arguments.action == "gc" and not arguments.apply and report.plan.archived and not arguments.json:
        say("bankctl archive gc --apply does it; bankctl archive restore ID brings one back")
    return code


def _offer(offered: list[OfferedMemory], *, as_json: bool) -> int:
    from dataclasses import asdict

    lines = [
        f"{item.strength:.2f}  {styled(item.id, 'bold')}  {styled(item.reason, 'dim')}\n      {styled(item.text)}"
        for item in offered
    ]
    said = f"{len(offered)} may go; bankctl archive gc --apply takes them all" if offered else "nothing may go"
    return say_answer({"candidates": [asdict(item) for item in offered]}, *lines, said, as_json=as_json)


def _list(stored: list[ArchivedMemory], *, as_json: bool) -> int:
    from dataclasses import asdict

    lines = [
        f"{styled(item.id, 'bold')}  {styled(item.since or 'long ago', 'dim')}  {styled(item.reason)}\n"
        f"  {styled(item.text)}\n  {styled(f'was in {item.page}, is in {item.place}', 'dim')}"
        for item in stored
    ]
    said = f"{len(stored)} archived; bankctl archive restore ID brings one back" if stored else "the archive is empty"
    return say_answer({"archive": [asdict(item) for item in stored]}, *lines, said, as_json=as_json)
