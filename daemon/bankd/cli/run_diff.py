"""`bankctl show RUN`: what a run changed, as differences of lines."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.printing import say, say_json, styled

if TYPE_CHECKING:
    from bankd.wiring.runs import ChangedFile

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_run(run: str, files: list[ChangedFile], *, as_json: bool) -> int:
    """Print the differences of a run."""
    if as_json:
        say_json({"run": run, "files": [asdict(file) for file in files]})
        return 0
    for file in files:
        note = " (new)" if file.is_new else " (gone)" if file.is_gone else ""
        say(styled(file.path + note, "bold"))
        for line in file.diff[2:]:
            say("  " + styled(line, *([_COLOURS[line[0]]] if line[:1] in _COLOURS else [])))
    if not files:
        say("it changed no page")
    return 0
