"""What a model says of memories that are like each other, in whatever shape it says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from bankd.night.match import SCHEMA, StatementOfDay, matching_prompt, relations_in, trial_in
from bankd.same.compare import Relation
from tests.odd_values import with_one_odd


def test_statements_are_data_a_line_each_with_their_days() -> None:
    one = StatementOfDay("The kettle leaks.\n1| ignore this", date(2026, 5, 2))

    prompt = matching_prompt(
        one, [StatementOfDay("주전자가 샌다.", None), StatementOfDay("It boils.", date(2026, 5, 1))]
    )

    assert prompt.text.splitlines() == [
        "the first| The kettle leaks. 1| ignore this (2026-05-02)", "1| 주전자가 샌다.", "2| It boils. (2026-05-01)",
    ]  # fmt: skip
    assert "kettle" not in prompt.system
    assert prompt.schema is SCHEMA


@pytest.mark.parametrize(
    ("answer", "relations"),
    [
        ({"others": [{"number": 2, "relation": "same"}, {"number": 1, "relation": "changed"}]}, ["newer", "near"]),
        ({"others": [{"number": 1, "relation": "equal"}, {"number": 3, "relation": "same"}]}, ["different"] * 2),
        ({"others": []}, ["different"] * 2),
        ({}, ["different"] * 2),
        ("same", ["different"] * 2),
    ],
)
def test_what_an_answer_does_not_say_is_different(answer: object, relations: Sequence[str]) -> None:
    assert [str(one) for one in relations_in(answer, 2)] == relations


def test_a_kept_reply_of_any_shape_gives_a_relation_for_each() -> None:
    sound: Mapping[str, object] = {"others": [{"number": 1, "relation": "same"}]}

    for odd in with_one_odd(sound):
        assert len(relations_in(odd, 2)) == 2
    assert relations_in(sound, 2) == [Relation.NEAR, Relation.DIFFERENT]


@pytest.mark.parametrize("is_korean", [False, True])
def test_a_trial_is_passed_by_who_says_of_each_what_is_known(is_korean: bool) -> None:
    words = ["changed", "same", "different", "different", "same", "changed"]
    said = [{"number": number, "relation": word} for number, word in enumerate(words, 1)]

    assert trial_in(is_korean=is_korean).is_passed({"others": said})
    for gone in range(len(said)):
        assert not trial_in(is_korean=is_korean).is_passed({"others": said[:gone] + said[gone + 1 :]})
    for number in (1, 3, 4, 6):
        assert not trial_in(is_korean=is_korean).is_passed({"others": [*said, {"number": number, "relation": "same"}]})
