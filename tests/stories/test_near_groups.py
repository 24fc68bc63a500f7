"""What says nearly the same is shown as one, asked about once, and what changed is told in search as `conflicts` tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.agents.tools import BankMethods
from bankd.app.index import RunIndex
from bankd.memory import judge
from bankd.memory.judge import compare_changed
from bankd.search.bank_search import BankSearch
from bankd.wiring.reader import BankReader
from bankd.wiring.search import make_search
from bench.trial import NOW, TrialSet, open_trial
from tests.fake_vectors import near_where
from tests.settings import change_setting
from tests.stories.conftest import Run, write_log

ONE, OTHER, THIRD = ("m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb", "m-cccccccccccc")
KEYS = f"- W: We keep the spare keys in the blue drawer. ^{ONE}\n- W: The spare keys are stored in the blue drawer. ^{OTHER}\n"
DAY_1, DAY_2 = "2026-05-02T03:00", "2026-05-03T03:00"


@pytest.fixture
def root(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing has to settle: what these stories write is finished; what speaks of spare keys is near by its vectors."""
    monkeypatch.setattr(BankSearch, "cosines", near_where("spare keys"))
    return root


@pytest.fixture
def page(root: Path, bankctl: Run) -> Path:
    """Two memories that say nearly the same, and one beside them, as a run saw them."""
    page = root / "bank/knowledge/tools.md"
    page.write_text(f"# Tools\n\n{KEYS}- W: The keys of the bicycle are lost. ^{THIRD}\n", encoding="utf-8")
    bankctl("cycle", "micro", "--now", DAY_1)
    return page


def found(bankctl: Run, *arguments: str) -> list[tuple[str, list[str]]]:
    hits = bankctl("search", "-n", "10", *arguments, "--json").json["hits"]
    return [(hit["id"], hit["like_it"]) for hit in hits]


def test_the_best_of_a_near_group_stands_for_the_others_unless_all_is_asked_for_or_pages_are(
    bankctl: Run, page: Path
) -> None:
    for options in ((), ("-n", "2")):  # what is folded makes room for another answer
        assert found(bankctl, "spare keys are stored", *options) == [(OTHER, [ONE]), (THIRD, [])]
    for option in ("--weak", "--files"):
        assert found(bankctl, "spare keys are stored", option) == [(OTHER, []), (ONE, []), (THIRD, [])]
    assert found(bankctl, "we keep spare keys") == [(ONE, [OTHER]), (THIRD, [])]
    assert "+1 like it" in bankctl("search", "--no-plain", "spare keys are stored").out
    assert "+1 like it" in bankctl("search", "spare keys 어디").out, "one language in an answer, that of the session"


def test_a_log_that_says_it_does_not_stand_below_what_is_folded(root: Path, bankctl: Run, page: Path) -> None:
    write_log(root, "2026-05-01.md", "W: We keep the spare keys in the blue drawer.")

    assert found(bankctl, "spare keys are stored")[0] == (OTHER, [ONE])
    assert all(hit["group"] == "bank" for hit in bankctl("search", "spare keys are stored", "--json").json["hits"])


def test_a_log_that_says_less_than_what_is_folded_does_not_repeat_it(root: Path, bankctl: Run, page: Path) -> None:
    write_log(root, "2026-05-01.md", "W: We keep spare keys.")

    assert found(bankctl, "the spare keys are")[0] == (OTHER, [ONE]), "which has no word of keeping"
    assert all(hit["group"] == "bank" for hit in bankctl("search", "the spare keys are", "--json").json["hits"])
    page.write_text(f"# Tools\n\n- W: The spare keys are stored in the blue drawer. ^{OTHER}\n", encoding="utf-8")
    assert "logs" in {hit["group"] for hit in bankctl("search", "the spare keys are", "--json").json["hits"]}


