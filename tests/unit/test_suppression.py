"""What was beaten steps back where nearly the same is asked again."""

from __future__ import annotations

from datetime import date

import pytest

from bankd.memory.use_policy import SUPPRESSION
from bankd.search.suppression import KeptAnswer, question_lost, suppression_of

DAY = date(2026, 5, 1)
ASKED = {"deploy": 2.0, "day": 1.0, "staging": 2.0}


def test_each_loss_in_the_cluster_takes_half_of_what_is_left() -> None:
    same = {"deploy", "day", "staging"}

    assert suppression_of(ASKED, [same]) == pytest.approx(SUPPRESSION / 2)
    assert suppression_of(ASKED, [same, same]) == pytest.approx(SUPPRESSION * 3 / 4)
    assert suppression_of(ASKED, [same] * 60) <= SUPPRESSION


def test_a_loss_at_another_question_takes_nothing() -> None:
    assert suppression_of(ASKED, [{"deploy", "production", "who", "approves"}]) == 0
    assert suppression_of(ASKED, [{*ASKED, "why", "broke", "last"}]) == 0
    assert suppression_of(ASKED, []) == suppression_of({}, [set()]) == 0


def test_a_question_is_lost_only_where_one_that_was_used_answered_it_too() -> None:
    answers = [
        KeptAnswer("first", DAY, ("m-a", "m-b")), KeptAnswer("second", DAY, ("m-b", "m-a")),
        KeptAnswer("third", DAY, ("m-a", "m-c")),
    ]  # fmt: skip

    assert question_lost("m-a", ["m-b"], answers) == "second"
    assert question_lost("m-c", ["m-b"], answers) is None
