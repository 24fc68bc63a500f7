"""Who does it and to whom it is done in an English sentence, each rule by a pair that nothing else tells apart."""

from __future__ import annotations

import pytest

from bankd.core.dedup.duplicates import Relation, compare_statements
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bankd.core.language.wording import plain_wording


def say(text: str) -> Statement:
    return read_statement(plain_wording(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Hugo was painted by Nora", "Hugo painted Nora"),
        ("Hugo is taught piano on Mondays", "Hugo teaches piano on Mondays"),
        ("Hugo was recently called about the boat", "Hugo called about the boat"),
        ("The choir is owed 300 euros", "The choir owes 300 euros"),
        ("We are owed 300 euros", "We owe 300 euros"),
        ("The harbour office wrote to us", "We wrote to the harbour office"),
        ("The ferryman called me", "I called the ferryman"),
        ("Nora owes us 300 euros", "We owe Nora 300 euros"),
        ("The tenant upstairs complained about our music", "We complained to the tenant upstairs about his music"),
        ("Nora has had the garden fence painted", "Nora has painted the garden fence"),
        ("I had my boat repaired on Monday", "I repaired my boat on Monday"),
        ("Nora stopped to talk to the ferryman", "Nora stopped talking to the ferryman"),
        ("Nora tried to restart the pump", "Nora tried restarting the pump"),
        ("Nora is afraid of her mother", "Nora is afraid for her mother"),
        ("Nora ran errands for Hugo at the market", "Nora ran into Hugo at the market"),
    ],
)
def test_who_does_it_does_not_have_it_done(old: str, new: str) -> None:
    one, other = say(old), say(new)
    assert compare_statements(one, other).outcome is not Relation.SAME
    assert compare_statements(other, one).outcome is not Relation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The fence was painted by Nora", "Nora painted the fence"),
        ("The fence that Nora painted", "The fence painted by Nora"),
        ("The old fence was painted by Nora on Monday", "On Monday Nora painted the old fence"),
        ("The report was written by me", "I wrote the report"),
        ("I painted the old boat with Nora", "Nora painted the old boat with me"),
        ("I run on Mondays", "On Mondays I run"),
        ("Nora tried to restart the pump", "The pump is what Nora tried to restart"),
    ],
)
def test_the_same_deed_may_be_told_in_either_voice(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.SAME
