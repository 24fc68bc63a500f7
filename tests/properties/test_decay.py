"""Fading is exact: whatever runs are missed, doubled or late, the value is that of daily runs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankd.memory.archive import Resident, fades_away_on
from bankd.memory.use import CONFIRMATION, Fading, falls_on, is_fading, raise_confidence, value_on
from bankd.pages.memory import Confidence, Memory
from bankd.settings import DecayPolicy

START = date(2026, 11, 21)
DEFAULT = Fading.of(DecayPolicy())

days = st.integers(0, 120)
values = st.integers(0, 100)
fadings = st.builds(Fading, per_day=st.integers(0, 100), floor=st.integers(0, 100))


def by_daily_runs(start: int, count: int, fading: Fading) -> int:
    """The value that a run each day would have left, one subtraction at a time."""
    value = start
    for _ in range(count):
        value = max(0, value - fading.per_day)
    return value


@pytest.mark.parametrize("start", range(101))
def test_every_start_value_is_exact_on_each_of_120_days(start: int) -> None:
    written = Confidence(start, START)
    found = [value_on(written, START + timedelta(n), DEFAULT) for n in range(121)]

    assert found == [by_daily_runs(start, n, DEFAULT) for n in range(121)]


@given(values, st.lists(days, max_size=40), days, fadings)
def test_runs_that_rewrite_the_line_change_nothing(start: int, runs: list[int], last: int, fading: Fading) -> None:
    written = Confidence(start, START)
    for n in sorted(min(run, last) for run in runs):
        today = START + timedelta(n)
        written = Confidence(value_on(written, today, fading), max(today, written.day or today))

    assert value_on(written, START + timedelta(last), fading) == by_daily_runs(start, last, fading)


@given(values, fadings)
def test_the_day_of_the_fall_is_the_first_below_the_floor(start: int, fading: Fading) -> None:
    written = Confidence(start, START)
    day = falls_on(written, fading)
    below = [n for n in range(150) if by_daily_runs(start, n, fading) < fading.floor]

    assert day == (START + timedelta(below[0]) if below else None)


@given(values, fadings, st.lists(days, max_size=30))
def test_a_day_on_which_it_was_used_takes_nothing(start: int, fading: Fading, used: list[int]) -> None:
    written, of_use = Confidence(start, START), [START + timedelta(n) for n in used]
    worth, found = start, list[int]()
    for n in range(200):
        worth = worth if n == 0 or n in used else max(0, worth - fading.per_day)
        found.append(worth)
    below = [n for n in range(200) if found[n] < fading.floor]

    assert [value_on(written, START + timedelta(n), fading, used=of_use) for n in range(200)] == found
    assert falls_on(written, fading, of_use) == (START + timedelta(below[0]) if below else None)


def test_full_confidence_is_archived_on_the_36th_day() -> None:
    assert falls_on(Confidence(100, START), DEFAULT) == START + timedelta(36)  # 1.00 - 35 * 0.02 is not below 0.30


@pytest.mark.parametrize("page", ["bank/opinions/preferences.md", "bank/opinions/preferences/tea.md", "bank/Likes.md"])
def test_nothing_fades_on_a_page_that_is_kept_on_its_parts_and_where_it_was_moved(page: str) -> None:
    fading = Fading.of(DecayPolicy(), {"opinions/preferences.md": "likes.md"}.__getitem__)

    assert value_on(Confidence(90, START), START + timedelta(100), fading, page) == 90
    assert value_on(Confidence(90, START), START + timedelta(10), fading, "bank/opinions/preferences2.md") == 70


@given(values, st.integers(-4000, -1))
def test_a_clock_set_back_changes_nothing(start: int, n: int) -> None:
    assert value_on(Confidence(start, START), START + timedelta(n), DEFAULT) == start


@given(st.sampled_from(["Asia/Seoul", "America/New_York", "Europe/Helsinki", "Pacific/Apia"]), st.integers(0, 400))
def test_zones_and_daylight_saving_do_not_count(zone: str, n: int) -> None:
    opinion = Confidence(100, START)
    at = datetime(2026, 11, 21, 3, 0, tzinfo=ZoneInfo(zone))
    local = (at + timedelta(n)).date()
    late = (at.astimezone(UTC) + timedelta(n, hours=1)).astimezone(ZoneInfo(zone)).date()

    assert value_on(opinion, local, DEFAULT) == by_daily_runs(100, n, DEFAULT)
    assert value_on(opinion, late, DEFAULT) in {by_daily_runs(100, k, DEFAULT) for k in (n, n + 1)}


@given(values, days, st.none() | values)
def test_said_again_it_is_worth_a_little_more_and_at_least_what_was_said(start: int, n: int, said: int | None) -> None:
    worth, today = by_daily_runs(start, n, DEFAULT), START + timedelta(n)
    again = raise_confidence(worth, today, None if said is None else Confidence(said))

    assert again == Confidence(max(min(100, worth + CONFIRMATION), said or 0), today)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (Memory("prefers tea", "O", Confidence(10, START)), True),
        (Memory("prefers tea #pinned", "O", Confidence(10, START)), False),
        (Memory("prefers tea", "O"), False),
        (Memory("drinks tea", "W", Confidence(10, START)), False),
    ],
)
def test_only_opinions_with_a_confidence_fade(memory: Memory, expected: bool) -> None:
    assert is_fading(memory) is expected
    assert (fades_away_on(Resident("m-a", "bank/a.md", memory), START, DEFAULT) is not None) is expected
