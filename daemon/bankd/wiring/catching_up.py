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


MANY = 100
"""So many pages are read by a child; for fewer its start would take longer than the reading."""


def catch_up_apart(root: Path, *, soon: bool = False) -> bool:
    """Run `catch_up` in a child and wait for it; gives whether it worked, for else the caller does it itself."""
    command = [sys.executable, "-m", "bankd.wiring.catching_up", str(root), *(["soon"] if soon else [])]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        log.warning("index not made apart exit=%d said=%s", done.returncode, done.stderr[-300:])
    return done.returncode == 0


def catch_up(root: Path, *, soon: bool) -> None:
    """Read the pages that changed into the index, and into the catalogue; the tree file is left to a run.

    With `soon` it neither waits for the analyser nor touches the catalogue, which a run may be using.
    """
    searching = open_search(root)
    try:
        with open_workspace(root, write=False) as workspace:
            if not soon:
                workspace.holdings().refresh(workspace.now)
            searching.refresh(workspace.now, None, "never" if soon else "wait")
    finally:
        searching.close()


if __name__ == "__main__":
    catch_up(Path(sys.argv[1]), soon="soon" in sys.argv[2:])
