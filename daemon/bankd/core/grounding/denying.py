"""A stretch of a line that says as so what the stretch of its log that tells most of it denies, or the other way round.

What the log says elsewhere excuses nothing: it mentions the fix, and does not mention the export.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from bankd.core.grounding.aligning import Alignment, Word, bare_word, is_opposite, words_to_align
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.stretches import laid_over_stretches, stretches_of
from bankd.core.grounding.turning import ENDING
from bankd.core.language.english.stemming import stem_word
from bankd.core.language.word_lists import split_words

_STAYING = split_words(
    "keep kept leave left remain stay still only before until despite except separate alone object 그대로 유지 남 두 계속 대신 별개 까지"
)
"""Words that say that something is as it was, or only so far: what is not touched stays, what is not before May waits for it."""
_BY_NOW = split_words("already 이미 벌써 완료 마치 끝내 끝마치")
"""What tells that something is done, whatever the words for it."""
_ALSO = frozenset({"also", "though"})
"""The marks of what is so too, or whatever is so: 문서도, 길어도."""
_DONE_WITH = 2
"""So many words before it may stand what something is done with: 계산기를 계속 써도 된다."""
_LEFT, _NEW = 2, 3
"""So many words at most may only the log have, its denial among them, and only the line."""


def find_denied(line: Passage, sources: Sequence[Passage]) -> str | None:
    """What of a line its sources deny, or only the line denies, in words; None where there is nothing."""
    denies_nothing = not any(map(_denies, words_to_align(line.statement)))
    for near in laid_over_stretches(line, sources):
        turned = [_turned_word(each) for each in near]
        if turned and all(turned):
            return f"{turned[0]} is denied, or not, other than in its lines"
        if near and denies_nothing and all(map(_drops_denial, near)):
            return f"its lines deny it: {' '.join(word.base for word in near[0].source)}"
    return _added(line, sources) if denies_nothing else None


def _added(line: Passage, sources: Sequence[Passage]) -> str | None:
    """What is so here too, as a line says, where every stretch of the log that speaks of it denies something: 테스트도 고쳤다."""
    told = [stretch for source in sources for stretch in stretches_of(source)]
    known = {word for source in sources for word in _told_too(source)}
    for word in _told_too(line):
        there = [stretch for stretch in told if stretch.has(word)] if word not in known else []
        if there and all(any(map(_denies, stretch.words)) for stretch in there):
            return f"{word} is told of too, other than in its lines"
    return None


def _told_too(passage: Passage) -> Iterator[str]:
    """What is so too, and before what is so whatever is done, what it is done with: 계산기를 써도 된다."""
    tokens = passage.statement.tokens
    for at, token in enumerate(tokens):
        first = max(at - _DONE_WITH, 0) if "though" in token.marks else at
        yield from map(bare_word, tokens[first : at + 1] if not _ALSO.isdisjoint(token.marks) else ())


def _turned_word(laid: Alignment) -> str:
    """The one word that only one of both denies, where nothing else of them denies or ends anything; else none."""
    pairs = [(laid.line[at], laid.source[there]) for at, there in laid.pairs.items()]
    turned = [word for word, other in pairs if word.is_denied != other.is_denied]
    rest = (*_only_in_line(laid), *_only_in_source(laid))
    is_other = any(is_opposite(*pair) for pair in pairs) or any(
        word.is_denied or stem_word(word.base) in ENDING for word in rest
    )
    return turned[0].base if len(turned) == 1 and not is_other else ""


def _drops_denial(laid: Alignment) -> bool:
    """Whether the log denies something that the line, which says nearly the same, has in no words: 건드리지 않음, 수정했다."""
    left, new = _only_in_source(laid), _only_in_line(laid)
    is_near = (len(left) <= _LEFT and len(new) <= _NEW) or any(word.base in _BY_NOW for word in laid.line)
    is_one = sum(word.is_denied for word in left) == 1
    return is_near and is_one and not any(is_opposite(*pair) for pair in product(laid.line, laid.source))


def _denies(word: Word) -> bool:
    """Whether a word is denied, or says that something is not, ends, or stays as it was."""
    return word.is_denied or not {word.base, stem_word(word.base)}.isdisjoint(ENDING | _STAYING)


def _only_in_line(laid: Alignment) -> Sequence[Word]:
    return [word for at, word in enumerate(laid.line) if at not in laid.pairs]


def _only_in_source(laid: Alignment) -> Sequence[Word]:
    return [word for there, word in enumerate(laid.source) if there not in laid.pairs.values()]
