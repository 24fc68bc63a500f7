"""Signals beside the words of a memory."""

from __future__ import annotations

import pytest

from bankd.core.ranking.priors import CAP, prior_of


def test_a_memory_without_signals_gets_nothing() -> None:
    assert prior_of(None, None, is_pinned=False) == 0


def test_surer_newer_and_pinned_memories_come_first_among_equals() -> None:
    assert prior_of(90, None, is_pinned=False) > prior_of(40, None, is_pinned=False)
    assert prior_of(None, 1, is_pinned=False) > prior_of(None, 200, is_pinned=False) > 0
    assert prior_of(None, None, is_pinned=True) > 0


@pytest.mark.parametrize("confidence", [-300.0, 0.0, 100.0, 900.0])
@pytest.mark.parametrize("age", [-5, 0, 10_000])
def test_all_together_stay_below_the_cap(confidence: float, age: int) -> None:
    assert abs(prior_of(confidence, age, is_pinned=True)) <= CAP
