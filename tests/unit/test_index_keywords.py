"""The keywords of pages."""

from __future__ import annotations

from typing import cast

from bankd.index.terms import Terms
from bankd.index.writer import KeywordChooser


class FewTerms:
    """Frequencies in a dictionary, as `Terms` gives them."""

    def __init__(self, frequencies: dict[str, int]) -> None:
        self._frequencies = frequencies
        self.asked: list[str] = []

    def frequency(self, kind: str, term: str) -> int:
        assert kind == "terms"
        self.asked.append(term)
        return self._frequencies.get(term, 0)

    def count(self, term: str) -> int:
        return self.frequency("terms", term)

    def all_frequencies(self) -> list[tuple[str, int]]:
        return list(self._frequencies.items())


def chooser(terms: FewTerms, pages: int = 1) -> KeywordChooser:
    return KeywordChooser(cast("Terms", terms), 100, pages)


def test_the_rare_and_the_often_said_come_first_and_ties_by_term() -> None:
    terms = FewTerms({"common": 90, "rare": 2, "also": 2, "often": 50})

    assert chooser(terms).of({"common": 1, "rare": 1, "often": 9, "also": 1}) == ["often", "also", "rare", "common"]


def test_at_most_a_hundred_and_the_last_of_many_ties_by_term() -> None:
    terms = FewTerms({f"t{number:03}": 3 for number in range(150)})

    assert chooser(terms).of(dict.fromkeys((f"t{number:03}" for number in range(149, -1, -1)), 1)) == [
        f"t{number:03}" for number in range(100)
    ]


def test_a_page_without_terms_has_none() -> None:
    assert chooser(FewTerms({})).of({}) == []


def test_for_many_pages_all_frequencies_are_read_at_once_and_a_new_term_by_itself() -> None:
    terms = FewTerms({"known": 5})

    assert chooser(terms, pages=1_000).of({"known": 1, "new": 1}) == ["new", "known"]
    assert terms.asked == ["new"]
