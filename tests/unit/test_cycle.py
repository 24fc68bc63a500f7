"""The story of a run in a small world: what it learns, keeps, refuses, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bankd import same as comparing
from bankd.app.index import RunIndex
from bankd.cycle import CycleKind, Policy, Report, check_plan
from bankd.errors import InvariantError, RefusedError
from bankd.layouts import rearrange as rearranging
from bankd.layouts.links import Relinked
from bankd.layouts.merge import Layout
from bankd.layouts.rearrange import Rearrangement
from bankd.memory.ledger import KEPT
from bankd.memory.retain import read_log
from bankd.memory.route import Rules
from bankd.same import read_statement
from bankd.search.request import KeptAnswer
from bankd.settings import BudgetPolicy, DedupPolicy, Settings, SplitPolicy
from bankd.storage.transactions import TransactionWriter
from bankd.words.statement import Statement, plain_wording
from bankd.workspace.catalog import PageMemoryCatalog
from bankd.workspace.graph import LinkGraph
from bankd.workspace.logs import LogFiles
from tests.examples import examples
from tests.small_world import SmallWorld

NOW = datetime(2026, 5, 5, 3, tzinfo=UTC)
LOG, FACTS, OPINIONS = "2026-05-04.md", "bank/world/facts.md", "bank/opinions.md"
RULES = Rules((), {"W": "world/facts.md", "O": "opinions.md"})
POLICY = Policy(Settings(), RULES)


Make = Callable[..., SmallWorld]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """What makes a world of pages and logs."""
    numbers = count()
    return lambda *given: SmallWorld(tmp_path / str(next(numbers)), *given)


def cycle(
    world: SmallWorld, kind: CycleKind = "micro", policy: Policy = POLICY, *, now: datetime = NOW, **more: Any
) -> Report:
    return world.run(kind, now, policy, **more)


def settings(**parts: Any) -> Policy:
    return replace(POLICY, settings=Settings(**parts))


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


# what a run does, in which order


def test_a_page_whose_name_differs_in_case_alone_is_the_page_of_the_rule(make: Make) -> None:
    world = make({"bank/World/Facts.md": "# Facts\n"}, log("W: The port is 8080."))

    cycle(world)

    assert [*world.pages] == ["bank/World/Facts.md"]
    assert "The port is 8080." in world.pages["bank/World/Facts.md"]


def test_a_new_line_becomes_a_memory_with_its_event_and_the_log_is_marked_as_read(make: Make) -> None:
    world = make({}, log("W: The port is 8080.", "O(c=0.9) @Peter: Likes tea.", "S: nobody's"))
    port, tea, nobody = ids("W: The port is 8080.", "O @Peter: Likes tea.", "S: nobody's")

    assert cycle(world).is_applied
    assert world.pages == {
        FACTS: f"# Facts\n\n- W: The port is 8080. ^{port}\n",
        "bank/entities/Peter.md": f"# Peter\n\n- O(c=0.90@2026-05-04) @Peter: Likes tea. ^{tea}\n",
        "bank/_meta/inbox.md": f"# Inbox\n\n## 2026-05-04\n\n- S: nobody's ^{nobody}\n",
    }
    assert world.events() == [(KEPT, port), (KEPT, tea), (KEPT, nobody)]
    assert world.unread(NOW) == []


@pytest.mark.parametrize(("lines", "looks"), [(0, [1_000]), (30, [970]), (1_000, [])])
def test_a_run_compares_fewer_memories_the_more_lines_it_took_in(
    make: Make, lines: int, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, asked = make({}, log(*(f"W: thing {n} of {n * 7}" for n in range(lines)))), []
    monkeypatch.setattr(PageMemoryCatalog, "changed_since_look", lambda _, __, most: asked.append(most) or {})
    cycle(world, policy=replace(POLICY, force=True))

    assert asked == looks


STEPS = ((LogFiles, "mark_read"), (TransactionWriter, "commit"), (PageMemoryCatalog, "refresh"), (LinkGraph, "refresh"), (RunIndex, "refresh"))  # fmt: skip


@pytest.mark.parametrize(("kind", "steps"), examples("commands", "steps of a run"))
def test_a_log_is_marked_as_read_after_its_lines_are_written_and_before_the_index_is_refreshed(
    kind: CycleKind, steps: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    for part, step in STEPS:
        name, method = f"{part.__module__.rpartition('.')[2]}.{step}", getattr(part, step)
        noted = lambda *given, name=name, method=method: done.append(name) or method(*given)  # noqa: E731
        monkeypatch.setattr(part, step, noted)
    cycle(make({}, log("W: one")), kind)

    assert " ".join(done) == steps


# what a line may be


def test_a_memory_that_the_bank_has_and_the_events_lack_is_not_written_again(make: Make) -> None:
    one = ids("W: one")[0]
    world = make({OPINIONS: page(f"W: one, reworded ^{one}")}, log("W: one"))
    before = world.pages

    report = cycle(world)

    assert [(item.line.id, f"bank/{item.destination.page}") for item in report.plan.repaired] == [(one, OPINIONS)]
    assert (world.pages, world.events()) == (before, [(KEPT, one)])


def test_a_line_that_cannot_be_compared_is_kept_and_named_and_stops_no_other(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make(
        {FACTS: page("W: The port is 8080. ^m-aaaaaaaaaaaa")}, log("W: The port is odd", "W: The port is 8081.")
    )
    odd, bug = read_statement(plain_wording("The port is odd")), "this is a bug in bankd (ZeroDivisionError())"
    compare = comparing.compare_statements

    def fail(old: Statement, new: Statement, *rest: float) -> comparing.Likeness:
        if odd in (old, new):
            raise ZeroDivisionError
        return compare(old, new, *rest)

    monkeypatch.setattr(comparing, "compare_statements", fail)
    plan = cycle(world).plan

    assert [p.line.memory.text for p in plan.placements] == ["The port is odd", "The port is 8081."]
    assert [update.old for update in plan.updates] == ["m-aaaaaaaaaaaa"]
    assert plan.warnings == (f"memory/{LOG}:1: kept without being compared with what is known: {bug}",)


def test_the_threshold_of_the_settings_decides_what_is_compared(make: Make) -> None:
    pages = {FACTS: page("W: Peter really likes green tea ^m-aaaaaaaaaaaa")}
    line = log("W: Peter likes green tea")
    blocked = [
        len(cycle(make(pages, line), policy=settings(dedup=DedupPolicy(threshold))).plan.blocked)
        for threshold in (80, 90)
    ]

    assert blocked == [1, 0]


def test_what_answered_a_search_is_noted_once_a_day_and_only_while_it_is_held(make: Make) -> None:
    world = make({FACTS: page("W: one ^m-aaaaaaaaaaaa")})
    day = date(2026, 5, 4)
    recalls = SimpleNamespace(answers=lambda: [KeptAnswer(day, (f"m-{letter * 12}",)) for letter in "ab"])

    assert cycle(world, recalls=recalls).plan.recalled == (("m-aaaaaaaaaaaa", day),)
    assert cycle(world, recalls=recalls).plan.is_empty


# what waits


# what is refused


def take_in_batches(world: SmallWorld, most: int, *, force: bool = False) -> Iterator[list[str]]:
    """What each run learns until nothing is left for another."""
    policy = replace(settings(budget=BudgetPolicy(max_added_lines=most)), force=force)
    for _ in range(20):
        report = cycle(world, policy=policy)
        yield [p.line.memory.text for p in report.plan.placements]
        if report.rest is None:
            return
        policy = replace(policy, start=report.rest)


def test_history_is_taken_in_by_days_in_batches_of_what_one_run_may_add(make: Make) -> None:
    logs = {
        "b/2026-05-01.md": "- W: one\n- W: two\n",
        "a/2026-05-02.md": "- W: three\n- W: four\n",
        "z.md": "- W: five\n",
    }
    world = make({}, logs)

    assert list(take_in_batches(world, 2)) == [["one", "two"], ["three", "four"], ["five"]]
    assert world.unread(NOW) == []


def test_a_log_is_divided_where_it_is_more_than_one_run_may_add_and_looked_at_once_more(make: Make) -> None:
    world = make({}, {LOG: "- W: one\n- W: two\n- W: three\n  with more\n- W: four\n", "z.md": "- W: five\n"})

    assert list(take_in_batches(world, 2)) == [["one", "two"], ["three\nwith more"], ["four"], ["five"]]
    assert world.unread(NOW) == [LOG]
    assert list(take_in_batches(world, 2)) == [[]]
    assert world.unread(NOW) == []


def test_lines_that_wait_do_not_hold_up_the_batches_after_them(make: Make) -> None:
    world = make({FACTS: page()}, {LOG: "- W: one\n- W: two\n- W: three\n- O(c=0.9): four\n"})
    world.close(FACTS)

    assert list(take_in_batches(world, 2)) == [[], ["four"]]
    world.open()
    assert list(take_in_batches(world, 2)) == [["one", "two"], ["three"]]


def test_only_the_lines_of_a_batch_are_screened_in_it(make: Make) -> None:
    world = make({}, {LOG: "- W: one\n- W: two\n- W: the password is hunter2Hunter2\n"})
    policy = settings(budget=BudgetPolicy(max_added_lines=2))

    first = cycle(world, policy=policy)
    assert first.rest is not None
    second = cycle(world, policy=replace(policy, start=first.rest))

    assert [len(report.plan.withheld) for report in (first, second)] == [0, 1]


def test_a_forced_run_takes_in_ten_times_as_much(make: Make) -> None:
    world = make({}, {LOG: "".join(f"- W: fact number {n}\n" for n in range(25))})

    assert [len(learned) for learned in take_in_batches(world, 2, force=True)] == [20, 5]


def test_a_dry_run_plans_all_at_once(make: Make) -> None:
    world = make({}, log("W: one", "W: two", "W: three"))

    report = cycle(world, policy=settings(budget=BudgetPolicy(max_added_lines=2)), dry_run=True)

    assert len(report.plan.placements) == 3
    assert report.rest is None


@pytest.mark.parametrize("force", [False, True])
def test_a_plan_that_would_lose_a_line_is_never_carried_out(
    make: Make, force: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {FACTS: page(f"W: something else ^{ids('W: one')[0]}")}
    world = make(before, log("W: one", "O(c=0.9): two"))
    monkeypatch.setattr(PageMemoryCatalog, "pages_of", lambda *_: {})  # as a stale catalogue

    with pytest.raises(InvariantError, match=f"memory/{LOG}:1 would not be read back from world/facts.md"):
        cycle(world, policy=replace(POLICY, force=force))

    assert (world.pages, world.events(), world.unread(NOW)) == (before, [], [LOG])


def test_a_plan_that_would_break_a_link_is_never_carried_out(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Rearrangement(Layout(()), Relinked({}, (), ()), (), findings=("a.md:3: b.md would lead nowhere",))
    monkeypatch.setattr(rearranging, "split_large", lambda *_: broken)
    world = make({FACTS: page()}, log("W: one"))

    with pytest.raises(InvariantError, match="would lead nowhere"):
        cycle(world, "reflect")

    assert (world.pages, world.events(), world.unread(NOW)) == ({FACTS: page()}, [], [LOG])


# what vanished


@pytest.mark.parametrize(("gone", "held", "force", "hides", "deleted"), examples("arguments", "gone"))
def test_memories_that_are_gone_are_taken_for_deleted_by_hand_but_not_the_bank_itself(
    make: Make, gone: str, held: str, force: str, hides: str, deleted: str
) -> None:
    """So many that the bank itself, or most of it, must be gone need a person's word; none are while a page that cannot be read may hold them."""
    world = make({FACTS: numbered(int(held))[1]})
    if hides == "yes":
        (world.root / "bank/other.md").symlink_to("/dev/null")
    for n in range(int(gone)):
        world.note(KEPT, f"m-gone{n:08}", NOW, log=LOG)
    plan = cycle(world, policy=replace(POLICY, force=force == "yes")).plan

    warns = deleted == hides == "no"
    assert (len(plan.deleted), len(plan.warnings)) == (int(gone) * (deleted == "yes"), int(warns))


