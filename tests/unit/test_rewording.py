"""Rewordings that share few letters, and what forbids them, each rule by a pair that nothing else tells apart."""

from __future__ import annotations

import pytest

from bankd.core.dedup.duplicates import Relation, compare_statements
from bankd.core.dedup.rewording import Evidence, is_reworded, weigh_wordings
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bankd.core.language.wording import plain_wording


def say(text: str) -> Statement:
    return read_statement(plain_wording(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The release pipeline takes about an hour", "A release run lasts around an hour"),
        ("The flat was painted by Hugo", "Hugo painted the flat"),
        ("Choir practice takes an hour and a half", "Choir practice lasts 90 minutes"),
        ("The ferry leaves the pier at half past eleven", "The ferry leaves the pier at 11:30"),
        ("We keep the old maps in the blue cabinet", "The old maps are stored in the blue cabinet"),
        ("Nora's amplifier runs on a 9 volt adapter", "A 9 volt adapter is what Nora's amplifier runs on"),
        ("Piano lessons happen every Saturday morning", "We have piano lessons on Saturday mornings"),
        ("Sofia looks after the twins of Clara", "Sofia takes care of Clara's twins"),
        ("The boiler in the attic broke down", "The boiler in the attic has broken down"),
        ("My cousin lives in Porto with her parrot", "Cousin lives in Porto with parrot"),
        ("I have an allergy to cats", "I have a cat allergy"),
        ("Choir practice: Thu 9 Oct", "Choir practice is on Thursday, October 9"),
        ("The drafts are kept for 14 days", "The drafts are kept for two weeks"),
        ("Draft retention: 30 days", "Drafts are retained for 30 days"),
        ("The upload limit is 1 GB", "Uploads are limited to 1024 MB"),
        ("The choir meets twice a week", "The choir meets two times a week"),
        ("The virtual private network of the mill is slow", "The VPN of the mill is slow"),
        ("The nightly ferry leaves the pier at 02:00", "The ferry leaves the pier at 2 a.m. every night"),
        ("The third floor of the mill is closed", "The 3rd floor of the mill is closed"),
        ("The canoe of Ida was stolen last week", "Last week somebody stole Ida's canoe"),
        ("The meeting time of the choir is 7pm", "The choir meeting is at 7pm"),
        ("The garage is $90 a month", "I pay $90 a month for the garage"),
        ("The mill has 3k visitors", "The mill has 3000 visitors"),
        ("The last ferry leaves the pier at 11:30pm", "The last ferry leaves the pier at half past eleven at night"),
        ("The bakery opens its gate at 9 in the morning", "The bakery opens its gate at 9am"),
        ("The fair is from May 3 to May 10", "The fair runs May 3 through May 10"),
        ("Parcels over 20 kg need a permit", "A permit is needed for parcels above 20 kg"),
        ("Ida is the tenant of the mill", "The tenant of the mill is Ida"),
        ("My uncle is a pilot in Porto", "My uncle works as a pilot in Porto"),
        ("My uncle's parrot is called Rufus", "The parrot of my uncle is named Rufus"),
        ("The garage is $90 a month", "The monthly garage is $90"),
        ("My cousin owns a red canoe", "My cousin has a red canoe"),
        ("The choir meets on Friday at 7pm", "At 7pm on Friday the choir meets"),
        ("The drafts are deleted after 90 days", "We delete the drafts after 90 days"),
        ("The laptop has 16 GB of RAM", "The laptop's memory is 16 GB"),
        ("All tenants must carry a badge", "Carrying a badge is mandatory for all tenants"),
        ("Ida moved to Porto in 2019 because of the choir", "Ida relocated to Porto in 2019 for the choir"),
    ],
)
def test_a_fact_in_other_words_is_the_same(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I worked at the mill in Porto", "I work at the mill in Porto"),
        ("We had a red canoe in Porto", "We have a red canoe in Porto"),
        ("The drafts are deleted after 90 days", "We deleted the drafts after 90 days"),
        ("Ida has lived in Porto since 2015", "Ida lived in Porto in 2015"),
        ("My cousin lives in Porto with her parrot", "My cousin lives in Porto with his parrot"),
        ("The cat of Ida bites postmen", "The cats of Ida bite postmen"),
        ("I have a son studying law in Porto", "I have sons who study law in Porto"),
        ("The pool of the hotel opens for guests", "Guests of the hotel may not use the pool which opens"),
        ("Aunt Ida's parrot needs drops twice a day", "Aunt Ida needs drops two times daily"),
        ("The ferry course starts in three hours", "The ferry course lasts three hours"),
        ("The ex-wife of Hugo has a job at the mill", "The wife of Hugo works at the mill"),
        ("The release pipeline takes about an hour", "A release run lasts around an hour in Berlin"),
        ("The release pipeline takes an hour in Berlin", "In Madrid a release run lasts an hour"),
        ("The nightly report gets archived before dinner", "After dinner the nightly report is kept"),
        ("The tenant hired the lawyer for a year", "The attorney hired the tenant for a year"),
        ("Hugo teaches Ida the violin on a boat", "Ida teaches Hugo violin on the wide boat"),
        ("The cellar door is heavy to open", "No longer is the cellar door heavy to open"),
        ("The bakery opens its gate at 9 in the evening", "The bakery opens its gate at 9am"),
        ("Emil sells maps of the old town", "Maps of the old town hang at Emil's for buyers and guests and cooks"),
    ],
)
def test_what_tells_two_facts_apart_forbids_it(old: str, new: str) -> None:
    assert weigh_wordings(say(old), say(new)) is None
    assert compare_statements(say(old), say(new)).outcome is not Relation.SAME


