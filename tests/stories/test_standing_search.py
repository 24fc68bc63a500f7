"""Who stays and asks again and again sees every change, and looks at all files only when there is one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from bankd.index.sources import PageFiles
from bankd.system.clock import read_monotonic
from bankd.wiring.asking import ChangeWatch
from bankd.wiring.banks import OpenBank
from bankd.workspace import watcher as watching
from tests.settings import change_setting

PAGE = "bank/world/facts.md"
LONG_ENOUGH = 20.0


@pytest.fixture
def bank(root: Path) -> Iterator[OpenBank]:
    (root / PAGE).write_text("# Facts\n\n- W: The boiler is in the cellar. ^m-aaaaaaaaaaaa\n", "utf-8")
    bank = OpenBank(str(root))
    yield bank
    bank.close()


@pytest.fixture
def watch(root: Path) -> Iterator[ChangeWatch]:
    watch = ChangeWatch(str(root), read_monotonic)
    yield watch
    watch.close()


@pytest.fixture
def looks(bank: OpenBank, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Ask, and tell how many folders were looked at for it."""
    scans: list[PageFiles] = []
    scan = PageFiles.scan
    monkeypatch.setattr(
        PageFiles, "scan", lambda self, paths=None: (paths is None and scans.append(self)) or scan(self, paths)
    )

    def ask() -> int:
        before = len(scans)
        said(bank, "boiler")
        return len(scans) - before

    return ask


def said(bank: OpenBank, query: str) -> list[str]:
    return [hit["text"] for hit in bank.ask({"query": query})["hits"]]


def comes_true(condition: Callable[[], object]) -> bool:
    """Whether it does, in far more time than it may take."""
    until = read_monotonic() + LONG_ENOUGH
    while read_monotonic() < until:
        if condition():
            return True
        Event().wait(0.05)
    return False


def is_quiet(watch: ChangeWatch) -> bool:
    """Whether everything was looked at, and a while later nothing is to be looked at."""
    watch.takes_look()
    Event().wait(0.3)
    return not watch.takes_look()


def test_a_change_saved_meanwhile_is_found(bank: OpenBank, root: Path) -> None:
    assert said(bank, "boiler") == ["The boiler is in the cellar."]

    with (root / PAGE).open("a", encoding="utf-8") as page:
        page.write("- W: The ladder is in the shed. ^m-bbbbbbbbbbbb\n")
    assert comes_true(lambda: said(bank, "ladder") == ["The ladder is in the shed."])
    (root / PAGE).unlink()
    assert comes_true(lambda: said(bank, "ladder") == [])


def test_what_this_process_wrote_is_found_by_the_next_answer(
    bank: OpenBank, root: Path, looks: Callable[[], int]
) -> None:
    assert comes_true(lambda: sum(looks() for _ in range(10)) == 0)
    with bank.work():
        (root / PAGE).write_text("# Facts\n\n- W: The boiler is in the attic. ^m-aaaaaaaaaaaa\n", "utf-8")

    assert said(bank, "boiler") == ["The boiler is in the attic."]


def test_while_nothing_changes_no_file_is_looked_at(looks: Callable[[], int]) -> None:
    assert looks() > 0
    assert comes_true(lambda: sum(looks() for _ in range(10)) == 0)


def test_an_index_that_is_taken_away_is_made_anew(bank: OpenBank, root: Path) -> None:
    said(bank, "boiler")
    shutil.rmtree(root / ".bankd" / "index")

    assert said(bank, "boiler") == ["The boiler is in the cellar."]


def test_it_is_opened_anew_when_the_settings_change_and_only_then(bank: OpenBank, root: Path) -> None:
    (root / ".bankd/search-settings.json").unlink(missing_ok=True)
    said(bank, "boiler")
    first = bank._search
    said(bank, "boiler")
    assert bank._search is first

    change_setting(root, "recall_minutes: 60", "recall_minutes: 5")
    assert said(bank, "boiler") == ["The boiler is in the cellar."]
    assert bank._search is not first


def test_after_a_change_it_is_looked_once(watch: ChangeWatch, root: Path) -> None:
    assert comes_true(lambda: is_quiet(watch))

    (root / PAGE).write_text("# Facts\n", "utf-8")
    assert comes_true(watch.takes_look)
    assert comes_true(lambda: is_quiet(watch))


def test_what_the_last_look_left_is_looked_at_each_second(watch: ChangeWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    assert comes_true(lambda: is_quiet(watch))
    now = read_monotonic()
    monkeypatch.setattr(watch, "_clock", lambda: now)

    now += 2
    assert not watch.takes_look()
    assert watch.takes_look(waits=True)
    assert not watch.takes_look(waits=True)


def test_where_nobody_tells_of_changes_it_looks_each_second(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "needs_polling", lambda file_system: True)
    now = read_monotonic()
    watch = ChangeWatch(str(root), lambda: now)
    try:
        assert comes_true(lambda: is_quiet(watch))
        now += 0.9
        assert not watch.takes_look()
        now += 0.2
        assert watch.takes_look()
    finally:
        watch.close()
