"""The rules of `routing.yaml`, compiled by RE2, and the classifier for lines that no rule claims.

The classifier learns from the example lines that ship beside the rules, `config/examples.md`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import yaml

from bankd.config.patterns import compile_pattern, find_together
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
from bankd.shipped import shipped_folder

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
    reading = _RuleReader()
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

    def __init__(self) -> None:
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
        return RoutingRule(tag, pattern, texts["target"], texts.get("heading"), line, *flags)

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
