"""What a person had settled and has taken back: the lines wait again, and the memories are compared again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bankd.app.import_runs import move_import
from bankd.app.inbox import list_held_back
from bankd.app.workspace import Workspace
from bankd.core.edits.transaction import Event
from bankd.core.lifecycle.events import IMPORTED, REOPENED, TAKEN_OUT
from bankd.core.use.signals import IMPORTANCE


def ask_again(workspace: Workspace, events: Iterable[Event]) -> Iterator[tuple[str, str]]:
    """Ask again what these events reopened; gives, in words for people, what that is, and what of it stays, either maybe empty."""
    for said in events:
        if said["type"] == IMPORTANCE:
            held = f"importance {said['value']}" if said["value"] else "no importance"
            yield f"{said['memory']} has {held} again", ""
        elif said["type"] in {IMPORTED, TAKEN_OUT}:
            yield move_import(workspace, said)
        elif said["type"] == REOPENED:
            yield _reopen(workspace, said)


def _reopen(workspace: Workspace, said: Event) -> tuple[str, str]:
    if "other" in said:
        workspace.catalog.compare_again([str(said["memory"]), str(said["other"])])
        return f"{said['memory']} and {said['other']} are compared again", ""
    if not (log := str(said.get("log", ""))):
        return f"{said['key']} is offered again", ""
    accepted = str(said.get("accepted", ""))
    is_back = not accepted or workspace.logs.take_back(log, accepted)
    workspace.logs.note_held_back({log: list_held_back(workspace, log)})
    stays = "" if is_back else f"memory/{log}: what was accepted stays at its end, where more was written since"
    return f"memory/{log}:{said.get('line')} waits again", stays
