"""A night in which a model says what memories are to those like them: a command stands for it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from bankd.night import match as matching
from bankd.pages.memory import Memory
from bankd.search.bank_search import BankSearch
from tests.examples import texts
from tests.fake_vectors import near_where
from tests.settings import change_setting
from tests.stories.conftest import Run, learn, write_log

NOW = "2026-05-04T03:00"
KEPT, AGAIN = (
    "The spare keys of the cellar hang in the blue cupboard.",
    "cellar: take the spare ones out of the blue cupboard",
)
OLD, NEW = "The deposit for the flat is 1,500 euros.", "Before moving into the flat the landlord gets 2000 as a deposit"
PROGRAM = """
import json, pathlib, sys
asked = json.load(sys.stdin)["messages"][0]["content"]
calls = pathlib.Path(__file__).with_name("calls.txt")
calls.write_text((calls.read_text() if calls.exists() else "") + asked + "\\n")
first, *others = [line.partition("| ")[2] for line in asked.splitlines() if line.partition("| ")[1]]
relation = lambda other: next((said for word, part, said in SAID if word in first and part in other), "different")
numbered = [{"number": number, "relation": relation(other)} for number, other in enumerate(others, 1)]
print(json.dumps({"others": numbered}))
"""
KNOWS = '("ladder", "Jonas borrowed", "same"), ("ladder", "by Mina", "same"), ("사다리", "유리한테서", "same"), ("사다리", "유리다", "same")'
SAID = f'SAID = [("cupboard", "cupboard", "same"), ("deposit", "deposit", "changed"), {KNOWS}]\n'


def name_model(root: Path, tmp_path: Path) -> None:
    """Have the settings name a model that knows what says the same."""
    (tmp_path / "model.py").write_text(SAID + PROGRAM, "utf-8")
    change_setting(root, 'provider: "off"', "provider: command")
    change_setting(root, 'command: ""', f"command: {sys.executable} {tmp_path / 'model.py'}")


@pytest.fixture
def bank(root: Path, tmp_path: Path) -> Path:
    """A bank with two facts that were each noted again a day later, and a model that knows it."""
    name_model(root, tmp_path)
    write_log(root, "2026-05-01.md", f"W: {KEPT}", f"W: {OLD}", "W: The blue kettle leaks.")
    write_log(root, "2026-05-02.md", f"W: {AGAIN}", f"W: {NEW}")
    return root


def reflect(bankctl: Run, now: str = NOW) -> str:
    """A day, in which lines are taken in, and its night."""
    assert bankctl("cycle", "micro", "--now", now).code == 0
    ran = bankctl("cycle", "reflect", "--now", now)
    assert ran.code == 0, ran.err
    return ran.out + ran.err


def asked(tmp_path: Path) -> str:
    file = tmp_path / "calls.txt"
    return file.read_text("utf-8") if file.exists() else ""


def hits(bankctl: Run, question: str) -> list[tuple[str, int, bool]]:
    found = bankctl("search", question, "--in", "bank", "--json").json["hits"]
    return [(hit["text"], len(hit["like_it"]), bool(hit["superseded_by"])) for hit in found]


def test_the_same_in_other_words_is_shown_as_one_and_asked_about_and_nothing_goes_away(
    bank: Path, bankctl: Run
) -> None:
    said = reflect(bankctl)

    assert "memories compared by the model with those like them: 2 say the same or a newer value" in said
    (first, like, _), *rest = hits(bankctl, "where are the cellar spare keys")
    assert (first in (KEPT, AGAIN), like) == (True, 1)
    assert not {KEPT, AGAIN} & {text for text, _, _ in rest}
    assert "cupboard" in bankctl("review", "list").out
    pages = "".join(page.read_text("utf-8") for page in (bank / "bank").rglob("*.md"))
    assert all(text in pages for text in (KEPT, AGAIN, OLD, NEW))


def test_a_newer_value_in_other_words_stands_before_the_older(bank: Path, bankctl: Run) -> None:
    reflect(bankctl)

    (newer, _, is_old), (older, _, was_old), *_ = hits(bankctl, "how much is the deposit for the flat")
    assert (newer, is_old, older, was_old) == (NEW, False, OLD, True)
    assert "another value of the same" in bankctl("review", "list", "contradictions").out


def test_a_memory_is_asked_about_once_and_again_when_it_says_something_else(
    bank: Path, bankctl: Run, tmp_path: Path
) -> None:
    reflect(bankctl)
    before = asked(tmp_path)
    assert before.count("the first| " + AGAIN) == 1
    assert "the first| " + KEPT not in before, "the newer one is asked about the older"
    reflect(bankctl, "2026-05-05T03:00")
    assert asked(tmp_path) == before

    (page,) = [page for page in (bank / "bank").rglob("*.md") if AGAIN in page.read_text("utf-8")]
    page.write_text(page.read_text("utf-8").replace(AGAIN, AGAIN.replace("cellar", "garage")), "utf-8")
    reflect(bankctl, "2026-05-06T03:00")
    assert asked(tmp_path).count("the first| " + AGAIN.replace("cellar", "garage")) == 1

    changed = page.read_text("utf-8")
    page.write_text(changed.replace("garage", "attic"), "utf-8")
    assert bankctl("cycle", "micro", "--now", "2026-05-06T12:00").code == 0
    page.write_text(changed, "utf-8")
    assert "1 memories compared by the model" in reflect(bankctl, "2026-05-07T03:00"), "what was found is forgotten"


def test_what_was_paid_for_is_not_asked_again_where_what_is_derived_is_lost(
    bank: Path, bankctl: Run, tmp_path: Path
) -> None:
    reflect(bankctl)
    before = asked(tmp_path)
    shutil.rmtree(bank / ".bankd")

    reflect(bankctl, "2026-05-05T03:00")

    assert asked(tmp_path) == before
    assert hits(bankctl, "where are the cellar spare keys")[0][1] == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"W: {KEPT}", f"O(c=0.80): {AGAIN}"),
        ("W: The deposit for the flat is 1,500 euros.", "W: The deposit for the flat is 2,000 euros."),
    ],
    ids=["what somebody thinks and what is so", "what the rules are sure of"],
)
def test_some_pairs_are_not_asked_about(root: Path, bankctl: Run, tmp_path: Path, one: str, other: str) -> None:
    name_model(root, tmp_path)
    write_log(root, "2026-05-01.md", one)
    write_log(root, "2026-05-02.md", other)

    reflect(bankctl)

    assert asked(tmp_path) == ""


def test_what_is_only_near_by_vectors_a_model_may_tell_apart(
    root: Path, bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BankSearch, "cosines", near_where("spare keys"))
    write_log(root, "2026-05-01.md", "W: We keep the spare keys in the blue drawer.")
    write_log(root, "2026-05-02.md", "W: The spare keys are stored in the blue drawer.")
    name_model(root, tmp_path)
    change_setting(root, "compare: 50", "compare: 0")
    reflect(bankctl)
    assert hits(bankctl, "spare keys in the drawer")[0][1] == 1

    change_setting(root, "compare: 0", "compare: 50")
    assert "0 say the same or a newer value" in reflect(bankctl, "2026-05-05T03:00")

    assert [like for _, like, _ in hits(bankctl, "spare keys in the drawer")] == [0, 0]


def test_what_a_hand_wrote_is_looked_at_beside_what_logs_say(root: Path, bankctl: Run, tmp_path: Path) -> None:
    name_model(root, tmp_path)
    write_log(root, "2026-05-01.md", f"W: {KEPT}")
    reflect(bankctl)
    page = root / "bank/knowledge/tools.md"
    page.write_text(f"# Tools\n\n- W: {AGAIN} ^m-aaaaaaaaaaaa\n", "utf-8")

    reflect(bankctl, "2026-05-05T03:00")

    assert hits(bankctl, "where are the cellar spare keys")[0][1] == 1


def test_what_a_person_keeps_beside_it_is_not_asked_about(root: Path, bankctl: Run, tmp_path: Path) -> None:
    name_model(root, tmp_path)
    write_log(root, "2026-05-01.md", f"W: {KEPT}")
    learn(root, bankctl, "2026-05-02.md", f"W: {AGAIN}", now="2026-05-03T12:00")
    ids = [bankctl("search", text, "--json").json["hits"][0]["id"] for text in (KEPT, AGAIN)]
    kept = bankctl("review", "keep", *ids)
    assert kept.code == 0, kept.err

    reflect(bankctl)

    assert asked(tmp_path) == ""


def test_a_plan_tells_of_it_and_zero_turns_it_off(bank: Path, bankctl: Run, tmp_path: Path) -> None:
    bankctl("cycle", "micro", "--now", "2026-05-03T12:00")
    assert bankctl("distil", "--dry-run", "--json", "--now", NOW).json["comparisons"] >= 4
    change_setting(bank, "compare: 50", "compare: 0")

    reflect(bankctl)

    assert asked(tmp_path) == ""


def test_each_memory_has_its_night_where_a_night_looks_at_few(bank: Path, bankctl: Run, tmp_path: Path) -> None:
    change_setting(bank, "compare: 50", "compare: 1")
    for day in range(4, 9):
        reflect(bankctl, f"2026-05-{day:02}T03:00")

    assert asked(tmp_path).count("the first| " + AGAIN) == asked(tmp_path).count("the first| " + NEW) == 1
    assert hits(bankctl, "where are the cellar spare keys")[0][1] == 1


def test_a_model_that_fails_leaves_memories_waiting_and_the_night_goes_on(
    bank: Path, bankctl: Run, tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text("raise SystemExit('out of order')", "utf-8")

    assert "memories wait to be compared by the model: " in reflect(bankctl)
    (tmp_path / "model.py").write_text(SAID + PROGRAM, "utf-8")
    assert "2 say the same or a newer value" in reflect(bankctl, "2026-05-05T03:00")


@pytest.mark.parametrize("knows", texts("prompts", "known to a model"))
def test_a_model_that_cannot_tell_what_is_known_is_asked_about_no_memory(
    bank: Path, bankctl: Run, tmp_path: Path, knows: str
) -> None:
    program = tmp_path / "model.py"
    program.write_text(program.read_text("utf-8").replace(KNOWS, knows), "utf-8")

    said = reflect(bankctl)

    assert "wait to be compared by the model: it failed its trial: it cannot tell the same" in said
    assert "distil.compare: 0 stops asking it" in said
    assert asked(tmp_path).count("the first|") == 1
    assert {like for _, like, _ in hits(bankctl, "where are the cellar spare keys")} == {0}


def test_a_model_is_tried_once_in_each_language(bank: Path, bankctl: Run, tmp_path: Path) -> None:
    write_log(bank, "2026-05-03.md", "W: 지하실 열쇠는 파란 찬장에 있다.", "W: 파란 찬장에 지하실 열쇠를 걸어 둔다.")
    reflect(bankctl)
    reflect(bankctl, "2026-05-05T03:00")

    assert asked(tmp_path).count("the first| Mina lent") == asked(tmp_path).count("the first| 유리가") == 1


def test_a_memory_that_cannot_be_read_keeps_no_other_from_being_looked_at(
    bank: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = matching.compared_text

    def fail(memory: Memory) -> str:
        if "kettle" in memory.text:
            raise ZeroDivisionError
        return read(memory)

    monkeypatch.setattr(matching, "compared_text", fail)

    assert "is not compared by the model: this is a bug in bankd (ZeroDivisionError())" in reflect(bankctl)
    assert hits(bankctl, "where are the cellar spare keys")[0][1] == 1


def test_what_looks_like_a_credential_is_not_sent_and_keeps_nothing_else_from_it(
    bank: Path, bankctl: Run, tmp_path: Path
) -> None:
    page = bank / "bank/knowledge/tools.md"
    secret = "the cellar spare keys in the blue cupboard open AKIAIOSFODNN7EXAMPLE"
    page.write_text(f"# Tools\n\n- W: {secret} ^m-cccccccccccc\n", "utf-8")

    reflect(bankctl)

    assert "AKIA" not in asked(tmp_path)
    assert hits(bankctl, "where do the cellar spare keys hang")[0][1] == 1
