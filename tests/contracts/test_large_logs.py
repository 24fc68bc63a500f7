"""A log so large that several runs take in a part of it each: it is taken apart once, and again when it is another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bankd.app.init import make_workspace
from bankd.memory.retain import LogReading, read_log
from bankd.wiring.workspace import open_workspace
from bankd.workspace import logs
from tests.settings import search_by_words

LINES = 2_050


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_workspace(tmp_path)
    search_by_words(tmp_path)
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
    for lines in (LINES, LINES + 1):
        write(root, lines)
        with open_workspace(root) as workspace:
            runs = len(list(workspace.run_batches("micro")))
        assert len([size for size in read if size > 100_000]) == lines - LINES + 1
        if lines == LINES:
            assert runs > 1
    pages = "".join(path.read_text("utf-8") for path in (root / "bank").rglob("*.md"))
    assert f"Parcel {LINES} went" in pages
