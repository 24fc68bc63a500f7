"""Signals beside the words of a memory."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise, product

import pytest

from bankd.memory.use_policy import HALF_LIFE_DAYS, PRIOR_CAP, RECENCY_PRIOR
from bankd.search.score import NOT_USED, Usage, prior_of

TODAY = date(2026, 5, 4)


def prior(
    confidence: float | None = None, age: int | None = None, usage: Usage = NOT_USED, *, is_pinned: bool = False
) -> float:
    day = None if age is None else TODAY - timedelta(age)
    return prior_of(confidence, day, TODAY, is_pinned=is_pinned, usage=usage)


def test_a_memory_without_signals_gets_nothing() -> None:
    assert prior() == 0


def test_surer_newer_and_pinned_memories_come_first_among_equals() -> None:
    assert prior(90) > prior(40)
    assert prior(age=1) > prior(age=200) > 0
    assert prior(is_pinned=True) > 0


def test_each_day_of_use_and_each_step_of_importance_counts_and_the_first_days_most() -> None:
    by_use = [prior(usage=Usage(days)) for days in (0, 1, 5, 20, 50)]
    by_importance = [prior(usage=Usage(importance=value)) for value in (None, 1, 5, 10)]

    for series in (by_use, by_importance):
        assert all(more > less for less, more in pairwise(series))
    assert by_use[1] - by_use[0] > (by_use[2] - by_use[1]) / 4 > (by_use[4] - by_use[3]) / 30
    assert prior(usage=Usage(50)) == prior(usage=Usage(10_000))


def test_what_was_only_shown_counts_and_far_less_than_what_was_of_use() -> None:
    assert 0 < prior(usage=Usage(shown=1)) < prior(usage=Usage(shown=5)) < prior(usage=Usage(1))
    assert prior(usage=Usage(shown=1)) < prior(usage=Usage(1)) / 5
    assert prior(usage=Usage(shown=10)) == prior(usage=Usage(1))


def test_what_was_lately_used_is_as_new_as_that_and_half_of_it_is_gone_in_a_half_life() -> None:
    assert prior(age=0) == RECENCY_PRIOR
    assert prior(age=HALF_LIFE_DAYS) == RECENCY_PRIOR / 2
    used = Usage(0, TODAY - timedelta(HALF_LIFE_DAYS))
    assert prior(age=1000, usage=used) == prior(usage=used) == RECENCY_PRIOR / 2
    assert prior(age=0, usage=used) == RECENCY_PRIOR
    assert prior(age=-5) == RECENCY_PRIOR  # a clock put back


@pytest.mark.parametrize("confidence", [None, -300.0, 0.0, 100.0, 900.0])
@pytest.mark.parametrize("age", [None, -5, 0, 10_000])
def test_all_together_stay_below_the_cap(confidence: float | None, age: int | None) -> None:
    for days, last, importance in product((0, 1, 10**9), (None, TODAY), (None, 1, 10)):
        assert abs(prior(confidence, age, Usage(days, last, importance), is_pinned=True)) <= PRIOR_CAP
