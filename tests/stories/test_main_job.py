"""Logs become a bank: each line once, in one place, and a second run changes no byte."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from bankd.memory.retain import read_log
from tests.settings import change_setting, place_by_rules_alone
from tests.stories.conftest import Run, learn, tree_state, write_log

NOW = "2026-06-10T03:00"
LATER = "2026-06-10T03:30"  # after the second look, which heals saves from old buffers for ten minutes
ID = re.compile(r"\^(m-[a-z2-7]{12})")


def ids_in(root: Path) -> Counter[str]:
    pages = (path for path in (root / "bank").rglob("*.md") if path.name != "schema.md")
    return Counter(id_ for page in pages for id_ in ID.findall(page.read_text(encoding="utf-8")))


def test_a_line_lands_on_the_page_of_its_rule_with_its_id(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.", "O(c=0.95) @Peter: Prefers concise replies.")

    assert bankctl("cycle", "micro", "--now", NOW).code == 0
    values = (root / "bank/identity/values.md").read_text(encoding="utf-8")
    assert re.search(r"^- S: 가치관: 정직을 최우선으로 한다\. \^m-[a-z2-7]{12}$", values, re.MULTILINE)
    opinions = (root / "bank/opinions/preferences.md").read_text(encoding="utf-8")
    assert re.search(r"^- O\(c=0\.95@2026-05-02\) @Peter: Prefers concise replies\. \^m-", opinions, re.MULTILINE)


def test_a_second_run_and_one_without_derived_files_change_no_byte(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "W: a", "W: a", "B: 아침마다 로그를 먼저 읽는다.", "X: bad")
    bankctl("cycle", "reflect", "--now", NOW)
    before = tree_state(root)

    second = bankctl("cycle", "reflect", "--now", NOW, "--json").json
    shutil.rmtree(root / ".bankd")
    third = bankctl("cycle", "reflect", "--now", NOW, "--json").json

    assert second["counts"] == {}
    assert set(third["counts"]) <= {"bad"}
    assert tree_state(root) == before


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "W: a")
    before = tree_state(root)

    result = bankctl("cycle", "reflect", "--now", NOW, "--dry-run")

    assert "would do: 1 inbox. Nothing was written" in result.out
    assert tree_state(root) == before


def test_what_no_rule_places_waits_in_the_inbox_with_tag_and_source(root: Path, bankctl: Run) -> None:
    place_by_rules_alone(root)
    learn(root, bankctl, "2026-05-02.md", "W: 보라색 우산은 문 옆에.")

    (waiting,) = bankctl("review", "list", "--json").json["unfiled"]

    assert waiting["source"] == "2026-05-02"
    assert "W: 보라색 우산은 문 옆에." in waiting["text"]
    assert bankctl("review", "place", waiting["id"], "daily/home.md#Things").code == 0
    assert bankctl("review", "list", "--json").json["unfiled"] == []
    assert ids_in(root) == {waiting["id"]: 1}
    assert bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"] == {}


def test_a_log_renamed_for_a_wrong_date_brings_nothing_back(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2025-05-02.md", "W: one", "W: two", "W: three")
    inbox = root / "bank/_meta/inbox.md"
    inbox.write_text("".join(line for line in inbox.read_text().splitlines(True) if "two" not in line))
    (root / "memory/2025-05-02.md").rename(root / "memory/2026-05-02.md")

    result = bankctl("cycle", "micro", "--now", "2026-06-10T04:00", "--json").json

    assert result["counts"] == {"renamed": 1, "deleted": 1}
    assert "two" not in inbox.read_text()
    assert len(ids_in(root)) == 2


@pytest.mark.parametrize("names", [("b", "c"), ("b", "a"), ("used before",)], ids=" then ".join)
def test_a_log_renamed_again_or_to_a_name_used_before_brings_nothing_back(
    root: Path, bankctl: Run, names: tuple[str, ...]
) -> None:
    write_log(root, "used before.md", "W: older")
    learn(root, bankctl, "a.md", "W: one", "W: two", "W: three")
    inbox = root / "bank/_meta/inbox.md"
    inbox.write_text("".join(line for line in inbox.read_text().splitlines(True) if "two" not in line))
    assert bankctl("cycle", "micro", "--now", LATER, "--json").json["counts"] == {"deleted": 1}
    (root / "memory/used before.md").unlink()

    for hour, (old, new) in enumerate(pairwise(("a", *names))):
        (root / f"memory/{old}.md").rename(root / f"memory/{new}.md")
        run = bankctl("cycle", "micro", "--now", f"2026-06-11T0{hour}:00", "--json").json
        assert run["counts"] in ({"renamed": 1}, {})

    one = next(id_ for id_ in ids_in(root) if f"one ^{id_}" in inbox.read_text())
    assert "two" not in inbox.read_text()
    assert bankctl("show", one, "--json").json["source"] == f"memory/{names[-1]}.md:4"
    assert bankctl("doctor", "verify").code == 0


def test_a_memory_taken_out_by_hand_stays_out_even_without_derived_files(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직", "W: kept")
    page = root / "bank/identity/values.md"
    page.write_text("# Values\n", encoding="utf-8")

    assert bankctl("cycle", "micro", "--now", LATER, "--json").json["counts"] == {"deleted": 1}
    shutil.rmtree(root / ".bankd")
    assert bankctl("cycle", "micro", "--now", LATER, "--json").json["counts"] == {}
    assert page.read_text(encoding="utf-8") == "# Values\n"


def test_a_reworded_and_moved_memory_is_still_the_same_memory(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직")
    (id_,) = ids_in(root)
    (root / "bank/identity/values.md").write_text("# Values\n", encoding="utf-8")
    (root / "bank/mine.md").write_text(f"# Mine\n\nHonesty first ^{id_}\n", encoding="utf-8")

    assert bankctl("cycle", "micro", "--now", NOW, "--json").json["counts"] == {"by hand": 1}
    shown = bankctl("show", id_, "--json").json
    assert shown["places"] == ["bank/mine.md:3"]
    assert shown["source"] == "memory/2026-05-02.md:4"


def test_a_log_line_tells_what_became_of_it(root: Path, bankctl: Run) -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직", "S: 가치관: 정직", f"W: key {key}", "X: bad")

    lines = [bankctl("show", f"memory/2026-05-02.md:{n}", "--json").json for n in range(3, 8)]

    assert [line["outcome"] for line in lines] == ["heading", "kept", "duplicate", "screened", "bad"]
    assert lines[1]["sentence"] == "stands in bank/identity/values.md"
    everything = "".join(
        path.read_text(errors="replace") for path in root.rglob("*") if path.is_file() and "memory" not in path.parts
    )
    assert key not in everything + str(lines)


def test_a_page_that_is_being_edited_is_left_and_its_lines_wait(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "S: 가치관: 정직")
    swap = root / "bank/identity/.values.md.swp"
    swap.write_bytes(b"x")

    first = bankctl("cycle", "micro", "--no-wait", "--json").json
    swap.unlink()
    second = bankctl("cycle", "micro", "--now", NOW, "--json").json

    assert "learned" not in first["counts"]
    assert second["counts"] == {"learned": 1}


def test_history_is_taken_in_by_several_runs_each_with_its_own_undo(root: Path, bankctl: Run) -> None:
    place_by_rules_alone(root)
    change_setting(root, "max_added_lines: 2000", "max_added_lines: 200")
    write_log(root, "2026-05-03.md", *(f"W: later fact number {n}" for n in range(120)))
    write_log(root, "2026-05-02.md", *(f"W: fact number {n}" for n in range(130)))

    done = bankctl("cycle", "micro", "--now", NOW)

    ends = [line for line in done.out.splitlines() if line.startswith("20260610T")]
    runs = [end.partition(":")[0] for end in ends]
    assert [end.partition(": ")[2].split(", ")[0] for end in ends] == ["200 inbox", "50 inbox"]
    assert "duplicate" not in done.out
    assert len(ids_in(root)) == 250
    assert f"… and 197 more: bankctl show {runs[0]}" in done.out
    assert bankctl("undo", runs[1]).code == 0
    assert len(ids_in(root)) == 200
    assert "later fact number 69 ^" in "".join(page.read_text() for page in (root / "bank").rglob("*.md"))
    assert "later fact number 70" not in "".join(page.read_text() for page in (root / "bank").rglob("*.md"))


def test_real_logs_lose_no_line(root: Path, bankctl: Run, shared: Path, tmp_path: Path) -> None:
    """Each row of the manifest is found by id in exactly one page, or in the report."""
    script = shared / "tools" / "make_logs.py"
    subprocess.run([sys.executable, script, tmp_path / "logs"], check=True, capture_output=True)
    for log in (tmp_path / "logs").glob("*.md"):
        shutil.copy(log, root / "memory")

    report = bankctl("cycle", "reflect", "--now", NOW, "--json").json
    before = tree_state(root)

    held = ids_in(root)
    reported = {row["place"] for row in report["rows"] if row["kind"] in {"duplicate", "screened", "bad"}}
    manifest = (tmp_path / "logs/manifest.tsv").read_text(encoding="utf-8")
    rows = list(csv.reader(manifest.splitlines(), delimiter="\t"))
    outcomes = Counter(_outcome(root, log, int(line), held, reported) for log, line, *_ in rows)
    assert len(rows) == 1520
    assert outcomes == {"page": len(held), "report": 1520 - len(held)}
    assert set(held.values()) == {1}
    assert bankctl("cycle", "reflect", "--now", NOW, "--json").json["counts"].keys() <= {"fading"}
    shutil.rmtree(root / ".bankd")
    assert bankctl("cycle", "reflect", "--now", NOW, "--json").json["counts"].keys() <= {"fading"}
    assert tree_state(root) == before


def _outcome(root: Path, log: str, line: int, held: Counter[str], reported: set[str]) -> str:
    reading = read_log(log, (root / "memory" / log).read_text(encoding="utf-8"), anywhere=True)
    ids = [item.id for item in reading.lines if item.place.line == line]
    in_page = sum(held[id_] for id_ in ids)
    in_report = f"memory/{log}:{line}" in reported
    return "page" if in_page == 1 and not in_report else "report" if in_report and in_page == 0 else "lost"


def test_a_last_line_without_a_line_break_is_named_and_taken_once_the_log_has_been_left_alone(
    root: Path, bankctl: Run
) -> None:
    log = root / "memory/2026-05-02.md"
    log.write_text("- S: 가치관: 정직을 최우선으로 한다.\n- B: 매일 아침 산책을 한다.", encoding="utf-8")
    saved = datetime.fromisoformat("2026-05-02T18:00+09:00").timestamp()
    os.utime(log, (saved, saved))

    soon = bankctl("cycle", "micro", "--now", "2026-05-02T18:09", "--json").json
    traced = bankctl("show", "memory/2026-05-02.md:2").out
    sooner = bankctl("cycle", "micro", "--now", "2026-05-02T18:18", "--json").json
    later = bankctl("cycle", "micro", "--now", "2026-05-02T18:19", "--json").json

    assert "learned" not in sooner["counts"]
    (waiting,) = (row for row in soon["rows"] if row["kind"] == "waiting")
    assert waiting["place"] == "memory/2026-05-02.md:2"
    assert "no line break ends it" in waiting["reason"]
    assert "no line break ends it" in traced
    assert soon["counts"]["learned"] == later["counts"]["learned"] == 1
    assert bankctl("cycle", "micro", "--now", "2026-05-02T18:30", "--json").json["counts"] == {}


@pytest.mark.parametrize(("profile", "meaning"), [("default", "behaviour"), ("openclaw", "experience")])
def test_a_memory_is_shown_with_what_its_tag_means_to_the_writers_of_its_log(
    root: Path, bankctl: Run, profile: str, meaning: str
) -> None:
    change_setting(root, "profile: default", f"profile: {profile}")
    learn(root, bankctl, "2026-05-02.md", "B: 매일 아침 산책을 한다.")
    (memory,) = ids_in(root)

    assert bankctl("show", memory, "--json").json["meaning"] == meaning
    assert f"tagged as {meaning}" in bankctl("show", memory).out
