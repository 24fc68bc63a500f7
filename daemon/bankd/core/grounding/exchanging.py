"""A line that says a sentence of the log again, but for one word: another value, name or thing stands in its place.

What is compared are the sentences that share words with a line: that the log has a value somewhere excuses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from bankd.core.dedup.guard import stem
from bankd.core.grounding.aligning import Alignment, Word, align, is_alike
from bankd.core.grounding.attesting import NO_NAMES, may_be_name
from bankd.core.grounding.attesting_values import BECAME
from bankd.core.grounding.dating import days_in_place
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.said_in_log import SaidInLog
from bankd.core.grounding.stretches import stretch_numbers
from bankd.core.language.quantities import base_quantity
from bankd.core.language.statement import TokenKind

LEAST = 2
"""Words that a sentence shares with a line before it counts as what the line says again."""
_OTHER_WORDS = 2
"""So many words of a line at most may be missing in a sentence where one of them stands for another: more are a rewording."""
_STEM = 2
"""Syllables by which a Hangul word is known: without an analyser 포트는 and 포트를 are two words."""
_NUMBER = re.compile(r"[\d.,:]+")
_ROLES = {"subject": "doer", "topic": "doer", "object": "object", "receiver": "receiver"}


def find_exchanged(line: Passage, sources: Sequence[Passage], said: SaidInLog) -> str | None:
    """What of a line stands where its sources have another value, name or thing."""
    laid = [align(line, source) for source in sources]
    in_place = [named.span.first for named in days_in_place(line, sources, said.day)]
    for one, source in zip(laid, sources, strict=True):
        found = (*_exchanged(one, source, laid, said), *_moved(one, said)) if _is_near(one) else ()
        for word, rival in found:
            if not any(_is_of_day(word, day) for day in in_place):
                return f"{line.as_written(word.base)} stands where its lines have {source.as_written(rival.base)}"
    return None


def _is_of_day(word: Word, day: date) -> bool:
    """Whether a value is the year, month or day of a day, however that is written in the log."""
    return word.base in (f"{day.year}년", f"{day.month}월", f"{day.day}일")


def _exchanged(
    laid: Alignment, source: Passage, others: Sequence[Alignment], said: SaidInLog
) -> Iterator[tuple[Word, Word]]:
    """The words of a line that a sentence does not have, each with the one that it has in their place."""
    most = max(other.size for other in others)
    for at, there in _left_over(laid, source):
        word, rival, is_beside = laid.line[at], laid.source[there], there in _places(laid, at)
        if _is_of_one_sort(word, rival, said):
            is_stray = laid.size == most and not _is_in_any(word, at, others)
            is_other = is_stray or (is_beside and not _is_said_elsewhere(at, laid, others))
        else:
            is_other = is_beside and not said.has(word.base) and _is_another_thing(laid, at, there)
        if is_other:
            yield word, rival


def _moved(laid: Alignment, said: SaidInLog) -> Iterator[tuple[Word, Word]]:
    """Values and names that a sentence has further on, where behind the same word it has another."""
    for at, there in laid.pairs.items():
        place = laid.pairs[at - 1] + 1 if at - 1 in laid.pairs else there
        word, rival = laid.line[at], laid.source[place]
        is_changed = rival.around[0] == "from" or laid.source[there].around[0] in BECAME
        is_other = abs(place - there) >= LEAST and _is_of_one_sort(word, rival, said) and not is_changed
        if is_other and not any(_is_said(rival, other) for other in laid.line):
            yield word, rival


def _is_name(word: Word) -> bool:
    return word.kind is TokenKind.NAME or word.is_first


def _is_near(laid: Alignment) -> bool:
    """Whether a sentence says what a line says again: it shares two words, or all but one."""
    return laid.size >= min(LEAST, max(min(len(laid.line), len(laid.source)) - 1, 1))


def _left_over(laid: Alignment, source: Passage) -> Iterator[tuple[int, int]]:
    """Each word of the line that the sentence does not have there, with each that the line does not have of the sentence.

    What stands in a stretch of which the line says nothing stands for nothing in it.
    """
    taken = set(laid.pairs.values())
    stretches = stretch_numbers(source)
    told = {stretches[there] for there in taken}
    rivals = [
        there
        for there, rival in enumerate(laid.source)
        if there not in taken and stretches[there] in told and not any(_is_said(rival, word) for word in laid.line)
    ]
    yield from ((at, there) for at in range(len(laid.line)) if at not in laid.pairs for there in rivals)


def _places(laid: Alignment, at: int) -> Iterator[int]:
    """Where a sentence would have a word: behind the one that stands before it, or before the one behind it."""
    if at - 1 in laid.pairs:
        yield laid.pairs[at - 1] + 1
    if at + 1 in laid.pairs:
        yield laid.pairs[at + 1] - 1


def _is_of_one_sort(word: Word, rival: Word, said: SaidInLog) -> bool:
    """Whether two words are values of one unit, or names; a capital that begins a text is one where the word is no other."""
    if TokenKind.VALUE in (word.kind, rival.kind):
        is_reckoned = base_quantity(word.base) in said.worked_out - said.values
        return word.kind is rival.kind and _is_another_value(word.base, rival.base) and not is_reckoned
    roles = {_ROLES[one.case] for one in (word, rival) if one.case}
    if len(roles) > 1:  # who does it stands for no other part
        return False
    if not word.base.isascii() and _begins_alike(word.base, rival.base):
        return False
    return all(one.kind is TokenKind.NAME or _may_name(one, said) for one in (word, rival))


def _begins_alike(one: str, other: str) -> bool:
    """Whether one word is the beginning of the other, as where an analyser took it apart: 조식 as 조 and 식."""
    return one.startswith(other) or other.startswith(one)


def _may_name(word: Word, said: SaidInLog) -> bool:
    """Whether a capital that begins a text may be that of a name."""
    return word.is_first and word.base not in said.common and may_be_name(word.base.capitalize())


def _is_another_value(one: str, other: str) -> bool:
    """Whether two values are of one unit; 8080 and 8080번 are one."""
    one, other = (value.removesuffix(":00") for value in (one, other))  # 2 to 5 am, 2:00
    units = {_NUMBER.sub("", one), _NUMBER.sub("", other)}
    is_version = {value.count(".") > 1 for value in (one, other)}
    return len(units) == len(is_version) == 1 and base_quantity(one) != base_quantity(other)


def _is_another_thing(laid: Alignment, at: int, there: int) -> bool:
    """Whether a noun stands exactly where the sentence has another one; who says more in other words may say that so too."""
    word, rival = laid.line[at], laid.source[there]
    if TokenKind.VALUE in (word.kind, rival.kind) or laid.lacking > _OTHER_WORDS or {word.base, rival.base} & NO_NAMES:
        return False
    is_latin = word.base.isascii() or rival.base.isascii()
    return (_has_its_slot if is_latin else _has_its_part)(laid, at, there)


def _has_its_slot(laid: Alignment, at: int, there: int) -> bool:
    """Whether the same stands on both sides of two English words, or on the inner one where the line ends; no verb is meant."""
    ours, theirs = laid.line[at].around, laid.source[there].around
    is_first, is_last = at == 0, at == len(laid.line) - 1
    ends = is_last and laid.pairs.get(at - 1) == there - 1 and ours[0] == theirs[0]
    begins = is_first and laid.pairs.get(at + 1) == there + 1 and ours[1] == theirs[1]
    both = (laid.line, at), (laid.source, there)
    is_verb = any(words[place].base.endswith("ed") or _is_behind_name(words, place) for words, place in both)
    return (ours == theirs or begins or ends) and not is_verb


def _is_behind_name(words: Sequence[Word], at: int) -> bool:
    """Whether a name stands right before a word, so that it is what somebody does: Mina mends, though not Mina's saw."""
    return at > 0 and _is_name(words[at - 1]) and words[at].around[0] == stem(words[at - 1].base)


