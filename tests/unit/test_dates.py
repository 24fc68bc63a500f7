"""The grammar of time: what texts and questions in Korean and English name, read against their day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from bankd.words import day_mentions as mentions
from bankd.words.day_mentions import days_spoken_of, read_mentions
from bankd.words.day_rules import Rule
from bankd.words.days import (
    NO_TIME,
    Anchor,
    Span,
    label_of,
    read_asked_time,
    read_days,
    relative_label,
    without_what_says_nothing,
)
from tests.examples import examples, texts

WEDNESDAY = date(2024, 5, 15)


def days(found: Iterable[tuple[date, date]]) -> list[str]:
    """Each span as a table says it: its first and last day, or its day."""
    return [f"{first}" if first == last else f"{first}/{last}" for first, last in found]


def spans(text: str, day: date = WEDNESDAY, lean: int = 0, *, strict: bool = False) -> list[str]:
    """The spans that a text names."""
    found = read_mentions(text, Anchor(day, lean, is_strict=strict))
    return days((one.span.first, one.span.last) for one in found)


@pytest.mark.parametrize(("text", "in_full"), examples("days", "cut short in English"))
def test_days_that_are_cut_short_in_english(text: str, in_full: str) -> None:
    assert spans(text) == spans(in_full) != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [row for name in ("Korean", "cut short in Korean", "English") for row in examples("days", name)],
)
def test_days_are_read(text: str, expected: str) -> None:
    assert spans(text) == expected.split()


@pytest.mark.parametrize("text", [*texts("days", "no days"), *texts("days", "no days in English")])
def test_what_names_no_day(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(("text", "expected"), examples("days", "by tense"))
def test_tense_says_on_which_side(text: str, expected: str) -> None:
    assert spans(text, lean=1) == expected.split()


@pytest.mark.parametrize(("text", "tag", "expected"), examples("days", "memories"))
def test_days_of_a_memory(text: str, tag: str, expected: str) -> None:
    assert days(days_spoken_of(text, WEDNESDAY, tag)) == expected.split()


def test_without_a_day_only_whole_dates_tell() -> None:
    assert days_spoken_of("어제 샀다. 2021년 7월에 전역했다.", None) == ((date(2021, 7, 1), date(2021, 7, 31)),)


@pytest.mark.parametrize(("text", "expected"), examples("days", "questions"))
def test_windows_of_a_question(text: str, expected: str) -> None:
    assert days(read_asked_time(text, WEDNESDAY).windows) == expected.split()


def test_a_question_without_time_is_not_even_read() -> None:
    assert read_asked_time("Who likes coffee?", WEDNESDAY) is NO_TIME


@pytest.mark.parametrize(
    "text", ["뭐 하고 지냈지?", "있었던 일 좀 말해 줘", "내가 뭘 했더라?", "한 일 요약해 줘", "약속 있나?"]
)
def test_what_is_about_no_subject_as_it_is_written(text: str) -> None:
    assert without_what_says_nothing(text).strip(" ?") == ""


@pytest.mark.parametrize(("text", "left"), [("해운대에서 뭐 했지?", "해운대에서"), ("하나랑 뭐 했어?", "하나랑")])
def test_a_subject_is_left(text: str, left: str) -> None:
    assert without_what_says_nothing(text).strip(" ?") == left


@pytest.mark.parametrize(("text", "expected"), examples("days", "typed"))
def test_days_as_they_are_typed(text: str, expected: str) -> None:
    found = read_days(text, WEDNESDAY)
    assert found is not None
    assert days([(found.first, found.last)]) == [expected]


@pytest.mark.parametrize("text", ["foo", "2024-13-01", "the deploy of yesterday", "월세"])
def test_what_is_typed_and_is_no_day(text: str) -> None:
    assert read_days(text, WEDNESDAY) is None


@pytest.mark.parametrize(("day", "english", "korean"), examples("days", "labels"))
def test_labels(day: str, english: str, korean: str) -> None:
    then = date.fromisoformat(day)
    assert relative_label(then, WEDNESDAY, is_korean=False) == english
    assert relative_label(then, WEDNESDAY, is_korean=True) == korean


def test_the_label_of_some_days_is_seen_from_the_nearest_and_now_is_within_them() -> None:
    november = Span(date(2026, 11, 1), date(2026, 11, 30))

    assert label_of(november, date(2026, 11, 23), is_korean=False) == "2026-11-01…2026-11-30, now"
    assert label_of(november, date(2026, 11, 1), is_korean=True) == "2026-11-01…2026-11-30, 지금"
    assert label_of(november, date(2026, 12, 1), is_korean=False).endswith(", yesterday")
    assert label_of(november, date(2026, 10, 29), is_korean=False).endswith(", in 3 days")
    assert label_of(Span(date(2026, 11, 1), date(2026, 11, 1)), date(2026, 11, 1), is_korean=False) == (
        "2026-11-01, today"
    )


@pytest.mark.parametrize("error", [KeyError("금월"), IndexError(), ZeroDivisionError(), TypeError(), ValueError()])
def test_a_rule_that_cannot_read_what_it_found_names_no_day_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> Span:
        raise error

    broken = Rule(("보름",), "보름", fail)
    monkeypatch.setattr(mentions, "_ALL_RULES", (broken, *mentions._ALL_RULES))

    assert [one.span for one in read_mentions("보름 뒤가 아니라 2024-05-20", Anchor(WEDNESDAY))] == [
        Span(date(2024, 5, 20), date(2024, 5, 20))
    ]
