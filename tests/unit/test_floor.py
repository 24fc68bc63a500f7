"""What a memory must score to be an answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bankd.search.floor import floor_of, shares_subject
from bankd.search.score import Candidate, Corpus
from bankd.search.weigh import Weights
from bankd.words.thesaurus import EVERYDAY

CORPUS = Corpus(memories=1000, words=8, sentence=8, heading=2)
LATIN = Weights({"paint": 1.0}, {}, {}, frozenset(), False, 2.2, 1.0, 1.0)


def asking(*terms: str) -> Weights:
    """A Korean question in which each of these terms weighs the same."""
    return Weights(dict.fromkeys(terms, 1.0), {"정직": 1.0}, {}, frozenset(), False, 2.2 * len(terms), 1.0, 1.0)


def memory(*sentences: Sequence[str], heading: Sequence[str] = ()) -> Candidate:
    return Candidate(0, 1, 0, sentences, "", heading, frozenset(), False)


def filled(count: int, *terms: str) -> list[str]:
    """A sentence of so many other words, and these."""
    return [*terms, *(f"말{number}" for number in range(count))]


def test_a_long_korean_memory_must_share_more_to_be_an_answer() -> None:
    short, long = memory(["정직"]), memory(filled(200, "정직"))

    assert floor_of(long, asking("정직"), CORPUS) > floor_of(short, asking("정직"), CORPUS) > 0


def test_a_long_english_memory_must_share_less() -> None:
    short, long = memory(["paint"]), memory([f"word{number}" for number in range(200)])

    assert 0 < floor_of(long, LATIN, CORPUS) < floor_of(short, LATIN, CORPUS)


def test_keywords_demand_less_and_sentences_about_strangers_more() -> None:
    candidate = memory(["paint"])

    keywords = floor_of(candidate, LATIN._replace(phrasing="keywords"), CORPUS)
    strangers = floor_of(candidate, LATIN._replace(phrasing="of strangers"), CORPUS)

    assert keywords < floor_of(candidate, LATIN, CORPUS) < strangers


def test_in_a_small_bank_the_floor_is_low() -> None:
    tiny = CORPUS._replace(memories=5)

    assert floor_of(memory(["paint"]), LATIN, tiny) < floor_of(memory(["paint"]), LATIN, CORPUS)


def test_an_everyday_word_in_a_long_sentence_shows_less_than_a_rare_one() -> None:
    everyday, rare = (floor_of(memory(filled(40, term)), asking(term), CORPUS) for term in ("커피", "명성황후"))

    assert everyday > 2 * rare


def test_the_more_of_what_matches_is_everyday_the_more_a_memory_must_score() -> None:
    both = memory(filled(40, "커피", "명성황후"))
    floors = [floor_of(both, asking(*terms), CORPUS) for terms in (("명성황후",), ("커피", "명성황후"), ("커피",))]

    assert floors == sorted(floors)
    assert len(set(floors)) == 3


def test_an_everyday_word_in_a_short_sentence_is_an_answer_like_others() -> None:
    everyday, rare = (floor_of(memory([term, "안", "마시"]), asking(term), CORPUS) for term in ("커피", "명성황후"))

    assert rare <= everyday < 1.2 * rare


def test_many_short_sentences_are_no_long_one() -> None:
    words = filled(40, "커피")
    one, many = memory(words), memory(*(words[at : at + 4] for at in range(0, len(words), 4)))

    assert floor_of(many, asking("커피"), CORPUS) < floor_of(one, asking("커피"), CORPUS)


def test_what_matches_by_syllables_only_counts_as_everyday() -> None:
    long = memory(filled(40))

    assert floor_of(long, asking("커피"), CORPUS) == floor_of(long, asking("명성황후"), CORPUS)
    assert floor_of(long, asking("명성황후"), CORPUS) > floor_of(
        memory(filled(39, "명성황후")), asking("명성황후"), CORPUS
    )


def test_a_word_of_the_heading_counts_as_said() -> None:
    headed = memory(filled(40), heading=["명성황후"])

    assert floor_of(headed, asking("명성황후"), CORPUS) < floor_of(headed, asking("커피"), CORPUS)


@pytest.mark.parametrize("candidate", [memory(), memory([]), memory(heading=["정직"])])
def test_a_memory_without_words_has_a_floor_too(candidate: Candidate) -> None:
    assert floor_of(candidate, asking(), CORPUS) > 0
    assert floor_of(candidate, LATIN, CORPUS) > 0


def test_everyday_words_are_terms_not_dictionary_forms() -> None:
    assert {"커피", "마시", "사람"} <= EVERYDAY
    assert not [word for word in EVERYDAY if word.endswith("다") and len(word) > 2]


@pytest.mark.parametrize(
    ("candidate", "shares"),
    [
        (memory(["paint", "of"]), True),
        (memory(["run", "of", "the"]), False),
        (memory(["run"], heading=["paint"]), True),
        (memory(["run", "of"])._replace(asked=(("paint",),)), True),
        (memory(["run", "of"])._replace(entities=frozenset({"dana"})), True),
        (memory(), False),
    ],
)
def test_words_that_only_ask_are_no_answer(candidate: Candidate, shares: bool) -> None:
    asked = LATIN._replace(terms={"paint": 1.0, "of": 0.5, "the": 0.5}, names=frozenset({"dana"}))

    assert shares_subject(candidate, asked) is shares
    assert shares_subject(candidate, asked._replace(terms={"of": 0.5, "the": 0.5}))


def test_a_part_of_a_hangul_word_is_something_of_it() -> None:
    asked = Weights({"김치냉장고": 1.0, "언제": 0.5}, {"냉장": 1.0, "언제": 0.5}, {}, frozenset(), False, 3.3, 1.5, 1.0)

    assert shares_subject(memory(["냉장실"])._replace(bigrams=" 냉장 장실 "), asked)
    assert not shares_subject(memory(["언제"])._replace(bigrams=" 언제 "), asked)


def test_of_a_long_formal_question_a_smaller_share_is_enough() -> None:
    formal = asking("정직", *(f"말{number}" for number in range(15)))
    plain = asking("정직", *(f"말{number}" for number in range(7)))

    assert floor_of(memory(["정직"]), formal, CORPUS) < 0.8 * floor_of(memory(["정직"]), plain, CORPUS)
    assert floor_of(memory(["정직"]), plain, CORPUS) == floor_of(memory(["정직"]), asking("정직"), CORPUS)
