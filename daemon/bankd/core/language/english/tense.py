"""Whether an English word tells what was: I worked there is not I work there, and what is written was not yet lost."""

from __future__ import annotations

from collections.abc import Sequence

from bankd.core.language.english.stemming import is_irregular_past, stem_word
from bankd.core.language.word_lists import split_words

_BETWEEN = split_words("not never just already also recently now still only finally almost always often")
"""What may stand between a verb and what carries it."""
_HAVING = split_words("have has had")
_OTHER_CARRIERS = split_words(
    "am is are was were be been being 's get gets got getting will would shall should can could may might must do does did to",
    "the a an my our your his her its their this that these those each every any no some all",
    "of in on at by for with from into onto about as and or than without via per",
)
"""Behind these a past form is a participle that says how something is, or no verb at all: is written, a used car."""
_GOING_ON = frozenset({"since"})
_SHORTEST = 4
"""As "used" and "owed"; what is no longer and no past, as "need" and "shed", has no stem without its end."""


def tells_past(words: Sequence[str], at: int) -> bool:
    """Whether the word there, all in lower case, is a verb that tells what was, or has been done."""
    if not _is_past_form(words[at]):
        return False
    before = [word for word in words[:at] if word not in _BETWEEN and not word.endswith("ly")]
    if before and before[-1] in _HAVING:
        return _GOING_ON.isdisjoint(words)  # who has lived there since May lives there
    return not before or before[-1] not in _OTHER_CARRIERS


def _is_past_form(word: str) -> bool:
    is_regular = len(word) >= _SHORTEST and word.endswith("ed") and stem_word(word) != word
    return is_irregular_past(word) or is_regular
