"""A Korean name that its sources do not have, though they have another: 백승현 for 백승민, 비자림 where 사려니숲길 stands.

An analyser that does not know a name takes it apart into anything, so the words are looked at as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankd.core.distil.aligning import Alignment, Word, align_words, is_alike, words_to_align
from bankd.core.distil.passages import Passage
from bankd.core.distil.rewriting import as_read
from bankd.core.distil.said_in_log import SaidInLog, squeeze_text
from bankd.core.distil.stretches import placed_in, stretches_of, telling_most
from bankd.core.language.paraphrases import stands_in_a_group
from bankd.core.language.statement import TokenKind

_WORD = re.compile(r"[가-힣]{2,}")
_PARTICLE = re.compile(
    r"(?<=[가-힣])(?:이?라)?(?:은|는|이|가|을|를|의|에|에서|에게서?|한테서?|께서?|으?로|와|과|이?랑|도|만|까지|부터|보다|처럼|이?다|입니다|이?었다|였다|이?며|이고|인|라)$"
)
_PERSON = re.compile(r"^([가-힣]{2,3})(?:이|가|과|와|이랑|랑|하고|에게|한테|네|씨가?|님이?)$")
"""A word with what hangs on a person who does something, or to whom or with whom it is done."""
_GAP = 3
"""Words of the log at most in the place of one."""
_NAMED, _SHORT = 3, 2
"""Syllables of what may be a name; so short a one must have been taken apart into single syllables, as no word is."""


def find_misnamed(line: Passage, sources: Sequence[Passage], said: SaidInLog) -> str | None:
    """The first word of a line that its sources have with another syllable, in words; None where there is none."""
    written = squeeze_text(as_read(line.text))
    known = [stem for source in sources for _, stem, _ in _stems_in(source) if stem not in written]
    for word, words in _names_in(line):
        if word not in said.letters and not _is_of_known(words, said):
            for other in known:
                if _is_nearly(word, other):
                    return f"{word} stands where its lines have {other}"
    return _unknown_person(line, said) or _other_thing(line, sources, said)


def _unknown_person(line: Passage, said: SaidInLog) -> str | None:
    """The first name of a person that nothing in the log is, where the analyser knew it so little that it took it to pieces."""
    placed = [*placed_in(as_read(line.text), words_to_align(line.statement))]
    for found in _WORD.finditer(as_read(line.text)):
        person = _PERSON.match(found[0])
        words = [word for word, at in placed if person and found.start() <= at < found.start() + len(person[1])]
        is_in_pieces = bool(words) and all(len(word.base) == 1 and word.kind is not TokenKind.VALUE for word in words)
        if (
            person
            and is_in_pieces
            and person[1] not in said.letters
            and not any(map(said.has, (word.base for word in words)))
        ):
            return f"the name {person[1]} is not in its lines"
    return None


def _other_thing(line: Passage, sources: Sequence[Passage], said: SaidInLog) -> str | None:
    """The first thing of a line that the log does not name, exactly where the stretch that tells most has another."""
    told = [one for source in sources for one in stretches_of(source)]
    for one in stretches_of(line):
        laid = [align_words(one.words, other.words) for other in told]
        for each in telling_most(laid, [other.size for other in laid]):
            for at, word in enumerate(each.line):
                rivals = _in_place_of(each, at) if _is_thing(word) and not said.has(word.base) else ()
                if rivals and not any(rival.base.startswith(word.base[:1]) for rival in rivals):
                    return f"{word.base} stands where its lines have {rivals[0].base}"
    return None


def _in_place_of(laid: Alignment, at: int) -> Sequence[Word]:
    """The things that the log has between the words around one; none where other words are among them."""
    is_between = (at - 1 in laid.pairs or not at) and (at + 1 in laid.pairs or at == len(laid.line) - 1)
    if at in laid.pairs or not is_between or len(laid.line) == 1:
        return ()
    gap = laid.source[laid.pairs.get(at - 1, -1) + 1 : laid.pairs.get(at + 1, len(laid.source))]
    return gap if len(gap) <= _GAP and all(map(_is_thing, gap)) else ()


def _is_thing(word: Word) -> bool:
    is_noun = word.kind in (TokenKind.NOUN, TokenKind.NAME) and not word.is_predicate
    return is_noun and len(word.base) >= _SHORT and not word.base.isascii() and not stands_in_a_group(word.base)


def _names_in(line: Passage) -> Iterator[tuple[str, Sequence[Word]]]:
    """What may be names: each as it is written, without its particle, and what it was taken apart into."""
    placed = [*placed_in(as_read(line.text), words_to_align(line.statement))]
    for begin, stem, end in _stems_in(line):
        words = [word for word, at in placed if begin <= at < end]
        is_noun = bool(words) and all(
            word.kind in (TokenKind.NOUN, TokenKind.NAME) and not word.is_predicate for word in words
        )
        if is_noun and (len(stem) >= _NAMED or all(len(word.base) == 1 for word in words)):
            yield stem, words


def _stems_in(passage: Passage) -> Iterator[tuple[int, str, int]]:
    """The words of Hangul without their particles, each with where it begins and ends."""
    for found in _WORD.finditer(as_read(passage.text)):
        stem = _PARTICLE.sub("", found[0])
        if len(stem) >= _SHORT:
            yield found.start(), stem, found.end()


def _is_of_known(words: Sequence[Word], said: SaidInLog) -> bool:
    """Whether all its parts are said, or only single syllables behind one are not: 교재비, 교재값."""
    new = [word for word in words if not any(is_alike(word.base, other) for other in said.words)]
    return not new or (len(new) < len(words) and all(len(word.base) == 1 for word in new))


def _is_nearly(word: str, other: str) -> bool:
    """Whether a third of the syllables at most are others, or one."""
    differing = sum(one != another for one, another in zip(word, other, strict=False))
    return len(word) == len(other) and differing <= max(1, len(word) // 3)
