"""The one owner of a query: a search waits for nobody, an answer is given again only while nothing changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bankd.app.init import make_workspace
from bankd.errors import StorageError
from bankd.index.search_index import SearchIndex
from bankd.index.terms import Terms
from bankd.search.bank_search import BankSearch
from bankd.service.daemon import MANY, Daemon
from bankd.settings import SearchPolicy, Settings
from bankd.wiring.held import Held
from bankd.wiring.search import make_search, quick_settings
from bankd.workers.analyser import KiwiWorker
from bankd.workspace.watcher import Changes

NOW = datetime(2026, 6, 12, 9, tzinfo=UTC)
PAGE = "bank/world/facts.md"
ASKED = {"query": "boiler", "keep": False}
LONG_ENOUGH = 20.0


@pytest.fixture
def settings(root: Path) -> Settings:
    return quick_settings(root)[0]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace whose index was made without Kiwi, which has pages to read again."""
    make_workspace(tmp_path / "ws")
    (tmp_path / "ws" / PAGE).write_text("# Facts\n\n- W: The boiler 보일러는 in the cellar. ^m-aaaaaaaaaaaa\n", "utf-8")
    search = make_search(tmp_path / "ws")
    search.refresh(NOW, None)
    search.close()
    return tmp_path / "ws"


@pytest.fixture
def search(root: Path, settings: Settings) -> Iterator[BankSearch]:
    """As a daemon has it."""
    search = make_search(root, settings, is_daemon=True)
    yield search
    search.close()


