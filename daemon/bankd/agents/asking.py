"""When an agent is asked for notes, and in which words. Pure.

A turn of the user counts when it tells something. The counts are kept with what a session was shown, so that they
outlive the process of a hook: a mark for each turn and each request. A note, however it was written, starts the
count again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from bankd.briefing.shown import Shown, mark_of, read_mark_moment
from bankd.words.analysis import has_hangul

FIRST_LINE = 3
"""After this many telling turns without a note, the recall of a prompt asks for one, in one line."""
BLOCKS = (6, 12)
"""After this many, the Stop hook asks for notes before the agent may stop."""
MOST_BLOCKS = 3
"""The Stop hook does this at most this often in a session, however long it is."""
_LEAST_WORDS = 4
_ASKS = re.compile(r"[?？]\s*$")
_SENTENCE = re.compile(r"[^.!?？。\n]+[.!?？。]*")
_TURN, _LINE, _BLOCK = "turn", "line", "block"

_WORDS: Mapping[bool, Mapping[str, str]] = {
    True: {
        _LINE: "(bankd: 이 세션에서 정해진 것·고친 것·선호·오래갈 사실을 아직 적지 않았습니다. memory_note로 하나씩 적으세요. "
        '예: "W @결제: 배포는 화요일 11시다." · "O(c=0.90) @민수: 전화보다 메일을 좋아한다." 없으면 넘어가세요.)',
        _BLOCK: "끝내기 전에: 이 세션에서 정해진 것, 바로잡은 것, 선호, 오래갈 사실 가운데 아직 적지 않은 것을 memory_note로 한 문장씩 적으세요. "
        '예: "W @결제: 배포는 화요일 11시다." · "O(c=0.90) @민수: 전화보다 메일을 좋아한다." 적을 것이 없으면 "없음"이라고만 답하세요.',
    },
    False: {
        _LINE: "(bankd: nothing of this session is noted yet. Note decisions, corrections, preferences and lasting facts with "
        'memory_note, one a note, e.g. "W @payments: The deploy runs on Tuesdays at 11:00." · '
        '"O(c=0.90) @Minsu: Prefers mail to calls." If there are none, go on.)',
        _BLOCK: "Before you stop: note each decision, correction, preference and lasting fact of this session that is not noted "
        'yet with memory_note, one sentence each, e.g. "W @payments: The deploy runs on Tuesdays at 11:00." · '
        '"O(c=0.90) @Minsu: Prefers mail to calls." If there is none, answer only "nothing".',
    },
}


class Asking(NamedTuple):
    """The words of a request, and the mark that records that it was made."""

    words: str
    mark: str


def reader_of(session: str) -> str:
    """The reader under which the turns of a session are kept."""
    return f"notes of {session}"


def tells_something(prompt: str) -> bool:
    """Whether a turn may tell something worth a note: a sentence of some words that does not ask."""
    return any(
        len(sentence.split()) >= _LEAST_WORDS and not _ASKS.search(sentence) for sentence in _SENTENCE.findall(prompt)
    )


def mark_of_turn(prompt: str) -> str:
    """The mark of a telling turn, with the language of its user."""
    return mark_of(f"{_TURN} {'ko' if has_hangul(prompt) else 'en'}", prompt)


def line_due(shown: Shown, session: str, noted: datetime | None) -> Asking | None:
    """The line that asks for notes, if it is due; else None. `noted` is when a note was last written."""
    turns, asked = _since(shown, session, noted)
    if len(turns) < FIRST_LINE or any(mark.startswith(_LINE) for mark in asked):
        return None
    return Asking(_WORDS[turns[-1].startswith(f"{_TURN} ko")][_LINE], f"{_LINE}:{len(turns)}")


def block_due(shown: Shown, session: str, noted: datetime | None) -> Asking | None:
    """What the agent is told instead of stopping; None if it may stop."""
    turns, asked = _since(shown, session, noted)
    made = [mark for mark in asked if mark.startswith(_BLOCK)]
    every = [mark for mark in shown.get(reader_of(session), {}) if mark.startswith(_BLOCK)]
    if len(every) >= MOST_BLOCKS or len(made) >= len(BLOCKS) or len(turns) < BLOCKS[len(made)]:
        return None
    return Asking(_WORDS[turns[-1].startswith(f"{_TURN} ko")][_BLOCK], f"{_BLOCK} {len(every)}:{len(turns)}")


def _since(shown: Shown, session: str, noted: datetime | None) -> tuple[list[str], list[str]]:
    """The marks of turns, oldest first, and of requests, since the last note."""
    rows = shown.get(reader_of(session), {})
    later = [mark for mark, at in rows.items() if noted is None or ((then := read_mark_moment(at)) and then > noted)]
    return [mark for mark in later if mark.startswith(_TURN)], [mark for mark in later if not mark.startswith(_TURN)]
