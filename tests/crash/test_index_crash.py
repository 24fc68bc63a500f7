"""The search index killed while it takes in changes: the next refresh makes it what a new one would be."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from threading import Event
from unittest.mock import patch

import pytest

from bankd.errors import StorageError
from bankd.index import writer
from bankd.index.search_index import SearchIndex
from bankd.index.sources import PageFiles
from bankd.index.terms import Terms
from bankd.search.answer import Answering
from bankd.search.find import RankingOptions
from bankd.search.request import Filters, Freshness, Query
from tests.fakes import FakeAnalyser

NOW = datetime(2026, 11, 21, tzinfo=UTC)
CHILD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from bankd.index.search_index import SearchIndex
from bankd.index.sources import PageFiles
sys.path.insert(0, sys.argv[2])
from tests.fakes import FakeAnalyser
root = Path(sys.argv[1])
index = SearchIndex(root / "index", PageFiles(root / "bank"), FakeAnalyser())
print("ready", flush=True)
number = 0
while True:
    number += 1
    for page in range(number % 3, 30, 3):
        rounds = [number if (line + number) % 3 else 0 for line in range(8)]
        lines = "".join(f"- memory {page} {line} round{rounds[line]}\\n" for line in range(number % 2, 8))
        (root / "bank" / f"p{page}.md").write_text(f"# Page {page}\\n\\n{lines}")
    if number % 4 == 0:
        (root / "bank" / f"p{number % 30}.md").unlink(missing_ok=True)
    index.refresh(datetime(2026, 11, 21, tzinfo=UTC))
    if number % 5 == 0:
        index.rebuild(datetime(2026, 11, 21, tzinfo=UTC))
"""


def open_index(root: Path, name: str = "index") -> SearchIndex:
    return SearchIndex(root / name, PageFiles(root / "bank"), FakeAnalyser())


def answers(index: SearchIndex, root: Path) -> dict[str, list[str]]:
    """What the index says to one query a page, and the text it says it of."""
    fresh = Freshness(0, None, daemon=False)
    found = {}
    for page in sorted((root / "bank").glob("*.md")):
        query = Query(
            f"memory {page.stem.removeprefix('p')}", 100, Filters(nodes=(page.name,)), everything=True, today=NOW.date()
        )
        hits = Answering(query, RankingOptions()).answer(index, (), fresh).hits
        found[page.name] = sorted(f"{hit.line} {hit.text}" for hit in hits)
    return found


def as_written(root: Path) -> dict[str, list[str]]:
    found = {}
    for page in sorted((root / "bank").glob("*.md")):
        lines = enumerate(page.read_text().splitlines(), start=1)
        found[page.name] = sorted(f"{number} {line[2:]}" for number, line in lines if line.startswith("- "))
    return found


def kill_while_writing(root: Path, seconds: float) -> None:
    repository = Path(__file__).resolve().parents[2]
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(root), str(repository)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    Event().wait(seconds)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()


@pytest.mark.parametrize("seed", range(8))
def test_killed_at_any_moment_the_next_refresh_makes_it_whole(tmp_path: Path, seed: int) -> None:
    (tmp_path / "bank").mkdir()
    kill_while_writing(tmp_path, Random(seed).uniform(0.02, 0.6))

    index = open_index(tmp_path)
    index.refresh(NOW)

    assert answers(index, tmp_path) == as_written(tmp_path)
    assert len(stored_texts(tmp_path)) == sum(map(len, as_written(tmp_path).values()))
    index.verify()
    assert index.refresh(NOW).read == 0
    index.close()


def stored_texts(root: Path) -> list[str]:
    file = root / "index" / (root / "index" / "current").read_text() / "rows.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        return sorted(text for (text,) in connection.execute("SELECT text FROM memories"))


def test_a_refresh_that_stopped_between_rows_and_terms_leaves_no_row_behind(root: Path) -> None:
    (root / "bank/p0.md").write_text("# Page 0\n\n- memory 0 words\n- one more\n")
    index = open_index(root)
    with patch.object(Terms, "replace", side_effect=OSError("no more")), pytest.raises(StorageError):
        index.refresh(NOW)

    index.refresh(NOW)

    assert stored_texts(root) == sorted([*(f"memory {page} words" for page in range(6)), "one more"])
    assert answers(index, root) == as_written(root)
    index.close()


