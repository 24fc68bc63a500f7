"""Which workspace a command is about.

By `os.path`: `bankctl search` needs the place, and importing pathlib would cost it more than its own work.
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

SETTINGS = "bankd.yaml"


def open_named(arguments: Namespace, *, write: bool) -> AbstractContextManager[Workspace]:
    """Open the workspace that a command is about, at the moment of its `--now`; BusyError when another process writes."""
    from bankd.wiring.workspace import open_workspace

    return open_workspace(find_workspace(arguments.workspace), getattr(arguments, "now", None), write=write)


def find_workspace(given: str | None) -> Path:
    """The workspace by `--workspace`, `$BANKD_WORKSPACE`, or the nearest parent that has a `bankd.yaml`."""
    from pathlib import Path

    return Path(locate_workspace(given))


def locate_workspace(given: str | None) -> str:
    """The same as a string."""
    folder = _locate(given)
    try:
        folder.encode()
    except UnicodeEncodeError:
        raise UserError(f"{folder}: its path is not UTF-8; rename the folder") from None
    return folder


def _locate(given: str | None) -> str:
    named = given or os.environ.get("BANKD_WORKSPACE")
    if named:
        return _checked(os.path.expanduser(named))  # noqa: PTH111 -- see the top
    here = folder = os.getcwd()  # noqa: PTH109 -- same
    while not _is_workspace(folder):
        above = os.path.dirname(folder)  # noqa: PTH120 -- same
        if above == folder:
            raise UserError(f"no {SETTINGS} here or above {here}; make a workspace with: bankctl init DIR")
        folder = above
    return _own(folder)


def _checked(folder: str) -> str:
    if not os.path.isdir(folder):  # noqa: PTH112 -- same
        raise UserError(f"{folder}: no such folder; make a workspace with: bankctl init {folder}")
    if not _is_workspace(folder):
        raise UserError(f"{folder}: has no {SETTINGS}; make it a workspace with: bankctl init {folder}")
    return _own(os.path.realpath(folder))


def _own(folder: str) -> str:
    """The folder; UserError when what is derived would be read and written elsewhere, by way of a link."""
    own = os.path.join(folder, ".bankd")  # noqa: PTH118 -- same
    if os.path.islink(own):  # noqa: PTH114 -- same
        raise UserError(
            f"{own}: is a link, and bankd follows none out of a workspace; put what it leads to in its place, "
            "or take the link away: all but undo is made anew"
        )
    return folder


def _is_workspace(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, SETTINGS))  # noqa: PTH113, PTH118 -- same
