"""Questions that memories answer, in the index: noted as they change, and only their pages are read again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from bankd.index.search_index import SearchIndex
from bankd.index.told import read_questions
from bankd.memory.ledger import DUPLICATE, KEPT, REVISED, fold_events, make_event
from bankd.search.indexable import LineQuestions, NewQuestions
from bankd.workspace.catalog import CatalogDatabase
from bankd.workspace.logs import LogFiles
from tests.fakes import FakeAnalyser, FakePages

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PAGES = {
    "a.md": "# A\n\n- W: The mirror is in Helsinki. ^m-aaaaaaaaaaaa\n",
    "b.md": "# B\n\n- W: Mina signs. ^m-bbbbbbbbbbbb\n",
}


class AskedPages(FakePages):
    """Pages of whose memories some answer questions."""

    new = NewQuestions((), "")

    def questions_since(self, seen: str) -> NewQuestions:
        return self.new


def told(seen: str, *questions: str, memory: str = "m-aaaaaaaaaaaa", log: str = "x.md") -> NewQuestions:
    return NewQuestions([LineQuestions(log, memory, questions)], seen)


def frequency(index: SearchIndex, term: str) -> tuple[int, int]:
    index.open()
    with index.writing() as build:
        return index.terms.frequency("terms", term), build.terms.count(term)


def test_only_the_page_of_changed_questions_is_read_again(tmp_path: Path) -> None:
    pages = AskedPages(PAGES)
    index = SearchIndex(tmp_path, pages, FakeAnalyser())
    index.refresh(NOW)
    pages.read_paths.clear()
    pages.new = told("1", "where do snapshots land")
    index.refresh(NOW)
    assert pages.read_paths == ["a.md"]
    index.refresh(NOW)
    assert pages.read_paths == ["a.md"]
    index.open()
    assert index.terms.frequency("asked", "snapshot") == 1
    assert frequency(index, "snapshot") == (0, 0)


def test_the_catalog_tells_what_changed_and_all_where_it_is_another(tmp_path: Path) -> None:
    file = tmp_path / "catalogue.sqlite3"
    assert read_questions(file, "") == NewQuestions((), "")
    catalog = CatalogDatabase(file)
    LogFiles(None, catalog, 0, True).note_questions({"x.md": {"m-1": ["one", "two"], "m-2": ["three"]}})
    first = read_questions(file, "")
    assert [(one.memory, list(one.questions)) for one in first.changed] == [("m-1", ["one", "two"]), ("m-2", ["three"])]
    assert read_questions(file, first.seen) == NewQuestions((), first.seen)
    LogFiles(None, catalog, 0, True).note_questions({"x.md": {"m-1": ["one", "two"]}})
    second = read_questions(file, first.seen)
    assert [(one.memory, list(one.questions)) for one in second.changed] == [("m-2", [])]
    catalog.close()
    elsewhere = read_questions(file, "1:99")
    assert elsewhere.is_all
    assert len(elsewhere.changed) == 2


def test_the_questions_of_a_line_are_those_of_the_memory_that_says_it() -> None:
    said = [
        make_event(KEPT, "m-a", NOW, memory="m-a", log="a.md"),
        make_event(DUPLICATE, "m-b", NOW, memory="m-b", log="b.md", of="m-a"),
        make_event(REVISED, "m-c", NOW, memory="m-c", log="a.md", of="m-a"),
        make_event(DUPLICATE, "m-d", NOW, memory="m-d", log="b.md", of="m-c"),
    ]
    ledger = fold_events(said)

    assert {ledger.memory_behind(line) for line in ("m-a", "m-b", "m-c", "m-d")} == {"m-a"}
    assert ledger.memory_behind("m-new") == "m-new"
