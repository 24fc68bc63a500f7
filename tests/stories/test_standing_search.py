"""Who stays and asks again and again sees every change, and looks at the files once a second at most."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bankd.index.sources import PageFiles
from bankd.system import clock
from bankd.system.clock import read_monotonic
from bankd.wiring.banks import OpenBank
from tests.settings import change_setting

PAGE = "bank/world/facts.md"


@pytest.fixture
def bank(root: Path) -> Iterator[OpenBank]:
    (root / PAGE).write_text("# Facts\n\n- W: The boiler is in the cellar. ^m-aaaaaaaaaaaa\n", "utf-8")
    bank = OpenBank(str(root))
    yield bank
    bank.close()


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


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Have so many seconds pass, by the clock that the looks go by."""
    passed = [read_monotonic()]
    monkeypatch.setattr(clock, "read_monotonic", lambda: passed[0])

    def pass_by(seconds: float) -> None:
        passed[0] += seconds

    return pass_by


def test_a_change_saved_meanwhile_is_found_a_second_later(
    bank: OpenBank, root: Path, later: Callable[[float], None]
) -> None:
    assert said(bank, "boiler") == ["The boiler is in the cellar."]

    with (root / PAGE).open("a", encoding="utf-8") as page:
        page.write("- W: The ladder is in the shed. ^m-bbbbbbbbbbbb\n")
    later(1.1)
    assert said(bank, "ladder") == ["The ladder is in the shed."]
    (root / PAGE).unlink()
    later(1.1)
    assert said(bank, "ladder") == []


def test_what_this_process_wrote_is_found_by_the_next_answer(
    bank: OpenBank, root: Path, later: Callable[[float], None]
) -> None:
    said(bank, "boiler")
    with bank.work():
        (root / PAGE).write_text("# Facts\n\n- W: The boiler is in the attic. ^m-aaaaaaaaaaaa\n", "utf-8")

    assert said(bank, "boiler") == ["The boiler is in the attic."]


def test_within_a_second_the_files_are_looked_at_once(looks: Callable[[], int], later: Callable[[float], None]) -> None:
    assert looks() > 0
    assert sum(looks() for _ in range(10)) == 0
    later(1.1)
    assert looks() > 0


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
