"""The buffer of recent answers."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bankd.index.recall import RecallBuffer

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


def answer(query: str) -> dict[str, object]:
    return {"query": query, "generation": 1, "hits": [], "nearest": []}


def kept(folder: Path) -> list[str]:
    return sorted(file.read_text().splitlines()[0] for file in folder.glob("*.md"))


def test_an_answer_goes_when_its_time_is_over(tmp_path: Path) -> None:
    buffer = RecallBuffer(tmp_path, 60)

    buffer.keep(answer("old"), NOW)
    buffer.keep(answer("recent"), NOW + timedelta(minutes=30))
    buffer.keep(answer("new"), NOW + timedelta(minutes=61))

    assert kept(tmp_path) == ["# new", "# recent"]


def test_another_process_takes_away_what_the_first_left(tmp_path: Path) -> None:
    RecallBuffer(tmp_path, 60).keep(answer("old"), NOW)

    RecallBuffer(tmp_path, 60).keep(answer("new"), NOW + timedelta(hours=2))

    assert kept(tmp_path) == ["# new"]


def test_it_does_not_look_through_the_folder_at_every_answer(tmp_path: Path) -> None:
    buffer = RecallBuffer(tmp_path, 60)
    buffer.keep(answer("first"), NOW)
    (tmp_path / "20261122T010000-0abc0abc.md").write_text("# old\n")

    buffer.keep(answer("second"), NOW + timedelta(seconds=30))
    assert "# old" in kept(tmp_path)

    buffer.keep(answer("third"), NOW + timedelta(seconds=61))
    assert kept(tmp_path) == ["# first", "# second", "# third"]


def test_what_people_put_there_stays(tmp_path: Path) -> None:
    (tmp_path / "MyThoughts-2026.md").write_text("# mine\n")

    RecallBuffer(tmp_path, 60).keep(answer("query"), NOW)

    assert kept(tmp_path) == ["# mine", "# query"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(_staged: str, _file: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", replace)

    with pytest.raises(OSError, match="No space"):
        RecallBuffer(tmp_path, 60).keep(answer("query"), NOW)

    assert list(tmp_path.iterdir()) == []
