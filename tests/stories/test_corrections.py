"""What a hand does to pages stays so: corrections, deletions, copies with an id, pages that fell to nothing, and fights."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bankd.agents.hooks import answer_hook
from bankd.agents.tools import BankMethods
from bankd.system.clock import utc_now
from bankd.wiring.reader import BankReader
from tests.settings import change_setting
from tests.stories.conftest import Run, learn, write_log

PAGE = "bank/patterns/workflows.md"
NOW, SOON, LATER = "2026-06-10T03:00", "2026-06-10T03:02", "2026-06-10T03:04"


@pytest.fixture
def page(root: Path, bankctl: Run) -> Path:
    """A page to which a run has just added two memories, and before that another run one."""
    learn(root, bankctl, "2026-05-01.md", "W: The backup workflow runs at night.", now="2026-06-09T03:00")
    write_log(
        root, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", "W: The release workflow has a sign-off."
    )
    bankctl("cycle", "micro", "--now", NOW)
    return root / PAGE


def without(page: Path, words: str) -> str:
    return "".join(line for line in page.read_text().splitlines(True) if words not in line)


def test_a_memory_deleted_while_others_of_its_run_stay_does_not_come_back(page: Path, bankctl: Run) -> None:
    page.write_text(without(page, "10:00"))

    assert "1 deleted" in bankctl("cycle", "micro", "--now", SOON).out
    assert "10:00" not in page.read_text()


def test_a_memory_in_a_code_block_that_is_not_closed_is_not_deleted(page: Path, bankctl: Run) -> None:
    whole = page.read_text()
    page.write_text(whole.replace("- W: The deploy", "```\n- W: The deploy"))
    line = next(n for n, words in enumerate(page.read_text().split("\n"), 1) if "10:00" in words)

    run, found = bankctl("cycle", "micro", "--now", LATER), bankctl("doctor", "verify")

    assert "deleted" not in run.out
    assert f"{PAGE}:{line}: m-" in run.out
    assert found.code == 0, "the run has named it, and nothing is lost"
    page.write_text(whole)
    assert bankctl("cycle", "micro", "--now", LATER).out.endswith(": 1 by hand\n")
    assert bankctl("doctor", "verify").code == 0


def test_a_memory_that_a_waiting_line_replaces_is_told_with_doubt_until_a_person_decides(
    root: Path, page: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old,) = bankctl("search", "deploy runs at 10:00 on Tuesdays", "--json").json["hits"][:1]
    (root / "memory/distilled").mkdir(exist_ok=True)
    line = f"- W: The deploy runs at 11:00. (replaces {old['id']}) <!-- source: memory/2026-05-03.md:1 --> <!-- refused: no -->"
    (root / "memory/distilled/2026-05-03.md").write_text(f"# 2026-05-03, distilled\n\n## Retain\n{line}\n")
    bankctl("cycle", "reflect", "--now", SOON)
    doubt, bank = "may be out of date: what replaces it waits in the review", BankReader(str(root))

    def told() -> list[bool]:
        prompt = {"session_id": "s1", "cwd": "/", "prompt": "when does the deploy run on Tuesdays?"}
        recall = answer_hook("UserPromptSubmit", {**prompt, "session_id": str(len(asked))}, bank)
        asked.append(recall)
        call = {"name": "memory_search", "arguments": {"query": "when does the deploy run"}}
        by_tool = BankMethods(lambda: bank).by_name()["tools/call"](call)
        ways = [
            bankctl("search", "when does the deploy run", "--in", "bank").out,
            bankctl("show", old["id"]).out, recall, str(by_tool), bankctl("brief", "person", "deploy").out,
        ]  # fmt: skip
        assert all("10:00" in way for way in ways)
        return [doubt in way for way in ways]

    asked: list[str] = []
    assert told() == [True] * 5
    with monkeypatch.context() as korean:
        korean.setenv("LANG", "ko_KR.UTF-8")
        assert "오래된 값일 수 있음" in bankctl("show", old["id"]).out

    bankctl("review", "drop", "memory/distilled/2026-05-03.md:4")

    assert told() == [False] * 5


def test_what_cannot_be_read_is_named_beside_a_memory_that_is_gone(root: Path, page: Path, bankctl: Run) -> None:
    page.write_text(without(page, "10:00"))
    odd = root / "bank/world/facts.md"
    odd.unlink()
    odd.symlink_to("/dev/null")

    found = bankctl("doctor", "verify")

    assert (found.code, "bank/world/facts.md" in found.out) == (3, True)
    assert "is on no page" in found.out


def test_a_memory_that_a_person_deleted_and_put_back_is_there_again(page: Path, bankctl: Run) -> None:
    whole = page.read_text()
    page.write_text(without(page, "10:00"))
    bankctl("cycle", "micro", "--now", SOON)
    page.write_text(whole)
    id_ = re.findall(r"10:00.*\^(m-\w+)", whole)[0]

    run, again = (bankctl("cycle", "micro", "--now", LATER) for _ in range(2))

    assert (f"restored  {id_}" in run.out, "1 restored" in run.out) == (True, True)
    assert again.out.endswith("nothing new\n")
    assert "deleted on" not in bankctl("show", id_).out


def test_a_memory_corrected_and_then_deleted_does_not_come_back_in_its_old_words(page: Path, bankctl: Run) -> None:
    page.write_text(page.read_text().replace("10:00", "12:00"))
    bankctl("cycle", "micro", "--now", SOON)
    page.write_text(without(page, "12:00"))
    page.write_text(without(page, "sign-off"))

    run = bankctl("cycle", "micro", "--now", LATER)

    assert "Tuesdays" not in page.read_text()
    assert f"{PAGE}: put back, for all that 20260610T030000-micro wrote there was gone" in run.out
    assert "- W: The release workflow has a sign-off." in run.out
    assert bankctl("doctor", "verify").code == 0


def test_the_first_memory_of_a_page_that_was_corrected_and_deleted_between_two_runs_stays_out(
    root: Path, bankctl: Run
) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", now=NOW)
    page = root / PAGE
    page.write_text(page.read_text().replace("10:00", "12:00"))
    page.write_text(without(page, "12:00"))

    assert bankctl("cycle", "micro", "--now", SOON, "--json").json["counts"] == {"deleted": 1}
    assert "Tuesdays" not in page.read_text()


@pytest.mark.parametrize(("end", "deleted"), [("", 2), (r"\n\2", 1), (r"\n  \2", 1)])
def test_a_memory_whose_id_is_off_or_below_it_stands_once(page: Path, bankctl: Run, end: str, deleted: int) -> None:
    page.write_text(re.sub(r"(10:00.*) (\^m-\w+)", rf"\1{end}", without(page, "sign-off")))

    assert bankctl("cycle", "micro", "--now", SOON, "--json").json["counts"] == {"by hand": 1, "deleted": deleted}
    assert page.read_text().count("10:00") == 1
    assert bankctl("doctor", "verify").code == 0


def test_a_memory_moved_and_written_on_below_its_id_stands_once(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", now=NOW)
    page, other = root / PAGE, root / "bank/world/facts.md"
    line = next(line for line in page.read_text().splitlines(True) if "10:00" in line)
    page.write_text(without(page, "10:00") + "\nA note in its place.\n")
    other.write_text(f"# Facts\n\n{line}Only in summer, and never before a holiday.\n")

    run = bankctl("cycle", "micro", "--now", SOON, "--json").json

    assert run["counts"] == {"by hand": 2}, "the memory ends at its id, though Markdown goes on with its paragraph"
    assert "10:00" not in page.read_text()
    assert other.read_text() == f"# Facts\n\n{line}Only in summer, and never before a holiday.\n"
    assert bankctl("doctor", "verify").code == 0


def test_an_old_copy_that_is_saved_brings_back_only_what_nobody_had_taken_out(page: Path, bankctl: Run) -> None:
    page.write_text(without(page, "10:00"))
    old = without(page, "sign-off")
    bankctl("cycle", "micro", "--now", SOON)
    page.write_text(old + "\nA note from an old buffer.\n")

    run = bankctl("cycle", "micro", "--now", LATER, "--json").json

    assert run["counts"] == {}
    assert "10:00" not in page.read_text()
    assert "sign-off" in page.read_text()
    assert "from an old buffer" in page.read_text()
    assert ["sign-off" in note for note in run["notes"]] == [True]


def test_a_command_that_finds_an_old_copy_names_what_it_put_back(
    root: Path, bankctl: Run, caplog: pytest.LogCaptureFixture
) -> None:
    write_log(root, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.")
    bankctl("cycle", "micro")
    (root / PAGE).write_text("# Workflows\n\nAll of it from an old buffer.\n")

    bankctl("review", "place")

    assert "10:00" in (root / PAGE).read_text()
    assert [f"{PAGE}: put back" in said and "10:00" in said for said in caplog.messages] == [True]


@pytest.mark.parametrize("way", ["forget", "undo"])
def test_what_a_command_took_out_stays_out_though_the_journal_of_that_is_lost(
    root: Path, bankctl: Run, way: str
) -> None:
    before = (root / PAGE).read_text()
    write_log(root, "2026-05-01.md", "W: The backup workflow runs at night.")
    run = bankctl("cycle", "micro", "--json").json["run"]
    id_ = re.findall(r"\^(m-\w+)", (root / PAGE).read_text())[0]
    bankctl(way, id_ if way == "forget" else run)
    assert (root / PAGE).read_text() == before, "as an old buffer would have it"
    last = max((root / ".bankd/done").glob("*.json"))
    last.write_bytes(last.read_bytes()[:9])

    bankctl("cycle", "micro")

    assert "backup" not in (root / PAGE).read_text()


COPIED, HALF_PAST = "2026-06-10T03:00", "2026-06-10T03:30"


@pytest.mark.parametrize("target", ["bank/patterns/workflows.md", "bank/knowledge/tools.md"])
def test_a_memory_copied_with_its_id_is_named_with_both_places_and_stops_nothing(
    root: Path, bankctl: Run, target: str
) -> None:
    change_setting(root, "pages: own", "pages: all")  # most of the page is by hand
    learn(root, bankctl, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", now=COPIED)
    line = next(n for n in (root / PAGE).read_text().splitlines() if "10:00" in n)
    long = "".join(f"\n## Part {n}\n\n- W: {'word ' * 400}of part {n}\n" for n in range(9))
    (root / target).write_text(f"{(root / target).read_text()}\n{line}\n{long}")
    write_log(
        root, "2026-05-03.md", "W: The release workflow has seven stages.", "W: The deploy runs at 14:00 on Tuesdays."
    )

    micro = bankctl("cycle", "micro", "--now", HALF_PAST)
    reflect = bankctl("cycle", "reflect", "--now", HALF_PAST, "--json").json
    (row,) = (row for row in reflect["rows"] if row["kind"] == "copied")
    told = [found["text"] for found in bankctl("status", "--json").json["findings"] if found["needs_person"]]

    assert "2 learned, 1 updated, 1 by hand, 1 copied" in micro.out
    assert reflect["counts"] == {"split": 1, "copied": 1}
    assert row["text"].startswith("stands 2 times: bank/")
    places = [place for place in re.findall(r"(bank/\S+\.md):\d+", told[0]) if line in (root / place).read_text()]
    assert len(places) == 2
    assert "remove the id from all but one" in bankctl("doctor").out
    assert bankctl("doctor", "verify").code == 3

    copy = root / places[0]
    copy.write_text(copy.read_text().replace(line, line.partition(" ^")[0], 1))
    assert not [found for found in bankctl("status", "--json").json["findings"] if found["needs_person"]]
    assert bankctl("cycle", "micro", "--now", HALF_PAST, "--json").json["counts"] == {"by hand": 1}
    assert bankctl("doctor", "verify").code == 0


def test_a_memory_in_the_inbox_that_stands_reworded_elsewhere_is_not_moved_onto_that(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: Zephyr quartz.", now=COPIED)
    inbox, page = root / "bank/_meta/inbox.md", root / PAGE
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
    learn(
        root, bankctl, "2026-05-02.md", "O(c=0.4): I believe that Tabs are what the deploy workflow needs.", now=COPIED
    )
    page = next(p for p in (root / "bank").rglob("*.md") if "Tabs are" in p.read_text())
    line = next(n for n in page.read_text().splitlines() if "Tabs are" in n)
    bankctl("archive", "gc", "--apply", "--now", "2028-06-10")
    assert "Tabs are" not in page.read_text()
    page.write_text(f"{page.read_text()}\n{line.replace('Tabs', 'Spaces')}\n")

    bankctl("archive", "gc", "--apply", "--now", "2028-06-20")

    everywhere = "".join(p.read_text() for top in ("bank", "archive") for p in (root / top).rglob("*.md"))
    assert ("Tabs are" in everywhere, "Spaces are" in everywhere) == (True, True)


FLOWS, PROFILE = "bank/patterns/workflows.md", "bank/identity/profile.md"
HOURS_LATER, DAYS_LATER = "2026-06-10T09:00", "2026-06-12T09:00"


@pytest.fixture
def emptied(root: Path, bankctl: Run) -> Path:
    """A page with two memories that was emptied, beside one with another."""
    about = (
        "The deploy workflow has 2 steps.",
        "The release workflow has a sign-off.",
        "My full name is Kim Hanbit; born in Busan, works as a developer.",
    )
    learn(root, bankctl, "2026-05-02.md", *(f"W: {text}" for text in about))
    assert (len(memories(root / FLOWS)), len(memories(root / PROFILE))) == (2, 1)
    return root / FLOWS


def save(page: Path, text: str) -> None:
    page.write_text(text)
    moment = datetime.fromisoformat(HOURS_LATER).timestamp() - 600
    os.utime(page, (moment, moment))


def memories(page: Path) -> list[str]:
    return [line for line in page.read_text().splitlines(keepends=True) if "^m-" in line]


def counts(bankctl: Run, now: str) -> dict[str, int]:
    return dict(bankctl("cycle", "micro", "--now", now, "--json").json["counts"])


def test_a_page_whose_memories_were_all_taken_elsewhere_is_believed(root: Path, emptied: Path, bankctl: Run) -> None:
    other = root / PROFILE
    save(other, other.read_text() + "".join(memories(emptied)))
    save(emptied, "")

    assert counts(bankctl, HOURS_LATER) == {"by hand": 1}
    assert bankctl("doctor", "verify").code == 0


def test_what_was_deleted_elsewhere_is_noted_and_what_only_stood_on_the_empty_page_waits(
    root: Path, emptied: Path, bankctl: Run
) -> None:
    other, moved = root / PROFILE, memories(emptied)[0]
    save(other, "# Profile\n\n" + moved)
    save(emptied, "")

    assert counts(bankctl, HOURS_LATER) == {"by hand": 1, "deleted": 1, "waiting": 1}
    assert counts(bankctl, DAYS_LATER) == {"deleted": 1}


def test_an_empty_page_that_is_renamed_keeps_nothing_of_what_stood_on_it(emptied: Path, bankctl: Run) -> None:
    save(emptied, "")
    assert counts(bankctl, HOURS_LATER) == {"waiting": 1}
    emptied.rename(emptied.with_name("renamed.md"))

    assert counts(bankctl, HOURS_LATER)["deleted"] == 2
    assert bankctl("doctor", "verify").code == 0


def test_a_save_that_ends_later_brings_back_all(emptied: Path, bankctl: Run) -> None:
    text = emptied.read_text()
    save(emptied, "")
    counts(bankctl, HOURS_LATER)
    save(emptied, text)

    assert counts(bankctl, HOURS_LATER) == {}
    assert bankctl("doctor", "verify").code == 0


def test_what_only_stood_on_the_empty_page_waits_and_is_not_called_lost(emptied: Path, bankctl: Run) -> None:
    emptied.write_text("")  # now: verify has no clock to be told another time
    bankctl("cycle", "micro")

    found = bankctl("doctor", "verify")

    assert (found.code, "lost" in found.out) == (0, False)
    words = "is empty, perhaps cut by an unfinished save; 2 memories stood on it, taken for deleted after 24 hours"
    assert f"waits  {FLOWS}  {words}" in found.out
    assert bankctl("doctor", "verify", "--json").json["emptied"] == [{"kind": "waits", "place": FLOWS, "words": words}]


@pytest.fixture
def fought_over(root: Path, bankctl: Run) -> Path:
    """A page that the last reflect run has split, and which a tool then put back three times."""
    (root / "bankd.yaml").write_text("settle_seconds: 0\nsearch: {analyser: lexicon}\n")
    fought_over = root / PAGE
    sections = (f"## Part {n}\n\n" + f"- W: {'step ' * 400}of part {n} ^m-part{n:08}\n\n" for n in range(9))
    fought_over.write_text("# Workflows\n\n" + "".join(sections))
    before = fought_over.read_text()
    for _ in range(4):
        assert bankctl("cycle", "reflect").code == 0
        assert fought_over.read_text() != before
        fought_over.write_text(before)
    return fought_over


def test_a_page_that_is_fought_over_is_left_alone_and_named_with_what_to_do(fought_over: Path, bankctl: Run) -> None:
    fought = fought_over.read_text()
    run = bankctl("cycle", "micro")
    status, doctor = bankctl("status"), bankctl("doctor")

    assert fought_over.read_text() == fought
    assert f"! left alone {PAGE}" in run.out
    assert "left alone until" in run.out
    for said in (status, doctor):
        assert said.code == 3
        assert f"{PAGE} was changed back each time it was written" in said.out


def test_what_is_new_for_it_waits_and_lands_when_it_has_had_its_rest(
    root: Path, fought_over: Path, bankctl: Run
) -> None:
    write_log(root, "2026-05-02.md", "W: The deploy workflow runs at noon.", "S: 가치관: 정직을 최우선으로 한다.")
    counts = bankctl("cycle", "micro", "--json").json["counts"]
    later = (utc_now() + timedelta(minutes=11)).isoformat()
    after = bankctl("cycle", "micro", "--now", later, "--json").json["counts"]
    again = bankctl("cycle", "micro", "--now", later, "--json").json["counts"]

    assert counts == {"learned": 1, "waiting": 1, "left alone": 1}
    assert (after, again) == ({"learned": 1}, {})
    assert "^m-part" not in fought_over.read_text()
    assert bankctl("doctor", "verify").code == 0


def test_a_person_may_change_it_all_the_same(fought_over: Path, bankctl: Run) -> None:
    bankctl("cycle", "micro")

    assert bankctl("page", "move", PAGE, "bank/patterns/flows.md").code == 0
    assert not fought_over.exists()


@pytest.mark.parametrize("in_one_run", [False, True])
def test_a_value_that_holds_again_is_news_and_said_twice_is_not(root: Path, bankctl: Run, *, in_one_run: bool) -> None:
    for day, at in (("01", "08:00"), ("03", "09:00"), ("05", "08:00"), ("07", "08:00")):
        write_log(root, f"2026-05-{day}.md", f"W: The gate opens at {at}.")
        assert in_one_run or bankctl("cycle", "micro", "--now", f"2026-05-{day}T12:00").code == 0
    learn(root, bankctl, "copy-2026-05-02.md", "W: The gate opens at 08:00.", now="2026-05-08T12:00")

    first = bankctl("search", "when does the gate open?", "--json", "--now", "2026-05-09T12:00").json["hits"][0]

    assert (first["text"], first["superseded_by"]) == ("The gate opens at 08:00.", None)
    pages = "".join(path.read_text() for path in (root / "bank").rglob("*.md"))
    assert (pages.count("opens at 08:00"), pages.count("opens at 09:00")) == (2, 1)
    assert (bankctl("doctor", "verify").code, bankctl("review", "list", "near", "--json").json["near"]) == (0, [])
