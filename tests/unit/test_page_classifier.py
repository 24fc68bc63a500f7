"""What a memory is about, told by lines of each page."""

from __future__ import annotations

import pytest

from bankd.config.routing import read_examples, shipped_kinds
from bankd.memory import route as page_classifier
from bankd.memory.route import PageClassifier, Rules, Similar, find_claims, route_memory
from bankd.pages.memory import Memory, parse_memory
from bankd.pages.names import INBOX
from bankd.shipped import shipped_folder
from tests.examples import examples

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


def page_of(line: str) -> str | None:
    found = classifier().classify(parse_memory(line))
    return found and found.page


def test_examples_are_read_below_their_page() -> None:
    assert read_examples(EXAMPLES)[:2] == [
        (HOME, "W", "The boiler in the kitchen leaks."),
        (HOME, "W", "거실 보일러가 샌다."),
    ]


@pytest.mark.parametrize(("line", "page"), examples("kinds", "pages"))
def test_a_page_is_told_by_the_words_of_its_lines_and_by_the_tag(line: str, page: str) -> None:
    assert (page_of(line) or "") == page


def test_what_speaks_for_several_pages_alike_is_left_to_a_person() -> None:
    assert page_of("W: leaks half window") is None


def test_it_says_by_which_words_the_most_telling_first() -> None:
    found = classifier().classify(parse_memory("W: The boiler of the kitchen and the wages"))

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

    placed = route_memory(waiting, rules, has_page=lambda page: page != MONEY)
    unknown = route_memory(parse_memory("W: xyzzy"), rules)

    assert (placed.page, placed.reason.partition(" are ")[2].split(", ")[0]) == (INBOX, HOME)
    assert MONEY not in placed.reason
    assert (unknown.page, unknown.reason) == (INBOX, "no rule matched")
