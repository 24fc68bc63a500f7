"""`bankctl conflicts`: memories that say different values of the same thing; which one holds, only a person knows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace

if TYPE_CHECKING:
    from bankd.app.consolidate import ConflictSide


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "list (default); keep ID ID: both hold, and are named no more"
    parser.add_argument("action", nargs="?", choices=["list", "keep"], default="list", help=help_)
    parser.add_argument("ids", nargs="*", metavar="ID", help="the two memories")
    add_dry_run(parser, "keep")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List them, or keep two."""
    from bankd.errors import UsageError

    if arguments.action == "keep" and len(arguments.ids) == 2:
        return _keep(arguments)
    if arguments.action == "keep" or arguments.ids:
        raise UsageError("usage: bankctl conflicts [list], or bankctl conflicts keep ID ID")
    return _list(arguments)


def _keep(arguments: Namespace) -> int:
    from bankd.app.decisions import keep_both
    from bankd.wiring.workspace import open_workspace

    one, other = (id_.removeprefix("^") for id_ in arguments.ids)
    with open_workspace(find_workspace(arguments.workspace), write=not arguments.dry_run) as workspace:
        kept = keep_both(workspace, one, other, dry_run=arguments.dry_run)
    if arguments.json:
        say_json({"kept": kept, "applied": not arguments.dry_run})
    else:
        say("would both hold. Nothing was written" if arguments.dry_run else "both hold; they are named no more")
    return 0


def _list(arguments: Namespace) -> int:
    from dataclasses import asdict

    from bankd.app.consolidate import list_conflicts
    from bankd.wiring.workspace import open_workspace

    with open_workspace(find_workspace(arguments.workspace), write=False) as workspace:
        found = list_conflicts(workspace)
    if arguments.json:
        rows = [asdict(pair) for pair in found]
        for row in rows:
            for side in (row["older"], row["newer"]):
                side["day"] = side["day"].isoformat() if side["day"] else None
        say_json({"conflicts": rows})
        return 0
    for pair in found:
        say(styled(pair.reason, "bold"))
        is_dated = pair.newer.day or pair.is_known  # of two that no log dates, nobody knows which is newer
        _print("newer" if is_dated else "one  ", pair.newer)
        _print("older" if is_dated else "other", pair.older)
    said = (
        f"{len(found)} pairs; bankctl archive put ID ends one, bankctl conflicts keep ID ID lets both hold"
        if found
        else "no two memories contradict"
    )
    say(said)
    return 0


def _print(which: str, side: ConflictSide) -> None:
    day = side.day.isoformat() if side.day else "undated   "
    colour = "green" if which == "newer" else "dim"
    say(f"  {styled(which, colour)} {styled(day, 'dim')}  {styled(side.text)}")
    say(f"        {styled(f'{side.place}  ^{side.id}  from {side.source}', 'dim')}")
