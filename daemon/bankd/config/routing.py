"""The rules of `routing.yaml`, and the classifier for lines that no rule claims.

The patterns of rules and of secrets are compiled by RE2: it takes linear time whatever a pattern says. The classifier learns
from the example lines that ship beside the rules, `config/examples.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import re2
import yaml

from bankd.config import shipped_folder
from bankd.config.yaml import ConfigError, Problem, compose_text, mapping_of, raise_problems, read_text
from bankd.memory.route import (
    ExampleLine,
    PageClassifier,
    RoutingRule,
    Rules,
    expressions_of,
    problems_of_targets,
)
from bankd.pages.memory import TAGS
from bankd.pages.scanner import encode_text
from bankd.secrets.screening import Finder

_RULE_KEYS = ("match", "target", "heading", "whole_words", "entity")
_RULE_FLAGS = ("whole_words", "entity")


def load_rules(path: Path, text: str | None = None) -> Rules:
    """Read a `routing.yaml`, or an earlier text of it; ConfigError with every problem in it."""
    return read_rules(compose_text(read_rules_text(path) if text is None else text, str(path)), str(path))


def read_rules_text(path: Path) -> str:
    """Read the text of the file of rules; ConfigError when it cannot be read."""
    if not path.exists():
        raise ConfigError(f"{path}: no such file; make it, or correct the setting `routing` in bankd.yaml")
    return read_text(path)


def read_rules(node: yaml.Node | None, name: str) -> Rules:
    """Read rules from YAML nodes; `name` is what errors call the file."""
    reading = _RuleReader(name.rpartition("/")[2])
    keys = mapping_of(node, reading.problems, "the file")
    known = ("TAG_ROUTING", "defaults", "entities", "similar")
    reading.problems += [(line, f"unknown key {key}") for key, (line, _) in keys.items() if key not in known]
    nodes = {key: value for key, (_, value) in keys.items()}
    rules, defaults = reading.rules(nodes.get("TAG_ROUTING")), reading.defaults(nodes.get("defaults"))
    entities, similar = (reading.flag(nodes.get(flag), flag) for flag in ("entities", "similar"))
    raise_problems(name, reading.problems + problems_of_targets(reading.targets))
    return Rules(rules, defaults, entities, similar, find_together(expressions_of(rules)), shipped_kinds)


class _RuleReader:
    """Reads the nodes of a file of rules; collects every problem, and every target with its line."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.problems: list[Problem] = []
        self.targets: list[tuple[int, str]] = []

    def rules(self, node: yaml.Node | None) -> tuple[RoutingRule, ...]:
        rules: list[RoutingRule | None] = []
        for tag, (line, value) in mapping_of(node, self.problems, "TAG_ROUTING").items():
            if self._is_tag(tag, line):
                if isinstance(value, yaml.SequenceNode):
                    rules += [self._rule(tag, item) for item in value.value]
                else:
                    self.problems.append((line, f"TAG_ROUTING.{tag} must be a list of rules"))
        return tuple(filter(None, rules))

    def _rule(self, tag: str, node: yaml.Node) -> RoutingRule | None:
        keys = mapping_of(node, self.problems, "a rule")
        known = ", ".join(_RULE_KEYS)
        self.problems += [
            (n, f"unknown key {key}; a rule has {known}") for key, (n, _) in keys.items() if key not in _RULE_KEYS
        ]
        texts = {key: self._text(value, key) for key, (_, value) in keys.items() if key not in _RULE_FLAGS}
        if missing := [key for key in ("match", "target") if not texts.get(key)]:
            self.problems.append((node.start_mark.line + 1, f"a rule needs {' and '.join(missing)}"))
            return None
        (line, _), pattern = keys["match"], texts["match"]
        self.targets.append((keys["target"][0], texts["target"]))
        flags = [self.flag(keys.get(flag, (0, None))[1], flag) for flag in _RULE_FLAGS]
        try:
            compile_pattern(pattern)
        except ValueError as error:
            self.problems.append((line, f"pattern {pattern[:60]!r}: {error}"))
        return RoutingRule(tag, pattern, texts["target"], texts.get("heading"), f"{self._file}:{line}", *flags)

    def defaults(self, node: yaml.Node | None) -> dict[str, str]:
        found = {}
        for tag, (line, value) in mapping_of(node, self.problems, "defaults").items():
            self._is_tag(tag, line)
            found[tag] = self._text(value, f"defaults.{tag}")
            self.targets.append((line, found[tag]))
        return found

    def flag(self, node: yaml.Node | None, key: str) -> bool:
        """The value of a flag; true if it is not given."""
        text = "true" if node is None else self._text(node, key)
        if node is not None and text not in {"true", "false"}:
            self.problems.append((node.start_mark.line + 1, f"{key} must be true or false, not {text[:40]!r}"))
        return text != "false"

    def _is_tag(self, tag: str, line: int) -> bool:
        if tag not in TAGS:
            self.problems.append((line, f"unknown tag {tag}; use {', '.join(TAGS)}"))
        return tag in TAGS

    def _text(self, node: yaml.Node, key: str) -> str:
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        self.problems.append((node.start_mark.line + 1, f"{key} must be a text"))
        return ""


@cache
def shipped_kinds() -> PageClassifier:
    """What the pages of the template are about, by the shipped examples. It is trained when first needed: in most runs the rules claim every line."""
    return PageClassifier(read_examples((shipped_folder("config") / "examples.md").read_text(encoding="utf-8")))


def read_examples(text: str) -> list[ExampleLine]:
    """Read the examples: under each page (`# daily/home.md`) the lines that belong on it (`- W: …`)."""
    examples: list[ExampleLine] = []
    page = ""
    for title, tag, said in re.findall(r"^(?:# (.+)|- ([WBOS]): (.+))$", text, re.MULTILINE):
        page = title or page
        if said and page:
            examples.append((page, tag, said))
    return examples


@lru_cache(maxsize=8)
def find_together(patterns: tuple[str, ...]) -> Callable[[str], Collection[int]]:
    """Make a function that looks for all patterns in a text in one pass, and gives the indices of those found.

    The patterns are compiled when the function is first called, and kept: the banks of a fleet have the same ones.
    """

    @cache
    def compiled() -> Any:
        # RE2 does not say when the memory of a set is too small: 256 MiB are ample.
        found = re2.Set.SearchSet(_options(256 << 20))
        for pattern in patterns:
            found.Add(pattern)
        found.Compile()
        return found

    return lambda text: compiled().Match(encode_text(text)) or () if patterns else ()


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern that ignores case; ValueError says what RE2 does not support."""
    if len(pattern) > 2000:
        raise ValueError("longer than 2000 characters; make several rules of it")
    try:
        return re2.compile(pattern, _options(8 << 20))
    except re2.error as error:
        reason = error.args[0]
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"{said} (the syntax is RE2: no look-around, no backreferences)") from error


def _options(memory: int) -> Any:
    """Options for at most this many bytes of memory."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = memory
    return options


def compile_finders(patterns: Sequence[str]) -> tuple[Finder, ...]:
    """Compile the secret patterns of a settings file, which were checked when it was read."""
    return tuple(_finder(compile_pattern(pattern)) for pattern in patterns)


def _finder(compiled: Any) -> Finder:
    return lambda text: [found.span() for found in compiled.finditer(text) if found.end() > found.start()]
