"""The grammar of time: what texts and questions in Korean and English name, read against their day."""

from __future__ import annotations

from datetime import date

import pytest

from bankd.words import day_mentions as mentions
from bankd.words.day_mentions import days_spoken_of, read_mentions
from bankd.words.day_questions import NO_TIME, read_asked_time, read_days, without_what_says_nothing
from bankd.words.day_rules import Rule
from bankd.words.days import Anchor, Span, label_of, relative_label

WEDNESDAY = date(2024, 5, 15)


def spans(text: str, day: date = WEDNESDAY, lean: int = 0, *, strict: bool = False) -> list[str]:
    """The spans that a text names, short."""
    return [f"{m.span.first}/{m.span.last}" for m in read_mentions(text, Anchor(day, lean, is_strict=strict))]


def one(first: str, last: str = "") -> list[str]:
    return [f"{first}/{last or first}"]


@pytest.mark.parametrize(
    ("text", "in_full"),
    [
        ("chase it on Thu", "chase it on Thursday"),
        ("next Tues", "next Tuesday"),
        ("Sat 11:52 at the mill", "Saturday 11:52 at the mill"),
        ("see you on sat", "see you on Saturday"),
        ("Sat with 3 of them", "Saturday with 3 of them"),
        ("Sun 9 am", "Sunday 9 am"),
        ("paid by Nov", "paid by November"),
        ("moving in Jan", "moving in January"),
        ("try it tmrw", "try it tomorrow"),
        ("it is closed till Sept", "it is closed till September"),
        ("from Oct to Dec", "from October to December"),
    ],
)
def test_days_that_are_cut_short_in_english(text: str, in_full: str) -> None:
    assert spans(text) == spans(in_full) != []


