"""Every `console` block of the README and of the transcripts beside this file does what it says.

`$ ` begins a command, which bash runs in an empty folder that a file's blocks share; the lines below it are its output.
A line `...` stands for any lines, `…` for any text within one.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from bankd.cli.commands import COMMANDS
from bankd.cli.parsing import Parser

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "README.md", *sorted(Path(__file__).parent.glob("*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PASTED = re.compile(r"^```\n((?:make|pip|cd) .*?)^```", re.MULTILINE | re.DOTALL)


def examples(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a text, each with the lines it is said to print."""
    for block in _BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, expected = _split(part)
            yield command, expected


def _split(part: str) -> tuple[str, list[str]]:
    """Take the command, with its here-document if it has one, from the output below it."""
    lines = part.rstrip("\n").split("\n")
    opened = re.search(r"<<'(\w+)'", lines[0])
    end = lines.index(opened[1], 1) + 1 if opened else 1
    while lines[end - 1].endswith("\\"):
        end += 1
    return "\n".join(lines[:end]), lines[end:]


def pattern(expected: list[str]) -> str:
    """A regular expression that matches the output an example promises."""
    parts = [r"(?:.*\n)*?" if line == "..." else _line(line) + r"\n" for line in expected]
    return "".join(parts)


def _line(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_examples_do_what_they_say(file: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
    environment |= {"HOME": str(tmp_path), "PYTHONWARNINGS": "error"}
    for command, expected in examples(file.read_text(encoding="utf-8")):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

        said = done.stdout + done.stderr
        assert re.fullmatch(pattern(expected), said), f"{command}\nprinted\n{said}\nnot\n" + "\n".join(expected)


def pasted_commands(text: str) -> Iterator[list[str]]:
    """The commands of the blocks that a reader pastes into a shell, as words."""
    for block in _PASTED.findall(text):
        for line in block.replace(" && ", "\n").splitlines():
            yield shlex.split(line, comments=True)


def test_what_a_reader_pastes_into_a_shell_is_a_command() -> None:
    commands = list(pasted_commands((ROOT / "README.md").read_text(encoding="utf-8")))
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for program, *words in commands:
        if program == "bankctl":
            parser = Parser(words[0], COMMANDS[words[0]].summary)
            import_module(f"bankd.cli.{COMMANDS[words[0]].module}").configure(parser)
            parser.parse_args(words[1:])
        elif program == "make":
            assert set(words) <= set(targets)

    assert {program for program, *_ in commands} == {"make", "pip", "cd", "bankctl"}


def test_an_example_that_lies_is_caught() -> None:
    (example,) = examples("```console\n$ echo a\n...\nb\n```")

    assert not re.fullmatch(pattern(example[1]), "a\nc\n")
    assert re.fullmatch(pattern(example[1]), "a\nb\n")
