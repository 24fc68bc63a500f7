"""A new workspace lives in the time zone of its computer."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.app.init import machine_zone
from tests.stories.conftest import Run


@pytest.mark.parametrize(
    ("leads_to", "zone"), [("Europe/Berlin", "Europe/Berlin"), ("Etc/UTC", ""), ("Mars/Olympus", ""), ("../../x", "")]
)
def test_the_zone_of_a_computer_is_where_its_local_time_leads(
    leads_to: str, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / leads_to)

    assert machine_zone(tmp_path / "localtime") == zone


def test_init_takes_the_zone_of_the_computer(tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    bankctl("init", str(tmp_path / "new"))
    settings = tmp_path / "new/bankd.yaml"

    assert "\ntimezone: Europe/Berlin\n" in settings.read_text(encoding="utf-8")
    settings.write_text("timezone: Asia/Tokyo\n")
    bankctl("init", str(tmp_path / "new"))
    assert settings.read_text() == "timezone: Asia/Tokyo\n"


def test_a_fresh_workspace_has_nothing_to_mend(tmp_path: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bankctl("init", str(tmp_path / "new"))
    monkeypatch.setenv("BANKD_WORKSPACE", str(tmp_path / "new"))

    verified, status, doctor = bankctl("doctor", "verify"), bankctl("status", "--json"), bankctl("doctor", "--json")

    assert (verified.code, status.code) == (0, 0)
    assert verified.out == "0 Retain lines, 0 memories: all promises hold\n"
    assert [found["text"].split(":")[0] for found in status.json["findings"]] == ["no daemon runs"]
    around = {"disk", "watching", "time zone", "unit"}  # of the computer that this runs on
    assert [area for area, found in doctor.json.items() if found and area not in around] == ["daemon"]
