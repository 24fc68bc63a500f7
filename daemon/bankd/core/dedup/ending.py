"""What ends a state that another statement tells of: who lives somewhere moves, what was broken is repaired, coffee is given up."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from bankd.core.dedup.gist import bare_concept, concepts_of, is_empty, said_concepts
from bankd.core.dedup.subjects import doer_concepts, is_one_subject, subject_concepts
from bankd.core.language.paraphrases import meaning_of
from bankd.core.language.statement import Statement, TokenKind

_ENDINGS = (
    ("살 live", "이사 이사하 이주 move", "who"),
    ("일 근무 다니 work", "퇴사 퇴직 이직 leave quit resign", "what"),
    ("고장 깨지 실패 broken fail", "수리 고치 수정 fix repair", "thing"),
    ("진행 준비 prepare renovate", "끝나 완료 완성 finish", "thing"),
)
"""States, what ends them, and what both must agree on: who is in it, the thing that is, or also what somebody does."""
_CEASING = ("끊", "quit")


class _Words(NamedTuple):
    """The words above as those that are compared with them are read; it takes the tables of synonyms, which most runs need not."""

    endings: tuple[tuple[frozenset[str], frozenset[str], str], ...]
    ceasing: frozenset[str]


@cache
def _words() -> _Words:
    endings = tuple((_concepts(states), _concepts(ends), kind) for states, ends, kind in _ENDINGS)
    return _Words(endings, frozenset(map(meaning_of, _CEASING)))


def _concepts(words: str) -> frozenset[str]:
    return frozenset(map(meaning_of, words.split()))


def what_ceased(old: Statement, new: Statement) -> str:
    """The thing that somebody does no more by the new statement, and does by the old one: 커피를 끊었다, given up coffee."""
    ceased = _ceased_by(new)
    if not ceased or _ceased_by(old) or doer_concepts(old) != doer_concepts(new):
        return ""
    done = (token for token in old.tokens if not token.negation and token.case in {"", "object"})
    gone = ceased & concepts_of(done)
    return f"no longer: {min(gone)}" if gone else ""


def ceases_another(old: Statement, new: Statement) -> bool:
    """Whether what ceases by the new statement is nothing that the old one says of, or had ceased by it."""
    ceased = _ceased_by(new)
    return bool(ceased) and (bool(_ceased_by(old)) or not ceased & said_concepts(old))


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


def what_ended(old: Statement, new: Statement) -> str:
    """What ended a state that the old statement tells of: who lives somewhere and moves lives elsewhere."""
    rows = _states_of(old) & _ends_of(new)
    if not rows or any(token.negation for token in (*old.tokens, *new.tokens)):
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
        return doer_concepts(old) == doer_concepts(new)
    shared = said_concepts(old) & said_concepts(new) - besides - (
        subject_concepts(old) if kind == "what" else frozenset()
    )
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


def may_end(statement: Statement) -> bool:
    """Whether a statement by itself may tell that something has ended."""
    return bool(_ceased_by(statement)) or bool(_ends_of(statement))
