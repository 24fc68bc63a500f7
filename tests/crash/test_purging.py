"""`bankctl forget --everywhere --apply` broken at any change of the disk: it says what stands, and the same command takes out the rest."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from bankd.storage import tree
from bankd.workspace.catalog import CatalogDatabase
from tests.crash.faults import ACTIONS, FULL, Fault, FaultyCalls, Killed, each
from tests.crash.test_from_outside import all_passed, compiled, driven
from tests.settings import make_quick_workspace

SAID = "the violet umbrella stands in the hall"


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that has a text on a page, in a run, in an answer and in the indices."""
    root = tmp_path_factory.mktemp("purging") / "bank"
    make_quick_workspace(root)
    (root / "memory/2026-06-01.md").write_text(f"- W: {SAID}.\n- W: The shed has a green door.\n")
    os.utime(root / "memory/2026-06-01.md", (1, 1))
    assert main(["cycle", "micro", "--now", "2026-06-02T03:00", "--workspace", str(root)]) == 0
    assert main(["search", "umbrella", "--workspace", str(root)]) == 0
    assert places(root)
    return root


def purge(root: Path, what: str = SAID) -> int:
    return main(["forget", "--everywhere", what, "--apply", "--workspace", str(root)])


def places(root: Path) -> list[str]:
    """Where the text still is, but in the logs, which bankd does not write."""
    files = (path for path in root.rglob("*") if path.is_file() and "memory" not in path.parts)
    return [path.relative_to(root).as_posix() for path in files if SAID.encode() in path.read_bytes()]


def broken(bank: Path, into: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, step: int) -> Iterator[Path]:
    """The workspace as each fault leaves it."""
    for at in count(1, step):
        root = Path(shutil.copytree(bank, into / str(at)))
        calls = FaultyCalls(replace(fault, at=at))
        with monkeypatch.context() as patched:
            patched.setattr(tree, "Syscalls", lambda: calls)  # noqa: B023 -- called in this turn
            try:
                code = purge(root)
            except Killed:
                code = -9
        if not calls.fired:
            assert at > 2 * step
            return
        assert code in {0, 3, -9}, calls.log[-1]
        yield root


@pytest.mark.parametrize("action", ACTIONS)
@each(13)
def test_the_same_command_takes_out_the_rest(
    bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str, step: int
) -> None:
    fewer = min(step, 4) if action == FULL else step  # fewer kinds of calls count there
    for root in broken(bank, tmp_path, monkeypatch, ACTIONS[action], fewer):
        assert purge(root) == 0
        assert places(root) == []
        assert "The shed has a green door" in "".join(page.read_text() for page in (root / "bank").rglob("*.md"))


@pytest.mark.parametrize("by_id", [True, False], ids=["by its id", "by its words"])
def test_a_full_disk_is_told_with_what_is_purged_and_what_is_not(
    bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], by_id: bool
) -> None:
    """SQLite writes on its own, so its error is made here; the second time no page has the memory, nor its words."""
    root = Path(shutil.copytree(bank, tmp_path / "bank"))
    page = next(page for page in (root / "bank").rglob("*.md") if SAID in page.read_text())
    name = page.read_text().partition(f"{SAID}. ^")[2][:14]
    what = name if by_id else SAID
    ask(root, "INSERT INTO questions (log, memory, questions) VALUES ('2026-06-01.md', ?, 'who is dry?')", name)

    execute = CatalogDatabase.execute_many

    def refuse(database: CatalogDatabase, statement: str, rows: Any) -> None:
        if statement.startswith("DELETE FROM questions WHERE memory"):
            raise sqlite3.OperationalError("database or disk is full")
        execute(database, statement, rows)

    with monkeypatch.context() as patched:
        patched.setattr(CatalogDatabase, "execute_many", refuse)
        assert purge(root, what) == 3

    said = capsys.readouterr().err
    purged, not_purged = (next(line for line in said.splitlines() if f": {kind}: " in line) for kind in KINDS)
    assert "database or disk is full" in said
    assert page.relative_to(root).as_posix() in purged
    assert ".bankd/catalogue.sqlite3" in not_purged
    assert page.relative_to(root).as_posix() not in not_purged
    assert "type the same command again" in said
    assert purge(root, what) == 0
    assert places(root) == []
    assert ask(root, "SELECT * FROM questions WHERE memory = ?", name) == []


KINDS = ("purged", "not purged")


def ask(root: Path, statement: str, value: str) -> list[object]:
    with closing(sqlite3.connect(root / ".bankd/catalogue.sqlite3", isolation_level=None)) as database:
        return database.execute(statement, (value,)).fetchall()


def test_what_cannot_be_removed_is_not_said_to_be_purged(
    bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(shutil.copytree(bank, tmp_path / "bank"))
    monkeypatch.setattr("bankd.storage.disk.remove_derived", lambda _: None)

    assert purge(root) == 3
    assert "index: cannot be removed" in capsys.readouterr().err


BANKCTL = "import sys; from bankd.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.full
@pytest.mark.parametrize(
    "words",
    [
        ("crash", "--step", "61"),
        ("errno", "--errno", "ENOSPC", "--kinds", "create,write,mkdir", "--forever", "--step", "61"),
        ("errno", "--errno", "EIO", "--step", "61"),
    ],
    ids=["killed", "a full disk", "a failing disk"],
)
def test_a_real_process_may_meet_any_fault(bank: Path, shared: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """With the writes of SQLite and tantivy among the points; what a run says must never be a traceback."""
    runner = compiled(shared / "tools/crashpoint", tmp_path)
    command = f"{sys.executable} -c {shlex.quote(BANKCTL)} forget {shlex.quote(SAID)} --everywhere --apply --workspace {{dir}}"
    kept = f"grep -rl {shlex.quote(SAID)} {{dir}}/bank {{dir}}/events {{dir}}/.bankd {{dir}}/recall"
    spec = {
        "setup": f"cp -a {bank}/. {{dir}}",
        "run": f"{command} 2>{{dir}}/said.txt",
        "recover": command,
        "check": f"! {kept} | grep .",
        "weak": "! grep -h Traceback {dir}/said.txt",
        "exclude": ["*/said.txt"],
    }
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    said = driven(shared / "tools/crashpoint", runner, tmp_path, words)

    assert all_passed(said, 10), said
