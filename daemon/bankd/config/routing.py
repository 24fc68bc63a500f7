"""TAG_ROUTING rules, read from `routing.yaml` and compiled with google-re2.

RE2 runs in linear time whatever the pattern; what it does not support is an error with file and line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from bankd.config.patterns import PatternSet, compile_pattern
from bankd.config.plain_yaml import ConfigError, Problem, compose_text, mapping_of, raise_problems, read_text
from bankd.core.lifecycle.routing import Rule, Rules, problem_of_target, whole_words
from bankd.core.markdown.memory import TAGS

_RULE_KEYS = ("match", "target", "heading", "whole_words", "entity")
_FLAGS = ("whole_words", "entity")


def load_rules(path: Path, text: str | None = None) -> Rules:
    """Read a `routing.yaml`, or a text that stood there; ConfigError with every problem in it."""
    return read_rules(compose_text(read_rules_text(path) if text is None else text, str(path)), str(path))


def read_rules_text(path: Path) -> str:
    """Read the file of rules as it is written; ConfigError when it cannot be read."""
    if not path.exists():
        raise ConfigError(f"{path}: no such file; make it, or correct the setting `routing` in bankd.yaml")
    return read_text(path)


def read_rules(node: yaml.Node | None, name: str) -> Rules:
    """Read rules from YAML nodes; `name` is what errors call the file."""
    problems: list[Problem] = []
    keys = mapping_of(node, problems, "the file")
    problems += [(line, f"unknown key {key}") for key, (line, _) in keys.items() if key not in _TOP_KEYS]
    patterns = PatternSet()
    rules = _read_tags(keys.get("TAG_ROUTING", (1, None))[1], problems, patterns)
    defaults = _read_defaults(keys.get("defaults", (1, None))[1], problems)
    entities = _flag(keys.get("entities", (1, None))[1], "entities", problems)
    raise_problems(name, problems)
    return Rules(tuple(rules), defaults, entities, patterns.found_in)


_TOP_KEYS = ("TAG_ROUTING", "defaults", "entities")


def _read_tags(node: yaml.Node | None, problems: list[Problem], patterns: PatternSet) -> list[Rule]:
    rules: list[Rule] = []
    for tag, (line, value) in mapping_of(node, problems, "TAG_ROUTING").items():
        if tag not in TAGS:
            problems.append((line, f"unknown tag {tag}; use {', '.join(TAGS)}"))
        elif not isinstance(value, yaml.SequenceNode):
            problems.append((line, f"TAG_ROUTING.{tag} must be a list of rules"))
        else:
            rules += [rule for item in value.value if (rule := _read_rule(tag, item, problems, patterns))]
    return rules


def _read_rule(tag: str, node: yaml.Node, problems: list[Problem], patterns: PatternSet) -> Rule | None:
    keys = mapping_of(node, problems, "a rule")
    line = node.start_mark.line + 1
    problems += [
        (n, f"unknown key {key}; a rule has {', '.join(_RULE_KEYS)}")
        for key, (n, _) in keys.items()
        if key not in _RULE_KEYS
    ]
    texts = {key: _text(value, key, problems) for key, (_, value) in keys.items() if key not in _FLAGS}
    if missing := [key for key in ("match", "target") if not texts.get(key)]:
        problems.append((line, f"a rule needs {' and '.join(missing)}"))
        return None
    if problem := problem_of_target(texts["target"]):
        problems.append((keys["target"][0], problem))
    whole, entity = (_flag(keys.get(flag, (line, None))[1], flag, problems) for flag in _FLAGS)
    compiled = _compile(texts["match"], keys["match"][0], problems, whole=whole)
    if compiled is None:
        return None
    patterns.add(compiled)
    return Rule(tag, texts["match"], texts["target"], texts.get("heading"), keys["match"][0], entity)


def _read_defaults(node: yaml.Node | None, problems: list[Problem]) -> dict[str, str]:
    found = {}
    for tag, (line, value) in mapping_of(node, problems, "defaults").items():
        target = _text(value, f"defaults.{tag}", problems)
        if tag not in TAGS:
            problems.append((line, f"unknown tag {tag}; use {', '.join(TAGS)}"))
        elif problem := problem_of_target(target):
            problems.append((line, problem))
        found[tag] = target
    return found


def _text(node: yaml.Node, key: str, problems: list[Problem]) -> str:
    if not isinstance(node, yaml.ScalarNode):
        problems.append((node.start_mark.line + 1, f"{key} must be a text"))
        return ""
    return str(node.value)


def _flag(node: yaml.Node | None, key: str, problems: list[Problem]) -> bool:
    if node is None:
        return True
    text = _text(node, key, problems)
    if text not in {"true", "false"}:
        problems.append((node.start_mark.line + 1, f"{key} must be true or false, not {text[:40]!r}"))
    return text != "false"


def _compile(pattern: str, line: int, problems: list[Problem], *, whole: bool) -> Any:
    """The compiled pattern; None with a problem told."""
    try:
        compiled = compile_pattern(pattern)
        return compile_pattern(whole_words(pattern)) if whole else compiled
    except ValueError as error:
        problems.append((line, f"pattern {pattern[:60]!r}: {error}"))
        return None
