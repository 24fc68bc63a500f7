"""The rules of comparing, on statements in plain words; hard pairs with real analyses are told in scenarios."""

from __future__ import annotations

import pytest

from bankd.core.dedup.duplicates import Relation, compare_statements, find_match, likeness
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bankd.core.language.wording import plain_wording


def say(text: str, *entities: str) -> Statement:
    return read_statement(plain_wording(text), entities)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("port 8080", "port 8081", "number: 8080 → 8081"),
        ("starts May 3", "starts May 4", "date: 3일 → 4일"),
        ("a merge to main needs one approval", "a merge to main needs two approvals", "number: 1 → 2"),
        ("runs 10 km daily", "runs 10 mi daily", "unit: 10km → 10mi"),
        ("he likes tea", "he doesn't like tea", "negation: likes → ¬not like"),
        ("he likes tea", "he dislikes tea", "opposite: likes → dislikes"),
        ("he works at Google", "he works at Meta", "name: google → meta"),
        ("meets Mondays at noon", "meets Tuesdays at noon", "date: mondays → tuesdays"),
        ("The team meets weekly on Thursday", "The team meets monthly on Thursday", "date: weekly → monthly"),
        ("매월 첫째 주 월요일 회고", "매년 첫째 주 월요일 회고", "date: 매월 → 매년"),
        ("the choir meets in the mornings", "the choir meets in the evenings", "date: mornings → evenings"),
    ],
)
def test_an_update_names_what_changed(old: str, new: str, reason: str) -> None:
    verdict = compare_statements(say(old), say(new))

    assert (verdict.outcome, verdict.reason) == (Relation.UPDATE, reason)


