"""A folder of Markdown that is there already becomes the pages and the logs of a new workspace: in place, or as a copy.

The Markdown below `memory/` becomes logs, and the rest becomes pages. In place only one of the two can be used, because
pages and logs may not lie inside each other: then the logs are used, and the rest is named.
"""

from __future__ import annotations

import filecmp
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from bankd.app.init import machine_zone, make_workspace, put_new
from bankd.config.workspace_config import SETTINGS
from bankd.core.markdown.policy import SplitPolicy
from bankd.errors import UserError

LOGS = "memory"
BESIDE = f"Markdown files beside {LOGS}/: without --copy, a workspace uses either logs or pages of a folder, not both"
OTHER, LINKS, CLOSED = "files that are not Markdown", "links, which are not followed", "folders that may not be read"
_MARKER = ".bankd/adopting.json"
"""What is adopted, while it is not finished: the same command goes on from there, and any other is refused."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Adoption:
    """What would be adopted: `parts` are the files by the folder that they become (`bank`, `memory`).

    `left_out` has by reason what is not taken, relative to `folder`; `large` counts the pages that stay whole.
    """

    folder: Path
    root: Path
    parts: Mapping[str, tuple[Path, ...]]
    left_out: Mapping[str, tuple[str, ...]]
    large: int
    is_copy: bool

    def source(self, becomes: str) -> Path:
        """The folder that becomes the logs or the pages."""
        return self.folder / LOGS if becomes == LOGS else self.folder


@dataclass(frozen=True, slots=True)
class Adopted:
    """The files that were made, and the copies that were there already and are not like their source: they stay."""

    made: list[str]
    kept: tuple[str, ...]


def plan_adoption(folder: Path, root: Path, *, is_copy: bool) -> Adoption:
    """Look at a folder, and change nothing; UserError when it cannot be adopted there."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    if (folder / SETTINGS).exists():
        raise UserError(f"{folder}: is a workspace already")
    if root.is_relative_to(folder):
        raise UserError(f"{root}: lies inside of {folder}; a workspace stands beside what it adopts")
    if not is_copy and folder.stat().st_dev != _existing(root).stat().st_dev:
        raise UserError(f"{root}: is on another disk than {folder}; put it beside that, or take a copy with --copy")
    found: dict[str, list[Path]] = {}
    for what, path in _look_through(folder):
        found.setdefault(what, []).append(path)
    files = sorted(found.pop("", []))
    parts, beside = divide_files(files, folder / LOGS, has_logs=(folder / LOGS).is_dir(), is_copy=is_copy)
    left_out = {BESIDE: beside, **found}
    named = {why: tuple(sorted(str(path.relative_to(folder)) for path in left_out.get(why, ()))) for why in _REASONS}
    most = SplitPolicy().split_kib * 1024
    large = sum(page.stat().st_size >= most for page in parts.get("bank", ()))
    adoption = Adoption(folder, root, parts, {why: names for why, names in named.items() if names}, large, is_copy)
    _require_place(adoption)
    return adoption


_REASONS = (BESIDE, OTHER, LINKS, CLOSED)


def divide_files(
    files: Iterable[Path], logs: Path, *, has_logs: bool, is_copy: bool
) -> tuple[dict[str, tuple[Path, ...]], tuple[Path, ...]]:
    """Which Markdown files become logs and which pages, by folder, and which cannot be taken along."""
    if not has_logs:
        return {"bank": tuple(files)}, ()
    of_logs = tuple(file for file in files if file.is_relative_to(logs))
    beside = tuple(file for file in files if not file.is_relative_to(logs))
    if not (is_copy and beside):
        return {LOGS: of_logs}, beside
    return {LOGS: of_logs, "bank": beside}, ()


def _require_place(adoption: Adoption) -> None:
    """UserError where the workspace is there already, is half made of another folder, or has files in the way."""
    root, begun = adoption.root, _read_marker(adoption.root)
    if begun is None:
        if (root / SETTINGS).exists():
            raise UserError(f"{root}: is a workspace already")
        for target in (root / becomes for becomes in adoption.parts if os.path.lexists(root / becomes)):
            raise UserError(f"{target}: is there already; adopt into a new folder")
    elif begun != _marker_of(adoption):
        how = " --copy" if begun.get("copy") else ""
        command = f"bankctl adopt {quote(str(begun.get('folder')))} {quote(str(root))}{how}"
        raise UserError(f"{root}: is half made of another folder; finish that with: {command}; or name a new folder")


def adopt_folder(adoption: Adoption) -> Adopted:
    """Make the workspace; what is adopted is not written, and nothing that is there is overwritten.

    UserError when the disk does not take it: the same call then completes what is there.
    """
    root = adoption.root
    try:
        kept: tuple[str, ...] = ()
        if not (root / SETTINGS).exists():
            put_new(root, _MARKER, [json.dumps(_marker_of(adoption)).encode()])
            kept = tuple(name for becomes in adoption.parts for name in _take(adoption, becomes))
        made = make_workspace(root, with_pages="bank" not in adoption.parts, zone=machine_zone())
        (root / _MARKER).unlink(missing_ok=True)
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        raise UserError(
            f"{where}{problem.strerror}; {root} is half made, and {adoption.folder} as it was.",
            "Mend that and type the same command again: it goes on from there.",
        ) from problem
    return Adopted(made, kept)


def _take(adoption: Adoption, becomes: str) -> Iterator[str]:
    """Copy or link one folder; gives the copies that were there and are not like their source."""
    source, target = adoption.source(becomes), adoption.root / becomes
    if not adoption.is_copy:
        if not (target.is_symlink() and target.resolve() == source.resolve()):
            target.symlink_to(source, target_is_directory=True)
        return
    for file in adoption.parts[becomes]:
        name = f"{becomes}/{file.relative_to(source)}"
        if not put_new(adoption.root, name, _chunks(file), file.stat()) and not _is_alike(file, adoption.root / name):
            yield name


def _is_alike(file: Path, copy: Path) -> bool:
    return copy.is_file() and not copy.is_symlink() and filecmp.cmp(file, copy)


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as opened:
        while part := opened.read(_CHUNK):
            yield part


def _marker_of(adoption: Adoption) -> dict[str, object]:
    return {"folder": str(adoption.folder), "copy": adoption.is_copy}


def _read_marker(root: Path) -> dict[str, object] | None:
    try:
        found = json.loads((root / _MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _look_through(folder: Path) -> Iterator[tuple[str, Path]]:
    """The Markdown files that a run would see, with an empty reason, and all else with why it is left out.

    Hidden files and folders are passed over.
    """
    closed: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from ((LINKS, path) for name in folders if (path := Path(here, name)).is_symlink())
        for path in (Path(here, name) for name in names if not name.startswith(".")):
            if path.is_symlink():
                yield LINKS, path
            else:
                yield ("" if path.suffix == ".md" and path.is_file() else OTHER), path
    yield from ((CLOSED, Path(problem.filename)) for problem in closed)
