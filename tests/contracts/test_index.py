"""The promises of an index: one suite for the fake and the real one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.fakes import FakeAnalyser, FakeIndex, FakePages

from bankd.adapters.index.search_index import SearchIndex
from bankd.core.ranking.query import Filters, Freshness, Query
from bankd.ports import IndexView
from bankd.search import search

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PAGES = {
    "identity/values.md": "# Values\n\n- S: 가치관: 정직을 최우선으로 한다. ^m-aaaaaaaaaaaa\n- S: 약속을 지킨다.\n",
    "opinions/preferences.md": (
        "# Preferences\n\n## Work\n\n- O(c=0.86@2026-11-21) @Peter: Prefers concise replies. ^m-bbbbbbbbbbbb\n"
        "- O(c=0.40@2026-10-01) @Ann: Likes long letters.\n"
    ),
    "world/events.md": "# Events\n\n## 2026-05-02\n\n- W @Peter: Currently in Marrakech for a birthday.\n",
}
Make = Callable[[Mapping[str, str]], IndexView]


@pytest.fixture(params=["fake", "real"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    opened: list[SearchIndex] = []

    def real(pages: Mapping[str, str]) -> IndexView:
        index = SearchIndex(tmp_path / "index", FakePages(pages), FakeAnalyser())
        index.refresh(NOW)
        opened.append(index)
        return index

    yield FakeIndex if request.param == "fake" else real
    for index in opened:
        index.close()


def found(index: IndexView, text: str, filters: Filters = Filters()) -> list[str]:  # noqa: B008 -- it is frozen
    fresh = Freshness(0, None, daemon=False)
    answer = search(Query(text, filters=filters), index, FakeAnalyser(), fresh, NOW.date())
    return [f"{hit.path}:{hit.line}" for hit in answer.hits]


def test_a_memory_is_found_by_its_words_with_its_place(make: Make) -> None:
    assert found(make(PAGES), "가치관이 뭐야?")[0] == "bank/identity/values.md:3"
    assert found(make(PAGES), "where is Peter travelling in marrakech")[0] == "bank/world/events.md:5"


def test_a_memory_is_found_by_a_word_that_only_its_heading_has(make: Make) -> None:
    bank = {"tools.md": "# 도구\n\n## 편집기\n\n- W: vim.\n- W: 매일 쓴다.\n\n## 산\n\n- W: 산행.\n"}

    assert found(make(bank), "편집기를 추천")[:1] == ["bank/tools.md:5"]


@pytest.mark.parametrize(
    ("filters", "places"),
    [
        (Filters(tags=("O",)), {"bank/opinions/preferences.md:5"}),
        (Filters(nodes=("world",)), {"bank/world/events.md:5"}),
        (Filters(nodes=("world/events.md", "opinions")), {"bank/opinions/preferences.md:5", "bank/world/events.md:5"}),
        (Filters(nodes=("opinions/preferences.md#Work",)), {"bank/opinions/preferences.md:5"}),
        (Filters(entities=("Ann",)), set()),
        (Filters(since=date(2026, 11, 1)), {"bank/opinions/preferences.md:5"}),
        (Filters(until=date(2026, 5, 2)), {"bank/world/events.md:5"}),
    ],
)
def test_filters_keep_what_was_asked_for(make: Make, filters: Filters, places: set[str]) -> None:
    assert set(found(make(PAGES), "peter", filters)) == places


def test_a_confidence_counts_as_it_is_worth_today(make: Make) -> None:
    index = make(PAGES)

    assert found(index, "letters", Filters(min_confidence=10)) == []
    assert found(index, "replies", Filters(min_confidence=80)) == ["bank/opinions/preferences.md:5"]
    assert found(index, "marrakech", Filters(min_confidence=90)) == ["bank/world/events.md:5"]


def test_nothing_relevant_is_an_answer(make: Make) -> None:
    assert found(make(PAGES), "quantum chromodynamics") == []
    assert found(make({}), "anything") == []


def test_both_count_alike(make: Make) -> None:
    index = make(PAGES)

    assert index.corpus.memories == 5
    assert index.frequency("terms", "repli") == 1
    assert index.frequency("bigrams", "정직") == 1
    assert index.frequency("terms", "absent") == 0
