"""Plain YAML for settings files: nodes with their lines, and every scalar as the text that was typed.

Anchors, aliases and merge keys are refused, and size and depth are limited, so that no file can exhaust memory. `no`,
`010` and `12:30` stay as the user wrote them. The loader is the one in Python: the C loader crashes on deep nesting.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import yaml

from bankd.errors import UserError

_MAX_BYTES = 64 * 1024

Problem: TypeAlias = tuple[int, str]
"""A 1-based line and what is wrong there."""


class ConfigError(UserError):
    """A settings or routing file that cannot be used; every problem with its file and line, and what to do."""

    def __init__(self, *problems: str) -> None:
        """Take every problem found."""
        super().__init__(*problems, "nothing is written until this is corrected; to check it: bankctl config check")
        self.problems = problems


class _Loader(yaml.SafeLoader):
    """Composes nodes only; it constructs no objects, so no value changes its type."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._nodes = 0
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's parser has no types
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=event.start_mark)
        self._nodes += 1
        self._depth += 1
        if self._nodes > 2000 or self._depth > 32:
            raise yaml.MarkedYAMLError(problem="too many or too deeply nested values", problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def read_text(path: Path) -> str:
    """Read a settings file; ConfigError when it cannot be read, is too large, or is not UTF-8."""
    try:
        data = path.read_bytes()
        if len(data) > _MAX_BYTES:
            raise ConfigError(f"{path}: larger than {_MAX_BYTES // 1024} KiB; a settings file needs less")
        return data.decode("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error


def compose_text(text: str, name: str) -> yaml.Node | None:
    """Read YAML text into nodes; `name` is what errors call it."""
    try:
        return _compose(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = str(error.problem or error.context)
        said = "a tab; YAML is indented with spaces" if "'\\t'" in problem else problem
        raise ConfigError(f"{name}:{line}: {said}") from error
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise ConfigError(f"{name}: not readable as YAML: {error}") from error


@lru_cache(maxsize=8)
def _compose(text: str) -> yaml.Node | None:
    """Kept, because nobody changes a node and the banks of a fleet have the same settings."""
    return _Loader(text).get_single_node()


def mapping_of(node: yaml.Node | None, problems: list[Problem], what: str) -> dict[str, tuple[int, yaml.Node]]:
    """The keys of a mapping node with their 1-based lines; duplicates and merge keys are problems."""
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return {}
    if not isinstance(node, yaml.MappingNode):
        problems.append((node.start_mark.line + 1, f"{what} must be a mapping of keys to values"))
        return {}
    found: dict[str, tuple[int, yaml.Node]] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        if name == "<<":
            problems.append((line, "merge keys (<<) are not allowed"))
        elif name in found:
            problems.append((line, f"{name} stands twice; first on line {found[name][0]}"))
        else:
            found[name] = (line, value)
    return found


def raise_problems(name: str, problems: list[Problem]) -> None:
    """Raise a ConfigError with all problems of a file; without problems, do nothing."""
    if problems:
        raise ConfigError(*name_problems(name, problems))


def name_problems(name: str, problems: list[Problem]) -> tuple[str, ...]:
    """The problems of a file with its name, in the order of its lines."""
    return tuple(f"{name}:{line}: {text}" for line, text in sorted(problems))
