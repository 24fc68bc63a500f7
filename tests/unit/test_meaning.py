"""Meaning in the story of a query: what takes part, what passes the floor, and that nothing depends on it."""

from __future__ import annotations

from datetime import date

from bankd.search.find import Found, RankingOptions, find_answers
from bankd.search.request import Filters, Query
from tests.fake_vectors import FakeVectors
from tests.fakes import FakeAnalyser, FakeIndex

TODAY = date(2026, 5, 4)
PAGES = {
    "home.md": "# Home\n\n- W: 자동차는 지하 2층에 세운다.\n- W: The lamp in the hall is broken.\n- W: The kitten sleeps a lot.\n",
    "work.md": "# Work\n\n- W: We keep the figures in Postgres.\n- W: Lunch is at noon.\n",
}
EVERYTHING = Filters()


def asked(
    text: str,
    vectors: FakeVectors | None,
    *,
    filters: Filters = EVERYTHING,
    everything: bool = True,
    margin: float = 1.0,
) -> Found:
    index = FakeIndex(PAGES)
    if vectors is not None:
        said = [row.text for row in index.rows(range(5))]
        index.vectors = dict(enumerate(vectors.embed(said) or []))
    query = Query(text, 5, filters, everything, today=TODAY, margin=margin)
    return find_answers(query, index, FakeAnalyser(), TODAY, RankingOptions(vectors=vectors))


def texts(found: Found) -> list[str]:
    return [one.row.text for one in found.ranked]


def test_what_shares_no_word_is_found_by_meaning_only() -> None:
    assert not texts(asked("vehicle", None))
    assert texts(asked("vehicle", FakeVectors()))[0].startswith("자동차는")


def test_what_is_found_by_both_says_its_cosine() -> None:
    parts = asked("kitten", FakeVectors()).ranked[0].parts
    assert parts["meaning"] > 0.9
    assert "meaning" not in asked("kitten", None).ranked[0].parts


def test_filters_hold() -> None:
    found = texts(asked("vehicle", FakeVectors(), filters=Filters(nodes=("work.md",))))
    assert found
    assert not any("자동차" in text for text in found)


def test_vectors_that_do_not_answer_leave_what_the_words_say() -> None:
    silent = FakeVectors()
    index = FakeIndex(PAGES)
    index.vectors = {0: 0}
    silent.texts, silent.problem = ["자동차"], "it hangs"
    query = Query("lamp hall", 5, everything=True, today=TODAY)
    found = find_answers(query, index, FakeAnalyser(), TODAY, RankingOptions(vectors=silent))
    assert texts(found) == texts(asked("lamp hall", None))
    assert silent.asked == 1


def test_an_index_without_vectors_asks_nobody() -> None:
    vectors = FakeVectors()
    vectors.identity = ""
    asked("lamp", vectors)
    assert vectors.asked == 0


def test_in_another_script_meaning_alone_is_a_witness() -> None:
    vectors = FakeVectors()
    assert not texts(asked("vehicle", vectors, everything=False)), "nobody knows what is near"
    vectors.usual = 0.9
    assert texts(asked("vehicle", vectors, everything=False))[0] == "자동차는 지하 2층에 세운다."
    assert not texts(asked("espresso", vectors, everything=False)), "that is far from all of them"
    assert not texts(asked("vehicle", vectors, everything=False, margin=2.0)), "nobody asked"


def test_while_most_memories_have_no_vector_the_words_alone_say_what_is_an_answer() -> None:
    vectors, index = FakeVectors(), FakeIndex(PAGES)
    vectors.usual = 0.99
    index.vectors = dict(enumerate(vectors.embed([index.rows([4])[0].text]) or [], start=4))
    query = Query("lamp hall", 5, today=TODAY)
    found = find_answers(query, index, FakeAnalyser(), TODAY, RankingOptions(vectors=vectors))
    assert texts(found)[0] == "The lamp in the hall is broken.", "the one memory with a vector is far"
