"""Which memories fit the days that a question asks about."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import pytest

from bankd.search.days import TELLING, fit_of, happened_in, held_before, names_longer, place_within, prefer_newest
from bankd.search.find import Ranked
from bankd.search.request import FoundRow
from bankd.search.score import Candidate
from bankd.words.days import Span, on

MAY = Span(date(2026, 5, 1), date(2026, 5, 31))


class Memory(NamedTuple):
    learned: date | None
    about: tuple[Span, ...] = ()
    tag: str | None = "W"


def of(day: int, month: int = 5, *about: Span, tag: str = "W") -> Memory:
    return Memory(date(2026, month, day), about, tag)


def test_a_memory_is_of_the_days_it_speaks_of_else_of_its_log() -> None:
    assert fit_of(of(3), [MAY]) == 1
    assert fit_of(of(3, 4, on(date(2026, 5, 9))), [MAY]) == 1
    assert fit_of(of(3, 4), [MAY]) == 0
    assert 0 < fit_of(of(3, 5, on(date(2026, 9, 9))), [MAY]) < TELLING


def test_what_happened_comes_before_habits_and_before_what_held_all_year() -> None:
    year = Span(date(2026, 1, 1), date(2026, 12, 31))
    event, habit, state = (happened_in(one, [MAY]) for one in (of(3), of(3, tag="B"), of(3, 1, year)))
    assert event > habit
    assert habit > state > 0


def test_the_best_of_several_windows_counts() -> None:
    assert fit_of(of(3), [Span(date(2026, 3, 1), date(2026, 3, 9)), MAY]) == 1


def test_what_was_so_in_a_past_window_is_told_by_what_was_learned_last_before_its_end() -> None:
    today = date(2026, 9, 1)
    told = [held_before(of(1, month), [MAY], today) for month in (1, 4, 5, 6)]
    assert 0 < told[0] < told[1] < told[2]
    assert told[3] == 0, "learned later, it may say otherwise"
    assert held_before(of(1, 4), [MAY], date(2026, 5, 20)) == 0, "the window is not over"


@pytest.mark.parametrize(
    ("memory", "day"),
    [
        (of(3), date(2026, 5, 3)),
        (of(3, 5, on(date(2026, 5, 9)), on(date(2026, 6, 1))), date(2026, 5, 9)),
        (of(3, 4, Span(date(2026, 4, 20), date(2026, 5, 5))), date(2026, 5, 1)),
        (of(3, 4, MAY), date(2026, 5, 31)),
        (of(3, 4, MAY, on(date(2026, 5, 9))), date(2026, 5, 9)),
        (Memory(None), date.min),
    ],
)
def test_its_first_day_in_the_window_places_a_memory_on_a_timeline_and_a_month_its_last(
    memory: Memory, day: date
) -> None:
    assert place_within(memory, [MAY])[0] == day


def test_what_names_a_month_is_of_a_day_in_it_only_if_it_was_said_then() -> None:
    day = on(date(2026, 5, 3))
    assert [names_longer(one, day) for one in (of(3, 5, MAY), of(2, 5, MAY), of(2, 5, day, MAY))] == [0, 1, 0]


def test_of_what_holds_now_the_newest_that_answers_is_raised_and_nothing_else() -> None:
    def ranked(number: int, score: float, month: int) -> Ranked:
        row = FoundRow(number, 1, 1, None, "W", None, None, (), (), "", date(2026, month, 1))
        return Ranked("a.md", row, Candidate(number, 1, 0, (), (), frozenset(), denies=False), {"score": score})

    found = prefer_newest([ranked(0, 0.20, 1), ranked(1, 0.15, 3), ranked(2, 0.05, 9)])
    assert [round(one.parts["score"], 2) for one in found] == [0.25, 0.25, 0.05]