def test_other_words_beside_another_value_are_another_thing() -> None:
    old, new = (
        "Gina ships the small lamp to the far office, ticket 12",
        "Gina ships the green lamp to the far office, ticket 13",
    )

    assert compare_statements(say(old), say(new)).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1:43 pm on 24 March] Joanna: Thanks!", "[1:45 pm on 24 March] Joanna: Definitely!"),
        ("[1:43 pm on 24 March, 2022] Joanna: Thanks!", "[8:10 am on 3 May, 2022] Joanna: Wow, that is great!"),
        ("Paragraph about Peter 1", "Paragraph about Kubernetes 94"),
    ],
)
def test_what_changes_more_than_it_keeps_is_another_thing(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("review 3 March 10:00", "review 4 April 11:00"),
        ("moved from 10:00 to 11:00 on Tuesday", "moved from 9:00 to 12:00 on Friday"),
        ("Peter rents 2 rooms in Seoul for 300 euros", "Peter rents 3 rooms in Busan for 450 euros"),
        ("port 8080", "port 8081"),
    ],
)
def test_a_moment_and_a_few_values_may_change_in_one_update(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.UPDATE


def test_another_person_is_another_subject() -> None:
    assert compare_statements(say("prefers tea", "Peter"), say("prefers tea", "Paul")).outcome is Relation.DIFFERENT


def test_emphasis_makes_no_difference() -> None:
    assert compare_statements(say("really likes green tea"), say("likes green tea")).outcome is Relation.SAME


def test_a_question_is_not_what_it_asks() -> None:
    assert compare_statements(say("Peter likes tea?"), say("Peter likes tea")).outcome is Relation.DIFFERENT


def test_a_higher_threshold_never_makes_more_updates() -> None:
    old, new = say("server listens quietly on port 8080"), say("server listens on port 8081")

    outcomes = [compare_statements(old, new, threshold).outcome for threshold in (50, 100)]

    assert outcomes == [Relation.UPDATE, Relation.DIFFERENT]


def test_what_is_just_as_alike_as_the_threshold_is_compared() -> None:
    old, new = say("port 8080 nightly"), say("port 8081")
    score = likeness(old, new)

    assert score == 80
    assert compare_statements(old, new, score).outcome is Relation.UPDATE
    assert compare_statements(old, new, score + 0.1).outcome is Relation.DIFFERENT


@pytest.mark.parametrize("text", ["", " ", "...", "¬", "0", "?", "a", "the", "안", "\ud800"])
def test_odd_texts_are_compared_without_complaint(text: str) -> None:
    verdict = compare_statements(say(text), say(text))

    assert verdict.outcome is Relation.SAME


def test_a_repetition_is_found_before_an_update() -> None:
    bank = [("m-1", say("port is 8080")), ("m-2", say("port is 8081")), ("m-3", say("Peter likes tea"))]

    repeated, updated = find_match(bank, say("The port is 8081.")), find_match(bank, say("port is 9090"))

    assert repeated is not None
    assert (repeated.id, repeated.verdict.outcome) == ("m-2", Relation.SAME)
    assert updated is not None
    assert (updated.id, updated.verdict.outcome) == ("m-1", Relation.UPDATE)
    assert find_match(bank, say("walks to work")) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Room is locked", "Room A is locked"),
        ("Hepatitis A vaccine is due", "Hepatitis vaccine is due"),
        ("He got an A in maths", "He got an in maths"),
        ("The AM shift is mine", "The shift is mine"),
        ("I have a cat", "I have A cat"),
    ],
)
def test_a_capital_that_is_no_article_and_no_verb_is_a_name(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a key to a box was lost", "A KEY TO A BOX WAS LOST"),
        ("Locked. A key is needed", "Locked. The key is needed"),
        ("moving to a new house", "Moving To A New House"),
        ("I am tired", "I AM tired"),
        ("Do not touch it", "DO NOT touch it"),
    ],
)
def test_a_capital_article_or_verb_is_none(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Python 3.1", "Python 3.10"),
        ("agent 7", "agent 007"),
        ("items 1, 2", "items 12"),
        ("items 1 2", "items 12"),
        ("a way", "away"),
        ("5*3", "53"),
        ("~50 users", "50 users"),
        ("latency < 10 ms", "latency > 10 ms"),
        ("latency <10 ms", "latency 10 ms"),
        ("the", "a"),
        ("👍", "👎"),
        ("x != y", "x == y"),
        ("file_1", "file1"),
        ("team A B", "team AB"),
    ],
)
def test_signs_and_gaps_that_mean_something_keep_texts_apart(old: str, new: str) -> None:
    assert Relation.SAME not in (
        compare_statements(say(old), say(new)).outcome,
        compare_statements(say(new), say(old)).outcome,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("costs 1,000 won", "costs 1000 won"),
        ('says "yes" often', "says yes often"),
        ("uses *vim*, mostly.", "uses vim mostly"),
        ("Seoul... again!", "Seoul again"),
        ("3:00 pm", "3 pm"),
    ],
)
def test_signs_and_gaps_that_mean_nothing_do_not(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.SAME


def test_texts_too_long_to_compare_are_the_same_only_when_equal() -> None:
    long = " ".join(f"word{n}" for n in range(700))

    assert compare_statements(say(long), say(f"{long}.")).outcome is Relation.SAME
    assert compare_statements(say(long), say(f"{long} more")).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Sprint 12 velocity was 34 points", "Sprint 13 velocity was 38 points"),
        ("Server 3 listens on port 8080", "Server 4 listens on port 9090"),
        ("3번 서버는 포트 8080을 쓴다", "4번 서버는 포트 9090을 쓴다"),
        ("Ticket 12 is done", "Ticket 13 is done"),
        ("User 12 likes tea", "User 13 likes tea"),
        ("PR #12 was merged", "PR #14 was merged"),
        ("Fact number 5", "Fact number 6"),
        ("Memory 17 of host 4: the disk is full", "Memory 18 of host 4: the disk is full"),
        ("The disk of host 4 has 93 blocks", "The disk of host 5 has 93 blocks"),
        ("The office in Seoul is closed", "The office in Busan is closed"),
        ("We keep note 17 for Anna", "We keep note 48 for Maria"),
        ("Anna put note 5 in box 4", "Anna moved note 36 to box 9"),
        ("The manager of Tom is Bob", "The manager of John is Bob"),
        ("Our S3 bucket Alpha is full", "Our S3 bucket Beta is full"),
        ("The office in Seoul is on the third floor", "The office in Busan has moved to the fourth floor"),
        ("Note 1: Anna lives in Seoul", "Note 2: Anna lives in Busan"),
        ("Anna's host has note 5 about invoice 4", "Anna's host has note 36 about invoice 9"),
        ("Processed batch 12 with 40 rows", "Processed batch 13 with 52 rows"),
        ("3번 서버가 멈췄다", "4번 서버가 멈췄다"),
        ("배치 12를 다시 돌렸다", "배치 13을 다시 돌렸다"),
        ("Merged PR 12 into main", "Merged PR 13 into main"),
        ("Our Monday meeting is cancelled", "Our Tuesday meeting is cancelled"),
        ("The team in Seoul uses Slack", "The team in Busan uses Slack"),
        ("Team A plays on Sundays", "Team B plays on Sundays"),
        ("Meeting room A seats 6", "Meeting room B seats 10"),
    ],
)
def test_another_of_a_series_updates_nothing(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Timeout 30", "Timeout 60"),
        ("The limit is 30 for guests", "The limit is 60 for guests"),
        ("Allow 5 retries", "Allow 6 retries"),
        ("Needs 3 reviewers for each change", "Needs 2 reviewers for each change"),
        ("GPT 4 writes our notes", "GPT 5 writes our notes"),
        ("The office has moved to Seoul", "The office has moved to Busan"),
        ("My sister lives in Seoul", "My sister lives in Busan"),
        ("Friday is our day of deploys", "Monday is our day of deploys"),
        ("We chose plan A", "We chose plan B"),
        ("The disk of host 4 has 93 blocks", "The disk of host 4 has 40 blocks"),
        ("The API answers on port 8080", "The API answers on port 9090"),
        ("3명이 참석한다", "4명이 참석한다"),
    ],
)
def test_a_number_that_is_what_a_statement_says_updates_it(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.UPDATE


def test_a_value_of_the_same_one_of_a_series_is_an_update() -> None:
    old, new = "Server 3 listens on port 8080", "Server 3 listens on port 9090"

    assert compare_statements(say(old), say(new)).outcome is Relation.UPDATE