# what a reflect cycle does besides


def test_a_plan_that_takes_out_more_than_the_budget_is_refused_unless_a_person_says_so(make: Make) -> None:
    world = make({OPINIONS: page(*(f"O(c=0.40@2026-01-01): Tea {n}. ^m-{n:012}" for n in range(21)))})
    forced = replace(POLICY, force=True)
    plan = cycle(world, "reflect", forced, dry_run=True).plan

    with world.opened(NOW) as workspace:
        with pytest.raises(RefusedError, match="take 21 of 21 memories"):
            check_plan(plan, workspace.catalog, workspace.graph, POLICY)
        check_plan(plan, workspace.catalog, workspace.graph, forced)


def test_a_page_that_cannot_be_written_now_is_not_split(make: Make) -> None:
    world = make({FACTS: numbered(600)[1]})
    world.close(FACTS)

    assert cycle(world, "reflect").plan.rearranged is None


@pytest.mark.parametrize(("pages", "ours", "is_split"), [("own", 2, True), ("own", 1, False), ("all", 1, True)])
def test_a_page_is_split_unasked_when_most_of_its_memories_are_ours(
    make: Make, pages: str, ours: int, is_split: bool
) -> None:
    ids = [f" ^m-{n:012}" if n < ours else "" for n in range(3)]
    text = "# Facts\n" + "".join(f"\n## Part {n}\n\n- W: {'y' * 900}{id_}\n" for n, id_ in enumerate(ids))
    policy = settings(split=SplitPolicy(warn_kib=1, split_kib=2, pages=pages))

    assert bool(cycle(make({FACTS: text}), "reflect", policy).plan.rearranged) is is_split


