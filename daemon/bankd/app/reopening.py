"""What a person had settled and has taken back: the lines wait again, and the memories are compared again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bankd.app.inbox import list_held_back
from bankd.app.workspace import Workspace
from bankd.core.edits.transaction import Event
from bankd.core.lifecycle.events import REOPENED
from bankd.core.use.signals import IMPORTANCE


def ask_again(workspace: Workspace, events: Iterable[Event]) -> Iterator[str]:
    """Ask again what these events reopened; gives what that is, in words for people."""
    for said in events:
        if said["type"] == IMPORTANCE:
            held = f"importance {said['value']}" if said["value"] else "no importance"
            yield f"{said['memory']} has {held} again"
        if said["type"] != REOPENED:
            continue
        if "other" in said:
            workspace.catalog.compare_again([str(said["memory"]), str(said["other"])])
            yield f"{said['memory']} and {said['other']} are compared again"
        else:
            yield _wait_again(workspace, said)


def _wait_again(workspace: Workspace, said: Event) -> str:
    log = str(said.get("log", ""))
    if not log:
        return f"{said['key']} is offered again"
    accepted = str(said.get("accepted", ""))
    is_back = not accepted or workspace.logs.take_back(log, accepted)
    workspace.logs.note_held_back({log: list_held_back(workspace, log)})
    stays = "" if is_back else f"; what was accepted stays at the end of memory/{log}, where more was written since"
    return f"memory/{log}:{said.get('line')} waits again{stays}"
