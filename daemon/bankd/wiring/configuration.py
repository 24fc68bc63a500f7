"""The settings and rules of a workspace, read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bankd.config import ConfigError, compile_finders, load_rules, load_settings
from bankd.core.policy import Settings
from bankd.core.routing import Rules
from bankd.wiring.workspace import SETTINGS


def read_rules_of(root: Path) -> Rules:
    """The routing rules of a workspace."""
    return load_rules(root / load_settings(root / SETTINGS).routing)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check of the settings found."""

    problems: tuple[str, ...]
    rules: int


def check_configuration(root: Path) -> Checked:
    """Read settings, secret patterns and rules, and give every problem of all of them."""
    problems: list[str] = []
    settings, rules = Settings(), 0
    try:
        settings = load_settings(root / SETTINGS)
        compile_finders(settings.secrets.patterns, str(root / SETTINGS))
    except ConfigError as error:
        problems += error.problems
    try:
        rules = len(load_rules(root / settings.routing).rules)
    except ConfigError as error:
        problems += error.problems
    return Checked(tuple(problems), rules)
