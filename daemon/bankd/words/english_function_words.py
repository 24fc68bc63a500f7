"""What English function words do to the meaning of a statement: closed lists, by lower-cased form.

Words are compared as written: there is no stemming for `same`, since "has a son" and "has sons" are two facts.
Source: the closed word classes of English grammar (articles, auxiliaries, contractions, negation).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bankd.words.tables import meanings_in, words_in

EMPTY_WORDS = words_in("english_function_words", "empty_words")
"""Articles and the plain present of be and do; "a few" and "a little" keep their article (see `ARTICLE_KEEPERS`)."""

ARTICLE_KEEPERS = words_in("english_function_words", "article_keepers")

NEGATIONS = meanings_in("english_function_words", "negations")

CONTRACTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "can't": ("can", "not"),
        "cannot": ("can", "not"),
        "won't": ("will", "not"),
        "shan't": ("shall", "not"),
        "ain't": ("not",),
        "let's": ("let", "us"),
        "gonna": ("going", "to"),
        "wanna": ("want", "to"),
    }
)

SUFFIX_CONTRACTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("n't", ("not",)),
    ("'ll", ("will",)),
    ("'ve", ("have",)),
    ("'re", ("are",)),
    ("'m", ("am",)),
    ("'s", ("'s",)),
    ("'d", ("'d",)),
)
"""Endings of contracted words; "'d" stays as it is, being had or would."""

AUXILIARIES = words_in("english_function_words", "auxiliaries")
"""Words that place or weaken a statement; they count, but do not make it another subject."""

RELATIONS = words_in("english_function_words", "relations")
"""What says how things stand to each other, and of nothing what it is: two texts that share these share no subject."""

OPTIONAL = words_in("english_function_words", "optional")
"""Words of degree and emphasis: they may be there or not."""

FOLDED_NAMES = words_in("english_function_words", "folded_names")
"""Words that mean another thing in capitals (US, IT, WHO): capitals are kept when the rest is not in capitals."""

NUMBERS: Mapping[str, int] = MappingProxyType(
    {
        **{
            word: number
            for number, word in enumerate(
                [
                    "zero",
                    "one",
                    "two",
                    "three",
                    "four",
                    "five",
                    "six",
                    "seven",
                    "eight",
                    "nine",
                    "ten",
                    "eleven",
                    "twelve",
                    "thirteen",
                    "fourteen",
                    "fifteen",
                    "sixteen",
                    "seventeen",
                    "eighteen",
                    "nineteen",
                ]
            )
        },
        **{
            word: 10 * tens
            for tens, word in enumerate(
                ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
            )
        },
        "once": 1,
        "twice": 2,
        "thrice": 3,
        "dozen": 12,
    }
)
SCALES: Mapping[str, int] = MappingProxyType({"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9})

MONTHS: Mapping[str, int] = MappingProxyType(
    {
        form: number
        for number, name in enumerate(
            [
                "january",
                "february",
                "march",
                "april",
                "may",
                "june",
                "july",
                "august",
                "september",
                "october",
                "november",
                "december",
            ],
            start=1,
        )
        for form in (name, name[:3])
    }
    | {"sept": 9}
)

NEARNESS = words_in("english_function_words", "nearness")
PERIODS = words_in("english_function_words", "periods")
"""`NEARNESS` before one of `PERIODS`, or before one of `DAYS`, says when: last week."""

DAYS = words_in("english_function_words", "days")
"""Words that say when; which one it is is a value, as a number is."""

SHORT_DAYS: Mapping[str, str] = MappingProxyType(
    {
        short: day
        for day, forms in (
            ("monday", "mon"), ("tuesday", "tue tues"), ("wednesday", "wed"), ("thursday", "thu thur thurs"),
            ("friday", "fri"), ("saturday", "sat"), ("sunday", "sun"), ("tomorrow", "tmrw tmr tmw"),
        )
        for short in forms.split()
    }
)  # fmt: skip
"""Days as they are cut short; "sun" and "sat" are read as days wherever they are values."""
