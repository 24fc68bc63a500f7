"""A page that fell to nothing may be half a save: what only stood there waits for a day, and nothing else waits with it."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from tests.stories.conftest import Run, learn

WORKFLOWS, PROFILE = "bank/patterns/workflows.md", "bank/identity/profile.md"
HOURS_LATER, DAYS_LATER = "2026-06-10T09:00", "2026-06-12T09:00"


@pytest.fixture
def emptied(root: Path, bankctl: Run) -> Path:
    """A page with two memories that was emptied, beside one with another."""
    about = (
        "The deploy workflow has 2 steps.",
        "The release workflow has a sign-off.",
        "My full name is Kim Hanbit; born in Busan, works as a developer.",
    )
    learn(root, bankctl, "2026-05-02.md", *(f"W: {text}" for text in about))
    assert (len(memories(root / WORKFLOWS)), len(memories(root / PROFILE))) == (2, 1)
    return root / WORKFLOWS


def save(page: Path, text: str) -> None:
    page.write_text(text)
    moment = datetime.fromisoformat(HOURS_LATER).timestamp() - 600
    os.utime(page, (moment, moment))


def memories(page: Path) -> list[str]:
    return [line for line in page.read_text().splitlines(keepends=True) if "^m-" in line]


def counts(bankctl: Run, now: str) -> dict[str, int]:
    return dict(bankctl("cycle", "micro", "--now", now, "--json").json["counts"])


def test_a_page_whose_memories_were_all_taken_elsewhere_is_believed(root: Path, emptied: Path, bankctl: Run) -> None:
    other = root / PROFILE
    save(other, other.read_text() + "".join(memories(emptied)))
    save(emptied, "")

    assert counts(bankctl, HOURS_LATER) == {}
    assert bankctl("doctor", "verify").code == 0


def test_what_was_deleted_elsewhere_is_noted_and_what_only_stood_on_the_empty_page_waits(
    root: Path, emptied: Path, bankctl: Run
) -> None:
    other, moved = root / PROFILE, memories(emptied)[0]
    save(other, "# Profile\n\n" + moved)
    save(emptied, "")

    assert counts(bankctl, HOURS_LATER) == {"deleted": 1, "waiting": 1}
    assert counts(bankctl, DAYS_LATER) == {"deleted": 1}


def test_an_empty_page_that_is_renamed_keeps_nothing_of_what_stood_on_it(emptied: Path, bankctl: Run) -> None:
    save(emptied, "")
    assert counts(bankctl, HOURS_LATER) == {"waiting": 1}
    emptied.rename(emptied.with_name("renamed.md"))

    assert counts(bankctl, HOURS_LATER)["deleted"] == 2
    assert bankctl("doctor", "verify").code == 0


def test_a_save_that_ends_later_brings_back_all(emptied: Path, bankctl: Run) -> None:
    text = emptied.read_text()
    save(emptied, "")
    counts(bankctl, HOURS_LATER)
    save(emptied, text)

    assert counts(bankctl, HOURS_LATER) == {}
    assert bankctl("doctor", "verify").code == 0


def test_what_only_stood_on_the_empty_page_waits_and_is_not_called_lost(emptied: Path, bankctl: Run) -> None:
    emptied.write_text("")  # now: verify has no clock to be told another time
    bankctl("cycle", "micro")

    found = bankctl("doctor", "verify")

    assert (found.code, "lost" in found.out) == (0, False)
    assert (
        f"waits  {WORKFLOWS}  is empty, perhaps cut by an unfinished save; 2 memories stood on it, taken for deleted after 1 day"
        in found.out
    )
    assert bankctl("doctor", "verify", "--json").json["emptied"] == [{"page": WORKFLOWS, "memories": 2, "days": 1}]
