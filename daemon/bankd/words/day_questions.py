"""What a question says of time: the days that it asks about, and whether it asks for what holds now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bankd.words.days import DAY, Anchor, Span, may_name_a_day, on

if TYPE_CHECKING:
    from bankd.words.day_mentions import Mention

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


_NOW = (
    "latest", "newest", "most recent", "right now", "currently", "current ", "these days", "nowadays", "lately", "at the moment",
    "지금", "현재", "요즘", "요새", "최근", "최신", "마지막", "이제", "아직도", "여전히",
)  # fmt: skip
_NOW_WORDS = frozenset(("now", "still"))

_WORDS_SAYING_NOTHING = """
    happen happened happens do did done doing go going gone went come coming up on remind tell show list give recap
    summari summar sum anyth someth everyth thing noth event plan schedul calendar agenda book set appoint memori note log
    rememb know eventu been was were were occur occurr there ahead all brief know get let please pleas around about plann
    look like new upcom about for over through dure during between until since till befor after ani just again time back
    at off still us we spend take place suppos
    일 일정 계획 예정 약속 정리 요약 알리 주 주시 말하 보이 보 보여주 잡히 잡 생기 일어나 벌어지 나 지내 기록 기억 남 되 동안 때 사이
    전 후 중 쯤 좀 다 줄 수 적 번 스케줄 목록 리스트 뭔가 거 것 부터 까지 오 가 가지 나오 메모 로그 겪 시간 쪽 그때 무렵 당시 한번 전부 모두 특별 말 한 하루 보내
"""
_SAYING_NOTHING = frozenset(_WORDS_SAYING_NOTHING.split())
"""Terms of a question for days alone: what happened, 무슨 일이 있었지, what is planned; and what is over of words of time."""

_SAYING_NOTHING_AS_WRITTEN = (
    "내가 나 나는 난 제가 우리 우리가 뭘 뭐* 무엇* 무슨 어떤 어떻게 어땠* 어때* 한 할 했* 하고 하는 하던 하기로 하지 하려* 해 해서 해줘 있* 일 일이 일을"
    " 일들* 일은 일도 일정* 계획* 예정* 약속* 스케줄* 말해* 알려* 보여* 정리* 요약* 줘* 줄래* 주세요 좀 다 전부 모두 지냈* 지내* 보냈* 보내* 하루*"
    " 생겼* 생긴 일어* 벌어* 잡혀* 잡힌* 잡혔* 기억* 기록*"
)
"""The same as it is written, where no analyser takes endings off."""


class AskedTime(NamedTuple):
    """What a question says of time; nothing where it says nothing."""

    windows: tuple[Span, ...] = ()
    now: bool = False
    """Whether it asks for what holds at the end."""
    rest: str = ""
    """The question without its words of time."""


NO_TIME = AskedTime()


@lru_cache(maxsize=16)  # of each bank that is asked, and of what lies beside it
def read_asked_time(text: str, today: date) -> AskedTime:
    """Read what a question says of time; at once where it says nothing."""
    lowered = text.lower()
    now = any(word in lowered for word in _NOW) or not _NOW_WORDS.isdisjoint(lowered.strip("?!. ").split())
    if not now and not may_name_a_day(lowered):
        return NO_TIME
    from bankd.words.day_mentions import read_mentions  # noqa: PLC0415 -- slow to import; most questions name no day

    mentions = read_mentions(text, Anchor(today, 0, is_strict=True))
    windows = tuple(window for mention in mentions for window in windows_of(mention, today))
    return AskedTime(windows, now and not windows, _without(text, mentions)) if windows or now else NO_TIME


def read_days(text: str, today: date) -> Span | None:
    """Days that somebody types: as 2026-05-02 or 2026-05, or in words; the latest that are meant. None when they are none."""
    try:
        return on(date.fromisoformat(text))
    except ValueError:
        from bankd.words.day_mentions import read_mentions  # noqa: PLC0415 -- seldom
    for said in (text, f"in {text}"):
        mentions = read_mentions(said, Anchor(today, -1, is_strict=True))
        if len(mentions) == 1 and not re.search(r"\w", _without(said, mentions).removeprefix("in ")):
            return windows_of(mentions[0], today)[0]
    return None


def windows_of(mention: Mention, today: date) -> tuple[Span, ...]:
    """The days that are asked for; a day of the week whose tense nobody knows is the last one and the next."""
    first, last = mention.span
    if mention.edge < 0:
        return (Span(first, max(last, today if first <= today else date.max)),)
    if mention.edge > 0:
        return (Span(date.min, last if mention.edge == 1 else first - DAY),)
    if mention.grain == "weekday" and not mention.lean:
        return (Span(first - 7 * DAY, last - 7 * DAY), mention.span)
    return (mention.span,)


def _without(text: str, mentions: Sequence[Mention]) -> str:
    for mention in sorted(mentions, key=lambda one: one.start, reverse=True):
        end = mention.end
        while end < len(text) and "가" <= text[end] <= "힣":
            end += 1  # the particle
        text = f"{text[: mention.start]} {text[end:]}"
    return text


def without_what_says_nothing(text: str) -> str:
    """What is left of a question in Korean once the words are gone that are about no subject, as they are written."""
    forms = _SAYING_NOTHING_AS_WRITTEN.replace("*", "[가-힣]*").replace(" ", "|")
    return re.sub(f"(?<![가-힣])(?:{forms})(?![가-힣])", " ", text)


def says_nothing(term: str) -> bool:
    """Whether a term of a question, beside words that ask, is about no subject."""
    return term in _SAYING_NOTHING
