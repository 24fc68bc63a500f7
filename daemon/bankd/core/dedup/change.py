"""Changed facts in whatever words: 이사했다, switched to, no longer, 끊었다.

A statement that tells of a change, about what another says something of, supersedes it. Said of somebody or something else,
or in addition (도, also), it does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from bankd.core.dedup.gist import bare_concept, concepts_of, gist_of, is_empty
from bankd.core.dedup.series import is_about_another
from bankd.core.language.english.function_words import RELATIONS
from bankd.core.language.paraphrases import meaning_of, stem_phrase
from bankd.core.language.quantities import split_quantity
from bankd.core.language.statement import Statement, Token, TokenKind
from bankd.core.language.thesaurus import concept_of
from bankd.core.language.word_lists import split_words

LEAST_SHARE = 0.4
"""The share of what the shorter of the two says, changes apart, that both must speak of."""

_KOREAN = split_words(
    "바꾸 바뀌 변경 변경되 옮기 옮겨지 이사 이사하 이전 이전하 전환 전환하 갈아타 교체 교체하 개편 개명 올리 오르 인상 인상되 내리 내려가 내려오 인하",
    "줄 줄이 늘 늘리 늘어나 그만두 그만 끊 중단 중단하 관두 해지 해지하 취소 취소하 포기 폐지 폐지되 정정 이제 이젠 요즘 앞으로 더이상 말고 대신 새로",
    "미루 밀리 미뤄지 당기 당겨지 앞당기 연기 연기되 퇴사 이직 이직하 결론 헤어지 오히려 돌리 넘어가 팔 없애 접 풀리 낫 고쳐지 완치 마치",
)
_ENGLISH = split_words(
    "now longer anymore switched moved relocated changed quit stopped instead nowadays renamed raised lowered increased decreased cut",
    "doubled halved migrated pushed postponed rescheduled delayed extended replaced converted rewritten upgraded updated sold dropped cancelled",
    "canceled correction actually became fixed filled resolved recovered split reassigned transferred promoted discontinued retired grown",
    "shrunk bumped shifted ended expired former formerly previously finally just",
    "give_up go_up go_down cut_down cut_back put_off push_back bring_forward move_up roll_back let_go lay_off these_days step_down take_over",
    "traded trade_in replacing replaces",
)
"""Words that tell of a change: beginning, ending, moving, replacing, correcting; Korean lemmas, and English."""
_MAY_BE = frozenset({"can", "could", "may", "might", "should", "must", "would"})
_UNDONE = frozenset({"can", "if", "each"})
_NAMING, _TELLS = ("ing", "ion"), "correction"
"""English words before a change, and Korean marks of one, that has not come about; and what only names one, but for a correction."""
_ABOUT = "about"
"""What a measure stands with and is no other by."""
_ENDINGS = (
    ("살 live", "이사 이사하 이주 move", "who"),
    ("일 근무 다니 work", "퇴사 퇴직 이직 leave quit resign", "what"),
    ("고장 깨지 실패 broken fail", "수리 고치 수정 fix repair", "thing"),
    ("진행 준비 prepare renovate", "끝나 완료 완성 finish", "thing"),
)
"""States, what ends them, and what both must agree on: who is in it, the thing that is, or also what somebody does."""
_CEASING = ("끊", "quit")
_ADDING = frozenset({"also", "too"})
_POSSESSED = re.compile(r"(?:[\w-]+ ){0,2}?(?:[\w-]+(?:['\u2019]s|s['\u2019]) )+\w+")
"""Whose something is and what, at the beginning of an English statement: the train of Iris, her mother's maiden name."""
_SPEAKER = "I"
"""Who is spoken of where a line says I or we."""


class _Words(NamedTuple):
    """The words above as those that are compared with them are read; it takes the tables of synonyms, which most runs need not."""

    english: frozenset[str]
    about: str
    endings: tuple[tuple[frozenset[str], frozenset[str], str], ...]
    ceasing: frozenset[str]


