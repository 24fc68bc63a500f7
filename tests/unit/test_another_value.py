"""The same said with another value, in another form of sentence; and what looks like it and is of something else."""

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
        ("The contact for payroll is Yusuf.", "Payroll's contact is Farida."),
        ("The best tenor in the choir is Orla.", "Ines is the best tenor in the choir."),
        ("The caterer for the gala is Mistral.", "The gala has Tamarind as its caterer."),
        ("Cache policy on the edge is Arc.", "The edge has a cache policy of Lru."),
        ("Trace level in staging is DEBUG.", "Staging traces at WARN level."),
        ("The lease on the barn ends on 3 May.", "The barn lease ends on 9 June."),
        ("Podman images are built on Fedora.", "The base of our Podman images is Alpine."),
        ("The default branch is master.", "The default branch is main."),
        ("My favourite colour is yellow.", "Teal is my favourite colour."),
        ("The parser is written in Ruby.", "Go is the language that the parser is written in."),
    ],
)
def test_another_value_in_another_form_of_sentence_is_an_update(old: str, new: str) -> None:
    found = find_match([("old", say(old))], say(new))

    assert found is not None
    assert (found.verdict.outcome, found.verdict.reason) == (Relation.UPDATE, "another value in other words")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Yusuf is Farida's friend.", "Orla is Farida's friend."),  # she has several
        ("At 7 am the ferry to the isle is empty.", "The isle ferry is empty at 7 pm."),
        ("The 2023 census found two gaps.", "Two gaps came up in the 2024 census."),
        ("Cache size on the edge is 40 GB.", "The edge has a cache size of 12 minutes."),
        ("Yusuf painted the barn on 3 May.", "The barn was painted by Yusuf on 9 June."),
        ("Ines teaches rowing to year nine.", "Ines teaches diving to year eleven."),
        ("The trace for Yusuf is number 1.", "The form for Orla is number 2."),
        ("The lease on the barn ends on 3 May.", "The barn lease never ends on 9 June."),
        ("The base of the lamp is Alpine.", "Lamps from the base are not Fedora."),
        ("The code for payroll is Yusuf.", "Payroll's code is 40."),
        ("The default branch is master.", "The default branch is protected."),
        ("The default branch is master.", "The default theme is dark."),
        ("The old branch is master.", "The old branch is main."),  # there may be several
        ("The desk of Yusuf is in hall Kappa.", "The desk of Orla is in hall Sigma."),
        ("Cousin Yusuf lives in Verona.", "Cousin Farida lives in Turin."),
        ("The meeting hall Jupiter seats 12.", "The meeting hall Saturn seats 6."),
    ],
)
def test_another_value_of_something_else_is_none(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is not Relation.UPDATE
