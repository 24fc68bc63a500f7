"""The settings and rules of a workspace, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bankd.config import (
    ConfigError,
    compile_finders,
    load_rules,
    load_settings,
    load_usable_settings,
    read_rules_text,
    read_text,
)
from bankd.config.folders import find_folder_problems
from bankd.core.lifecycle.routing import Rules
from bankd.core.markdown.policy import Settings
from bankd.core.secrets.screening import Finder
from bankd.errors import UserError

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
