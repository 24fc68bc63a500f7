"""The folders that the settings put elsewhere: what is wrong with them, and the links in the workspace that lead there.

A link is all that the rest of bankd knows of it, so a folder linked by hand and one that is set are the same thing.

The settings and routing rules of a workspace, read from its files with every problem reported at once.

schema reads bankd.yaml, values says what each setting may be, routing reads routing.yaml, examples the lines that ship
beside it; plain_yaml and patterns read YAML and regular expressions that cannot do harm. folders is where memory/ and
bank/ are, workspace_config all of it for a run.

The settings and rules of a workspace, read and checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from bankd.config.patterns import compile_finders
from bankd.config.routing import load_rules, read_rules_text
from bankd.config.schema import load_settings, load_usable_settings
from bankd.config.yaml import ConfigError, read_text
from bankd.errors import UserError
from bankd.memory.route import Rules
from bankd.secrets.screening import Finder
from bankd.settings import FoldersPolicy, Settings

_OWN = ("archive", "events", "recall", ".bankd")


def place_folders(root: Path, folders: FoldersPolicy) -> None:
    """Have `memory/` and `bank/` lead where the settings say; raises ConfigError, and changes nothing, if they cannot."""
    if problems := find_folder_problems(root, folders):
        raise ConfigError(*problems)
    for name, target in _set_elsewhere(root, folders).items():
        if not _leads_to(root / name, target):
            _link(root / name, target)


def find_folder_problems(root: Path, folders: FoldersPolicy) -> tuple[str, ...]:
    """What is wrong with the folders that the settings name."""
    elsewhere = _set_elsewhere(root, folders)
    places = {name: elsewhere.get(name, root / name).resolve() for name in asdict(folders)}
    found = [
        f"{root}/bankd.yaml: folders.{name}: {problem}"
        for name, target in elsewhere.items()
        for problem in _problems_of(root, name, target, places)
    ]
    return tuple(found)


def _set_elsewhere(root: Path, folders: FoldersPolicy) -> dict[str, Path]:
    """The folders that are not to be in the workspace itself, by what they are."""
    # Path.expanduser raises where there is no such user; here that is a folder that is not there.
    wanted = {name: root / os.path.expanduser(value) for name, value in asdict(folders).items()}  # noqa: PTH111
    return {name: path for name, path in wanted.items() if Path(os.path.normpath(path)) != root / name}


def _problems_of(root: Path, name: str, target: Path, places: dict[str, Path]) -> Iterator[str]:
    there, here = target.resolve(), root / name
    if not there.is_dir():
        yield f"{target}: no such folder; make it or mount its disk, or correct the setting"
        return
    if root.resolve().is_relative_to(there) or any(there.is_relative_to(root.resolve() / own) for own in _OWN):
        yield f"{target}: is the workspace itself, or one of bankd's own folders; name another"
    other = next(path for what, path in places.items() if what != name)
    if there.is_relative_to(other) or other.is_relative_to(there):
        yield f"{target}: one of logs and pages lies inside the other ({other}); keep them apart"
    if there.stat().st_dev != root.stat().st_dev:
        yield f"{target}: is on another disk than {root}; pages are swapped whole, which no two disks can"
    if here.is_dir() and not here.is_symlink() and any(here.iterdir()):
        yield f"{here} has files of its own; move them to {target}, then: rmdir {here}"


def _leads_to(link: Path, target: Path) -> bool:
    return link.is_symlink() and link.resolve() == target.resolve()


def _link(link: Path, target: Path) -> None:
    """Put a link in place, in one step; what is there is an empty folder or another link."""
    staged = link.with_name(f".{link.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        staged.unlink()
    staged.symlink_to(target.resolve(), target_is_directory=True)
    if link.is_dir() and not link.is_symlink():
        link.rmdir()
    staged.replace(link)


__all__ = [
    "ConfigError",
    "compile_finders",
    "load_rules",
    "load_settings",
    "load_usable_settings",
    "place_folders",
    "read_rules_text",
    "read_text",
]


SETTINGS = "bankd.yaml"
FOLDERS = ("memory", "bank", "archive", "events")


class Sources(NamedTuple):
    """The text of both files as they were when they were last good, whatever has become of the files since."""

    settings: str
    rules: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings, rules and secret patterns of a workspace, read and checked."""

    settings: Settings
    rules: Rules
    finders: Sequence[Finder]


def configure_run(root: Path, settings: Settings) -> Configuration:
    """Read what a run needs beside settings; raises ConfigError with every problem of the rules."""
    return Configuration(settings, load_rules(root / settings.routing), compile_finders(settings.secrets.patterns))


def read_sources(root: Path) -> Sources:
    """Read both files; raises ConfigError when one cannot be read, or the settings do not tell where the rules are."""
    text = read_text(root / SETTINGS)
    return Sources(text, read_rules_text(root / load_settings(root / SETTINGS, text).routing))


def understand_sources(root: Path, sources: Sources) -> Configuration:
    """Understand what was read; raises ConfigError."""
    settings = load_settings(root / SETTINGS, sources.settings)
    finders = compile_finders(settings.secrets.patterns)
    return Configuration(settings, load_rules(root / settings.routing, sources.rules), finders)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check of the settings found."""

    problems: tuple[str, ...]
    rules: int


def check_configuration(root: Path) -> Checked:
    """Read settings, secret patterns and rules, and give every problem of all of them."""
    settings, problems = load_usable_settings(root / SETTINGS)
    problems += find_folder_problems(root, settings.folders)
    rules = 0
    try:
        rules = len(load_rules(root / settings.routing).rules)
    except ConfigError as error:
        problems += tuple(error.problems)
    return Checked(problems, rules)


def require_folders(root: Path) -> None:
    """UserError when a folder is missing that only a person can put back."""
    missing = [name for name in ("memory", "bank") if not (root / name).is_dir()]
    if missing:
        raise UserError(
            *(f"{root / name}: no such folder; put it back, or make it with: bankctl init {root}" for name in missing)
        )
