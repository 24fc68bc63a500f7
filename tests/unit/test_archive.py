"""What may leave the bank, and where it comes back to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bankd.edits.operations import Replace
from bankd.memory.archive import (
    ArchiveCandidate,
    Archived,
    Merged,
    Reason,
    Resident,
    find_archivable,
    goes_by_itself,
    restore_place,
)
from bankd.memory.plan import Plan
from bankd.memory.use import Fading, UseSignals
from bankd.pages.memory import Confidence, Memory
from bankd.pages.names import Names
from bankd.pages.page import MemoryLines, Page, read_page

TODAY = date(2026, 11, 21)
FADING = Fading(per_day=2, floor=30)
PLAIN = Resident("m-a", "bank/opinions/tea.md", Memory("prefers tea", "O", Confidence(90, TODAY)), kept=TODAY)
FADED = replace(
    PLAIN, memory=Memory("prefers tea", "O", Confidence(100, TODAY - timedelta(36))), kept=TODAY - timedelta(7)
)
OLDER = replace(FADED, memory=Memory("prefers tea", "O", Confidence(100, TODAY - timedelta(37))))
UNUSED = replace(PLAIN, kept=TODAY - timedelta(91))


def reasons(resident: Resident, *, clock_frozen: bool = False) -> list[Reason]:
    return [found.reason for found in find_archivable([resident], TODAY, FADING, clock_frozen=clock_frozen)]


@pytest.mark.parametrize(
    ("resident", "expected"),
    [
        (PLAIN, []),
        (replace(PLAIN, superseded_by="m-b"), [Reason.SUPERSEDED]),
        (FADED, [Reason.FADED]),
        (replace(FADED, kept=TODAY - timedelta(6)), []),
        (replace(FADED, kept=None), [Reason.FADED]),
        (replace(FADED, restored=TODAY - timedelta(29)), []),
        (replace(PLAIN, superseded_by="m-b", restored=TODAY - timedelta(29)), []),
        (replace(FADED, restored=TODAY - timedelta(30)), [Reason.FADED]),
        (UNUSED, [Reason.UNUSED]),
        (replace(UNUSED, kept=TODAY - timedelta(90)), []),
        (replace(UNUSED, used=TODAY - timedelta(3)), []),
        (replace(UNUSED, used=TODAY - timedelta(91), signals=UseSignals(used=[TODAY - timedelta(91)])), []),
        (replace(UNUSED, signals=UseSignals(importance=1)), []),
        (replace(OLDER, signals=UseSignals(used=[TODAY - timedelta(6)])), []),
        (replace(OLDER, signals=UseSignals(used=[TODAY - timedelta(7)])), [Reason.FADED]),
        (replace(UNUSED, kept=None), []),
        (replace(FADED, memory=replace(FADED.memory, text="prefers tea #pinned")), []),
        (replace(UNUSED, memory=replace(UNUSED.memory, text="prefers tea #pinned")), []),
        (replace(PLAIN, memory=replace(PLAIN.memory, text="prefers tea #pinned"), superseded_by="m-b"), []),
    ],
)
def test_candidates_are_superseded_faded_or_unused(resident: Resident, expected: list[Reason]) -> None:
    assert reasons(resident) == expected


def test_nothing_goes_for_its_age_while_the_clock_is_not_believed() -> None:
    superseded = replace(PLAIN, superseded_by="m-b")

    assert reasons(FADED, clock_frozen=True) == reasons(UNUSED, clock_frozen=True) == []
    assert reasons(superseded, clock_frozen=True) == [Reason.SUPERSEDED]


def test_by_itself_only_what_faded_goes_and_what_was_derived_from_what_is_gone() -> None:
    of = {reason: ArchiveCandidate(PLAIN, reason, "", 1.0) for reason in Reason}
    going = [reason for reason in Reason if goes_by_itself(of[reason], archives_superseded=False)]

    assert going == [Reason.FADED, Reason.UNSUPPORTED]
    assert goes_by_itself(of[Reason.SUPERSEDED], archives_superseded=True)
    assert not goes_by_itself(of[Reason.UNUSED], archives_superseded=True)


PAGE = "bank/knowledge/full.md"
STONE = MemoryLines(PAGE, "", ("Full", "Tools"), after=("m-w",))


def page(path: str, *rows: str) -> Page:
    return read_page(path, "\n\n".join(rows).encode())


HUB, PEOPLE = page(PAGE, "# Full"), page("bank/knowledge/full/people.md", "# People", "- W: p ^m-p")
MONTH = page("bank/knowledge/full/2026-05.md", "# Full", "- W: a ^m-a", "- W: w ^m-w")
TOOLS = page("bank/knowledge/full/tools.md", "# Tools", "- W: t ^m-t")


@pytest.mark.parametrize(
    ("standings", "expected"),
    [
        ([page(PAGE, "# Full", "## Tools", "- W: w ^m-w")], (PAGE, ("Full", "Tools"))),
        ([], (PAGE, ("Full", "Tools"))),
        ([HUB, PEOPLE, TOOLS], ("bank/knowledge/full/tools.md", ("Tools",))),
        ([HUB, MONTH, TOOLS], ("bank/knowledge/full/2026-05.md", ())),
        ([page("bank/knowledge/fuller.md", "# Full", "## Tools", "- W: w ^m-w")], (PAGE, ("Full", "Tools"))),
    ],
)
def test_what_comes_back_goes_where_its_neighbours_are(
    standings: list[Page], expected: tuple[str, tuple[str, ...]]
) -> None:
    assert restore_place(STONE, {standing.path: standing for standing in standings}) == expected


def test_what_is_merged_into_another_goes_there_too() -> None:
    gone = Archived("m-a", MemoryLines("bank/TEA.md", "- W: Tea. ^m-a", ("Tea",)), "faded")
    plan = Plan(
        "r", datetime(2026, 11, 21, tzinfo=UTC), merged=(Merged(Replace("bank/b.md", "m-b", "- b", "- b."), (gone,)),)
    )

    (merged,) = plan.into_archive(Names(["bank/TEA.md", "archive/tea.md"])).merged

    assert merged.sources[0].archive == "archive/tea.md"