def test_what_has_a_word_more_may_say_more() -> None:
    old, new = "Peter likes tea", "Peter likes green tea"

    assert compare_statements(say(old), say(new)).outcome is not Relation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The music teacher lives beside the old mill", "The music teacher's home is beside the old mill"),
        ("The museum guide opens the old gate at noon", "At noon the old gate is what the museum guide paints"),
    ],
)
def test_what_has_a_word_of_its_own_is_near_at_most(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.NEAR


def test_another_of_a_series_has_not_changed() -> None:
    old, new = "Gate 12 is locked by the guard", "Gate 21 is no longer locked by the guard"

    assert compare_statements(say(old), say(new)).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I smoke a pack of cigarettes a day", "Since the spring I have given up cigarettes"),
        ("Emma eats sweets with her lunch", "Emma has quit sweets for her knees"),
    ],
)
def test_what_somebody_has_given_up_is_no_longer_so(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.UPDATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Nora eats sweets with her lunch", "Emma has quit sweets for her knees"),
        ("Emma has quit sweets for her knees", "Emma gave up sweets last winter"),
        ("Emma eats plums with her lunch", "Emma has quit sweets for her knees"),
    ],
)
def test_what_another_has_given_up_goes_on(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is not Relation.UPDATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The canoe is around the corner from my flat", "My flat is around the corner from the canoe"),
        ("The museum opens at 9 on Friday and at 7 on Sunday", "The museum opens at 7 on Friday and at 9 on Sunday"),
        ("The museum opens at 9 on Friday and at 7 on Sunday", "The museum opens at 9 on Sunday and at 7 on Friday"),
        ("The mill is open from 9 to 5", "The mill is open from 5 to 9"),
        ("My uncle works in Porto", "My uncle is in Porto"),
    ],
)
def test_what_is_turned_round_may_say_another_thing(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is not Relation.SAME


def test_another_frequency_is_another_value() -> None:
    verdict = compare_statements(say("The garage is $90 a month"), say("The weekly garage is $90"))

    assert (verdict.outcome, verdict.reason) == (Relation.UPDATE, "how often: month → week")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Porto", "I moved to Lisbon last winter"),
        ("The pump in the cellar is broken", "The plumber repaired the pump"),
        ("The attic is being renovated", "The renovation of the attic is finished"),
        ("I like plums in the morning", "I don't eat plums anymore"),
        ("Hugo works at Acme", "Hugo left Acme in May"),
    ],
)
def test_what_ends_a_state_supersedes_it(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.UPDATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Porto", "My parents moved to Lisbon last winter"),
        ("The pump on floor 2 is broken", "The pump on floor 3 has been repaired"),
        ("The pump of Nora is broken", "The pump of Hugo has been repaired"),
        ("Hugo works at Acme", "Hugo left the choir in May"),
        ("I like plums", "I also like pears now"),
        ("I like plums", "My brother now likes plums"),
    ],
)
def test_what_ends_the_state_of_another_thing_does_not(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is not Relation.UPDATE


def test_a_word_that_one_says_twice_is_no_other_order() -> None:
    old, new = (
        say("Incident runbooks live in git rather than Confluence"),
        say("Incident living runbooks live in git rather than Confluence"),
    )
    assert compare_statements(old, new).outcome is Relation.DIFFERENT
    assert compare_statements(new, old).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(("added", "exchanged", "is_same"), [(0, 0, True), (1, 0, False), (0, 1, False)])
def test_a_word_of_its_own_may_say_more_however_alike_they_are(added: int, exchanged: int, *, is_same: bool) -> None:
    assert is_reworded(Evidence(1.0, 1.0, added, exchanged, 0, loses_end=False)) is is_same
