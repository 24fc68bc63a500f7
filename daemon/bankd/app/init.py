"""A new workspace, and new lines in its logs."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

from bankd.config import compile_finders, load_settings, place_folders
from bankd.config.workspace_config import FOLDERS, SETTINGS, require_folders
from bankd.core.secrets.screening import find_secrets
from bankd.errors import UserError
from bankd.shipped import shipped_folder

_ZONE = re.compile(r"^timezone: \S+$", re.MULTILINE)
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS}
"""What a file system without hard links says, such as that of a USB stick."""
_Added = TypeVar("_Added")


def make_workspace(root: Path, *, with_pages: bool = True, zone: str = "") -> list[str]:
    """Make a workspace, with the pages of the template or without; gives what was made, and touches nothing that is there.

    Its time zone is that of the shipped settings, or another. The settings are written last: a folder without them is not
    yet a workspace, and the same call completes it.
    """
    template = shipped_folder("bank_template")
    pages = sorted(template.rglob("*.md")) if with_pages else []
    sources = [(path, f"bank/{path.relative_to(template)}") for path in pages]
    sources.append((shipped_folder("config") / "routing.yaml", "routing.yaml"))
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    made = [name for source, name in sources if put_new(root, name, [source.read_bytes()])]
    put_new(root, ".bankd/.gitignore", [b"*\n"])
    settings = (shipped_folder("config") / SETTINGS).read_text(encoding="utf-8")
    text = _ZONE.sub(f"timezone: {zone}", settings, count=1) if zone else settings
    return [*made, *([SETTINGS] if put_new(root, SETTINGS, [text.encode()]) else [])]


def put_new(root: Path, name: str, parts: Iterable[bytes], like: os.stat_result | None = None) -> bool:
    """Put a whole file in a folder of the workspace; False, and nothing is done, when that name is taken.

    The file appears with all its bytes or not at all: it is written in `.bankd/` first. What a crash leaves there goes
    with the next call. It is a copy where it has a source, and `like` is how that looks: then it gets its mode and
    time of change, and is durable, since its owner may delete the source. Raises OSError.
    """
    target, staged = root / name, root / ".bankd" / "new-file"
    with suppress(FileNotFoundError, NotADirectoryError):
        staged.unlink()  # a crash left it, perhaps as a second name of the file that it had just put in place
    if os.path.lexists(target):
        return False
    staged.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write_whole(staged, parts, like)
        return _link_new(staged, target)
    finally:
        with suppress(OSError):
            staged.unlink()


def _write_whole(path: Path, parts: Iterable[bytes], like: os.stat_result | None) -> None:
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    try:
        for part in parts:
            rest = memoryview(part)
            while rest:  # raw writes: a buffered one that failed would be written again by close()
                rest = rest[os.write(fd, rest) :]
        if like is not None:
            os.fchmod(fd, stat.S_IMODE(like.st_mode))
            os.utime(fd, ns=(like.st_atime_ns, like.st_mtime_ns))
            os.fsync(fd)
    finally:
        os.close(fd)


def _link_new(staged: Path, target: Path) -> bool:
    try:
        target.hardlink_to(staged)
    except FileExistsError:
        return False
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        staged.rename(target)
    return True


def machine_zone(localtime: Path = Path("/etc/localtime")) -> str:
    """The time zone of this computer, such as Europe/Berlin; empty where it has none but UTC, as servers do."""
    name = os.environ.get("TZ", "").lstrip(":") or os.path.realpath(localtime).partition("zoneinfo/")[2]
    try:
        zone = ZoneInfo(name).key if name else ""
    except (OSError, ValueError, KeyError):
        return ""
    return "" if zone in {"UTC", "Etc/UTC"} else zone


def append_to_log(
    root: Path, line: str, read_clock: Callable[[str], datetime], append: Callable[[str, str], _Added]
) -> _Added:
    """Append one Retain line to today's log; gives what `append`, of a log and a line, gives.

    UserError when it looks like a credential: no run would take it in, and a log is no place for one either.
    """
    settings = load_settings(root / SETTINGS)
    place_folders(root, settings.folders)
    if secrets := find_secrets(line, compile_finders(settings.secrets.patterns)):
        raise UserError(f"it looks like a credential ({secrets[0].kind}) and was not written down; leave that out")
    require_folders(root)
    return append(f"{read_clock(settings.timezone):%Y-%m-%d}.md", line)