def _has_its_part(laid: Alignment, at: int, there: int) -> bool:
    """Whether two Korean nouns stand between the same words, or have one case beside one word."""
    word, rival = laid.line[at], laid.source[there]
    short, long = sorted((word.base[:_STEM], rival.base[:_STEM]), key=len)
    if not (_is_noun(word) and _is_noun(rival)) or long.startswith(short):
        return False
    is_before = laid.pairs.get(at - 1) == there - 1 or at == there == 0
    is_behind = laid.pairs.get(at + 1) == there + 1 or (at == len(laid.line) - 1 and there == len(laid.source) - 1)
    return (is_before and is_behind) or bool(word.case and _ROLES[word.case] == _ROLES.get(rival.case))


def _is_noun(word: Word) -> bool:
    return word.kind in (TokenKind.NOUN, TokenKind.NAME) and not word.is_predicate


def _is_said(word: Word, other: Word) -> bool:
    return word.base == other.base if word.kind is TokenKind.VALUE else is_alike(word.base, other.base)


def _is_in_any(word: Word, at: int, laid: Sequence[Alignment]) -> bool:
    """Whether a sentence that has a word has another one of the line."""
    return any(one.size > (at in one.pairs) and any(_is_said(word, other) for other in one.source) for one in laid)


def _is_said_elsewhere(at: int, laid: Alignment, others: Sequence[Alignment]) -> bool:
    """Whether a sentence that shares as much with the line has the word, or one that shares more has it anywhere."""
    word = laid.line[at]
    return any(
        (other.size >= laid.size and at in other.pairs)
        or (other.size > laid.size and any(_is_said(word, one) for one in other.source))
        for other in others
    )
