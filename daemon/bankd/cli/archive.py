"""`bankctl archive`: what left the bank, what may, and the way back.

`bankctl forget`: a person's deletion of a memory, for good.

`bankctl purge`: take a text out of everything that remembers it, and say where it still is.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.base import add_apply, add_dry_run, add_force, add_json, add_now
from bankd.cli.location import open_named
from bankd.cli.page import Announcer
from bankd.cli.printing import say, say_answer, styled
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.archive import ArchivedMemory, OfferedMemory


def archive_arguments(parser: ArgumentParser) -> None:
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


def archive_command(arguments: Namespace) -> int:
    """List, restore or collect."""
    from bankd.app.archive import collect_garbage, list_archive, offer_candidates, restore_memories
    from bankd.app.review import archive_memories
    from bankd.cli.show import tell

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


def forget_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("id", metavar="ID", help="the memory, such as m-k3fba2xqb7te")
    add_dry_run(parser)
    add_json(parser)


def forget_command(arguments: Namespace) -> int:
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


def purge_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("what", metavar="ID|TEXT", help="the id of a memory, or the text itself")
    add_apply(parser)
    add_json(parser)


def purge_command(arguments: Namespace) -> int:
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