@pytest.mark.parametrize(
    "text",
    [
        "we sat in the sun, and they wed",
        "The Sun wrote of it",
        "Jan said so, Mar agreed",
        "It was read by Jan",
        "Sat down with Nora",
        "It rained. Sat by the river",
        "Sun came out",
    ],
)
def test_words_that_are_spelt_as_days_name_none(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("한의원 6/26 오전 8시 반", one("2024-06-26")),
        ("마감을 6/18 → 6/25로 연기", [*one("2024-06-18"), *one("2024-06-25")]),
        ("모임은 6/28 금 저녁", one("2024-06-28")),
        ("캠핑(6/7(금)~6/9(일))", one("2024-06-07", "2024-06-09")),
        ("공사 6/13~14 이틀", one("2024-06-13", "2024-06-14")),
        ("계약 만기 25년 3/15", one("2025-03-15")),
        ("점심 6/5 점심 모임", one("2024-06-05")),
        ("6/19 건강검진", one("2024-06-19")),
        ("6/19 주문한 밧줄", one("2024-06-19")),
        ("6/13 회식", one("2024-06-13")),
        ("6/5 통과", one("2024-06-05")),
        ("테스트 12/14개 성공", []),
        ("납품은 1/5까지", one("2024-01-05")),
        ("반죽을 1/3로 나눴다", []),
        ("테스트 12/14 통과", []),
        ("파일 a/6/26 삭제", []),
        ("담주 화욜에 추첨", one("2024-05-21")),
        ("금욜 도착", one("2024-05-17")),
        ("다음 주는 휴가라 수업 없음, 27일부터 다시", [*one("2024-05-20", "2024-05-26"), *one("2024-05-27")]),
    ],
)
def test_days_that_are_cut_short_in_korean(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("오늘", one("2024-05-15")),
        ("그저께 봤다", one("2024-05-13")),
        ("4월 2일 점심이고, 인원은 내일까지 알려 준다", [*one("2024-04-02"), *one("2024-05-16")]),
        ("이번 달부터 금주하기로 했다", one("2024-05-01", "2024-05-31")),
        ("김치는 8월 말까지, 우유는 내일까지", [*one("2024-08-21", "2024-08-31"), *one("2024-05-16")]),
        ("우유 내일까지 김치 8월 말까지", [*one("2024-05-16"), *one("2024-08-21", "2024-08-31")]),
        ("이달 말일에", one("2024-05-31")),
        ("2월 말일까지", one("2024-02-29")),
        ("valid until 03/2027", one("2027-03-01", "2027-03-31")),
        ("12/03/2027", []),
        ("합주는 목 저녁 8시", one("2024-05-16")),
        ("금 18:30 회식", one("2024-05-17")),
        ("일 3시간 공부", []),
        ("the noodle place on 5th", []),
        ("on leave until 24th", one("2024-05-24")),
        ("April 1 to 18", one("2024-04-01", "2024-04-18")),
        ("valid till 03.05.2026", one("2026-05-03")),
        ("1.2.2026.5 is a version", []),
        ("6월 18~19일 휴무", one("2024-06-18", "2024-06-19")),
        ("closed on 18 and 19 June", one("2024-06-18", "2024-06-19")),
        ("it expires Feb 2027", one("2027-02-01", "2027-02-28")),
        ("it expires Sept. 2027", one("2027-09-01", "2027-09-30")),
        ("어젯밤에", one("2024-05-14")),
        ("내일모레", one("2024-05-17")),
        ("글피", one("2024-05-18")),
        ("사흘 전에", one("2024-05-12")),
        ("열흘 뒤", one("2024-05-25")),
        ("며칠 전에", one("2024-05-08", "2024-05-13")),
        ("3일 전", one("2024-05-12")),
        ("2주 전에", one("2024-04-29", "2024-05-05")),
        ("일주일 전에", one("2024-05-08")),
        ("두 달 전", one("2024-03-01", "2024-03-31")),
        ("3년 전", one("2021-01-01", "2021-12-31")),
        ("반년 전에", one("2023-11-01", "2023-11-30")),
        ("지난주에", one("2024-05-06", "2024-05-12")),
        ("저번 주", one("2024-05-06", "2024-05-12")),
        ("지지난주", one("2024-04-29", "2024-05-05")),
        ("이번 주", one("2024-05-13", "2024-05-19")),
        ("다다음 주", one("2024-05-27", "2024-06-02")),
        ("다음 주 금요일에", one("2024-05-24")),
        ("지난주 월요일", one("2024-05-06")),
        ("지난 토요일", one("2024-05-11")),
        ("이번 금요일", one("2024-05-17")),
        ("오는 화요일", one("2024-05-21")),
        ("지난 주말", one("2024-05-11", "2024-05-12")),
        ("다음 주말", one("2024-05-25", "2024-05-26")),
        ("금월 매출", one("2024-05-01", "2024-05-31")),
        ("전월 매출", one("2024-04-01", "2024-04-30")),
        ("내월 말에", one("2024-06-21", "2024-06-30")),
        ("지난달", one("2024-04-01", "2024-04-30")),
        ("다음 달 6일", one("2024-06-06")),
        ("이번 달 말", one("2024-05-21", "2024-05-31")),
        ("작년", one("2023-01-01", "2023-12-31")),
        ("재작년 가을", one("2022-09-01", "2022-11-30")),
        ("올해 3월", one("2024-03-01", "2024-03-31")),
        ("작년 12월 23일", one("2023-12-23")),
        ("2021년 7월", one("2021-07-01", "2021-07-31")),
        ("2021년 7월 4일", one("2021-07-04")),
        ("2021년에", one("2021-01-01", "2021-12-31")),
        ("내년 초", one("2025-01-01", "2025-02-28")),
        ("3월 중순에", one("2024-03-11", "2024-03-20")),
        ("지난여름", one("2023-06-01", "2023-08-31")),
        ("올봄에는", one("2024-03-01", "2024-05-31")),
        ("작년 상반기", one("2023-01-01", "2023-06-30")),
        ("2023년 3분기", one("2023-07-01", "2023-09-30")),
        ("최근 3개월", one("2024-02-15", "2024-05-15")),
        ("지난 2주 동안", one("2024-05-01", "2024-05-15")),
        ("앞으로 열흘", one("2024-05-15", "2024-05-25")),
        ("추석 연휴", one("2024-09-16", "2024-09-18")),
        ("작년 설날", one("2023-01-22")),
        ("올해 크리스마스", one("2024-12-25")),
        ("작년 이맘때", one("2023-05-05", "2023-05-25")),
        ("작년 연말", one("2023-12-21", "2023-12-31")),
        ("4월 둘째 주에", one("2024-04-08", "2024-04-14")),
        ("5월 3일부터 7일 사이에", one("2024-05-03", "2024-05-07")),
        ("5월 3일부터 7일까지", one("2024-05-03", "2024-05-07")),
        ("월요일부터 수요일까지 쉬었다", one("2024-05-13", "2024-05-15")),
        ("3월에서 5월까지", one("2024-03-01", "2024-05-31")),
        ("2024-03-05", one("2024-03-05")),
        ("2024. 3. 5.", one("2024-03-05")),
        ("5/3에", one("2024-05-03")),
    ],
)
def test_korean(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", one("2024-05-15")),
        ("the day before yesterday", one("2024-05-13")),
        ("last night", one("2024-05-14")),
        ("the day after tomorrow", one("2024-05-17")),
        ("three days ago", one("2024-05-12")),
        ("two weeks ago", one("2024-04-29", "2024-05-05")),
        ("a year ago today", one("2023-05-15")),
        ("a few days ago", one("2024-05-08", "2024-05-13")),
        ("in two weeks", one("2024-05-27", "2024-06-02")),
        ("ten years from now", one("2034-01-01", "2034-12-31")),
        ("the past three weeks", one("2024-04-24", "2024-05-15")),
        ("the next 10 days", one("2024-05-15", "2024-05-25")),
        ("last week", one("2024-05-06", "2024-05-12")),
        ("the week before last", one("2024-04-29", "2024-05-05")),
        ("the month after next", one("2024-07-01", "2024-07-31")),
        ("last weekend", one("2024-05-11", "2024-05-12")),
        ("earlier this month", one("2024-05-01", "2024-05-15")),
        ("later this week", one("2024-05-15", "2024-05-19")),
        ("the end of this month", one("2024-05-21", "2024-05-31")),
        ("next Friday", one("2024-05-24")),
        ("this Friday", one("2024-05-17")),
        ("this coming Monday", one("2024-05-20")),
        ("last Friday", one("2024-05-10")),
        ("Friday of last week", one("2024-05-10")),
        ("last summer", one("2023-06-01", "2023-08-31")),
        ("next spring", one("2025-03-01", "2025-05-31")),
        ("in the winter of 2022", one("2022-12-01", "2023-02-28")),
        ("early May", one("2024-05-01", "2024-05-10")),
        ("the end of April", one("2024-04-21", "2024-04-30")),
        ("March last year", one("2023-03-01", "2023-03-31")),
        ("March 2022", one("2022-03-01", "2022-03-31")),
        ("May 3rd", one("2024-05-03")),
        ("the 3rd of May 2023", one("2023-05-03")),
        ("the first of June", one("2024-06-01")),
        ("3-7 May", one("2024-05-03", "2024-05-07")),
        ("in 2019", one("2019-01-01", "2019-12-31")),
        ("early 2025", one("2025-01-01", "2025-03-01")),
        ("Q1 2023", one("2023-01-01", "2023-03-31")),
        ("the second half of the year", one("2024-07-01", "2024-12-31")),
        ("last Christmas", one("2023-12-25")),
        ("Thanksgiving 2023", one("2023-11-23")),
        ("Easter 2025", one("2025-04-20")),
        ("this time last year", one("2023-05-05", "2023-05-25")),
        ("the first week of May", one("2024-05-01", "2024-05-07")),
        ("the last week of April", one("2024-04-24", "2024-04-30")),
        ("the second half of May", one("2024-05-16", "2024-05-31")),
        ("the beginning of the year", one("2024-01-01", "2024-03-01")),
        ("during Chuseok", one("2024-09-16", "2024-09-18")),
        ("from May 3 to the 7th", one("2024-05-03", "2024-05-07")),
        ("between March and May", one("2024-03-01", "2024-05-31")),
        ("2024-03", one("2024-03-01", "2024-03-31")),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "You may leave; we march on.",
        "회의는 10분 안에 끝난다",
        "3일 동안 쉬고 2주는 뛰지 않는다",
        "설치와 해설",
        "겨울 이불",
        "Postgres 14.9 at 1:57:32, 300,000 won",
        "2월 30일",
        "on Tuesdays and every Friday",
        "the second child",
    ],
)
def test_what_names_no_day(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Saw three flats on Saturday.", one("2024-05-11")),
        ("The course ends on Saturday.", one("2024-05-18")),
        ("My phone died; the new one arrives on Saturday.", one("2024-05-18")),
        ("Dentist booked for the 3rd.", one("2024-06-03")),
        ("Went to the dentist on the 3rd.", one("2024-05-03")),
        ("토요일에 집을 봤다.", one("2024-05-11")),
        ("토요일에 집을 보기로 했다.", one("2024-05-18")),
        ("어머니 생신은 12월 3일이다.", one("2024-12-03")),
        ("검진을 6월 3일로 예약했다.", one("2024-06-03")),
        ("20일에 돌아온다", one("2024-05-20")),
        ("Moved the launch from May 10 to June 3", ["2024-05-10/2024-05-10", "2024-06-03/2024-06-03"]),
        ("The wedding was in December.", one("2023-12-01", "2023-12-31")),
    ],
)
def test_tense_says_on_which_side(text: str, expected: list[str]) -> None:
    assert spans(text, lean=1) == expected


