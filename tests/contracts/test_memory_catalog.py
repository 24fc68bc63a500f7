"""The promises of what knows the pages of a workspace; and a log that several runs take in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest

from bankd.edits.settle import FileFingerprint
from bankd.memory.archive import HeldMemory
from bankd.memory.retain import LogReading, read_log
from bankd.pages.memory import Confidence, parse_memory, text_key
from bankd.storage.tree import BankFiles
from bankd.wiring.workspace import open_workspace
from bankd.workspace import logs
from bankd.workspace.catalog import CatalogDatabase, PageMemoryCatalog
from tests.settings import make_quick_workspace

NOW = datetime(2026, 11, 21, tzinfo=UTC)
FACTS, MERGING, OLD = "bank/world/facts.md", "bank/world/merging.md", "archive/world/facts.md"
ONE, TWO, GONE = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb", "m-cccccccccccc"
PAGES = {
    FACTS: f"# Facts\n\n- W: one ^{ONE}\n  - W: below it\n- O(c=0.86@2026-11-20): tea ^{TWO}\n\n## More\n\nBy hand.\n\n- O(c=0.5): undated\n",
    OLD: f"# Facts\n\n- W: archived ^{GONE}\n",
}


@pytest.fixture
def known(tmp_path: Path) -> Iterator[PageMemoryCatalog]:
    for path, text in PAGES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    with closing(CatalogDatabase(tmp_path / "catalogue.sqlite3")) as database:
        catalog = PageMemoryCatalog(BankFiles(tmp_path), database, 0, {})
        catalog.refresh(NOW)
        yield catalog


def test_a_twin_is_known_by_its_words_in_the_bank_only(known: PageMemoryCatalog) -> None:
    keys = {text: text_key(parse_memory(text)) for text in ("W: One.", "By hand.", "W: archived")}

    assert known.find_exact_matches(keys.values()) == {keys["W: One."]: ONE, keys["By hand."]: f"{FACTS}:9"}


def test_lines_are_exact_with_what_is_nested_in_them(known: PageMemoryCatalog) -> None:
    lines = known.lines_of([ONE, GONE])

    assert list(lines) == [ONE]
    assert (lines[ONE].page, lines[ONE].text, lines[ONE].own) == (FACTS, f"- W: one ^{ONE}\n  - W: below it", 1)
    assert lines[ONE].before == (TWO,)
    assert known.all_lines().keys() == {ONE, TWO}


def test_opinions_are_told_with_their_confidence_and_the_undated_of_a_hand(known: PageMemoryCatalog) -> None:
    undated = known.undated(date(2026, 11, 20))

    assert HeldMemory(FACTS, 5, TWO, "O", Confidence(86, date(2026, 11, 20))) in known.opinions()
    assert [(item.path, item.old, item.new) for item in undated] == [
        (FACTS, "- O(c=0.5): undated", "- O(c=0.5@2026-11-20): undated")
    ]
    found = known.lines_at([HeldMemory(FACTS, 11, None), HeldMemory(FACTS, 999, None)])
    assert [lines.text for lines in found] == ["- O(c=0.5): undated"]


def test_a_page_that_must_be_left_alone_is_named_and_offers_no_lines(known: PageMemoryCatalog, tmp_path: Path) -> None:
    merging = f"<<<<<<< ours\n- O(c=0.9): x ^{GONE}\n=======\n- O(c=0.5): y\n>>>>>>> theirs\n"
    (tmp_path / MERGING).write_text(merging, encoding="utf-8")

    assert [(item.what, item.reason) for item in known.refresh(NOW)] == [
        (MERGING, "has merge markers at line 1; resolve the merge")
    ]
    assert MERGING not in {lines.page for lines in known.all_lines().values()}
    assert MERGING not in {opinion.path for opinion in known.opinions()}
    assert [item.path for item in known.undated(date(2026, 11, 20))] == [FACTS]


def test_an_edited_page_is_known_as_if_it_were_read_for_the_first_time(tmp_path: Path) -> None:
    random, seen = Random(4), FileFingerprint(1, 2, 3)
    memories = ["- W: one", "- W: one", f"- W: one ^{ONE}", f"- O(c=0.5): tea ^{TWO}", "- O(c=0.6): tea"]
    choices = [*memories, "By hand.", "", "# A"]
    kept = CatalogDatabase(tmp_path / "kept.sqlite3")
    lines: list[str] = []
    for number in range(40):
        at = random.randint(0, len(lines))
        lines[at : at + random.randint(0, 2)] = random.choices(choices, k=random.randint(0, 3))
        kept.record_page(FACTS, seen, "\n".join(lines).encode())
        anew = CatalogDatabase(tmp_path / f"{number}.sqlite3")
        anew.record_page(FACTS, seen, "\n".join(lines).encode())

        everything = "SELECT * FROM memories ORDER BY line"
        assert kept.execute(everything) == anew.execute(everything)
        anew.close()
    kept.close()


LINES = 2_050


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_quick_workspace(tmp_path)
    for path in tmp_path.rglob("*.md"):
        os.utime(path, (1_777_700_000, 1_777_700_000))
    return tmp_path


def write(root: Path, lines: int) -> None:
    log = root / "memory/2026-05-02.md"
    said = "".join(
        f"- W: Parcel {number} went to shelf {number % 97} of the large hall behind the harbour office.\n"
        for number in range(lines)
    )
    log.write_text(f"## Retain\n{said}", "utf-8")
    os.utime(log, (1_777_700_000 + lines, 1_777_700_000 + lines))


def test_a_large_log_is_taken_apart_once_for_all_runs_and_again_when_it_changed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(log: str, text: str, *, anywhere: bool) -> LogReading:
        read.append(len(text))
        return read_log(log, text, anywhere=anywhere)

    monkeypatch.setattr(logs, "read_log", counted)
    monkeypatch.setattr(logs, "_read_large", lru_cache(maxsize=1)(counted))
    for lines in (LINES, LINES + 1):
        write(root, lines)
        with open_workspace(root) as workspace:
            runs = len(list(workspace.run_batches("micro")))
        assert len([size for size in read if size > 100_000]) == lines - LINES + 1
        if lines == LINES:
            assert runs > 1
    pages = "".join(path.read_text("utf-8") for path in (root / "bank").rglob("*.md"))
    assert f"Parcel {LINES} went" in pages
