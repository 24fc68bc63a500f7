"""Pages chosen by what stands there already."""

from __future__ import annotations

import pytest

from bankd.memory.route import Similar, choose_page, find_claims, route_memory
from bankd.pages.memory import Memory, parse_memory
from tests.unit.test_routing import rules


def like(page: str, score: float, tag: str = "W", *entities: str) -> Similar:
    return Similar(f"m-{page}-{score}", page, tag, "The purple umbrella stands by the door", score, entities)


def page_for(*similar: Similar, line: str = "W: The umbrella is purple.") -> str | None:
    found = choose_page(parse_memory(line), similar)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("similar", "page"),
    [
        ([], None),
        ([like("a.md", 0.3)], "a.md"),
        ([like("a.md", 0.1)], None),
        ([like("a.md", 0.3), like("b.md", 0.25), like("c.md", 0.2)], None),
        ([like("a.md", 0.3), like("b.md", 0.2), like("a.md", 0.1)], "a.md"),
        ([like("a.md", 0.3, "B"), like("b.md", 0.2, "W")], "b.md"),
        ([like("_meta/inbox.md", 0.9), like("a.md", 0.3)], "a.md"),
    ],
)
def test_the_most_similar_memories_decide_when_they_agree_clearly(similar: list[Similar], page: str | None) -> None:
    assert page_for(*similar) == page


def test_a_page_claims_nothing_by_others_of_another_tag() -> None:
    assert page_for(like("a.md", 0.9, "O"), like("a.md", 0.1)) is None
    assert page_for(like("a.md", 0.9, "O"), like("a.md", 0.2)) == "a.md"


def test_what_is_said_of_somebody_says_nothing_of_who_does_not_name_them() -> None:
    of_kim = like("entities/Kim.md", 0.9, "W", "Kim")

    assert page_for(of_kim) is None
    assert page_for(of_kim, like("a.md", 0.2)) == "a.md"
    assert page_for(of_kim, line="W @Kim: has an umbrella") == "entities/Kim.md"


def test_rules_and_entities_stand_before_likeness_and_defaults_behind_it() -> None:
    given = rules("TAG_ROUTING: {W: [{match: rain, target: rule.md}]}\ndefaults: {W: default.md}")

    def similar(_: Memory) -> list[Similar]:
        return [like("like.md", 0.3)]

    found = [route_memory(parse_memory(text), given, similar).page for text in ("W: rain", "W @Kim: x", "W: x")]
    assert found == ["rule.md", "entities/Kim.md", "like.md"]
    assert [place.page for place in find_claims(parse_memory("W: x"), given, similar)] == ["like.md", "default.md"]
    assert "m-like.md-0.3 (0.30) The purple umbrella" in route_memory(parse_memory("W: x"), given, similar).reason


def test_likeness_can_be_turned_off() -> None:
    given = rules("similar: false")

    assert route_memory(parse_memory("W: x"), given, lambda _: [like("like.md", 0.9)]).page == "_meta/inbox.md"
