"""Change one setting or add one rule in the text of a file: comments and order stay, and the result is checked first."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml

from bankd.config.routing import read_rules
from bankd.config.schema import read_settings
from bankd.config.yaml import compose_text, read_text
from bankd.errors import UsageError
from bankd.settings import Settings

_PLAIN = re.compile(r"[\w./~+](?:[\w./~+%@-]| (?=\w)|:(?=\S))*")
"""A text that needs no quotes in YAML."""


def settings_by_name(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Each setting by its dotted name, such as `split.warn_kib`."""
    found: dict[str, Any] = {}
    for item in fields(settings):
        value = getattr(settings, item.name)
        found |= (
            settings_by_name(value, f"{prefix}{item.name}.") if is_dataclass(value) else {prefix + item.name: value}
        )
    return found


def change_setting(path: Path, name: str, value: str) -> None:
    """Give a setting another value; UsageError for an unknown name, ConfigError for a value that it cannot have."""
    known = settings_by_name(Settings())
    if name not in known:
        raise UsageError(f"unknown setting {name}", "bankctl config get lists them all")
    items = [part.strip() for part in value.strip().removeprefix("[").removesuffix("]").split(",") if part.strip()]
    written = f"[{', '.join(map(_scalar, items))}]" if isinstance(known[name], tuple) else _scalar(value)
    _change(path, lambda text: _with_value(text, name.split("."), written), read_settings)


def add_rule(path: Path, tag: str, target: str, heading: str | None, pattern: str, *, apply: bool) -> str:
    """Put a rule before the other rules of its tag, if `apply`; gives it as it is written. ConfigError if it is wrong."""
    quoted = "'" + pattern.replace("'", "''") + "'"
    under = f", heading: {_scalar(heading)}" if heading else ""
    rule = f"- {{target: {_scalar(target)}{under}, match: {quoted}}}"
    _change(path, lambda text: _with_rule(text, tag, rule), read_rules, apply=apply)
    return rule


def _scalar(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _change(
    path: Path, edit: Callable[[str], str], check: Callable[[yaml.Node | None, str], object], *, apply: bool = True
) -> None:
    text = edit(read_text(path))
    check(compose_text(text, str(path)), str(path))
    if not apply:
        return
    target = path.resolve()
    staged = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with staged.open("wb") as file:
            os.fchmod(file.fileno(), target.stat().st_mode & 0o777)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        staged.replace(target)
    finally:
        with suppress(OSError):
            staged.unlink()


def _with_value(text: str, names: list[str], written: str) -> str:
    node, column = compose_text(text, "bankd.yaml"), 0
    for depth, name in enumerate(names):
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((key, value) for key, value in pairs if key.value == name), None)
        if found is None:
            lines = "".join(f"{' ' * (column + 2 * step)}{key}:\n" for step, key in enumerate(names[depth:]))
            at = _end_of(text, node) if pairs else len(text)
            return f"{text[:at]}{lines[:-1]} {written}\n{text[at:]}"
        node, column = found[1], found[0].start_mark.column + 2
    start, end = (node.start_mark.index, node.end_mark.index) if node else (0, 0)
    gap = "" if start and text[start - 1].isspace() else " "
    return f"{text[:start]}{gap}{written}{text[end:]}"


def _end_of(text: str, node: yaml.Node | None) -> int:
    """The offset of the line after the last value in a node: YAML itself ends a block only after the comments that follow it."""
    while isinstance(node, (yaml.MappingNode, yaml.SequenceNode)) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return text.find("\n", node.end_mark.index if node else 0) + 1 or len(text)


def _with_rule(text: str, tag: str, rule: str) -> str:
    root = compose_text(text, "routing.yaml")
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    table = next((value for key, value in pairs if key.value == "TAG_ROUTING"), None)
    tags = table.value if isinstance(table, yaml.MappingNode) else []
    rules = next((value for key, value in tags if key.value == tag), None)
    if isinstance(rules, yaml.SequenceNode) and rules.value and not rules.flow_style:
        at = text.rindex("\n", 0, rules.value[0].start_mark.index) + 1
        indent = " " * rules.start_mark.column
        return f"{text[:at]}{indent}{rule}\n{text[at:]}"
    if not tags:
        return f"{text.rstrip()}\n\nTAG_ROUTING:\n  {tag}:\n    {rule}\n"
    key = tags[0][0].start_mark
    at = text.rindex("\n", 0, key.index) + 1
    return f"{text[:at]}{' ' * key.column}{tag}:\n{' ' * (key.column + 2)}{rule}\n{text[at:]}"
