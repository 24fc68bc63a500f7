"""What search, and the hooks of agents, need of `bankd.yaml`: kept beside it, since YAML is slow to import."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from bankd.core.ranking.search_settings import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.core.markdown.policy import Settings


def search_settings(root: Path) -> SearchSettings:
    """What search needs of `bankd.yaml`, from a copy in `.bankd/` while the file is the same: YAML is slow to import."""
    file, copy = root / "bankd.yaml", root / ".bankd" / "search-settings.json"
    status = file.stat()
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    try:
        kept = json.loads(copy.read_bytes())
        if kept["stamp"] == stamp:
            return SearchSettings(*kept["settings"])
    except (OSError, ValueError, KeyError, TypeError):
        kept = None
    settings = _load_settings(file)
    _keep_copy(copy, {"stamp": stamp, "settings": settings})
    return settings


def _load_settings(file: Path) -> SearchSettings:
    from bankd.config import load_settings  # noqa: PLC0415 -- YAML is slow to import

    return search_settings_of(load_settings(file))


def search_settings_of(settings: Settings) -> SearchSettings:
    """What search needs of the settings."""
    own = settings.search
    return SearchSettings(
        settings.timezone,
        own.analyser,
        own.tree_weight,
        own.cache_minutes,
        own.cache_entries,
        own.recall_minutes,
        settings.decay.per_day,
        settings.secrets.patterns,
        settings.retain.anywhere,
        settings.decay.floor,
    )


def _keep_copy(copy: Path, content: object) -> None:
    from bankd.adapters.storage.derived import clear_the_way, remove_derived  # noqa: PLC0415 -- seldom

    staged = copy.with_name(f"{copy.name}.{os.getpid()}")
    try:
        clear_the_way(copy)
        staged.write_text(json.dumps(content))
        staged.replace(copy)
    except OSError:
        with suppress(OSError):  # a read-only workspace: it is read again next time
            remove_derived(staged)
