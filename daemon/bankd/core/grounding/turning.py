"""A line that denies what its sources say, says what they deny, or says the opposite."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from bankd.core.dedup.guard import stem
from bankd.core.grounding.aligning import Alignment, Word, align, is_alike, is_opposite
from bankd.core.grounding.exchanging import LEAST
from bankd.core.grounding.passages import Passage, english_words
from bankd.core.language.english.stemming import stem_word
from bankd.core.language.statement import TokenKind
from bankd.core.language.word_lists import split_words

ENDING = split_words(
    "stop end quit drop cancel avoid ceas remov replac instead rather move switch "
    "exempt waiv fail refus declin reject forbid forbidden ban prohibit exclud omit skip lack miss absent absenc without prevent await postpon",
    "그만두 그만 그만하 끊 끝나 끝내 종료 금지 막 빼 빠지 포기 단념 취소 중단 해지 불가 대신 사라지 없어지 면제 누락 부재 결여 부족 미루 보류 연기 쉬 제외 제거 생략 거절 거부 실패 걷어내",
)
"""Words that say of a thing that it is no more, or no longer there, as a denial does."""
_DENIED_VERB = re.compile(
    r"\b(?:did|has|have|had)(?:n['\u2019]t| not)(?: yet| even| ever| really)? (\w+)",
    re.IGNORECASE,
)
_CLOSE, _NEAR = 2, 3
"""So many words apart two denials may be one that was told of another word; and a word and what ends it."""


def find_turned(line: Passage, sources: Sequence[Passage]) -> str | None:
    """What the line denies and its sources do not, or the other way round, or the opposite of which they say."""
    laid = [align(line, source) for source in sources if not is_inverted(line, source)]
    words = laid[0].line if laid else ()
    settled = {at for at, word in enumerate(words) if word.is_denied and _is_denied_somewhere(word, laid)}
    denied_verbs = {stem_word(verb.lower()) for source in sources for verb in _DENIED_VERB.findall(source.text)}
    for at, word in enumerate(words):
        near = _nearest(word, laid)
        if near and all(_is_turned(one, at, settled) for one in near) and not _is_said_as_it_is(word, laid, near):
            return f"{word.base} is {'' if word.is_denied else 'not '}denied, other than in its lines"
        if _is_denied_wherever(word, laid, denied_verbs) and not any(one.is_denied or _ends(one, 1) for one in words):
            return f"{word.base} is not denied, other than in its lines"
        if word.is_denied and not near and all(map(_affirms, _largest(laid))):
            return f"it denies {word.base or 'something'}, and its lines deny nothing of it"
    return None


def _is_denied_wherever(word: Word, laid: Sequence[Alignment], denied_verbs: Set[str]) -> bool:
    """Whether a line says that something is done, and its sources only that it is not, of whatever: 재시작은 하지 않고."""
    met = [
        other
        for one in laid
        for other in one.source
        if is_alike(word.base, other.base) and (other.is_denied or other.around[0] != "to")
    ]
    is_verb = word.is_predicate or any(stem_word(other.base) in denied_verbs for other in met)
    return is_verb and bool(met) and all(other.is_denied for other in met)


def _affirms(laid: Alignment) -> bool:
    """Whether a sentence says the same but for one word, and denies nothing; who says it in other words may deny the opposite."""
    return laid.lacking <= 1 and not _denies(laid)


def _largest(laid: Sequence[Alignment]) -> list[Alignment]:
    """The sentences that share most with the line."""
    most = max((one.size for one in laid), default=0)
    return [one for one in laid if one.size == most]


def _nearest(word: Word, laid: Sequence[Alignment]) -> list[Alignment]:
    """Of the sentences that have a word or its opposite those that share most with the line."""
    there = [one for one in laid if any(_is_met(word, other) for other in one.source)]
    return [one for one in _largest(there) if word.is_denied or one.size >= min(LEAST, len(one.source))]


def _is_met(word: Word, other: Word) -> bool:
    if word.kind is TokenKind.VALUE:
        return word.base == other.base
    return is_alike(word.base, other.base) or is_opposite(word, other)


def _is_said_as_it_is(word: Word, laid: Sequence[Alignment], near: Sequence[Alignment]) -> bool:
    """Whether those that are near have the opposite of a word alone, and another has the word: left here, right there."""
    if any(is_alike(word.base, other.base) for one in near for other in one.source):
        return False
    others = [other for one in laid if one.size >= max(LEAST, near[0].size) for other in one.source]
    return any(is_alike(word.base, other.base) and not _differ(word, other) for other in others)


def _denies(laid: Alignment) -> bool:
    """Whether a sentence denies a word that the line does not deny as well, or says that something ends."""
    if any(is_opposite(laid.line[at], laid.source[there]) for at, there in laid.pairs.items()):
        return True
    matched = {there for at, there in laid.pairs.items() if laid.line[at].is_denied}
    return any((word.is_denied and there not in matched) or _ends(word, 1) for there, word in enumerate(laid.source))


def _is_denied_somewhere(word: Word, laid: Sequence[Alignment]) -> bool:
    return any(other.is_denied and is_alike(word.base, other.base) for one in laid for other in one.source)


def _is_turned(laid: Alignment, at: int, settled: Set[int]) -> bool:
    """Whether a sentence has a word only the other way round."""
    word = laid.line[at]
    places = [laid.pairs[at]] if at in laid.pairs else range(len(laid.source))
    met = [there for there in places if _is_met(word, laid.source[there]) and not _is_told(laid, at, there)]
    return bool(met) and all(
        _differ(word, laid.source[there]) and not _is_denied_nearby(laid, at, there, settled) for there in met
    )


def _is_told(laid: Alignment, at: int, there: int) -> bool:
    """Whether another word of the line tells a word of a sentence as it is: 독서 모임, 읽지 못했다."""
    other = laid.source[there]
    words = [word for place, word in enumerate(laid.line) if place != at]
    return any(is_alike(word.base, other.base) and word.is_denied == other.is_denied for word in words)


def _differ(word: Word, other: Word) -> bool:
    return (word.is_denied != other.is_denied) != is_opposite(word, other)


def _is_denied_nearby(laid: Alignment, at: int, there: int, settled: Set[int]) -> bool:
    """Whether the denial stands at a word beside it: 경비가 아니라 and 경비로 처리하지 않고; or a word does that ends a thing."""
    both = [(laid.line[one], laid.source[other]) for one, other in laid.pairs.items()]
    turned = [word for word, other in both if _differ(word, other) and not is_opposite(word, other)]
    if any(word.is_denied != laid.line[at].is_denied for word in turned):
        return True  # it was told of another word of both
    words, place = (laid.source, there) if laid.line[at].is_denied else (laid.line, at)
    matched = set(laid.pairs.values()) if laid.line[at].is_denied else {*laid.pairs, *settled}
    unmatched = [(here - place, word) for here, word in enumerate(words) if here not in matched and here != place]
    return any((word.is_denied and abs(far) <= _CLOSE) or _ends(word, far) for far, word in unmatched)


def _ends(word: Word, far: int) -> bool:
    """Whether a word, so far behind another, ends it: what ends a thing comes last in Korean."""
    is_there = abs(far) <= _NEAR and (far > 0 or word.base.isascii()) and word.around[1] != "of"
    return is_there and stem_word(word.base) in ENDING


def is_inverted(line: Passage, source: Passage) -> bool:
    """Whether both compare, and what one compares with is what the other compares: slower than A, faster than B."""
    ours, theirs = _compared(line), _compared(source)
    words = {stem(word) for word in english_words(source.text)} | {token.base for token in source.statement.tokens}
    return bool(ours and theirs) and ours != theirs and ours in words


def _compared(passage: Passage) -> str:
    """What something is compared with: the word behind "than", the one before 보다."""
    than = [token.base for token in passage.statement.tokens if "than" in token.marks]
    if than:
        return than[0]
    words = [word for word in english_words(passage.text) if word not in ("the", "a", "an")]
    return stem(words[words.index("than") + 1]) if "than" in words[:-1] else ""
