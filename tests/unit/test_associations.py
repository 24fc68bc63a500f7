"""What belongs together: how near, in which order, and what a memory names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest

from bankd.layouts.links import mentions_of, words_of
from bankd.memory.use import UseEvent, read_use
from bankd.pages.memory import parse_memory
from bankd.search.related import Edge, Node, Tie, edge, follow, is_rare, used_together, worth_of
from bankd.search.score import Usage
from tests.examples import examples

ME, SIBLING, RECALLED_ONE, FAR = (Node(row) for row in range(1, 5))
PAGE = Node(page="people/ann.md")


def reached(
    edges: Mapping[Node, Sequence[Edge]], usage: Mapping[Node, Usage] | None = None, depth: int = 1
) -> list[Node]:
    found = follow(ME, lambda node: edges.get(node, ()), lambda _: usage or {}, depth, 20)
    return [one.node for one in found]


def test_the_weights_fall_from_what_somebody_wrote_to_what_is_inferred() -> None:
    order = [tie.weight for tie in Tie]

    assert all(before >= after for before, after in pairwise(order))
    assert Tie.CONTRADICTS.weight * worth_of(Usage(60, importance=10)) < Tie.SUPERSEDED.weight


def test_a_sibling_recalled_five_times_is_nearer_and_an_important_one_too() -> None:
    siblings = [edge(SIBLING, Tie.ENTITY, "@Ann"), edge(RECALLED_ONE, Tie.ENTITY, "@Ann")]
    five, important = Usage(shown=5), Usage(importance=5)

    assert reached({ME: siblings}) == [SIBLING, RECALLED_ONE]
    assert reached({ME: siblings}, {RECALLED_ONE: five}) == [RECALLED_ONE, SIBLING]
    assert reached({ME: siblings}, {RECALLED_ONE: important}) == [RECALLED_ONE, SIBLING]
    assert worth_of(Usage(shown=5, importance=5)) > worth_of(five) > worth_of()


def test_use_orders_what_is_equally_near_and_brings_nothing_past_a_link() -> None:
    edges = [edge(SIBLING, Tie.LINK, "a.md:1"), edge(RECALLED_ONE, Tie.CONTRADICTS, "")]

    assert reached({ME: edges}, {RECALLED_ONE: Usage(60, importance=10)}) == [SIBLING, RECALLED_ONE]


def test_two_steps_multiply_and_come_after_one() -> None:
    edges = {ME: [edge(PAGE, Tie.CONTAINED, "")], PAGE: [edge(FAR, Tie.CONTAINED, ""), edge(ME, Tie.CONTAINED, "")]}
    found = follow(ME, lambda node: edges.get(node, []), lambda _: {}, 2, 20)

    assert [(one.node, one.score) for one in found] == [(PAGE, pytest.approx(0.9)), (FAR, pytest.approx(0.81))]
    assert [step.to for step in found[1].steps] == [PAGE, FAR]
    assert reached(edges) == [PAGE]


def test_the_strongest_of_several_ties_counts() -> None:
    edges = [edge(FAR, Tie.RARE_WORDS, ""), edge(FAR, Tie.LINK, ""), edge(FAR, Tie.ENTITY, "")]

    assert [one.steps[0].tie for one in follow(ME, lambda _: edges, lambda _: {}, 1, 20)] == [Tie.LINK]


def test_responses_bring_two_memories_nearer_up_to_a_bound() -> None:
    weights = [used_together(FAR, responses).weight for responses in (1, 2, 10, 50, 10_000)]

    assert weights[0] == pytest.approx(0.06)
    assert weights == sorted(weights)
    assert weights[-1] < Tie.USED_TOGETHER.weight


@pytest.mark.parametrize(
    ("memories", "of", "expected"),
    [(1, 10, False), (2, 10, True), (3, 10, False), (9, 1_000, True), (20, 200_000, True), (21, 200_000, False)],
)
def test_a_word_is_rare_that_at_least_two_and_few_of_all_memories_have(memories: int, of: int, expected: bool) -> None:
    assert is_rare(memories, of) is expected


def test_a_memory_names_pages_blocks_and_what_was_merged_into_it() -> None:
    memory = parse_memory(
        "W: see [[tools#^m-aaaaaaaaaaaa|this]], [that](../people/ann.md) and `code [[no]]` <!-- also m-bbbbbbbbbbbb --> ^m-cccccccccccc"
    )
    mentions = mentions_of(memory)

    assert mentions == ("wiki tools#^m-aaaaaaaaaaaa", "inline ../people/ann.md", "also m-bbbbbbbbbbbb")
    assert words_of("bank/x/y.md", mentions) == {"tools", "^m-aaaaaaaaaaaa", "ann", "^m-bbbbbbbbbbbb"}
    assert mentions_of(parse_memory("W: nothing at all.")) == ()


@pytest.mark.parametrize(("item", "expected"), examples("arguments", "events of use"))
def test_an_event_of_use_is_read_and_any_other_is_none(item: str, expected: str) -> None:
    read = read_use(json.loads(item))

    assert (read and [read.at, read.value]) == json.loads(expected)
    assert read is None or isinstance(read, UseEvent)
