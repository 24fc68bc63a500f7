"""Plain YAML as settings files need it: nodes with their lines, and every scalar as the text that was typed.

Anchors, aliases, tags and merge keys are refused, and size and depth are capped, so that no file can be a bomb and
`no`, `010` and `12:30` are what the user wrote. The pure Python loader is used on purpose: the C one crashes on depth.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import yaml

from bankd.errors import UserError

MAX_BYTES = 64 * 1024
MAX_DEPTH = 32
MAX_NODES = 2000

Problem: TypeAlias = tuple[int, str]
"""A 1-based line and what is wrong there."""


class ConfigError(UserError):
    """A settings or routing file that cannot be used; every problem with its file and line, and what to do."""

    def __init__(self, *problems: str) -> None:
        """Take every problem found."""
        super().__init__(*problems, "nothing is written until that is corrected; bankctl config check says when it is")
        self.problems = problems


class _Loader(yaml.SafeLoader):
    """Composes nodes only; nothing is constructed, so no value is guessed."""

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
        if self._nodes > MAX_NODES or self._depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="too many or too deeply nested values", problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def compose_yaml(path: Path) -> yaml.Node | None:
    """Read a YAML file into nodes; ConfigError when it cannot be read as plain YAML."""
    return compose_text(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Read a settings file; ConfigError when it cannot be read or is no text of a sensible size."""
    try:
        data = path.read_bytes()
        if len(data) > MAX_BYTES:
            raise ConfigError(f"{path}: larger than {MAX_BYTES // 1024} KiB; a settings file needs less")
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
    """Nobody changes a node, and the banks of a fleet say the same in their settings: read once, not each night."""
    loader = _Loader(text)
    return loader.get_single_node()


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
            problems.append((line, f"{name} stands twice; the first is on line {found[name][0]}"))
        else:
            found[name] = (line, value)
    return found


def raise_problems(name: str, problems: list[Problem]) -> None:
    """Raise all problems of a file at once; none, and nothing happens."""
    if problems:
        raise ConfigError(*name_problems(name, problems))


def name_problems(name: str, problems: list[Problem]) -> tuple[str, ...]:
    """The problems of a file with its name, in the order of its lines."""
    return tuple(f"{name}:{line}: {text}" for line, text in sorted(problems))
