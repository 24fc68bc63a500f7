"""What wording leaves no trace in a statement, and what does."""

from __future__ import annotations

import pytest

from bankd.pages.memory import Memory
from bankd.same.reading import compared_text, read_statement
from bankd.words.statement import Morpheme, Wording, plain_wording
from tests.examples import examples


def korean(text: str, tagged: str) -> Wording:
    """A wording from `form/TAG` pairs, as an analyser gives them."""
    return Wording(text, tuple(Morpheme(*pair.rsplit("/", 1)) for pair in tagged.split()))


def keys(text: str, tagged: str | None = None) -> tuple[str, ...]:
    return read_statement(korean(text, tagged) if tagged else plain_wording(text)).keys


@pytest.mark.parametrize(("text", "expected"), examples("readings", "English"))
def test_english_is_read_word_by_word(text: str, expected: str) -> None:
    assert " | ".join(keys(text)) == expected


@pytest.mark.parametrize(("text", "tagged", "expected"), examples("readings", "Korean"))
def test_korean_is_read_by_what_its_morphemes_do(text: str, tagged: str, expected: str) -> None:
    assert " | ".join(keys(text, tagged)) == expected


def test_without_an_analyser_a_hangul_word_stays_whole() -> None:
    assert keys("밥을 3번 먹었다") == ("밥을", "3번", "먹었다")


@pytest.mark.parametrize(("text", "mood"), [("간다", "."), ("가?", "?"), ("가라", "!"), ("가", "")])
def test_the_mood_is_that_of_the_last_ending(text: str, mood: str) -> None:
    endings = {"간다": "가/VV ᆫ다/EF", "가?": "가/VV 어/EF ?/SF", "가라": "가/VV 어라/EF", "가": "가/VV 어/EF"}

    assert read_statement(korean(text, endings[text])).mood == mood


def test_an_entity_that_the_text_begins_with_is_said_once() -> None:
    with_name = read_statement(plain_wording("Peter prefers tea"), ["Peter"])
    without = read_statement(plain_wording("prefers tea"), ["Peter"])

    assert with_name.keys == without.keys
    assert with_name.about == frozenset({"peter"})


def test_a_pin_is_not_part_of_what_is_said() -> None:
    assert compared_text(Memory("prefers tea #pinned")) == "prefers tea"
    assert compared_text(Memory("likes #pinnedcats")) == "likes #pinnedcats"
