"""All that waits for a person: decided by id or one by one, what replaces and what is promoted; each word has its undo."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bankd.edits.operations import Operation, Remove
from bankd.memory.plan import MovingMemory, move_operations
from bankd.memory.route import Destination
from tests.settings import change_setting, place_by_rules_alone
from tests.stories.conftest import Run, last_run, learn, tree_state, write_log

NOW = ("--now", "2026-05-13T20:00")
ODD = "W: 뮤즐렉 쿼뎌샤 뇨른귤 빔톄"


@pytest.fixture
def waiting(root: Path, bankctl: Run) -> str:
    """The id of a line that no rule places; a page holds one that is like it."""
    place_by_rules_alone(root)
    page = root / "bank/daily/home.md"
    page.write_text("# Home\n\n- W: 뮤즐렉 쿼뎌샤 서랍 ^m-aaaaaaaaaaaa\n", encoding="utf-8")
    write_log(root, "2026-05-12.md", ODD, "W: 뮤즐렉 다른 낱말", "X: nobody knows this tag")
    bankctl("cycle", "micro", *NOW)
    unfiled = bankctl("review", "list", "unfiled", "--json").json["unfiled"]
    return str(next(one["id"] for one in unfiled if "뇨른귤" in one["text"]))


def test_a_page_is_suggested_for_what_waits_and_taken_by_its_number(waiting: str, root: Path, bankctl: Run) -> None:
    listed = bankctl("review", "list").out
    (one,) = (row for row in bankctl("review", "list", "--json").json["unfiled"] if row["id"] == waiting)

    assert [page["page"] for page in one["pages"]] == ["daily/home.md"]
    assert "1  daily/home.md  near “뮤즐렉 쿼뎌샤 서랍”" in listed
    refused = bankctl("review", "place", waiting, "2")
    assert (refused.code, "no suggestion 2; there are 1" in refused.err) == (3, True)
    assert bankctl("review", "place", waiting, "1").out == f"{waiting}  Filed on daily/home.md\n  {ODD}\n"
    assert waiting in (root / "bank/daily/home.md").read_text("utf-8")
    (root / "bank/daily/money.md").write_text("# Money\n\n- W: The rent of the flat is paid.\n", "utf-8")
    learn(root, bankctl, "2026-05-14.md", "W: qx7 is on the shelf")
    odd = bankctl("review", "list", "--json").json["unfiled"][-1]
    assert (odd["text"], odd["pages"]) == ("W: qx7 is on the shelf", []), "both say no more than the and is"


def test_a_page_is_named_in_short_and_a_new_one_is_called_new(waiting: str, root: Path, bankctl: Run) -> None:
    refused = bankctl("review", "place", waiting, "daily/hoem")
    assert refused.code == 3
    near = "did you mean bank/daily/home.md? To make a new page, write daily/hoem.md"
    assert f"daily/hoem: no such page; {near}" in refused.err
    assert not (root / "bank/daily/hoem.md").exists()
    refused = bankctl("review", "place", waiting, "nosuch/page")
    assert (refused.code, "no such page; to make a new page, write nosuch/page.md" in refused.err) == (3, True)
    names = ("HOME", "daily/hoem.md", "daily/new.md", "home")
    said = {name: bankctl("review", "place", waiting, name).out.split("\n")[0] for name in names}

    back = "to take it back: bankctl undo"
    assert said == {
        "HOME": f"{waiting}  Filed on daily/home.md",
        "daily/hoem.md": f"{waiting}  Filed on daily/hoem.md; a new page (did you mean bank/daily/home.md?); {back}",
        "daily/new.md": f"{waiting}  Filed on daily/new.md; a new page; {back}",
        "home": f"{waiting}  Filed on daily/home.md",
    }
    assert "no suggestion 9" in bankctl("review", "place", waiting, "9").err
    assert not (root / "bank/9.md").exists()


def test_what_is_on_its_page_already_stays_there_and_its_rule_is_added_all_the_same(
    waiting: str, root: Path, bankctl: Run
) -> None:
    page, rules = root / "bank/daily/home.md", root / "routing.yaml"
    bankctl("review", "place", waiting, "home")
    before, run = page.read_bytes(), last_run(bankctl)

    for name in ("home", "daily/home.md", "daily/home#Kitchen"):
        again = bankctl("review", "place", waiting, name)
        assert (again.code, again.out.split("\n")[0]) == (0, f"{waiting}  is on bank/daily/home.md already")
    assert (page.read_bytes(), last_run(bankctl)) == (before, run)
    assert "match: '뮤즐렉'" in bankctl("review", "place", waiting, "home", "--always", "뮤즐렉").out
    assert "뮤즐렉" not in rules.read_text("utf-8")
    bankctl("review", "place", waiting, "home", "--always", "뮤즐렉", "--apply")
    assert "- {target: daily/home.md, match: '뮤즐렉'}" in rules.read_text("utf-8")
    assert page.read_bytes() == before


def test_a_move_after_which_the_memory_would_stand_nowhere_is_refused(
    waiting: str, root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    bankctl("review", "place", waiting, "home")
    before = (root / "bank/daily/home.md").read_bytes()

    def only_removed(moves: Iterable[tuple[MovingMemory, Destination]]) -> list[Operation]:
        return [replace(one, elsewhere="") for one in move_operations(moves) if isinstance(one, Remove)]

    monkeypatch.setattr("bankd.app.review.move_operations", only_removed)
    refused = bankctl("review", "place", waiting, "daily/health")

    assert refused.code != 0
    assert waiting in refused.err
    assert (root / "bank/daily/home.md").read_bytes() == before


def test_what_is_on_a_part_of_a_page_is_not_moved_to_its_hub(root: Path, bankctl: Run) -> None:
    hub, part, other = (root / f"bank/daily/{name}.md" for name in ("home", "home/kitchen", "home/own"))
    part.parent.mkdir(parents=True)
    hub.write_text("# Home\n\n- [Kitchen](home/kitchen.md): The kettle\n", encoding="utf-8")
    part.write_text("# Kitchen\n\n- W: The kettle leaks. ^m-aaaaaaaaaaaa\n", encoding="utf-8")
    other.write_text("# Own\n\n- W: The lamp is dim. ^m-bbbbbbbbbbbb\n", encoding="utf-8")

    assert "is on bank/daily/home/kitchen.md already" in bankctl("review", "place", "m-aaaaaaaaaaaa", "daily/home").out
    assert "m-aaaaaaaaaaaa" in part.read_text("utf-8")
    assert "Filed on daily/home.md" in bankctl("review", "place", "m-bbbbbbbbbbbb", "daily/home").out


@pytest.mark.parametrize(
    ("verb", "page", "done"), [("drop", "", ["Archived", "Archived", "Dismissed"]), ("place", "daily/new.md", ["Filed"] * 2)]
)  # fmt: skip
def test_one_that_cannot_be_done_does_not_stop_the_others_and_one_undo_takes_all_back(
    waiting: str, root: Path, bankctl: Run, verb: str, page: str, done: list[str]
) -> None:
    def stand() -> dict[Path, bytes]:
        return {page: page.read_bytes() for page in (root / "bank").rglob("*.md")}

    listed, before = undecided(bankctl, "unfiled", "bad"), stand()
    said = bankctl("review", verb, "m-nothing", *(one["id"] for one in listed), *page.split())
    after, run = stand(), last_run(bankctl)
    bankctl("cycle", "micro", *NOW)  # nothing new: it is passed over

    assert (said.code, "m-nothing: no memory of the bank has this id" in said.err) == (3, True)
    assert re.findall(r"  (Archived|Dismissed|Filed)", said.out) == done
    assert f"undoes {run}" in bankctl("undo").out
    assert (undecided(bankctl, "unfiled", "bad"), stand()) == (listed, before)
    bankctl("undo")
    assert stand() == after


def test_a_number_means_the_last_list_and_what_is_done_is_told_with_its_text(waiting: str, bankctl: Run) -> None:
    bankctl("search", "뮤즐렉 서랍")
    listed = bankctl("review", "list", "unfiled").out
    (number,) = re.findall(r"\[(\d)\] W: .*뇨른귤", listed)

    assert bankctl("review", "drop", number).out.startswith(f"{waiting}  Archived\n  {ODD}\n")
    assert bankctl("archive", "list").out.startswith(waiting)
    assert "restored" in bankctl("archive", "restore", "1").out
    bankctl("log")
    assert "1: no such number in the last list (0 in all)" in bankctl("review", "drop", "1").err


def test_a_rule_is_shown_and_then_added_with_all_comments_kept(waiting: str, root: Path, bankctl: Run) -> None:
    rules = root / "routing.yaml"
    before = rules.read_text("utf-8")
    shown = bankctl("review", "place", waiting, "daily/home", "--always", "뮤즐렉", "--dry-run").out
    assert "- {target: daily/home.md, match: '뮤즐렉'}" in shown
    assert "1 waiting line would go there too" in shown  # without the placed line itself
    assert rules.read_text("utf-8") == before

    change_setting(root, "settle_seconds: 0", "settle_seconds: 5")  # what bankd itself wrote has settled
    done = bankctl("review", "place", waiting, "daily/home", "--always", "뮤즐렉", "--apply")
    assert done.code == 0, done.err
    assert "for new W lines; 1 waiting line would go there too; memories that are filed already stay" in done.out

    added = [line for line in rules.read_text("utf-8").splitlines() if line not in before.splitlines()]
    assert added == ["    - {target: daily/home.md, match: '뮤즐렉'}"]
    assert bankctl("config", "check").code == 0
    assert [one["page"] for one in bankctl("review", "place", "--json").json["moved"]] == ["daily/home.md"]


def test_on_a_terminal_each_is_asked_for_a_key_and_the_last_can_be_taken_back(
    waiting: str, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(["9", "?", "1", "u", "s", "q"])

    def answers(_prompt: str) -> str:
        return next(typed)

    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answers)
    out = bankctl("review").out

    assert "9: not one of these keys" in out
    assert "  1  daily/home.md\n  p  Another page\n  a  Archive\n  s  Skip\n" in out
    assert "✓ Filed on daily/home.md" in out
    assert "✓ Undone" in out
    assert [*typed] == []
    assert len(bankctl("review", "list", "--json").json["unfiled"]) == 2


def test_a_question_shows_its_memories_where_earlier_answers_put_them(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "# Inbox\n\n- W: port 8080 ^m-aaaaaaaaaaaa\n- W: port 8081 ^m-bbbbbbbbbbbb\n"
    (root / "bank/_meta/inbox.md").write_text(text, encoding="utf-8")
    bankctl("cycle", "micro", *NOW)
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    for last, seen in (("s", ["bank/daily/home.md:6", "bank/_meta/inbox.md:3"]), ("a", [])):
        typed = iter(["p", "daily/home.md", last, "q"] if seen else [last, "q"])
        monkeypatch.setattr("builtins.input", lambda _prompt, typed=typed: next(typed, "q"))

        asked = bankctl("review").out.partition("Contradictions")[2]

        assert [place for place in seen if place not in asked] == []
        assert bool(asked) is bool(seen)


def test_what_waits_for_its_page_is_told_apart_from_copies_and_from_what_a_newer_value_replaced(
    waiting: str, root: Path, bankctl: Run
) -> None:
    learn(root, bankctl, "2026-05-13.md", "W: 뮤즐렉 port is 8080", "W: 뮤즐렉 port is 8081", now="2026-05-14T03:00")
    newer = next(one["id"] for one in bankctl("review", "list", "--json").json["unfiled"] if "8081" in one["text"])

    kept = bankctl("review", "keep", waiting)

    assert (kept.code, f"{waiting}: waits for its page: bankctl review place" in kept.err) == (3, True)
    assert "but others do: bankctl review list" in bankctl("review", "list", "near").out
    assert f"{newer} replaces it; to archive it: bankctl review drop m-" in bankctl("review", "list", "unfiled").out


def settings_lines(root: Path) -> Iterator[str]:
    yield from (root / "bankd.yaml").read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [("decay.floor", "0.25", "  floor: 0.25"), ("imports.watch", "~/a, b: c", '  watch: [~/a, "b: c"]'), ("timezone", "Europe/Berlin", "timezone: Europe/Berlin"), ("agents.over_http", "[logs, archive]", "  over_http: [logs, archive]")],
)  # fmt: skip
def test_a_setting_is_changed_in_its_line_alone(root: Path, bankctl: Run, name: str, value: str, line: str) -> None:
    before = [*settings_lines(root)]
    assert bankctl("config", "set", name, value).code == 0

    changed = [(old, new) for old, new in zip(before, settings_lines(root), strict=True) if old != new]
    assert [new for _, new in changed] == [line]
    assert bankctl("config", "get", name).out == value.strip("[]") + "\n"
    assert bankctl("config", "check").code == 0


def test_a_setting_that_cannot_be_is_refused_and_one_left_out_is_added(root: Path, bankctl: Run) -> None:
    file = root / "bankd.yaml"
    before = file.read_bytes()
    refused = bankctl("config", "set", "decay.floor", "2")
    assert refused.code == 3
    assert "not set: decay.floor" in refused.err
    assert "until this is corrected" not in refused.err
    assert "decay.floor: " in bankctl("config", "get", "decay").out
    assert bankctl("config", "set", "decay.flor", "1").code == 2
    assert file.read_bytes() == before

    file.write_text("decay:\n  floor: 0.30  # mine\n\n# end\n", "utf-8")
    bankctl("config", "set", "decay.per_day", "0.05")
    bankctl("config", "set", "split.warn_kib", "9")
    assert file.read_text("utf-8") == "decay:\n  floor: 0.30  # mine\n  per_day: 0.05\nsplit:\n  warn_kib: 9\n\n# end\n"


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_is_like_a_memory_that_a_person_moved_goes_to_that_page(
    root: Path, bankctl: Run, *, by_hand: bool
) -> None:
    write_log(
        root, "2026-05-01.md", "W: The sourdough starter wants rye flour.", "W: 몬스테라 화분은 물을 열흘에 한 번 준다."
    )
    bankctl("cycle", "micro", "--now", "2026-05-01T22:00")
    held = [file for file in (root / "bank").rglob("*.md") if re.search("sourdough|몬스테라", file.read_text("utf-8"))]
    for page, word in (("daily/bread.md", "sourdough"), ("daily/plants.md", "몬스테라")):
        (line,) = (line for file in held for line in file.read_text("utf-8").splitlines() if word in line)
        if by_hand:
            for file in held:
                file.write_text(file.read_text("utf-8").replace(f"{line}\n", ""), "utf-8")
            (root / "bank" / page).write_text(f"# {word}\n\n{line}\n", "utf-8")
        else:
            bankctl("review", "place", line.rpartition("^")[2], page)
    lines = "W: The sourdough starter needs feeding at eight.", "W: 몬스테라 새 화분은 베란다에 둔다."
    write_log(root, "2026-05-03.md", *lines, "W: The mortgage takes half of the wages.")
    bankctl("cycle", "micro", "--now", "2026-05-03T22:00")

    pages = [bankctl("search", line[3:], "--in", "bank", "--json").json["hits"][0]["path"] for line in lines]

    assert pages == ["bank/daily/bread.md", "bank/daily/plants.md"]
    assert "mortgage" in (root / "bank/daily/money.md").read_text("utf-8")


def test_what_is_nested_in_a_line_goes_with_it_and_stands_once(root: Path, bankctl: Run) -> None:
    rules = root / "routing.yaml"
    own = "  W:\n    - {target: knowledge/tools.md, match: bench}\n    - {target: world/events.md, match: fair}\n"
    rules.write_text(rules.read_text("utf-8").replace("  W:\n", own, 1), "utf-8")
    nested = "- W: The bench ^m-aaaaaaaaaaaa\n  - W: The fair ^m-bbbbbbbbbbbb\n- W: A fair ^m-cccccccccccc\n"
    with (root / "bank/_meta/inbox.md").open("a", encoding="utf-8") as inbox:
        inbox.write(f"\n{nested}")

    done = bankctl("review", "place", "--apply")

    assert done.out == "m-aaaaaaaaaaaa -> knowledge/tools.md\nm-cccccccccccc -> world/events.md\n"
    assert "  - W: The fair" in (root / "bank/knowledge/tools.md").read_text("utf-8")
    assert "m-bbbbbbbbbbbb" not in (root / "bank/world/events.md").read_text("utf-8")


DECIDED = ("--now", "2026-05-12T20:00")


def undecided(bankctl: Run, *kinds: str) -> list[dict[str, Any]]:
    listed = bankctl("review", "list", "--json").json
    return [one for kind in kinds or ("proposed", "bad") for one in listed[kind]]


@pytest.fixture
def bank(root: Path, bankctl: Run) -> Path:
    write_log(
        root,
        "2026-05-02.md",
        "W: The production deploy runs at 10:00 on Tuesdays.",
        "O(c=0.90) @Peter: Prefers concise replies.",
        "X: nobody knows this tag",
    )
    write_log(root, "2026-05-11.md", "W: The production deploy runs at 11:00 on Tuesdays.")
    bankctl("cycle", "micro", *DECIDED)
    return root


def test_a_dismissed_line_waits_again_when_that_is_taken_back(bank: Path, bankctl: Run) -> None:
    before = undecided(bankctl)
    place = before[0]["place"]

    for _ in range(2):  # once more after that: what was said again holds again
        assert bankctl("review", "drop", place).code == 0
        assert undecided(bankctl) == []
        out = bankctl("undo", last_run(bankctl)).out
        assert f"{place} waits again" in out
        assert undecided(bankctl) == before
    bankctl("doctor", "index", "rebuild")
    (bank / ".bankd/catalogue.sqlite3").unlink()
    bankctl("cycle", "micro", *DECIDED)
    assert undecided(bankctl) == before


def ids_of(bankctl: Run) -> tuple[str, str]:
    hits = bankctl("search", "production deploy", "--limit", "9", "--json").json["hits"]
    (pair,) = [(one["id"], one["superseded_by"]) for one in hits if one["superseded_by"]]
    return pair


def test_two_of_which_one_replaces_the_other_wait_for_no_decision_and_both_hold_if_a_person_says_so(
    bank: Path, bankctl: Run
) -> None:
    older, newer = ids_of(bankctl)
    assert bankctl("review", "list", "contradictions", "--json").json["contradictions"] == []

    assert "Nothing was written" in bankctl("review", "keep", older, newer, "--dry-run").out
    assert ids_of(bankctl) == (older, newer)
    assert "Both hold" in bankctl("review", "keep", older, f"^{newer}").out
    assert not any(one["superseded_by"] for one in bankctl("search", "production deploy", "--json").json["hits"])
    assert f"{newer} replaces {older} again" in bankctl("undo", last_run(bankctl)).out
    assert ids_of(bankctl) == (older, newer)


def test_an_opinion_that_is_pinned_does_not_fade(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/opinions/preferences.md"
    before = page.read_text("utf-8")
    id_ = bankctl("search", "--json", "concise replies").json["hits"][0]["id"]
    assert bankctl("review", "keep", id_).code == 0
    assert f"Prefers concise replies. #pinned ^{id_}" in page.read_text("utf-8")
    forecast = bankctl("archive", "forecast", "--days", "400", "--json").json
    assert (forecast["falls"], forecast["pinned"]) == ([], 1)
    assert bankctl("review", "keep", id_).code == 3
    bankctl("undo", last_run(bankctl))
    assert page.read_text("utf-8") == before


def test_what_names_too_little_or_too_much_is_a_slip(bankctl: Run) -> None:
    slips = ("archive put", "review list contradictions m-1", "review place m-1", "review keep", "archive forecast m-1")
    assert {words: bankctl(*words.split()).code for words in slips} == dict.fromkeys(slips, 2)


def test_what_is_not_in_the_bank_is_named(bankctl: Run) -> None:
    for words in ("archive put m-nothing", "review keep m-a m-b", "review keep m-nothing"):
        result = bankctl(*words.split())

        assert result.code == 3
        assert "no memory of the bank has this id" in result.err


@pytest.mark.parametrize("is_written_since", [False, True])
def test_what_was_accepted_is_taken_off_its_log_again(root: Path, bankctl: Run, is_written_since: bool) -> None:
    (root / "memory/2026-05-12.md").write_text("# day\n\nRemember that the hall key is at the gate.\n", "utf-8")
    bankctl("distil", "--rules", "--now", "2026-05-13T20:00")
    bankctl("cycle", "micro", "--now", "2026-05-13T21:00")
    (item,) = undecided(bankctl)
    log = root / item["place"].rpartition(":")[0]
    before = log.read_bytes()

    bankctl("review", "accept", item["place"])
    run = last_run(bankctl)
    if is_written_since:
        log.write_bytes(log.read_bytes() + b"more\n")
    accepted = log.read_bytes()
    out = bankctl("undo", run).out

    assert undecided(bankctl) == [item]
    assert log.read_bytes() == (accepted if is_written_since else before)
    assert ("because more was written below it" in out) == is_written_since


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
    log = root / "memory/2026-06-08.md"
    log.write_text(log.read_text().replace("listens", "always listens"))
    assert bankctl("cycle", "micro", "--now", FIRST, "--json").json["counts"]["edited"] == 1
    write_log(root, "2026-06-09.md", f"{NEW} (replaces {old})")

    ran = bankctl("cycle", "micro", "--now", SECOND)

    assert f"supersedes {old}: its line says so: memory/2026-06-09.md:4" in ran.out
    new = newer_of(bankctl)
    assert "(replaces" not in "".join(
        page.read_text() for page in (root / "bank").rglob("*.md") if page.parts[-2] != "_meta"
    )
    bankctl("review", "keep", old, str(new), "--now", SECOND)
    assert newer_of(bankctl) is None
    bankctl("undo", last_run(bankctl))
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
    new = newer_of(bankctl)
    assert new is not None
    planned, undone = bankctl("undo", "--dry-run"), bankctl("undo")
    assert all(f"{old} and {new} both hold again\n" in said.out for said in (planned, undone))
    assert newer_of(bankctl) is None
    assert bankctl("search", "tunnel", "--json").json["hits"]
    assert f"{new} replaces {old} again" in bankctl("undo").out
    assert newer_of(bankctl) == new


@pytest.mark.parametrize(
    ("worded", "line", "is_seen"),
    [("8080, and only there", f"{NEW} (replaces {{}})", True), ("8088", OLD, True), ("8088", OLD, False)],
)
def test_a_person_is_asked_before_what_they_wrote_is_replaced(
    root: Path, bankctl: Run, worded: str, line: str, is_seen: bool
) -> None:
    old = take_in(root, bankctl)
    page = next(one for one in (root / "bank").rglob("*.md") if old in one.read_text())
    page.write_text(page.read_text().replace("8080", worded))
    if is_seen:
        bankctl("cycle", "micro", "--now", FIRST)
    write_log(root, "2026-06-09.md", line.format(old))

    ran = bankctl("cycle", "micro", "--now", SECOND)
    assert (f"may replace {old}, and a person" in ran.out) == is_seen, "else the second look finds it"
    hits = bankctl("search", "relay port", "--limit", "9", "--json").json["hits"]
    assert {hit["superseded_by"] for hit in hits} == {None}
    (asked,) = bankctl("review", "list", "contradictions", "--json").json["contradictions"]
    assert asked["older"]["id"] == old
    assert old in [hit["id"] for hit in hits if hit["is_doubted"] or hit["contradicts"]], (
        "a value that may be replaced is not told as current"
    )
    bankctl("review", "keep", old, asked["newer"]["id"], "--now", SECOND)
    assert not any(hit["is_doubted"] for hit in bankctl("search", "relay port", "--json").json["hits"])
    assert bankctl("review", "list", "contradictions", "--json").json["contradictions"] == []


ANEW = [("8080", "8085", True), ("8080.", "8080!", False), ("8090", "8091", False), ("The relay", "Eve's", True)]


@pytest.mark.parametrize(("was", "now", "is_asked"), ANEW)
def test_a_memory_that_was_replaced_is_asked_about_after_a_person_gave_it_another_meaning(
    root: Path, bankctl: Run, was: str, now: str, is_asked: bool
) -> None:
    old = take_in(root, bankctl)
    write_log(root, "2026-06-09.md", OLD.replace("8080", "8090"))
    bankctl("cycle", "micro", "--now", SECOND)
    page = next(one for one in (root / "bank").rglob("*.md") if old in one.read_text())
    page.write_text(now.join(page.read_text().rsplit(was, 1)))

    assert ("and a person wrote one of the two" in bankctl("cycle", "micro", "--now", THIRD).out) == is_asked
    hits = {hit["id"]: hit for hit in bankctl("search", "relay port", "--limit", "9", "--json").json["hits"]}
    assert (hits[old]["superseded_by"] is None, hits[old]["is_doubted"]) == (is_asked, is_asked)
    assert len(bankctl("review", "list", "contradictions", "--json").json["contradictions"]) == is_asked


def test_a_line_that_names_no_memory_is_told_and_nothing_is_replaced(root: Path, bankctl: Run) -> None:
    take_in(root, bankctl)
    write_log(root, "2026-06-09.md", f"{NEW} (replaces m-aaaaaaaaaaaa)", "W: The fan is loud. (replaces the old one)")

    ran = bankctl("cycle", "micro", "--now", SECOND)

    assert "says that it replaces m-aaaaaaaaaaaa, which is not in the bank" in ran.out
    assert bankctl("search", "tunnel", "--json").json["hits"][0]["text"].endswith("9443.")
    log = root / "memory" / "2026-06-09.md"
    log.write_text(log.read_text() + "- W: The fan is louder. (replaces m-old)\n")
    before = tree_state(root)
    added = bankctl("add", NEW, "--replaces", "m-aaaaaaaaaaaa")
    assert (added.code, "so nothing was written" in added.err, tree_state(root) == before) == (3, True, True)
    assert "(replaces m-old) names no memory" in bankctl("cycle", "micro", "--now", THIRD).out
    bankctl("search", "9443")
    assert "  replaces All traffic enters through the tunnel on 9443.\n" in bankctl("add", NEW, "--replaces", "1").out


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


LESSON = "배운 점: 배포 전에는 반드시 마이그레이션을 먼저 돌려야 한다"
ONCE = "배운 점: 회의록은 그날 안에 보내야 한다"
LATER = "2026-05-20T10:00"


@pytest.fixture
def lived(root: Path, bankctl: Run) -> str:
    """The id of a lesson that was of use on three days; another was on two."""
    learn(root, bankctl, "2026-05-02.md", f"B: {LESSON}.", f"B: {ONCE}.", now="2026-05-02T20:00")
    assert LESSON in (root / "bank/experience/lessons.md").read_text("utf-8")
    id_ = str(bankctl("show", "memory/2026-05-02.md:4", "--json").json["memory"])
    other = str(bankctl("show", "memory/2026-05-02.md:5", "--json").json["memory"])
    for day, *ids in ((3, id_, other), (4, id_, other), (4, other), (5, id_)):
        bankctl("feedback", "used", *ids, "--now", f"2026-05-{day:02}T10:00")
    return id_


def offered(bankctl: Run, now: str = LATER) -> list[str]:
    return [one["id"] for one in bankctl("review", "list", "--json", "--now", now).json["lived"]]


def test_what_was_used_on_three_days_is_offered_after_a_week(lived: str, bankctl: Run) -> None:
    assert offered(bankctl, "2026-05-08T10:00") == []
    assert offered(bankctl, "2026-05-09T10:00") == [lived]
    out = bankctl("review", "list", "--now", LATER).out
    assert "used on 3 days" in out
    assert "bankctl review accept ID" in out


def test_one_that_is_promoted_moves_to_what_is_known_keeps_its_id_and_can_be_taken_back(
    lived: str, root: Path, bankctl: Run
) -> None:
    before = tree_state(root)
    assert "patterns/workflows.md" in bankctl("review", "accept", lived, "--dry-run", "--now", LATER).out
    assert tree_state(root) == before

    done = bankctl("review", "accept", f"^{lived}", "--now", LATER)

    assert done.code == 0, done.err
    assert f"{LESSON}. ^{lived}" in (root / "bank/patterns/workflows.md").read_text("utf-8")
    assert LESSON not in (root / "bank/experience/lessons.md").read_text("utf-8")
    assert offered(bankctl) == []
    assert bankctl("undo", last_run(bankctl)).code == 0
    assert LESSON in (root / "bank/experience/lessons.md").read_text("utf-8")
    assert offered(bankctl) == [lived]


def test_a_person_may_name_the_page_but_not_one_of_what_was_lived(lived: str, root: Path, bankctl: Run) -> None:
    refused = bankctl("review", "place", lived, "experience/other.md", "--now", LATER)
    outside = bankctl("review", "place", lived, "../other.md", "--now", LATER)
    assert (refused.code, outside.code) == (3, 3)
    assert "lasting knowledge is elsewhere" in refused.err

    assert bankctl("review", "place", lived, "knowledge/deploys.md#Order", "--now", LATER).code == 0
    assert LESSON in (root / "bank/knowledge/deploys.md").read_text("utf-8").partition("## Order")[2]


def test_one_that_stays_is_not_offered_again(lived: str, root: Path, bankctl: Run) -> None:
    before = tree_state(root)
    assert "Nothing was written" in bankctl("review", "keep", lived, "--dry-run", "--now", LATER).out
    assert tree_state(root) == before

    assert bankctl("review", "keep", lived, "--now", LATER).code == 0
    assert offered(bankctl) == []
    assert LESSON in (root / "bank/experience/lessons.md").read_text("utf-8")
    assert bankctl("review", "accept", lived, "--now", LATER).code == 3


def test_a_line_that_is_filed_on_the_page_of_somebody_is_compared_with_what_is_said_of_them(
    root: Path, bankctl: Run
) -> None:
    write_log(root, "2026-06-08.md", "W: The relay port of Rafael is 8080.")
    bankctl("cycle", "micro", "--now", FIRST)
    write_log(root, "2026-06-09.md", "W @Rafael: The relay port of Rafael is 9090.")
    bankctl("cycle", "micro", "--now", SECOND)
    assert newer_of(bankctl) is None, "it was not known of whom it is said"

    bankctl("review", "place", bankctl("search", "8080", "--json").json["hits"][0]["id"], "entities/Rafael.md")
    bankctl("cycle", "micro", "--now", THIRD)

    assert newer_of(bankctl) is not None
