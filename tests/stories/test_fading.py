"""Opinions fade by dates alone and go to the archive, from where nothing comes back by itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.stories.conftest import Run, learn, tree_state, write_log

START = "2026-05-02T03:00"


def test_an_opinion_goes_to_the_archive_on_the_day_that_arithmetic_says(root: Path, bankctl: Run) -> None:
    write_log(
        root, "2026-05-01.md", "O(c=0.80) @Peter: Believes that short answers are right.", "O: Rust is better than Go"
    )
    bankctl("cycle", "reflect", "--now", START)

    far = bankctl("cycle", "reflect", "--now", "2026-05-19T03:00", "--json").json
    held = bankctl("cycle", "reflect", "--now", "2026-05-26T03:00", "--json").json  # 0.80 - 25 * 0.02 = 0.30
    gone = bankctl("cycle", "reflect", "--now", "2026-05-27T03:00", "--json").json

    assert far["counts"] == {}
    assert held["counts"] == {"fading": 1}
    assert held["rows"][0]["reason"].startswith("fades on 2026-05-27: to keep it say it again")
    assert gone["counts"] == {"archived": 1}
    assert "short answers" not in (root / "bank/opinions/beliefs.md").read_text(encoding="utf-8")
    archived = (root / "archive/opinions/beliefs.md").read_text(encoding="utf-8")
    assert "- O(c=0.80@2026-05-01) @Peter: Believes that short answers are right. ^m-" in archived
    before = tree_state(root)
    shutil.rmtree(root / ".bankd")
    assert bankctl("cycle", "reflect", "--now", "2026-05-28T03:00", "--json").json["counts"] == {}
    assert tree_state(root) == before


def test_what_is_pinned_or_no_opinion_stays(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.31) @Peter: Prefers tea #pinned", "W(c=0.31): the sky is blue")
    bankctl("cycle", "reflect", "--now", START)

    assert bankctl("cycle", "reflect", "--now", "2027-05-01T03:00", "--json").json["counts"] == {}


def test_a_hand_edited_confidence_starts_anew(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.40) @Peter: Believes that short answers are right.")
    bankctl("cycle", "reflect", "--now", START)
    page = root / "bank/opinions/beliefs.md"
    page.write_text(page.read_text(encoding="utf-8").replace("c=0.40@2026-05-01", "c=0.9"), encoding="utf-8")

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
    write_log(root, "2026-05-01.md", *(f"O(c=0.40) @P{n}: Believes that {n} is right" for n in range(30)))
    bankctl("cycle", "reflect", "--now", START)

    refused = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json").json
    forced = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json", "--force").json

    assert refused["counts"] == {"warning": 1}
    assert "30 of 30" in refused["rows"][0]["reason"]
    assert forced["counts"] == {"archived": 30}


def test_opinions_of_an_old_log_stay_a_week_and_are_announced_before_they_go(root: Path, bankctl: Run) -> None:
    write_log(root, "2025-05-01.md", "O(c=0.80) @Peter: Believes that short answers are right.")

    taken = bankctl("cycle", "reflect", "--now", "2026-05-02T03:00", "--json").json
    counts = [
        bankctl("cycle", "reflect", "--now", f"2026-05-{day:02}T03:00", "--json").json["counts"] for day in range(3, 10)
    ]

    assert taken["counts"] == {"learned": 1}
    assert counts == [{"fading": 1}] * 6 + [{"archived": 1}]
    archived = (root / "archive/opinions/beliefs.md").read_text(encoding="utf-8")
    assert "O(c=0.80@2025-05-01)" in archived


def test_status_and_the_forecast_tell_what_fades_within_days(root: Path, bankctl: Run) -> None:
    write_log(root, "2025-05-01.md", "O(c=0.80) @Peter: Believes that short answers are right.")
    bankctl("cycle", "reflect", "--now", "2026-05-02T03:00")
    bankctl("cycle", "reflect", "--now", "2026-05-03T03:00")

    forecast = bankctl("archive", "forecast", "--now", "2026-05-03T04:00", "--json").json["falls"]

    assert [fall["day"] for fall in forecast] == ["2026-05-09"]
    assert "1 opinion fades within 7 days; to list them: bankctl archive forecast" in bankctl("status").out


def test_an_opinion_said_again_counts_from_the_day_of_the_log_that_says_it(root: Path, bankctl: Run) -> None:
    learn(
        root,
        bankctl,
        "2026-05-10.md",
        "O(c=0.50) @Peter: Believes that short answers are right.",
        now="2026-05-11T03:00",
    )
    page = root / "bank/opinions/beliefs.md"
    learn(
        root,
        bankctl,
        "2026-05-12.md",
        "O(c=0.50) @Peter: Believes that short answers are right.",
        now="2026-05-20T03:00",
    )
    assert "O(c=0.51@2026-05-12)" in page.read_text(encoding="utf-8")  # 0.50 less two days, plus 0.05

    learn(
        root,
        bankctl,
        "2026-04-01.md",
        "O(c=0.50) @Peter: Believes that short answers are right!",
        now="2026-05-21T03:00",
    )
    assert "O(c=0.56@2026-05-12)" in page.read_text(encoding="utf-8")


def test_a_log_of_a_day_to_come_or_of_none_gives_the_day_of_the_run(root: Path, bankctl: Run) -> None:
    write_log(root, "2027-01-01.md", "O(c=0.50) @Peter: Believes that short answers are right.")
    learn(root, bankctl, "notes.md", "O(c=0.50) @Peter: Believes that letters are wrong.", now="2026-05-20T03:00")

    assert (root / "bank/opinions/beliefs.md").read_text(encoding="utf-8").count("@2026-05-20") == 2


def test_a_preference_stays_wherever_its_page_went_and_an_opinion_goes_on_its_day(root: Path, bankctl: Run) -> None:
    write_log(
        root,
        "2026-05-01.md",
        "O(c=0.80): I prefer tea to coffee",
        "O(c=0.80) @Peter: Believes that short answers are right.",
    )
    bankctl("cycle", "reflect", "--now", START)
    (root / "bank/likes").mkdir()
    (root / "bank/opinions/preferences.md").rename(root / "bank/likes/what.md")

    counts = [
        bankctl("cycle", "reflect", "--now", f"2026-05-{day}T03:00", "--json").json["counts"] for day in (26, 27, 28)
    ]

    assert [count.get("archived", 0) for count in counts] == [0, 1, 0]
    assert "c=0.80@2026-05-01): I prefer tea" in (root / "bank/likes/what.md").read_text(encoding="utf-8")


def test_said_again_an_opinion_has_at_least_what_was_said_and_used_it_does_not_fade(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.80) @Peter: Believes that short answers are right.")
    bankctl("cycle", "reflect", "--now", START)
    write_log(root, "2026-05-20.md", "O(c=0.85) @Peter: Believes that short answers are right.")
    bankctl("cycle", "reflect", "--now", "2026-05-21T03:00")
    page = root / "bank/opinions/beliefs.md"
    assert "O(c=0.85@2026-05-20) @Peter" in page.read_text(encoding="utf-8")

    memory = page.read_text(encoding="utf-8").rpartition("^")[2].strip()
    for day in ("2026-05-22", "2026-05-23"):
        bankctl("feedback", "used", memory, "--now", f"{day}T12:00")
    forecast = bankctl("archive", "forecast", "--now", "2026-05-24T04:00", "--json").json["falls"]

    assert [(fall["day"], fall["today"]) for fall in forecast] == [
        ("2026-06-19", 0.81)
    ]  # two days later than .02 a day


def test_a_preference_on_another_page_is_offered_the_page_that_keeps_it_before_it_fades(
    root: Path, bankctl: Run
) -> None:
    page = root / "bank/entities/Ann.md"
    page.write_text("# Ann\n\n- O(c=0.40@2026-05-01): I prefer tea to coffee ^m-aaaaaaaaaaaa\n", encoding="utf-8")
    bankctl("cycle", "reflect", "--now", START)

    (card,) = bankctl("review", "list", "--now", "2026-05-03T04:00", "--json").json["fading"]
    accepted = bankctl("review", "accept", "m-aaaaaaaaaaaa", "--now", "2026-05-03T04:00")
    counts = bankctl("cycle", "reflect", "--now", "2026-06-20T03:00", "--json").json["counts"]

    assert "opinions/preferences.md" in json.dumps(card)
    assert (accepted.code, counts.get("archived")) == (0, None)
    assert "prefer tea" in (root / "bank/opinions/preferences.md").read_text(encoding="utf-8")


def test_search_fades_no_memory_of_a_kept_page_that_was_moved(root: Path, bankctl: Run) -> None:
    page = root / "bank/opinions/preferences.md"
    write_log(root, "2026-05-01.md", "O(c=0.80): I prefer the aisle seat on long flights.")
    bankctl("cycle", "reflect", "--now", START)
    asked = ("search", "aisle seat", "--in", "bank", "--min-confidence", "0.7", "--now", "2026-06-20T12:00", "--json")
    page.rename(page.with_name("taste.md"))
    bankctl("cycle", "reflect", "--now", "2026-05-03T03:00")

    (hit,) = bankctl(*asked).json["hits"]

    assert (hit["path"], hit["parts"]["prior"] > 0) == ("bank/opinions/taste.md", True)
