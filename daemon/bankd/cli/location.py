"""Which workspace a command is about.

It imports little: it uses `os.path`, because importing pathlib takes longer than the work of `bankctl search`.
"""

from __future__ import annotations

import os

from bankd.errors import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from contextlib import AbstractContextManager
    from pathlib import Path

    from bankd.app.workspace import Workspace


def open_named(arguments: Namespace, *, write: bool) -> AbstractContextManager[Workspace]:
    """Open the workspace that a command is about, at the time of its `--now`; BusyError when another process writes."""
    from bankd.wiring.workspace import open_workspace

    return open_workspace(find_workspace(arguments.workspace), getattr(arguments, "now", None), write=write)


def find_workspace(given: str | None) -> Path:
    """`locate_workspace` as a path."""
    from pathlib import Path

    return Path(locate_workspace(given))


def locate_workspace(given: str | None) -> str:
    """The workspace by `--workspace`, `$BANKD_WORKSPACE`, or the nearest parent folder that has a `bankd.yaml`."""
    if named := given or os.environ.get("BANKD_WORKSPACE"):
        folder = os.path.expanduser(named)  # noqa: PTH111 -- see the top
        if not _is_workspace(folder):
            problem = "has no bankd.yaml" if os.path.isdir(folder) else "no such folder"  # noqa: PTH112 -- same
            raise UserError(f"{folder}: {problem}; make a workspace there with: bankctl init {folder}")
        folder = os.path.realpath(folder)
    else:
        here = folder = os.getcwd()  # noqa: PTH109 -- same
        while not _is_workspace(folder):
            above = os.path.dirname(folder)  # noqa: PTH120 -- same
            if above == folder:
                raise UserError(f"no bankd.yaml here or above {here}; make a workspace with: bankctl init DIR")
            folder = above
    own = os.path.join(folder, ".bankd")  # noqa: PTH118 -- same
    if os.path.islink(own):  # noqa: PTH114 -- same; derived files would be written outside the workspace
        way = "move the linked folder here, or delete the link: all but undo can be rebuilt"
        raise UserError(f"{own}: is a link, and bankd follows no link out of a workspace; {way}")
    try:
        folder.encode()
    except UnicodeEncodeError:
        raise UserError(f"{folder}: its path is not UTF-8; rename the folder") from None
    return folder


def _is_workspace(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "bankd.yaml"))  # noqa: PTH113, PTH118 -- same
