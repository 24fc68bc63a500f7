"""The finder in a real terminal, as `bankctl` alone opens it: five uses, each with the screen that it leaves."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from bankd.system.clock import read_monotonic
from tests.finder.test_screen import roots  # noqa: F401 -- a fixture

BIN = Path(sys.executable).parent
pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux: apt-get install tmux")
LONG_ENOUGH = 60.0
SCREENS = Path(__file__).parent / "screens"
_OURS = {"TMUX", "NO_COLOR", "COLUMNS", "LINES"}
"""Variables that say what this process is run in: `pytest -n 1` says that its screen is 80 columns wide."""


class Terminal:
    """A window of tmux."""

    def __init__(self, folder: Path, command: str, variables: dict[str, str]) -> None:
        self._socket = str(folder / "tmux")
        environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        words = ["new-session", "-d", "-x", "80", "-y", "24", command]
        self._tmux(*words, environment={**environment, **variables, "LANG": "C.UTF-8", "TERM": "xterm-256color"})

    def _tmux(self, *words: str, environment: dict[str, str] | None = None) -> str:
        command = ["tmux", "-u", "-f", "/dev/null", "-S", self._socket, *words]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environment).stdout

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def screen(self, *words: str) -> str:
        """The screen, once it has these words on it."""
        until = read_monotonic() + LONG_ENOUGH
        while read_monotonic() < until:
            shown = self._tmux("capture-pane", "-p")
            if all(word in shown for word in words):
                return shown
            Event().wait(0.1)
        raise AssertionError(f"{words} never seen on:\n{shown}")

    def close(self) -> None:
        self._tmux("kill-server")


Open = Callable[..., Terminal]


@pytest.fixture
def open_terminal(tmp_path: Path, roots: dict[str, str]) -> Iterator[Open]:  # noqa: F811
    opened: list[Terminal] = []
    (tmp_path / "config/bankd").mkdir(parents=True)
    (tmp_path / "config/bankd/banks.yaml").write_text(
        "".join(f"{name}: {root}\n" for name, root in roots.items()), "utf-8"
    )

    def open_terminal(**variables: str) -> Terminal:
        command = f"cd {shlex.quote(roots['home'])} && {BIN / 'bankctl'}; echo left; sleep 60"
        opened.append(Terminal(tmp_path, command, {"XDG_CONFIG_HOME": str(tmp_path / "config"), **variables}))
        return opened[-1]

    yield open_terminal
    for terminal in opened:
        terminal.close()


def compare(name: str, screen: str) -> None:
    """Compare a screen with the one that is kept; BANKD_WRITE_SCREENS=1 keeps this one instead."""
    kept, lines = SCREENS / f"{name}.txt", [line.rstrip() for line in screen.rstrip().split("\n")]
    if os.environ.get("BANKD_WRITE_SCREENS"):
        kept.write_text("\n".join(lines) + "\n", "utf-8")
    assert lines == kept.read_text("utf-8").rstrip("\n").split("\n")


def test_hangul_is_typed_and_answered(open_terminal: Open) -> None:
    terminal = open_terminal()
    terminal.screen("type a question")
    terminal.type("커피나무")

    compare("typed", terminal.screen("1 answer", "bank/daily/home.md:3"))


def test_the_editor_opens_the_line_and_the_finder_comes_back(open_terminal: Open, tmp_path: Path) -> None:
    editor = tmp_path / "vim"
    editor.write_text('#!/bin/sh\nclear\necho "editing $1 ${2##*/}"\nread answer\n', "utf-8")
    editor.chmod(0o755)
    terminal = open_terminal(EDITOR=str(editor))
    terminal.screen("type a question")
    terminal.type("커피나무")
    terminal.screen("bank/daily/home.md:3")
    terminal.press("Enter")

    compare("editor", terminal.screen("editing +3 home.md"))
    terminal.press("Enter")
    terminal.screen("1 answer", "bank/daily/home.md:3")


def test_escape_leaves_the_terminal_as_it_was(open_terminal: Open) -> None:
    terminal = open_terminal()
    terminal.screen("type a question")
    terminal.press("Escape")

    compare("left", terminal.screen("left"))


def test_what_is_piped_is_the_help(roots: dict[str, str]) -> None:  # noqa: F811
    piped = subprocess.run([BIN / "bankctl"], cwd=roots["home"], capture_output=True, text=True, check=True)

    assert piped.stdout.startswith("usage: bankctl COMMAND")
