"""A folder of Markdown that is there already becomes the pages, or the logs, of a new workspace: in place, or as a copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bankd.app.init import machine_zone, make_workspace
from bankd.config.workspace_config import SETTINGS
from bankd.core.markdown.policy import SplitPolicy
from bankd.errors import UserError


@dataclass(frozen=True, slots=True)
class Adoption:
    """What would be adopted: the folder, what it becomes (`bank` or `memory`), its files, and whether it is copied."""

    folder: Path
    root: Path
    becomes: str
    pages: tuple[Path, ...]
    others: int
    large: int
    is_copy: bool


def plan_adoption(folder: Path, root: Path, *, is_copy: bool) -> Adoption:
    """Look at a folder, and change nothing; UserError when it cannot be adopted there."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    if (folder / SETTINGS).exists() or (root / SETTINGS).exists():
        raise UserError(f"{folder if (folder / SETTINGS).exists() else root}: is a workspace already")
    if root.is_relative_to(folder):
        raise UserError(f"{root}: lies inside of {folder}; a workspace stands beside what it adopts")
    logs = folder / "memory"
    source, becomes = (logs, "memory") if logs.is_dir() else (folder, "bank")
    if not is_copy and source.stat().st_dev != _existing(root).stat().st_dev:
        raise UserError(f"{root}: is on another disk than {folder}; put it beside that, or take a copy with --copy")
    files = list(_files_below(source))
    pages = tuple(file for file in files if file.suffix == ".md")
    most = SplitPolicy().split_kib * 1024
    large = sum(page.stat().st_size >= most for page in pages)
    return Adoption(source, root, becomes, pages, len(files) - len(pages), large, is_copy)


def adopt_folder(adoption: Adoption) -> list[str]:
    """Make the workspace; gives the files that were made. What is adopted is not written."""
    target = adoption.root / adoption.becomes
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() or target.is_symlink():
        raise UserError(f"{target}: is there already; adopt into a new folder")
    if adoption.is_copy:
        for page in adoption.pages:
            copy = target / page.relative_to(adoption.folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(page, copy)
        target.mkdir(exist_ok=True)
    else:
        target.symlink_to(adoption.folder, target_is_directory=True)
    return make_workspace(adoption.root, with_pages=adoption.becomes != "bank", zone=machine_zone())


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _files_below(folder: Path) -> Iterator[Path]:
    """The files that a run would see: hidden folders and links are passed over."""
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files = (Path(here, name) for name in names if not name.startswith("."))
        yield from (file for file in files if file.is_file() and not file.is_symlink())
