"""Figures of rankings, and banks made of test sets."""

from __future__ import annotations

import pytest
from tests.bench.bootstrap import bootstrap_interval

from bankd.core.ranking.eval_bank import bank_of
from bankd.core.ranking.evaluation import mean_of, quality_of


def test_figures_of_a_ranking() -> None:
    quality = quality_of(["x", "a", "y", "b"], {"a": 1, "b": 1, "z": 0})

    assert quality.mrr_10 == 0.5
    assert (quality.recall_1, quality.recall_5, quality.recall_10) == (0.0, 1.0, 1.0)
    assert quality.ndcg_10 == pytest.approx((0.6309 + 0.4307) / (1 + 0.6309), abs=1e-3)


def test_no_answer_is_worth_nothing() -> None:
    assert quality_of([], {"a": 1}) == (0.0, 0.0, 0.0, 0.0, 0.0)


def test_means_and_the_interval_of_a_difference() -> None:
    assert mean_of([quality_of(["a"], {"a": 1}), quality_of([], {"a": 1})]).mrr_10 == 0.5
    low, high = bootstrap_interval([0.1] * 50 + [0.0] * 50)

    assert 0 < low < 0.05 < high < 0.1


def test_documents_become_memories_on_a_page_a_session() -> None:
    documents = [
        {"id": "d1", "title": "Ann, 1 May", "text": "Hi\nthere", "conv": "c 1", "session": 1, "speaker": "Ann B"},
        {"id": "d2", "title": "Ann, 1 May", "text": "Bye", "conv": "c 1", "session": 1, "speaker": "Ann B"},
        {"id": "d3", "title": "Bob", "text": "Yes", "conv": "c 2", "session": 1},
    ]

    bank = bank_of(documents, "conv")

    assert bank.pages == {
        "c-1/00000.md": "# Ann, 1 May\n\n- W @Ann-B: Hi there\n- W @Ann-B: Bye\n",
        "c-2/00001.md": "# Bob\n\n- Yes\n",
    }
    assert bank.documents == {("c-1/00000.md", 3): "d1", ("c-1/00000.md", 4): "d2", ("c-2/00001.md", 3): "d3"}
