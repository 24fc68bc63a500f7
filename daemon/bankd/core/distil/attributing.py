"""A line that says of one what its sources say of another: Rufus rode it home, Ines followed; Ines rode it home.

A sentence is taken apart where another may begin to do something. The part that says most of a line names who does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from bankd.core.distil.aligning import Word, is_alike, words_to_align
from bankd.core.distil.attesting import is_doer
from bankd.core.distil.passages import Passage
from bankd.core.language.statement import TokenKind

_PARTING = re.compile(
    r"[,;:.]\s|\s(?:and|but|while|whereas|though|yet)\s|(?<=[가-힣]고)\s|(?<=[가-힣]며)\s|(?<=지만)\s|(?<=[가-힣][는은인]데)\s|\s[-\u2013\u2014]\s"
)
_NAMED_DOING = re.compile(
    r"(?<![\w'-])([A-Z][\w-]+) (?:(?:has|had|is|was|will|did|does|also|just|now|not|n't) )*([a-z]+)"
)
_DONE_BY = re.compile(r"(\w+) by (?:[A-Z][a-z]{0,4}\.? )?([A-Z][\w-]+)")
_VERB = 2
"""What the verb of who does it is worth, in words, when the part is looked for that tells it."""
_LEAST = 2
"""Words that a part has of a line before it tells who does it."""
_DOING = ("subject", "topic")


class _Doer(NamedTuple):
    """Who does something, and the verb where English has it beside the name."""

    name: str
    verb: str


class _Part(NamedTuple):
    """A sentence between two places where another may begin to do something: its text, its words, and who does something."""

    text: str
    words: Sequence[Word]
    doers: Sequence[_Doer]


def find_misattributed(line: Passage, sources: Sequence[Passage]) -> str | None:
    """Who does in the line what another does in its sources; None where nobody does."""
    parts = [part for source in sources for part in _parts_of(source)]
    doers = [doer for part in _parts_of(line) for doer in part.doers if any(doer.name in one.text for one in parts)]
    names = [doer.name for doer in doers]
    words = [word for word in words_to_align(line.statement) if word.kind is not TokenKind.VALUE]
    told = [word.base for word in words if word.base not in names]
    for name, verb in doers:
        telling = _telling_most(told, verb, parts)
        rivals = [rival.name for part in telling for rival in part.doers if rival.name not in line.text.casefold()]
        if rivals and not any(one in part.text for one in names for part in telling):
            return f"{name} does what {rivals[0]} does in its lines"
    return None


def _telling_most(words: Sequence[str], verb: str, parts: Sequence[_Part]) -> list[_Part]:
    """The parts that have most words of a line, its verb above all."""
    sizes = [
        sum(_VERB if word == verb else 1 for word in words if any(is_alike(word, other.base) for other in part.words))
        for part in parts
    ]
    most = max([_LEAST, *sizes])
    return [part for part, size in zip(parts, sizes, strict=True) if size == most]


def _parts_of(passage: Passage) -> Iterator[_Part]:
    text = passage.text
    cuts = [0, *(cut.end() for cut in _PARTING.finditer(text)), len(text) + 1]
    words = [*_placed(words_to_align(passage.statement), text.casefold())]
    doers = [*_placed([*_korean_doers(passage)], text.casefold())]
    for begin, end in pairwise(cuts):
        part = text[begin:end]
        named = [_Doer(word.base, "") for word, at in doers if begin <= at < end]
        held = [word for word, at in words if begin <= at < end]
        yield _Part(part.casefold(), held, named or [*_english_doers(part)])


def _placed(words: Sequence[Word], text: str) -> Iterator[tuple[Word, int]]:
    """Each word with where it stands in the text: a Korean verb is known by its first syllable."""
    at = 0
    for word in words:
        tries = (text.find(word.base[:length], at) for length in (len(word.base), 2, 1))
        at = next((found for found in tries if found >= 0), at)
        yield word, at


def _korean_doers(passage: Passage) -> Iterator[Word]:
    """The names in what a particle calls the subject or topic."""
    for phrase in passage.statement.phrases:
        if phrase and phrase[-1].case in _DOING:
            names = [token for token in phrase if token.kind is TokenKind.NAME and not token.base.isascii()]
            yield from (Word(token.base, token.kind, "", False, False) for token in names)


def _english_doers(part: str) -> Iterator[_Doer]:
    """The names that what follows is what they do, and by whom something is done."""
    for name, verb in _NAMED_DOING.findall(part):
        if is_doer(name, verb):
            yield _Doer(name.casefold(), verb)
    yield from (_Doer(name.casefold(), verb) for verb, name in _DONE_BY.findall(part))
