"""Use cases of a new workspace: make one, and adopt a folder of Markdown.

Of an adopted folder the Markdown below `memory/` becomes logs, and the rest becomes pages. In place only one of the two
can be used, because pages and logs may not be inside each other: then the logs are used, and the rest is named.
"""

from __future__ import annotations

import errno
import filecmp
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import NamedTuple
from zoneinfo import ZoneInfo

from bankd.config import shipped_folder
from bankd.config.workspace import FOLDERS, SETTINGS
from bankd.errors import UserError
from bankd.settings import SplitPolicy

_ZONE = re.compile(r"^timezone: \S+$", re.MULTILINE)
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS}
"""The errors of a file system without hard links, such as that of a USB stick."""


def make_workspace(root: Path, *, with_pages: bool = True, zone: str = "") -> list[str]:
    """Make a workspace, with the pages of the template or without; gives what was made, and overwrites nothing.

    The settings get the time zone `zone`, if given. They are written last: a folder without them is not yet a workspace,
    and the same call completes it.
    """
    template = shipped_folder("bank_template")
    pages = sorted(template.rglob("*.md")) if with_pages else []
    sources = [(path, f"bank/{path.relative_to(template)}") for path in pages]
    sources.append((shipped_folder("config") / "routing.yaml", "routing.yaml"))
    for folder in FOLDERS:
        (root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    made = [name for source, name in sources if put_new(root, name, [source.read_bytes()])]
    put_new(root, ".bankd/.gitignore", [b"*\n"])
    if with_pages:  # the .gitignore of an adopted folder is its owner's
        put_new(
            root,
            ".gitignore",
            [b"# made anew by every run; it would get into the way of git stash\n/bank/_meta/tree-index.json\n"],
        )
    settings = (shipped_folder("config") / SETTINGS).read_text(encoding="utf-8")
    text = _ZONE.sub(f"timezone: {zone}", settings, count=1) if zone else settings
    return [*made, *([SETTINGS] if put_new(root, SETTINGS, [text.encode()]) else [])]


def put_new(root: Path, name: str, parts: Iterable[bytes], like: os.stat_result | None = None) -> bool:
    """Put a whole file into the workspace; False, and nothing is done, when that name is taken. Raises OSError.

    The file appears with all its bytes or not at all: it is written in `.bankd/` first, and the next call removes what a
    crash left there. A copy gets mode and time of change from `like`, and is synced, because the user may delete the source.
    """
    target, staged = root / name, root / ".bankd" / "new-file"
    with suppress(FileNotFoundError, NotADirectoryError):
        staged.unlink()  # a crash left it, perhaps as a second name of the file that was put in place
    if os.path.lexists(target):
        return False
    staged.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write_whole(staged, parts, like)
        try:
            target.hardlink_to(staged)
        except FileExistsError:
            return False
        except OSError as problem:
            if problem.errno not in _NO_LINKS:
                raise
            staged.rename(target)
        return True
    finally:
        with suppress(OSError):
            staged.unlink()


def _write_whole(path: Path, parts: Iterable[bytes], like: os.stat_result | None) -> None:
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    try:
        for part in parts:
            rest = memoryview(part)
            while rest:  # raw writes, because close() would repeat a buffered write that failed
                rest = rest[os.write(fd, rest) :]
        if like is not None:
            os.fchmod(fd, stat.S_IMODE(like.st_mode))
            os.utime(fd, ns=(like.st_atime_ns, like.st_mtime_ns))
            os.fsync(fd)
    finally:
        os.close(fd)


def machine_zone(localtime: Path = Path("/etc/localtime")) -> str:
    """The time zone of this computer, such as Europe/Berlin; UTC if none is known."""
    name = os.environ.get("TZ", "").lstrip(":") or os.path.realpath(localtime).partition("zoneinfo/")[2]
    try:
        return ZoneInfo(name).key if name else "UTC"
    except (OSError, ValueError, KeyError):
        return "UTC"


LOGS = "memory"
BESIDE = f"Markdown files beside {LOGS}/: without --copy, a workspace uses either logs or pages of a folder, not both"
OTHER, LINKS, CLOSED = "files that are not Markdown", "links, which are not followed", "folders that may not be read"
HIDDEN = "Markdown files in hidden folders"
_MARKER = ".bankd/adopting.json"
"""What is being adopted, until it is finished: the same command goes on from there, and any other is refused."""


class Adoption(NamedTuple):
    """What would be adopted: `parts` has the files by the folder that they become (`bank`, `memory`).

    `left_out` has the files that are not taken, by reason and relative to `folder`; `large` counts pages that are not split.
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


class Adopted(NamedTuple):
    """The files that were made, and the files that were there already and differ from their source: they stay."""

    made: list[str]
    kept: tuple[str, ...]


def plan_adoption(folder: Path, root: Path, *, is_copy: bool) -> Adoption:
    """Read a folder, and change nothing; UserError when it cannot be adopted there."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    if (folder / SETTINGS).exists():
        raise UserError(f"{folder}: is a workspace already")
    if root.is_relative_to(folder):
        raise UserError(f"{root}: lies inside of {folder}; a workspace must be beside the folder that it adopts")
    existing = next(path for path in (root, *root.parents) if path.exists())
    if not is_copy and folder.stat().st_dev != existing.stat().st_dev:
        raise UserError(f"{root}: is on another disk than {folder}; put it beside that, or take a copy with --copy")
    found: dict[str, list[Path]] = {}
    for what, path in _look_through(folder):
        found.setdefault(what, []).append(path)
    files = sorted(found.pop("", []))
    parts, beside = divide_files(files, folder / LOGS, has_logs=(folder / LOGS).is_dir(), is_copy=is_copy)
    left_out = {BESIDE: beside, **found}
    reasons = (BESIDE, OTHER, HIDDEN, LINKS, CLOSED)
    named = {why: tuple(sorted(str(path.relative_to(folder)) for path in left_out.get(why, ()))) for why in reasons}
    most = SplitPolicy().split_kib * 1024
    large = sum(page.stat().st_size >= most for page in parts.get("bank", ()))
    adoption = Adoption(folder, root, parts, {why: names for why, names in named.items() if names}, large, is_copy)
    _require_place(adoption)
    return adoption


def divide_files(
    files: Iterable[Path], logs: Path, *, has_logs: bool, is_copy: bool
) -> tuple[dict[str, tuple[Path, ...]], tuple[Path, ...]]:
    """The Markdown files that become logs and pages, by folder, and those that cannot be taken along."""
    if not has_logs:
        return {"bank": tuple(files)}, ()
    of_logs = tuple(file for file in files if file.is_relative_to(logs))
    beside = tuple(file for file in files if not file.is_relative_to(logs))
    if not (is_copy and beside):
        return {LOGS: of_logs}, beside
    return {LOGS: of_logs, "bank": beside}, ()


def _require_place(adoption: Adoption) -> None:
    """UserError if the workspace exists, is half made from another folder, or has files in the way."""
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
    """Make the workspace; the adopted folder is not changed, and nothing is overwritten.

    UserError when the disk fails: the same call then completes the workspace.
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
    """Copy or link one folder; gives the files that were there already and differ from their source."""
    source, target = adoption.source(becomes), adoption.root / becomes
    if not adoption.is_copy:
        if not (target.is_symlink() and target.resolve() == source.resolve()):
            target.symlink_to(source, target_is_directory=True)
        return
    for file in adoption.parts[becomes]:
        name = f"{becomes}/{file.relative_to(source)}"
        with file.open("rb") as opened:
            is_new = put_new(adoption.root, name, iter(lambda: opened.read(1 << 20), b""), file.stat())
        copy = adoption.root / name
        if not (is_new or (copy.is_file() and not copy.is_symlink() and filecmp.cmp(file, copy))):
            yield name


def _marker_of(adoption: Adoption) -> dict[str, object]:
    return {"folder": str(adoption.folder), "copy": adoption.is_copy}


def _read_marker(root: Path) -> dict[str, object] | None:
    try:
        found = json.loads((root / _MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _look_through(folder: Path) -> Iterator[tuple[str, Path]]:
    """The Markdown files that a run would read, with an empty reason, and all else with the reason why it is left out.

    Hidden files and folders are skipped.
    """
    closed: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=closed.append):
        hidden = [name for name in folders if name.startswith(".") and name != ".git"]
        yield from ((HIDDEN, path) for name in hidden for path in Path(here, name).rglob("*.md"))
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from ((LINKS, path) for name in folders if (path := Path(here, name)).is_symlink())
        for path in (Path(here, name) for name in names if not name.startswith(".")):
            if path.is_symlink():
                yield LINKS, path
            else:
                yield ("" if path.suffix == ".md" and path.is_file() else OTHER), path
    yield from ((CLOSED, Path(problem.filename)) for problem in closed)
