"""What of the bank is like a new memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import pytest

from bankd.ports import IndexView
from bankd.search.look_alikes import LookAlikes
from bankd.search.request import FoundRow
from bankd.search.score import Candidate, Corpus
from bankd.words.analysis import analyse_text

BANK = {
    1: ("_meta/inbox.md", "The umbrella stands by the red door"),
    2: ("daily/home.md", "The purple umbrella stands by the door"),
    3: ("daily/home.md", "Somebody painted the door"),
    4: ("world/facts.md", "A whale is no fish"),
}
PAGES = {path: number for number, path in enumerate(dict.fromkeys(path for path, _ in BANK.values()))}


class FakeIndex:
    """A bank of four memories that counts what it is asked."""

    corpus = Corpus(len(BANK), 7, 7, 1)

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.gone: set[int] = set()

    def find(self, terms: Mapping[str, float], *_: object) -> list[int]:
        self.asked["find"] += 1
        shared = {number: len(terms.keys() & set(words(text))) for number, (_, text) in BANK.items()}
        return sorted((number for number in shared if shared[number]), key=lambda number: -shared[number])

    def frequency(self, kind: str, term: str) -> int:
        return sum(term in words(text) for _, text in BANK.values()) if kind == "terms" else 0

    def reading(self, run: str) -> None:
        return None

    def rows(self, numbers: Sequence[int]) -> list[FoundRow]:
        self.asked["row"] += len(numbers)
        there = [number for number in numbers if number not in self.gone]
        return [FoundRow(n, PAGES[BANK[n][0]], n, None, "W", None, None, (), (), BANK[n][1]) for n in there]

    def candidates(self, numbers: Sequence[int]) -> list[Candidate]:
        return [Candidate(n, PAGES[BANK[n][0]], n, [words(BANK[n][1])], "", [], frozenset(), False) for n in numbers]

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Sequence[int]]:
        return dict.fromkeys(pages, ())

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        return {number: path for path, number in PAGES.items() if number in set(pages)}


def words(text: str) -> list[str]:
    return analyse_text(text).terms


@pytest.fixture
def index() -> FakeIndex:
    return FakeIndex()


@pytest.fixture
def alike(index: FakeIndex) -> LookAlikes:
    return LookAlikes(cast("IndexView", index))


def test_what_shares_words_is_found_wherever_it_stands(alike: LookAlikes) -> None:
    found = alike.near("The red umbrella")

    assert [(one.path, one.row.row) for one in found] == [
        ("_meta/inbox.md", 1), ("daily/home.md", 2), ("daily/home.md", 3),
    ]  # fmt: skip


def test_pages_of_our_own_say_nothing_of_where_a_memory_belongs(alike: LookAlikes) -> None:
    found = alike.similar("The umbrella stands by the red door")

    assert [one.row.row for one, _ in found] == [2, 3]
    assert found[0][1] > found[1][1] > 0


def test_a_line_is_asked_for_once_for_routing_and_the_guard(alike: LookAlikes, index: FakeIndex) -> None:
    alike.similar("The red umbrella")
    alike.near("The red umbrella")
    alike.near("A whale in the umbrella")

    assert index.asked == {"find": 2, "row": 4}


def test_what_is_gone_meanwhile_is_left_out(alike: LookAlikes, index: FakeIndex) -> None:
    index.gone = {2}

    assert [one.row.row for one in alike.near("purple umbrella")] == [1]
