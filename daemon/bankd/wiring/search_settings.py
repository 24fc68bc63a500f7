"""What search, and the hooks of agents, need of `bankd.yaml`: kept beside it, since YAML is slow to import."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from bankd.core.markdown.bare_json import read_json, write_json
from bankd.core.ranking.search_settings import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.core.markdown.policy import Settings


def search_settings(root: Path | str) -> SearchSettings:
    """What search needs of `bankd.yaml`, from a copy in `.bankd/` while the file is the same: YAML is slow to import."""
    status = os.stat(f"{root}/bankd.yaml")  # noqa: PTH116 -- pathlib takes longer than all the rest of this
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    last = None
    try:
        with open(f"{root}/.bankd/search-settings.json", "rb") as copy:  # noqa: PTH123 -- same
            kept = read_json(copy.read())
        last = SearchSettings(*kept["settings"])
        if kept["stamp"] == stamp:
            return last
    except (OSError, ValueError, KeyError, TypeError):
        pass
    from pathlib import Path  # noqa: PLC0415 -- seldom

    settings = _load_settings(Path(root, "bankd.yaml"), last)
    _keep_copy(Path(root, ".bankd", "search-settings.json"), {"stamp": stamp, "settings": settings})
    return settings


def _load_settings(file: Path, last: SearchSettings | None) -> SearchSettings:
    """What the file says; where it cannot be used what it said last, for it may name secrets that no log may show."""
    from bankd.config import ConfigError, load_usable_settings, place_folders  # noqa: PLC0415 -- YAML is slow to import

    settings, problems = load_usable_settings(file)
    try:
        place_folders(file.parent, settings.folders)
    except ConfigError as error:
        problems += tuple(error.problems)
    own = search_settings_of(settings)
    if not problems:
        return own
    by = "by the settings as they were" if last else "by the defaults of what cannot be used"
    said = f"{'; '.join(problems)}; answered {by}; nothing is written until that is corrected"
    return (last or own)._replace(unusable=said)


def search_settings_of(settings: Settings) -> SearchSettings:
    """What search needs of the settings."""
    own, meaning = settings.search, settings.meaning
    return SearchSettings(
        settings.timezone,
        own.analyser,
        own.tree_weight,
        own.recall_minutes,
        settings.decay.per_day,
        settings.secrets.patterns,
        settings.retain.anywhere,
        settings.decay.floor,
        meaning=(meaning.model, meaning.url, meaning.key_variable, meaning.question_prefix, meaning.memory_prefix),
        suppression=own.suppression,
    )


def _keep_copy(copy: Path, content: object) -> None:
    from bankd.adapters.storage.derived import clear_the_way, remove_derived  # noqa: PLC0415 -- seldom

    staged = copy.with_name(f"{copy.name}.{os.getpid()}")
    try:
        clear_the_way(copy)
        staged.write_text(write_json(content))
        staged.replace(copy)
    except OSError:
        with suppress(OSError):  # a read-only workspace: it is read again next time
            remove_derived(staged)
