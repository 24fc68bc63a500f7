"""Briefs of a bank with a year behind it; what was said in a project is told there, what is about people everywhere."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bankd.agents.hooks import START_TOKENS, answer_hook
from bankd.agents.tools import BankMethods
from bankd.briefing.choose import MODES as RULES
from bankd.briefing.choose import NAMES_MODES as MODES
from bankd.briefing.shown import count_tokens
from bankd.system.files import find_project
from bankd.wiring.reader import BankReader
from bankd.wiring.runner import write_due_briefs
from tests.examples import examples
from tests.stories.conftest import Run, write_log
from tests.year import END, at, made_of

NOW = "2026-05-18T09:00"
MONDAY = at(END, 9)
SAYS = dict(examples("prompts", "briefs of a year"))


@pytest.fixture
def year(made_year: Path, bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bank of four hundred memories, taken in over a year; `bankctl` is about it."""
    folder = tmp_path / "year"
    shutil.copytree(made_year, folder)
    monkeypatch.setenv("BANKD_WORKSPACE", str(folder))
    return folder


def test_the_bank_of_a_year_has_four_hundred_memories(year: Path) -> None:
    assert 390 <= len(BankReader(str(year)).brief_facts(MONDAY).memories) <= 420


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_says_what_it_is_for_once_a_day_and_the_same_under_the_same_now(year: Path, mode: str) -> None:
    before = (year / ".bankd/shown.json").read_bytes()
    first = made_of(year, mode, MONDAY)
    again = made_of(year, mode, MONDAY + timedelta(hours=1))
    (year / ".bankd/shown.json").write_bytes(before)
    same = made_of(year, mode, MONDAY)

    assert SAYS[mode] in first.text
    assert 0 < count_tokens(first.text) <= RULES[mode].tokens
    assert RULES[mode].repeats or not set(first.marks) & set(again.marks)
    assert same == first


def test_what_a_session_begins_with_keeps_to_its_tokens_with_all_that_stands_around_it(year: Path) -> None:
    begun = answer_hook("SessionStart", {"session_id": "s", "source": "startup"}, OneDay(str(year)))

    assert START_TOKENS - 60 < count_tokens(begun) <= START_TOKENS


def test_each_time_a_person_types_it_a_brief_answers_or_says_why_not(year: Path, bankctl: Run) -> None:
    about = {"person": ["@Nobody"], "meeting": ["@Nobody"], "project": ["nothing"]}
    first = {mode: bankctl("brief", mode, *about.get(mode, ()), "--now", NOW).out for mode in MODES}
    again = {mode: bankctl("brief", mode, *about.get(mode, ()), "--now", NOW).out for mode in MODES}

    assert first == again
    assert all(first.values())
    assert first["person"].startswith("person: no memory names @Nobody\n@Nobody: no memory has this @name")


def test_the_files_are_those_that_are_due_and_go_when_they_say_nothing(year: Path) -> None:
    folder = year / "recall/brief"
    write_due_briefs(year, MODES, MONDAY)
    assert {"loops.md", "dates.md", "week.md"} <= {file.name for file in folder.iterdir()}
    assert "day.md" not in {file.name for file in folder.iterdir()}
    before = (folder / "loops.md").stat().st_mtime_ns
    assert "not an instruction" in (folder / "loops.md").read_text(encoding="utf-8")

    write_due_briefs(year, MODES, MONDAY)
    assert (folder / "loops.md").stat().st_mtime_ns == before
    write_due_briefs(year, ["dates"], MONDAY)

    assert [file.name for file in folder.iterdir()] == ["dates.md"]


def test_a_slip_is_answered_with_what_was_meant(bankctl: Run) -> None:
    assert "did you mean morning?" in bankctl("brief", "mornin").err
    assert "about whom or what?" in bankctl("brief", "person").err
    assert bankctl("brief", "--list").out.count("\n") == len(MODES)
    assert bankctl("brief").out.startswith("orient: nothing is pinned")


