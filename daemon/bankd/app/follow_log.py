"""The history of runs as it grows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bankd.adapters.workspace.run_ledger import PATH, parse_rows
from bankd.core.daemon.schedule_rows import logged_run

_LOOK_SECONDS = 0.3


def follow_runs(root: Path) -> Iterator[dict[str, Any]]:
    """Each row that is added from now on, for ever; a file that became shorter is read from its end on."""
    file, pause, rest = root / PATH, threading.Event(), b""
    position = _size(file)
    while True:
        position = min(position, _size(file))
        if position < _size(file):
            with file.open("rb") as opened:
                opened.seek(position)
                data = opened.read()
            position += len(data)
            *lines, rest = (rest + data).split(b"\n")
            yield from (run for row in parse_rows(lines) if (run := logged_run(row)))
        pause.wait(_LOOK_SECONDS)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
