"""Which memories of the bank merge without a loss."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from itertools import pairwise

from bankd.memory.retire import Merged, find_mergers
from bankd.memory.use import Fading
from bankd.pages.memory import parse_memory, render_memory
from bankd.pages.page import MemoryLines, PageLines, read_page
from bankd.same.compare import Relation
from bankd.same.pairs import Likeness

TEA = "- O(c=0.60@2026-11-21) @Peter: Really prefers green tea ^m-1"
TEA_AGAIN = "- O(c=0.90@2026-11-11) @Peter: Prefers green tea. ^m-2"
COFFEE = "- O @Peter: Prefers black coffee ^m-3"


def merged(*texts: str, restored: Collection[str] = (), relation: Relation = Relation.SAME) -> tuple[Merged, ...]:
    """What merges of these lines, of which each was found to be this to the next."""
    held = {text[-3:]: MemoryLines("bank/entities/Peter.md", text, ("Peter",)) for text in texts}
    pairs = dict.fromkeys(pairwise(sorted(held)), Likeness(relation))
    return find_mergers(held, pairs, restored, date(2026, 11, 21), Fading(per_day=2, floor=30))


def test_what_says_the_same_merges_and_the_confidence_that_is_strongest_today_stays() -> None:
    (found,) = merged(TEA, TEA_AGAIN)

    assert found.merged == "- O(c=0.90@2026-11-11) @Peter: Really prefers green tea <!-- also m-2 --> ^m-1"
    assert [source.id for source in found.sources] == ["m-2"]


def test_what_is_near_or_newer_does_not_merge() -> None:
    assert not any(merged(TEA, TEA_AGAIN, relation=one) for one in Relation if one is not Relation.SAME)


def test_a_pinned_memory_stays_and_so_does_one_that_was_brought_back() -> None:
    pinned = "- O @Peter: Prefers green tea #pinned ^m-2"

    assert [(one.id, [source.id for source in one.sources]) for one in merged(TEA, pinned)] == [("m-2", ["m-1"])]
    assert merged(TEA, TEA_AGAIN, restored={"m-2"}) == ()


def test_another_tag_is_another_kind_of_statement() -> None:
    assert merged(TEA, "- W @Peter: Prefers green tea. ^m-2") == ()


def test_each_memory_merges_once_and_only_into_one_that_it_was_compared_with() -> None:
    found = merged(TEA, TEA_AGAIN, COFFEE)

    assert [(one.id, [source.id for source in one.sources]) for one in found] == [("m-1", ["m-2"])]


def on_page(text: str) -> tuple[Merged, ...]:
    """What merges of a page whose memories m-aaaaaaaaaaaa and m-bbbbbbbbbbbb were found to say the same."""
    page = read_page("bank/p.md", text.encode())
    held = {entry.memory.id: PageLines(page).of(entry) for entry in page.entries if entry.memory.id}
    return find_mergers(
        held, {("m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"): Likeness(Relation.SAME)}, (), date(2026, 11, 21), Fading(2, 30)
    )


def test_sources_are_named_beside_those_of_earlier_mergers() -> None:
    (found,) = on_page(
        "- W: long\n  text <!-- also m-cccccccccccc --> ^m-aaaaaaaaaaaa\n  - nested\n- W: text ^m-bbbbbbbbbbbb\n"
    )

    assert found.merged == "- W: long\n  text <!-- also m-cccccccccccc m-bbbbbbbbbbbb --> ^m-aaaaaaaaaaaa\n  - nested"
    memory = parse_memory("W @Peter: likes tea <!-- also m-bbbbbbbbbbbb m-cccccccccccc --> ^m-aaaaaaaaaaaa")
    assert memory.sources == ("m-bbbbbbbbbbbb", "m-cccccccccccc")
    assert render_memory(memory) == "W @Peter: likes tea <!-- also m-bbbbbbbbbbbb m-cccccccccccc --> ^m-aaaaaaaaaaaa"


def test_a_memory_in_which_another_is_nested_is_not_merged_away() -> None:
    assert on_page("- W: more text ^m-aaaaaaaaaaaa\n- W: text ^m-bbbbbbbbbbbb\n  - W: a fact ^m-cccccccccccc\n") == ()
