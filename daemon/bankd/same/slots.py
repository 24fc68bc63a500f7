"""A statement read once into slots, so that two statements can be compared slot by slot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from bankd.words.analysis import stem_word
from bankd.words.english import AUXILIARIES, RELATIONS
from bankd.words.statement import SOFT_MARKS, SPOKEN_OF, Statement, Token, TokenKind
from bankd.words.tables import split_words
from bankd.words.values import base_quantity

NUMBER, DATE, TIME, DAY, CODE, NAME = "number", "date", "time", "day", "code", "name"
PERIOD, RELATIVE = "period", "relative"
"""The kinds of values. A relative day (today, last week) means another day in each log."""

_WRITER = split_words("나 우리 i me my we our us mine ours")
_LIGHT = (
    RELATIONS
    | AUXILIARIES
    | split_words(
        "있 되 하 이제 지금 현재 것 수 때 쪽 편 중 위하 대하 통하 지 위치 now currently is s am are do does being having as this"
    )
)
"""Words that only relate things to each other."""
_CHANGE = split_words(
    "이제 대신 바꾸 바뀌 옮기 변경 취소 미루 연기 앞당기 그만두 끊 교체 전환 instead longer anymore now",
    "move switch chang cancel postpon reschedul replac stop renam quit",
)
"""Words that may announce a change; English ones as stems."""
_WEEKDAYS = split_words(
    "월요일 화요일 수요일 목요일 금요일 토요일 일요일 monday tuesday wednesday thursday friday saturday sunday"
)
_RELATIVE = split_words(
    "어제 오늘 내일 모레 그제 글피 작년 올해 내년 재작년 금년 지난해 지난주 이번주 다음주 지난달 이번달 다음달 지난 이번 다음 최근",
    "today yesterday tomorrow tonight",
)
_DATE, _TIME = re.compile(r"\d+[년월일]"), re.compile(r"\d+시|\d+:\d\d")
_QUANTITY = re.compile(r"[~-]?[\d.]+(.*)")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|will|can|could|must|should|may|might)\b")
"""Words after the subject of an English statement."""
_TELLING = 2
_PAST = split_words("was were had did")


class Filler(NamedTuple):
    """A word or value of a statement: its form for comparing, its sort (empty for words), its case, whether it is in the subject."""

    text: str
    sort: str = ""
    case: str = ""
    is_subject: bool = False

    @property
    def stem(self) -> str:
        """A form that is equal for all forms of an English word; values and limited words (only, also) stay unchanged."""
        return stem_word(self.text) if not self.sort and self.text.isalpha() else self.text


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """A statement in slots.

    `row` is all of it, sorted; `items` is all that says something, in order; `content` is without the words that only relate others to each other.
    `turns` are its negations, limits and tenses. `phrases` are the items by phrase, in any order (Korean).
    """

    row: tuple[str, ...]
    items: tuple[Filler, ...]
    content: tuple[Filler, ...]
    phrases: tuple[tuple[str, ...], ...]
    values: tuple[tuple[str, str], ...]
    turns: tuple[str, ...]
    subject: frozenset[str]
    words: frozenset[str]
    has_free_order: bool
    is_event: bool
    adds: bool
    tells_change: bool


@lru_cache(maxsize=50_000)  # the lines of a run and what they are compared with
def slots_of(statement: Statement) -> Slots:
    """Read a statement into slots."""
    phrases = [_join(items) for items in _items(statement) if items]
    items = tuple(item for phrase in phrases for item in phrase)
    content = tuple(item for item in items if item.sort or item.text not in _LIGHT)
    tokens, last = statement.tokens, statement.tokens[-1:] if statement.has_free_order else statement.tokens
    words = frozenset(item.stem for item in content if not item.sort)
    return Slots(
        tuple(sorted(_text_of(token) for token in tokens)),
        items,
        content,
        tuple(sorted((_role(phrase[-1]), *(item.text for item in phrase)) for phrase in phrases)),
        tuple(sorted((item.sort, item.text) for item in items if item.sort)),
        tuple(sorted(turn for token in tokens if (turn := token.negation + _limits(token)))),
        frozenset(item.stem for item in content if item.is_subject and not item.sort),
        words,
        statement.has_free_order,
        is_event=any("past" in token.marks or token.base in _PAST for token in last),
        adds=any("also" in token.marks or token.base in {"also", "too"} for token in tokens),
        tells_change=any(item.stem in _CHANGE for item in items),
    )


def _items(statement: Statement) -> Iterator[list[Filler]]:
    """The items of each phrase; an English subject ends at the first auxiliary verb.

    Where there is none, the second content word may be the verb.
    """
    if statement.has_free_order:
        for phrase in statement.phrases:
            is_subject = phrase[-1].case in SPOKEN_OF
            yield [_item(token, phrase[-1].case, is_subject=is_subject) for token in phrase if not _is_silent(token)]
        return
    before, *more = _VERB.split(statement.text.casefold(), maxsplit=1)
    subject, begun, items = set(re.findall(r"[\w:.-]+", before)), 0, []
    for token in (one for one in statement.tokens if not _is_silent(one)):
        is_subject = token.base.casefold() in subject if more else begun < _TELLING
        items.append(_item(token, "", is_subject=is_subject))
        begun += not items[-1].sort and token.base not in _LIGHT
    if items and items[-1].sort and not more:
        items[-1] = items[-1]._replace(is_subject=False)  # "timeout 30" says what the timeout is
    yield items


def _is_silent(token: Token) -> bool:
    """Whether a token can be left out without a change of meaning: emphasis, and "I"."""
    is_writer = token.base in _WRITER and token.kind is not TokenKind.NAME  # phase I
    return (token.is_optional or is_writer) and not token.negation and not _limits(token)


def _limits(token: Token) -> str:
    return "".join(f"|{mark}" for mark in sorted(set(token.marks) - SOFT_MARKS)) if token.marks else ""


def _item(token: Token, case: str, *, is_subject: bool) -> Filler:
    return Filler(_text_of(token), _sort_of(token), case, is_subject)


def _text_of(token: Token) -> str:
    """A token in the form in which it is compared."""
    base = base_quantity(token.base) if token.kind is TokenKind.VALUE else token.base
    base = base.removesuffix("s") if base.removesuffix("s") in _WEEKDAYS else base
    return f"{'¬' if token.negation else ''}{token.negation}{base}{_limits(token)}"


def _sort_of(token: Token) -> str:
    """The sort of a value, for numbers with the unit; empty for a word."""
    base = token.base
    has_digit = any(map(str.isdigit, base))
    if token.kind is TokenKind.NAME:
        return CODE if has_digit else NAME
    if token.kind is not TokenKind.VALUE:
        return ""
    if not has_digit:
        is_relative = base in _RELATIVE or " " in base  # last week
        return DAY if base.removesuffix("s") in _WEEKDAYS else RELATIVE if is_relative else PERIOD
    if _DATE.fullmatch(base):
        return DATE
    found = _QUANTITY.fullmatch(base_quantity(base))
    return TIME if _TIME.fullmatch(base) else f"{NUMBER} {found[1] if found else ''}"


def _join(items: Iterable[Filler]) -> Sequence[Filler]:
    """Join the parts of a date to one value, and an hour with its minutes."""
    joined: list[Filler] = []
    for item in items:
        before = joined[-1] if joined else Filler("")
        is_of_time = before.sort == TIME and item.sort.startswith(NUMBER) and item.text.endswith("초")
        if before.sort == item.sort == DATE or is_of_time:
            joined[-1] = before._replace(text=f"{before.text} {item.text}")
        else:
            joined.append(item)
    return joined


def _role(item: Filler) -> str:
    """The case of a phrase; topic and subject count as one."""
    return "subject" if item.is_subject else item.case
