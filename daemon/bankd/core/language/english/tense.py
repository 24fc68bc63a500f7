"""Tense and voice of an English verb: I worked there is not I work there, and who is called has not called."""

from __future__ import annotations

from collections.abc import Sequence, Set

from bankd.core.language.english.stemming import is_irregular_past, stem_word
from bankd.core.language.word_lists import split_words

_BETWEEN = split_words("not never just already also recently now still only finally almost always often")
"""What may stand between a verb and what carries it."""
_HAVING = split_words("have has had")
_BEING = split_words("am is are was were be been being 's 're 'm get gets got getting")
"""What makes a passive of the past form behind it."""
HELPING = _HAVING | split_words("will would shall should can could may might must do does did to")
DETERMINERS = split_words("the a an my our your his her its their this that these those each every any no some all")
PREPOSITIONS = split_words("of in on at by for with from into onto about as and or than without via per")
_OTHER_CARRIERS = _BEING | HELPING - _HAVING | DETERMINERS | PREPOSITIONS
"""Behind these a past form is a participle that says how something is, or no verb at all: is written, a used car."""
_ORDERING = _HAVING | split_words("having get gets got getting")
_MOST_BETWEEN = 3
"""So many words has the thing that is had done, its article apart; and none of these."""
_NO_THINGS = PREPOSITIONS | DETERMINERS | _BEING
_GOING_ON = frozenset({"since"})
_SHORTEST = 4
"""As "used" and "owed"; what is no longer and no past, as "need" and "shed", has no stem without its end."""


def tells_past(words: Sequence[str], at: int) -> bool:
    """Whether the word there, all in lower case, is a verb that tells what was, or has been done."""
    if not is_past_form(words[at]):
        return False
    carrier = carrier_of(words, at)
    if carrier in _HAVING:
        return _GOING_ON.isdisjoint(words)  # who has lived there since May lives there
    return carrier not in _OTHER_CARRIERS


def is_passive(words: Sequence[str], at: int) -> bool:
    """Whether the word there is a verb that is done to what stands before it: she was called, it gets sold."""
    return carrier_of(words, at) in _BEING and is_past_form(words[at])


def is_done_for(words: Sequence[str], at: int) -> bool:
    """Whether the word there is a verb that others do for who stands before it: she had the old fence painted."""
    return is_past_form(words[at]) and any(
        words[place] in _ORDERING and words[place + 1] in DETERMINERS and _NO_THINGS.isdisjoint(words[place + 2 : at])
        for place in range(max(0, at - _MOST_BETWEEN - 2), at - 2)
    )


def carrier_of(words: Sequence[str], at: int, besides: Set[str] = frozenset()) -> str:
    """The last word before one, adverbs and others `besides` left out; empty where it begins."""
    before = (w for w in reversed(words[:at]) if w not in _BETWEEN and w not in besides and not w.endswith("ly"))
    return next(before, "")


def is_past_form(word: str) -> bool:
    """Whether a word in lower case may be a past form, or a participle."""
    is_regular = len(word) >= _SHORTEST and word.endswith("ed") and stem_word(word) != word
    return is_regular or is_irregular_past(word.removeprefix("re")) or is_irregular_past(word)
