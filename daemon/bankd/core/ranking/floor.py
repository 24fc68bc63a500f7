"""What a memory must score to be an answer: below it, "nothing relevant" is the answer.

A long Korean text shares a word with nearly any question, so its floor grows with the logarithm of its terms, little
among short ones, whatever the language of the question. What a long English text says of a question is spread over it,
so its floor falls with the square root. In a small bank no word is rare yet, so both fall with the number of memories.

Everyday words stand in long Korean sentences by accident: 커피 and 마시다 in a paragraph about a war are no answer to
who asks for them, while a rare name is. The more of what matches is everyday, the more it must score.

In English the phrasing of the question counts too: of keywords any may be right, and a sentence about somebody whom no
memory knows is answered by much that is about others.

Where sentence vectors take part, the nearest is a second witness: a question whose nearest memory is far has to be
answered by more words, and one whose nearest stands out by fewer. Between Hangul and Latin letters, where no words can
meet, it is the only one.

`bench/floor.py` shows how many true answers this costs and how many false ones it stops; the values are round ones
of `bench/floors.md` that stop most where about one true answer in a hundred is lost, naia among what was looked at.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from bankd.core.language.korean.everyday import EVERYDAY
from bankd.core.ranking.question_words import term_weight
from bankd.core.ranking.scoring import is_met_by_questions

if TYPE_CHECKING:
    from bankd.core.ranking.fusion import CosineBounds
    from bankd.core.ranking.scoring import Candidate, Corpus
    from bankd.core.ranking.weighing import Weights

HANGUL_FLOOR, LATIN_FLOOR = 0.028, 0.1
SHORT_TEXT, LONG_TEXT, LONG_SENTENCE = 20, 40, 16
"""In distinct terms."""
LONG_QUESTION = 8
"""In distinct terms; a formal question says in more of them what a short one asks, and few of these are in its answer."""
KEYWORDS, OF_STRANGERS = 0.8, 1.5
"""Factors of the floor, by the phrasing of the question."""
SMALL_BANK = 100
"""In memories."""
EVERYDAY_DISCOUNT = 0.6
"""What everyday words count less in a long sentence, as a share; the shorter the sentence, the nearer to nothing."""


WITNESS, LEAD = 20.0, 80.0
"""What a cosine, and how far it stands out, are worth in floors: .05 farther than is near takes words worth a whole one."""
MOST_WITNESS = 1.75
"""A vector alone does not unmake a sure answer: what has so many floors by words is one."""
_KNOWN_LEAD = 0.02
"""How far the nearest memory usually stands out, where there are too few to tell."""


def evidence_of(by_words: float, nearest: float | None, lead: float | None, bounds: CosineBounds | None) -> float:
    """In floors, what words and the nearest memory say together; from 1 on a question is answered.

    `lead` says how much nearer that is than the nearest ones on average: where everything is near, being near says little.
    """
    if nearest is None or bounds is None:
        return by_words
    standing_out = (_KNOWN_LEAD if lead is None else lead) - _KNOWN_LEAD
    together = by_words + WITNESS * (nearest - bounds.near) + LEAD * standing_out
    return max(by_words / MOST_WITNESS, together)


def answers_across(
    candidate: Candidate, weights: Weights, nearest: float | None, lead: float | None, bounds: CosineBounds | None
) -> bool:
    """Whether a memory in another script than the question, where no words could meet, is near enough to answer."""
    if nearest is None or bounds is None or bool(weights.bigrams) == bool(candidate.bigrams):
        return False
    return nearest + (_KNOWN_LEAD if lead is None else lead) >= bounds.across


def shares_subject(candidate: Candidate, weights: Weights) -> bool:
    """Whether a memory has of a question more than the words by which anything is asked: "of" tells no capital from a disk.

    Part of a Hangul word is something of it; a question of asking words alone is about these.
    """
    subjects = _subjects_of(tuple(weights.terms))
    if not subjects or candidate.entities & weights.names:
        return True
    parts = (*candidate.sentences, candidate.heading, *candidate.asked)
    if any(not subjects.isdisjoint(part) for part in parts):
        return True
    grams = f"{candidate.bigrams}{candidate.asked_bigrams}"
    return any(f" {gram} " in grams for gram in weights.bigrams if any(gram in term for term in subjects))


@lru_cache(maxsize=16)  # each memory of an answer is asked about the same
def _subjects_of(terms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for term in terms if term_weight(term) == 1)


def floor_of(candidate: Candidate, weights: Weights, corpus: Corpus) -> float:
    """The score that a memory must reach to be an answer; by questions in another script, that of a text in this one."""
    terms = set(candidate.heading).union(*candidate.sentences)
    is_by_questions = is_met_by_questions(candidate, weights)
    terms = terms.union(*candidate.asked) if is_by_questions else terms
    if weights.bigrams or (candidate.bigrams and not is_by_questions):
        floor = _hangul_floor(candidate, terms, weights) / math.sqrt(max(1.0, len(weights.terms) / LONG_QUESTION))
    else:
        demand = {"keywords": KEYWORDS, "sentence": 1.0, "of strangers": OF_STRANGERS}[weights.phrasing]
        floor = LATIN_FLOOR * demand * math.sqrt(min(1.0, LONG_TEXT / (len(terms) or 1)))
    return floor * min(1.0, corpus.memories / SMALL_BANK)


def _hangul_floor(candidate: Candidate, terms: set[str], weights: Weights) -> float:
    sentence = len(terms) / (len(candidate.sentences) or 1)
    accident = EVERYDAY_DISCOUNT * min(1.0, sentence / LONG_SENTENCE)
    return HANGUL_FLOOR * math.log(SHORT_TEXT + len(terms)) / (1 - accident * _everyday_share(terms, weights))


def _everyday_share(terms: set[str], weights: Weights) -> float:
    """The share of everyday words in the weight of what the memory has of the query; all, where only syllables match."""
    found = {term: weight for term, weight in weights.terms.items() if term in terms}
    if not found:
        return 1.0
    return sum(weight for term, weight in found.items() if term in EVERYDAY) / (sum(found.values()) or 1.0)
