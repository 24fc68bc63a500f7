"""What a new memory is to an old one, on statements in plain words and on Korean as Kiwi takes it apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bankd.same.compare import Relation, compare_statements, find_match
from bankd.same.reading import read_statement
from bankd.words.statement import Statement, Wording, plain_wording


def say(text: str, *entities: str) -> Statement:
    return read_statement(plain_wording(text), entities)


def relation(old: str, new: str, cosine: float | None = None) -> Relation:
    return compare_statements(say(old), say(new), cosine=cosine).outcome


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("The server port is 8080", "The server port is 8081", "8080 → 8081"),
        ("The trip starts May 3", "The trip starts on May 4", "5월 3일 → 5월 4일"),
        ("A merge to main needs one approval", "A merge to main needs two approvals", "1 → 2"),
        ("Erik works at Google", "Erik works at Meta", "google → meta"),
        ("The choir meets on Mondays", "The choir meets on Tuesdays", "monday → tuesday"),
        ("The deploy is at 10:00", "The deploy is now at 11:00", "10:00 → 11:00"),
        ("Timeout 30", "Timeout 60", "30 → 60"),
        ("Server 3 listens on port 8080", "Server 3 listens on port 9090", "8080 → 9090"),
        ("Daniela lives in Utrecht with her boyfriend", "Daniela lives in Ghent with her boyfriend", "utrecht → ghent"),
    ],
)
def test_one_other_value_of_one_sort_is_newer_and_named(old: str, new: str, reason: str) -> None:
    verdict = compare_statements(say(old), say(new))

    assert (verdict.outcome, verdict.reason) == (Relation.NEWER, reason)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs 10 km daily", "runs 10 mi daily"),
        ("review 3 March 10:00", "review 4 April 11:00"),
        ("Peter rents 2 rooms in Seoul for 300 euros", "Peter rents 3 rooms in Busan for 300 euros"),
        ("Iris rents desk 91 on floor 95", "Iris rents desk 319 on floor 91"),
        ("The rent is 900 euros", "The rent with heating is 950 euros"),
        ("Gina ships the small lamp, ticket 12", "Gina ships the green lamp, ticket 13"),
        ("The tyres of the car cost 400 euros", "The tyres of the van cost 400 euros"),
    ],
)
def test_more_than_one_other_value_or_another_word_is_not_newer(old: str, new: str) -> None:
    assert relation(old, new) is not Relation.NEWER


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The flat was painted for 300 euros", "The flat was painted for 400 euros"),
        ("Iris walked to the lake at 7:00", "Iris walked to the lake at 8:00"),
        ("Iris has a lesson on Monday", "Iris also has a lesson on Tuesday"),
        ("Today the office closes at 17:00", "Today the office closes at 18:00"),
        ("At 7:00 the bus to the campus is empty", "At 19:00 the bus to the campus is empty"),
    ],
)
def test_what_happened_what_is_also_so_and_what_is_of_one_day_replaces_nothing(old: str, new: str) -> None:
    assert relation(old, new) is not Relation.NEWER


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Sprint 12 velocity was 34 points", "Sprint 13 velocity was 38 points"),
        ("Server 3 listens on port 8080", "Server 4 listens on port 9090"),
        ("3번 서버는 포트 8080을 쓴다", "4번 서버는 포트 9090을 쓴다"),
        ("Ticket 12 is done", "Ticket 13 is done"),
        ("User 12 likes tea", "User 13 likes tea"),
        ("PR #12 was merged", "PR #14 was merged"),
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
        ("Merged PR 12 into main", "Merged PR 13 into main"),
        ("Our Monday meeting is cancelled", "Our Tuesday meeting is cancelled"),
        ("The team in Seoul uses Slack", "The team in Busan uses Slack"),
        ("Team A plays on Sundays", "Team B plays on Sundays"),
        ("Meeting room A seats 6", "Meeting room B seats 10"),
    ],
)
def test_another_of_a_series_is_not_newer(old: str, new: str) -> None:
    assert relation(old, new) not in {Relation.SAME, Relation.NEWER}


KOREAN = [
    ("결제 서버는 포트 8080을 쓴다", "결제 서버는 포트 9443을 쓴다", Relation.NEWER),
    ("주간 회의는 매주 화요일 오전 10시에 열린다", "주간 회의는 매주 화요일 오전 11시에 열린다", Relation.NEWER),
    ("차는 아반떼를 몬다", "차는 투싼을 몬다", Relation.NEWER),
    ("매주 월요일에 동생이 청소를 한다", "동생이 매주 월요일에 청소를 한다", Relation.SAME),
    ("나는 녹차를 정말 자주 마시고 커피는 안 마신다", "녹차를 자주 마시고 커피는 안 마신다", Relation.SAME),
    ("민수는 지연이를 매주 도와준다", "민수를 지연이는 매주 도와준다", Relation.CLOSE),
    ("이모가 김치를 보내 주신다고 하셨다", "이모한테 김치를 보내 드린다고 했음", Relation.DIFFERENT),
    ("3번 서버는 포트 8080을 쓴다", "4번 서버는 포트 8080을 쓴다", Relation.CLOSE),
    ("5월 월세는 60만원을 냈다", "5월 월세는 65만원을 냈다", Relation.CLOSE),
    ("나는 커피를 마신다", "나는 커피를 안 마신다", Relation.CLOSE),
    ("캐시 서버로는 레디스를 쓴다", "캐시 서버로는 Redis를 쓴다", Relation.CLOSE),
]


@pytest.mark.parametrize(("old", "new", "expected"), KOREAN)
def test_korean_is_compared_by_its_phrases(
    analyse: Callable[[str], Wording], old: str, new: str, expected: Relation
) -> None:
    assert compare_statements(read_statement(analyse(old)), read_statement(analyse(new))).outcome is expected


REWORDED = ("Our rent is paid on the 5th of each month", "We pay the rent on every 5th")


def test_a_cosine_makes_near_where_all_values_are_equal_and_never_the_same() -> None:
    assert relation(*REWORDED, cosine=0.98) is Relation.NEAR
    assert relation(*REWORDED, cosine=1.0) is Relation.NEAR
    assert relation(*REWORDED, cosine=0.97) is Relation.CLOSE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our rent is paid on the 5th of each month", "We pay the rent on every 6th"),
        ("Nadia takes the early train", "Nadia does not take the early train"),
        ("Nadia takes the train with Tom", "Nadia and Erik take the train"),
    ],
)
def test_what_has_another_value_or_is_denied_is_a_question_however_near(old: str, new: str) -> None:
    assert relation(old, new, cosine=0.99) is Relation.LIKELY


def test_a_word_of_change_about_the_same_is_a_question() -> None:
    assert relation("The design review is on Monday", "The design review moved to Friday") is not Relation.NEWER
    assert relation("The design review is on Monday", "The design review is cancelled") is Relation.LIKELY
    assert relation("The design review is on Monday", "The design review is long") is Relation.CLOSE
    assert relation("The design review is on Monday", "The budget was cancelled") is Relation.DIFFERENT


def test_another_person_is_another_subject() -> None:
    assert compare_statements(say("prefers tea", "Peter"), say("prefers tea", "Paul")).outcome is Relation.DIFFERENT


def test_emphasis_makes_no_difference() -> None:
    assert compare_statements(say("really likes green tea"), say("likes green tea")).outcome is Relation.SAME


def test_a_question_is_not_what_it_asks() -> None:
    assert compare_statements(say("Peter likes tea?"), say("Peter likes tea")).outcome is Relation.DIFFERENT


@pytest.mark.parametrize("text", ["", " ", "...", "¬", "0", "?", "a", "the", "안", "\ud800"])
def test_odd_texts_are_compared_without_complaint(text: str) -> None:
    verdict = compare_statements(say(text), say(text))

    assert verdict.outcome is Relation.SAME


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
    assert relation(old, new) not in {Relation.SAME, Relation.NEWER}


def test_at_a_threshold_of_100_only_the_same_words_are_the_same() -> None:
    old, new = say("really likes green tea in the morning"), say("likes green tea in the morning")

    assert [compare_statements(old, new, threshold).outcome for threshold in (80, 100)] == [
        Relation.SAME,
        Relation.CLOSE,
    ]


def test_a_repetition_is_found_before_a_newer_value() -> None:
    bank = [("m-1", say("The port is 8080")), ("m-2", say("The port is 8081")), ("m-3", say("Peter likes tea"))]

    repeated, updated = find_match(bank, say("The port is 8081.")), find_match(bank, say("The port is 9090"))

    assert repeated is not None
    assert (repeated.id, repeated.verdict.outcome) == ("m-2", Relation.SAME)
    assert updated is not None
    assert (updated.id, updated.verdict.outcome) == ("m-1", Relation.NEWER)
    assert find_match(bank, say("walks to work")) is None
