"""A state that is measured again is an update of what was measured, and of nothing else."""

from __future__ import annotations

import pytest

from bankd.core.dedup.duplicates import Relation, compare_statements, find_match
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bankd.core.language.wording import plain_wording


def say(text: str) -> Statement:
    return read_statement(plain_wording(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The price for rope is 30 euros.", "Up to 20 euros for rope."),
        ("The goat weighs about 41 kg.", "38 kg is what the goat weighs currently."),
        ("The sensor waits for 4 hours.", "Failing, the sensor waits for as many as 7 hours."),
        ("Pocket money for Ines is 4 euros a week.", "Ines gets 7 euros of pocket money weekly."),
        ("Sensors are polled every 20 seconds.", "The sensors polling interval is 50 seconds."),
        ("Max attachment size is 12 MB.", "Attachments may be up to 30 MB."),
        ("Our lesson lasts two weeks.", "Lessons are three weeks long."),
    ],
)
def test_what_is_measured_again_in_other_words_is_an_update(old: str, new: str) -> None:
    found = find_match([("old", say(old))], say(new))

    assert found is not None
    assert found.verdict.outcome is Relation.UPDATE
    assert found.verdict.reason.startswith("measure: ")


def test_a_measure_is_told_in_the_unit_in_which_it_was_written() -> None:
    found = find_match([("old", say("The goat weighs about 41 kg."))], say("38 kg is what the goat weighs currently."))

    assert found is not None
    assert found.verdict.reason == "measure: 41kg → 38kg"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The goat weighs about 41 kg.", "The goat eats 3 kg of hay."),
        ("The write timeout is 5 seconds.", "The timeout of any read is 2 seconds."),
        ("Hilde has a pension of 1450 euros.", "The rent of Hilde is 620 euros."),
        ("The barrel weighed 30 kg.", "Full of rain the barrel weighs 20 kg."),
        ("Rent in May is 30 euros for the shed.", "The shed is 40 euros of rent in June."),
        ("The lamp burns for 3 hours.", "The lamp in the shed behind our mill by the river burns for 2 hours."),
        ("The lamp burns for 3 hours.", "In a test by Ines the lamp burns for 2 hours."),
        ("The lamp burns for 3 hours.", "The lamp does not burn for all of 2 hours."),
        ("The lamp burns for 3 hours.", "The lamp also burns at a heat of 2 hours."),
        ("The race takes 3 hours.", "A race takes 2 hours and 30 km."),
    ],
)
def test_what_measures_something_else_is_none(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is not Relation.UPDATE
