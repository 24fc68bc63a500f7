"""What two statements say when wording is put aside: synonyms are one, words that carry nothing are dropped.

It finds rewordings that share few letters (`says_again`) and changes told in other words (`find_change`). It is careful where
the words are not: numbers, names, negation, limits and who does what must agree to the last for `same`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from bankd.core.dedup.guard import same_roles
from bankd.core.language.english.function_words import DAYS
from bankd.core.language.korean.function_words import SOFT_MARKS
from bankd.core.language.paraphrases import meaning_of, stem_phrase
from bankd.core.language.quantities import base_quantity
from bankd.core.language.statement import SAID_BEFORE, Statement, Token, TokenKind
from bankd.core.language.word_lists import split_words

LEAST_SHARED = 2
"""What says something in both statements, at least: one word in common is a subject, not a fact."""

_EMPTY = split_words(
    "나 우리 있 되 하 것 수 때 쪽 편 등 중 동안 상태 일 기간 날짜 더 잘 위하 대하 통하 타 다니 가 오 열리 잡히 걸리 들 나오 두 놓 놓이 가지 지 위치",
    "i me my we our us mine ours the a an this that these those is are be been being am it its there so what which who",
    "because have has had do does did go goes get gets put puts keep take takes taken last lasts happen happens run runs lie lies",
    "use uses using own owns of for in on at to into with by as and or per each every any date set scheduled stand stands held live lives located hosted",
)
"""Words whose absence changes nothing when all that is left agrees: the writer, being, having, being somewhere."""
_USING = frozenset({"쓰", "사용", "이용"})
_ATTRIBUTES = split_words("직업 나이 이름 성함 연세 키 몸무게 체중")
"""What a value tells by itself: whoever is six years old, or a nurse, has that as age or work."""
_RECURRENCE = split_words("매일 매주 매달 매월 매년 every each daily weekly monthly yearly annually")
_PERIODS = {
    "매일": "day", "daily": "day", "매주": "week", "weekly": "week", "매달": "month", "매월": "month", "monthly": "month",
    "매년": "year", "yearly": "year", "annually": "year",
}  # fmt: skip
"""How often, where a word of recurrence says it: one may be left unsaid (매주 화요일, 화요일마다), but not exchanged."""
_DAYS = frozenset(day for day in DAYS if day.endswith("s") and day[:-1] in DAYS)
_RECURRING = _RECURRENCE | _DAYS
_COMPLEMENTS = {"열": "닫", "open": "closed", "가능": "불가능", "possible": "impossible", "알": "모르", "맞": "틀리"}
"""Words whose denial says one other word: what is not open is closed, but what is not big is not small."""
_NOMINAL = frozenset("함됨음임짐김")
_COUNTERS = "명개"
"""What people and things are counted by, where they are not counted without."""
_TENSE = frozenset({"past", "each"})  # looked at for the whole statement
_ORDERING = split_words("before after than over from until without under above below because if unless instead ahead")
"""English words that say how what stands before them is to what follows: beside them order counts, but before a value."""


class Gist(NamedTuple):
    """What a statement says: concepts and values in their order, its tense, whether and how often it recurs."""

    words: tuple[str, ...]
    bag: tuple[str, ...]  # the words, however they were ordered
    is_past: bool
    recurs: bool
    periods: frozenset[str]
    has_order: bool


@lru_cache(maxsize=50_000)  # of the lines of a run and what they are compared with
def gist_of(statement: Statement) -> Gist:
    """Put wording aside."""
    said = telling_tokens(statement)
    bases = {(token.sense or token.base).casefold() for token in statement.tokens}
    recurs = not bases.isdisjoint(_RECURRING) or any("each" in token.marks for token in statement.tokens)
    is_past = any("past" in token.marks for token in statement.tokens)
    words = tuple(map(_word, said))
    periods = frozenset(_PERIODS[base] for base in bases & _PERIODS.keys())
    has_order = any(
        token.base in _ORDERING and token.sense != SAID_BEFORE and after.kind is not TokenKind.VALUE
        for token, after in zip(statement.tokens, (*statement.tokens[1:], Token("")), strict=True)
    )
    return Gist(words, tuple(sorted(words)), is_past, recurs, periods, has_order)


@lru_cache(maxsize=50_000)
def telling_tokens(statement: Statement) -> tuple[Token, ...]:
    """The tokens that carry something; where nothing is done, what only names the attribute of a value carries nothing."""
    said = tuple(token for token in statement.tokens if not is_empty(token))
    if not statement.has_free_order or any(token.is_predicate for token in said):
        return said
    return tuple(token for token in said if token.base not in _ATTRIBUTES or token.negation)


def is_empty(token: Token) -> bool:
    """Whether a token carries nothing when wording is put aside."""
    if token.negation or token.kind is TokenKind.NAME or (token.marks and set(token.marks) - SOFT_MARKS - _TENSE):
        return False
    return token.is_optional or _is_bare(token.sense or token.base) or (token.base in _USING and token.is_predicate)


def _is_bare(word: str) -> bool:
    return word in _EMPTY or word in _RECURRENCE or word == SAID_BEFORE


def concepts_of(tokens: Iterable[Token]) -> frozenset[str]:
    """What some tokens stand for, whether denied or limited or not."""
    return frozenset(bare_concept(token) for token in tokens if not is_empty(token))


def _word(token: Token) -> str:
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
    if base != base.casefold() or (kind is TokenKind.NAME and not base.isascii()):
        return base
    if kind is TokenKind.VALUE:
        base = base.removesuffix("째").removesuffix("씩")
        counted = base.rstrip(_COUNTERS)
        return base[:-1] if base in _DAYS else counted if counted.isdigit() else base_quantity(base)
    if not base.isascii() and len(base) > 2 and meaning_of(base) == base:
        base = base.removesuffix("되").removesuffix("하").removesuffix("시키")
    return meaning_of(base)


def _is_nominal(statement: Statement) -> bool:
    """Whether it ends without a verb that says when: 이후 삭제, 취소함, or any English."""
    last = statement.tokens[-1]
    return (last.kind is TokenKind.NOUN and not last.is_predicate) or statement.text.rstrip(" .")[-1:] in _NOMINAL


def says_again(old: Statement, new: Statement) -> str:
    """Why a new statement says again what the old one says, in other words; empty when it may say anything else."""
    ours, theirs = gist_of(old), gist_of(new)
    if ours.bag != theirs.bag or len(ours.words) < LEAST_SHARED:
        return ""
    if Counter(old.keys) == Counter(new.keys):  # of the same words the guard knows more
        return ""
    is_so = agree_in_time(old, new) and _keeps_roles(old, new, ours, theirs)
    return "the same in other words" if is_so else ""


def agree_in_time(old: Statement, new: Statement) -> bool:
    """Whether both tell of the same time, once or again and again, and of one or of several alike."""
    ours, theirs = gist_of(old), gist_of(new)
    tenses_agree = ours.is_past == theirs.is_past or _is_nominal(old) or _is_nominal(new)
    is_as_often = not (ours.periods and theirs.periods) or ours.periods == theirs.periods
    return tenses_agree and ours.recurs == theirs.recurs and is_as_often and not _counts_differ(old, new)


def _counts_differ(old: Statement, new: Statement) -> bool:
    """Whether an English word is one in one and several in the other: a son and sons are two facts."""
    ours, theirs = ({token.base for token in statement.tokens if token.base.isascii()} for statement in (old, new))
    gone, came = ours - theirs - _DAYS, theirs - ours - _DAYS
    return any(f"{word}s" in came for word in gone) or any(f"{word}s" in gone for word in came)


def _keeps_roles(old: Statement, new: Statement, ours: Gist, theirs: Gist) -> bool:
    """Of the row of words one stretch may move, no name past another, and only where particles or nothing say who does what."""
    if not (same_roles(old, new) and same_roles(new, old)):
        return False
    if ours.words == theirs.words:
        return True
    may_move = not (ours.has_order or theirs.has_order) and names_keep_order(
        *([token for token in one.tokens if not is_empty(token)] for one in (old, new))
    )
    return may_move and (is_one_move(ours.words, theirs.words) or only_times_move(old, new))


def only_times_move(old: Statement, new: Statement) -> bool:
    """Whether all else keeps its order, and so do the values of each sort: at 7 on Friday, on Friday at 7."""
    ours, theirs = telling_tokens(old), telling_tokens(new)
    return _unvalued(ours) == _unvalued(theirs) and _by_sort(ours) == _by_sort(theirs)


def _unvalued(said: Sequence[Token]) -> list[str]:
    return [_word(token) for token in said if token.kind is not TokenKind.VALUE]


def _by_sort(said: Sequence[Token]) -> Mapping[str, Sequence[str]]:
    """The values of each unit in their order; clock times are of one sort, and so are those without a number."""
    found: dict[str, list[str]] = {}
    for token in said:
        if token.kind is TokenKind.VALUE:
            unit = token.base.lstrip("0123456789.") if token.base[0].isdigit() else "word"
            found.setdefault(unit[:1] if unit.startswith(":") else unit, []).append(_word(token))
    return found


def names_keep_order(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether the names of both follow one another alike; what begins a sentence is a name where the other says so."""
    said = [(token.base.casefold(), bare_concept(token)) for token in (*ours, *theirs) if token.kind is TokenKind.NAME]
    names = {concept.casefold() for base, concept in said if stem_phrase(base) == concept.casefold() or base == concept}
    here, there = (
        [word for token in one if (word := bare_concept(token).casefold()) in names] for one in (ours, theirs)
    )
    return here == there


def is_one_move(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether two rows of the same words are equal, or one stretch of one is moved in the other: what differs is turned."""
    differing = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other]
    if not differing:
        return True
    here = slice(differing[0], differing[-1] + 1)
    before, after = [*ours[here]], [*theirs[here]]
    return any(before[at:] + before[:at] == after for at in range(1, len(before)))
