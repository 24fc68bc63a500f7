"""A new workspace, and new lines in its logs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
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
_Added = TypeVar("_Added")


def make_workspace(root: Path, *, with_pages: bool = True, zone: str = "") -> list[str]:
    """Make a workspace, with the pages of the template or without; gives what was made, and touches nothing that is there.

    Its time zone is that of the shipped settings, or another.
    """
    is_new = not (root / SETTINGS).exists()
    sources = [(shipped_folder("config") / name, name) for name in (SETTINGS, "routing.yaml")]
    template = shipped_folder("bank_template")
    pages = sorted(template.rglob("*.md")) if with_pages else []
    sources += [(path, f"bank/{path.relative_to(template)}") for path in pages]
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / ".bankd").mkdir(mode=0o700, exist_ok=True)
    made = [name for source, name in sources if _copy_new(source, root / name)]
    _write_new(root / ".bankd" / ".gitignore", b"*\n")
    if is_new and zone:
        text = (root / SETTINGS).read_text(encoding="utf-8")
        (root / SETTINGS).write_text(_ZONE.sub(f"timezone: {zone}", text, count=1), encoding="utf-8")
    return made


def machine_zone(localtime: Path = Path("/etc/localtime")) -> str:
    """The time zone of this computer, such as Europe/Berlin; empty where it has none but UTC, as servers do."""
    name = os.environ.get("TZ", "").lstrip(":") or os.path.realpath(localtime).partition("zoneinfo/")[2]
    try:
        zone = ZoneInfo(name).key if name else ""
    except (OSError, ValueError, KeyError):
        return ""
    return "" if zone in {"UTC", "Etc/UTC"} else zone


def _copy_new(source: Path, target: Path) -> bool:
    target.parent.mkdir(parents=True, exist_ok=True)
    return _write_new(target, source.read_bytes())


def _write_new(target: Path, data: bytes) -> bool:
    try:
        with target.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return False
    return True


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
