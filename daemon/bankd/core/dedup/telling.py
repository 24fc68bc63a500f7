"""Words that tell of a change, and where they tell of none: a migration script, can be renamed, 예약 취소는."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from bankd.core.language.paraphrases import stem_phrase
from bankd.core.language.statement import SPOKEN_OF, Statement, Token
from bankd.core.language.word_lists import split_words

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


@cache
def _stems() -> frozenset[str]:
    """The English words above as those that are compared with them are read."""
    return frozenset(map(stem_phrase, _ENGLISH))


def tells_change(statement: Statement) -> bool:
    """Whether a statement has a word that tells of a change."""
    return bool(changes_of(statement))


@lru_cache(maxsize=50_000)
def changes_of(statement: Statement) -> tuple[Token, ...]:
    """The tokens that tell of a change."""
    named = {id(token) for phrase in statement.phrases if _names_its_topic(phrase) for token in phrase}
    return tuple(
        token
        for at, token in enumerate(statement.tokens)
        if is_word_of_change(token) and id(token) not in named and not _may_not_be(statement, at)
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
    return phrase[-1].case in SPOKEN_OF and not any(token.is_predicate for token in phrase) and len(phrase) > 1


def is_word_of_change(token: Token) -> bool:
    """Whether a word tells of a change, wherever it stands."""
    if len(token.base) == 1 and not token.is_predicate and not token.base.isascii():
        return False
    return token.base in _KOREAN or (token.base.isascii() and stem_phrase(token.sense or token.base) in _stems())
