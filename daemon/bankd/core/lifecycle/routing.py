"""Where a memory belongs: TAG_ROUTING rules, pages of entities, what it is like, its kind, a default page a tag, else the inbox.

Patterns are compiled elsewhere (google-re2, in config), and all looked for at once; a rule is known by its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from bankd.core.lifecycle.page_classifier import Classified
from bankd.core.lifecycle.similar import Similar, choose_page, is_close
from bankd.core.markdown.memory import Memory
from bankd.core.markdown.names import INBOX, is_own

_MAX_LEVELS = 8
_SHOWN = 40  # characters of a memory that says why
_MAX_NAME_BYTES = 200  # file systems allow 255; staging names and suffixes need room
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')

FindSimilar: TypeAlias = Callable[[Memory], Sequence[Similar]]
HasPage: TypeAlias = Callable[[str], bool]
"""Whether the bank has a page, relative to bank/, by this name or another."""


class RoutingRule(NamedTuple):
    """One line of TAG_ROUTING; `line` is where it stands in its file, 1-based; `entity` false: only of no @Slug."""

    tag: str
    pattern: str
    target: str
    heading: str | None
    line: int
    is_whole: bool = True
    entity: bool = True


@dataclass(frozen=True, slots=True)
class Rules:
    """The routing of a workspace: ordered rules, optional defaults, whether entities have pages, and likeness a say.

    `matching` gives the places in `rules` of those whose pattern a text has; `classify` says what kind a memory is of.
    """

    rules: tuple[RoutingRule, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    entities: bool = True
    similar: bool = True
    matching: Callable[[str], Collection[int]] = field(default=lambda _: (), compare=False, repr=False)
    classify: Callable[[Memory], Classified | None] = field(default=lambda _: None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Destination:
    """A page and heading for a memory, and the reason in words."""

    page: str
    heading: str | None
    reason: str


_UNPLACED = Destination(INBOX, None, "no rule matched")


def _like_nothing(_: Memory) -> Sequence[Similar]:
    return ()


def _every_page(_: str) -> bool:
    return True


def route_memory(
    memory: Memory, rules: Rules, find_similar: FindSimilar = _like_nothing, has_page: HasPage = _every_page
) -> Destination:
    """The place of a memory: the first rule that matches, its entity's page, that of similar memories, a default, or the inbox.

    `find_similar` gives the memories of the bank that are like one, the most similar first; only what no rule claims asks.
    """
    return next(_claiming(memory, rules, find_similar, has_page), _UNPLACED)


def find_claims(
    memory: Memory, rules: Rules, find_similar: FindSimilar = _like_nothing, has_page: HasPage = _every_page
) -> list[Destination]:
    """Every place that claims a memory, the one that wins first; the inbox claims what nobody else does."""
    return list(_claiming(memory, rules, find_similar, has_page)) or [_UNPLACED]


def _claiming(memory: Memory, rules: Rules, find_similar: FindSimilar, has_page: HasPage) -> Iterator[Destination]:
    for rule in (rules.rules[place] for place in sorted(rules.matching(unicodedata.normalize("NFC", memory.text)))):
        if rule.tag == memory.tag and (rule.entity or not memory.entities):
            yield Destination(rule.target, rule.heading, f"rule of {rule.tag} in line {rule.line}")
    if rules.entities and memory.entities:
        yield Destination(entity_page(memory.entities[0]), None, f"names @{memory.entities[0]}")
    if rules.similar:
        yield from _likely_places(memory, rules, find_similar, has_page)
    if memory.tag is not None and memory.tag in rules.defaults:
        yield Destination(rules.defaults[memory.tag], None, f"default of {memory.tag}")


def _likely_places(memory: Memory, rules: Rules, find_similar: FindSimilar, has_page: HasPage) -> Iterator[Destination]:
    """Where memories like it stand, and where its kind does; a page of the user's own is known by likeness alone."""
    found = choose_page(memory, find_similar(memory))
    like = [_place_beside(*found)] if found else []
    if found and is_close(memory, found[1]):
        yield like.pop()
    kind = rules.classify(memory) if not memory.entities else None
    kinds = [_place_of_kind(kind)] if kind and has_page(kind.page) else []  # one that was taken away is not made anew
    is_one_of_them = kind is not None and found is not None and found[0] in kind.among
    yield from (*kinds, *like) if is_one_of_them else (*like, *kinds)


def _place_of_kind(kind: Classified) -> Destination:
    said = f"what {kind.page} is about ({kind.probability:.2f}): {', '.join(kind.words)}"
    return Destination(kind.page, None, said)


def _place_beside(page: str, witnesses: Sequence[Similar]) -> Destination:
    said = ", ".join(f"{one.name} ({one.score:.2f}) {_beginning(one.text)}" for one in witnesses)
    return Destination(page, None, f"like {said}")


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"


def entity_page(slug: str) -> str:
    """The page of an entity; a slug is letters, digits, `-` and `_` by its grammar."""
    name = unicodedata.normalize("NFC", slug)
    while len(f"{name}.md".encode()) > _MAX_NAME_BYTES:
        name = name[:-1]
    return f"entities/{name}.md"


def expressions_of(rules: Iterable[RoutingRule]) -> tuple[str, ...]:
    """What is looked for: a match of whole words does not begin or end inside a Latin word or number.

    So `tool` is not in `toolkit`, nor `it` in `submit`. Hangul is not concerned, for particles follow a word: 도구
    matches 도구를. RE2 has no look-around, so an edge is the text's own edge, a character that is no Latin one, or a
    boundary between the two kinds.
    """
    return tuple(rf"(?:^|\W|\b)(?:{rule.pattern})(?:$|\W|\b)" if rule.is_whole else rule.pattern for rule in rules)


def problems_of_targets(targets: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """What is wrong with targets, each with its line."""
    return [(line, problem) for line, target in targets if (problem := problem_of_target(target))]


def problem_of_target(target: str) -> str | None:
    """What is wrong with a target, or None: relative to `bank/`, a page, and inside."""
    parts = target.split("/")
    if target.startswith(("/", "~")) or ".." in parts or "." in parts or "" in parts:
        return f"target {target!r} must be a path relative to bank/, without `..`"
    if _FORBIDDEN.search(target):
        return f"target {target!r} has a character that file systems or Obsidian refuse"
    if not target.endswith(".md"):
        return f"target {target!r} must be a page that ends in .md"
    if len(parts) > _MAX_LEVELS or max(map(len, target.encode().split(b"/"))) > _MAX_NAME_BYTES:
        return f"target {target!r} is deeper than {_MAX_LEVELS} levels or has a name over {_MAX_NAME_BYTES} bytes"
    return _why_reserved(target)


def _why_reserved(target: str) -> str | None:
    if target.startswith(".") or "/." in target:
        return f"target {target!r} names a hidden file"
    if is_own(target):
        return f"target {target!r} is in bank/_meta/, where bankd keeps its own pages; name a page elsewhere"
    return None
