"""A thing exactly where the stretch of the log that tells most has another: prefers yarn over npm, prefers pnpm over npm.

It is one that the log names elsewhere, or, in Korean, one that it does not name at all: English says one thing in too many
words for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from bankd.core.grounding.aligning import Alignment, Word, is_alike, words_to_align
from bankd.core.grounding.misnaming import without_particle
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.said_in_log import SaidInLog
from bankd.core.grounding.stretches import laid_over_stretches
from bankd.core.language.paraphrases import stands_in_a_group
from bankd.core.language.statement import TokenKind

_GAP = 3
"""Words of the log at most in the place of one."""
_LETTERS = 2
"""Letters or syllables of a thing, at least."""
_STEM = "것"
"""What a particle may hang on; what is nothing but one names no thing, also where an analyser left it alone: 8080이다, 8080으로."""
_INFLECTED = ("ed", "ing", "ly")


def find_displaced(line: Passage, sources: Sequence[Passage], said: SaidInLog) -> str | None:
    """The first thing of a line in the place of another, in words; None where there is none."""
    own = words_to_align(line.statement)
    for laid in chain.from_iterable(laid_over_stretches(line, sources)):
        for at, word in enumerate(laid.line):
            rivals = [rival for rival in _in_place_of(laid, at) if not _is_among(rival, own)]
            if rivals and _is_other(word, rivals) and _is_strange(word, laid, said):
                return f"{word.base} stands where its lines have {rivals[0].base}"
    return None


def _in_place_of(laid: Alignment, at: int) -> Sequence[Word]:
    """The things that the log has between the words around one; none where other words are among them."""
    is_between = (at - 1 in laid.pairs or not at) and (at + 1 in laid.pairs or at == len(laid.line) - 1)
    if at in laid.pairs or not is_between or len(laid.line) == 1:
        return ()
    gap = laid.source[laid.pairs.get(at - 1, -1) + 1 : laid.pairs.get(at + 1, len(laid.source))]
    return gap if len(gap) <= _GAP and all(map(_is_thing, gap)) else ()


def _is_other(word: Word, rivals: Sequence[Word]) -> bool:
    """Whether a word is a thing, and no part or form of what stands there: 앞쪽, 앞."""
    return _is_thing(word) and not any(rival.base.startswith(word.base[:1]) for rival in rivals)


def _is_strange(word: Word, laid: Alignment, said: SaidInLog) -> bool:
    """Whether the log has a word somewhere else than in this stretch, or, in Korean, nowhere."""
    return not _is_among(word, laid.source) if said.has(word.base) else not word.base.isascii()


def _is_among(word: Word, words: Sequence[Word]) -> bool:
    return any(is_alike(word.base, other.base) for other in words)


def _is_thing(word: Word) -> bool:
    is_noun = word.kind in (TokenKind.NOUN, TokenKind.NAME) and not word.is_predicate
    is_word = word.kind is TokenKind.WORD and word.base.isascii() and not word.base.endswith(_INFLECTED)
    is_one = (is_noun or is_word) and len(word.base) >= _LETTERS and not stands_in_a_group(word.base)
    return is_one and without_particle(_STEM + word.base) != _STEM
