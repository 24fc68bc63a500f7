"""An import that a person asked for, as a run: noted with the end of each log that it wrote, taken back and brought again.

What is taken back goes aside, into a file beside its log. Nothing reads it there but imports: no run takes the same turns
in again, since a person did not want them; a person who imports their source once more gets them.
"""

from __future__ import annotations

from collections.abc import Mapping

from bankd.app.user_run import record_events
from bankd.app.workspace import Workspace
from bankd.core.edits.transaction import Event
from bankd.core.lifecycle.events import IMPORTED
from bankd.core.plan.report import ReportRow
from bankd.core.transcripts.imported_end import ASIDE, ImportedEnd


def note_import(workspace: Workspace, ends: Mapping[str, ImportedEnd]) -> None:
    """Record as a run what was appended to these logs, if anything was; StorageError when the disk does not take it."""
    if ends:
        said = ((IMPORTED, log, {"log": log, "size": end.size, "digest": end.digest}) for log, end in ends.items())
        rows = [
            ReportRow("+", "imported", f"memory/imports/{log}", f"{end.turns} turns", "") for log, end in ends.items()
        ]
        record_events(workspace, "import", said, {"turns": sum(end.turns for end in ends.values())}, rows)


def move_import(workspace: Workspace, said: Event) -> tuple[str, str]:
    """Take what was imported out of its log, or bring it again, as an event tells; gives, for people, what was done or what stays."""
    log, is_back = str(said["log"]), said["type"] == IMPORTED
    here, there = (f"{log}{ASIDE}", log) if is_back else (log, f"{log}{ASIDE}")
    if not workspace.outside.imports.move_end(here, there, int(said["size"]), str(said["digest"])):
        return "", f"memory/imports/{here}: it does not end with what was imported any more"
    workspace.outside.imports.remember({})  # so that a person's next import reads the sources once more
    return (f"memory/imports/{log}" if is_back else f"memory/imports/{log}, now in {there.rpartition('/')[2]}"), ""
