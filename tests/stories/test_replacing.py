"""A line that ends in `(replaces m-…)` puts its memory in the place of an older one, and that can be taken back."""

from __future__ import annotations

from pathlib import Path

from tests.stories.conftest import Run, write_log

OLD, NEW = "W: The relay listens on port 8080.", "W: All traffic enters through the tunnel on 9443."
FIRST, SECOND, THIRD = "2026-06-09T03:00", "2026-06-10T03:00", "2026-06-11T03:00"


def take_in(root: Path, bankctl: Run) -> str:
    """The id of the older memory, which a run has taken in."""
    write_log(root, "2026-06-08.md", OLD)
    bankctl("cycle", "micro", "--now", FIRST)
    (hit,) = bankctl("search", "relay port", "--json").json["hits"]
    return str(hit["id"])


def newer_of(bankctl: Run) -> object:
    """What the answer says has superseded the older memory."""
    hits = bankctl("search", "relay port", "--limit", "9", "--json").json["hits"]
    return next(one["superseded_by"] for one in hits if "8080" in one["text"])


def test_a_line_replaces_the_memory_that_it_names_until_a_person_wants_both(root: Path, bankctl: Run) -> None:
    old = take_in(root, bankctl)
    write_log(root, "2026-06-09.md", f"{NEW} (replaces {old})")

    ran = bankctl("cycle", "micro", "--now", SECOND)

    assert f"supersedes {old}: its line says so: memory/2026-06-09.md:4" in ran.out
    new = newer_of(bankctl)
    assert "(replaces" not in "".join(
        page.read_text() for page in (root / "bank").rglob("*.md") if page.parts[-2] != "_meta"
    )
    bankctl("review", "keep", old, str(new), "--now", SECOND)
    assert newer_of(bankctl) is None
    bankctl("undo", bankctl("log", "--json").json["runs"][0]["run"])
    assert newer_of(bankctl) == new


def test_what_a_line_replaces_can_be_written_behind_it_later_and_taken_back(root: Path, bankctl: Run) -> None:
    old = take_in(root, bankctl)
    write_log(root, "2026-06-09.md", NEW)
    bankctl("cycle", "micro", "--now", SECOND)
    assert newer_of(bankctl) is None
    log = root / "memory" / "2026-06-09.md"
    log.write_text(log.read_text().replace(NEW, f"{NEW} (replaces ^{old}) <!-- source: a meeting -->"))

    ran = bankctl("cycle", "micro", "--now", THIRD, "--json").json

    assert ran["counts"] == {"updated": 1}, "nothing was learned twice"
    assert newer_of(bankctl) is not None
    bankctl("undo", ran["run"])
    assert newer_of(bankctl) is None
    assert bankctl("search", "tunnel", "--json").json["hits"]


def test_a_person_is_asked_before_what_they_wrote_is_replaced(root: Path, bankctl: Run) -> None:
    old = take_in(root, bankctl)
    page = next(one for one in (root / "bank").rglob("*.md") if old in one.read_text())
    page.write_text(page.read_text().replace("port 8080", "port 8080, and only there"))
    write_log(root, "2026-06-09.md", f"{NEW} (replaces {old})")

    ran = bankctl("cycle", "micro", "--now", SECOND)

    assert f"may replace {old}, which a person wrote" in ran.out
    assert newer_of(bankctl) is None
    (asked,) = bankctl("review", "list", "contradictions", "--json").json["contradictions"]
    assert asked["older"]["id"] == old
    bankctl("review", "keep", old, asked["newer"]["id"], "--now", SECOND)
    assert bankctl("review", "list", "contradictions", "--json").json["contradictions"] == []


def test_a_line_that_names_no_memory_is_told_and_nothing_is_replaced(root: Path, bankctl: Run) -> None:
    take_in(root, bankctl)
    write_log(root, "2026-06-09.md", f"{NEW} (replaces m-aaaaaaaaaaaa)", "W: The fan is loud. (replaces the old one)")

    ran = bankctl("cycle", "micro", "--now", SECOND)

    assert "says that it replaces m-aaaaaaaaaaaa, which is not in the bank" in ran.out
    assert bankctl("search", "tunnel", "--json").json["hits"][0]["text"].endswith("9443.")
    log = root / "memory" / "2026-06-09.md"
    log.write_text(log.read_text() + "- W: The fan is louder. (replaces m-old)\n")
    assert "(replaces m-old) names no memory" in bankctl("cycle", "micro", "--now", THIRD).out


def test_a_line_may_replace_one_that_comes_in_with_it(root: Path, bankctl: Run) -> None:
    old = take_in(root, bankctl)
    write_log(root, "2026-06-09.md", f"{NEW} (replaces {old})")
    (root / "memory/2026-06-08.md").rename(root / "later.md")
    fresh = root.parent / "fresh"
    bankctl("init", str(fresh))
    (root / "later.md").rename(fresh / "memory/2026-06-08.md")
    (root / "memory/2026-06-09.md").rename(fresh / "memory/2026-06-09.md")

    ran = bankctl("--workspace", str(fresh), "cycle", "micro", "--no-wait", "--now", SECOND)

    assert f"supersedes {old}: its line says so" in ran.out
