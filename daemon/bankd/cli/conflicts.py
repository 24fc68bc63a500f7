"""`bankctl conflicts`: memories that say different values of the same thing; which one holds, only a person knows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_json

if TYPE_CHECKING:
    from bankd.app.consolidate import ConflictSide


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List them, the newest first."""
    from dataclasses import asdict

    from bankd.app.consolidate import list_conflicts
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.workspace import find_workspace
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
    said = f"{len(found)} pairs; bankctl forget ID ends one, or edit a page" if found else "no two memories contradict"
    say(said)
    return 0


def _print(which: str, side: ConflictSide) -> None:
    from bankd.cli.printing import say, styled

    day = side.day.isoformat() if side.day else "undated   "
    colour = "green" if which == "newer" else "dim"
    say(f"  {styled(which, colour)} {styled(day, 'dim')}  {styled(side.text)}")
    say(f"        {styled(f'{side.place}  ^{side.id}  from {side.source}', 'dim')}")
