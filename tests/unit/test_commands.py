"""What the commands have in common: one name, one meaning and one line of help for each option."""

from __future__ import annotations

import re
import subprocess
import sys
from argparse import Action, _SubParsersAction
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bankd import __version__
from bankd.__main__ import main as bankd_or_bankctl
from bankd.cli import main
from bankd.cli.base import COMMANDS, Parser, make_parser
from bankd.service import main as bankd
from tests.docs.pages import help_of
from tests.examples import examples

METAVAR = re.compile(
    "ADDR|DIR|DSN|URL|EVENT|MODE|AGENT|FILE|PAGE|ID|LINE|RUN|TEXT|QUERY|GROUPS|DAY|TIME|N|X|SLUG|NAME|FIELD|OLD|SOURCE|NEW|ACTION"
)
PRINTS_NO_DATA = {"demo", "ui", "completions", "hook"}


def actions_of(name: str) -> list[Action]:
    return list(flattened(make_parser(name)))


def flattened(parser: Parser) -> Iterator[Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, _SubParsersAction):
            for inner in action.choices.values():
                yield from flattened(inner)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_an_option_takes_is_spelt_as_in_every_other_command(name: str) -> None:
    taking = [action for action in actions_of(name) if action.nargs != 0 and action.choices is None]

    assert all(METAVAR.fullmatch(part) for action in taking for part in str(action.metavar).split("|"))


@pytest.mark.parametrize("flag", ["--json", "-n", "--now", "--apply", "--dry-run"])
def test_an_option_has_one_line_of_help_in_all_commands(flag: str) -> None:
    names = [name for name in COMMANDS if (name, flag) != ("review", "--apply")]  # decisions there are done at once
    helps = [str(a.help) for name in names for a in actions_of(name) if flag in a.option_strings]
    plain = {re.sub(r"^\w+: | of the best \d+| \(default: \d+\)", "", help_) for help_ in helps}

    assert len(plain) == 1


def test_the_help_of_every_command_fits_on_one_screen() -> None:
    assert {name: lines for name in COMMANDS if (lines := help_of(name).count("\n")) > 30} == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_prints_data_prints_it_as_json_too(name: str) -> None:
    flags = {flag for action in actions_of(name) for flag in action.option_strings}

    assert ("--json" in flags) == (name not in PRINTS_NO_DATA)


def test_what_takes_out_in_bulk_waits_for_apply_and_all_else_can_be_tried_dry() -> None:
    flags = {name: {flag for action in actions_of(name) for flag in action.option_strings} for name in COMMANDS}

    assert not [name for name in COMMANDS if "--yes" in flags[name]]
    assert {name for name in COMMANDS if "--apply" in flags[name]} == {
        "archive", "forget", "review",
    }  # fmt: skip
    assert {name for name in COMMANDS if "--dry-run" in flags[name]} == {
        "adopt", "archive", "connect", "cycle", "distil", "feedback", "forget", "import", "page", "review", "undo",
    }  # fmt: skip


@pytest.mark.parametrize(("words", "wrong", "meant"), examples("commands", "slips"))
def test_a_slip_is_answered_with_what_is_wrong_and_what_was_probably_meant(
    capsys: pytest.CaptureFixture[str], words: str, wrong: str, meant: str
) -> None:
    code = main(words.split())

    first, second = capsys.readouterr().err.splitlines()
    assert code == 2
    assert wrong in first
    assert meant in second


@pytest.mark.parametrize(("words", "is_command"), [*examples("commands", "of bankd"), ("", "no")])
def test_bankd_with_a_command_is_bankctl_and_else_the_service(
    words: str, is_command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bankd.__main__.bankctl", lambda: "bankctl")
    monkeypatch.setattr("bankd.service.main", lambda: "the service")
    monkeypatch.setattr("sys.argv", ["bankd", *words.split()])

    assert bankd_or_bankctl() == ("bankctl" if is_command == "yes" else "the service")


@pytest.mark.parametrize("words", ["--polling search tea", "--debug search tea"])
def test_an_option_of_the_service_before_a_command_is_named(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bankd", *words.split()])

    assert bankd_or_bankctl() == 2
    assert words.split(maxsplit=1)[0] in capsys.readouterr().err


def test_bankd_prints_what_bankctl_prints(tmp_path: Path) -> None:
    """As processes, with the programs that were installed."""
    beside, workspace = Path(sys.executable).parent, str(tmp_path / "w")

    def run(program: str, *words: str) -> tuple[int, str, str]:
        ended = subprocess.run([beside / program, *words], capture_output=True, text=True, check=False, timeout=60)
        return ended.returncode, ended.stdout, ended.stderr

    assert run("bankd", "init", workspace)[0] == 0
    for words in (
        ("search", "--workspace", workspace, "tea", "--as-of", "never"),
        ("hook", "SessionStart", "--workspace", str(tmp_path / "gone")),
    ):
        assert run("bankd", *words) == run("bankctl", *words)
    assert "the service" in run("bankd", "--help")[1].lower()


@pytest.mark.parametrize(("program", "name"), [(main, "bankctl"), (bankd, "bankd")])
def test_both_programs_say_which_version_they_are(
    capsys: pytest.CaptureFixture[str], program: Callable[[list[str]], int], name: str
) -> None:
    with suppress(SystemExit):
        program(["--version"])

    assert capsys.readouterr().out == f"{name} {__version__}\n"