def test_a_group_is_listed_at_once_though_its_run_still_made_vectors(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "bank/knowledge/tools.md").write_text(f"# Tools\n\n{KEYS}", encoding="utf-8")
    write_log(root, "2026-05-01.md", "W: The spare keys are stored in a blue drawer.")
    monkeypatch.setattr(RunIndex, "has_more", True)
    bankctl("cycle", "micro", "--now", DAY_1)

    (group,) = bankctl("review", "list", "near", "--json").json["near"]

    assert [line["id"] for line in group["lines"][:2]] == [ONE, OTHER]
    assert [line["day"] for line in group["lines"]] == ["", "", "2026-05-01"]


def test_agents_are_told_the_ids_of_what_is_folded(root: Path, page: Path) -> None:
    methods = BankMethods(lambda: BankReader(str(root))).by_name()

    call = {"name": "memory_search", "arguments": {"query": "spare keys are stored"}}
    hits: list[str] = methods["tools/call"](call)["structuredContent"]["hits"]
    asked = methods["prompts/get"]({"name": "recall", "arguments": {"question": "spare keys are stored"}})

    assert [f"like it: {ONE}" in hit for hit in hits] == [True]
    assert f"like it: {ONE}" in asked["messages"][0]["content"]["text"]


def test_a_group_is_offered_until_a_person_keeps_it_and_never_again(root: Path, bankctl: Run, page: Path) -> None:
    (offered,) = bankctl("review", "list", "--json").json["near"]
    shown = bankctl("review", "keep", OTHER, "--dry-run", "--json").json
    kept = bankctl("review", "keep", OTHER, "--json").json

    assert [one["id"] for one in offered["lines"]] == [ONE, OTHER]
    assert [one["place"] for one in offered["lines"]] == ["bank/knowledge/tools.md:3", "bank/knowledge/tools.md:4"]
    assert [(said["done"][0]["do"], said["applied"]) for said in (shown, kept)] == [("keep", False), ("keep", True)]
    for path in (root / ".bankd").glob("catalogue.sqlite3*"):
        path.unlink()
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("We keep the", "We keep all"), encoding="utf-8")
    bankctl("cycle", "micro", "--now", DAY_2)
    page.write_text(text, encoding="utf-8")
    bankctl("cycle", "micro", "--now", DAY_2)
    assert bankctl("review", "list", "--json").json["near"] == []
    assert sorted(found(bankctl, "spare keys are stored")) == [(ONE, []), (OTHER, []), (THIRD, [])]
    assert bankctl("review", "keep", OTHER).code == 3
    assert "2 kept" in bankctl("log").out


