"""What is said unasked: to whom, how much of it, how often."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bankd.agents.asking import block_due, line_due, mark_of_turn, reader_of
from bankd.agents.hooks import is_trivial
from bankd.briefing.shown import Shown, add_shown, count_tokens, cut_to_tokens, is_shown, lines_within, mark_of

NOW = datetime(2026, 5, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "prompt",
    [
        "", "  ", "ok", "Yes please.", "go on", "thanks!", "continue", "sounds good, go ahead", "LGTM", "1", "...", "👍",
        "/clear", "!ls", "네", "넵 감사합니다", "응", "좋아요", "계속", "계속해줘", "네 진행해주세요", "그래 그렇게 해줘", "ㅇㅇ", "ㅋㅋㅋ", "알겠습니다", "확인했습니다", "고마워!", "아니요",
    ],
)  # fmt: skip
def test_assent_thanks_and_commands_ask_nothing(prompt: str) -> None:
    assert is_trivial(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "who is Peter?", "tea?", "deploy", "why", "fix it in parser.c", "가치관이 뭐야?", "민호", "내 전화번호", "계속 진행하던 이사 계획 정리해줘", "해운대 맛집",
        "고마운 사람 목록", "좋아하는 음식", "확인서 어디 있지", "다음 회의 언제야", "ok so what did we decide about the database",
    ],
)  # fmt: skip
def test_what_may_be_a_question_is_left_to_the_floor(prompt: str) -> None:
    assert not is_trivial(prompt)


def test_korean_counts_by_the_syllable_and_english_by_the_word() -> None:
    assert count_tokens("정직을 최우선으로 한다.") >= 9
    assert count_tokens("Honesty matters most to me, even when a deadline is near.") in range(12, 25)


def test_a_text_is_cut_to_what_fits_and_says_so() -> None:
    cut = cut_to_tokens("가" * 100, 10)

    assert count_tokens(cut) <= 10
    assert cut.startswith("가가가가가")
    assert cut.endswith("…")
    assert cut_to_tokens("short", 10) == "short"


def test_lines_that_do_not_fit_are_left_out_whole() -> None:
    assert lines_within(["가" * 10, "나" * 10, "다" * 10], 25) == ["가" * 10, "나" * 10]


def test_what_changed_is_told_again() -> None:
    shown = add_shown({}, "one", [mark_of("m-1", "Drinks tea.")], NOW)

    assert not is_shown(shown, "one", mark_of("m-1", "Drinks coffee."), NOW)
    assert is_shown(shown, "one", mark_of("m-1", "Drinks  tea."), NOW)


def test_a_damaged_ledger_hides_nothing() -> None:
    assert not is_shown({"one": {"a": "yesterday"}}, "one", "a", NOW)
    assert not is_shown({"one": {"a": "2026-05-05T09:00:00"}}, "one", "a", NOW)


def test_a_note_begins_the_count_anew_and_a_session_is_held_up_three_times_at_most() -> None:
    shown: Shown = {}
    noted, held_up, lines = None, [], 0
    for number in range(1, 60):
        now = NOW + timedelta(minutes=number)
        shown = add_shown(shown, reader_of("s"), [mark_of_turn(f"module {number} needs java")], now)
        for due in (line_due(shown, "s", noted), block_due(shown, "s", noted)):
            shown = add_shown(shown, reader_of("s"), [due.mark], now) if due else shown
            lines += bool(due and due.mark.startswith("line"))
            held_up += [number] if due and due.mark.startswith("block") else []
        noted = now if number % 10 == 0 else noted

    assert (held_up, lines) == ([6, 16, 26], 6)
