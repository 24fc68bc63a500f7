"""What of the memories found is an answer; "nothing relevant" is one too.

By words, the best memory must have a share of the weight of the question's words, and one word that does not only ask.
Where sentence vectors take part, the nearest memory must be nearer than the nearest usually is to questions that have
nothing to do with a bank (`workers.vector_worker`). So the floor knows how large a bank is, in which language, and how close
its memories lie, whatever model made the vectors. Words are the second witness: who shares them all may be farther.

`bench/floor.py` shows how many true answers this costs and how many false ones it stops, in banks of several sizes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from bankd.search.weigh import term_weight

if TYPE_CHECKING:
    from bankd.search.find import Ranked
    from bankd.search.meaning import Near
    from bankd.search.request import Query
    from bankd.search.score import Candidate
    from bankd.search.weigh import Weights
    from bankd.words.day_questions import AskedTime

WORDS_FLOOR = 0.12
"""The share of the weight of a question's words that one memory must have."""
WITNESS = 0.05
"""What all words of a question are worth, as a cosine."""
STEP = 0.02
"""A cosine so much above the floor is one more floor, for who asks for answers with a margin."""
_TAIL = 0.5
"""The share of the best score that the further answers must reach."""
NEAREST_SHOWN = 5
"""So many are shown where nothing is an answer: `python -m bench.sets short` says where the right one stands then."""


def evidence_of(words: float, nearest: float | None, usual: float | None) -> float:
    """In floors, what the share of the words and the nearest memory say together; from 1 on a question is answered."""
    if nearest is None or usual is None:
        return words / WORDS_FLOOR
    return 1 + (nearest - usual + WITNESS * words) / STEP


def share_asked(terms: Collection[str], weights: Weights) -> float:
    """The share of the words of a question that something has; nothing where it has only words that ask."""
    if shares_subject(terms, weights):
        total = sum(weights.terms.values()) or 1.0
        return sum(weight for term, weight in weights.terms.items() if term in terms) / total
    return 0.0


def shares_subject(terms: Collection[str], weights: Weights) -> bool:
    """Whether something has of a question more than the words by which anything is asked: "of" tells no capital from a disk.

    A question of asking words alone is about these.
    """
    subjects = _subjects_of(tuple(weights.terms))
    return not subjects or not subjects.isdisjoint(terms)


@lru_cache(maxsize=16)  # each memory of an answer is asked about the same
def _subjects_of(terms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for term in terms if term_weight(term) == 1)


def answering_terms(candidate: Candidate) -> frozenset[str]:
    """The words by which a memory may answer: its own, those of its heading and of whom it is about, and of questions it answers."""
    return frozenset(chain.from_iterable((*candidate.sentences, candidate.heading, *candidate.asked)))


def answers_among(best: Sequence[Ranked], asked: AskedTime, query: Query) -> Sequence[Ranked]:
    """What of the best is an answer; where nothing of the days asked about is, what there is of them."""
    answers = above_floor(best, query)
    if query.margin > 1 or not asked.windows or any(_is_of_days(one) for one in answers):
        return answers
    return [one for one in best if one in answers or _is_of_days(one)]


def with_floors(ranked: Sequence[Ranked], weights: Weights, near: Near | None) -> list[Ranked]:
    """These, each with the part `floors`: what speaks for it in floors, and `asked`: its share of the question's words."""
    usual, found = near.usual if near else None, []
    for one in ranked:
        share = share_asked(answering_terms(one.candidate), weights)
        floors = evidence_of(share, one.parts.get("meaning"), usual)
        found.append(one._replace(parts={**one.parts, "asked": share, "floors": floors}))
    return found


def above_floor(ranked: Sequence[Ranked], query: Query) -> Sequence[Ranked]:
    """Nothing when no memory reaches the floor, else all that score half of what the best does, or as many as are asked for.

    With a margin above 1, only what is above the floor by so much, by its words too. `ranked` has its floors.
    """
    if query.margin > 1:
        return [one for one in ranked if min(one.parts["floors"], one.parts["asked"] / WORDS_FLOOR) >= query.margin]
    if max((one.parts["floors"] for one in ranked), default=0.0) < 1:
        return []
    if query.is_limited:
        return ranked
    scores = [one.parts["score"] - one.parts.get("time", 0.0) for one in ranked]
    return [one for one, score in zip(ranked, scores, strict=True) if score >= _TAIL * max(scores)]


def nearest_among(best: Sequence[Ranked], weights: Weights) -> Sequence[Ranked]:
    """Where nothing is an answer, what shares a word with the question that tells something, or may share its meaning."""
    return [one for one in best if "meaning" in one.parts or shares_subject(answering_terms(one.candidate), weights)]


def _is_of_days(one: Ranked) -> bool:
    from bankd.search.days import TELLING, TIME_WEIGHT  # noqa: PLC0415 -- most questions name no day

    return one.parts.get("time", 0.0) > TELLING * TIME_WEIGHT
