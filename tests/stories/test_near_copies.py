"""Near-copies are blocked without losing a fact, and what a person sees of them and of contradictions and can do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bankd.app.index import RunIndex
from tests.settings import change_setting
from tests.stories.conftest import Run, tree_state, write_log

DAY_1, DAY_2, DAY_3 = "2026-05-02T03:00", "2026-05-03T03:00", "2026-05-04T03:00"


def test_another_wording_is_blocked_and_names_its_twin(root: Path, bankctl: Run) -> None:
    write_log(
        root, "2026-05-01.md", "W: 에디터는 Neovim을 쓰고 터미널은 tmux와 함께 쓴다.", "W: The deploy runs at 10:00."
    )
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(
        root, "2026-05-02.md", "W: 에디터는 Neovim을 쓰고, 터미널은 tmux와 함께 쓴다", "W: the deploy runs at 10:00!"
    )

    report = bankctl("cycle", "micro", "--now", DAY_2, "--json").json

    assert report["counts"] == {"duplicate": 2}
    twin = report["rows"][0]["reason"].split()[0]
    placed, again = bankctl("show", twin, "--json").json["history"]
    assert placed.startswith("placed by ")
    assert again == "said again in memory/2026-05-02.md:4"


def test_an_opinion_said_again_grows_by_a_small_step_once_a_run(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.80) @Peter: Prefers concise replies.")
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(root, "2026-05-02.md", "O @Peter: prefers concise replies", "O @Peter: Prefers concise replies!")

    report = bankctl("cycle", "micro", "--now", DAY_3, "--json").json

    assert report["counts"] == {"duplicate": 2, "confirmed": 1}
    page = (root / "bank/opinions/preferences.md").read_text(encoding="utf-8")
    assert "- O(c=0.85@2026-05-02) @Peter: Prefers concise replies." in page  # 0.80, kept from fading, plus 0.05
    assert bankctl("cycle", "micro", "--now", DAY_3, "--json").json["counts"] == {}


def test_a_fact_and_an_opinion_in_the_same_words_are_two_memories(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: Go is faster than Python", "O: go is faster than python!")

    assert "duplicate" not in bankctl("cycle", "micro", "--now", DAY_1, "--json").json["counts"]


@pytest.fixture
def blocked(root: Path, bankctl: Run) -> str:
    """The id of a line that was blocked."""
    write_log(root, "2026-05-01.md", "W: The editor of choice is Neovim with tmux.")
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(root, "2026-05-02.md", "W: the editor of choice is Neovim, with tmux!")
    bankctl("cycle", "micro", "--now", DAY_2)
    return str(bankctl("review", "list", "blocked", "--json").json["blocked"][0]["id"])


@pytest.mark.parametrize("is_undone", [False, True])
def test_a_blocked_line_is_listed_and_let_in_is_a_memory(
    root: Path, bankctl: Run, blocked: str, is_undone: bool
) -> None:
    """Also when the run of the line that says the same was undone: the undo names it, and no run takes it in by itself."""
    (shown,) = bankctl("review", "list", "blocked", "--json").json["blocked"]
    said = shown["place"], shown["text"], shown["lines"][1]["text"], bool(shown["reason"])
    same = "W: the editor of choice is Neovim, with tmux!", "W: The editor of choice is Neovim with tmux."
    assert said == ("memory/2026-05-02.md:4", *same, True)
    assert "Neovim, with tmux!" in bankctl("review", "list", "blocked").out
    if is_undone:
        undone = bankctl("undo", bankctl("log", "--json").json["runs"][-1]["run"]).out
        assert f"says it too, and stays out; to let it in: bankctl review accept {blocked}\n" in undone
        assert bankctl("cycle", "micro", "--now", DAY_3, "--json").json["counts"] == {}
        assert f"undone; to let it in: bankctl review accept {blocked}" in bankctl("show", "memory/2026-05-02.md:4").out
        assert "said, which is undone\n" in bankctl("review", "list", "blocked").out
    assert bankctl("review", "accept", blocked, "--json").json["done"][0]["do"] == "allow"
    assert bankctl("show", blocked, "--json").json["source"] == "memory/2026-05-02.md:4"
    assert bankctl("review", "list", "blocked", "--json").json["blocked"] == []
    assert bankctl("cycle", "reflect", "--now", DAY_3, "--json").json["counts"] == {}
    assert bankctl("doctor", "verify").code == 0
    assert bankctl("review", "accept", blocked).code == 3
    assert bankctl("review", "list", "--json").json["near"] == []
    assert bankctl("review", "merge", "--json").json["counts"] == {}
    hits = bankctl("search", "editor of choice", "--json").json["hits"]
    assert [hit["like_it"] for hit in hits] == [[], []][is_undone:]
    assert "1 learned" in bankctl("log").out


def near_copies(root: Path, gap: str = " ") -> Path:
    page = root / "bank/knowledge/tools.md"
    page.write_text(
        f"# Tools\n\n- W: The editor of choice is Neovim with tmux.{gap}^m-aaaaaaaaaaaa\n"
        "- W: the editor of choice is Neovim, with tmux! ^m-bbbbbbbbbbbb\n"
        "- W: The editor of choice is Neovim without tmux. ^m-cccccccccccc\n",
        encoding="utf-8",
    )
    return page


@pytest.mark.parametrize("gap", [" ", "\n", "\n  "])
def test_merging_shows_first_then_keeps_all_and_names_its_sources(root: Path, bankctl: Run, gap: str) -> None:
    page = near_copies(root, gap)
    bankctl("cycle", "micro", "--now", DAY_1)
    before = tree_state(root)

    preview = bankctl("review", "merge", "--now", DAY_2, "--json").json
    unchanged = tree_state(root) == before
    applied = bankctl("review", "merge", "--apply", "--now", DAY_2, "--json").json

    assert (preview["applied"], preview["counts"], unchanged) == (False, {"merged": 1, "archived": 1}, True)
    assert applied["counts"] == {"merged": 1, "archived": 1}
    assert page.read_text(encoding="utf-8") == (
        "# Tools\n\n- W: The editor of choice is Neovim with tmux. <!-- also m-bbbbbbbbbbbb -->"
        + gap
        + "^m-aaaaaaaaaaaa\n"
        "- W: The editor of choice is Neovim without tmux. ^m-cccccccccccc\n"
    )
    assert "superseded: m-aaaaaaaaaaaa says all of it" in bankctl("archive").out
    assert "says all that m-bbbbbbbbbbbb said" in bankctl("show", "m-aaaaaaaaaaaa").out
    assert bankctl("review", "merge", "--apply", "--now", DAY_2, "--json").json["counts"] == {}
    assert bankctl("undo", applied["run"]).code == 0
    assert tree_state(root)["bank/knowledge/tools.md"][0] == before["bank/knowledge/tools.md"][0]


def test_what_was_merged_comes_back_and_is_not_merged_again(root: Path, bankctl: Run) -> None:
    near_copies(root)
    bankctl("cycle", "micro", "--now", DAY_1)
    bankctl("review", "merge", "m-bbbbbbbbbbbb")

    bankctl("archive", "restore", "m-bbbbbbbbbbbb")

    assert bankctl("review", "merge", "--json").json["counts"] == {}


def test_reflect_merges_only_when_told_to(root: Path, bankctl: Run) -> None:
    near_copies(root)

    assert bankctl("cycle", "reflect", "--now", DAY_1, "--json").json["counts"] == {}
    change_setting(root, "in_reflect: false", "in_reflect: true")
    assert bankctl("cycle", "reflect", "--now", DAY_2, "--json").json["counts"] == {"merged": 1, "archived": 1}


def test_contradictions_are_listed_with_both_sources_unless_a_run_has_decided_them(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The deploy runs at 10:00 on Tuesdays.")
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(root, "2026-05-02.md", "W: The deploy runs at 11:00 on Tuesdays.")
    bankctl("cycle", "micro", "--now", DAY_2)
    page = root / "bank/knowledge/tools.md"
    page.write_text(
        "# Tools\n\n- W: 서버 포트는 8080이다. ^m-aaaaaaaaaaaa\n- W: 서버 포트는 8081이다. ^m-bbbbbbbbbbbb\n",
        encoding="utf-8",
    )

    shutil.rmtree(root / ".bankd")
    bankctl("doctor", "--fix")
    hits = bankctl("search", "서버 포트", "--json", "--now", DAY_2).json["hits"]
    assert [hit["contradicts"] for hit in hits] == [["m-bbbbbbbbbbbb"], ["m-aaaaaaaaaaaa"]]
    pairs = bankctl("review", "list", "contradictions", "--json").json["contradictions"]

    assert [pair["reason"] for pair in pairs] == ["8080 → 8081"], "10:00 → 11:00 is decided"
    assert {pairs[0][side]["source"] for side in ("newer", "older")} == {"the user"}
    assert "1 contradiction waits for your word" in bankctl("status").out
    assert "1 contradiction waits for your word" in bankctl("doctor").out
    bankctl("review", "keep", "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb")
    assert "for your word" not in bankctl("status").out


def test_conflicts_are_looked_for_again_only_where_something_changed(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[str]] = []
    ask = RunIndex.neighbours_of
    monkeypatch.setattr(RunIndex, "neighbours_of", lambda index, new: asked.append(set(new)) or ask(index, new))
    page = root / "bank/knowledge/tools.md"
    page.write_text("- W: port 8080 ^m-aaaaaaaaaaaa\n- W: port 8081 ^m-bbbbbbbbbbbb\n- W: tea ^m-cccccccccccc\n")

    def found() -> list[set[str]]:
        pairs = bankctl("review", "list", "contradictions", "--json").json["contradictions"]
        return [{pair["older"]["id"], pair["newer"]["id"]} for pair in pairs]

    assert found() == found() == [{"m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"}]
    page.write_text("- W: port 8080 ^m-aaaaaaaaaaaa\n- W: coffee ^m-bbbbbbbbbbbb\n- W: port 8082 ^m-cccccccccccc\n")
    assert found() == [{"m-aaaaaaaaaaaa", "m-cccccccccccc"}]
    page.write_text("- W: coffee ^m-bbbbbbbbbbbb\n- W: port 8082 ^m-cccccccccccc\n")
    assert found() == []
    assert [len(ids) for ids in asked] == [3, 2]


def test_a_run_is_shown_as_a_page(root: Path, bankctl: Run, blocked: str) -> None:
    runs = [row["run"] for row in bankctl("log", "--json").json["runs"]]

    page = bankctl("show", runs[0]).out
    learned = bankctl("show", runs[1], "--json").json

    assert "Not taken in, because they say nothing new (1)" in page
    assert "it changed no page" in page
    assert [row["kind"] for row in learned["rows"]] == ["learned"]
    assert len(learned["files"]) == 1
    assert bankctl("show", "20200101T000000-micro").code == 3


def test_what_another_machine_superseded_is_known_after_a_run_that_supersedes_nothing(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The build server is Jenkins in the cellar.\n- W: Lunch is at noon on Fridays.")
    bankctl("cycle", "micro", "--now", DAY_1)
    found = [bankctl("search", word, "--json").json["hits"][0] for word in ("Jenkins", "Lunch")]
    old, new = (str(hit["id"]) for hit in found)
    told = {"type": "superseded", "at": "2026-05-02T01:00:00+00:00", "memory": old, "by": new}
    facts = {"id": f"superseded:{old}", **told}
    (root / "events" / "another-0001.jsonl").write_text(json.dumps(facts) + "\n", encoding="utf-8")

    write_log(root, "2026-05-02.md", "W: The cat is called Momo.")
    bankctl("cycle", "micro", "--now", DAY_2)

    assert bankctl("search", "Jenkins", "--json").json["hits"][0]["superseded_by"] == new
