"""Korean words that say the same, say when, or say nothing: closed lists of lemmas.

Sources: honorific and humble pairs of the standard grammar; the rest collected for bankd and chosen on one half of
the calibration pairs.
"""

from __future__ import annotations

from bankd.words.tables import meanings_in, words_in

HONORIFICS = meanings_in("korean_synonyms", "honorifics")
"""Honorific, humble and familiar words by their plain one."""

PRONOUNS = words_in("korean_synonyms", "pronouns")
"""Of which other forms are verbs too: 돈을 내."""

SYNONYMS = meanings_in("korean_synonyms", "synonyms")
"""Words that say the same in every sentence; a pair belongs here only when no sentence tells them apart."""

TIMES = words_in("korean_synonyms", "times")
"""Words that say when; which one it is is a value, as a number is."""

DAY_COUNTS = meanings_in("korean_synonyms", "day_counts")
"""Numbers of days that are one word each."""

OPTIONAL = words_in("korean_synonyms", "optional")
"""Words of degree and emphasis: they may be there or not."""

EMPTY_NOUNS = words_in("korean_synonyms", "empty_nouns")
EMPTY_ADVERBS = words_in("korean_synonyms", "empty_adverbs")
