"""Whether a new statement says in other words what an old one says: how much speaks for it, when nothing forbids it.

What forbids it is the guard's: another value, name, denial, opposite, subject, role, or a change that is told. What is left
is weighed by a few features. The letters weigh against it: of two lines that look alike and still differ in a word, that
word is what they tell apart. The cosine of sentence vectors adds nothing: it hardly sees which word was exchanged
(`bench.exchanged`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from operator import add, mul

from bankd.core.dedup.gist import bare_concept, concepts_of, gist_of, is_empty, said_concepts, telling_tokens
from bankd.core.dedup.guard import count_keys
from bankd.core.dedup.phrase_structure import may_leave_out
from bankd.core.dedup.restating import agree_in_time, is_one_move, names_keep_order, stand_for_one
from bankd.core.dedup.roles import roles_clash
from bankd.core.dedup.subjects import is_one_subject
from bankd.core.dedup.telling import tells_change
from bankd.core.language.analysis import has_hangul
from bankd.core.language.korean.function_words import SOFT_MARKS
from bankd.core.language.korean.synonyms import TURNING_WORDS
from bankd.core.language.opposites import are_opposites
from bankd.core.language.statement import Statement, Token, TokenKind
from bankd.core.language.word_lists import split_words

SAME, NEAR = 1.5, -1.0
"""Of what has no word of its own all pairs of the choosing halves above the first are the same by their label."""
_WEIGHTS = (12.3, 8.8, -22.6, -2.4, -2.8, -1.1, -8.5)
"""The constant, and what each part of `Evidence` weighs: `python -m bench.sameness_fit`."""
_DUTY, _WRITTEN, _WRITES = Token("필요"), Token("작성"), "쓰"
"""What lays a duty on somebody; and using, which in Korean is writing too."""
_LEAST_SHARED = 2
"""Concepts that both must have, one more where a word has no partner: one in common is a subject, not a fact."""
_MOST_LEFT = 2
"""So many words of each may have no partner in the other, and so many more of one than of the other: one."""
_FREE_MARKS = SOFT_MARKS | {"past", "each", "from", "must", "can", "want"}
"""Marks that may differ: tense and recurrence are compared as a whole, ability, duty and place are said in many ways."""
_LIMITING = (TURNING_WORDS - {"필요"}) | split_words(
    "후 뒤 전 이후 이전 빼 제외 외 만 같 듯 보통 자주 가끔 항상 거의 아마 시작 그만두",
    "only except before after since without until usual often sometim rare alway never almost mayb perhap probabl seem",
)
"""Concepts that must not come or go: what is so after the meal is not so before it, and what starts does not last."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What two statements have in common and what not, as numbers; see `_WEIGHTS` for what they weigh."""

    shared: float
    letters: float
    added: int
    exchanged: int
    new_nouns: int
    loses_end: bool


def score_wordings(evidence: Evidence) -> float:
    """The logit of "the same"; from `NEAR` on a person would want to see them together."""
    constant, *weights = _WEIGHTS
    return sum(map(mul, weights, map(float, astuple(evidence))), constant)


def is_reworded(evidence: Evidence) -> bool:
    """Whether they are the same; a statement with a word of its own, more or instead, may say more and is near at most."""
    if evidence.added or evidence.exchanged:
        return False
    return evidence.shared == 1 or score_wordings(evidence) >= SAME


