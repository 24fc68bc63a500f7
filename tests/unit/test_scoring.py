"""How well a memory answers a query."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bankd.search.meaning import LEAST_SCALE, MEANING_SHARE, fuse_scores
from bankd.search.score import LEANING, Candidate, Corpus, bm25, score_memories, vocabulary_of
from bankd.search.weigh import NOTE, Weights, idf, weigh_query
from bankd.words.analysis import analyse_text, runs_of

CORPUS = Corpus(memories=1000, words=8)


def weights_of(query: str, average: float = CORPUS.words) -> Weights:
    return weigh_query(analyse_text(query).terms, runs_of(query), CORPUS.memories, average, lambda _term: 10)


def memory(
    text: str, page: int = 1, place: int = 0, entities: Sequence[str] = (), asked: Sequence[str] = ()
) -> Candidate:
    said, questions = analyse_text(text), [sentence for one in asked for sentence in analyse_text(one).sentences]
    return Candidate(10 * page + place, page, place, said.sentences, (), frozenset(entities), said.denies, questions)


def scores(query: str, *memories: Candidate, words: dict[int, list[str]] | None = None) -> list[float]:
    vocabularies = {page: vocabulary_of(terms) for page, terms in (words or {}).items()}
    return [parts["score"] for parts in score_memories(memories, vocabularies, weights_of(query), CORPUS)]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert idf(1000, 1) > idf(1000, 500) > 0


def test_words_that_ask_or_request_weigh_less_but_are_not_removed() -> None:
    weights = weights_of("what marrakech").terms
    assert weights["marrakech"] > weights["what"] > 0
    requesting = weigh_query(["회의", "정리"], ["회의", "정리해줘"], 100, 8, lambda _: 9).terms
    assert requesting["회의"] > requesting["정리"] > 0


def test_what_is_said_again_counts_less_and_a_long_text_less() -> None:
    once, twice, thrice = (bm25(["tea"] * count, 8, 8, {"tea": 1.0}) for count in (1, 2, 3))
    assert twice - once > thrice - twice > 0
    assert bm25(["tea"], 24, 8, {"tea": 1.0}) < once


def test_words_in_the_order_of_the_query_count_more_nearly() -> None:
    together, between, apart = scores(
        "support group",
        memory("a support group met today in town again"),
        memory("a support or sports group met here today", 2),
        memory("a group met today in town for support", 3),
    )
    assert together == pytest.approx(between)
    assert between > apart


def test_order_counts_less_among_notes_for_what_only_names_its_subject() -> None:
    assert weights_of("support group", 10 * NOTE).brevity == pytest.approx(0.1)
    assert weights_of("what is a support group", 10 * NOTE).brevity == 1


@pytest.mark.parametrize(
    ("helped", "words"),
    [
        (memory("she painted a lake"), {1: ["she", "paint", "lake", "melanie"]}),
        (memory("she painted a lake", entities=["melanie"]), None),
    ],
)
def test_the_words_of_the_page_and_whom_it_is_about_count(
    helped: Candidate, words: dict[int, list[str]] | None
) -> None:
    plain = memory("she painted a lake", page=2)
    with_it, without = scores("what did melanie paint", helped, plain, words=words)
    assert with_it > without


def test_a_memory_beside_one_that_matches_is_raised_less_where_memories_are_long() -> None:
    asked, answer, other = memory("where do we paint"), memory("frankfurt", place=1), memory("frankfurt", place=9)
    beside, elsewhere = scores("where do we paint", asked, answer, other)[1:]
    assert beside > elsewhere == 0
    long = score_memories([asked, answer], {}, weights_of("where do we paint"), Corpus(1000, 4 * LEANING))[1]
    short = score_memories([asked, answer], {}, weights_of("where do we paint"), Corpus(1000, LEANING))[1]
    assert long["beside"] < short["beside"]


def test_a_denial_comes_before_what_it_denies() -> None:
    denies, says = scores("drinks coffee", memory("Erik never drinks coffee"), memory("Erik often drinks coffee", 2))
    assert denies > says


def test_questions_that_a_memory_answers_count_half_beside_its_own_words_and_whole_without() -> None:
    asked = ["where do snapshots land", "where do snapshots land"]
    plain, beside, instead = (
        parts["words"]
        for parts in score_memories(
            [memory("snapshots stay"), memory("snapshots stay", 2, asked=asked), memory("보관소", 3, asked=asked)],
            {}, weights_of("where do snapshots land"), CORPUS,
        )
    )  # fmt: skip
    assert instead > beside > plain


def test_meaning_moves_the_order_on_the_scale_of_the_words() -> None:
    fused = fuse_scores([0.5, 0.3, 0.1], [0.7, 0.9, 0.8])
    assert fused == sorted(fused, key=lambda one: one != max(fused)) or fused[1] == max(fused)
    assert fused[1] == pytest.approx((1 - MEANING_SHARE) * 0.3 + MEANING_SHARE * 0.5)
    assert max(fused) <= 0.5


def test_where_words_say_nothing_the_nearest_is_worth_something_and_one_alone_too() -> None:
    assert fuse_scores([0.0, 0.0], [0.9, 0.8]) == [pytest.approx(MEANING_SHARE * LEAST_SCALE), 0.0]
    assert fuse_scores([0.0], [0.9]) == [pytest.approx(MEANING_SHARE * LEAST_SCALE)]


def test_what_has_no_vector_yet_keeps_the_score_of_its_words() -> None:
    assert fuse_scores([0.4, 0.3], [None, 0.9])[0] == 0.4
    assert fuse_scores([0.4, 0.3], [None, None]) == [0.4, 0.3]
    assert fuse_scores([], []) == []


def test_cosines_are_shown_and_neighbours_lean_on_what_both_say() -> None:
    memories = [memory("where do we keep it"), memory("frankfurt", place=1), memory("oslo", place=5)]
    near = {one.row: cosine for one, cosine in zip(memories, (0.9, 0.8, 0.8), strict=True)}
    first, beside, elsewhere = score_memories(memories, {}, weights_of("server region"), CORPUS, cosines=near)
    assert first["meaning"] == 0.9
    assert first["score"] > beside["score"] > elsewhere["score"]


def test_the_tree_weighs_what_the_settings_say() -> None:
    one = [memory("she painted a lake", entities=["melanie"])]
    weights = weights_of("melanie paint")
    alone, most = (score_memories(one, {}, weights, CORPUS, tree)[0] for tree in (0.0, 1.0))
    assert alone["score"] == alone["text"]
    assert most["score"] == most["tree"]
