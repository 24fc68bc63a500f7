"""Which workspace a command is about."""

from __future__ import annotations

import os
from pathlib import Path

from bankd.errors import UserError

SETTINGS = "bankd.yaml"


def find_workspace(given: str | None) -> Path:
    """The workspace by `--workspace`, `$BANKD_WORKSPACE`, or the nearest parent that has a `bankd.yaml`."""
    named = given or os.environ.get("BANKD_WORKSPACE")
    if named:
        return _checked(Path(named).expanduser())
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / SETTINGS).is_file():
            return folder
    raise UserError(f"no {SETTINGS} here or above {here}; make a workspace with: bankctl init DIR")


def _checked(folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; make a workspace with: bankctl init {folder}")
    if not (folder / SETTINGS).is_file():
        raise UserError(f"{folder}: has no {SETTINGS}; make it a workspace with: bankctl init {folder}")
    return folder.resolve()
