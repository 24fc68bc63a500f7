"""The shipped rules, pages chosen by what stands there already, and the part of a split page that a memory goes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.config import shipped_folder
from bankd.config.workspace import ConfigError, load_rules, read_examples, shipped_kinds
from bankd.memory import route as page_classifier
from bankd.memory.route import (
    Destination,
    PageClassifier,
    PagePart,
    Rules,
    Similar,
    choose_page,
    choose_part,
    find_claims,
    read_part,
    route_memory,
)
from bankd.pages.memory import Memory, parse_memory
from bankd.pages.names import INBOX, problem_of_target
from bankd.pages.page import read_page
from bankd.pages.scanner import encode_text
from tests.examples import examples

RULES = load_rules(shipped_folder("config") / "routing.yaml")


def rules(text: str) -> Rules:
    return load_rules(Path("routing.yaml"), text)


def page_of(line: str, given: Rules = RULES) -> str:
    return route_memory(parse_memory(line), given).page


@pytest.mark.parametrize(("line", "page"), examples("kinds", "shipped rules"))
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


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("W: Jonas is allergic to nuts.", "entities/Jonas.md"),
        ("W: Jonas's mother sails.", "entities/Jonas.md"),
        ("W: 민아는 수영을 배운다.", "entities/민아.md"),
        ("W: 민아리 사람들은 친절하다.", "w.md"),
        ("W: the friend of Jonas sails.", "w.md"),
        ("W: jonas oil is dear.", "w.md"),
        ("W: People are kind.", "w.md"),
        ("W @Kim: Jonas is a friend.", "entities/Kim.md"),
    ],
)
def test_a_line_that_begins_with_the_name_of_a_page_of_somebody_goes_there(text: str, page: str) -> None:
    pages = {"entities/jonas.md", "entities/민아.md", "entities/people.md"}
    given = rules("defaults: {W: w.md}")

    assert route_memory(parse_memory(text), given, has_page=lambda page: page.casefold() in pages).page == page


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


PAGES = {
    "bank/k/full.md": "# Full\n\n- [도구](full/도구.md): 2 items\n- [People](full/people.md): 1 item\n- [Log](full/log.md)\n",
    "bank/k/full/도구.md": "## 도구\n\n- W: 편집기는 vim을 쓴다.\n- W: 터미널은 tmux.\n",
    "bank/k/full/people.md": "## People\n\n- W @Peter: Lives in Marrakech.\n",
    "bank/k/full/log.md": "## Log\n\n- [log 1](log/log-1.md): 9 items\n- [log 2](log/log-2.md): 9 items\n",
    "bank/k/full/log/log-1.md": "- W: met on 2026-04-02\n",
    "bank/k/full/log/log-2.md": "- W: met on 2026-05-02\n",
}


def view(path: str) -> PagePart | None:
    return read_part(read_page(path, encode_text(PAGES[path]))) if path in PAGES else None


@pytest.mark.parametrize(
    ("memory", "heading", "page", "under"),
    [
        (Memory("새 편집기를 시험했다"), None, "k/full/도구.md", None),
        (Memory("Likes tea.", entities=("Peter",)), None, "k/full/people.md", None),
        (Memory("anything at all"), "People", "k/full/people.md", "People"),
        (Memory("met on 2026-05-20"), None, "k/full/log/log-2.md", None),
        (Memory("전혀 다른 이야기"), None, "k/full.md", None),
        (Memory("vim"), "Full", "k/full.md", "Full"),
    ],
)
def test_a_memory_goes_to_the_part_that_fits_or_stays_with_the_hub(
    memory: Memory, heading: str | None, page: str, under: str | None
) -> None:
    found = choose_part(memory, Destination("k/full.md", heading, "rule"), view)

    assert (found.page, found.heading) == (page, under)


def test_a_page_that_is_no_hub_is_where_the_rule_said() -> None:
    destination = Destination("k/full/people.md", "New", "rule")

    assert choose_part(Memory("x"), destination, view) is destination


HOME, MONEY, HABITS = "daily/home.md", "daily/money.md", "patterns/habits.md"
EXAMPLES = """
- W: before the first page

# daily/home.md

- W: The boiler in the kitchen leaks.
- W: 거실 보일러가 샌다.

# daily/money.md

- W: The mortgage takes half of the wages.
- W: 대출 이자가 월급의 절반이다.

# daily/leisure.md

- W: Reads a novel by the window.

# patterns/habits.md

