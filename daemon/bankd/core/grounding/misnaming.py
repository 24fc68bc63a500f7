"""A Korean name that its sources do not have: 백승현 for 백승민, 국립중앙과학관 for 국립과천과학관, or one that is quite new.

An analyser that does not know a name takes it apart into anything, so the words are looked at as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankd.core.grounding.aligning import PRONOUNS, Word, is_alike, words_to_align
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.rewriting import as_read
from bankd.core.grounding.said_in_log import SaidInLog, squeeze_text
from bankd.core.grounding.stretches import placed_in
from bankd.core.language.statement import TokenKind

_WORD = re.compile(r"[가-힣]{2,}")
_PARTICLE = re.compile(
    r"(?<=[가-힣])(?:이?라)?(?:은|는|이|가|을|를|의|에|에서|에게서?|한테서?|께서?|으?로|와|과|이?랑|도|만|까지|부터|보다|처럼|이?다|입니다|이?었다|였다|이?며|이고|인|라)$"
)
_PERSON = re.compile(r"^([가-힣]{2,3}|[가-힣](?=씨))(?:이|가|과|와|이랑|랑|하고|에게|한테|네|씨가?|님이?)$")
"""A word with what hangs on a person who does something, or to whom or with whom it is done."""
_HONOURED = re.compile(r"(?<![가-힣])(?:([가-힣]{2,4}) 씨|([가-힣]{3})씨|([가-힣]{2,4}) ?님)(?![가-힣]{3})")
_TITLE = re.compile(
    r"(?:선생|사용자|고객|부모|어머|아버|할머|할아버|장모|며느|사모|하느|주인|[사원부과팀실소점국]장|교수|기사|대리|대표|이사|감독|작가|코치)$"
)
"""Who is spoken of with honour and without a name: others may call them otherwise."""
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
    name = next((name for name in honoured_in(line.text) if name not in said.letters), None) or _unknown(line, said)
    return f"the name {name} is not in its lines" if name else None


def _unknown(line: Passage, said: SaidInLog) -> str | None:
    """The first name of a person that nothing in the log is, where the analyser knew it so little that it took it to pieces."""
    placed = [*placed_in(as_read(line.text), words_to_align(line.statement))]
    for found in _WORD.finditer(as_read(line.text)):
        person = None if without_particle(found[0]) in PRONOUNS else _PERSON.match(found[0])
        words = [word for word, at in placed if person and found.start() <= at < found.start() + len(person[1])]
        if (
            person
            and _is_in_pieces(words, person[1])
            and not (person[1] in said.letters or _is_partly_said(words, said))
        ):
            return person[1]
    return None


def honoured_in(text: str) -> Iterator[str]:
    """The Korean names behind which a text has what honours them: 오세라님, 경애 씨."""
    names = (found[1] or found[2] or found[3] for found in _HONOURED.finditer(text))
    return (name for name in names if not _TITLE.search(name))


def _is_in_pieces(words: Sequence[Word], name: str) -> bool:
    if not words or any(word.kind is TokenKind.VALUE for word in words):
        return False
    is_other = not any(word.is_predicate or word.base.startswith(name) or name.startswith(word.base) for word in words)
    return is_other or all(len(word.base) == 1 for word in words)


def _is_partly_said(words: Sequence[Word], said: SaidInLog) -> bool:
    return any(said.has(word.base) for word in words)


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
        stem = without_particle(found[0])
        if len(stem) >= _SHORT:
            yield found.start(), stem, found.end()


def without_particle(word: str) -> str:
    """A word of Hangul as it is written, without what hangs on it."""
    return _PARTICLE.sub("", word)


def _is_of_known(words: Sequence[Word], said: SaidInLog) -> bool:
    """Whether all its parts are said, or only single syllables behind one are not: 교재비, 교재값."""
    new = [word for word in words if not any(is_alike(word.base, other) for other in said.words)]
    return not new or (len(new) < len(words) and all(len(word.base) == 1 for word in new))


def _is_nearly(word: str, other: str) -> bool:
    """Whether a third of the syllables at most are others, or one."""
    differing = sum(one != another for one, another in zip(word, other, strict=False))
    return len(word) == len(other) and differing <= max(1, len(word) // 3)