class Pause:
    """Stops who comes by until it is let go."""

    def __init__(self) -> None:
        self.reached, self.goes_on = threading.Event(), threading.Event()

    def before(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def paused(*arguments: Any) -> Any:
            self.reached.set()
            assert self.goes_on.wait(LONG_ENOUGH)
            return work(*arguments)

        return paused


@pytest.fixture
def pause() -> Iterator[Pause]:
    pause = Pause()
    yield pause
    pause.goes_on.set()


class InThread(threading.Thread):
    """Does something beside the test."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._work, self.result = work, None
        self.start()

    def run(self) -> None:
        self.result = self._work()

    def ends(self, within: float = LONG_ENOUGH) -> bool:
        self.join(within)
        return not self.is_alive()


def said(answer: dict[str, Any]) -> list[str]:
    return [hit["text"] for hit in answer["hits"]]


def edit(root: Path, text: str) -> None:
    (root / PAGE).write_text(f"# Facts\n\n- W: {text} ^m-aaaaaaaaaaaa\n", "utf-8")


@pytest.fixture
def asked_of_kiwi(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a Kiwi worker is told to do; it does nothing."""
    told: list[str] = []
    monkeypatch.setattr(KiwiWorker, "ask", lambda self, kind, texts: told.append("ask"))
    return told


def test_a_search_waits_neither_for_a_write_nor_for_new_settings_that_wait_for_it(
    search: BankSearch, root: Path, settings: Settings, pause: Pause, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchIndex, "take_in", pause.before(SearchIndex.take_in))
    edit(root, "The boiler is in the attic.")
    writing = InThread(lambda: search.take_in([PAGE], NOW))
    assert pause.reached.wait(LONG_ENOUGH)
    adopting = InThread(lambda: search.adopt(settings._replace(search=SearchPolicy(recall_minutes=5))))
    assert not adopting.ends(0.2)

    asking = InThread(lambda: search.answer(ASKED, NOW, 1))
    assert asking.ends()
    assert "cellar" in said(cast("dict[str, Any]", asking.result))[0]

    pause.goes_on.set()
    assert writing.ends()
    assert adopting.ends()
    assert said(search.answer(ASKED, NOW, 0)) == ["The boiler is in the attic."]
    assert search.settings.search.recall_minutes == 5


def test_what_changed_is_searchable_without_the_analyser(
    search: BankSearch, root: Path, asked_of_kiwi: list[str]
) -> None:
    edit(root, "The boiler 보일러를 is gone.")
    search.take_in([PAGE, "memory/none.md", "elsewhere.md"], NOW)

    answer = search.answer(ASKED, NOW, 0)
    assert said(answer) == ["The boiler 보일러를 is gone."]
    assert answer["fresh"]["provisional"] > 0
    assert asked_of_kiwi == []


def test_a_command_that_reads_a_changed_page_before_it_answers_does_not_wait_for_the_analyser(
    root: Path, settings: Settings, asked_of_kiwi: list[str]
) -> None:
    edit(root, "The boiler 보일러를 is gone.")
    with closing(make_search(root, settings)) as alone:
        assert said(alone.answer(ASKED, NOW, None)) == ["The boiler 보일러를 is gone."]
    assert asked_of_kiwi == []


def test_a_search_that_meets_damage_starts_no_analyser_in_the_daemon(
    search: BankSearch, root: Path, asked_of_kiwi: list[str]
) -> None:
    for file in (root / ".bankd/index").rglob("*.sqlite3"):
        file.write_bytes(b"damage" * 1000)

    assert "cellar" in said(search.answer(ASKED, NOW, 0))[0]
    assert asked_of_kiwi == []


def test_an_answer_is_given_again_while_nothing_changed(search: BankSearch, root: Path, settings: Settings) -> None:
    search.answer(ASKED, NOW, 0)  # no run filled the catalogue yet, so this one does
    first = search.answer(ASKED, NOW, 0)
    assert search.answer(dict(ASKED), NOW, 0) is first
    assert search.answer(ASKED, NOW, 1)["fresh"]["pending"] == 1
    assert search.answer({**ASKED, "limit": 3}, NOW, 0) is not first

    edit(root, "The boiler is in the attic.")
    search.take_in([PAGE], NOW)
    second = search.answer(ASKED, NOW, 0)
    assert said(second) == ["The boiler is in the attic."]
    search.adopt(settings)
    assert search.answer(ASKED, NOW, 0) is not second


def test_what_could_not_be_taken_in_is_told_until_it_is_made_up_for(
    search: BankSearch, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(SearchIndex, "take_in", refuse)
        with pytest.raises(StorageError):
            search.take_in([PAGE], NOW)
    told = search.facts(2, is_working=True)
    assert (told.problem, told.pending, told.worker) == ("the disk is full", 2, "running")

    search.take_in([PAGE], NOW)
    assert search.facts(0, is_working=False).problem == ""


def test_an_end_waits_a_moment_for_a_search_and_closes_no_file_under_it(
    search: BankSearch, pause: Pause, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terms, "find", pause.before(Terms.find))
    asking = InThread(lambda: search.answer(ASKED, NOW, 0))
    assert pause.reached.wait(LONG_ENOUGH)

    assert InThread(search.close).ends()
    pause.goes_on.set()
    assert asking.ends()
    answer = cast("dict[str, Any]", asking.result)
    assert "cellar" in said(answer)[0]
    assert answer["fresh"]["note"] == ""  # a file that is closed is taken for damage, and the index made anew


def test_memory_is_given_back_once_after_changes_were_taken_in(
    root: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[None] = []
    monkeypatch.setattr("bankd.system.child.give_back", lambda: given.append(None))
    search = make_search(root, settings, is_daemon=True)
    search.tidy()
    search.take_in([PAGE], NOW)
    search.tidy()
    search.tidy()
    search.close()

    assert len(given) == 1


@pytest.mark.parametrize(("paths", "expected"), [(MANY - 1, "take in"), (MANY, "catch up")])
def test_many_files_are_read_by_another_process(tmp_path: Path, paths: int, expected: str) -> None:
    done: list[str] = []
    search = SimpleNamespace(take_in=lambda paths, now: done.append("take in"))
    held = SimpleNamespace(root=tmp_path, search=search, catch_up=lambda: done.append("catch up"), now=lambda: NOW)
    around = SimpleNamespace(bank="", polling=True, runtime_folder=None, clock=lambda: NOW)
    daemon = Daemon(cast(Any, held), cast(Any, around), cast(Any, None))

    daemon.files_changed(Changes(changed=tuple(f"bank/{number}.md" for number in range(paths))))
    assert done == [expected]


def test_who_could_write_ends_before_the_lock_is_given_back() -> None:
    done: list[str] = []

    def noting(name: str) -> SimpleNamespace:
        return SimpleNamespace(close=lambda: done.append(name), release=lambda: done.append(name))

    held = Held.__new__(Held)
    held._runner, held._reader, held.search = (cast(Any, noting(name)) for name in ("runner", "reader", "search"))
    held.lock, held.folder = cast(Any, noting("lock")), cast(Any, noting("folder"))
    held.close()

    assert done == ["runner", "reader", "search", "lock", "folder"]