- B: Bites nails over the mortgage.
"""


def classifier() -> PageClassifier:
    return PageClassifier(read_examples(EXAMPLES))


def page_by_words(line: str) -> str | None:
    found = classifier().classify(parse_memory(line))
    return found and found.page


def test_examples_are_read_below_their_page() -> None:
    first, second = read_examples(EXAMPLES)[:2]
    assert first == (HOME, "W", "The boiler in the kitchen leaks.")
    assert second == (HOME, "W", "거실 보일러가 샌다.")


@pytest.mark.parametrize(("line", "page"), examples("kinds", "pages"))
def test_a_page_is_told_by_the_words_of_its_lines_and_by_the_tag(line: str, page: str) -> None:
    assert (page_by_words(line) or "") == page


def test_what_speaks_for_several_pages_alike_is_left_to_a_person() -> None:
    assert page_by_words("W: leaks half window") is None
    assert shipped_kinds().classify(parse_memory("W: The car cracked down.")) is None


def test_it_says_by_which_words_the_most_telling_first() -> None:
    found = classifier().classify(parse_memory("W: The boiler in the kitchen and the wages"))

    assert found is not None
    assert set(found.words) == {"boiler", "kitchen"}, "function words are no evidence"
    assert page_classifier.LEAST_SURE <= found.probability < 1


def test_the_kind_places_what_no_rule_claims_before_a_default() -> None:
    rules = Rules((), {"W": "world/facts.md"}, kinds=classifier)
    memory = parse_memory("W: A new boiler for the kitchen.")

    claims = find_claims(memory, rules)

    assert [claim.page for claim in claims] == [HOME, "world/facts.md"]
    assert claims[0].reason.startswith("what daily/home.md is about (")
    assert claims[0].reason.endswith("boiler, kitchen")


def test_a_page_that_was_taken_away_is_not_made_anew_for_a_kind() -> None:
    rules = Rules((), kinds=classifier)
    memory = parse_memory("W: A new boiler for the kitchen.")

    assert route_memory(memory, rules, has_page=lambda page: page != HOME).page == "_meta/inbox.md"


@pytest.mark.parametrize("memory", [parse_memory("W @Kim: A kitchen boiler."), parse_memory("W: A kitchen boiler.")])
def test_the_kind_is_asked_for_what_names_nobody_and_where_likeness_has_a_say(memory: Memory) -> None:
    asked = Rules((), entities=False, kinds=classifier)
    silent = Rules((), entities=False, similar=False, kinds=classifier)

    assert route_memory(memory, silent).page == "_meta/inbox.md"
    assert (route_memory(memory, asked).page == HOME) == (not memory.entities)


def test_the_shipped_examples_stand_on_pages_of_the_template() -> None:
    text = (shipped_folder("config") / "examples.md").read_text(encoding="utf-8")
    pages, tags, said = zip(*read_examples(text), strict=True)
    template = shipped_folder("bank_template")

    assert set(tags) == {"W", "B", "O", "S"}
    assert all((template / page).is_file() for page in set(pages))
    assert len(set(said)) == len(said) == text.count("\n- ")


def test_the_shipped_examples_tell_everyday_lines_apart() -> None:
    found = shipped_kinds().classify(parse_memory("W: 세탁기 배수 호스에서 물이 새서 수리 기사를 불렀다."))

    assert found is not None
    assert found.page == HOME


def test_what_is_a_little_like_others_goes_by_its_kind_and_what_is_close_to_them_does_not() -> None:
    rules = Rules((), kinds=classifier)
    memory = parse_memory("W: A new boiler for the kitchen.")

    def pages(page: str, score: float) -> list[str]:
        similar = [Similar("m-aaaaaaaaaaaa", page, "W", "The boiler is old.", score)]
        return [claim.page for claim in find_claims(memory, rules, lambda _: similar)]

    assert pages(MONEY, 0.15) == [HOME, MONEY]
    assert pages(MONEY, 0.3) == [MONEY, HOME]
    assert pages("boats/engine.md", 0.15) == ["boats/engine.md", HOME], "of the user's own pages no example tells"


def test_what_waits_names_the_pages_that_come_nearest_and_are_there() -> None:
    told = classifier()
    rules = Rules((), kinds=lambda: told)
    waiting = parse_memory("W: The kitchen.")

    placed = route_memory(waiting, rules, has_page=lambda page: page not in {MONEY, "entities/The.md"})
    unknown = route_memory(parse_memory("W: xyzzy is in the"), rules)

    assert (placed.page, placed.reason.partition(" are ")[2].split(", ")[0]) == (INBOX, HOME)
    assert MONEY not in placed.reason
    assert (unknown.page, unknown.reason) == (INBOX, "no rule matched")
