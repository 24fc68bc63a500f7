"""The bench of the weights varies what it names: no row of its tables is that of the weights as chosen by accident."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bankd.search.score import Candidate, Corpus, bigrams_as_text, score_finalists, score_first, vocabulary_of
from bankd.search.weigh import weigh_query
from bankd.words.analysis import Analysis, analyse_by_lexicon, lexicon_of, runs_of
from bench.choosing import AS_CHOSEN, CONSTANTS, PARTS, Variation, varied

CORPUS = Corpus(memories=1000, words=8, sentence=5, heading=2)
QUERY = "what does Peter not eat in 성수동 zzyzx"


def read(text: str) -> Analysis:
    """The terms of a text, each run of letters one."""
    return analyse_by_lexicon(text, lexicon_of(lambda _: None, lambda _: False))


def scores(variation: Variation) -> list[float]:
    """What four memories of one page score, each of which has something of the query that the others have not."""
    with varied(variation):
        weights = weigh_query(read(QUERY), runs_of(QUERY), 1000, lambda _, term: 0 if term == "zzyzx" else 9)
        first = score_first([memory(*one) for one in enumerate(MEMORIES)], weights, CORPUS)
        vocabularies = {1: vocabulary_of(["eat", "peter"])}
        return [parts["score"] for parts in score_finalists(first, vocabularies, weights, variation.tree_weight)]


MEMORIES: Sequence[tuple[str, str, str]] = [
    ("Peter does not eat fish.", "Peter", "peter"),
    ("He will eat in the evening. On Fridays Peter has fish for dinner.", "", ""),
    ("성수동 사무실에서 생선을 먹는다", "", ""),
    ("What is zzyzx?", "eat", ""),
]


def memory(place: int, parts: tuple[str, str, str]) -> Candidate:
    """One of the memories."""
    text, heading, entity = parts
    said, above = read(text), read(heading)
    bigrams = bigrams_as_text({*said.bigrams, *above.bigrams})
    return Candidate(place, 1, place, said.sentences, bigrams, above.terms, frozenset(entity.split()), said.denies)


@pytest.mark.parametrize("variation", [*PARTS, *CONSTANTS], ids=lambda variation: variation.name)
def test_each_variation_of_the_weights_changes_a_score(variation: Variation) -> None:
    scores(AS_CHOSEN)  # what it remembers of the weights as chosen must not stand for others

    assert scores(variation) != scores(AS_CHOSEN)
