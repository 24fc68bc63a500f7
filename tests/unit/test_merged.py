"""What a merger does to the lines of a page."""

from __future__ import annotations

from datetime import date

from bankd.memory.retire import Member, Merger, merged_of
from bankd.pages.memory import Confidence, Memory, parse_memory, render_memory
from bankd.pages.page import MemoryLines, PageLines, read_page
from bankd.same.reading import read_statement
from bankd.words.statement import plain_wording

A, B, C = (f"m-{letter * 12}" for letter in "abc")


def merger(keeper: Memory, *others: str, confidence: Confidence | None = None) -> Merger:
    member = Member(A, keeper, read_statement(plain_wording(keeper.text)))
    merged = Memory(keeper.text, keeper.tag, confidence or keeper.confidence, keeper.entities, keeper.id)
    return Merger(member, merged, (A, *others))


def held(text: str) -> dict[str, MemoryLines]:
    page = read_page("bank/p.md", text.encode())
    lines = PageLines(page)
    return {entry.memory.id: lines.of(entry) for entry in page.entries if entry.memory.id}


def test_sources_are_named_beside_those_of_earlier_mergers() -> None:
    text = f"- W: long\n  text <!-- also {C} --> ^{A}\n  - nested\n- W: text ^{B}\n"
    keeper = Memory("long\ntext", "W", id=A, sources=(C,))

    merged = merged_of(merger(keeper, B), held(text))

    assert merged is not None
    assert merged.merged == f"- W: long\n  text <!-- also {C} {B} --> ^{A}\n  - nested"
    assert [source.id for source in merged.sources] == [B]


def test_the_highest_confidence_is_kept() -> None:
    text = f"- O(c=0.40@2026-05-01): tea is good ^{A}\n- O(c=0.90@2026-05-01): tea is good ^{B}\n"
    best = Confidence(90, date(2026, 5, 1))
    keeper = Memory("tea is good", "O", Confidence(40, date(2026, 5, 1)), id=A)

    merged = merged_of(merger(keeper, B, confidence=best), held(text))

    assert merged is not None
    assert merged.merged == f"- O(c=0.90@2026-05-01): tea is good <!-- also {B} --> ^{A}"


def test_a_memory_in_which_another_is_nested_is_not_merged_away() -> None:
    text = f"- W: text ^{A}\n- W: text ^{B}\n  - W: a fact ^{C}\n"

    assert merged_of(merger(Memory("text", "W", id=A), B), held(text)) is None


def test_sources_are_read_and_written_alike() -> None:
    line = f"W @Peter: likes tea <!-- also {B} {C} --> ^{A}"

    memory = parse_memory(line)

    assert (memory.text, memory.sources, memory.id) == ("likes tea", (B, C), A)
    assert render_memory(memory) == line
