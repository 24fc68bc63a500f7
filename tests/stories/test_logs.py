"""Logs as agents write them, without a tag: found on the same day, beside what the bank says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bankd.search.indexable import Refreshed
from tests.examples import examples
from tests.settings import change_setting
from tests.stories.conftest import Run, learn

PROSE = """# 2026-05-04

## 오전
스테이징 DB는 5433 포트로 옮겼고, 로그 저장소는 ClickHouse로 가기로 했다.

## Talk
**user** (10:02): where does the nightly backup go?
**assistant** (10:02): To the storage box in Falkenstein, at 04:30 UTC.

## Retain
- W: The production deploy runs at 10:00 on Tuesdays.
- W: 회의실 예약은 총무팀이 한다.
- nobody knows this tag
"""


@pytest.fixture
def logs(root: Path, bankctl: Run) -> Path:
    (root / "memory" / "2026-05-04.md").write_text(PROSE, encoding="utf-8")
    bankctl("cycle", "micro", "--now", "2026-06-10T03:00")
    return root


def hits_of(bankctl: Run, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bankctl("search", "--json", *words).json["hits"]
    return found


def test_a_line_of_prose_is_found_with_its_place_and_that_it_was_not_taken_in(logs: Path, bankctl: Run) -> None:
    (hit,) = hits_of(bankctl, "스테이징 DB 포트")

    assert (hit["group"], hit["path"], hit["line"]) == ("logs", "memory/2026-05-04.md", 4)
    assert hit["became"] == "not taken in"
    assert "5433" in hit["text"]
    assert "not taken in" in bankctl("search", "스테이징 DB 포트").out


def test_a_line_is_found_beside_one_of_its_passage_that_the_bank_says_already(root: Path, bankctl: Run) -> None:
    both = "Minsu deploys billing to staging on Friday.\n- B: Test billing on staging before you deploy.\n"
    (root / "memory" / "2026-05-04.md").write_text(both, encoding="utf-8")
    bankctl("cycle", "micro", "--now", "2026-06-10T03:00")

    found = hits_of(bankctl, "deploy billing staging")
    alone = hits_of(bankctl, "deploy billing staging", "--in", "logs")

    assert [(hit["group"], hit["line"]) for hit in found][1:] == [("logs", 1)]
    assert sorted(hit["line"] for hit in alone) == [1, 2]


def test_a_line_that_asks_is_shown_with_the_one_that_answers(logs: Path, bankctl: Run) -> None:
    (hit,) = hits_of(bankctl, "--in", "logs", "-n", "1", "where does the nightly backup go")

    assert hit["text"].startswith("**user**")
    assert "Falkenstein" in hit["text"]


def test_what_was_read_and_not_taken_in_is_counted_wherever_one_looks(root: Path, bankctl: Run) -> None:
    log = root / "memory" / "2026-05-04.md"
    log.write_text(f"{PROSE}<!-- a note -->\n", encoding="utf-8")
    (root / "memory" / "b.md").write_text("- an item\n- another\n", encoding="utf-8")

    report = bankctl("cycle", "micro", "--now", "2026-06-10T03:00", "--json").json
    waiting, status = bankctl("review", "list", "--json").json, bankctl("status", "--json").json

    taken_in = report["counts"].get("learned", 0) + report["counts"].get("inbox", 0)
    assert (report["prose"], taken_in, report["counts"]["bad"]) == (5, 2, 1)
    assert (waiting["prose"], waiting["proposed"]) == (5, [])
    assert [line["place"] for line in waiting["bad"]] == ["memory/2026-05-04.md:13"]
    assert status["bank"]["prose"] == 5
    assert "5 lines of prose" in bankctl("review", "list").out
    assert "5 lines of prose" in bankctl("status").out
    (root / "memory" / "b.md").unlink()
    assert "5 lines of prose" not in bankctl("cycle", "micro", "--now", "2026-06-10T04:00").out
    assert bankctl("review", "list", "--json").json["prose"] == 3


@pytest.mark.parametrize(("line", "outcome", "said"), examples("commands", "lines of a log"))
def test_any_line_of_a_log_says_what_it_is_and_what_could_be_done(
    root: Path, bankctl: Run, line: str, outcome: str, said: str
) -> None:
    text = PROSE.replace("Tuesdays.\n", "Tuesdays,\n  after the stand-up.\n").replace(
        "- W: 회의실 예약은 총무팀이 한다.\n", ""
    )
    text += "<!-- a note -->\n\n`the password: hunter2x!9`\n"
    (root / "memory" / "2026-05-04.md").write_text(text, encoding="utf-8")
    bankctl("cycle", "micro", "--now", "2026-06-10T03:00")

    shown = bankctl("show", f"memory/2026-05-04.md:{line}", "--json").json

    assert (shown["outcome"], said in shown["sentence"]) == (outcome, True)
    assert "hunter2x" not in bankctl("show", "memory/2026-05-04.md:16").out


def test_an_appended_line_is_found_at_once(logs: Path, bankctl: Run) -> None:
    log = logs / "memory" / "2026-05-04.md"
    log.write_text(f"{PROSE}\n정수기 필터는 수납장에 있다.\n", encoding="utf-8")

    answer = bankctl("search", "--json", "정수기 필터").json

    assert "수납장" in answer["hits"][0]["text"]
    assert answer["fresh"]["pending"] == 0
    log.unlink()
    assert hits_of(bankctl, "정수기 필터") == []


def test_a_line_that_the_bank_has_is_not_said_twice(logs: Path, bankctl: Run) -> None:
    assert [hit["group"] for hit in hits_of(bankctl, "when does the production deploy run")] == ["bank"]


def test_what_the_bank_says_is_not_shown_again_from_the_prose_of_a_log(root: Path, bankctl: Run) -> None:
    said = "Peter flies to Busan on Friday.\n\n- W @Peter: Peter flies to Busan on Friday.\n"
    (root / "memory" / "2026-05-04.md").write_text(said, encoding="utf-8")
    bankctl("cycle", "micro", "--now", "2026-06-10T03:00")

    assert [hit["group"] for hit in hits_of(bankctl, "when does Peter fly to Busan")] == ["bank"]


def test_only_the_groups_that_are_named_answer_and_say_what_a_line_became(logs: Path, bankctl: Run) -> None:
    (kept,) = hits_of(bankctl, "--in", "bank", "when does the production deploy run")
    page = logs / kept["path"]
    page.write_text(page.read_text().replace(f". ^{kept['id']}", f" ^{kept['id']}"))  # says the same without its stop
    hits = hits_of(bankctl, "--in", "logs", "when does the production deploy run")

    assert {hit["group"] for hit in hits} == {"logs"}
    assert hits[0]["became"] == f"kept as {kept['id']}"
    (logs / ".bankd/catalogue.sqlite3").unlink()
    assert hits_of(bankctl, "--in", "logs", "when does the production deploy run") == hits, (
        "the page is there all the same"
    )
    assert bankctl("search", "--in", "diary", "deploy").code == 2


def test_what_a_person_took_out_of_the_bank_is_no_answer_from_its_log(logs: Path, bankctl: Run) -> None:
    (hit,) = hits_of(bankctl, "회의실 예약")
    bankctl("forget", hit["id"])

    assert not any("총무팀" in found["text"] for found in hits_of(bankctl, "회의실 예약"))


@pytest.mark.parametrize("way", ["replaced and dropped", "reworded by hand", "dropped alone"])
def test_a_value_that_was_corrected_is_no_answer_from_its_log(root: Path, bankctl: Run, way: str) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: Choir rehearsal starts at 19:00 on Wednesdays.", now="2026-05-03T03:00")
    if way == "replaced and dropped":
        learn(
            root, bankctl, "2026-05-04.md", "W: Choir rehearsal starts at 19:30 on Wednesdays.", now="2026-05-05T03:00"
        )
    (old,) = (hit for hit in hits_of(bankctl, "when is choir rehearsal?") if "19:00" in hit["text"])
    if way == "reworded by hand":
        page = root / old["path"]
        page.write_text(page.read_text().replace("19:00", "19:30"))
    else:
        bankctl("review", "drop", old["id"])

    found = hits_of(bankctl, "when is choir rehearsal?")
    said = bankctl("search", "--in", "logs", "when is choir rehearsal?").out
    said += bankctl("show", "memory/2026-05-02.md:4").out

    expected = [("archive", "19:00")] if way == "dropped alone" else [("bank", "19:30")]
    assert [(hit["group"], time) for hit in found for time in ("19:00", "19:30") if time in hit["text"]] == expected
    now = "says now: Choir rehearsal starts at 19:30 on Wednesdays."
    assert (said.count("19:00"), said.count(now)) == (2, 0 if way == "dropped alone" else 2)


@pytest.mark.parametrize("late", ["SearchIndex.refresh", "Terms.replace"], ids=["nothing read", "rows before terms"])
def test_a_line_answers_until_its_memory_is_in_the_index(
    logs: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    with (logs / "memory/2026-05-04.md").open("a", encoding="utf-8") as log:
        log.write("- W: The office moved to Mapo.\n")
    assert hits_of(bankctl, "where did the office move?")
    with monkeypatch.context() as patched:
        module = {"SearchIndex": "search_index", "Terms": "terms"}[late.partition(".")[0]]
        patched.setattr(f"bankd.index.{module}.{late}", lambda *_: Refreshed(0, 0, 0))
        bankctl("cycle", "micro", "--now", "2026-06-10T04:00")
    monkeypatch.setattr("bankd.search.bank_search.Indexes._catch_up_bank", lambda self, _: ("", int(self.bank.open())))

    (hit,) = hits_of(bankctl, "where did the office move?")

    assert (hit["group"], hit["became"][:8]) == ("logs", "kept as ")


def test_what_was_archived_is_found_with_the_day_it_went_and_how_to_bring_it_back(root: Path, bankctl: Run) -> None:
    learn(
        root, bankctl, "2026-05-02.md", "O(c=0.50) @Ann: Believes in very long letters by post.", now="2026-05-03T03:00"
    )
    bankctl("cycle", "reflect", "--now", "2026-09-10T03:00")
    (root / "memory" / "2026-05-02.md").unlink()

    hit = hits_of(bankctl, "does Ann believe in long letters")[0]

    assert (hit["group"], hit["path"].partition("/")[0]) == ("archive", "archive")
    assert hit["became"].startswith("archived on 2026-09-10")
    assert hit["became"].endswith(f"bankctl archive restore {hit['id']}")


def test_a_credential_in_a_log_is_neither_shown_nor_kept(root: Path, bankctl: Run) -> None:
    secret = "sk-proj-9fK2mQ7xLpZ3vB8nR1tY6wC4"
    (root / "memory" / "a.md").write_text(f"# Deploy\n\nThe deploy key is api_key = {secret} as of today.\n", "utf-8")

    (hit,) = hits_of(bankctl, "deploy key")

    assert secret not in json.dumps(hit)
    assert "[API key]" in hit["text"]
    index = [path for path in (root / ".bankd" / "index").rglob("*") if path.is_file()]
    assert index
    assert not any(secret.encode() in path.read_bytes() for path in index)


def test_prose_in_which_a_value_is_masked_is_named_once_and_until_it_is_dropped(root: Path, bankctl: Run) -> None:
    log = root / "memory/2026-05-08.md"
    log.write_text("# Day\n\nThe wifi password: hunter2secret99 today.\n\n- W: Jonas likes tea.\n")
    place, words = "memory/2026-05-08.md:3", "is masked in the bank"

    told = bankctl("cycle", "micro", "--now", "2026-05-09T03:00").out
    assert words in told[told.index(place) :]
    log.write_text(log.read_text() + "\nMore was said.\n")
    assert words not in bankctl("cycle", "micro", "--now", "2026-05-09T04:00").out
    assert f"{place} was not taken in" in bankctl("doctor").out
    bankctl("review", "drop", place)
    assert place not in bankctl("doctor").out
    assert "hunter2" not in told + bankctl("show", place).out


def test_a_pattern_of_the_user_masks_what_was_indexed_before(root: Path, bankctl: Run) -> None:
    (root / "memory" / "a.md").write_text("# Badge\n\nThe badge of the guest is ZX-4411.\n", "utf-8")
    assert "ZX-4411" in hits_of(bankctl, "badge of the guest")[0]["text"]

    change_setting(root, "patterns: []", "patterns: ['ZX-[0-9]+']")
    assert "ZX-4411" not in hits_of(bankctl, "badge of the guest")[0]["text"]


def test_a_log_of_windows_and_one_without_headings_are_found(root: Path, bankctl: Run) -> None:
    (root / "memory" / "w.md").write_text("the parcel locker has code name Heron\n", encoding="utf-16")
    (root / "memory" / "b.md").write_bytes(b"the kiosk \xff is repaired by Olaf\n")

    assert "Heron" in hits_of(bankctl, "parcel locker")[0]["text"]
    assert "Olaf" in hits_of(bankctl, "who repaired the kiosk")[0]["text"]


def test_a_damaged_index_of_logs_is_made_anew_and_the_bank_answers(logs: Path, bankctl: Run) -> None:
    hits_of(bankctl, "nightly backup")
    (logs / ".bankd" / "index" / "logs" / "current").write_text("nonsense")

    answer = bankctl("search", "--json", "nightly backup").json

    assert any("Falkenstein" in hit["text"] for hit in answer["hits"])
    assert "index/logs" in answer["fresh"]["note"]


def test_one_line_of_prose_is_one_line(root: Path, bankctl: Run) -> None:
    (root / "memory" / "a.md").write_text("# Day\n\nthe heron is back\n", encoding="utf-8")

    assert "1 line of prose was read and not taken in" in bankctl("cycle", "micro", "--now", "2026-06-10T03:00").out


def test_a_log_too_large_to_be_searched_is_named(root: Path, bankctl: Run) -> None:
    (root / "memory" / "dump.md").write_text(
        "- W: The port is 8080.\n\n" + "a line of prose\n" * 600_000, encoding="utf-8"
    )

    assert "memory/dump.md is too large to be searched: divide it" in bankctl("search", "a line of prose").err
    assert "memory/dump.md is too large to be searched: divide" not in bankctl("search", "--in", "bank", "prose").err
    assert "memory/dump.md is too large to be searched  → divide it, best by its days" in bankctl("status").out
    assert bankctl("cycle", "micro", "--now", "2026-05-02T03:00", "--json").json["counts"].keys() <= {
        "learned",
        "inbox",
    }
    assert "port is 8080" in "".join(path.read_text(encoding="utf-8") for path in (root / "bank").rglob("*.md"))
