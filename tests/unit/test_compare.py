"""What a new memory is to an old one, what readings keep apart, and which memories merge without a loss."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from bankd import same as known_pairs
from bankd.edits.settle import FileFingerprint
from bankd.memory.archive import Merged, find_mergers
from bankd.memory.use import Fading
from bankd.pages.memory import Memory, parse_memory, render_memory
from bankd.pages.page import MemoryLines, PageLines, read_page
from bankd.same import (
    MOST_LIKELY,
    Dated,
    Likeness,
    Relation,
    compare_pairs,
    compare_statements,
    compared_text,
    find_match,
    likely_changes,
    near_groups,
    read_statement,
)
from bankd.words.statement import SOFT_MARKS, Morpheme, Statement, Token, Wording, plain_wording
from bankd.workspace.catalog import CatalogDatabase, PageMemoryCatalog
from tests.examples import examples


def say(text: str, *entities: str) -> Statement:
    return read_statement(plain_wording(text), entities)


def relation(old: str, new: str, cosine: float | None = None) -> Relation:
    return compare_statements(say(old), say(new), cosine=cosine).relation


@pytest.mark.parametrize(("old", "new", "reason"), examples("statements", "newer"))
def test_one_other_value_of_one_sort_is_newer_and_named(old: str, new: str, reason: str) -> None:
    verdict = compare_statements(say(old), say(new))

    assert (verdict.relation, verdict.reason) == (Relation.NEWER, reason)


@pytest.mark.parametrize(("old", "new"), examples("statements", "not newer"))
def test_more_than_one_other_value_or_another_word_is_not_newer(old: str, new: str) -> None:
    assert relation(old, new) is not Relation.NEWER


@pytest.mark.parametrize(("old", "new"), examples("statements", "replaces nothing"))
def test_what_happened_what_is_also_so_and_what_is_of_one_day_replaces_nothing(old: str, new: str) -> None:
    assert relation(old, new) is not Relation.NEWER


@pytest.mark.parametrize(("old", "new"), examples("statements", "of a series"))
def test_another_of_a_series_is_not_newer(old: str, new: str) -> None:
    assert relation(old, new) not in {Relation.SAME, Relation.NEWER}


@pytest.mark.parametrize(("old", "new", "expected"), examples("statements", "Korean"))
def test_korean_is_compared_by_its_phrases(
    analyse: Callable[[str], Wording], old: str, new: str, expected: str
) -> None:
    assert compare_statements(read_statement(analyse(old)), read_statement(analyse(new))).relation is Relation[expected]


REWORDED = ("Our rent is paid on the 5th of each month", "We pay the rent on every 5th")


def test_a_cosine_makes_near_where_all_values_are_equal_and_never_the_same() -> None:
    assert relation(*REWORDED, cosine=0.98) is Relation.NEAR
    assert relation(*REWORDED, cosine=1.0) is Relation.NEAR
    assert relation(*REWORDED, cosine=0.97) is Relation.CLOSE


@pytest.mark.parametrize(("old", "new"), examples("statements", "questions however near"))
def test_what_has_another_value_or_is_denied_is_a_question_however_near(old: str, new: str) -> None:
    assert relation(old, new, cosine=0.99) is Relation.LIKELY


@pytest.mark.parametrize(("old", "new"), examples("statements", "no questions however near, all said of Mira"))
def test_what_is_about_something_else_or_has_equal_values_is_no_question(old: str, new: str) -> None:
    assert compare_statements(say(old, "Mira"), say(new, "Mira"), cosine=0.97).relation is Relation.CLOSE


def test_a_name_that_is_read_as_a_word_in_one_of_two_is_no_other_value() -> None:
    lesson = "cello lesson is with Mrs Adeyemi, Monday at 17:00"
    old, new = f"The {lesson.replace(' is', ' of Mira is')}", f"Mira's {lesson}"
    assert relation(old, new, cosine=0.99) is Relation.NEAR
    assert compare_statements(say(old, "Mira"), say(new, "Mira"), cosine=0.99).relation is Relation.NEAR


def test_a_word_of_change_about_the_same_is_a_question() -> None:
    assert relation("The design review is on Monday", "The design review moved to Friday") is not Relation.NEWER
    assert relation("The design review is on Monday", "The design review is cancelled") is Relation.LIKELY
    assert relation("Marta leads the team.", "Marta no longer leads the team; Priya does.") is Relation.LIKELY
    assert relation("The design review is on Monday", "The design review is long") is Relation.CLOSE
    assert relation("The design review is on Monday", "The budget was cancelled") is Relation.DIFFERENT


def test_another_person_is_another_subject() -> None:
    assert compare_statements(say("prefers tea", "Peter"), say("prefers tea", "Paul")).relation is Relation.DIFFERENT


def test_emphasis_makes_no_difference() -> None:
    assert compare_statements(say("really likes green tea"), say("likes green tea")).relation is Relation.SAME


def test_a_question_is_not_what_it_asks() -> None:
    assert compare_statements(say("Peter likes tea?"), say("Peter likes tea")).relation is Relation.DIFFERENT


@pytest.mark.parametrize(("old", "new"), examples("statements", "capitals that are no names"))
def test_a_capital_article_or_verb_is_none(old: str, new: str) -> None:
    assert relation(old, new) is Relation.SAME


@pytest.mark.parametrize(("old", "new"), examples("statements", "signs that mean something"))
def test_signs_and_gaps_that_mean_something_keep_texts_apart(old: str, new: str) -> None:
    assert Relation.SAME not in {relation(old, new), relation(new, old)}


@pytest.mark.parametrize(("old", "new"), examples("statements", "signs that mean nothing"))
def test_signs_and_gaps_that_mean_nothing_do_not(old: str, new: str) -> None:
    assert relation(old, new) is Relation.SAME


@pytest.mark.parametrize(("old", "new"), examples("statements", "capitals that are names"))
def test_a_capital_that_is_no_article_and_no_verb_is_a_name(old: str, new: str) -> None:
    assert relation(old, new) not in {Relation.SAME, Relation.NEWER}


def test_at_a_threshold_of_100_only_the_same_words_are_the_same() -> None:
    old, new = say("really likes green tea in the morning"), say("likes green tea in the morning")

    assert [compare_statements(old, new, threshold).relation for threshold in (80, 100)] == [
        Relation.SAME,
        Relation.CLOSE,
    ]


def test_a_repetition_is_found_before_a_newer_value() -> None:
    bank = [("m-1", say("The port is 8080")), ("m-2", say("The port is 8081")), ("m-3", say("Peter likes tea"))]

    repeated, updated = find_match(bank, say("The port is 8081.")), find_match(bank, say("The port is 9090"))

    assert repeated is not None
    assert (repeated[0], repeated[1].relation) == ("m-2", Relation.SAME)
    assert updated is not None
    assert (updated[0], updated[1].relation) == ("m-1", Relation.NEWER)
    assert find_match(bank, say("walks to work")) is None


Analyse = Callable[[str], Wording]


@pytest.mark.parametrize(("one", "other"), examples("values", "one value"))
def test_two_ways_to_write_one_value_are_read_as_one(analyse: Analyse, one: str, other: str) -> None:
    assert compare_statements(read_statement(analyse(one)), read_statement(analyse(other))).relation is Relation.SAME


@pytest.mark.parametrize(("one", "other"), examples("values", "something else"))
def test_what_says_something_else_is_read_as_something_else(analyse: Analyse, one: str, other: str) -> None:
    assert (
        compare_statements(read_statement(analyse(one)), read_statement(analyse(other))).relation is not Relation.SAME
    )


def test_days_in_one_word_are_numbers(analyse: Analyse) -> None:
    old, new = (read_statement(analyse(f"재택은 일주일에 {days}까지 된다")) for days in ("이틀", "사흘"))

    assert compare_statements(old, new, cosine=0.99).relation is Relation.NEWER


def test_what_has_been_so_since_then_goes_on_and_can_change(analyse: Analyse) -> None:
    old, new = "Erik has worked at Google since May", "Erik has worked at Meta since May"

    assert compare_statements(read_statement(analyse(old)), read_statement(analyse(new))).relation is Relation.NEWER


def korean(text: str, tagged: str) -> Wording:
    """A wording from `form/TAG` pairs, as an analyser gives them."""
    return Wording(text, tuple(Morpheme(*pair.rsplit("/", 1)) for pair in tagged.split()))


def key_of(token: Token) -> str:
    """Everything about a token that counts, in one string."""
    marks = "".join(f"|{mark}" for mark in sorted(set(token.marks) - SOFT_MARKS))
    return f"{'¬' + token.negation + ' ' if token.negation else ''}{token.base}{marks}"


def keys(text: str, tagged: str | None = None, about: Sequence[str] = ()) -> tuple[str, ...]:
    statement = read_statement(korean(text, tagged) if tagged else plain_wording(text), about)
    return tuple(map(key_of, statement.tokens))


@pytest.mark.parametrize(("text", "expected"), examples("readings", "English"))
def test_english_is_read_word_by_word(text: str, expected: str) -> None:
    assert " | ".join(keys(text)) == expected


@pytest.mark.parametrize(("text", "tagged", "expected"), examples("readings", "Korean"))
def test_korean_is_read_by_what_its_morphemes_do(text: str, tagged: str, expected: str) -> None:
    assert " | ".join(keys(text, tagged)) == expected


def test_without_an_analyser_a_hangul_word_stays_whole() -> None:
    assert keys("밥을 3번 먹었다") == ("밥을", "3번", "먹었다")


@pytest.mark.parametrize(("text", "mood"), [("간다", "."), ("가?", "?"), ("가라", "!"), ("가", "")])
def test_the_mood_is_that_of_the_last_ending(text: str, mood: str) -> None:
    endings = {"간다": "가/VV ᆫ다/EF", "가?": "가/VV 어/EF ?/SF", "가라": "가/VV 어라/EF", "가": "가/VV 어/EF"}

    assert read_statement(korean(text, endings[text])).mood == mood


def test_an_entity_that_the_text_begins_with_is_said_once() -> None:
    assert keys("Peter prefers tea", about=["Peter"]) == keys("prefers tea", about=["Peter"])
    assert read_statement(plain_wording("Peter prefers tea"), ["Peter"]).about == frozenset({"peter"})


def test_a_pin_is_not_part_of_what_is_said() -> None:
    assert compared_text(Memory("prefers tea #pinned")) == "prefers tea"
    assert compared_text(Memory("likes #pinnedcats")) == "likes #pinnedcats"


NEAR, SAME, NEWER = (Likeness(one) for one in (Relation.NEAR, Relation.SAME, Relation.NEWER))
SEEN = FileFingerprint(1, 1, 1)


def memory(id_: str, text: str, day: int | None = None) -> Dated:
    return Dated((date(2026, 11, day) if day else date.min, 0, id_), read_statement(plain_wording(text)))


def test_the_newer_is_compared_with_the_older_each_pair_once() -> None:
    old_port, new_port = memory("m-1", "The server port is 8080", 1), memory("m-2", "The server port is 8081", 2)
    old_town, new_town = memory("m-3", "Peter lives in Seoul", 3), memory("m-4", "Peter lives in Busan", 9)
    found = compare_pairs([(new_port, old_port), (old_town, new_town), (new_town, old_town)])

    assert found.keys() == {("m-1", "m-2"), ("m-3", "m-4")}
    assert found["m-1", "m-2"] == Likeness(
        Relation.NEWER, "8080 → 8081", is_dated=True, score=found["m-1", "m-2"].score
    )


def test_rewordings_and_other_subjects_are_no_contradiction() -> None:
    pairs = [
        (memory("m-1", "The server port is 8080"), memory("m-2", "The server port is 8080.")),
        (memory("m-3", "Peter lives in Seoul"), memory("m-4", "Paul lives in Seoul")),
        (memory("m-5", "The server port is 8080"), memory("m-5", "The server port is 8081")),
    ]

    assert [one.relation for one in compare_pairs(pairs).values()] == [Relation.SAME, Relation.CLOSE]


def test_what_has_no_day_counts_as_older_and_of_two_without_nobody_knows() -> None:
    one, undated, other = (
        memory("m-1", "The server port is 8081", 1),
        memory("m-2", "The server port is 8080"),
        memory("m-3", "The server port is 80"),
    )

    found = compare_pairs([(one, undated), (undated, other)])

    assert {pair: one.is_dated for pair, one in found.items()} == {("m-2", "m-1"): True, ("m-2", "m-3"): False}


def test_a_pair_that_cannot_be_compared_is_named_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    compare = known_pairs.compare_statements

    def fail(old: Statement, new: Statement, threshold: float, cosine: float | None) -> Likeness:
        if "Seoul" in old.text:
            raise ZeroDivisionError
        return compare(old, new, threshold, cosine)

    monkeypatch.setattr(known_pairs, "compare_statements", fail)
    odd = (memory("m-1", "Peter lives in Seoul"), memory("m-2", "Peter lives in Busan"))
    found = compare_pairs([odd, (memory("m-3", "The server port is 8080"), memory("m-4", "The server port is 8081"))])

    assert found["m-1", "m-2"] == Likeness(
        bug="m-1 and m-2 are taken for different: this is a bug in bankd (ZeroDivisionError())"
    )
    assert found["m-3", "m-4"].relation is Relation.NEWER


def test_of_two_lines_of_one_day_the_later_is_the_newer() -> None:
    first, second = (
        memory(id_, text, 1)._replace(age=(date(2026, 11, 1), n, id_))
        for id_, text, n in [("m-2", "Port 1", 4), ("m-1", "Port 2", 5)]
    )

    assert list(compare_pairs([(second, first)])) == [("m-2", "m-1")]


def test_vectors_are_looked_up_by_both_ids() -> None:
    one, other = memory("m-1", "Our rent is paid on the 5th", 1), memory("m-2", "We pay the rent on every 5th", 2)
    cosines = {frozenset(("m-1", "m-2")): 0.98}

    assert compare_pairs([(other, one)], cosines=cosines)["m-1", "m-2"].relation is Relation.NEAR


def test_a_person_is_asked_about_the_five_likeliest_of_the_last_seven_days() -> None:
    today = date(2026, 11, 20)
    pairs = {("old", f"m-{n}"): Likeness(Relation.LIKELY, score=float(n)) for n in range(8)}
    pairs |= {("old", "late"): Likeness(Relation.LIKELY, score=99.0), ("old", "sure"): NEWER}
    days: dict[str, date | None] = {f"m-{n}": date(2026, 11, 14) for n in range(8)}
    days |= {"late": date(2026, 11, 13), "sure": today}

    asked = likely_changes(pairs, days, today)

    assert asked == [("old", f"m-{n}") for n in (7, 6, 5, 4, 3)]
    assert len(asked) == MOST_LIKELY


def test_a_group_is_all_that_is_near_through_others() -> None:
    pairs = {("a", "b"): NEAR, ("c", "b"): SAME, ("d", "e"): NEAR, ("e", "f"): NEWER}

    assert near_groups(pairs) == [("a", "b", "c"), ("d", "e")]


@pytest.fixture
def catalog(tmp_path: Path) -> CatalogDatabase:
    return CatalogDatabase(tmp_path / "catalogue.sqlite3")


def compared(catalog: CatalogDatabase) -> PageMemoryCatalog:
    return PageMemoryCatalog(cast(Any, None), catalog, 0, {})


def write(catalog: CatalogDatabase, **texts: str) -> None:
    page = "".join(f"- W: {text} ^{id_}\n" for id_, text in texts.items())
    catalog.record_page("bank/a.md", SEEN, page.encode())


def test_only_what_is_new_or_says_something_else_is_compared_again(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk")
    looked = compared(catalog).changed_since_look(80, None)
    compared(catalog).record_look(looked, {("a", "b"): NEAR})
    write(catalog, c="rum", a="tea", b="Milk.")

    assert looked.keys() == {"a", "b"}
    assert compared(catalog).changed_since_look(80, None).keys() == {"c"}
    assert compared(catalog).known_pairs() == {("a", "b"): NEAR}


def test_what_was_found_of_a_memory_that_changed_or_went_is_forgotten(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk", c="rum", d="gin")
    compared(catalog).record_look(
        compared(catalog).changed_since_look(80, None), {("a", "b"): NEAR, ("d", "c"): NEWER, ("a", "d"): SAME}
    )
    write(catalog, a="tea", b="oat milk", d="gin")

    assert compared(catalog).changed_since_look(80, None).keys() == {"b"}
    assert compared(catalog).known_pairs() == {("a", "d"): SAME}


def test_what_waits_is_compared_some_at_a_time(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk", c="rum")
    for left in (2, 1, 0):
        looked = compared(catalog).changed_since_look(80, 1)
        compared(catalog).record_look(looked, {})
        assert len(looked) == 1
        assert len(compared(catalog).changed_since_look(80, None)) == left


def test_by_another_threshold_all_is_compared_again(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk")
    compared(catalog).record_look(compared(catalog).changed_since_look(80, None), {("a", "b"): NEAR})

    assert compared(catalog).changed_since_look(90, None).keys() == {"a", "b"}
    assert compared(catalog).known_pairs() == {}


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

    assert found.change.new == "- O(c=0.90@2026-11-11) @Peter: Really prefers green tea <!-- also m-2 --> ^m-1"
    assert [source.id for source in found.sources] == ["m-2"]


def test_what_is_near_or_newer_does_not_merge() -> None:
    assert not any(merged(TEA, TEA_AGAIN, relation=one) for one in Relation if one is not Relation.SAME)


def test_a_pinned_memory_stays_and_so_does_one_that_was_brought_back() -> None:
    pinned = "- O @Peter: Prefers green tea #pinned ^m-2"

    assert [(one.change.key, [source.id for source in one.sources]) for one in merged(TEA, pinned)] == [
        ("m-2", ["m-1"])
    ]
    assert merged(TEA, TEA_AGAIN, restored={"m-2"}) == ()


def test_another_tag_is_another_kind_of_statement() -> None:
    assert merged(TEA, "- W @Peter: Prefers green tea. ^m-2") == ()


def test_each_memory_merges_once_and_only_into_one_that_it_was_compared_with() -> None:
    found = merged(TEA, TEA_AGAIN, COFFEE)

    assert [(one.change.key, [source.id for source in one.sources]) for one in found] == [("m-1", ["m-2"])]


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

    both = "<!-- also m-cccccccccccc m-bbbbbbbbbbbb -->"
    assert found.change.new == f"- W: long\n  text {both} ^m-aaaaaaaaaaaa\n  - nested"
    memory = parse_memory("W @Peter: likes tea <!-- also m-bbbbbbbbbbbb m-cccccccccccc --> ^m-aaaaaaaaaaaa")
    assert memory.sources == ("m-bbbbbbbbbbbb", "m-cccccccccccc")
    assert render_memory(memory) == "W @Peter: likes tea <!-- also m-bbbbbbbbbbbb m-cccccccccccc --> ^m-aaaaaaaaaaaa"


def test_a_memory_in_which_another_is_nested_is_not_merged_away() -> None:
    assert on_page("- W: more text ^m-aaaaaaaaaaaa\n- W: text ^m-bbbbbbbbbbbb\n  - W: a fact ^m-cccccccccccc\n") == ()