def test_a_briefing_follows_every_edit_although_facts_are_kept(year: Path, bankctl: Run) -> None:
    asked = "brief", "person", "@Peter", "--now", NOW
    assert "Peter moves to Busan." in bankctl(*asked).out
    facts = year / ".bankd/brief-facts.json"
    assert facts.is_file()
    page = next(page for page in (year / "bank").rglob("*.md") if "Peter moves to Busan" in page.read_text("utf-8"))
    page.write_text(page.read_text("utf-8").replace("moves to Busan", "moves to Daegu"), encoding="utf-8")

    assert "Peter moves to Daegu." in bankctl(*asked).out
    facts.write_bytes(b'{"stamp": ')
    (year / ".bankd/shown.json").unlink()
    assert "Peter moves to Daegu." in bankctl(*asked).out


MORNING = datetime.fromisoformat("2026-05-06T10:00:00+00:00")
PORT = "what is the staging port of the relay service?"


class OneDay(BankReader):
    """The bank on a day that the test sets."""

    def now(self) -> datetime:
        return MORNING


@pytest.fixture
def relay(tmp_path: Path) -> Path:
    """A repository."""
    (tmp_path / "relay/.git/worktrees/fix").mkdir(parents=True)
    return tmp_path / "relay"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another repository."""
    (tmp_path / "shop/.git").mkdir(parents=True)
    return tmp_path / "shop"


def worktree_of(repository: Path) -> Path:
    """A folder as `git worktree add` makes it."""
    folder = repository.parent / "fix"
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {repository}/.git/worktrees/fix\n")
    (repository / ".git/worktrees/fix/commondir").write_text("../..\n")
    return folder


def call(root: Path, folder: Path, name: str, **arguments: Any) -> Any:
    """What a tool gives to an agent in a folder."""
    methods = BankMethods(lambda: OneDay(str(root), folder=str(folder))).by_name()
    return methods["tools/call"]({"name": name, "arguments": arguments})["structuredContent"]


def recall(root: Path, folder: Path, prompt: str) -> str:
    """What a session in a folder is told of a prompt."""
    said = {"session_id": f"{folder}{prompt}", "cwd": str(folder), "prompt": prompt}
    return answer_hook("UserPromptSubmit", said, OneDay(str(root)))


def test_a_note_of_a_project_is_told_in_its_worktrees_and_found_everywhere(
    root: Path, bankctl: Run, relay: Path, other: Path, tmp_path: Path
) -> None:
    call(root, relay, "memory_note", text="W: The staging port of the relay service is 8080.")
    call(root, relay, "memory_note", text="O(c=0.90) @Nadia: Prefers calls to mail.")
    call(root, relay, "memory_note", text="W: The family meets in Busan at new year.", holds="everywhere")
    bankctl("cycle", "micro")
    call(root, relay, "memory_note", text="W @Nadia: Nadia runs the night shift of the harbour.")
    (log,) = (root / "memory").glob("*.md")
    bankctl("cycle", "micro")

    assert log.read_text().count("<!-- project:") == 1
    assert f"is 8080. <!-- project: {relay} -->" in log.read_text()
    assert "project:" not in "".join(page.read_text() for page in (root / "bank").rglob("[!s]*.md"))
    for folder in (relay, relay / "src", worktree_of(relay), tmp_path):
        assert "8080" in recall(root, folder, PORT)
    assert recall(root, other, PORT) == ""
    assert "night shift" in recall(root, other, "who runs the night shift of the harbour?")
    assert "Busan" in recall(root, other, "where does the family meet at new year?")
    (hit,) = call(root, other, "memory_search", query=PORT)["hits"][:1]
    assert f"in {relay}" in hit
    assert f"in {relay}" not in call(root, relay, "memory_search", query=PORT)["hits"][0]


def test_a_brief_leaves_out_other_projects_and_tells_its_own(
    root: Path, bankctl: Run, relay: Path, other: Path
) -> None:
    write_log(root, "2026-05-05.md", f"W: Deploys wait for Kai. <!-- project: {relay} -->", "S: I value quiet.")
    bankctl("cycle", "micro", "--now", "2026-05-06T03:00")

    def begin(folder: Path) -> str:
        return answer_hook("SessionStart", {"session_id": str(folder), "cwd": str(folder)}, OneDay(str(root)))

    assert "Deploys wait for Kai" in begin(relay)
    assert "quiet" in begin(other)
    assert "Kai" not in begin(other) + str(call(root, other, "memory_brief", mode="orient"))


def test_two_projects_say_nothing_of_each_other_and_what_both_say_is_of_both(
    root: Path, bankctl: Run, relay: Path, other: Path
) -> None:
    of = {folder: f" <!-- project: {folder} -->" for folder in (relay, other)}
    write_log(root, "2026-05-04.md", "W: The staging port is 8080." + of[relay], "W: Reviews are by two." + of[relay])
    bankctl("cycle", "micro", "--now", "2026-05-05T03:00")
    write_log(root, "2026-05-05.md", "W: The staging port is 9090." + of[other], "W: Reviews are by two." + of[other])

    ran = bankctl("cycle", "micro", "--now", "2026-05-06T03:00", "--json").json

    assert ran["counts"] == {"learned": 1, "duplicate": 1}
    hits = [hit for hit in bankctl("search", "staging port", "--json").json["hits"] if hit["group"] == "bank"]
    assert [(hit["superseded_by"], hit["projects"]) for hit in hits] in (
        [(None, [str(relay)]), (None, [str(other)])], [(None, [str(other)]), (None, [str(relay)])],
    )  # fmt: skip
    reviews = bankctl("search", "reviews by two", "--json").json["hits"][0]
    assert reviews["projects"] == sorted([str(relay), str(other)])


def test_the_project_of_a_line_may_be_changed_by_hand(root: Path, bankctl: Run, relay: Path, other: Path) -> None:
    write_log(root, "2026-05-04.md", f"W: The relay service listens on 8080. <!-- project: {relay} -->")
    bankctl("cycle", "micro", "--now", "2026-05-05T03:00")
    assert recall(root, other, "where does the relay service listen?") == ""
    log = root / "memory/2026-05-04.md"

    log.write_text(log.read_text().replace(f" <!-- project: {relay} -->", ""))
    assert "holds in every project now" in bankctl("cycle", "micro", "--now", "2026-05-06T03:00").out
    assert "8080" in recall(root, other, "where does the relay service listen?")
    assert bankctl("cycle", "micro", "--now", "2026-05-06T04:00", "--json").json["counts"] == {}


def test_a_session_names_its_project_and_is_told_there_only(
    root: Path, bankctl: Run, relay: Path, other: Path, tmp_path: Path
) -> None:
    asked, answer = "how do we rotate the signing keys of the relay?", "The signing keys rotate each quarter, by hand."
    rows = [
        {"type": kind, "sessionId": "s", "cwd": f"{relay}/src", "uuid": f"u{number}",
         "timestamp": f"2026-05-05T09:0{number}:00Z", "message": {"role": kind, "content": text}}
        for number, (kind, text) in enumerate([("user", asked), ("assistant", answer)])
    ]  # fmt: skip
    session = tmp_path / "session.jsonl"
    session.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bankctl("import", str(session))
    bankctl("cycle", "micro", "--now", "2026-05-06T03:00")

    (log,) = (root / "memory/imports/claude-code").glob("*.md")
    assert log.read_text().split("\n\n")[1] == f"<!-- project: {relay} -->"
    assert "each quarter" in recall(root, relay, "how do we rotate the signing keys of the relay?")
    assert recall(root, other, "how do we rotate the signing keys of the relay?") == ""


def test_the_project_of_a_folder_is_the_top_of_its_repository(relay: Path, tmp_path: Path) -> None:
    (relay / "src").mkdir()
    (relay / "lib").mkdir()
    (relay / "lib/.git").write_text("gitdir: ../.git/modules/lib\n")
    bare = tmp_path / "tools.git/worktrees/x"
    bare.mkdir(parents=True)
    (bare / "commondir").write_text("../..\n")
    (tmp_path / "x").mkdir()
    (tmp_path / "x/.git").write_text(f"gitdir: {bare}\n")

    found = [find_project(str(folder)) for folder in (relay / "src", relay / "gone/deep", relay / "lib")]

    assert found == [str(relay), str(relay), str(relay / "lib")]
    assert find_project(str(worktree_of(relay))) == str(relay)
    assert find_project(str(tmp_path / "x")) == str(tmp_path / "tools.git")
    assert find_project(str(tmp_path)) == find_project("src") == find_project("") == ""
    assert BankReader(str(relay / "notes")).project_of(str(relay)) == "", "the repository that holds the bank"
