"""Where a memory belongs: TAG_ROUTING rules, a default page a tag, pages of entities, else the inbox.

Patterns are compiled elsewhere (google-re2, in `config`), and looked for all at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from bankd.core.markdown.memory import Memory
from bankd.core.markdown.own_pages import INBOX, is_own

_MAX_LEVELS = 8
_MAX_NAME_BYTES = 200  # file systems allow 255; staging names and suffixes need room
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')

Matching: TypeAlias = Callable[[str], Iterable[int]]
"""The places, among the rules, of those whose pattern a text has."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of TAG_ROUTING; `line` is where it stands in its file, 1-based."""

    tag: str
    pattern: str
    target: str
    heading: str | None
    line: int
    entity: bool = True

    def is_for(self, memory: Memory) -> bool:
        """Whether the rule is for memories of this tag; `entity` false: only for those of no @Slug."""
        return memory.tag == self.tag and (self.entity or not memory.entities)


@dataclass(frozen=True)
class Rules:
    """The routing of a workspace: ordered rules, optional defaults, and whether entities have pages."""

    rules: tuple[Rule, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    entities: bool = True
    matching: Matching = field(default=lambda _: (), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Destination:
    """A page and heading for a memory, and the words for why."""

    page: str
    heading: str | None
    reason: str


_UNPLACED = Destination(INBOX, None, "no rule matched")


def route_memory(memory: Memory, rules: Rules) -> Destination:
    """The place of a memory: the first rule that matches, its entity's page, its tag's default, or the inbox."""
    return next(_claiming(memory, rules), _UNPLACED)


def find_claims(memory: Memory, rules: Rules) -> list[Destination]:
    """Every place that claims a memory, the one that wins first; the inbox claims what nobody else does."""
    return list(_claiming(memory, rules)) or [_UNPLACED]


def _claiming(memory: Memory, rules: Rules) -> Iterator[Destination]:
    matching = rules.matching(unicodedata.normalize("NFC", memory.text))
    for rule in (rules.rules[number] for number in sorted(matching)):
        if rule.is_for(memory):
            yield Destination(rule.target, rule.heading, f"rule of {rule.tag} in line {rule.line}")
    if rules.entities and memory.entities:
        yield Destination(entity_page(memory.entities[0]), None, f"names @{memory.entities[0]}")
    if memory.tag is not None and memory.tag in rules.defaults:
        yield Destination(rules.defaults[memory.tag], None, f"default of {memory.tag}")


def entity_page(slug: str) -> str:
    """The page of an entity; a slug is letters, digits, `-` and `_` by its grammar."""
    name = unicodedata.normalize("NFC", slug)
    while len(f"{name}.md".encode()) > _MAX_NAME_BYTES:
        name = name[:-1]
    return f"entities/{name}.md"


def whole_words(pattern: str) -> str:
    """Keep a match from beginning or ending inside a Latin word or number: `tool` not in `toolkit`, `it` not in `submit`.

    Hangul is not concerned, for particles follow a word: 도구 matches 도구를. RE2 has no look-around, so an edge is
    the text's own edge, a character that is no Latin one, or a boundary between the two kinds.
    """
    return rf"(?:^|\W|\b)(?:{pattern})(?:$|\W|\b)"


def problem_of_target(target: str) -> str | None:
    """What is wrong with a target, or None: relative to `bank/`, a page, and inside."""
    parts = target.split("/")
    if target.startswith(("/", "~")) or ".." in parts or "." in parts or "" in parts:
        return f"target {target!r} must be a path relative to bank/, without `..`"
    if _FORBIDDEN.search(target):
        return f"target {target!r} has a character that file systems or Obsidian refuse"
    if not target.endswith(".md"):
        return f"target {target!r} must be a page that ends in .md"
    if len(parts) > _MAX_LEVELS or any(len(part.encode()) > _MAX_NAME_BYTES for part in parts):
        return f"target {target!r} is deeper than {_MAX_LEVELS} levels or has a name over {_MAX_NAME_BYTES} bytes"
    return _why_reserved(target)


def _why_reserved(target: str) -> str | None:
    if any(part.startswith(".") for part in target.split("/")):
        return f"target {target!r} names a hidden file"
    if is_own(target):
        return f"target {target!r} is in bank/_meta/, where bankd keeps its own pages; name a page elsewhere"
    return None
