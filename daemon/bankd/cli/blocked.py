"""How `bankctl duplicates` shows blocked lines and acts on them."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace

if TYPE_CHECKING:
    from bankd.app.duplicates import BlockedLine
    from bankd.app.workspace import Workspace
    from bankd.cycle import Report


def run_blocked(arguments: Namespace) -> int:
    """List, show, allow or merge."""
    from bankd.app.duplicates import find_blocked, list_blocked
    from bankd.cli.reports import tell
    from bankd.wiring.workspace import open_workspace

    action = arguments.action or "list"
    writes = (action == "allow" and not arguments.dry_run) or (action == "merge" and arguments.apply)
    with open_workspace(find_workspace(arguments.workspace), write=writes) as workspace:
        if action == "list":
            return _list(list_blocked(workspace), as_json=arguments.json)
        if action == "show":
            return _show(find_blocked(workspace, arguments.id.removeprefix("^")), as_json=arguments.json)
        return tell(_act(workspace, action, arguments), as_json=arguments.json)


def _act(workspace: Workspace, action: str, arguments: Namespace) -> Report:
    from bankd.app.consolidate import consolidate_bank
    from bankd.app.duplicates import allow_line

    id_ = arguments.id.removeprefix("^")
    if action == "allow":
        return allow_line(workspace, id_, dry_run=arguments.dry_run)
    return consolidate_bank(workspace, None, id_, apply=arguments.apply)


def _list(lines: list[BlockedLine], *, as_json: bool) -> int:
    if as_json:
        say_json({"duplicates": [asdict(line) for line in lines]})
        return 0
    for line in lines:
        _print(line)
    said = f"{len(lines)} blocked; bankctl duplicates allow ID lets one in" if lines else "no line was blocked"
    say(said)
    return 0


def _show(line: BlockedLine, *, as_json: bool) -> int:
    if as_json:
        say_json(asdict(line))
        return 0
    _print(line)
    return 0


def _print(line: BlockedLine) -> None:
    say(f"{styled(line.id, 'bold')}  {styled(line.place, 'cyan')}  {styled(line.day, 'dim')}")
    say(f"  {styled(line.text)}")
    twin = f"{line.twin_text.strip()}  ({line.twin_place})" if line.twin_text else f"{line.twin}, which is gone since"
    say(f"  {styled('says nothing new beside', 'dim')} {styled(twin)}")
    say(f"  {styled(line.reason, 'dim')}")
