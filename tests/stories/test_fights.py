"""A page that something changes back after each run: bankd steps aside, says so, and loses nothing by it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bankd.system.clock import utc_now
from tests.stories.conftest import Run, write_log

PAGE = "bank/patterns/workflows.md"


@pytest.fixture
def page(root: Path, bankctl: Run) -> Path:
    """A page that the last reflect run has split, and which a tool then put back three times."""
    (root / "bankd.yaml").write_text("settle_seconds: 0\nsearch: {analyser: lexicon}\n")
    page = root / PAGE
    sections = (f"## Part {n}\n\n" + f"- W: {'step ' * 400}of part {n} ^m-part{n:08}\n\n" for n in range(9))
    page.write_text("# Workflows\n\n" + "".join(sections))
    before = page.read_text()
    for _ in range(4):
        assert bankctl("cycle", "reflect").code == 0
        assert page.read_text() != before
        page.write_text(before)
    return page


def test_a_page_that_is_fought_over_is_left_alone_and_named_with_what_to_do(page: Path, bankctl: Run) -> None:
    fought = page.read_text()
    run = bankctl("cycle", "micro")
    status, doctor = bankctl("status"), bankctl("doctor")

    assert page.read_text() == fought
    assert f"! left alone {PAGE}" in run.out
    assert "left alone until" in run.out
    for said in (status, doctor):
        assert said.code == 3
        assert f"{PAGE} was changed back each time it was written" in said.out


def test_what_is_new_for_it_waits_and_lands_when_it_has_had_its_rest(root: Path, page: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "W: The deploy workflow runs at noon.", "S: 가치관: 정직을 최우선으로 한다.")
    counts = bankctl("cycle", "micro", "--json").json["counts"]
    later = (utc_now() + timedelta(minutes=11)).isoformat()
    after = bankctl("cycle", "micro", "--now", later, "--json").json["counts"]
    again = bankctl("cycle", "micro", "--now", later, "--json").json["counts"]

    assert counts == {"learned": 1, "waiting": 1, "left alone": 1}
    assert (after, again) == ({"learned": 1}, {})
    assert "^m-part" not in page.read_text()
    assert bankctl("doctor", "verify").code == 0


def test_a_person_may_change_it_all_the_same(page: Path, bankctl: Run) -> None:
    bankctl("cycle", "micro")

    assert bankctl("page", "move", PAGE, "bank/patterns/flows.md").code == 0
    assert not page.exists()