def may_be_reworded(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether two statements of these concepts have enough in common to be looked at."""
    shared = len(old & new)
    return shared >= _LEAST_SHARED and max(len(old), len(new)) - shared <= _MOST_LEFT


def may_speak_of_one(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether two statements, values apart, have enough in common that only those may differ."""
    shared = len(old & new)
    return bool(shared) and max(len(old), len(new)) - shared <= _MOST_LEFT + 1


def weigh_wordings(old: Statement, new: Statement) -> Evidence | None:
    """What speaks for the same fact in other words; None when something forbids it, or they have too little in common."""
    if not may_be_reworded(said_concepts(old), said_concepts(new)):
        return None
    if count_keys(old) == count_keys(new) or roles_clash(old, new):
        return None  # of the same words the guard knows more
    ours, theirs = (_without_pronouns(one) for one in (old, new))
    rest_old, rest_new = _left_over(ours, new), _left_over(theirs, old)
    if _is_forbidden(old, new, rest_old, rest_new):
        return None
    nouns = sum(map(_is_noun, rest_new))
    shared = 2 * (len(ours) - len(rest_old)) / (len(ours) + len(theirs))
    exchanged = _exchanged(rest_old, rest_new)
    loses_end = not rest_new and bool(rest_old) and rest_old[-1] is ours[-1]
    return Evidence(shared, _likeness(old, new), max(0, len(rest_new) - len(rest_old)), exchanged, nouns, loses_end)


def says_of_one(old: Statement, new: Statement) -> bool:
    """Whether two statements with the same value say it of one thing: one may say a little more, or a word in another place.

    In the same place another word tells another thing: who teaches biology on Monday, who teaches chemistry on Monday.
    """
    if not may_be_reworded(said_concepts(old), said_concepts(new)) or roles_clash(old, new):
        return False
    ours, theirs = (_without_pronouns(one) for one in (old, new))
    rest_old, rest_new = _left_over(ours, new), _left_over(theirs, old)
    if rest_old and rest_new:
        evidence = weigh_wordings(old, new)
        is_near = evidence is not None and not evidence.added and score_wordings(evidence) >= SAME
        return is_near and [ours.index(token) for token in rest_old] != [theirs.index(token) for token in rest_new]
    return not (
        any(_is_fixed(token) or bare_concept(token) in _LIMITING for token in (*rest_old, *rest_new))
        or not stand_for_one(old, new)
        or _marks(old) != _marks(new)
        or _denials(old) != _denials(new)
        or tells_change(new) != tells_change(old)
    )


def _without_pronouns(statement: Statement) -> Sequence[Token]:
    pronouns = gist_of(statement).pronouns
    return [token for token in telling_tokens(statement) if token.base not in pronouns]


def _is_forbidden(old: Statement, new: Statement, rest_old: Sequence[Token], rest_new: Sequence[Token]) -> bool:
    most = max(len(rest_old), len(rest_new))
    return (
        most > _MOST_LEFT
        or len(said_concepts(old) & said_concepts(new)) < _LEAST_SHARED + bool(most)
        or abs(len(rest_old) - len(rest_new)) > 1
        or any(_is_fixed(token) or bare_concept(token) in _LIMITING for token in (*rest_old, *rest_new))
        or _marks(old) != _marks(new)
        or not (agree_in_time(old, new) and stand_for_one(old, new))
        or _denials(old) != _denials(new)
        or _is_denied_elsewhere(old, new)
        or any(are_opposites(one.base, other.base) for one in rest_old for other in rest_new)
        or tells_change(new) != tells_change(old)
        or not is_one_subject(old, new)
        or not _keeps_order(old, new, rest_old, rest_new)
        or all(any(map(_is_noun, rest)) for rest in (rest_old, rest_new))
        or (bool(rest_old) and not rest_new and not may_leave_out(old, rest_old))
    )


def _is_fixed(token: Token) -> bool:
    """Whether a token tells one fact from another by itself: a value, a name, a letter."""
    is_letter = len(token.base) == 1 and token.base.isascii()
    return is_letter or token.kind in (TokenKind.VALUE, TokenKind.NAME) or any(map(str.isdigit, token.base))


def _exchanged(rest_old: Sequence[Token], rest_new: Sequence[Token]) -> int:
    """How many words stand for others; a noun for an adverb (방법, 어떻게) is none, and two nouns are forbidden."""
    has_verb = any(not _is_noun(token) and token.kind is not TokenKind.ADVERB for token in (*rest_old, *rest_new))
    return min(len(rest_old), len(rest_new)) if has_verb else 0


def _is_noun(token: Token) -> bool:
    return token.kind is TokenKind.NOUN and not token.is_predicate


@lru_cache(maxsize=50_000)
def _denials(statement: Statement) -> int:
    return sum(bool(token.negation) for token in statement.tokens)


def _is_denied_elsewhere(old: Statement, new: Statement) -> bool:
    """Whether what one denies is said by the other, and the other way round: not tea but milk, tea but not milk."""
    ours, theirs = _denied(old), _denied(new)
    return bool(ours & (said_concepts(new) - theirs)) and bool(theirs & (said_concepts(old) - ours))


@lru_cache(maxsize=50_000)
def _denied(statement: Statement) -> frozenset[str]:
    return concepts_of(token for token in statement.tokens if token.negation)


def _left_over(ours: Sequence[Token], other: Statement) -> list[Token]:
    """The tokens of one whose concept the other lacks, counting repetitions.

    What carries nothing by itself is a partner too (we keep it, it is stored), and so is what lays a duty on somebody.
    """
    left = dict(_partners(other))
    rest = []
    for token in ours:
        if left.get(concept := bare_concept(token)):
            left[concept] -= 1
        else:
            rest.append(token)
    return rest


@lru_cache(maxsize=50_000)
def _partners(statement: Statement) -> Mapping[str, int]:
    """How often a statement has each concept."""
    found = Counter(map(bare_concept, statement.tokens))
    found.update(bare_concept(_WRITTEN) for token in statement.tokens if token.base == _WRITES and token.is_predicate)
    found[bare_concept(_DUTY)] += any("must" in token.marks for token in statement.tokens)
    return found


def _keeps_order(old: Statement, new: Statement, rest_old: Sequence[Token], rest_new: Sequence[Token]) -> bool:
    """Where only order says who does what it stays, or one stretch moves; other small words (by, is what) may turn it.

    Names keep theirs all the same, but beside "by".
    """
    if has_hangul(old.text):
        return True
    gone = {id(token) for token in (*rest_old, *rest_new)}
    ours, theirs = ([token for token in telling_tokens(one) if id(token) not in gone] for one in (old, new))
    small, others = (frozenset(token.base for token in one.tokens if is_empty(token)) for one in (old, new))
    if "by" not in small ^ others and not names_keep_order(ours, theirs):
        return False
    return small != others or is_one_move([*map(bare_concept, ours)], [*map(bare_concept, theirs)])


@lru_cache(maxsize=50_000)
def _marks(statement: Statement) -> frozenset[tuple[str, str]]:
    """What places or limits which concept: than tea, only coffee."""
    return frozenset(
        (bare_concept(token), mark)
        for token in statement.tokens
        for mark in token.marks
        if mark not in _FREE_MARKS or (mark == "from" and token.kind is TokenKind.VALUE)
    )


def _likeness(old: Statement, new: Statement) -> float:
    """The share of letter pairs in common (Dice)."""
    ours, theirs = _pairs(old), _pairs(new)
    return 2 * len(ours & theirs) / max(1, len(ours) + len(theirs))


@lru_cache(maxsize=50_000)
def _pairs(statement: Statement) -> frozenset[str]:
    letters = "".join(filter(str.isalnum, statement.text.casefold()))
    return frozenset(map(add, letters, letters[1:])) or frozenset({letters})
