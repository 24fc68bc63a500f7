"""The shipped rules, and what a rule may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.config.routing import read_rules
from bankd.config.workspace import ConfigError, load_rules
from bankd.config.yaml import compose_text
from bankd.memory.route import Rules, find_claims, problem_of_target, route_memory
from bankd.pages.memory import Memory, parse_memory
from bankd.shipped import shipped_folder

RULES = load_rules(shipped_folder("config") / "routing.yaml")


def rules(text: str) -> Rules:
    return read_rules(compose_text(text, "routing.yaml"), "routing.yaml")


def page_of(line: str, given: Rules = RULES) -> str:
    return route_memory(parse_memory(line), given).page


@pytest.mark.parametrize(
    ("line", "page"),
    [
        ("S: 가치관: 정직을 최우선으로 한다.", "identity/values.md"),
        ("B: 아침마다 로그를 먼저 읽는 루틴을 지킨다.", "daily/routines.md"),
        ("W @Peter: Currently in Marrakech (Nov 27-Dec 1) for Andy's birthday.", "world/events.md"),
        ("O(c=0.95) @Peter: Prefers concise replies.", "opinions/preferences.md"),
        ("W @Minho: 보라색을 닮았다", "entities/Minho.md"),
        ("W: 냉장고 문이 안 닫혀서 고무 패킹을 갈았다.", "daily/home.md"),
        ("W: 사무실은 성수역에서 걸어서 5분이다.", "identity/profile.md"),
        ("W: Please see below", "_meta/inbox.md"),
    ],
)
def test_shipped_rules_place_what_people_write(line: str, page: str) -> None:
    assert page_of(line) == page


def test_the_shipped_rules_can_be_read_in_one_sitting() -> None:
    assert len(RULES.rules) <= 20


def test_latin_words_match_whole_words_and_hangul_with_its_particles() -> None:
    given = rules("TAG_ROUTING: {W: [{match: 'it|tools?|도구', target: knowledge/tools.md}]}")

    hits = [page_of(f"W: {text}", given) for text in ("submit a form", "toolkit", "MongoDB-tool", "도구를 쓴다", "its")]
    assert [page == "knowledge/tools.md" for page in hits] == [False, False, True, True, False]


def test_a_rule_may_match_inside_words_when_it_says_so() -> None:
    given = rules("TAG_ROUTING: {W: [{match: tool, target: a.md, whole_words: false}]}")

    assert page_of("W: toolkit", given) == "a.md"


def test_the_first_rule_wins_then_entity_then_default_then_inbox() -> None:
    given = rules(
        "TAG_ROUTING: {W: [{match: a, target: 1.md}, {match: a, target: 2.md}]}\ndefaults: {W: w.md, B: b.md}"
    )

    assert page_of("W @Kim: a", given) == "1.md"
    assert page_of("W @Kim @Lee: x", given) == "entities/Kim.md"
    assert page_of("W: x", given) == "w.md"
    assert page_of("B: x", given) == "b.md"
    assert page_of("O: x", given) == "_meta/inbox.md"
    claims = [found.page for found in find_claims(parse_memory("W @Kim: a"), given)]
    assert claims == ["1.md", "2.md", "entities/Kim.md", "w.md"]


def test_all_problems_of_a_file_are_reported_at_once_with_their_lines() -> None:
    text = """
TAG_ROUTING:
  W:
    - {match: '(?=a)b', target: a.md}
    - {match: a, target: ../../etc/x}
    - {match: a}
    - {match: a, target: a.md, colour: red}
  X: []
"""
    with pytest.raises(ConfigError) as caught:
        rules(text)

    said = str(caught.value)
    assert [f"routing.yaml:{line}:" in said for line in (4, 5, 6, 7, 8)] == [True] * 5


def test_a_nested_quantifier_costs_nothing() -> None:
    given = rules("TAG_ROUTING: {W: [{match: '(a+)+$', target: a.md}]}")

    assert page_of("W: " + "a" * 5000 + "!", given) == "_meta/inbox.md"


@pytest.mark.parametrize(
    "target",
    ["/etc/x.md", "../x.md", "a/../../x.md", "a//b.md", "x.txt", ".hidden.md", "a\0.md", "a:b.md", "가" * 80 + ".md"],
)
def test_targets_stay_inside_the_bank(target: str) -> None:
    assert problem_of_target(target)


def test_a_long_slug_still_gives_a_name_that_file_systems_take() -> None:
    page = route_memory(Memory("x", "W", None, ("가" * 300,)), rules("entities: true")).page

    assert len(Path(page).name.encode()) <= 210
    assert problem_of_target(page) is None
