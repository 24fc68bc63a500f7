"""A new workspace lives in the time zone of its computer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bankd.app.init import machine_zone
from tests.stories.conftest import Run


@pytest.mark.parametrize(
    ("leads_to", "zone"),
    [("Europe/Berlin", "Europe/Berlin"), ("Etc/UTC", "Etc/UTC"), ("Mars/Olympus", "UTC"), ("../../x", "UTC")],
)
def test_the_zone_of_a_computer_is_where_its_local_time_leads(
    leads_to: str, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / leads_to)

    assert machine_zone(tmp_path / "localtime") == zone


def test_init_takes_the_zone_of_the_computer(tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert "Its time zone is Europe/Berlin" in bankctl("init", str(tmp_path / "new")).out
    settings = tmp_path / "new/bankd.yaml"

    assert "\ntimezone: Europe/Berlin\n" in settings.read_text(encoding="utf-8")
    settings.write_text("timezone: Asia/Tokyo\n")
    bankctl("init", str(tmp_path / "new"))
    assert settings.read_text() == "timezone: Asia/Tokyo\n"


def test_what_bankd_makes_is_private_and_what_is_adopted_is_said_to_be_open(
    tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, new = tmp_path / "vault", tmp_path / "new"
    vault.mkdir(0o755)
    (vault / "a.md").write_text("# A\n")
    made = subprocess.run(
        [sys.executable, "-m", "bankd", "init", str(new)], check=True, capture_output=True, umask=0o022
    )
    assert b"made" in made.stdout
    assert [path for path in (new, *new.rglob("*")) if not path.is_symlink() and path.stat().st_mode & 0o077] == []

    bankctl("adopt", str(vault), str(tmp_path / "adopted"))
    assert vault.stat().st_mode & 0o777 == 0o755
    monkeypatch.setenv("BANKD_WORKSPACE", str(tmp_path / "adopted"))
    assert f"{vault}: others on this computer may read it" in bankctl("doctor").out


def test_what_each_run_makes_anew_is_kept_out_of_git(
    tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BANKD_WORKSPACE", str(tmp_path))
    (tmp_path / ".gitignore").write_text("*.pdf\n")
    (tmp_path / ".git").mkdir()
    bankctl("init", str(tmp_path))

    assert (tmp_path / ".gitignore").read_text() == "*.pdf\n"
    assert "tree-index.json: each run makes it anew" in bankctl("doctor").out
    (tmp_path / ".gitignore").unlink()
    bankctl("init", str(tmp_path))
    assert "tree-index.json" in (tmp_path / ".gitignore").read_text()
    assert "each run makes it anew" not in bankctl("doctor").out


def test_texts_in_quotes_are_a_line_each(root: Path, bankctl: Run) -> None:
    bankctl("add", "W: The shed is red.", "O: Blue would be better.")
    bankctl("add", "W:", "The", "gate", "squeaks.")

    (log,) = (root / "memory").glob("*.md")
    assert log.read_text().splitlines()[-3:] == [
        "- W: The shed is red.",
        "- O: Blue would be better.",
        "- W: The gate squeaks.",
    ]


def test_a_fresh_workspace_has_nothing_to_mend(tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bankctl("init", str(tmp_path / "new"))
    monkeypatch.setenv("BANKD_WORKSPACE", str(tmp_path / "new"))

    verified, status, doctor = bankctl("doctor", "verify"), bankctl("status", "--json"), bankctl("doctor", "--json")

    assert (verified.code, status.code) == (0, 0)
    assert verified.out == "0 Retain lines, 0 memories: all promises hold\n"
    assert [found["text"].split(":")[0] for found in status.json["findings"]] == ["no daemon runs"]
    around = {"disk", "watching", "time zone", "unit"}  # of the computer that this runs on
    assert [area for area, found in doctor.json.items() if found and area not in around] == ["daemon"]