@pytest.mark.parametrize(("more", "is_named"), [(-1, False), (0, True), (1023, True), (1024, False)])
def test_a_page_is_named_from_the_size_of_a_warning_on_until_it_is_split(make: Make, more: int, is_named: bool) -> None:
    start = page("W: x ^m-aaaaaaaaaaaa", "W:  ^m-bbbbbbbbbbbb")
    text = start.replace("W:  ", "W: " + "y" * (1024 + more - len(start)) + " ")
    assert len(text) == 1024 + more
    world = make({FACTS: text})

    notes = cycle(world, "reflect", settings(split=SplitPolicy(warn_kib=1, split_kib=2))).notes

    assert bool([note for note in notes if note.startswith(f"{FACTS} has ")]) is is_named


# lines that are edited in their log


def test_an_edited_line_waits_while_the_page_of_its_memory_cannot_be_written_and_is_followed_then(make: Make) -> None:
    world = make({}, log("W: The prot is 8080.", "W: one"))
    cycle(world)
    before = world.pages
    world.write(f"memory/{LOG}", log("W: The port is 8080.", "W: one")[LOG])
    world.close(FACTS)

    waiting = cycle(world)

    assert [item.what for item in waiting.plan.deferred if item.what.startswith("memory/")] == [f"memory/{LOG}:1"]
    assert world.pages == before
    world.open()
    cycle(world)
    assert world.pages == {FACTS: before[FACTS].replace("prot", "port")}


def test_a_memory_that_follows_its_line_is_not_compared_with_as_it_was(make: Make) -> None:
    world = make({}, log("W: The port is 8080.", "W: one"))
    cycle(world)
    world.write(f"memory/{LOG}", log("W: The port is 9090.", "W: one", "W: The port is 8081.")[LOG])

    report = cycle(world)

    assert [item.line.place.line for item in report.plan.revised] == [1]
    assert [update.old for update in report.plan.updates] == []
    assert "The port is 8080" not in world.pages[FACTS]


def test_a_log_that_took_the_name_of_another_has_none_of_its_lines(make: Make) -> None:
    world = make({}, log("W: The port is 8080.", "W: one"))
    cycle(world)
    (world.root / "memory" / LOG).rename(world.root / "memory/moved.md")
    cycle(world)
    world.write(f"memory/{LOG}", log("W: The port is 8081.", "W: one")[LOG])
    taken = cycle(world)
    world.write("memory/moved.md", log("W: The port is 8082.", "W: one")[LOG])
    first = cycle(world)

    assert [report.plan.revised for report in (taken, first)] == [(), ()]
    assert "The port is 8080." in world.pages[FACTS]
