"""What was said in a project is told there; what is about people is told everywhere, and search finds all."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bankd.agents.hooks import answer_hook
from bankd.agents.tools import BankMethods
from bankd.system.files import find_project
from bankd.wiring.reader import BankReader
from tests.stories.conftest import Run, write_log

NOW = datetime.fromisoformat("2026-05-06T10:00:00+00:00")
PORT = "what is the staging port of the relay service?"


class OneDay(BankReader):
    """The bank on a day that the test sets."""

    def now(self) -> datetime:
        return NOW


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
    ran = bankctl("cycle", "micro", "--now", "2026-05-06T03:00")

    assert "holds in every project now" in ran.out
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
