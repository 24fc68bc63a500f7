"""How well a memory answers a query, and in which order answers stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise, product
from typing import NamedTuple

import pytest

from bankd.pages.memory import Memory, text_key
from bankd.search.days import TELLING, fit_of, happened_in, names_longer, place_within
from bankd.search.find import (
    SHOWN,
    Ranked,
    Relations,
    StoredPair,
    StoredRelations,
    fold_near,
    last_said_first,
    marks_of,
    order_pages,
    relate,
)
from bankd.search.meaning import LEAST_SCALE, MEANING_SHARE, fuse_scores
from bankd.search.request import FoundRow
from bankd.search.score import (
    HALF_LIFE_DAYS,
    LEANING,
    NOT_USED,
    NOTE,
    PRIOR_CAP,
    RECENCY_PRIOR,
    Candidate,
    Corpus,
    Usage,
    Weights,
    bm25,
    idf,
    newest_first,
    pairs_in,
    prior_of,
    score_memories,
    vocabulary_of,
    weigh_query,
)
from bankd.words.analysis import analyse_text, runs_of
from bankd.words.days import Span, on
from bench.trial import pages_of
from tests.examples import examples

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


def test_neighbours_lean_on_what_both_say_and_mean() -> None:
    memories = [memory("where do we keep it"), memory("frankfurt", place=1), memory("oslo", place=5)]
    near = {one.row: cosine for one, cosine in zip(memories, (0.9, 0.8, 0.8), strict=True)}
    first, beside, elsewhere = score_memories(memories, {}, weights_of("server region"), CORPUS, nearness=near)
    assert first["score"] > beside["score"] > elsewhere["score"]


def test_the_tree_weighs_what_the_settings_say() -> None:
    one = [memory("she painted a lake", entities=["melanie"])]
    weights = weights_of("melanie paint")
    alone, most = (score_memories(one, {}, weights, CORPUS, tree)[0] for tree in (0.0, 1.0))
    assert alone["score"] == alone["text"]
    assert most["score"] == most["tree"]


def test_a_pair_weighs_as_its_words_do_and_a_word_makes_no_pair_with_itself() -> None:
    weights = weigh_query(["x", "y", "y"], [], 100, 8, lambda term: 1 if term == "x" else 9)
    assert weights.pairs == {("x", "y"): pytest.approx((weights.terms["x"] * weights.terms["y"]) ** 0.5)}


@pytest.mark.parametrize(
    ("sentence", "is_found"),
    [("a b", True), ("a x x b", True), ("a x x x b", False), ("b a", False), ("b a a b", True)],
)
def test_a_pair_is_found_in_its_order_and_at_most_three_places_on(sentence: str, *, is_found: bool) -> None:
    assert (("a", "b") in pairs_in([sentence.split()], {"a", "b"})) == is_found


def test_a_pair_does_not_reach_over_the_end_of_a_sentence() -> None:
    assert pairs_in([["a"], ["b"]], {"a", "b"}) == set()


TODAY = date(2026, 5, 4)


def prior(
    confidence: float | None = None, age: int | None = None, usage: Usage = NOT_USED, *, is_pinned: bool = False
) -> float:
    day = None if age is None else TODAY - timedelta(age)
    return prior_of(confidence, day, TODAY, is_pinned=is_pinned, usage=usage)


def test_surer_newer_and_pinned_memories_come_first_among_equals_and_one_without_signals_gets_nothing() -> None:
    assert prior(90) > prior(40)
    assert prior(age=1) > prior(age=200) > prior() == 0
    assert prior(is_pinned=True) > 0


def test_each_day_of_use_and_each_step_of_importance_counts_and_the_first_days_most() -> None:
    by_use = [prior(usage=Usage(days)) for days in (0, 1, 5, 20, 50)]
    by_importance = [prior(usage=Usage(importance=value)) for value in (None, 1, 5, 10)]

    for series in (by_use, by_importance):
        assert all(more > less for less, more in pairwise(series))
    assert by_use[1] - by_use[0] > (by_use[2] - by_use[1]) / 4 > (by_use[4] - by_use[3]) / 30
    assert prior(usage=Usage(50)) == prior(usage=Usage(10_000))


def test_what_was_only_shown_counts_and_far_less_than_what_was_of_use() -> None:
    assert 0 < prior(usage=Usage(shown=1)) < prior(usage=Usage(shown=5)) < prior(usage=Usage(1))
    assert prior(usage=Usage(shown=1)) < prior(usage=Usage(1)) / 5
    assert prior(usage=Usage(shown=10)) == prior(usage=Usage(1))


def test_what_was_lately_used_is_as_new_as_that_and_half_of_it_is_gone_in_a_half_life() -> None:
    assert prior(age=0) == RECENCY_PRIOR
    assert prior(age=HALF_LIFE_DAYS) == RECENCY_PRIOR / 2
    used = Usage(0, TODAY - timedelta(HALF_LIFE_DAYS))
    assert prior(age=1000, usage=used) == prior(usage=used) == RECENCY_PRIOR / 2
    assert prior(age=0, usage=used) == RECENCY_PRIOR
    assert prior(age=-5) == RECENCY_PRIOR  # a clock put back


@pytest.mark.parametrize("confidence", [None, -300.0, 0.0, 100.0, 900.0])
@pytest.mark.parametrize("age", [None, -5, 0, 10_000])
def test_all_together_stay_below_the_cap(confidence: float | None, age: int | None) -> None:
    for days, last, importance in product((0, 1, 10**9), (None, TODAY), (None, 1, 10)):
        assert abs(prior(confidence, age, Usage(days, last, importance), is_pinned=True)) <= PRIOR_CAP


@pytest.mark.parametrize(("ranked", "newer", "expected"), examples("arguments", "newer"))
def test_the_newer_takes_the_place_of_the_older(ranked: str, newer: str, expected: str) -> None:
    assert "".join(newest_first(ranked, lambda one: one, json.loads(newer))) == expected


def found(path: str, *scores: float) -> list[Ranked]:
    row = FoundRow(0, path, 1, None, "W", None, None, (), (), "text")
    return [Ranked(row, Candidate(0, 1, 0, (), (), frozenset(), denies=False), {"score": score}) for score in scores]


def test_a_page_that_says_it_in_two_paragraphs_passes_one_that_says_a_little_more_in_one() -> None:
    ordered = order_pages([*found("once.md", 0.41), *found("twice.md", 0.4, 0.38)], 10, asks=True)
    assert [one.row.path for one in ordered] == ["twice.md", "twice.md", "once.md"]
    assert ordered[0].parts["page"] > 0.41


def test_what_a_title_names_is_of_a_page_as_a_whole() -> None:
    ranked = [*found("once.md", 0.45), *found("often.md", 0.4, 0.38)]
    assert [order_pages(ranked, 1, asks=asks)[0].row.path for asks in (True, False)] == ["once.md", "often.md"]


def test_many_weak_paragraphs_do_not_pass_a_good_one() -> None:
    assert (
        order_pages([*found("long.md", *[0.2] * 20), *found("right.md", 0.4)], 1, asks=True)[0].row.path == "right.md"
    )


def test_as_many_pages_as_asked_for_and_of_each_the_best() -> None:
    ordered = order_pages([*found("a.md", *[0.4] * 9), *found("b.md", 0.3), *found("c.md", 0.2)], 2, asks=True)
    assert [one.row.path for one in ordered] == ["a.md"] * SHOWN + ["b.md"]


def test_a_document_as_a_page_has_a_paragraph_a_line_or_a_few_sentences() -> None:
    long = " ".join(f"This is sentence number {number} of a long text." for number in range(12))
    bank = pages_of([{"id": "d", "title": "T", "text": f"One line.\nAnother line.\n{long}"}], None)
    ((path, text),) = bank.pages.items()
    assert text.split("\n\n")[:3] == ["# T", "One line.", "Another line."]
    assert 5 <= len(text.split("\n\n")) <= 7
    assert bank.documents[path, 3] == "d"


MAY = Span(date(2026, 5, 1), date(2026, 5, 31))


class Dated(NamedTuple):
    learned: date | None
    about: tuple[Span, ...] = ()
    tag: str | None = "W"


def of(day: int, month: int = 5, *about: Span, tag: str = "W") -> Dated:
    return Dated(date(2026, month, day), about, tag)


def test_a_memory_is_of_the_days_it_speaks_of_else_of_its_log() -> None:
    assert fit_of(of(3), [MAY]) == 1
    assert fit_of(of(3, 4, on(date(2026, 5, 9))), [MAY]) == 1
    assert fit_of(of(3, 4), [MAY]) == 0
    assert 0 < fit_of(of(3, 5, on(date(2026, 9, 9))), [MAY]) < TELLING


def test_what_happened_comes_before_habits_and_before_what_held_all_year() -> None:
    year = Span(date(2026, 1, 1), date(2026, 12, 31))
    event, habit, state = (happened_in(one, [MAY]) for one in (of(3), of(3, tag="B"), of(3, 1, year)))
    assert event > habit
    assert habit > state > 0


def test_the_best_of_several_windows_counts() -> None:
    assert fit_of(of(3), [Span(date(2026, 3, 1), date(2026, 3, 9)), MAY]) == 1


@pytest.mark.parametrize(
    ("memory", "day"),
    [
        (of(3), date(2026, 5, 3)),
        (of(3, 5, on(date(2026, 5, 9)), on(date(2026, 6, 1))), date(2026, 5, 9)),
        (of(3, 4, Span(date(2026, 4, 20), date(2026, 5, 5))), date(2026, 5, 1)),
        (of(3, 4, MAY), date(2026, 5, 31)),
        (of(3, 4, MAY, on(date(2026, 5, 9))), date(2026, 5, 9)),
        (Dated(None), date.min),
    ],
)
def test_its_first_day_in_the_window_places_a_memory_on_a_timeline_and_a_month_its_last(
    memory: Dated, day: date
) -> None:
    assert place_within(memory, [MAY])[0] == day


def test_what_names_a_month_is_of_a_day_in_it_only_if_it_was_said_then() -> None:
    day = on(date(2026, 5, 3))
    assert [names_longer(one, day) for one in (of(3, 5, MAY), of(2, 5, MAY), of(2, 5, day, MAY))] == [0, 1, 0]


NOBODY: frozenset[str] = frozenset()


def ranked(*ids: str) -> list[Ranked]:
    """Memories that say their own id."""
    candidate = Candidate(0, 1, 0, (), "", (), frozenset(), False)
    rows = [FoundRow(number, "a.md", 1, id_, "W", None, None, (), (), id_) for number, id_ in enumerate(ids)]
    return [Ranked(row, candidate, {"score": 1.0}) for row in rows]


def stored(*pairs: tuple[str, str, str, bool], **superseded: str) -> StoredRelations:
    """What runs found of memories that say their own id."""
    ids = {id_ for pair in pairs for id_ in pair[:2]}
    keys = {id_: text_key(Memory(id_, "W")) for id_ in ids}
    return StoredRelations(superseded, [StoredPair(*pair) for pair in pairs], keys)


def folded(found: list[Ranked], near: set[tuple[str, str]], apart: frozenset[str] = NOBODY) -> dict[str, list[str]]:
    shown, others = fold_near(found, near, apart)
    return {str(one.row.id): [str(other.row.id) for other in others.get(one.row.row, ())] for one in shown}


def test_the_best_stands_for_those_that_are_near_to_it_itself() -> None:
    near = {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("a", "d"), ("d", "a")}

    assert folded(ranked("a", "x", "b", "c", "d"), near) == {"a": ["b", "d"], "x": [], "c": []}
    first, *others = ranked("b", "x", "a", "d")
    waits = first._replace(row=first.row._replace(path="_meta/inbox.md"))
    assert folded([waits, *others], near) == {"a": ["b", "d"], "x": []}, "it waits in the inbox"
    said_later = others[1]._replace(row=others[1].row._replace(learned=date(2026, 1, 2)))
    assert folded([first, others[0], said_later], near) == {"a": ["b"], "x": []}, "it was said first"


def test_what_is_older_or_newer_than_another_stands_for_itself() -> None:
    near = {("a", "b"), ("b", "a")}

    assert folded(ranked("a", "b"), near, frozenset({"b"})) == {"a": [], "b": []}


@pytest.mark.parametrize("relation", ["same", "near"])
def test_what_is_near_is_near_both_ways(relation: str) -> None:
    assert relate(ranked("a", "b"), stored(("a", "b", relation, True))).near == {("a", "b"), ("b", "a")}


def test_what_says_something_else_by_now_is_near_to_nothing() -> None:
    found = stored(("a", "b", "near", True), ("c", "d", "newer", True))
    changed = found._replace(keys={**found.keys, "b": "another", "c": "another", "d": "another"})

    assert relate(ranked("a", "b", "c", "d"), changed) == Relations()


def test_of_several_that_say_it_newer_the_newest_is_named() -> None:
    pairs = [("a", "b", "newer", True), ("a", "c", "newer", True), ("c", "b", "newer", True)]

    assert relate(ranked("a", "b", "c"), stored(*pairs)).newer == {"a": "b", "c": "b"}


def test_what_a_run_took_in_as_newer_is_newer() -> None:
    assert relate(ranked("a", "b"), stored(("a", "b", "newer", True), b="a")).newer == {"b": "a"}


def test_of_what_nobody_dated_neither_is_newer() -> None:
    relations = relate(ranked("a", "b"), stored(("b", "a", "newer", False)))

    assert (relations.newer, relations.contradicts) == ({}, {"a": ("b",), "b": ("a",)})


def said_on(**days: int) -> list[Ranked]:
    """Answers, best first, with the day of this month on which each was said."""
    found = zip(ranked(*days), days.values(), strict=True)
    return [one._replace(row=one.row._replace(learned=date(2026, 11, day))) for one, day in found]


def test_of_answers_close_to_each_other_the_one_said_last_stands_first() -> None:
    close = {("a", "c"), ("c", "a"), ("c", "d"), ("d", "c")}
    order, ids = last_said_first(said_on(a=3, b=1, c=9, d=20), close)

    assert [one.row.id for one in order] == ["c", "b", "a", "d"]
    assert ids == {"a", "c"}


@pytest.mark.parametrize("relation", ["same", "near", "newer", "likely", "close"])
def test_what_runs_found_alike_is_close_both_ways(relation: str) -> None:
    assert relate(ranked("a", "b"), stored(("a", "b", relation, True))).close == {("a", "b"), ("b", "a")}


@pytest.mark.parametrize(("text", "terms", "expected"), examples("spacing", "marks"))
def test_latin_is_marked_by_the_word_and_hangul_by_the_longest_part_that_matched(
    text: str, terms: str, expected: str
) -> None:
    assert " | ".join(text[start:end] for start, end in marks_of(text, terms.split())) == expected
