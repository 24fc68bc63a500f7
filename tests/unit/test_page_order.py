"""Pages in the order of an answer."""

from __future__ import annotations

from bankd.search.find import SHOWN, Ranked, order_pages
from bankd.search.request import FoundRow
from bankd.search.score import Candidate
from bench.trial import pages_of


def found(path: str, *scores: float) -> list[Ranked]:
    row = FoundRow(0, 1, 1, None, "W", None, None, (), (), "text")
    return [
        Ranked(path, row, Candidate(0, 1, 0, (), (), frozenset(), denies=False), {"score": score}) for score in scores
    ]


def test_a_page_that_says_it_in_two_paragraphs_passes_one_that_says_a_little_more_in_one() -> None:
    ordered = order_pages([*found("once.md", 0.41), *found("twice.md", 0.4, 0.38)], 10, asks=True)
    assert [one.path for one in ordered] == ["twice.md", "twice.md", "once.md"]
    assert ordered[0].parts["page"] > 0.41


def test_what_a_title_names_is_of_a_page_as_a_whole() -> None:
    ranked = [*found("once.md", 0.45), *found("often.md", 0.4, 0.38)]
    assert [order_pages(ranked, 1, asks=asks)[0].path for asks in (True, False)] == ["once.md", "often.md"]


def test_many_weak_paragraphs_do_not_pass_a_good_one() -> None:
    assert order_pages([*found("long.md", *[0.2] * 20), *found("right.md", 0.4)], 1, asks=True)[0].path == "right.md"


def test_as_many_pages_as_asked_for_and_of_each_the_best() -> None:
    ordered = order_pages([*found("a.md", *[0.4] * 9), *found("b.md", 0.3), *found("c.md", 0.2)], 2, asks=True)
    assert [one.path for one in ordered] == ["a.md"] * SHOWN + ["b.md"]


def test_a_document_as_a_page_has_a_paragraph_a_line_or_a_few_sentences() -> None:
    long = " ".join(f"This is sentence number {number} of a long text." for number in range(12))
    bank = pages_of([{"id": "d", "title": "T", "text": f"One line.\nAnother line.\n{long}"}], None)
    ((path, text),) = bank.pages.items()
    assert text.split("\n\n")[:3] == ["# T", "One line.", "Another line."]
    assert 5 <= len(text.split("\n\n")) <= 7
    assert bank.documents[path, 3] == "d"
