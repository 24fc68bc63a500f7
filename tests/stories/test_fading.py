"""Opinions fade by dates alone and go to the archive, from where nothing comes back by itself."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.stories.conftest import Run, tree_state, write_log

START = "2026-05-02T03:00"


def test_an_opinion_goes_to_the_archive_on_the_day_that_arithmetic_says(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.80) @Peter: Prefers concise replies.", "O: Rust is better than Go")
    bankctl("cycle", "reflect", "--now", START)

    held = bankctl("cycle", "reflect", "--now", "2026-05-27T03:00", "--json").json  # 0.80 - 25 * 0.02 = 0.30
    gone = bankctl("cycle", "reflect", "--now", "2026-05-28T03:00", "--json").json

    assert held["counts"] == {}
    assert gone["counts"] == {"archived": 1}
    assert "concise" not in (root / "bank/opinions/preferences.md").read_text(encoding="utf-8")
    archived = (root / "archive/opinions/preferences.md").read_text(encoding="utf-8")
    assert "- O(c=0.80@2026-05-02) @Peter: Prefers concise replies. ^m-" in archived
    before = tree_state(root)
    shutil.rmtree(root / ".bankd")
    assert bankctl("cycle", "reflect", "--now", "2026-05-29T03:00", "--json").json["counts"] == {}
    assert tree_state(root) == before


def test_a_micro_cycle_archives_nothing(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.31) @Peter: Prefers concise replies.")
    bankctl("cycle", "micro", "--now", START)

    assert bankctl("cycle", "micro", "--now", "2026-08-01T03:00", "--json").json["counts"] == {}


def test_what_is_pinned_or_no_opinion_stays(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.31) @Peter: Prefers tea #pinned", "W(c=0.31): the sky is blue")
    bankctl("cycle", "reflect", "--now", START)

    assert bankctl("cycle", "reflect", "--now", "2027-05-01T03:00", "--json").json["counts"] == {}


def test_a_hand_edited_confidence_starts_anew(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.40) @Peter: Prefers concise replies.")
    bankctl("cycle", "reflect", "--now", START)
    page = root / "bank/opinions/preferences.md"
    page.write_text(page.read_text(encoding="utf-8").replace("c=0.40@2026-05-02", "c=0.9"), encoding="utf-8")

    bankctl("cycle", "reflect", "--now", "2026-05-20T03:00")

    assert "O(c=0.9@2026-05-20) @Peter" in page.read_text(encoding="utf-8")


def test_a_faded_opinion_without_id_is_named_first_and_archived_next(root: Path, bankctl: Run) -> None:
    page = root / "bank/opinions/beliefs.md"
    page.write_text("# Beliefs\n\n- O(c=0.40@2026-01-01): old\n  belief\n  - detail\n- kept\n", encoding="utf-8")

    first = bankctl("cycle", "reflect", "--now", START, "--json").json["counts"]
    second = bankctl("cycle", "reflect", "--now", "2026-05-03T03:00", "--json").json["counts"]

    assert (first, second) == ({"named": 1}, {"archived": 1})
    assert page.read_text(encoding="utf-8") == "# Beliefs\n\n- kept\n"
    archived = (root / "archive/opinions/beliefs.md").read_text(encoding="utf-8")
    assert archived.startswith("# Beliefs\n\n- O(c=0.40@2026-01-01): old\n  belief ^m-")
    assert archived.endswith("\n  - detail\n")


def test_many_at_once_are_not_archived_unasked(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", *(f"O(c=0.40) @P{n}: Prefers number {n}" for n in range(30)))
    bankctl("cycle", "reflect", "--now", START)

    refused = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json").json
    forced = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json", "--force").json

    assert refused["counts"] == {"warning": 1}
    assert "30 of 30" in refused["rows"][0]["reason"]
    assert forced["counts"] == {"archived": 30}