@cache
def _words() -> _Words:
    endings = tuple((_concepts(states), _concepts(ends), kind) for states, ends, kind in _ENDINGS)
    english = frozenset(map(stem_phrase, _ENGLISH))
    return _Words(english, concept_of(_ABOUT), endings, frozenset(map(meaning_of, _CEASING)))


def _concepts(words: str) -> frozenset[str]:
    return frozenset(map(meaning_of, words.split()))


def find_change(old: Statement, new: Statement) -> str:
    """Why a new statement tells that what the old one says has changed: a word, a measure, a denial; empty when it tells none."""
    return (
        _told(old, new)
        or _measured_again(old, new)
        or _denied(old, new)
        or _ceased(old, new)
        or _as_often(old, new)
        or _moved_on(old, new)
    )


def may_tell_change(statement: Statement) -> bool:
    """Whether a statement by itself may tell that another has changed: a word of it tells so, denies, gives up, or ends."""
    return (
        tells_change(statement)
        or bool(_denied_by(statement))
        or bool(_ceased_by(statement))
        or bool(_ends_of(statement))
    )


def unit_of_measure(statement: Statement) -> str:
    """The unit of the one measure of a statement, by which it may update another of that unit; empty without one."""
    return _measure_of(statement)[1] if _measure_of(statement) else ""


def _measured_again(old: Statement, new: Statement) -> str:
    """What a state measures, and measured before, when one of both says of it nothing that the other does not."""
    (before, unit), (after, its_unit) = _measure_of(old) or ("", ""), _measure_of(new) or ("", "")
    is_state = bool(before) and unit == its_unit and not any("past" in token.marks for token in old.tokens)
    if not is_state or before == after or not _speak_of_one(old, new):
        return ""
    ours, theirs = (_spoken_of(one) - {_words().about} for one in (old, new))
    return f"measure: {before}{unit} → {after}{unit}" if ours <= theirs or theirs <= ours else ""


@lru_cache(maxsize=50_000)
def _measure_of(statement: Statement) -> tuple[str, ...]:
    """The one number of a statement that has a unit of measure, and the unit; empty where there is none or several."""
    found = [split_quantity(token.base) for token in statement.tokens if token.kind is TokenKind.VALUE]
    measures = [one for one in found if one]
    return measures[0] if len(measures) == 1 and statement.has_free_order else ()


def _denied(old: Statement, new: Statement) -> str:
    """The thing that the new statement puts another in place of, and the old one has: 전화 말고 앱으로."""
    denied = _denied_by(new)
    gone = denied & concepts_of(token for token in old.tokens if not token.negation) if denied else denied
    return f"no longer: {min(gone)}" if gone and _speak_of_one(old, new) else ""


@lru_cache(maxsize=50_000)
def _denied_by(statement: Statement) -> frozenset[str]:
    return frozenset(
        bare_concept(token)
        for token in statement.tokens
        if token.negation == "stop" and token.kind is TokenKind.NOUN and not token.is_predicate
    )


def _as_often(old: Statement, new: Statement) -> str:
    """How often something is, when that alone is another: 하루 세 번, 일주일에 세 번."""
    ours, theirs = gist_of(old), gist_of(new)
    is_other = bool(ours.periods and theirs.periods) and ours.periods != theirs.periods and ours.bag == theirs.bag
    return f"how often: {min(ours.periods)} → {min(theirs.periods)}" if is_other else ""


def _ceased(old: Statement, new: Statement) -> str:
    """The thing that somebody does no more by the new statement, and does by the old one: 커피를 끊었다, given up coffee."""
    ceased = _ceased_by(new)
    if not ceased or _ceased_by(old) or _doer(old) != _doer(new):
        return ""
    done = (token for token in old.tokens if not token.negation and token.case in {"", "object"})
    gone = ceased & concepts_of(done)
    return f"no longer: {min(gone)}" if gone else ""


def _ceases_another(old: Statement, new: Statement) -> bool:
    """Whether what ceases by the new statement is nothing that the old one says of, or had ceased by it."""
    ceased = _ceased_by(new)
    return bool(ceased) and (bool(_ceased_by(old)) or not ceased & _concepts_of(old))


