"""A memory that a hand copied with its id: named with its places, and all goes on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stories.conftest import Run, learn, write_log

NOW, LATER = "2026-06-10T03:00", "2026-06-10T03:30"
WORKFLOWS = "bank/patterns/workflows.md"


@pytest.mark.parametrize("target", ["bank/patterns/workflows.md", "bank/knowledge/tools.md"])
def test_a_memory_copied_with_its_id_is_named_with_both_places_and_stops_nothing(
    root: Path, bankctl: Run, target: str
) -> None:
    settings = root / "bankd.yaml"
    settings.write_text(settings.read_text().replace("pages: own", "pages: all"))  # most of the page is by hand
    learn(root, bankctl, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", now=NOW)
    line = next(n for n in (root / WORKFLOWS).read_text().splitlines() if "10:00" in n)
    long = "".join(f"\n## Part {n}\n\n- W: {'word ' * 400}of part {n}\n" for n in range(9))
    (root / target).write_text(f"{(root / target).read_text()}\n{line}\n{long}")
    write_log(
        root, "2026-05-03.md", "W: The release workflow has seven stages.", "W: The deploy runs at 14:00 on Tuesdays."
    )

    micro = bankctl("cycle", "micro", "--now", LATER)
    reflect = bankctl("cycle", "reflect", "--now", LATER, "--json").json
    (row,) = (row for row in reflect["rows"] if row["kind"] == "copied")
    told = [found["text"] for found in bankctl("status", "--json").json["findings"] if found["needs_person"]]

    assert "2 learned, 1 updated, 1 copied" in micro.out
    assert reflect["counts"] == {"split": 1, "copied": 1}
    assert row["text"].startswith("stands 2 times: bank/")
    places = [place for place in re.findall(r"(bank/\S+\.md):\d+", told[0]) if line in (root / place).read_text()]
    assert len(places) == 2
    assert "remove the id from all but one" in bankctl("doctor").out
    assert bankctl("doctor", "verify").code == 3

    copy = root / places[0]
    copy.write_text(copy.read_text().replace(line, line.partition(" ^")[0], 1))
    assert not [found for found in bankctl("status", "--json").json["findings"] if found["needs_person"]]
    assert bankctl("cycle", "micro", "--now", LATER, "--json").json["counts"] == {}
    assert bankctl("doctor", "verify").code == 0


def test_a_memory_in_the_inbox_that_stands_reworded_elsewhere_is_not_moved_onto_that(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: Zephyr quartz.", now=NOW)
    inbox, page = root / "bank/_meta/inbox.md", root / WORKFLOWS
    line = next(n for n in inbox.read_text().splitlines() if "Zephyr" in n)
    id_ = line.rpartition("^")[2]
    page.write_text(f"{page.read_text()}\n{line.replace('quartz', 'granite')}\n")

    assert bankctl("review", "place", id_, "patterns/workflows.md").code == 3
    rules = root / "routing.yaml"
    rule = "  S:\n    - {target: patterns/workflows.md, match: zephyr}\n"
    rules.write_text(re.sub(r"(?m)^  S:\n", lambda _: rule, rules.read_text("utf-8"), count=1), "utf-8")
    assert bankctl("review", "place").code == 0

    assert (line in inbox.read_text(), "granite" in page.read_text()) == (True, True)


def test_a_copy_in_other_words_of_what_is_archived_is_not_taken_for_it(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "O(c=0.4): I believe that Tabs are what the deploy workflow needs.", now=NOW)
    page = next(p for p in (root / "bank").rglob("*.md") if "Tabs are" in p.read_text())
    line = next(n for n in page.read_text().splitlines() if "Tabs are" in n)
    bankctl("archive", "gc", "--apply", "--now", "2028-06-10")
    assert "Tabs are" not in page.read_text()
    page.write_text(f"{page.read_text()}\n{line.replace('Tabs', 'Spaces')}\n")

    bankctl("archive", "gc", "--apply", "--now", "2028-06-20")

    everywhere = "".join(p.read_text() for top in ("bank", "archive") for p in (root / top).rglob("*.md"))
    assert ("Tabs are" in everywhere, "Spaces are" in everywhere) == (True, True)
