"""Which memories are gathered, and which of them merge without a loss."""

from __future__ import annotations

from datetime import date
from itertools import combinations, pairwise

import pytest

from bankd.memory.retire import Member, affinity_of, find_clusters, find_mergers
from bankd.memory.use import Fading
from bankd.pages.memory import Confidence, parse_memory
from bankd.same.reading import compared_text, read_statement
from bankd.words.statement import plain_wording

TODAY = date(2026, 11, 21)
FADING = Fading(per_day=2, floor=30)


def member(id_: str, line: str, *titles: str) -> Member:
    memory = parse_memory(line)
    return Member(id_, memory, read_statement(plain_wording(compared_text(memory)), memory.entities), titles)


TEA = member("m-1", "O(c=0.60@2026-11-21) @Peter: Really prefers green tea", "Peter")
TEA_AGAIN = member("m-2", "O(c=0.90@2026-11-11) @Peter: Prefers green tea.", "Tastes")
COFFEE = member("m-3", "O @Peter: Prefers black coffee", "Peter")
BLACK_TEA = member("m-4", "O @Peter: Doesn't prefer green tea", "Peter")


def test_affinity_is_one_for_the_same_words_in_the_same_place() -> None:
    assert affinity_of(TEA, TEA) == pytest.approx(1.0)


def test_affinity_is_nothing_for_nothing_in_common() -> None:
    other = member("m-9", "W @Paul: lives in Seoul", "World")

    assert affinity_of(COFFEE, other) == pytest.approx(0.0)


def test_clusters_do_not_depend_on_the_order_of_pairs() -> None:
    pairs = list(combinations([TEA, TEA_AGAIN, COFFEE, BLACK_TEA], 2))

    assert find_clusters(pairs) == find_clusters([(b, a) for a, b in reversed(pairs)])
    assert {m.id for m in find_clusters(pairs)[0].members} == {"m-1", "m-2", "m-3", "m-4"}


def test_only_what_says_the_same_merges_and_the_strongest_of_today_stays() -> None:
    (cluster,) = find_clusters(combinations([TEA, TEA_AGAIN, COFFEE, BLACK_TEA], 2))
    (merger,) = find_mergers(cluster, TODAY, FADING)

    assert merger.sources == ("m-1", "m-2")
    assert merger.merged.text == "Really prefers green tea"
    assert merger.merged.confidence == Confidence(90, date(2026, 11, 11))  # 0.70 today, above 0.60


def test_a_pinned_memory_is_kept() -> None:
    pinned = member("m-5", "O @Peter: Prefers green tea #pinned", "Tastes")
    (cluster,) = find_clusters([(TEA, pinned)])

    assert [merger.keeper for merger in find_mergers(cluster, TODAY, FADING)] == [pinned]


def test_another_tag_is_another_kind_of_statement() -> None:
    fact = member("m-6", "W @Peter: Prefers green tea.", "Tastes")
    (cluster,) = find_clusters([(TEA_AGAIN, fact)])

    assert find_mergers(cluster, TODAY, FADING) == []


def test_a_long_chain_is_compared_link_by_link() -> None:
    """A cluster may hold half of a bank: all against all would take minutes for ten thousand memories."""
    chain = [member(f"m-{n:03}", f"O @Peter: Prefers tea number {n}", "Peter") for n in range(60)]
    (cluster,) = find_clusters(pairwise(chain))

    assert len(cluster.members) == 60
    assert max(len(near) for near in cluster.near.values()) == 2
    assert find_mergers(cluster, TODAY, FADING) == []