def test_a_refresh_that_stopped_after_the_terms_believes_nothing_of_the_page(root: Path) -> None:
    (root / "bank/p0.md").write_text("# Page 0\n\n- one more\n- memory 0 words\n")
    (root / "bank/p1.md").unlink()
    index = open_index(root)
    with patch.object(writer, "record_files", side_effect=OSError("no more")), pytest.raises(StorageError):
        index.refresh(NOW)
    (root / "bank/p0.md").write_text("# Page 0\n\n- memory 0 words\n- zebra\n")

    index.take_in(NOW, ["p2.md"])
    index.refresh(NOW)

    assert stored_texts(root) == sorted([*(f"memory {page} words" for page in (0, 2, 3, 4, 5)), "zebra"])
    assert answers(index, root) == as_written(root)
    with index.writing() as build:
        assert [build.terms.count(term) for term in ("one", "zebra", "memori")] == [0, 1, 5]
    index.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "bank").mkdir()
    for page in range(6):
        (tmp_path / "bank" / f"p{page}.md").write_text(f"# Page {page}\n\n- memory {page} words\n")
    index = open_index(tmp_path)
    index.refresh(NOW)
    index.close()
    return tmp_path


def put_in_place(file: Path, data: bytes) -> None:
    """Another file of this name: threads of tantivy may have the old one mapped for a while yet, and what is cut then kills."""
    file.unlink()
    file.write_bytes(data)


def damage_rows(folder: Path) -> None:
    for file in folder.glob("*/rows.sqlite3*"):
        put_in_place(file, b"\0" * file.stat().st_size)


def cut_terms(folder: Path) -> None:
    for file in folder.glob("*/terms/*.idx"):
        put_in_place(file, file.read_bytes()[:7])


def lose_terms(folder: Path) -> None:
    for file in folder.glob("*/terms/*.term"):
        file.unlink()


def break_meta(folder: Path) -> None:
    for file in folder.glob("*/terms/meta.json"):
        file.write_text("{")


def point_nowhere(folder: Path) -> None:
    (folder / "current").write_text("77")


@pytest.mark.parametrize("harm", [damage_rows, cut_terms, lose_terms, break_meta, point_nowhere])
def test_a_damaged_index_is_noticed_and_made_anew(root: Path, harm: object) -> None:
    harm(root / "index")  # type: ignore[operator]

    index = open_index(root)
    done = index.refresh(NOW)

    assert done.why_rebuilt
    assert done.read == 6
    assert answers(index, root) == as_written(root)
    index.close()


def test_an_index_of_another_version_or_analyser_is_made_anew(root: Path) -> None:
    class OtherAnalyser(FakeAnalyser):
        version = "newer"

    index = SearchIndex(root / "index", PageFiles(root / "bank"), OtherAnalyser())

    assert "another version" in index.refresh(NOW).why_rebuilt
    assert index.refresh(NOW).why_rebuilt == ""
    index.close()


def test_during_a_rebuild_the_old_index_answers(root: Path) -> None:
    class Watching(FakeAnalyser):
        """Asks the old index while the new one is being made."""

        seen: list[dict[str, list[str]]] = []  # noqa: RUF012 -- one test, one list

        def analyse_for_index(self, *arguments: object) -> object:
            reader = open_index(root)
            reader.open()
            self.seen.append(answers(reader, root))
            reader.close()
            return super().analyse_for_index(*arguments)  # type: ignore[arg-type]

    index = SearchIndex(root / "index", PageFiles(root / "bank"), Watching())  # type: ignore[arg-type]
    before = as_written(root)
    index.rebuild(NOW)

    assert Watching.seen == [before]
    assert answers(index, root) == before
    index.close()


def test_generations_only_grow_over_rebuilds(root: Path) -> None:
    index = open_index(root)
    index.refresh(NOW)
    first = index.generation
    index.rebuild(NOW)

    assert index.generation > first
    index.close()
