"""What the commands have in common: one name, one meaning and one line of help for each option."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from bankd import __version__
from bankd.cli import main
from bankd.service import main as bankd


@pytest.mark.parametrize(
    ("words", "wrong", "meant"),
    [
        (["serach", "tea"], "unknown command serach", "did you mean search?"),
        (["--verson"], "unknown option --verson", "did you mean --version?"),
        (["search", "tea", "--jsn"], "unrecognized arguments: --jsn", "did you mean --json?"),
        (["search", "tea", "--js"], "unrecognized arguments: --js", "did you mean --json?"),
        (["cycle", "mcro"], "invalid choice: 'mcro'", "did you mean micro?"),
        (["duplicates", "alow", "m-x"], "invalid choice: 'alow'", "did you mean allow?"),
        (["xyzzy"], "unknown command xyzzy", "bankctl --help lists the commands"),
        (["log", "-n", "-5"], "must be a whole number, not '-5'", "bankctl log --help tells more"),
    ],
)
def test_a_slip_is_answered_with_what_is_wrong_and_what_was_probably_meant(
    capsys: pytest.CaptureFixture[str], words: list[str], wrong: str, meant: str
) -> None:
    code = main(words)

    first, second = capsys.readouterr().err.splitlines()
    assert code == 2
    assert wrong in first
    assert meant in second


@pytest.mark.parametrize(("program", "name"), [(main, "bankctl"), (bankd, "bankd")])
def test_both_programs_say_which_version_they_are(
    capsys: pytest.CaptureFixture[str], program: Callable[[list[str]], int], name: str
) -> None:
    with suppress(SystemExit):
        program(["--version"])

    assert capsys.readouterr().out == f"{name} {__version__}\n"