def test_a_group_merges_when_a_person_says_so_and_else_it_is_told_why_not(bankctl: Run, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    all_ = bankctl("review", "merge", "--apply")
    assert all_.out.endswith("what is near in other words is merged one by one: bankctl review list near\n")
    refused = bankctl("review", "merge", THIRD)
    page.write_text(text.replace("drawer.", "drawer. #pinned"), encoding="utf-8")
    pinned = bankctl("review", "merge", OTHER, "--now", DAY_2)
    page.write_text(text, encoding="utf-8")

    foretold = bankctl("review", "merge", OTHER, "--now", DAY_2, "--dry-run").out
    merged = bankctl("review", "merge", OTHER, "--now", DAY_2, "--json").json["done"]

    assert "Merged into one; it says: We keep the spare keys in the blue drawer." in foretold
    assert (refused.code, "no near-copies of it" in refused.err) == (3, True)
    assert (pinned.code, f"{OTHER}: not merged, for the others are pinned" in pinned.err) == (3, True)
    assert bankctl("review", "list", "near", "--json").json["near"] == []
    (kept,) = (line for line in page.read_text(encoding="utf-8").splitlines() if "spare keys" in line)
    assert kept == f"- W: We keep the spare keys in the blue drawer. <!-- also {OTHER} --> ^{ONE}"
    assert OTHER in bankctl("archive").out
    bankctl("undo", merged[0]["run"])
    assert page.read_text(encoding="utf-8") == text


def test_what_is_kept_is_not_merged(bankctl: Run, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("The spare keys are stored", "We keep the spare keys"), encoding="utf-8")
    bankctl("cycle", "micro", "--now", DAY_2)
    assert bankctl("review", "merge", "--json").json["counts"] == {"merged": 1, "archived": 1}

    bankctl("review", "keep", ONE)

    assert bankctl("review", "merge", "--json").json["counts"] == {}


def test_search_and_conflicts_tell_the_same_of_a_changed_fact(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The wiki listens on port 8080.")
    bankctl("cycle", "micro", "--now", DAY_1)
    page = next(page for page in root.glob("bank/**/*.md") if "8080" in page.read_text(encoding="utf-8"))
    page.write_text(
        page.read_text(encoding="utf-8") + f"- W: The wiki listens on port 7070. ^{THIRD}\n", encoding="utf-8"
    )
    bankctl("cycle", "micro", "--now", DAY_2)

    (pair,) = bankctl("review", "list", "contradictions", "--json").json["contradictions"]
    newer, older = bankctl("search", "the wiki listens on port 7070", "--json").json["hits"]

    assert (older["id"], newer["id"]) == (pair["older"]["id"], pair["newer"]["id"])
    assert (older["id"], older["superseded_by"], newer["supersedes"]) == (THIRD, newer["id"], [THIRD])
    told = bankctl("search", "--no-plain", "the wiki listens on port 7070").out
    assert told.startswith("\n  ● The wiki listens on port 8080.\n    was 7070 until 2026-05-01   _meta/inbox:8")
    assert "\n  1 memory · open the first" in told
    assert "The wiki listens on port 7070" not in told
    (first, second) = bankctl("search", "the wiki listens on port 7070").out.splitlines()
    assert f"The wiki listens on port 8080.\tnewer; older is {THIRD}" in first
    assert f"The wiki listens on port 7070.\tolder; newer is {newer['id']}" in second
    bankctl("forget", newer["id"])
    assert bankctl("search", "the wiki listens on port 7070", "--json").json["hits"][0]["superseded_by"] is None


def test_of_two_that_nobody_dated_search_says_that_they_contradict(root: Path, bankctl: Run) -> None:
    page = root / "bank/knowledge/tools.md"
    page.write_text(f"- W: port 8080 ^{ONE}\n- W: port 8081 ^{OTHER}\n", encoding="utf-8")
    bankctl("cycle", "micro", "--now", DAY_1)

    hits = bankctl("search", "port", "--json").json["hits"]

    assert [(hit["id"], hit["contradicts"]) for hit in hits] == [(ONE, [OTHER]), (OTHER, [ONE])]
    assert f"{OTHER}  Archived\n" in bankctl("review", "accept", ONE).out
    assert [ONE in page.read_text(), OTHER in page.read_text()] == [True, False], "what is accepted holds"
    assert not any(hit["superseded_by"] for hit in hits)
    assert "contradicts “port 8081”" in bankctl("search", "--no-plain", "port").out


def test_two_that_a_person_names_are_merged_also_where_no_run_found_them(root: Path, bankctl: Run) -> None:
    page = root / "bank/knowledge/tools.md"
    page.write_text(
        f"- W: Chalk is at the desk. ^{ONE}\n- W: Whoever needs chalk may ask Eve. ^{OTHER}\n", encoding="utf-8"
    )
    bankctl("cycle", "micro", "--now", DAY_1)

    assert bankctl("review", "merge", ONE, OTHER, "--dry-run").code == 0
    merged = bankctl("review", "merge", ONE, OTHER)

    assert f"{ONE} {OTHER}  Merged into one; it says: Whoever needs chalk may ask Eve." in merged.out
    assert page.read_text() == f"- W: Whoever needs chalk may ask Eve. <!-- also {ONE} --> ^{OTHER}\n"
    assert "Chalk is at the desk." in (root / "archive/knowledge/tools.md").read_text()


def test_a_daemon_does_not_repeat_an_answer_from_before_a_group_was_kept(root: Path, bankctl: Run, page: Path) -> None:
    search = make_search(root)
    before = search.indexes.state(NOW)
    same = search.indexes.state(NOW)
    bankctl("review", "keep", ONE)
    after = search.indexes.state(NOW)
    search.close()

    assert before == same
    assert before != after


def test_an_evaluation_judges_every_memory_by_itself() -> None:
    documents = [{"id": "a", "text": "We keep the spare keys in the blue drawer."}]
    documents.append({"id": "b", "text": "The spare keys are stored in the blue drawer."})
    trial = TrialSet(documents, [{"id": "q", "text": "spare keys in the blue drawer"}], {"q": {"a": 1, "b": 1}})
    with open_trial(trial, None) as opened:
        judged = opened.judge()

    assert judged.quality.recall_10 == 1


def test_batches_of_old_logs_are_compared_when_the_last_is_in(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_setting(root, "max_added_lines: 2000", "max_added_lines: 1")
    looks: list[object] = []
    monkeypatch.setattr(judge, "compare_changed", lambda *asked: looks.append(asked) or compare_changed(*asked))
    first, second = (line.partition(" ^")[0].removeprefix("- ") for line in KEYS.splitlines())
    write_log(root, "2026-05-01.md", first)
    write_log(root, "2026-05-02.md", second.replace("stored", "stored safely"))

    bankctl("cycle", "micro", "--now", DAY_2)

    assert (len(bankctl("log", "--json").json["runs"]), len(looks)) == (2, 1)
    assert len(found(bankctl, "spare keys are stored")[0][1]) == 1


def recalled(root: Path, question: str) -> str:
    """What an agent is told."""
    methods = BankMethods(lambda: BankReader(str(root))).by_name()
    asked = methods["prompts/get"]({"name": "recall", "arguments": {"question": question}})
    return str(asked["messages"][0]["content"]["text"])


def test_what_only_may_have_changed_is_asked_about_while_new_and_the_one_said_last_stands_first(
    root: Path, bankctl: Run
) -> None:
    large = "W: The design review takes place on {} in the large room."
    write_log(root, "2026-04-30.md", large.format("Sunday"))  # replaced on the next day, so nobody is asked about it
    write_log(root, "2026-05-01.md", large.format("Monday"))
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(root, "2026-05-02.md", "W: The design review is on Friday in the small room instead.")
    run = bankctl("cycle", "micro", "--now", DAY_2)

    asked = ("design review takes place", "--json", "--now", DAY_2)
    assert [hit["said"] for hit in bankctl("search", *asked).json["hits"]][:2] == ["2026-05-02", "2026-05-01"]
    assert "said 2026-05-02" in bankctl("search", "design review takes place").out
    assert "said 2026-05-02" in recalled(root, "design review takes place")

    (asked,) = bankctl("review", "list", "contradictions", "--json", "--now", DAY_2).json["contradictions"]

    assert "supersedes" not in run.out
    assert asked["reason"] == "it may replace the older"
    later = bankctl("review", "list", "contradictions", "--json", "--now", "2026-05-12T03:00").json
    assert later["contradictions"] == []
    bankctl("review", "keep", asked["older"]["id"], asked["newer"]["id"])
    assert bankctl("review", "list", "contradictions", "--json", "--now", DAY_2).json["contradictions"] == []


def test_of_two_opinions_that_may_contradict_and_both_fade_both_hold_without_a_pin(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.4): The design review is best on Monday in the large room.")
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(root, "2026-05-02.md", "O(c=0.4): The design review is best on Friday in the small room instead.")
    bankctl("cycle", "micro", "--now", DAY_2)
    (page,) = [one for one in (root / "bank").rglob("*.md") if "small room" in one.read_text()]
    page.write_text(page.read_text().replace("room instead. ^", "room instead. <!-- also m-aaaaaaaaaaaa --> ^"))

    listed = bankctl("review", "list", "--json", "--now", DAY_2).json

    assert [one["text"] for one in listed["fading"]] == [one["text"] for one in listed["contradictions"][0]["lines"]]
    assert not any("<!--" in one["text"] for one in listed["fading"])
    said = bankctl("review", "keep", *listed["contradictions"][0]["id"].split(), "--now", DAY_2)
    assert ("Both hold" in said.out, "#pinned" in page.read_text()) == (True, False)
