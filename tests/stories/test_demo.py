"""The demo shows the whole of it and leaves nothing behind."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.stories.conftest import Run


def test_the_demo_learns_two_weeks_answers_five_questions_and_is_gone(
    bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()

    result = bankctl("demo")

    assert result.code == 0
    assert "= duplicate memory/2026-05-07.md:9" in result.out
    assert "! screened memory/2026-05-08.md:14" in result.out
    assert "AKIA" not in result.out
    assert result.out.count("  ? ") == 5
    assert "? 가치관이 뭐야?\n    bank/identity/values.md:6  가치관: 정직을 최우선으로 한다." in result.out
    assert "nothing relevant" not in result.out
    assert "\x1b" not in result.out
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_demo_can_be_kept_but_touches_no_folder_in_use(bankctl: Run, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used/mine.txt").write_text("mine")

    assert bankctl("demo", "--keep", str(tmp_path / "used")).code == 3
    assert bankctl("demo", "--keep", str(tmp_path / "kept")).code == 0
    found = bankctl("search", "가치관", "--workspace", str(tmp_path / "kept"), "--json").json
    assert found["hits"][0]["path"] == "bank/identity/values.md"
