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

What of the memories found is an answer; "nothing relevant" is one too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

from bankd.search.score import is_met_by_questions
from bankd.search.weigh import term_weight
from bankd.words.thesaurus import EVERYDAY

if TYPE_CHECKING:
    from bankd.search.find import Ranked
    from bankd.search.meaning import CosineBounds
    from bankd.search.score import Candidate, Corpus
    from bankd.search.weigh import Weights
    from bankd.words.day_questions import AskedTime

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


_TAIL = 0.5
"""The share of the floor that the further answers must reach, once one has reached it."""
NEAREST_SHOWN = 5
"""So many are shown where nothing is an answer: `python -m bench.sets short` says where the right one stands then."""


def answers_among(
    best: Sequence[Ranked],
    asked: AskedTime,
    weights: Weights,
    corpus: Corpus,
    margin: float,
    bounds: CosineBounds | None,
) -> Sequence[Ranked]:
    """What of the best is an answer; where nothing of the days asked about is, what there is of them."""
    answers = above_floor(best, weights, corpus, margin, bounds)
    if margin > 1 or not asked.windows or any(_is_of_days(one) for one in answers):
        return answers
    return [one for one in best if one in answers or _is_of_days(one)]


def nearest_among(best: Sequence[Ranked], weights: Weights) -> Sequence[Ranked]:
    """Where nothing is an answer, what shares a word with the question that tells something, or may share its meaning."""
    return [one for one in best if "meaning" in one.parts or shares_subject(one.candidate, weights)]


def _is_of_days(one: Ranked) -> bool:
    from bankd.search.days import TELLING, TIME_WEIGHT  # noqa: PLC0415 -- most questions name no day

    return one.parts.get("time", 0.0) > TELLING * TIME_WEIGHT


def above_floor(
    ranked: Sequence[Ranked],
    weights: Weights,
    corpus: Corpus,
    margin: float = 1.0,
    bounds: CosineBounds | None = None,
) -> Sequence[Ranked]:
    """What is an answer: nothing when no memory reaches the floor, else all that reach half of it.

    Where meaning alone says so, all that score half of what the best does.

    With a margin above 1, only what is above the floor by so much; `bounds` say what cosines tell, where there are any.
    """
    floors = [floor_of(one.candidate, weights, corpus) for one in ranked]
    by_words = [
        _by_words(one) / floor
        for one, floor in zip(ranked, floors, strict=True)
        if shares_subject(one.candidate, weights)
    ]
    words = max(by_words, default=0.0)
    reached = [
        (one.parts["score"] - one.parts.get("time", 0.0)) / floor for one, floor in zip(ranked, floors, strict=True)
    ]
    sure = _with_witness(words, ranked, bounds)
    if margin > 1:
        return [one for one, share in zip(ranked, reached, strict=True) if min(sure, words, share) >= margin]
    if sure < 1 and not any(_answers_across(one, weights, bounds) for one in ranked):
        return []
    least = _TAIL * min(1.0, max(reached))
    return [one for one, share in zip(ranked, reached, strict=True) if share >= least]


def _with_witness(words: float, ranked: Sequence[Ranked], bounds: CosineBounds | None) -> float:
    nearest = max((one.parts for one in ranked if "meaning" in one.parts), key=itemgetter("meaning"), default={})
    return evidence_of(words, nearest.get("meaning"), nearest.get("lead"), bounds)


def _answers_across(one: Ranked, weights: Weights, bounds: CosineBounds | None) -> bool:
    return answers_across(one.candidate, weights, one.parts.get("meaning"), one.parts.get("lead"), bounds)


def _by_words(one: Ranked) -> float:
    """What a memory scores without the days asked about, and without meaning."""
    return one.parts.get("by_words", one.parts["score"] - one.parts.get("time", 0.0))
