"""What a new memory is to an old one, on statements in plain words and on Korean as Kiwi takes it apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bankd.same.compare import Relation, compare_statements, find_match
from bankd.same.reading import read_statement
from bankd.words.statement import Statement, Wording, plain_wording
from tests.examples import examples


def say(text: str, *entities: str) -> Statement:
    return read_statement(plain_wording(text), entities)


def relation(old: str, new: str, cosine: float | None = None) -> Relation:
    return compare_statements(say(old), say(new), cosine=cosine).outcome


@pytest.mark.parametrize(("old", "new", "reason"), examples("statements", "newer"))
def test_one_other_value_of_one_sort_is_newer_and_named(old: str, new: str, reason: str) -> None:
    verdict = compare_statements(say(old), say(new))

    assert (verdict.outcome, verdict.reason) == (Relation.NEWER, reason)


@pytest.mark.parametrize(("old", "new"), examples("statements", "not newer"))
def test_more_than_one_other_value_or_another_word_is_not_newer(old: str, new: str) -> None:
    assert relation(old, new) is not Relation.NEWER


@pytest.mark.parametrize(("old", "new"), examples("statements", "replaces nothing"))
def test_what_happened_what_is_also_so_and_what_is_of_one_day_replaces_nothing(old: str, new: str) -> None:
    assert relation(old, new) is not Relation.NEWER


@pytest.mark.parametrize(("old", "new"), examples("statements", "of a series"))
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


@pytest.mark.parametrize(("old", "new"), examples("statements", "questions however near"))
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


@pytest.mark.parametrize(("old", "new"), examples("statements", "capitals that are no names"))
def test_a_capital_article_or_verb_is_none(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.SAME


@pytest.mark.parametrize(("old", "new"), examples("statements", "signs that mean something"))
def test_signs_and_gaps_that_mean_something_keep_texts_apart(old: str, new: str) -> None:
    assert Relation.SAME not in (
        compare_statements(say(old), say(new)).outcome,
        compare_statements(say(new), say(old)).outcome,
    )


@pytest.mark.parametrize(("old", "new"), examples("statements", "signs that mean nothing"))
def test_signs_and_gaps_that_mean_nothing_do_not(old: str, new: str) -> None:
    assert compare_statements(say(old), say(new)).outcome is Relation.SAME


@pytest.mark.parametrize(("old", "new"), examples("statements", "capitals that are names"))
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
