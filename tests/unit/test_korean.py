"""Commands of every day say in Korean what they say, and leave texts of memories as they are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import bankd.cli
from bankd.app.waiting import DECISIONS, KINDS
from bankd.cli import main
from bankd.cli.base import COMMANDS, GROUPS, Parser, load_command
from bankd.cli.korean import in_korean, korean_words

EVERYDAY = ("answers", "review")
NO_SENTENCE = {
    "; {} would go there too", "changed page is", "changed pages are", "log line", "waiting line", "nothing relevant; {}:",
    "nearest, maybe about something else", "{} not in the index yet (last updated {})",
}  # fmt: skip
"""Parts of sentences: with the rest of theirs they have Korean."""
HANGUL = re.compile("[가-힣]")


def sentences(module: str) -> set[str]:
    """What a module may print: its texts of several words, `{}` for what changes; docstrings left out."""
    tree = ast.parse((Path(bankd.cli.__file__).parent / f"{module}.py").read_text("utf-8"))
    apart = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    apart |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    found = set()
    for node in ast.walk(tree):
        if id(node) in apart:
            continue
        if isinstance(node, ast.JoinedStr):
            found.add("".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return {text for text in found if re.search(r"[A-Za-z]{2,}[,:;]? [a-z]{2,}", text)}


def test_no_message_of_everyday_commands_is_without_korean() -> None:
    said = {text for module in EVERYDAY for text in sentences(module)} - NO_SENTENCE
    filled = {text: text.replace("{}", "7") for text in said}
    named = {*KINDS.values(), *(one.done for one in DECISIONS.values()), *(group for group in GROUPS if group)}

    assert not [text for text, example in filled.items() if not HANGUL.search(in_korean(example))]
    assert not named - korean_words().keys()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "fleet"])
def test_the_list_of_commands_is_in_korean(name: str) -> None:
    assert HANGUL.search(in_korean(COMMANDS[name][1]))


@pytest.mark.parametrize("name", ["search", "related", "timeline", "review"])
def test_the_help_of_everyday_commands_is_in_korean(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    parser = Parser(f"bankctl {name}", COMMANDS[name][1])
    load_command(name)[0](parser)
    parser.format_help()

    assert not [one.help for one in parser._actions if one.help and not HANGUL.search(one.help)]


def test_texts_of_memories_stay_and_slips_are_answered_in_korean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")

    assert in_korean("  ● The deploy runs at 11:00.") == "  ● The deploy runs at 11:00."
    assert in_korean("\x1b[2mwas 10:00 until 2026-05-11\x1b[0m") == "\x1b[2m2026-05-11까지 10:00\x1b[0m"
    assert main(["serach"]) == 2
    assert (
        capsys.readouterr().err == "bankctl: 모르는 명령: serach\nbankctl: search 말인가요? 명령 목록: bankctl --help\n"
    )
    assert main(["--help"]) == 0
    assert "매일 쓰는 명령\n  search       기억을 한국어와 영어로 찾습니다\n" in capsys.readouterr().out
