"""`bankctl conflicts`: memories that say different values of the same thing; which one holds, only a person knows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json, add_now
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.consolidate import ConflictSide, Contradiction


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "list (default); keep ID ID: both hold, and are named no more"
    parser.add_argument("action", nargs="?", choices=["list", "keep"], default="list", help=help_)
    parser.add_argument("ids", nargs="*", metavar="ID", help="the two memories")
    add_now(parser)
    add_dry_run(parser, "keep")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List them, or keep two."""
    if arguments.action == "keep" and len(arguments.ids) == 2:
        return _keep(arguments)
    if arguments.action == "keep" or arguments.ids:
        raise UsageError("usage: bankctl conflicts [list], or bankctl conflicts keep ID ID")
    return _list(arguments)


def _keep(arguments: Namespace) -> int:
    from bankd.app.decisions import keep_both

    one, other = (id_.removeprefix("^") for id_ in arguments.ids)
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        kept = keep_both(workspace, one, other, dry_run=arguments.dry_run)
    said = "would both hold. Nothing was written" if arguments.dry_run else "both hold; they are named no more"
    return say_answer({"kept": kept, "applied": not arguments.dry_run}, said, as_json=arguments.json)


def _list(arguments: Namespace) -> int:
    from dataclasses import asdict

    from bankd.app.consolidate import list_conflicts

    with open_named(arguments, write=False) as workspace:
        found = list_conflicts(workspace)
    rows = [asdict(pair) for pair in found]
    for side in (row[which] for row in rows for which in ("older", "newer")):
        side["day"] = side["day"].isoformat() if side["day"] else None
    ways = "bankctl archive put ID ends one, bankctl conflicts keep ID ID lets both hold"
    said = f"{len(found)} pairs; {ways}" if found else "no two memories contradict"
    return say_answer({"conflicts": rows}, *map(_lines_of, found), said, as_json=arguments.json)


def _lines_of(pair: Contradiction) -> str:
    is_dated = pair.newer.day or pair.is_known  # of two that no log dates, nobody knows which is newer
    newer, older = ("newer", "older") if is_dated else ("one  ", "other")
    return "\n".join([styled(pair.reason, "bold"), _side(newer, pair.newer), _side(older, pair.older)])


def _side(which: str, side: ConflictSide) -> str:
    day = side.day.isoformat() if side.day else "undated   "
    where = styled(f"{side.place}  ^{side.id}  from {side.source}", "dim")
    return f"  {styled(which, 'green' if which == 'newer' else 'dim')} {styled(day, 'dim')}  {styled(side.text)}\n        {where}"
