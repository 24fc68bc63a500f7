"""The configuration of a workspace: settings, rules and secret patterns, and where `memory/` and `bank/` are.

The rest of bankd sees folders that are set elsewhere as links in the workspace, just like a link made by hand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
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

__all__ = ["ConfigError", "compile_finders", "load_rules", "load_settings", "load_usable_settings"]

SETTINGS = "bankd.yaml"
FOLDERS = ("memory", "bank", "archive", "events")


class Sources(NamedTuple):
    """The last good text of both files, whatever happened to the files since."""

    settings: str
    rules: str


class Configuration(NamedTuple):
    """Settings, rules and secret patterns of a workspace, read and checked."""

    settings: Settings
    rules: Rules
    finders: Sequence[Finder]


def configure_run(root: Path, settings: Settings) -> Configuration:
    """Read what a run needs beside settings; ConfigError with every problem of the rules."""
    return Configuration(settings, load_rules(root / settings.routing), compile_finders(settings.secrets.patterns))


def read_sources(root: Path) -> Sources:
    """Read both files; ConfigError when one cannot be read, or the settings do not say where the rules are."""
    text = read_text(root / SETTINGS)
    return Sources(text, read_rules_text(root / load_settings(root / SETTINGS, text).routing))


def understand_sources(root: Path, sources: Sources) -> Configuration:
    """Parse and check what was read; ConfigError."""
    settings = load_settings(root / SETTINGS, sources.settings)
    finders = compile_finders(settings.secrets.patterns)
    return Configuration(settings, load_rules(root / settings.routing, sources.rules), finders)


def check_configuration(root: Path) -> tuple[tuple[str, ...], int]:
    """Read settings, folders, secret patterns and rules; gives every problem of all of them, and the number of rules."""
    settings, problems = load_usable_settings(root / SETTINGS)
    problems += _problems_of_folders(root, settings.folders)
    try:
        return problems, len(load_rules(root / settings.routing).rules)
    except ConfigError as error:
        return problems + tuple(error.problems), 0


def require_folders(root: Path) -> None:
    """UserError when a folder is missing that only a person can put back."""
    missing = [root / name for name in ("memory", "bank") if not (root / name).is_dir()]
    if missing:
        way = f"put it back, or make an empty one with: bankctl init {root}"
        raise UserError(*(f"{folder}: no such folder; {way}" for folder in missing))


def place_folders(root: Path, folders: FoldersPolicy) -> None:
    """Link `memory/` and `bank/` to where the settings say; ConfigError if that cannot be, and then nothing changes."""
    if problems := _problems_of_folders(root, folders):
        raise ConfigError(*problems)
    for name, target in _set_elsewhere(root, folders).items():
        link = root / name
        if link.is_symlink() and link.resolve() == target.resolve():
            continue
        # In one step: what is there is an empty folder or another link.
        staged = link.with_name(f".{name}.{os.getpid()}")
        with suppress(FileNotFoundError):
            staged.unlink()
        staged.symlink_to(target.resolve(), target_is_directory=True)
        if link.is_dir() and not link.is_symlink():
            link.rmdir()
        staged.replace(link)


def _set_elsewhere(root: Path, folders: FoldersPolicy) -> dict[str, Path]:
    """The folders that are not in the workspace itself, by their names there."""
    # Path.expanduser raises for an unknown user; with os.path the folder just does not exist.
    wanted = {name: root / os.path.expanduser(value) for name, value in asdict(folders).items()}  # noqa: PTH111
    return {name: path for name, path in wanted.items() if Path(os.path.normpath(path)) != root / name}


def _problems_of_folders(root: Path, folders: FoldersPolicy) -> tuple[str, ...]:
    elsewhere = _set_elsewhere(root, folders)
    places = {name: elsewhere.get(name, root / name).resolve() for name in asdict(folders)}
    return tuple(
        f"{root}/bankd.yaml: folders.{name}: {problem}"
        for name, target in elsewhere.items()
        for problem in _problems_of(root, name, target, next(path for what, path in places.items() if what != name))
    )


def _problems_of(root: Path, name: str, target: Path, other: Path) -> list[str]:
    """The problems of a folder that is set elsewhere; `other` is the place of the other folder."""
    there, here, home = target.resolve(), root / name, root.resolve()
    if not there.is_dir():
        return [f"{target}: no such folder; make it or mount its disk, or correct the setting"]
    problems, own = [], ("archive", "events", "recall", ".bankd")
    if home.is_relative_to(there) or any(there.is_relative_to(home / folder) for folder in own):
        problems.append(f"{target}: is the workspace itself, or one of bankd's own folders; name another")
    if there.is_relative_to(other) or other.is_relative_to(there):
        problems.append(f"{target}: logs and pages may not be inside each other ({other}); name another folder")
    if there.stat().st_dev != root.stat().st_dev:
        problems.append(f"{target}: is on another disk than {root}; bankd can only replace pages on the same disk")
    if here.is_dir() and not here.is_symlink() and any(here.iterdir()):
        problems.append(f"{here} has files of its own; move them to {target}, then: rmdir {here}")
    return problems
