"""The clock, read in two ways."""

from __future__ import annotations

import os

import pytest

from bankd.system.clock import read_clock, read_clock_alone


@pytest.mark.parametrize("zone", ["Asia/Seoul", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"])
def test_both_ways_of_reading_the_clock_agree(zone: str) -> None:
    before = os.environ.get("TZ")

    library, alone = read_clock(zone), read_clock_alone(zone)

    assert alone.utcoffset() == library.utcoffset()
    assert abs((alone - library).total_seconds()) < 60
    assert os.environ.get("TZ") == before


def test_a_zone_that_the_computer_lacks_is_not_taken_for_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bankd.system.clock._ZONES", "/nowhere")

    assert read_clock_alone("Asia/Seoul").utcoffset() == read_clock("Asia/Seoul").utcoffset()
