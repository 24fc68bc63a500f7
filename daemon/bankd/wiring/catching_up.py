"""Makes index and catalogue in a process of its own: reading a whole bank takes memory that a daemon never gets rid of.

Both have their own locks and nothing else is written, so the process needs no right to write the workspace.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

from bankd.wiring.searching import open_search
from bankd.wiring.workspace import open_workspace

log = logging.getLogger(__name__)


def catch_up_apart(root: Path) -> bool:
    """Run `catch_up` in a child and wait for it; gives whether it worked, for else the caller does it itself."""
    command = [sys.executable, "-m", "bankd.wiring.catching_up", str(root)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        log.warning("index not made apart exit=%d said=%s", done.returncode, done.stderr[-300:])
    return done.returncode == 0


def catch_up(root: Path) -> None:
    """Read all pages into the catalogue and the index; the tree file is left to a run."""
    searching = open_search(root)
    try:
        with open_workspace(root, write=False) as workspace:
            workspace.holdings().refresh(workspace.now)
            searching.refresh(workspace.now, None)
    finally:
        searching.close()


if __name__ == "__main__":
    catch_up(Path(sys.argv[1]))
