"""The example lines that ship beside the rules, `config/examples.md`: what no rule claims goes where lines like it belong.

TAG_ROUTING rules, read from `routing.yaml` and compiled with google-re2.

RE2 runs in linear time whatever the pattern; what it does not support is an error with file and line.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import yaml

from bankd.config.patterns import compile_pattern, find_together
from bankd.config.yaml import ConfigError, Problem, compose_text, mapping_of, raise_problems, read_text
from bankd.memory.route import (
    Classified,
    ExampleLine,
    PageClassifier,
    RoutingRule,
    Rules,
    expressions_of,
    problems_of_targets,
)
from bankd.pages.memory import TAGS, Memory
from bankd.shipped import shipped_folder

_PAGE_OR_LINE = re.compile(r"^(?:# (.+)|- ([WBOS]): (.+))$", re.MULTILINE)


def classify_memory(memory: Memory) -> Classified | None:
    """The page that a memory belongs on by its kind; None where that is not clear."""
    return _classifier().classify(memory)


@cache
def _classifier() -> PageClassifier:
    """Learns when the first line asks: most runs have none that no rule claims."""
    file = shipped_folder("config") / "examples.md"
    return PageClassifier(read_examples(file.read_text(encoding="utf-8")))


def read_examples(text: str) -> list[ExampleLine]:
    """Read lines below the page that they belong on: `# daily/home.md`, then `- W: …`."""
    examples: list[ExampleLine] = []
    page = ""
    for title, tag, said in _PAGE_OR_LINE.findall(text):
        page = title or page
        if said and page:
            examples.append((page, tag, said))
    return examples


_RULE_KEYS = ("match", "target", "heading", "whole_words", "entity")
_FLAGS = ("whole_words", "entity")


def load_rules(path: Path, text: str | None = None) -> Rules:
    """Read a `routing.yaml`, or a text that stood there; ConfigError with every problem in it."""
    return read_rules(compose_text(read_rules_text(path) if text is None else text, str(path)), str(path))


def read_rules_text(path: Path) -> str:
    """Read the text of the file of rules; ConfigError when it cannot be read."""
    if not path.exists():
        raise ConfigError(f"{path}: no such file; make it, or correct the setting `routing` in bankd.yaml")
    return read_text(path)


def read_rules(node: yaml.Node | None, name: str) -> Rules:
    """Read rules from YAML nodes; `name` is what errors call the file."""
    problems: list[Problem] = []
    keys = mapping_of(node, problems, "the file")
    problems += [(line, f"unknown key {key}") for key, (line, _) in keys.items() if key not in _TOP_KEYS]
    targets: list[tuple[int, str]] = []
    rules = tuple(_read_tags(keys.get("TAG_ROUTING", (1, None))[1], problems, targets))
    defaults = _read_defaults(keys.get("defaults", (1, None))[1], problems, targets)
    entities, similar = (_flag(keys.get(flag, (1, None))[1], flag, problems) for flag in ("entities", "similar"))
    problems += problems_of_targets(targets)
    raise_problems(name, problems)
    return Rules(rules, defaults, entities, similar, find_together(expressions_of(rules)), classify_memory)


_TOP_KEYS = ("TAG_ROUTING", "defaults", "entities", "similar")


def _read_tags(node: yaml.Node | None, problems: list[Problem], targets: list[tuple[int, str]]) -> list[RoutingRule]:
    rules: list[RoutingRule] = []
    for tag, (line, value) in mapping_of(node, problems, "TAG_ROUTING").items():
        if tag not in TAGS:
            problems.append((line, f"unknown tag {tag}; use {', '.join(TAGS)}"))
        elif not isinstance(value, yaml.SequenceNode):
            problems.append((line, f"TAG_ROUTING.{tag} must be a list of rules"))
        else:
            rules += [rule for item in value.value if (rule := _read_rule(tag, item, problems, targets))]
    return rules


def _read_rule(
    tag: str, node: yaml.Node, problems: list[Problem], targets: list[tuple[int, str]]
) -> RoutingRule | None:
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
    targets.append((keys["target"][0], texts["target"]))
    flags = (_flag(keys.get(flag, (line, None))[1], flag, problems) for flag in _FLAGS)
    _check_pattern(texts["match"], keys["match"][0], problems)
    return RoutingRule(tag, texts["match"], texts["target"], texts.get("heading"), keys["match"][0], *flags)


def _read_defaults(node: yaml.Node | None, problems: list[Problem], targets: list[tuple[int, str]]) -> dict[str, str]:
    found = {}
    for tag, (line, value) in mapping_of(node, problems, "defaults").items():
        target = _text(value, f"defaults.{tag}", problems)
        if tag not in TAGS:
            problems.append((line, f"unknown tag {tag}; use {', '.join(TAGS)}"))
        targets.append((line, target))
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


def _check_pattern(pattern: str, line: int, problems: list[Problem]) -> None:
    try:
        compile_pattern(pattern)
    except ValueError as error:
        problems.append((line, f"pattern {pattern[:60]!r}: {error}"))
