"""The finder with keys pressed, by textual's own pilot; what it shows, and the words that open an editor."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from bankd.app.show import editor_command
from bankd.finder import Finder, preview_of, row_of, standing_place, summary_of
from bankd.wiring.banks import Banks
from tests.examples import examples
from tests.settings import make_quick_workspace

LINES = {
    "home": "- W: 베란다에 커피나무 화분과 커피 봉투를 두었다. ^m-aaaaaaaaaaaa\n- W: 커피 원두는 냉동실에 있다. ^m-bbbbbbbbbbbb\n"
    "- W: 앞마당 사과나무에 물을 주었다. ^m-ffffffffffff\n- W: 점심에 사과 하나. ^m-gggggggggggg\n",
    "work": "- W: 회의실 커피 기계는 화요일에 청소한다. ^m-cccccccccccc\n",
}


@pytest.fixture
def roots(tmp_path: Path) -> dict[str, str]:
    for name, lines in LINES.items():
        make_quick_workspace(tmp_path / name)
        page = tmp_path / name / "bank/daily/home.md"
        page.write_text(f"# 집\n\n{lines}", "utf-8")
        os.utime(page, (page.stat().st_mtime - 60,) * 2)
    found = {name: str(tmp_path / name) for name in LINES}
    banks = Banks(lambda: found, stays=True)
    banks.ask_all({"query": "anything"})  # the indexes are made
    banks.close()
    return found


def use(roots: dict[str, str], steps: Callable[[Finder, Pilot[None]], Awaitable[None]], **variables: str) -> Finder:
    """Open the finder, do something, and close it."""
    banks = Banks(lambda: roots, stays=True)
    finder = Finder(banks, variables)

    async def run() -> None:
        async with finder.run_test(size=(100, 30)) as pilot:
            await steps(finder, pilot)

    asyncio.run(run())
    banks.close()
    return finder


async def type_in(finder: Finder, pilot: Pilot[None], text: str) -> None:
    finder.query_one(Input).value = text
    await settle(finder, pilot)


async def settle(finder: Finder, pilot: Pilot[None]) -> None:
    await pilot.pause(0.2)
    await finder.workers.wait_for_complete()
    await pilot.pause()


def shown(finder: Finder) -> list[str]:
    rows = finder.query_one(OptionList)
    return [str(getattr(rows.get_option_at_index(number).prompt, "plain", "")) for number in range(rows.option_count)]


def said(finder: Finder, what: str = "#said") -> str:
    return str(finder.query_one(what, Static).render())


def test_a_word_that_is_being_typed_finds_the_longer_ones_too(roots: dict[str, str]) -> None:
    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await type_in(finder, pilot, "사과")
        assert {row[:2] for row in shown(finder)} == {"앞마", "점심"}
        await type_in(finder, pilot, "사과 하나")
        assert {row[:2] for row in shown(finder)} == {"점심"}

    use({"home": roots["home"]}, steps)


def test_answers_are_seen_as_one_types(roots: dict[str, str]) -> None:
    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await type_in(finder, pilot, "커피")
        assert len(shown(finder)) == 2
        assert "2 answers" in said(finder)
        assert "커피" in said(finder, "#preview")
        await type_in(finder, pilot, "xylophone")
        assert shown(finder) == []
        assert "nothing relevant" in said(finder)
        await type_in(finder, pilot, "")
        assert "type a question" in said(finder)

    use(roots, steps)


def test_days_are_told_in_the_language_of_the_reader(roots: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    page = Path(roots["home"]) / "bank/daily/home.md"
    page.write_text(page.read_text("utf-8") + "- W: The fair was on 2020-05-02. ^m-hhhhhhhhhhhh\n", "utf-8")
    os.utime(page, (page.stat().st_mtime - 60,) * 2)

    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await type_in(finder, pilot, "fair")
        assert "년 전" in said(finder, "#preview")
        assert said(finder) == "답 1개"

    use(roots, steps)


def test_keys_move_and_open_the_line_in_the_editor(
    roots: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, editor = tmp_path / "heard", tmp_path / "vim"
    editor.write_text(
        f"#!{sys.executable}\nimport sys; open({str(heard)!r}, 'w').write(' '.join(sys.argv[1:]))\n", "utf-8"
    )
    editor.chmod(0o755)
    monkeypatch.setattr(Finder, "suspend", lambda _: nullcontext())

    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await type_in(finder, pilot, "커피")
        await pilot.press("down", "enter")
        await settle(finder, pilot)

    use(roots, steps, EDITOR=str(editor))
    line, path = heard.read_text("utf-8").split()
    assert path.endswith("home/bank/daily/home.md")
    assert line in {"+3", "+4"}


def test_an_editor_that_is_not_there_is_named(roots: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Finder, "suspend", lambda _: nullcontext())

    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await type_in(finder, pilot, "커피")
        await pilot.press("enter")
        await pilot.pause()
        assert "no-such-editor" in said(finder)

    use(roots, steps, VISUAL="no-such-editor", EDITOR="vim")


def test_a_key_asks_all_banks_and_the_first_alone_again(roots: dict[str, str]) -> None:
    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await type_in(finder, pilot, "커피")
        await pilot.press("ctrl+a")
        await settle(finder, pilot)
        assert any("work: bank/" in row for row in shown(finder))
        assert "all banks" in said(finder)
        await pilot.press("ctrl+a")
        await settle(finder, pilot)
        assert len(shown(finder)) == 2

    use(roots, steps)


def test_a_bank_that_went_away_is_said_and_comes_back_and_no_answer_is_kept(roots: dict[str, str]) -> None:
    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        home = Path(roots["home"])
        home.rename(home.with_name("elsewhere"))
        await type_in(finder, pilot, "커피")
        assert "no workspace is there" in said(finder)
        home.with_name("elsewhere").rename(home)
        await type_in(finder, pilot, "커피나무")
        assert len(shown(finder)) >= 1

    use(roots, steps)
    assert [*Path(roots["home"], "recall").glob("*")] == []


def test_what_is_new_stands_there_before_anything_is_typed(roots: dict[str, str]) -> None:
    page = Path(roots["home"]) / "bank/daily/home.md"
    page.write_text(page.read_text("utf-8") + "- W: The boiler was repaired on 2026-05-02.\n", "utf-8")

    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await settle(finder, pilot)
        assert "The boiler was repaired" in shown(finder)[0]
        assert "below is what is new" in said(finder)

    use(roots, steps)


def test_the_review_is_inside_and_a_decision_is_taken_back(roots: dict[str, str]) -> None:
    page, inbox = Path(roots["home"]) / "bank/daily/home.md", Path(roots["home"]) / "bank/_meta/inbox.md"
    inbox.write_text(
        "# Inbox\n\n- W: 우산은 현관에 있다. ^m-dddddddddddd\n- W: 열쇠는 가방에 있다. ^m-eeeeeeeeeeee\n", "utf-8"
    )
    os.utime(inbox, (inbox.stat().st_mtime - 60,) * 2)

    async def steps(finder: Finder, pilot: Pilot[None]) -> None:
        await settle(finder, pilot)
        await pilot.press("tab")
        await settle(finder, pilot)
        assert [row[:9] for row in shown(finder)] == ["Unfiled  "] * 2
        await pilot.press("p")
        await pilot.press(*"daily/home", "enter")
        await settle(finder, pilot)
        assert "Filed on daily/home.md" in said(finder)
        assert "우산은 현관에 있다" in page.read_text("utf-8")
        assert len(shown(finder)) == 1
        await pilot.press("u")
        await settle(finder, pilot)
        assert len(shown(finder)) == 2
        assert "우산은" not in page.read_text("utf-8")
        await pilot.press("tab")
        await settle(finder, pilot)
        assert "type a question" in said(finder)

    use(roots, steps)


HIT: dict[str, Any] = {
    "path": "bank/a.md", "line": 3, "text": "one\x1b[31m two\nthree", "marks": [[9, 12]], "when": "yesterday", "id": "m-1",
    "became": None, "superseded_by": None, "supersedes": [], "group": "bank",
}  # fmt: skip


@pytest.mark.parametrize(("editor", "words"), examples("commands", "editors"))
def test_an_editor_opens_the_line_as_it_understands_it(editor: str, words: str) -> None:
    assert editor_command({"EDITOR": editor}, "/a.md", 3) == words.split(" | ")


def test_nothing_that_a_memory_holds_moves_the_cursor_or_is_markup() -> None:
    row = row_of({**HIT, "text": "[red]x[/] \x1b[2J", "marks": []})

    assert "\x1b" not in row.plain
    assert "[red]x[/]" in row.plain


def test_the_words_of_the_question_are_marked() -> None:
    row = row_of({**HIT, "text": "the spare keys", "marks": [[4, 9]]})

    assert [row.plain[span.start : span.end] for span in row.spans if "bold" in str(span.style)] == ["spare"]


def test_the_preview_shows_the_page_around_the_line() -> None:
    plain = preview_of(HIT, [f"line {number}" for number in range(1, 40)]).plain

    assert plain.startswith("bank/a.md:3  yesterday  ^m-1")
    assert "line 1\n" in plain
    assert "line 11\n" in plain
    assert "line 12\n" not in plain


def test_several_banks_are_told_apart_and_what_is_wrong_is_said() -> None:
    assert standing_place({**HIT, "bank": "home"}) == "home: bank/a.md:3"
    answer = {"hits": [], "nearest": [], "problems": {"work": "gone"}, "fresh": {"note": ""}}
    assert summary_of(answer, "x", 2) == "nothing relevant  ·  all banks  ·  work: gone"
    assert [summary_of({**answer, "hits": [HIT] * n}, "x", 1).partition("  ")[0] for n in (1, 2)] == [
        "1 answer",
        "2 answers",
    ]
    assert "nearest, maybe about something else" in summary_of({**answer, "nearest": [HIT]}, "x", 2)
