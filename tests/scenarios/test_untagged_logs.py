"""Forty questions about the logs of five agents that never wrote a tag, and the same after the facts were archived."""

from __future__ import annotations

from bench.passages import count_found, first_hits, questions, workspace_of_archive, workspace_of_logs

ASKED = [*questions("questions-1"), *questions("questions-2")]
PROMISED = 34


def test_the_answer_is_among_the_first_three_of_a_group() -> None:
    assert len(ASKED) == 40
    with workspace_of_logs(with_worker=False) as searching:
        assert count_found(searching, ASKED) >= PROMISED
        assert {hit["group"] for question in ASKED for hit in first_hits(searching, question["text"])} == {"logs"}


def test_the_same_is_found_after_the_facts_were_archived() -> None:
    with workspace_of_archive(ASKED) as searching:
        assert count_found(searching, ASKED) >= PROMISED
        assert {hit["group"] for question in ASKED for hit in first_hits(searching, question["text"])} == {"archive"}
