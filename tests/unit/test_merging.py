"""The answers of several banks as one."""

from __future__ import annotations

from typing import Any

from bankd.search.floor import NEAREST_SHOWN
from bankd.wiring.banks import merge_answers

FRESH = {"pending": 0, "updated": None, "daemon": False, "provisional": 0, "note": "", "meaning": "off"}


def answer(hits: list[float], nearest: list[float]) -> dict[str, Any]:
    found = [[{"group": "bank", "score": score} for score in scores] for scores in (hits, nearest)]
    return {"hits": found[0], "nearest": found[1], "see_also": [], "left_off": 0, "fresh": FRESH}


def test_what_is_nearest_is_shown_where_no_bank_has_an_answer_the_best_of_all() -> None:
    home, work = answer([], [0.06, 0.05, 0.04, 0.03]), answer([], [0.055, 0.01])

    nearest = merge_answers({"home": home, "work": work}, {})["nearest"]

    assert [one["score"] for one in nearest] == [0.06, 0.055, 0.05, 0.04, 0.03]
    assert len(nearest) == NEAREST_SHOWN
    assert nearest[1]["bank"] == "work"
    assert len(merge_answers({"home": home, "work": work}, {"limit": 2})["nearest"]) == 2


def test_where_one_bank_has_an_answer_nothing_is_only_nearest() -> None:
    merged = merge_answers({"home": answer([], [0.06]), "work": answer([0.4], [])}, {})

    assert ([hit["bank"] for hit in merged["hits"]], merged["nearest"]) == (["work"], [])
