"""The promises of an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from types import MappingProxyType

import pytest

from bankd.errors import StorageError
from bankd.index.search_index import SearchIndex
from bankd.search.answer import Answering
from bankd.search.find import RankingOptions
from bankd.search.indexable import IndexAnalyses
from bankd.search.request import Filters, Freshness, Query
from bankd.words.analysis import Lexicon, lexicon_of
from bankd.words.days import Span
from tests.fakes import FakeAnalyser, FakePages

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PAGES = {
    "identity/values.md": "# Values\n\n- S: 가치관: 정직을 최우선으로 한다. ^m-aaaaaaaaaaaa\n- S: 약속을 지킨다.\n",
    "opinions/preferences.md": (
        "# Preferences\n\n## Work\n\n- O(c=0.86@2026-11-21) @Peter: Prefers concise replies. ^m-bbbbbbbbbbbb\n"
        "- O(c=0.40@2026-10-01) @Ann: Likes long letters.\n"
    ),
    "world/events.md": "# Events\n\n## 2026-05-02\n\n- W @Peter: Currently in Marrakech for a birthday.\n",
}
Make = Callable[..., SearchIndex]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    opened: list[SearchIndex] = []

    def real(pages: Mapping[str, str], learned: Mapping[str, date] = MappingProxyType({})) -> SearchIndex:
        source = FakePages(pages)
        source.learned |= learned
        index = SearchIndex(tmp_path / "index", source, FakeAnalyser())
        index.refresh(NOW)
        opened.append(index)
        return index

    yield real
    for index in opened:
        index.close()


def found(index: SearchIndex, text: str, filters: Filters = Filters()) -> list[str]:  # noqa: B008 -- it is frozen
    fresh = Freshness(0, None, daemon=False)
    answer = Answering(Query(text, filters=filters, today=NOW.date()), RankingOptions()).answer(index, (), fresh)
    return [f"{hit.path}:{hit.line}" for hit in answer.hits]


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


class Steady(FakeAnalyser):
    """Reads a text always alike, and notes which it read; while it is not thorough, what it reads is provisional."""

    def __init__(self) -> None:
        self.is_thorough = True
        self.texts: list[str] = []

    def analyse_for_index(self, texts: Iterable[str], lexicon: Lexicon) -> IndexAnalyses:
        self.texts = sorted(texts)
        of = super().analyse_for_index(self.texts, lexicon_of(lambda _: None, lambda _: False)).of
        return IndexAnalyses(of, {}, frozenset() if self.is_thorough else frozenset(self.texts))


def random_line(random: Random) -> str:
    head = random.choice(["", "W: ", "O(c=0.86@2026-11-21) @Peter: ", "O(c=0.4) @Ann @Bo: "])
    words = " ".join(random.choices(["garden", "lake", "정직", "커피를", "never", "sunrise"], k=random.randint(1, 4)))
    return f"- {head}{words}{random.choice(['', '', f' ^m-{random.randint(1, 9):012d}'])}"


def edited(lines: list[str], random: Random) -> list[str]:
    """A page after a hand was at it: lines added, taken out, doubled, moved, and headings changed."""
    lines = list(lines)
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(lines))
        new = [random_line(random), f"# {random.choice('AB')}", f"## {random.choice('CD')}", "", *lines[:2]]
        lines[at : at + random.randint(0, 2)] = random.sample(new, random.randint(0, 2))
    return lines


def contents(index: SearchIndex, folder: Path) -> tuple[object, ...]:
    """Everything that an index holds of its pages, without the numbers of rows."""
    with closing(sqlite3.connect(folder / (folder / "current").read_text() / "rows.sqlite3")) as connection:
        rows = connection.execute("SELECT path, memories.* FROM memories JOIN pages USING (page)").fetchall()
        pages = connection.execute("SELECT * FROM pages").fetchall()
    with index.writing() as build:
        terms = {term: build.terms.count(term) for term in index.terms.terms_with("")}
    everything = dict.fromkeys(terms, 1.0)
    found = {row.text for row in index.rows.shown(index.terms.find(everything, Filters(), 1_000))}
    return (
        sorted((path, *row[2:]) for path, _, *row in rows), sorted(page[1:] for page in pages),
        {term: count for term, count in terms.items() if count}, found, index.corpus,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_a_refresh_gives_what_a_rebuild_gives_however_pages_were_edited(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    pages = {f"p{number}.md": [random_line(random) for _ in range(6)] for number in range(3)}
    source, analyser = FakePages({}), Steady()
    index = SearchIndex(tmp_path / "index", source, analyser)
    for _ in range(8):
        pages["p0.md"] = edited(pages["p0.md"], random)
        pages[f"p{random.randint(1, 3)}.md"] = edited([], random)
        source.pages = {path: "\n".join(lines) + "\n" for path, lines in pages.items() if random.random() < 0.9}
        analyser.is_thorough = random.random() < 0.7
        index.refresh(NOW)
        analyser.is_thorough = True
        index.refresh(NOW)
        anew = SearchIndex(tmp_path / "anew", source, Steady())
        anew.rebuild(NOW)

        assert contents(index, tmp_path / "index") == contents(anew, tmp_path / "anew")
        anew.close()
    index.close()


def test_only_what_changed_on_a_page_is_analysed_again(tmp_path: Path) -> None:
    source, analyser = FakePages({"a.md": "# A\n\n- one\n- two\n- three\n"}), Steady()
    index = SearchIndex(tmp_path / "index", source, analyser)
    index.refresh(NOW)

    source.pages["a.md"] = "# A\n\n- zero\n- three\n- one\n"
    index.refresh(NOW)

    assert analyser.texts == ["A", "zero"]
    assert [(row.text, row.line) for row in sorted(index.rows.shown([1, 2, 3, 4]), key=lambda row: row.line)] == [
        ("zero", 3),
        ("three", 4),
        ("one", 5),
    ]
    index.close()


def test_what_was_read_with_the_lexicon_is_read_again_and_the_rest_of_its_page_is_not(tmp_path: Path) -> None:
    source, analyser = FakePages({"a.md": "# A\n\n- one\n"}), Steady()
    index = SearchIndex(tmp_path / "index", source, analyser)
    index.refresh(NOW)
    analyser.is_thorough = False
    source.pages["a.md"] = "# A\n\n- one\n- two\n"
    index.refresh(NOW)
    was_provisional = index.provisional

    analyser.is_thorough = True
    index.refresh(NOW)

    assert (was_provisional, index.provisional, analyser.texts) == (1, 0, ["A", "two"])
    index.close()


def test_a_workspace_that_went_away_is_not_made_anew(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "w" / ".bankd" / "index", FakePages(PAGES), FakeAnalyser())

    with pytest.raises(StorageError, match="No such file"):
        index.refresh(NOW)

    assert not (tmp_path / "w").exists()  # the disk may come back, and would hide what was written in its place


DATED = {
    "log.md": (
        "- W: Planted basil on the balcony yesterday. ^m-aaaaaaaaaaaa\n"
        "- W: The basil course begins on June 3. ^m-bbbbbbbbbbbb\n"
        "- W: Basil likes the sun. ^m-cccccccccccc\n"
        "- W: Basil came to Europe in 2019, says the label.\n"
    )
}
LEARNED = {
    "m-aaaaaaaaaaaa": date(2026, 5, 10),
    "m-bbbbbbbbbbbb": date(2026, 5, 20),
    "m-cccccccccccc": date(2026, 5, 25),
}


@pytest.fixture
def dated(make: Make) -> SearchIndex:
    return make(DATED, LEARNED)


@pytest.mark.parametrize(
    ("filters", "lines"),
    [
        (Filters(since=date(2026, 5, 9), until=date(2026, 5, 9)), {1}),
        (Filters(since=date(2026, 5, 10), until=date(2026, 5, 20)), {1, 2}),
        (Filters(since=date(2026, 5, 21)), {2, 3}),
        (Filters(until=date(2019, 12, 31)), {4}),
        (Filters(since=date(2019, 7, 7), until=date(2019, 7, 7)), {4}),
        (Filters(known_on=date(2026, 5, 20)), {1, 2, 4}),
        (Filters(known_on=date.max), {1, 2, 3, 4}),
        (Filters(known_on=date.min), {4}),
        (Filters(since=date.max), set()),
        (Filters(until=date.min), set()),
        (Filters(since=date.min, until=date.max), {1, 2, 3, 4}),
    ],
)
def test_days_are_those_spoken_of_and_those_of_the_log(dated: SearchIndex, filters: Filters, lines: set[int]) -> None:
    assert {int(place.rpartition(":")[2]) for place in found(dated, "basil", filters)} == lines


def test_what_is_of_some_days_is_found_without_words_newest_first(dated: SearchIndex) -> None:
    def lines(window: Span | None, most: int = 10) -> list[int]:
        rows = {row.row: row.line for row in dated.rows.shown(dated.terms.find_within(window, Filters(), most))}
        return [rows[number] for number in dated.terms.find_within(window, Filters(), most)]

    assert lines(Span(date(2026, 5, 9), date(2026, 5, 20))) == [2, 1]
    assert lines(Span(date(2026, 6, 1), date(2026, 6, 5))) == [2]
    assert lines(None, 1) == [3]
    assert dated.rows.learned(["m-aaaaaaaaaaaa", "m-nowhere"]) == {"m-aaaaaaaaaaaa": date(2026, 5, 10)}


def test_a_day_that_is_told_later_is_taken_in(tmp_path: Path) -> None:
    pages = FakePages(DATED)
    index = SearchIndex(tmp_path / "index", pages, FakeAnalyser())
    index.refresh(NOW)
    assert found(index, "basil", Filters(since=date(2026, 5, 9), until=date(2026, 5, 9))) == []
    pages.learned |= LEARNED
    index.refresh(NOW)
    assert found(index, "basil", Filters(since=date(2026, 5, 9), until=date(2026, 5, 9))) == ["bank/log.md:1"]
    index.close()
