"""What the finder shows, and the words that open an editor."""

from __future__ import annotations

from typing import Any

import pytest

from bankd.app.show import editor_command
from bankd.finder import preview_of, row_of, standing_place, summary_of

HIT: dict[str, Any] = {
    "path": "bank/a.md", "line": 3, "text": "one\x1b[31m two\nthree", "marks": [[9, 12]], "when": "yesterday", "id": "m-1",
    "became": None, "superseded_by": None, "supersedes": [], "group": "bank",
}  # fmt: skip


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vim", ["vim", "+3", "/a.md"]),
        ("/usr/bin/nvim -f", ["/usr/bin/nvim", "-f", "+3", "/a.md"]),
        ("code --wait", ["code", "--wait", "-g", "/a.md:3"]),
        ("hx", ["hx", "/a.md:3"]),
        ("gedit", ["gedit", "/a.md"]),
        ("'my editor' -x", ["my editor", "-x", "/a.md"]),
        ("", ["vi", "+3", "/a.md"]),
    ],
)
def test_an_editor_opens_the_line_as_it_understands_it(editor: str, words: list[str]) -> None:
    assert editor_command({"EDITOR": editor}, "/a.md", 3) == words


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