@lru_cache(maxsize=50_000)
def _ceased_by(statement: Statement) -> frozenset[str]:
    """What stands beside a word of ceasing: before it in Korean, as its object; behind it in English."""
    ceasing = _words().ceasing
    if ceasing.isdisjoint(_meanings_of(statement)):
        return frozenset()
    tokens = statement.tokens
    ends = [at for at, token in enumerate(tokens) if bare_concept(token) in ceasing and not token.negation]
    if statement.has_free_order:
        objects = (tokens[at - 1] for at in ends if at and tokens[at - 1].case == "object")
        return concepts_of(objects)
    behind = (islice((token for token in tokens[at + 1 :] if not is_empty(token)), 1) for at in ends)
    return frozenset().union(*map(concepts_of, behind))


def _moved_on(old: Statement, new: Statement) -> str:
    """What ended a state that the old statement tells of: who lives somewhere and moves lives elsewhere."""
    rows = _states_of(old) & _ends_of(new)
    if not rows or _adds(new) or any(token.negation for token in (*old.tokens, *new.tokens)):
        return ""
    for states, ends, kind in (_words().endings[row] for row in sorted(rows)):
        ended = ends & _meanings_of(new) - _meanings_of(old)
        if ended and _agree_on(kind, old, new, states | ends):
            return f"ended: {min(ended)}"
    return ""


@lru_cache(maxsize=50_000)
def _states_of(statement: Statement) -> frozenset[int]:
    """Which rows of `_ENDINGS` a statement has a state of."""
    return frozenset(row for row, (states, _, _) in enumerate(_words().endings) if states & _meanings_of(statement))


@lru_cache(maxsize=50_000)
def _ends_of(statement: Statement) -> frozenset[int]:
    """Which rows of `_ENDINGS` a statement has an end of."""
    said = _meanings_of(statement)
    return frozenset(row for row, (_, ends, _) in enumerate(_words().endings) if not ends.isdisjoint(said))


def _agree_on(kind: str, old: Statement, new: Statement, besides: frozenset[str]) -> bool:
    """Whether both speak of one person, of one thing, or of what one person does with it; no thing has another name or number."""
    if kind == "who":
        return _doer(old) == _doer(new)
    shared = _concepts_of(old) & _concepts_of(new) - besides - (_subject(old) if kind == "what" else frozenset())
    (names, numbers), (others, more) = _labels_of(old), _labels_of(new)
    is_other = bool(names and others and not names & others) or bool(numbers and more and numbers != more)
    return bool(shared) and not is_other and is_one_subject(old, new)


