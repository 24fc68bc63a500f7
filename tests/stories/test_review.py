"""One door to all that waits: listed with suggestions, decided by id or one by one, and lines like it from then on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.settings import place_by_rules_alone
from tests.stories.conftest import Run, write_log

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
    assert bankctl("review", "place", waiting, "2").code == 3
    assert bankctl("review", "place", waiting, "1").out == f"{waiting}  Filed on daily/home.md\n"
    assert waiting in (root / "bank/daily/home.md").read_text("utf-8")


def test_one_that_cannot_be_done_does_not_stop_the_others(waiting: str, bankctl: Run) -> None:
    done = bankctl("review", "drop", "memory/2026-05-12.md:6", "m-nothing", waiting)

    assert done.code == 3
    assert "m-nothing: no memory of the bank has this id" in done.err
    assert f"{waiting}  Archived" in done.out
    assert bankctl("review", "list", "bad", "--json").json["bad"] == []


def test_a_rule_is_shown_and_then_added_with_all_comments_kept(waiting: str, root: Path, bankctl: Run) -> None:
    rules = root / "routing.yaml"
    before = rules.read_text("utf-8")
    shown = bankctl("review", "place", waiting, "daily/home", "--always", "뮤즐렉", "--dry-run").out
    assert "- {target: daily/home.md, match: '뮤즐렉'}" in shown
    assert "2 waiting lines would go there too" in shown
    assert rules.read_text("utf-8") == before

    done = bankctl("review", "place", waiting, "daily/home", "--always", "뮤즐렉", "--apply")
    assert done.code == 0, done.err

    added = [line for line in rules.read_text("utf-8").splitlines() if line not in before.splitlines()]
    assert added == ["    - {target: daily/home.md, match: '뮤즐렉'}"]
    assert bankctl("config", "check").code == 0
    assert [one["page"] for one in bankctl("review", "place", "--json").json["moved"]] == ["daily/home.md"]


def test_on_a_terminal_each_is_asked_for_a_key_and_the_last_can_be_taken_back(
    waiting: str, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(["9", "1", "u", "s", "q"])

    def answers(_prompt: str) -> str:
        return next(typed)

    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answers)
    out = bankctl("review").out

    assert "9: not one of these keys" in out
    assert "✓ Filed on daily/home.md" in out
    assert "✓ Undone" in out
    assert [*typed] == []
    assert len(bankctl("review", "list", "--json").json["unfiled"]) == 2


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
    assert bankctl("config", "set", "decay.floor", "2").code == 3
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
