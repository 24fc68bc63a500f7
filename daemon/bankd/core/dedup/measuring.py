"""A state that is measured again: logs are kept for 30 days, how long logs are kept is 90 days now.

What both measure by one number of one unit has another number; of how exact that is nothing hangs, and of the words beside
it one of both may say a few more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from bankd.core.dedup.gist import bare_concept, is_empty
from bankd.core.dedup.telling import changes_of
from bankd.core.language.paraphrases import meaning_of
from bankd.core.language.quantities import split_quantity
from bankd.core.language.statement import Statement, Token, TokenKind
from bankd.core.language.word_lists import split_words

_EXACTNESS = split_words(
    "약 대략 최대 최소 현재 지금 이제 기준 about around roughly approximately maximum max minimum min now currently up"
)
_MOST_MORE = 2
"""So many words one of both may say more; with more it speaks of something else."""


def measured_again(old: Statement, new: Statement) -> str:
    """What a state measures, and measured before; empty where it is another state, or was measured once."""
    before, after = _measure_of(old), _measure_of(new)
    is_state = bool(before and after) and not any("past" in token.marks for token in old.tokens)
    is_other = is_state and _is_other_number(before, after)
    is_update = is_other and _agree_on_values(old, new) and _speak_of_one(old, new)
    return f"measure: {before} → {after}" if is_update else ""


def _is_other_number(before: str, after: str) -> bool:
    """Whether two measures are of one unit, and not the same."""
    (number, unit), (its_number, its_unit) = split_quantity(before), split_quantity(after)
    return unit == its_unit and number != its_number


def _speak_of_one(old: Statement, new: Statement) -> bool:
    """Whether both share what they measure, and only one says more: no name, and nothing that the other denies."""
    ours, theirs = _matter_of(old), _matter_of(new)
    only_old, only_new = _only_in(ours, theirs), _only_in(theirs, ours)
    more = only_old or only_new
    is_one = bool(ours.keys() & theirs.keys()) and not (only_old and only_new) and len(more) <= _MOST_MORE
    has_name = any(token.kind is TokenKind.NAME for token in more)
    return is_one and not has_name and _is_denied(old) == _is_denied(new)


def _only_in(matter: Mapping[str, Token], other: Mapping[str, Token]) -> Sequence[Token]:
    """What only one of both says, how exact the number is apart."""
    return [token for concept, token in matter.items() if concept not in other and concept not in _exactness()]


@cache
def _exactness() -> frozenset[str]:
    return frozenset(map(meaning_of, _EXACTNESS))


@lru_cache(maxsize=50_000)
def _measure_of(statement: Statement) -> str:
    """The one value of a statement that has a unit of measure; empty where there is none or several."""
    values = [token.base for token in statement.tokens if token.kind is TokenKind.VALUE and split_quantity(token.base)]
    return values[0] if len(values) == 1 else ""


def _agree_on_values(old: Statement, new: Statement) -> bool:
    """Whether no other value tells them apart: in May, in June."""
    ours, theirs = _other_values(old), _other_values(new)
    return not (ours and theirs) or ours == theirs


def _other_values(statement: Statement) -> frozenset[str]:
    values = (token for token in statement.tokens if token.kind is TokenKind.VALUE and not is_empty(token))
    return frozenset(bare_concept(token) for token in values if not split_quantity(token.base))


@lru_cache(maxsize=50_000)
def _matter_of(statement: Statement) -> Mapping[str, Token]:
    """The words that say what is measured, by their concepts, without those that tell of a change."""
    told = {*map(id, changes_of(statement))}
    matter = (token for token in statement.tokens if token.kind not in (TokenKind.VALUE, TokenKind.MARK))
    return {bare_concept(token): token for token in matter if not is_empty(token) and id(token) not in told}


def _is_denied(statement: Statement) -> bool:
    return any(token.negation for token in statement.tokens)