@lru_cache(maxsize=50_000)
def _labels_of(statement: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """The names in a statement, and its bare numbers."""
    tokens = statement.tokens
    names = frozenset(bare_concept(token) for token in tokens if token.kind is TokenKind.NAME)
    return names, frozenset(token.base for token in tokens if token.kind is TokenKind.VALUE and token.base.isdigit())


@lru_cache(maxsize=50_000)
def _meanings_of(statement: Statement) -> frozenset[str]:
    """What all words of a statement stand for, those that carry nothing too."""
    return frozenset(map(bare_concept, statement.tokens))


def _doer(statement: Statement) -> frozenset[str]:
    """Who does something, none for the writer."""
    return _subject(statement) - {_SPEAKER}


def _speak_of_one(old: Statement, new: Statement) -> bool:
    ours = _subject(old)
    return bool(ours) and ours == _subject(new) and not _adds(new)


def _adds(statement: Statement) -> bool:
    return bool(_ADDING & {word for token in statement.tokens for word in (*token.marks, token.base)})


def _told(old: Statement, new: Statement) -> str:
    """The word that tells of a change of what both speak of."""
    word = next((token.base for token in _changes_of(new) if not concepts_of([token]) & _concepts_of(old)), "")
    if not word or is_about_another(old, new) or _ceases_another(old, new):
        return ""
    if _adds(new) or not (is_one_subject(old, new) and is_of_one(old, new)):
        return ""
    ours, theirs = (_spoken_of(statement) for statement in (old, new))
    shared = ours & theirs
    return f"change: {word}" if shared and len(shared) >= LEAST_SHARE * min(len(ours), len(theirs)) else ""


def tells_change(statement: Statement) -> bool:
    """Whether a statement has a word that tells of a change."""
    return bool(_changes_of(statement))


@lru_cache(maxsize=50_000)
def _changes_of(statement: Statement) -> tuple[Token, ...]:
    """The tokens that tell of a change."""
    named = {id(token) for phrase in statement.phrases if _names_its_topic(phrase) for token in phrase}
    return tuple(
        token
        for at, token in enumerate(statement.tokens)
        if _tells(token) and id(token) not in named and not _may_not_be(statement, at)
    )


def _may_not_be(statement: Statement, at: int) -> bool:
    """Whether a word only names a change, or says that it may or would be: migration script, force-push, can be renamed."""
    token, before = statement.tokens[at], statement.tokens[max(0, at - 2) : at]
    if not token.base.isascii():
        return not _UNDONE.isdisjoint(token.marks)
    is_going_on = re.search(rf"\b(?:is|are|'s|'re) (?:\w+ly )?{re.escape(token.base)}", statement.text.casefold())
    is_named = token.base.endswith(_NAMING) and token.base != _TELLS and not is_going_on
    is_joined = f"-{token.base}" in statement.text.casefold()
    return is_named or is_joined or any(one.base in _MAY_BE for one in before)


def _names_its_topic(phrase: Sequence[Token]) -> bool:
    """Whether a phrase is what something is said of: of a cancelling (예약 취소는), not that something was cancelled."""
    return (
        phrase[-1].case in {"topic", "subject"} and not any(token.is_predicate for token in phrase) and len(phrase) > 1
    )


def _tells(token: Token) -> bool:
    if len(token.base) == 1 and not token.is_predicate and not token.base.isascii():
        return False
    return token.base in _KOREAN or (
        token.base.isascii() and stem_phrase(token.sense or token.base) in _words().english
    )


@lru_cache(maxsize=50_000)
def _concepts_of(statement: Statement) -> frozenset[str]:
    return concepts_of(statement.tokens)


@lru_cache(maxsize=50_000)
def _spoken_of(statement: Statement) -> frozenset[str]:
    """What a statement speaks of: its concepts without the words that tell of a change."""
    told = concepts_of(_changes_of(statement))
    return concepts_of(token for token in statement.tokens if token.kind is not TokenKind.VALUE) - told


def is_one_subject(old: Statement, new: Statement) -> bool:
    """Whether neither says its subject of somebody or something that the other does not speak of."""
    ours, theirs = _subject(old), _subject(new)
    if not (ours and theirs):
        return True
    return ours == theirs or ours <= _concepts_of(new) or theirs <= _concepts_of(old)


def is_of_one(old: Statement, new: Statement) -> bool:
    """Whether both speak of what either begins with, where that is of somebody: Iris's train, which is not her flight."""
    return (_possessed(old) | _possessed(new)) <= _concepts_of(old) & _concepts_of(new)


@lru_cache(maxsize=50_000)
def _possessed(statement: Statement) -> frozenset[str]:
    """What an English statement begins with, and whose it is; empty where it is nobody's."""
    found = None if statement.has_free_order else _POSSESSED.match(statement.text.casefold())
    words = frozenset(re.findall(r"\w+", found[0])) if found else frozenset()
    return concepts_of(token for token in statement.tokens if token.base.casefold() in words)


@lru_cache(maxsize=50_000)
def _subject(statement: Statement) -> frozenset[str]:
    """The words of the first phrase that a particle calls the topic or subject; in English the first word that tells."""
    if statement.has_free_order:
        named = (phrase for phrase in statement.phrases if phrase[-1].case in {"topic", "subject"})
        return next((words for phrase in named if (words := concepts_of(phrase))), frozenset())
    for token in statement.tokens:
        if token.base in {"i", "we"}:
            return frozenset({_SPEAKER})
        if not (is_empty(token) or _tells(token) or token.kind is TokenKind.VALUE or token.base in RELATIONS):
            return concepts_of([token])
    return frozenset()
