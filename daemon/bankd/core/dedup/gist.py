"""What two statements say when wording is put aside: synonyms are one, words that carry nothing are dropped.

Who says it again (`restating`) and what tells of a change (`change`) is seen in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from bankd.core.language.english.function_words import DAYS
from bankd.core.language.korean.function_words import SOFT_MARKS
from bankd.core.language.paraphrases import meaning_of
from bankd.core.language.quantities import base_quantity
from bankd.core.language.statement import SAID_BEFORE, Statement, Token, TokenKind
from bankd.core.language.word_lists import split_words

_EMPTY = split_words(
    "나 우리 있 되 하 것 수 때 쪽 편 등 중 동안 상태 일 기간 날짜 잘 위하 대하 통하 타 다니 가 오 열리 잡히 걸리 들 나오 두 놓 놓이 가지 지 위치",
    "i me my we our us mine ours the this that these those is are be been being am it its there so what which who",
    "because was were have has had do does did go goes get gets put puts keep take takes taken last lasts happen happens run runs lie lies",
    "somebody someone use uses using own owns of for in on at to into with by as and per each every any date set scheduled stand stands held live lives located hosted",
)
"""Words whose absence changes nothing when all that is left agrees: the writer, being, having, being somewhere."""
_WORK = "일"
"""A noun that carries nothing (a thing), and as a verb does: who works in a library is not just there."""
_DESCRIBING = frozenset(
    {"live", "last", "set", "own", "held", "used", "using", "located", "hosted", "scheduled", "taken"}
)
"""Those of them that also say which thing it is."""
_USING = frozenset({"쓰", "사용", "이용", "설정", "지정"})
_PRONOUNS = split_words(
    "he she they him her them his its their theirs hers himself herself itself themselves 그 그녀 그들"
)
"""Who stands for somebody named before, and may be left unsaid: my sister lives with her husband."""
_NAMED_BEFORE = 2
_PAYING = split_words("내 지불 납부 나가 pay pays cost costs")
_AMOUNT = re.compile(r"[\d.]+(?:원|달러|유로|엔|kg|g)")
"""What an amount tells by itself: rent is 900 dollars, one pays 900 dollars of rent."""
_MOMENTS = split_words("time 시간 시각 시점")
"""What a time of day tells by itself."""
_MOMENT = re.compile(r"\d\d?(?:시|:\d\d)")
_MORE, _PREFERRING = "더", frozenset({"좋아하", "좋", "선호"})
"""Who likes something more prefers it; but an hour more is no hour."""
ATTRIBUTES = split_words("직업 나이 이름 성함 연세 키 몸무게 체중")
"""What a value tells by itself: whoever is six years old, or a nurse, has that as age or work."""
_RECURRENCE = split_words("매일 매주 매달 매월 매년 every each daily weekly monthly yearly annually")
_PERIODS = {
    "매일": "day", "daily": "day", "매주": "week", "weekly": "week", "매달": "month", "매월": "month", "monthly": "month",
    "매년": "year", "yearly": "year", "annually": "year",
}  # fmt: skip
"""How often, where a word of recurrence says it: one may be left unsaid (매주 화요일, 화요일마다), but not exchanged."""
RECURRING_DAYS = frozenset(day for day in DAYS if day.endswith("s") and day[:-1] in DAYS)
"""Mondays and the like: what recurs on a day."""
_RECURRING = _RECURRENCE | RECURRING_DAYS
_COMPLEMENTS = {"열": "닫", "open": "closed", "가능": "불가능", "possible": "impossible", "알": "모르", "맞": "틀리"}
"""Words whose denial says one other word: what is not open is closed, but what is not big is not small."""
_SUFFIXES = ("되", "하", "시키", "적", "성")
_CALLED_BY = 2
_ORDINALS = {"1th": "first", "2th": "second", "3th": "third", "4th": "fourth", "5th": "fifth", "6th": "sixth"}
_COUNTERS = "명개"
"""What people and things are counted by, where they are not counted without."""
_NUMBERED, _A_PORT = "번", len("8080번")
"""What a port is called by; so often nothing is done."""
_PAST = split_words("was were had did")
_TENSE = frozenset({"past", "each"})  # looked at for the whole statement
_ORDERING = split_words("before after than over from until without under above below because if unless instead ahead")
"""English words that say how what stands before them is to what follows: beside them order counts, but before a value."""


class Gist(NamedTuple):
    """What a statement says: concepts and values in their order, its tense, whether and how often it recurs."""

    words: tuple[str, ...]
    bag: tuple[str, ...]  # the words, however they were ordered
    is_past: bool
    state: str  # "now" where it tells what is so since it was done, "then" where it tells what was
    recurs: bool
    periods: frozenset[str]
    has_order: bool
    pronouns: frozenset[str]


@lru_cache(maxsize=50_000)  # of the lines of a run and what they are compared with
def gist_of(statement: Statement) -> Gist:
    """Put wording aside."""
    said = telling_tokens(statement)
    bases = {(token.sense or token.base).casefold() for token in statement.tokens}
    recurs = not bases.isdisjoint(_RECURRING) or any("each" in token.marks for token in statement.tokens)
    is_past = any("past" in token.marks or token.base in _PAST for token in statement.tokens)
    pronouns = _pronouns_of(said)
    state = next(filter(None, map(_state_of, statement.tokens)), "")
    words = tuple(turned_concept(token) for token in said if token.base not in pronouns)
    periods = frozenset(_PERIODS[base] for base in bases & _PERIODS.keys())
    has_order = any(
        token.base in _ORDERING and token.sense != SAID_BEFORE and after.kind is not TokenKind.VALUE
        for token, after in zip(statement.tokens, (*statement.tokens[1:], Token("")), strict=True)
    )
    return Gist(words, tuple(sorted(words)), is_past, state, recurs, periods, has_order, pronouns)


def _state_of(token: Token) -> str:
    """What a token tells to stay so, now or then: 저장되어 있다 and 저장해 뒀다 now, 저장되어 있었다 then."""
    if "laid" in token.marks:
        return "now"
    return "" if "stays" not in token.marks else "then" if "past" in token.marks else "now"


def _pronouns_of(said: Sequence[Token]) -> frozenset[str]:
    """Who is meant by what was said before: behind two words that tell something."""
    return frozenset(token.base for token in said[_NAMED_BEFORE:] if token.base in _PRONOUNS and not token.negation)


@lru_cache(maxsize=50_000)
def telling_tokens(statement: Statement) -> tuple[Token, ...]:
    """The tokens that carry something; where nothing is done, what only names the attribute of a value carries nothing."""
    said = tuple(
        token
        for at, token in enumerate(statement.tokens)
        if _describes(statement, at) or not (is_empty(token) or _is_understood(statement, at))
    )
    if not statement.has_free_order or any(token.is_predicate for token in said):
        return said
    return tuple(token for token in said if token.base not in ATTRIBUTES or token.negation)


def _describes(statement: Statement, at: int) -> bool:
    """Whether a word that carries nothing as a verb stands between an article and a noun: the live server, the last train."""
    token, (behind,) = statement.tokens[at], statement.tokens[at + 1 : at + 2] or (Token(""),)
    is_verb = token.base in _DESCRIBING and not is_empty(behind) and behind.kind is not TokenKind.VALUE
    return is_verb and re.search(rf"\b(?:the|an?) {token.base} {behind.base}", statement.text.casefold()) is not None


def _is_understood(statement: Statement, at: int) -> bool:
    """Whether what stands around a token says it already: using what something ends in, the time of a moment."""
    tokens, token = statement.tokens, statement.tokens[at]
    if token.negation or set(token.marks) - SOFT_MARKS - _TENSE:
        return False
    for words, value in ((_MOMENTS, _MOMENT), (_PAYING, _AMOUNT)):
        if token.base in words:
            return any(value.fullmatch(other.base) for other in tokens if other.kind is TokenKind.VALUE)
    if token.base == _MORE:
        return any(other.base in _PREFERRING for other in tokens[at + 1 : at + 2])
    return token.base in _USING and at == len(tokens) - 1 > 1


def is_empty(token: Token) -> bool:
    """Whether a token carries nothing when wording is put aside."""
    if token.negation or token.kind is TokenKind.NAME or (token.marks and set(token.marks) - SOFT_MARKS - _TENSE):
        return False
    if token.base == _WORK and token.is_predicate:
        return False
    return token.is_optional or _is_bare(token.sense or token.base) or (token.base in _USING and token.is_predicate)


def _is_bare(word: str) -> bool:
    return word in _EMPTY or word in _RECURRENCE or word == SAID_BEFORE


def concepts_of(tokens: Iterable[Token]) -> frozenset[str]:
    """What some tokens stand for, whether denied or limited or not."""
    return frozenset(bare_concept(token) for token in tokens if not is_empty(token))


@lru_cache(maxsize=50_000)
def said_concepts(statement: Statement) -> frozenset[str]:
    """What a statement speaks of."""
    return concepts_of(statement.tokens)


def turned_concept(token: Token) -> str:
    """A token's concept with what turns and limits it; what is not open is closed."""
    marks = "".join("|" + mark for mark in sorted(set(token.marks) - SOFT_MARKS - _TENSE)) if token.marks else ""
    if token.negation == "not" and token.base in _COMPLEMENTS:
        return meaning_of(_COMPLEMENTS[token.base]) + marks
    return ("¬" + token.negation if token.negation else "") + bare_concept(token) + marks


def bare_concept(token: Token) -> str:
    """What a token stands for, whether denied or limited or not."""
    return _concept(token.sense or token.base, token.kind)


@lru_cache(maxsize=50_000)  # the words of a run
def _concept(base: str, kind: TokenKind) -> str:
    if kind is TokenKind.NAME and not base.isascii():
        return base.removesuffix("이") if len(base) > _CALLED_BY else base  # 지연이
    if base != base.casefold():
        return base
    if kind is TokenKind.VALUE:
        base = base.removesuffix("째").removesuffix("씩")
        counted = base.rstrip(_COUNTERS)
        if base.endswith(_NUMBERED) and len(base) >= _A_PORT:
            return base.removesuffix(_NUMBERED)
        if base in _ORDINALS:
            return meaning_of(_ORDINALS[base])
        return base[:-1] if base in RECURRING_DAYS else counted if counted.isdigit() else base_quantity(base)
    if not base.isascii() and len(base) > 2 and meaning_of(base) == base:
        for suffix in _SUFFIXES:
            base = base.removesuffix(suffix) if len(base) > len(suffix) + 1 else base
    return meaning_of(base)
