"""A sentence taken apart where another thing may begin to be said: who did this and who did that, and each on its day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from bankd.core.grounding.aligning import Alignment, Word, align_words, is_alike, words_to_align
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.rewriting import as_read

_PARTING = re.compile(
    r"[,;:.]\s|\s(?:and|but|while|whereas|though|yet)\s|(?<=[가-힣]고)\s|(?<=[가-힣]며)\s|(?<=지만)\s|(?<=[가-힣][는은인]데)\s|\s[-\u2013\u2014]\s"
)
_LEAST = 2
"""Words that a stretch has of a line before it tells anything of it."""

T = TypeVar("T")


class Stretch(NamedTuple):
    """A stretch of a text: where it stands in the text as it is read, and its words."""

    text: str
    begin: int
    end: int
    words: Sequence[Word]

    def has(self, word: str) -> bool:
        """Whether one of its words is that one, in any form."""
        return any(is_alike(word, other.base) for other in self.words)


def stretches_of(passage: Passage) -> list[Stretch]:
    """The stretches of a passage, in their order."""
    text = as_read(passage.text)
    cuts = [0, *(cut.end() for cut in _PARTING.finditer(text)), len(text) + 1]
    words = [*placed_in(text, words_to_align(passage.statement))]
    return [
        Stretch(text[begin:end], begin, end, [word for word, at in words if begin <= at < end])
        for begin, end in pairwise(cuts)
    ]


def stretch_numbers(passage: Passage) -> list[int]:
    """For each word of a passage the number of the stretch in which it stands, the first being 0."""
    return [number for number, stretch in enumerate(stretches_of(passage)) for _ in stretch.words]


def laid_over_stretches(line: Passage, sources: Sequence[Passage]) -> Iterator[Sequence[Alignment]]:
    """Each stretch of a line, laid over those stretches of its sources that tell most of it."""
    told = [one for source in sources for one in stretches_of(source)]
    for one in stretches_of(line):
        laid = [align_words(one.words, other.words) for other in told]
        yield telling_most(laid, [each.size for each in laid])


def telling_most(told: Sequence[T], sizes: Sequence[int]) -> list[T]:
    """Of what stretches say that which has most words of a line, by how many each has; none where that is one word."""
    most = max([_LEAST, *sizes])
    return [one for one, size in zip(told, sizes, strict=True) if size == most]


def placed_in(text: str, words: Sequence[Word]) -> Iterator[tuple[Word, int]]:
    """Each word with where it stands in a text: a Korean verb is known by its first syllable."""
    text, at = text.casefold(), 0
    for word in words:
        tries = ((text.find(word.base[:length], at), length) for length in (len(word.base), 2, 1))
        at, length = next((found for found in tries if found[0] >= 0), (at, 0))
        yield word, at
        at += min(length, len(word.base))
