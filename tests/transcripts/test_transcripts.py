"""What the READMEs, docs/ and the transcripts beside this file give to paste does what they say.

The `sh` blocks of a file, and comments `<!-- sh` that only prepare, are pasted as they stand, one after another, into one
bash in an empty home. A `text` block
right below one is what it prints: a line `...` stands for any lines, `…` for any text within one. Behind `# … →` at the
end of a command stands one line of what that prints, beside others. The quick suite pastes README; `make docs` all of them.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bankd.cli.base import make_parser

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, ROOT / "README.ko.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FILES = [*PAGES, *sorted(Path(__file__).parent.glob("*.md"))]
_BLOCK = re.compile(
    r"^(?:```|<!-- )sh\n(?P<typed>.*?)^(?:```|-->)\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_INLINE = re.compile(r"`(bankctl [a-z][^`]*)`")
_BESIDE = re.compile(r"#[^#\n]*→ (?P<printed>.*)$", re.MULTILINE)
_MARK = "-- the next block --"

NOT_PASTED = {
    "claude": "a session needs a model; tests/agents has one",
    "make": "it would make an environment, and run this suite inside itself",
    **dict.fromkeys(("pip", "pipx", "uvx", "uv"), "the installed bankd is what is tested; tests/release installs it"),
    "docker": "tests/release does the steps of its files in a fresh root",
}
"""Programs that the session has as commands that do nothing, and why."""

FAILING = {"bankctl service install": "the session has no service manager; it must say so and what to do instead"}


class Block(NamedTuple):
    """What a reader pastes, and what it is said to print, if that is said."""

    typed: str
    printed: list[str] | None


def blocks(text: str) -> list[Block]:
    """The blocks of a text, in their order."""
    found = [(block["typed"], block["printed"]) for block in _BLOCK.finditer(text)]
    return [Block(typed, None if printed is None else printed.splitlines()) for typed, printed in found]


def paste(texts: list[str], home: Path) -> tuple[list[str], list[str]]:
    """Paste texts into one bash; gives what each printed, and the commands that failed."""
    failed = home.parent / "failed"
    # A later activated environment may not hide the programs that are tested, nor may those of this machine be used.
    stubs = "".join(f"{name}() {{ :; }}\n" for name in NOT_PASTED)
    session = f"{stubs}trap 'echo \"$BASH_COMMAND\" >>{shlex.quote(str(failed))}' ERR\n"
    session += "".join(f"{text}echo '{_MARK}'\n" for text in texts)
    environment = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    environment |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home)}
    environment |= {"NO_COLOR": "1", "PYTHONWARNINGS": "error"}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "timeout": 300}
    done = subprocess.run(["bash", "--norc"], input=session, cwd=home, env=environment, check=False, **both)
    said = done.stdout.split(f"{_MARK}\n")[:-1]
    assert len(said) == len(texts), done.stdout
    return said, failed.read_text(encoding="utf-8").splitlines() if failed.exists() else []


def printed_beside(typed: str) -> list[str]:
    """The lines that stand behind commands as what they print."""
    return [found["printed"] for found in _BESIDE.finditer(typed)]


def pattern(expected: list[str]) -> str:
    """A regular expression that matches the output a text block promises."""
    parts = [r"(?:.*\n)*?" if line == "..." else _line(line) + r"\n" for line in expected]
    return "".join(parts)


def beside(typed: str) -> str:
    """The same for what stands behind commands, in its order and among other lines."""
    return pattern(["...", *(line for one in printed_beside(typed) for line in (one, "..."))])


def _line(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*"


@pytest.mark.parametrize(
    "file", [README, *(pytest.param(file, marks=pytest.mark.full) for file in FILES[1:])], ids=lambda file: file.stem
)
def test_what_is_pasted_as_it_stands_does_what_is_said(file: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    pasted = blocks(file.read_text(encoding="utf-8"))

    said, failed = paste([block.typed for block in pasted], home)

    assert set(failed) <= set(FAILING)
    for block, text in zip(pasted, said, strict=True):
        assert re.fullmatch(beside(block.typed), text), f"{block.typed}\nprinted\n{text}"
        if block.printed is not None:
            assert re.fullmatch(pattern(block.printed), text), f"{block.typed}\nprinted\n{text}"


def test_every_command_that_a_page_only_names_is_one() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = [shlex.split(found.translate({ord("["): None, ord("]"): None})) for found in _INLINE.findall(text)]
    for _, name, *words in named:
        parser = make_parser(name)
        if words:  # a name alone stands for the command, whatever it takes
            parser.parse_args(words)

    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    made = re.findall(r"\bmake ([a-z][a-z-]*)(?=`|   #)", text)
    assert len(named) > 60
    assert {"demo", "test", "test-full"} <= set(made) <= set(targets)


def test_the_readme_is_read_in_five_minutes_and_says_the_same_in_both_languages() -> None:
    english, korean = (page.read_text(encoding="utf-8") for page in PAGES[:2])

    assert len(english.splitlines()) <= 120
    for same in (r"\]\((?!README)([^)]+)\)", r"^(bankctl \w+)", r"^(#+) ", r"`(bankctl [^`]+)`"):
        assert re.findall(same, korean, re.MULTILINE) == re.findall(same, english, re.MULTILINE)


def test_an_example_that_lies_is_caught(tmp_path: Path) -> None:
    text = "```sh\ncd .. && echo a\n```\n\n```text\n...\nb\n```\n\n```sh\nfalse; pwd\n```\n"
    home = tmp_path / "home"
    home.mkdir()

    first, second = blocks(text)
    said, failed = paste([first.typed, second.typed], home)

    assert said == ["a\n", f"{tmp_path}\n"]  # one shell: the second block stands where the first one went
    assert failed == ["false"]
    assert first.printed is not None
    assert second.printed is None
    assert not re.fullmatch(pattern(first.printed), said[0])
    assert re.fullmatch(pattern(first.printed), "a\nb\n")


def test_a_line_behind_a_command_that_lies_is_caught() -> None:
    typed = "echo a   # → a\necho b   # first a, then → …b\necho c   # nothing\n"

    assert printed_beside(typed) == ["a", "…b"]
    assert re.fullmatch(beside(typed), "a\n0\nb\nc\n")
    assert not re.fullmatch(beside(typed), "b\na\n")
    assert len(printed_beside(README.read_text(encoding="utf-8"))) > 4
