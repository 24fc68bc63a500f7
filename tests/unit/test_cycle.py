"""The story of a run, told on a world in dictionaries: what it learns, keeps, refuses, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from bankd import same as comparing
from bankd.cycle import CycleKind, Policy, Report, check_plan, run_cycle
from bankd.errors import InvariantError, RefusedError
from bankd.layouts.links import Relinked
from bankd.layouts.merge import Layout
from bankd.layouts.rearrange import Rearrangement
from bankd.memory import links as rearranging
from bankd.memory.ledger import KEPT
from bankd.memory.plan import Deferred
from bankd.memory.retain import read_log
from bankd.memory.route import Rules
from bankd.same import read_statement
from bankd.settings import BudgetPolicy, DedupPolicy, Settings, SplitPolicy
from bankd.words.statement import Statement, plain_wording
from tests.fake_world import FakeWorld

NOW = datetime(2026, 5, 5, 3, tzinfo=UTC)
LOG, FACTS, OPINIONS = "2026-05-04.md", "bank/world/facts.md", "bank/opinions.md"
RULES = Rules((), {"W": "world/facts.md", "O": "opinions.md"})
POLICY = Policy(Settings(), RULES)


def cycle(
    world: FakeWorld, kind: CycleKind = "micro", policy: Policy = POLICY, *, now: datetime = NOW, dry_run: bool = False
) -> Report:
    world.disk.steps.clear()
    return run_cycle(kind, f"{now:%Y%m%dT%H%M%S}-{kind}", now, world.world, policy, dry_run=dry_run)


def settings(**parts: Any) -> Policy:
    return replace(POLICY, settings=replace(Settings(), **parts))


def log(*lines: str) -> dict[str, str]:
    return {LOG: "".join(f"- {line}\n" for line in lines)}


def ids(*lines: str) -> list[str]:
    """The ids of the memories that these lines of the log become."""
    return [line.id for line in read_log(LOG, log(*lines)[LOG], anywhere=True).lines]


def page(*memories: str, title: str = "Facts") -> str:
    return f"# {title}\n\n" + "".join(f"- {memory}\n" for memory in memories)


def numbered(count: int) -> tuple[list[str], str]:
    """So many ids, and a page that holds memories with them."""
    known = [f"m-{n:012}" for n in range(count)]
    return known, page(*(f"W: memory {n} of {'abcdefgh'[n % 8]} ^{id_}" for n, id_ in enumerate(known)))


def said(world: FakeWorld) -> list[tuple[str, str]]:
    """The events that the last transaction wrote: type and memory."""
    return [(item["type"], item.get("memory", "")) for item in world.transactions.committed[-1].events]


def untouched(world: FakeWorld, before: Mapping[str, str]) -> bool:
    """Whether nothing at all was written or marked."""
    return (
        world.disk.pages == before
        and not world.transactions.committed
        and not {"commit", "mark read"} & set(world.disk.steps)
    )


# what a run does, in which order


def test_a_page_whose_name_differs_in_case_alone_is_the_page_of_the_rule() -> None:
    world = FakeWorld({"bank/World/Facts.md": "# Facts\n"}, log("W: The port is 8080."))

    cycle(world)

    assert [*world.disk.pages] == ["bank/World/Facts.md"]
    assert "The port is 8080." in world.disk.pages["bank/World/Facts.md"]


def test_a_new_line_becomes_a_memory_with_its_event_and_the_log_is_marked_as_read() -> None:
    world = FakeWorld({}, log("W: The port is 8080.", "O(c=0.9) @Peter: Likes tea.", "S: nobody's"))
    port, tea, nobody = ids("W: The port is 8080.", "O @Peter: Likes tea.", "S: nobody's")

    report = cycle(world)

    assert report.is_applied
    assert world.disk.pages == {
        FACTS: f"# Facts\n\n- W: The port is 8080. ^{port}\n",
        "bank/entities/Peter.md": f"# Peter\n\n- O(c=0.90@2026-05-04) @Peter: Likes tea. ^{tea}\n",
        "bank/_meta/inbox.md": f"# Inbox\n\n## 2026-05-04\n\n- S: nobody's ^{nobody}\n",
    }
    assert said(world) == [(KEPT, port), (KEPT, tea), (KEPT, nobody)]
    assert world.logs.read == world.disk.logs


@pytest.mark.parametrize(("lines", "looks"), [(0, [1_000]), (30, [970]), (1_000, [])])
def test_a_run_compares_fewer_memories_the_more_lines_it_took_in(
    lines: int, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, asked = FakeWorld({}, log(*(f"W: thing {n} of {n * 7}" for n in range(lines)))), []
    monkeypatch.setattr(type(world.catalog), "changed_since_look", lambda _, __, most: asked.append(most) or {})
    cycle(world, policy=replace(POLICY, force=True))

    assert asked == looks


def test_what_takes_lines_apart_loads_while_they_are_routed() -> None:
    world = FakeWorld({}, log("W: one", "W: 둘"))
    cycle(world)

    assert world.wordings.expected == ["one", "둘"]


@pytest.mark.parametrize(
    ("kind", "steps"),
    [
        ("micro", ["refresh holdings", "refresh graph", "commit", "mark read", "refresh holdings", "refresh index"]),
        ("reflect", ["refresh holdings", "refresh graph", "commit", "mark read", "refresh holdings", "refresh index", "refresh graph"]),
    ],
)  # fmt: skip
def test_a_log_is_marked_as_read_after_its_lines_are_written_and_before_the_index_is_refreshed(
    kind: CycleKind, steps: list[str]
) -> None:
    world = FakeWorld({}, log("W: one"))
    cycle(world, kind)

    assert world.disk.steps == steps


# what a line may be


def test_a_memory_that_the_bank_has_and_the_events_lack_is_not_written_again() -> None:
    one = ids("W: one")[0]
    world = FakeWorld({OPINIONS: page(f"W: one, reworded ^{one}")}, log("W: one"))
    before = dict(world.disk.pages)

    report = cycle(world)

    assert [(item.line.id, item.page) for item in report.plan.repaired] == [(one, OPINIONS)]
    assert (world.disk.pages, said(world)) == (before, [(KEPT, one)])


def test_a_line_that_cannot_be_compared_is_kept_and_named_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    world = FakeWorld({FACTS: page("W: The port is 8080. ^m-aaaaaaaaaaaa")}, log("W: odd", "W: The port is 8081."))
    odd, bug = read_statement(plain_wording("odd")), "this is a bug in bankd (ZeroDivisionError())"
    compare = comparing.compare_statements

    def fail(old: Statement, new: Statement, *rest: float) -> comparing.Verdict:
        if odd in (old, new):
            raise ZeroDivisionError
        return compare(old, new, *rest)

    monkeypatch.setattr(comparing, "compare_statements", fail)
    plan = cycle(world).plan

    assert [p.line.memory.text for p in plan.placements] == ["odd", "The port is 8081."]
    assert [update.old for update in plan.updates] == ["m-aaaaaaaaaaaa"]
    assert plan.warnings == (f"memory/{LOG}:1: kept without being compared with what is known: {bug}",)


def test_the_threshold_of_the_settings_decides_what_is_compared() -> None:
    pages = {FACTS: page("W: Peter really likes green tea ^m-aaaaaaaaaaaa")}
    line = log("W: Peter likes green tea")
    blocked = [
        len(cycle(FakeWorld(pages, line), policy=settings(dedup=DedupPolicy(threshold))).plan.blocked)
        for threshold in (80, 90)
    ]

    assert blocked == [1, 0]


def test_what_answered_a_search_is_noted_once_a_day_and_only_while_it_is_held() -> None:
    world = FakeWorld({FACTS: page("W: one ^m-aaaaaaaaaaaa")})
    world.recalls.days = {"m-aaaaaaaaaaaa": date(2026, 5, 4), "m-bbbbbbbbbbbb": date(2026, 5, 4)}

    assert cycle(world).plan.recalled == (("m-aaaaaaaaaaaa", date(2026, 5, 4)),)
    assert cycle(world).plan.is_empty


# what waits


def test_lines_for_a_page_that_cannot_be_written_wait_and_the_others_do_not() -> None:
    world = FakeWorld({FACTS: page(), OPINIONS: page(title="Opinions")}, log("W: one", "O(c=0.9): two"))
    world.disk.closed = {FACTS: "has merge markers"}

    report = cycle(world)

    assert [p.line.memory.text for p in report.plan.placements] == ["two"]
    assert {item.what: item.reason for item in report.plan.deferred} == {
        FACTS: "has merge markers",
        f"memory/{LOG}:1": f"waits for {FACTS}",
    }
    assert world.logs.read == {}

    world.disk.closed = {}
    assert [p.line.memory.text for p in cycle(world).plan.placements] == ["one"]
    assert world.logs.read == world.disk.logs
    assert world.disk.pages[FACTS].count("- W: one") == world.disk.pages[OPINIONS].count(": two") == 1


def test_a_log_of_which_a_line_waits_is_looked_at_again() -> None:
    world = FakeWorld({}, {LOG: "- W: one\n- W: tw"})
    world.logs.waiting = [Deferred(f"memory/{LOG}:2", "no line break ends it")]

    assert "no line break" in cycle(world).plan.deferred[0].reason
    assert world.logs.read == {}


def test_a_line_that_the_user_kept_from_its_page_is_taken_in_by_the_next_run() -> None:
    world = FakeWorld({FACTS: page(), OPINIONS: page(title="Opinions")}, log("W: one", "O(c=0.9): two"))
    world.transactions.contested = {FACTS}

    report = cycle(world)

    assert report.notes == (f"{FACTS}: the user was faster",)
    assert world.logs.read == {}
    world.transactions.contested = set()
    assert [p.line.memory.text for p in cycle(world).plan.placements] == ["one"]
    assert "- W: one" in world.disk.pages[FACTS]
    assert world.logs.read == world.disk.logs


# what is refused


def take_in_batches(world: FakeWorld, most: int, *, force: bool = False) -> Iterator[list[str]]:
    """What each run learns until nothing is left for another."""
    policy = replace(settings(budget=BudgetPolicy(max_added_lines=most)), force=force)
    for _ in range(20):
        report = cycle(world, policy=policy)
        yield [p.line.memory.text for p in report.plan.placements]
        if report.rest is None:
            return
        policy = replace(policy, start=report.rest.start)


def test_history_is_taken_in_by_days_in_batches_of_what_one_run_may_add() -> None:
    logs = {
        "b/2026-05-01.md": "- W: one\n- W: two\n",
        "a/2026-05-02.md": "- W: three\n- W: four\n",
        "z.md": "- W: five\n",
    }
    world = FakeWorld({}, logs)

    assert list(take_in_batches(world, 2)) == [["one", "two"], ["three", "four"], ["five"]]
    assert world.logs.read == logs


def test_a_log_is_divided_where_it_is_more_than_one_run_may_add_and_looked_at_once_more() -> None:
    world = FakeWorld({}, {LOG: "- W: one\n- W: two\n- W: three\n  with more\n- W: four\n", "z.md": "- W: five\n"})

    assert list(take_in_batches(world, 2)) == [["one", "two"], ["three\nwith more"], ["four"], ["five"]]
    assert set(world.logs.read) == {"z.md"}
    assert list(take_in_batches(world, 2)) == [[]]
    assert set(world.logs.read) == {LOG, "z.md"}


def test_lines_that_wait_do_not_hold_up_the_batches_after_them() -> None:
    world = FakeWorld({FACTS: page()}, {LOG: "- W: one\n- W: two\n- W: three\n- O(c=0.9): four\n"})
    world.disk.closed[FACTS] = "is locked"

    assert list(take_in_batches(world, 2)) == [[], ["four"]]
    world.disk.closed.clear()
    assert list(take_in_batches(world, 2)) == [["one", "two"], ["three"]]


def test_only_the_lines_of_a_batch_are_screened_in_it() -> None:
    world = FakeWorld({}, {LOG: "- W: one\n- W: two\n- W: the password is hunter2Hunter2\n"})
    policy = settings(budget=BudgetPolicy(max_added_lines=2))

    first = cycle(world, policy=policy)
    assert first.rest is not None
    second = cycle(world, policy=replace(policy, start=first.rest.start))

    assert [len(report.plan.withheld) for report in (first, second)] == [0, 1]


def test_a_forced_run_takes_in_ten_times_as_much() -> None:
    world = FakeWorld({}, {LOG: "".join(f"- W: fact number {n}\n" for n in range(25))})

    assert [len(learned) for learned in take_in_batches(world, 2, force=True)] == [20, 5]


def test_a_dry_run_plans_all_at_once() -> None:
    world = FakeWorld({}, log("W: one", "W: two", "W: three"))

    report = cycle(world, policy=settings(budget=BudgetPolicy(max_added_lines=2)), dry_run=True)

    assert len(report.plan.placements) == 3
    assert report.rest is None


@pytest.mark.parametrize("force", [False, True])
def test_a_plan_that_would_lose_a_line_is_never_carried_out(force: bool) -> None:
    before = {FACTS: page(f"W: something else ^{ids('W: one')[0]}")}
    world = FakeWorld(before, log("W: one", "O(c=0.9): two"))
    world.catalog.unseen = {FACTS}

    with pytest.raises(InvariantError, match=f"memory/{LOG}:1 would not be read back from world/facts.md"):
        cycle(world, policy=replace(POLICY, force=force))

    assert untouched(world, before)


def test_a_plan_that_would_break_a_link_is_never_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Rearrangement(Layout(()), Relinked({}, (), ()), (), findings=("a.md:3: b.md would lead nowhere",))
    monkeypatch.setattr(rearranging, "split_large", lambda *_: broken)
    world = FakeWorld({FACTS: page()}, log("W: one"))

    with pytest.raises(InvariantError, match="would lead nowhere"):
        cycle(world, "reflect")

    assert untouched(world, {FACTS: page()})


# what vanished


def vanished(count: int, *, policy: Policy = POLICY, closed: Iterable[str] = (), held: int = 0) -> tuple[int, int]:
    """Of so many memories that are gone from a bank that holds others: how many are noted as deleted, how many warnings."""
    world = FakeWorld({FACTS: numbered(held)[1]})
    world.disk.closed = dict.fromkeys(closed, "cannot be read")
    for n in range(count):
        world.transactions.note(KEPT, f"m-gone{n:08}", NOW, log=LOG)
    plan = cycle(world, policy=policy).plan
    return len(plan.deleted), len(plan.warnings)


def test_memories_that_are_gone_are_taken_for_deleted_by_hand() -> None:
    assert vanished(3) == (3, 0)


def test_so_many_that_the_bank_itself_must_be_gone_are_not_until_a_person_says_so() -> None:
    assert (vanished(20), vanished(21)) == ((20, 0), (0, 1))
    assert (vanished(30, held=300), vanished(31, held=300)) == ((30, 0), (0, 1))
    assert vanished(500, policy=replace(POLICY, force=True)) == (500, 0)


def test_none_are_while_a_page_cannot_be_read_for_it_may_hold_them() -> None:
    assert vanished(3, closed=["bank/other.md"]) == (0, 0)


# what a reflect cycle does besides


def test_a_plan_that_takes_out_more_than_the_budget_is_refused_unless_a_person_says_so() -> None:
    world = FakeWorld({OPINIONS: page(*(f"O(c=0.40@2026-01-01): Tea {n}. ^m-{n:012}" for n in range(21)))})
    forced = replace(POLICY, force=True)
    plan = cycle(world, "reflect", forced, dry_run=True).plan

    with pytest.raises(RefusedError, match="take 21 of 21 memories"):
        check_plan(plan, world.catalog, world.graph, POLICY)
    check_plan(plan, world.catalog, world.graph, forced)


def test_a_page_that_cannot_be_written_now_is_not_split() -> None:
    world = FakeWorld({FACTS: numbered(600)[1]})
    world.disk.closed = {FACTS: "changed less than 5 s ago"}

    assert cycle(world, "reflect").plan.rearranged is None


@pytest.mark.parametrize(("pages", "ours", "is_split"), [("own", 2, True), ("own", 1, False), ("all", 1, True)])
def test_a_page_is_split_unasked_when_most_of_its_memories_are_ours(pages: str, ours: int, is_split: bool) -> None:
    ids = [f" ^m-{n:012}" if n < ours else "" for n in range(3)]
    text = "# Facts\n" + "".join(f"\n## Part {n}\n\n- W: {'y' * 900}{id_}\n" for n, id_ in enumerate(ids))
    policy = settings(split=SplitPolicy(warn_kib=1, split_kib=2, pages=pages))

    report = cycle(FakeWorld({FACTS: text}), "reflect", policy)

    assert bool(report.plan.rearranged) is is_split


@pytest.mark.parametrize(("more", "is_named"), [(-1, False), (0, True), (1023, True), (1024, False)])
def test_a_page_is_named_from_the_size_of_a_warning_on_until_it_is_split(more: int, is_named: bool) -> None:
    start = page("W: x ^m-aaaaaaaaaaaa", "W:  ^m-bbbbbbbbbbbb")
    text = start.replace("W:  ", "W: " + "y" * (1024 + more - len(start)) + " ")
    assert len(text) == 1024 + more
    world = FakeWorld({FACTS: text})

    notes = cycle(world, "reflect", settings(split=SplitPolicy(warn_kib=1, split_kib=2))).notes

    assert bool([note for note in notes if note.startswith(f"{FACTS} has ")]) is is_named


# lines that are edited in their log


def test_an_edited_line_waits_while_the_page_of_its_memory_cannot_be_written_and_is_followed_then() -> None:
    world = FakeWorld({}, log("W: The prot is 8080.", "W: one"))
    cycle(world)
    before = dict(world.disk.pages)
    world.disk.logs |= log("W: The port is 8080.", "W: one")
    world.disk.closed[FACTS] = "locked"

    waiting = cycle(world)

    assert [item.what for item in waiting.plan.deferred if item.what.startswith("memory/")] == [f"memory/{LOG}:1"]
    assert world.disk.pages == before
    del world.disk.closed[FACTS]
    cycle(world)
    assert world.disk.pages == {FACTS: before[FACTS].replace("prot", "port")}


def test_a_memory_that_follows_its_line_is_not_compared_with_as_it_was() -> None:
    world = FakeWorld({}, log("W: The port is 8080.", "W: one"))
    cycle(world)
    world.disk.logs |= log("W: The port is 9090.", "W: one", "W: The port is 8081.")

    report = cycle(world)

    assert [item.line.place.line for item in report.plan.revised] == [1]
    assert [update.old for update in report.plan.updates] == []
    assert "The port is 8080" not in world.disk.pages[FACTS]
