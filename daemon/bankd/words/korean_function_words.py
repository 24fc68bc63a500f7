"""What Korean particles, endings and auxiliaries do to the meaning of a statement: closed lists, by form.

Everything not listed here counts as a difference, so a missing row makes comparison more careful, never bolder.
Sources: the Sejong tag set (parts of speech); the particles and endings of the standard grammar of the National
Institute of Korean Language, those that occur at least twice in 20,000 sentences of everyday Korean.
"""

from __future__ import annotations

from bankd.words.tables import meanings_in, words_in

SUBJECT = words_in("korean_function_words", "subject")
TOPIC = words_in("korean_function_words", "topic")
OBJECT = words_in("korean_function_words", "object")
RECEIVER = words_in("korean_function_words", "receiver")

PARTICLES = meanings_in("korean_function_words", "particles")

ENDINGS = meanings_in("korean_function_words", "endings")
"""What an ending says beyond its politeness; ".", "?" and "!" are moods of the whole statement."""

MOODS = words_in("korean_function_words", "moods")
"""It states, it asks, it orders or proposes; most polite endings leave open whether they state or order."""

SOFT_MARKS = words_in("korean_function_words", "soft_marks")
"""Meanings that people exchange freely in rewordings: of 30 calibration pairs that differ in them alone, 30 are equal."""

ADNOMINAL = meanings_in("korean_function_words", "adnominal")
"""Endings before a noun; ᆫ and 은 are past after a verb only (먹은, but 큰)."""

TENSES = meanings_in("korean_function_words", "tenses")

NEGATIONS = meanings_in("korean_function_words", "negations")
"""Words that turn a statement around. "못" is kept apart from "안": being unable is not being unwilling."""

TAKING_TURNED = words_in("korean_function_words", "taking_turned")
"""Verbs of taking that are verbs of giving with 주: 빌리다 borrows, 빌려주다 lends."""

PLAIN_AUXILIARIES = words_in("korean_function_words", "plain_auxiliaries")
"""Auxiliary verbs that add an aspect or a courtesy; 하 and 되 after 어야 are carried by the ending."""

AUXILIARIES = meanings_in("korean_function_words", "auxiliaries")

STATES = meanings_in("korean_function_words", "states")
AFTER_WHICH = frozenset({("어", "EC"), ("아", "EC"), ("여", "EC")})
"""저장되어 있다, 저장해 뒀다: what was done stays so, and is told as what is or as what was done."""

LIGHT_VERBS = words_in("korean_function_words", "light_verbs")
EMPTY_SUFFIXES = words_in("korean_function_words", "empty_suffixes")
HONOURING = frozenset({"님", "씨"})
"""What may honour the name before it, whatever an analyser calls it."""
