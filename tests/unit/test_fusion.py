"""How the scores of words and of meaning make one order."""

from __future__ import annotations

import pytest

from bankd.search.meaning import LEAST_SHARE, MOST_SHARE, OF_NOTES, SURE, fuse_scores, meaning_share, share_cosines


def test_meaning_moves_less_the_surer_the_words_are() -> None:
    assert meaning_share(0.0) == pytest.approx(MOST_SHARE)
    assert meaning_share(SURE) == meaning_share(1.0) == pytest.approx(LEAST_SHARE)
    assert MOST_SHARE > meaning_share(SURE / 2) > LEAST_SHARE


def test_meaning_weighs_more_where_a_long_note_is_asked_for_by_its_title() -> None:
    assert meaning_share(SURE, brevity=0.0) == pytest.approx(OF_NOTES)
    assert LEAST_SHARE < meaning_share(SURE, brevity=0.5) < OF_NOTES
    assert meaning_share(0.0, brevity=0.0) == pytest.approx(MOST_SHARE)
    by_title, by_question = ([0.5, 0.4], [0.8, 0.9], 0.0), ([0.5, 0.4], [0.8, 0.9], 1.0)
    assert fuse_scores(*by_title)[1] > fuse_scores(*by_question)[1]


def test_what_is_best_by_both_is_best_and_the_scale_is_that_of_the_words() -> None:
    scores = fuse_scores([0.4, 0.2, 0.1], [0.9, 0.85, 0.8])
    assert scores[0] == pytest.approx(0.4)
    assert scores[2] == pytest.approx(0.1)
    assert scores[0] > scores[1] > scores[2]


def test_what_means_it_in_other_words_passes_what_shares_a_word() -> None:
    shares_a_word, means_it = fuse_scores([0.1, 0.0], [0.78, 0.90])
    assert means_it > shares_a_word


def test_where_the_words_are_sure_meaning_orders_only_near_ties() -> None:
    assert fuse_scores([0.5, 0.2, 0.0], [0.85, 0.9, 0.7])[0] > 0.45
    near = fuse_scores([0.50, 0.49, 0.0], [0.80, 0.90, 0.7])
    assert near[1] > near[0]


def test_what_has_no_vector_yet_keeps_the_score_of_its_words() -> None:
    assert fuse_scores([0.4, 0.3, 0.1], [0.7, None, 0.9])[1] == 0.3


@pytest.mark.parametrize("cosines", [[None, None], [0.8, 0.8], [0.8, None]])
def test_cosines_that_tell_nothing_apart_change_nothing(cosines: list[float | None]) -> None:
    assert fuse_scores([0.4, 0.3], cosines) == [0.4, 0.3]


def test_where_no_word_meets_meaning_alone_orders() -> None:
    scores = fuse_scores([0.0, 0.0, 0.0], [0.7, 0.9, None])
    assert scores[1] > scores[0] >= 0
    assert scores[2] == 0
    assert fuse_scores([0.0], [0.9])[0] > 0


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse_scores([], []) == []


def test_a_vector_does_not_lift_a_denial_over_what_it_denies() -> None:
    fact, denial, other = frozenset({"수면", "6"}), frozenset({"수면", "6", "아니"}), frozenset({"매일", "23"})
    assert share_cosines([0.86, 0.88, 0.87], [fact, denial, other]) == [0.88, 0.88, 0.87]


def test_what_differs_in_more_keeps_its_own_cosine_and_so_does_what_has_none() -> None:
    tea, coffee = frozenset({"sister", "drink", "tea"}), frozenset({"sister", "drink", "coffee"})
    assert share_cosines([0.8, 0.9], [tea, coffee]) == [0.8, 0.9]
    assert share_cosines([0.8, None], [tea, tea]) == [0.8, None]
    assert share_cosines([0.8, 0.9], [frozenset(), frozenset()]) == [0.8, 0.9]
