"""How well a memory answers a query."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bankd.search.score import (
    LEANING,
    NOTE,
    Candidate,
    Corpus,
    bigrams_as_text,
    bm25,
    brevity_of,
    choose_finalists,
    score_finalists,
    score_first,
    vocabulary_of,
)
from bankd.search.weigh import Weights, idf, weigh_query
from bankd.words.analysis import Analysis, analyse_text, bigrams_of, runs_of

CORPUS = Corpus(memories=1000, words=8, sentence=8, heading=2)


def weights_of(query: str, frequency: int = 10) -> Weights:
    return weigh_query(analyse_text(query), runs_of(query), CORPUS.memories, lambda _kind, _term: frequency)


def memory(text: str, page: int = 1, place: int = 0, heading: str = "", entities: Sequence[str] = ()) -> Candidate:
    analysis = analyse_text(text)
    above = analyse_text(heading)
    bigrams = bigrams_as_text({*analysis.bigrams, *above.bigrams})
    return Candidate(0, page, place, analysis.sentences, bigrams, above.terms, frozenset(entities), analysis.denies)


def scores(query: str, *memories: Candidate, words: dict[int, list[str]] | None = None) -> list[float]:
    vocabularies = {page: vocabulary_of(terms) for page, terms in (words or {}).items()}
    weights = weights_of(query)
    return [parts["score"] for parts in score_finalists(score_first(memories, weights, CORPUS), vocabularies, weights)]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert idf(1000, 1) > idf(1000, 500) > 0


def test_words_that_ask_weigh_less_but_are_not_removed() -> None:
    weights = weights_of("what marrakech").terms

    assert weights["marrakech"] > weights["what"] > 0


def test_what_no_memory_has_weighs_half_as_much() -> None:
    unknown, rare = weights_of("zzyzx", 0).terms["zzyzx"], weights_of("zzyzx", 1).terms["zzyzx"]

    assert 0 < unknown < rare


def test_a_seam_that_no_memory_has_weighs_nothing() -> None:
    read = Analysis((("담배", "피우"),), tuple(bigrams_of(["담배를피우는"])), denies=False)
    had = {"담배": 3, "피우": 3}

    bigrams = weigh_query(read, ["담배를피우는"], 100, lambda _kind, term: had.get(term, 0)).bigrams

    assert bigrams.keys() == {"담배", "피우"}
    had["우는"] = 1
    assert "우는" in weigh_query(read, ["담배를피우는"], 100, lambda _kind, term: had.get(term, 0)).bigrams


def test_a_word_said_again_adds_less_each_time() -> None:
    once, twice, thrice = (bm25(["tea"] * count, 8, 8, {"tea": 1.0}) for count in (1, 2, 3))

    assert 0 < thrice - twice < twice - once < once


def test_more_of_the_query_is_better() -> None:
    both, one = scores("paint sunrise", memory("she painted a sunrise"), memory("she painted a fence"))

    assert both > one


def test_words_in_one_sentence_are_better_than_words_far_apart() -> None:
    near, far = scores(
        "sunrise lake",
        memory("sunrise over a lake. other things were said here"),
        memory("sunrise over there. other things said about a lake"),
    )

    assert near > far


@pytest.mark.parametrize("better", ["heading", "entity", "page", "beside"])
def test_where_a_memory_stands_counts(better: str) -> None:
    plain = memory("she painted a fence", page=1)
    favoured = memory(
        "she painted a fence",
        page=2,
        heading="Melanie" if better == "heading" else "",
        entities=("melanie",) if better == "entity" else (),
    )
    others = [memory("melanie said so", page=2, place=1)] if better == "beside" else []
    words = {2: ["melani"]} if better == "page" else {}

    low, high, *_ = scores("what did melanie paint", plain, favoured, *others, words=words)

    assert high > low


def test_a_heading_counts_as_a_place_too() -> None:
    weights = weights_of("what did melanie paint")
    first = score_first([memory("she painted"), memory("she painted", heading="Melanie")], weights, CORPUS)

    low, high = (parts["tree"] for parts in score_finalists(first, {}, weights))

    assert high > low == 0


def test_a_short_sentence_that_answers_counts_though_others_stand_beside_it() -> None:
    alone, among = scores(
        "sunrise", memory("sunrise. " + "other " * 30), memory("sunrise " + "other " * 30),
    )  # fmt: skip

    assert alone > among


def test_questions_of_other_words_make_a_memory_no_worse() -> None:
    plain = memory("sunrise. " + "other " * 30)

    with_question, without = scores("sunrise", plain._replace(asked=(("helsinki",),)), plain)

    assert with_question == without


def test_between_equals_the_denial_comes_first() -> None:
    yes, no = scores("coffee", memory("she drinks coffee now"), memory("she never drinks coffee"))

    assert no > yes


def test_the_tree_never_beats_a_clearly_better_match() -> None:
    exact = memory("melanie painted a sunrise by the lake", page=1)
    placed = memory("hello there", page=2, heading="melanie", entities=("melanie",))

    best, other = scores("melanie painted sunrise lake", exact, placed, words={2: ["melani", "paint"]})

    assert best > other


def test_scores_stay_between_nothing_and_one() -> None:
    text = "sunrise " * 40
    (high,) = scores("sunrise", memory(text, heading="sunrise", entities=("sunrise",)), words={1: ["sunris"]})
    (nothing,) = scores("sunrise", memory("other words"))

    assert 0 <= nothing < 0.05
    assert high <= 1.03


def test_an_empty_query_scores_nothing() -> None:
    weights = weigh_query(Analysis((), (), False), [], 10, lambda _kind, _term: 0)

    assert score_finalists(score_first([memory("anything")], weights, CORPUS), {}, weights)[0]["score"] == 0


def test_the_best_at_first_sight_are_scored_in_full() -> None:
    weights = weights_of("paint sunrise lake")
    first_passes = score_first([memory("a fence"), memory("a lake"), memory("a lake she painted")], weights, CORPUS)

    chosen = choose_finalists(first_passes, weights, 2)

    assert [one.candidate.sentences for one in chosen] == [
        first_passes[2].candidate.sentences,
        first_passes[1].candidate.sentences,
    ]


def test_a_heading_is_read_along_with_each_sentence_below_it() -> None:
    under, elsewhere = scores(
        "sunrise lake", memory("over the lake", heading="sunrise"), memory("over the lake", page=2, heading="fence")
    )

    assert under > elsewhere


def test_a_syllable_by_itself_is_no_part_of_a_pair_of_syllables() -> None:
    weights = weigh_query(Analysis((("술",),), ("술", "술을"), False), ["술"], 10, lambda *_: 1)
    have = [("예술", "술가"), ("술", "술은"), ("마술", "술을")]
    candidates = [
        Candidate(number, 1, number * 2, (("다른",),), bigrams_as_text(grams), (), frozenset(), denies=False)
        for number, grams in enumerate(have)
    ]

    neither, alone, pair = [one.bigrams for one in score_first(candidates, weights, CORPUS)]

    assert neither == 0 < min(alone, pair)


def test_words_in_the_order_of_the_query_are_better_than_the_same_words_in_another() -> None:
    ordered, turned = scores("support group", memory("the support group met"), memory("the group met support"))

    assert ordered > turned


def test_among_notes_a_title_is_found_by_its_words_more_than_by_bigrams_and_order() -> None:
    notes = CORPUS._replace(words=10 * NOTE)

    assert [brevity_of(notes, asks=asks) for asks in (True, False)] == [1.0, 0.1]
    assert brevity_of(CORPUS, asks=False) == 1.0


def test_what_bigrams_and_order_count_is_less_among_notes() -> None:
    weights = weigh_query(Analysis((("활동",),), tuple(bigrams_of(["활동"])), False), ["활동"], 10, lambda *_: 1)
    alike = Candidate(0, 1, 0, (("여가",),), bigrams_as_text(bigrams_of(["활동"])), (), frozenset(), denies=False)
    of_two = weights_of("support group")

    def text_of(candidate: Candidate, read: Weights) -> float:
        return score_finalists(score_first([candidate], read, CORPUS), {}, read)[0]["text"]

    for candidate, read in ((alike, weights), (memory("the support group met"), of_two)):
        other = memory("the group met support") if read is of_two else alike._replace(bigrams="")
        gaps = [text_of(candidate, one) - text_of(other, one) for one in (read, read._replace(brevity=0.1))]
        assert gaps[0] > 3 * gaps[1] > 0

    gaps = [
        text_of(alike, read) - text_of(alike._replace(bigrams=""), read)
        for read in (weights, weights._replace(brevity=0.5))
    ]
    assert gaps[0] > 3 * gaps[1], "a long note has nearly all syllables of a title"


def test_among_notes_a_question_is_answered_by_all_of_one_more_than_by_its_best_sentence() -> None:
    asked, filler = weights_of("where is the red bicycle"), "Nothing else is said of that here. " * 3
    together, apart = (
        memory(f"The red bicycle is here. {filler}"),
        memory(f"The red is here. The bicycle too. {filler}"),
    )

    def gap(average: float) -> float:
        corpus = CORPUS._replace(words=average)
        one, other = score_first([together._replace(place=0), apart._replace(place=50)], asked, corpus)
        return one.words - other.words

    assert gap(NOTE) > 3 * gap(10 * NOTE)


def test_a_denial_is_lifted_only_by_what_it_shares_with_the_query() -> None:
    (unrelated,) = scores("coffee", memory("never a fence"))

    assert unrelated == 0


def test_a_term_of_more_memories_than_there_are_weighs_no_less_than_nothing() -> None:
    assert idf(3, 40) == idf(3, 3) > 0


def test_what_a_request_asks_to_be_done_and_whose_it_is_weigh_less() -> None:
    weights = weigh_query(
        Analysis((("우리", "회식", "비용", "정리"),), tuple(bigrams_of(["우리", "회식", "비용", "정리해줘"])), denies=False),
        ["우리", "회식", "비용", "정리해줘"], 1000, lambda _kind, _term: 10,
    )  # fmt: skip

    assert weights.terms["우리"] == weights.terms["정리"] == weights.terms["회식"] / 2
    assert weights.bigrams["우리"] == weights.bigrams["해줘"] == weights.bigrams["회식"] / 2


def test_hangul_bigrams_do_not_outvote_a_latin_word() -> None:
    query, answer, other = "내 VPN 주소", memory("VPN 서버: vpn.example.com"), memory("집 주소는 종로구다")

    right, wrong = scores(query, answer, other)

    assert right > wrong
    assert weights_of("집 주소는 2024년").hangul_share == 1


def test_syllables_count_less_where_the_question_has_latin_words() -> None:
    def text_of(*terms: str) -> float:
        query = Analysis((terms,), tuple(bigrams_of(["주소록은"])), denies=False)
        weights = weigh_query(query, [], CORPUS.memories, lambda _kind, _term: 10)
        return score_finalists(score_first([memory("집주소를")], weights, CORPUS), {}, weights)[0]["text"]

    assert 0 < text_of("vpn", "주소록") < 0.7 * text_of("주소록")


def test_a_long_text_which_has_any_syllables_does_not_pass_a_short_one_by_them() -> None:
    short, long = memory("배포한다"), memory("배포한다 " + "word " * 100)

    assert scores("배포했던", short)[0] > 2 * scores("배포했던", long)[0] > 0


def test_a_formal_request_weighs_as_little_as_a_plain_one() -> None:
    runs = ["비용", "알려주실", "부탁드립니다"]
    query = Analysis((("비용", "알리", "부탁"),), tuple(bigrams_of(runs)), denies=False)
    weights = weigh_query(query, runs, 1000, lambda _kind, _term: 10)

    assert weights.terms["부탁"] == weights.terms["비용"] / 2
    assert weights.bigrams["주실"] == weights.bigrams["비용"] / 2


def test_the_best_sentence_counts_for_a_question_and_not_for_what_only_names_its_subject() -> None:
    near, spread = memory("The red bicycle. It was old."), memory("The old bicycle. It was red.")
    asked = weights_of("red bicycle")

    def words(asks: bool) -> list[float]:
        return [one.words for one in score_first([near, spread], asked._replace(asks=asks), CORPUS)]

    assert words(True)[0] > words(True)[1]
    assert words(False)[0] == pytest.approx(words(False)[1])


def test_among_notes_length_counts_as_usual_and_among_short_memories_half_as_much() -> None:
    def lost(average: float) -> float:
        """The share that a text three times as long as others loses against one as long as they are."""
        usual, long = (bm25(["bicycle"], length, average, {"bicycle": 1.0}) for length in (average, 3 * average))
        return 1 - long / usual

    assert lost(10) == pytest.approx(lost(NOTE))
    assert lost(4 * NOTE) > 1.2 * lost(NOTE)


def test_the_longer_memories_are_the_less_they_lean_on_those_beside_them() -> None:
    asked, ours = memory("where is the red bicycle", place=0), memory("in the cellar", place=1)

    def beside(average: float) -> float:
        return score_first([asked, ours], weights_of("red bicycle"), CORPUS._replace(words=average))[1].beside

    assert 0 < beside(4 * LEANING) < beside(LEANING) / 2
    assert beside(LEANING) == pytest.approx(beside(LEANING - 1), rel=0.1)