@pytest.mark.parametrize(
    ("text", "tag", "expected"),
    [
        ("Have kept a diary since last summer.", "W", ["2023-06-01/2024-05-15"]),
        ("Until the end of March I lived in Busan.", "W", ["2023-03-22/2024-03-31"]),
        ("계약은 내년 8월 말까지다.", "W", ["2025-08-21/2025-08-31"]),
        ("월요일 아침마다 수영을 하고 화요일에 쉰다.", "B", []),
        ("내일부터 나온다.", "W", ["2024-05-16/2024-05-16"]),
    ],
)
def test_days_of_a_memory(text: str, tag: str, expected: list[str]) -> None:
    assert [f"{first}/{last}" for first, last in days_spoken_of(text, WEDNESDAY, tag)] == expected


def test_without_a_day_only_whole_dates_tell() -> None:
    assert days_spoken_of("어제 샀다. 2021년 7월에 전역했다.", None) == ((date(2021, 7, 1), date(2021, 7, 31)),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I do in December?", one("2023-12-01", "2023-12-31")),
        ("12월에 뭐 했지?", one("2023-12-01", "2023-12-31")),
        ("What's coming up in June?", one("2024-06-01", "2024-06-30")),
        ("금요일에 뭐 했어?", one("2024-05-10")),
        ("What do I have planned for Friday?", one("2024-05-17")),
        ("Any outages on Friday?", ["2024-05-10/2024-05-10", "2024-05-17/2024-05-17"]),
        ("What happened since March?", one("2024-03-01", "2024-05-15")),
        ("3월 이후로 뭐 했지?", one("2024-03-01", "2024-05-15")),
        ("What did I think before April?", one("0001-01-01", "2024-03-31")),
        ("4월 전에는 어디 살았지?", one("0001-01-01", "2024-03-31")),
        ("3월까지 뭐 했지?", one("0001-01-01", "2024-03-31")),
    ],
)
def test_windows_of_a_question(text: str, expected: list[str]) -> None:
    assert [f"{first}/{last}" for first, last in read_asked_time(text, WEDNESDAY).windows] == expected


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05", one("2024-03-05")),
        ("2024-03", one("2024-03-01", "2024-03-31")),
        ("2023", one("2023-01-01", "2023-12-31")),
        ("may", one("2024-05-01", "2024-05-31")),
        ("June", one("2023-06-01", "2023-06-30")),
        ("last week", one("2024-05-06", "2024-05-12")),
        ("지난달", one("2024-04-01", "2024-04-30")),
        ("friday", one("2024-05-10")),
    ],
)
def test_days_as_they_are_typed(text: str, expected: list[str]) -> None:
    days = read_days(text, WEDNESDAY)
    assert days is not None
    assert [f"{days.first}/{days.last}"] == expected


@pytest.mark.parametrize("text", ["foo", "2024-13-01", "the deploy of yesterday", "월세"])
def test_what_is_typed_and_is_no_day(text: str) -> None:
    assert read_days(text, WEDNESDAY) is None


def test_what_holds_now() -> None:
    assert read_asked_time("지금 월세가 얼마지?", WEDNESDAY).now
    assert read_asked_time("What is the latest version?", WEDNESDAY).now
    assert not read_asked_time("Do I know a snowman?", WEDNESDAY).now


@pytest.mark.parametrize(
    ("day", "english", "korean"),
    [
        ("2024-05-15", "today", "오늘"),
        ("2024-05-14", "yesterday", "어제"),
        ("2024-05-18", "in 3 days", "3일 뒤"),
        ("2024-05-01", "2 weeks ago", "2주 전"),
        ("2024-02-10", "3 months ago", "3개월 전"),
        ("2022-05-15", "2 years ago", "2년 전"),
        ("2024-05-05", "10 days ago", "10일 전"),
    ],
)
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
