"""The modes of a briefing: what each chooses, where it is empty, and what it never says twice."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from bankd.briefing.assemble import assemble_facts
from bankd.briefing.choose import MODES, due_modes, make_briefing
from bankd.briefing.choose import NAMES_MODES as NAMES
from bankd.briefing.facts import BriefFacts, Happened, KnownMemory, Occasion, OpenLine
from bankd.briefing.shown import Shown, add_shown, count_tokens, is_shown, last_seen, note_seen
from bankd.settings import DecayPolicy
from tests.examples import examples

NOW = datetime(2026, 5, 18, 9, tzinfo=UTC)  # a Monday
TODAY = NOW.date()


def ago(days: int) -> date:
    return TODAY - timedelta(days=days)


def memory(key: str, text: str, tag: str | None = "W", learned: int | None = 10, **more: object) -> KnownMemory:
    """A memory with an id, learned some days ago."""
    day = None if learned is None else ago(learned)
    more = {"path": "bank/world/facts.md", "said": (day,) if day else (), **more}
    return KnownMemory(f"m-{key}", line=1, text=text, tag=tag, learned=day, **more)  # type: ignore[arg-type]


def happened(kind: str, key: str, hours: float, by: str = "") -> Happened:
    return Happened(kind, NOW - timedelta(hours=hours), f"m-{key}", by)


def chosen(
    mode: str, facts: BriefFacts, *subjects: str, seen: tuple[str, ...] = (), last: datetime | None = None
) -> list[str]:
    """The texts of what a mode chooses."""
    occasion = Occasion(NOW, subjects, frozenset(seen), last)
    made = make_briefing(mode, facts, occasion, {}, "r").items
    return [f"{item.text} ({item.was})" if item.was else item.text for item in made]


def facts_of(*memories: KnownMemory, **more: object) -> BriefFacts:
    return BriefFacts(memories, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", NAMES)
def test_an_empty_bank_says_nothing_in_any_mode(mode: str) -> None:
    assert chosen(mode, BriefFacts(()), "@Peter", last=NOW - timedelta(days=3)) == []


def test_orient_says_what_a_memory_file_would_rules_however_old_then_changes_what_is_open_and_who_is_spoken_of() -> (
    None
):
    facts = facts_of(
        memory("w", "New fact.", learned=2), memory("old", "Old fact.", learned=400),
        memory("s", "S unsure", "S", value=60, learned=400), memory("t", "S sure", "S", value=90),
        memory("p", "Pinned #pinned", "O", is_pinned=True), memory("b", "A habit.", "B", learned=1),
        memory("o", "Prefers mail.", "O", value=50, learned=300, path="bank/opinions/preferences.md", entities=("Minho",)),
        memory("m", "Minho makes tables.", learned=300, entities=("Minho",)),
        memory("l", "We need to call the bank.", learned=30), memory("c", "Runs at 11.", learned=30), memory("x", "Runs at 10.", learned=60),
        happened=(happened("superseded", "x", 20, "m-c"),), newer={"m-x": "m-c"},
    )  # fmt: skip

    last = NOW - timedelta(days=1)
    assert chosen("orient", facts, last=last) == [
        "Pinned #pinned", "S sure", "S unsure", "Prefers mail.", "Runs at 11. (until 2026-04-18: 10)", "We need to call the bank.",
        "Minho makes tables.", "New fact.",
    ]  # fmt: skip
    later = chosen("orient", facts, last=NOW - timedelta(hours=2))
    assert not any(text.startswith("Runs at 11.") for text in later)
    lines = make_briefing("orient", facts, Occasion(NOW), {}, "r").text.splitlines()
    assert "- @Minho · Prefers mail. · said 2025-07-22 · m-o" in lines


def test_what_is_superseded_is_told_only_as_such() -> None:
    facts = facts_of(memory("a", "Runs at 10.", learned=2), memory("b", "Runs at 11.", learned=1), newer={"m-a": "m-b"})

    assert chosen("orient", facts) == ["Runs at 11. (until 2026-05-17: 10)"]


def test_what_was_superseded_or_taken_back_is_not_told_as_if_it_held() -> None:
    when = datetime(2026, 5, 18, 3, tzinfo=UTC)
    old, new, back = (
        memory("a", "Runs at 10.", learned=0),
        memory("b", "Runs at 11.", learned=0),
        memory("c", "Is back."),
    )
    happened = [
        Happened("kept", when, "m-a"),
        Happened("kept", when, "m-b"),
        Happened("superseded", when, "m-a", "m-b"),
        Happened("superseded", when, "m-c", "m-b"),  # a run that was taken back
    ]
    facts = BriefFacts((old, new, back), happened, {"m-a": "m-b"})
    occasion = Occasion(datetime(2026, 5, 18, 9, tzinfo=UTC))

    for mode in ("morning", "day", "week", "resume"):
        said = [item.text for item in MODES[mode].choose(facts, occasion) if item.text[:1] != "+"]
        assert set(said) <= {"Runs at 11.", "~ Runs at 11."}, mode
        assert "Runs at 11." in said


def test_what_a_run_did_is_told_with_the_day_on_which_it_was_said_or_happened() -> None:
    facts = facts_of(
        memory("k", "Is new.", learned=8), memory("s", "Runs at 11.", learned=7),
        memory("d", "Was said twice.", learned=9, said=(ago(9), ago(6))),
        happened=[
            *(happened("kept", "k", 1), happened("superseded", "x", 1, "m-s")),
            *(happened("duplicate", "y", 1, "m-d"), happened("archived", "z", 1)),
        ],
        newer={"m-x": "m-s"},
    )  # fmt: skip

    told = make_briefing("day", facts, Occasion(NOW), {}, "r").text.splitlines()

    assert told == [
        f"- Is new. · said {ago(8)} · m-k", f"- ~ Runs at 11. · said {ago(7)} · m-s", f"- = Was said twice. · said {ago(6)} · m-d",
    ]  # fmt: skip


def test_resume_says_again_what_this_session_saw_or_learned() -> None:
    facts = facts_of(
        memory("a", "Seen."), memory("b", "Learned."), memory("c", "Other."), happened=[happened("kept", "b", 1)]
    )
    shown: Shown = add_shown({}, "r", ["m-a:00000000"], NOW)
    occasion = Occasion(NOW, (), frozenset({"m-a"}), NOW - timedelta(hours=2))

    assert [item.text for item in make_briefing("resume", facts, occasion, shown, "r").items] == ["Seen.", "Learned."]


def test_a_project_is_named_by_text_page_or_entity_and_ways_of_working_come_first() -> None:
    facts = facts_of(
        memory("o", "I like payflow.", "O", learned=1), memory("w", "payflow runs on Go.", learned=9),
        memory("p", "On the page.", "B", learned=8, path="bank/knowledge/payflow.md"), memory("x", "payflows differ."),
        memory("k", "payflow는 Go로 쓴다.", learned=2),
    )  # fmt: skip

    assert chosen("project", facts, "payflow") == [
        "payflow는 Go로 쓴다.",
        "On the page.",
        "payflow runs on Go.",
        "I like payflow.",
    ]


def test_a_person_is_opinions_first_and_a_meeting_what_names_all() -> None:
    facts = facts_of(
        memory("w", "Lives in Busan.", entities=("Peter",)), memory("o", "Prefers tea.", "O", value=90, entities=("peter",)),
        memory("b", "Argue about tabs.", entities=("Peter", "Mina"), learned=20), memory("m", "Sings.", entities=("Mina",)),
    )  # fmt: skip

    assert chosen("person", facts, "@Peter") == ["Prefers tea.", "Lives in Busan.", "Argue about tabs."]
    assert chosen("meeting", facts, "@Peter", "@Mina")[0] == "Argue about tabs."
    assert len(chosen("meeting", facts, "@Peter", "@Mina")) == 4


def test_morning_day_and_week_tell_what_happened_then() -> None:
    facts = facts_of(
        memory("n", "Night."), memory("d", "Today."), memory("o", "Long ago."), memory("i", "Waits.", path="bank/_meta/inbox.md"),
        happened=[happened("kept", "o", 200), happened("kept", "n", 20), happened("kept", "d", 2), happened("duplicate", "z", 1, "m-d")],
    )  # fmt: skip

    assert chosen("morning", facts) == ["Today.", "Night."]
    assert chosen("day", facts) == ["Today.", "= Today.", "Waits."]
    assert chosen("week", facts)[:1] == ["+2"]
    assert "Long ago." not in chosen("week", facts)


def test_what_was_learned_last_night_is_not_said_again_below_what_a_session_begins_with() -> None:
    facts = facts_of(memory("s", "정직을 최우선으로 한다.", "S"), happened=[happened("kept", "s", 6)])
    first = make_briefing("orient", facts, Occasion(NOW), {}, "s")

    assert len(first.items) == 1
    assert make_briefing("morning", facts, Occasion(NOW), add_shown({}, "s", first.marks, NOW), "s").items == ()


@pytest.mark.parametrize(("loop", "end"), examples("loops", "done"))
def test_a_loop_is_open_until_it_is_said_to_be_done(loop: str, end: str) -> None:
    opened = memory("a", loop, learned=5)

    assert chosen("loops", facts_of(opened)) == [loop]
    assert chosen("loops", facts_of(opened, memory("b", end, learned=3))) == []
    assert chosen("loops", facts_of(opened, memory("b", "something else was done", learned=3))) == [loop]
    assert chosen("loops", facts_of(memory("a", loop, learned=2))) == []


@pytest.mark.parametrize(("loop", "end", "is_open"), examples("loops", "by numbers"))
def test_a_loop_is_not_closed_by_another_number_of_its_kind(loop: str, end: str, is_open: str) -> None:
    facts = facts_of(memory("a", loop, learned=9), memory("b", end, learned=5))

    assert (chosen("loops", facts) == [loop]) is (is_open == "yes")


def test_what_must_be_as_an_opinion_is_no_loop_and_a_box_in_a_log_is() -> None:
    log = "- [ ] call the bank\n- W: TODO pay the rent\n- W @Ann: TODO call\n- TODO: water the plants\n"
    read = assemble_facts([], [], {"2026-05-14.md": log}, TODAY, DecayPolicy())
    assert [one.text for one in read.log_lines] == ["[ ] call the bank", "TODO: water the plants"]
    line = OpenLine(ago(4), "[ ] call the bank", "memory/2026-05-14.md:7")

    assert chosen("loops", facts_of(memory("o", "테스트부터 써야 한다", "O"))) == []
    assert chosen("loops", BriefFacts((), log_lines=[line])) == ["[ ] call the bank"]
    done = OpenLine(ago(3), "[x] call the bank", "memory/x.md:1")
    assert chosen("loops", BriefFacts((), log_lines=[line, done])) == []


def test_dates_are_what_is_due_within_a_week_soonest_first() -> None:
    facts = facts_of(
        memory("a", "The rent contract ends on 2026-05-22."), memory("b", "Dentist on 2026-05-19."), memory("c", "Trip on 2026-06-19."),
        memory("d", "다음 주 금요일에 발표가 있다.", learned=6), memory("e", "화요일마다 배포한다.", "B"), memory("f", "제주 여행은 5월 20일부터 5월 23일까지다."),
    )  # fmt: skip

    texts = chosen("dates", facts)

    assert texts[0] == "Dentist on 2026-05-19."
    assert set(texts) == {
        "Dentist on 2026-05-19.",
        "The rent contract ends on 2026-05-22.",
        "2026-05-22: 다음 주 금요일에 발표가 있다.",
        "2026-05-20…2026-05-23: 제주 여행은 5월 20일부터 5월 23일까지다.",
    }
    assert all(one.day is None or one.day <= TODAY for one in MODES["dates"].choose(facts, Occasion(NOW)))


@pytest.mark.parametrize("mode", NAMES)
def test_a_mode_keeps_to_its_tokens_and_is_the_same_twice(mode: str) -> None:
    facts = facts_of(
        *(memory(f"a{n:03}", f"Peter는 {n}번째 결정을 하기로 했다. decided TODO " + "긴 말 " * 30, "WBOS"[n % 4], n % 70,
                 entities=("Peter",), value=[35, 90, None][n % 3], said=(ago(12), ago(8), ago(4))) for n in range(300)),
        happened=[happened("kept", f"a{n:03}", n / 10) for n in range(200)],
    )  # fmt: skip
    occasion = Occasion(NOW, ("@Peter",), frozenset(), NOW - timedelta(hours=5))
    first, second = (make_briefing(mode, facts, occasion, {}, "r") for _ in range(2))

    assert first == second
    assert count_tokens(first.text) <= MODES[mode].tokens


def test_nothing_is_said_twice_a_day_unless_it_changed() -> None:
    facts, occasion = facts_of(memory("s", "I am S.", "S")), Occasion(NOW)
    first = make_briefing("orient", facts, occasion, {}, "r")
    shown = add_shown({}, "r", first.marks, NOW)

    assert first.items
    assert not make_briefing("orient", facts, occasion, shown, "r").items
    assert make_briefing("orient", facts, occasion, shown, "other").items
    assert make_briefing("orient", facts_of(memory("s", "I am T.", "S")), occasion, shown, "r").items


def test_what_was_shown_is_remembered_for_a_day_and_not_before_it_is_shown() -> None:
    shown = add_shown({}, "r", ["m"], NOW)

    assert is_shown(shown, "r", "m", NOW + timedelta(hours=23))
    assert not is_shown(shown, "r", "m", NOW + timedelta(hours=24))
    assert not is_shown(shown, "r", "m", NOW - timedelta(hours=1))
    assert list(add_shown(shown, "x", ["n"], NOW + timedelta(hours=25))) == ["x"]


def test_when_a_reader_was_last_here_is_remembered_for_longer_than_a_day() -> None:
    shown = add_shown(note_seen({}, "r", NOW), "x", ["m"], NOW + timedelta(days=9))

    assert last_seen(shown, "r") == NOW
    assert last_seen(shown, "x") is None


def test_modes_are_due_at_their_hours_if_they_are_wanted() -> None:
    evening, tuesday = NOW.replace(hour=21), NOW + timedelta(days=1)

    assert due_modes(NOW, ["day", "week", "morning"]) == ["morning", "week"]
    assert due_modes(evening, ["day"]) == ["day"]
    assert due_modes(tuesday, ["week", "dates"]) == ["dates"]
    assert due_modes(NOW, []) == []
