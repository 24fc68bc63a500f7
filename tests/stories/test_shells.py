"""The command line as shells call it: closed streams, a full disk behind a pipe, other locales, folders with spaces."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stories.conftest import Run

BANKCTL = [sys.executable, "-c", "from bankd.cli import main; raise SystemExit(main())"]
FOREIGN = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def shell(command: str, root: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    words = " ".join(f'"{word}"' for word in BANKCTL)
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    return subprocess.run(
        ["bash", "-c", command.replace("bankctl", words)],
        cwd=root,
        env={**inherited, **env},
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def learned(root: Path, bankctl: Run) -> Path:
    (root / "memory/2026-05-02.md").write_text("- S: 가치관: 정직을 최우선으로 한다.\n", encoding="utf-8")
    bankctl("cycle", "micro", "--now", "2026-05-03T03:00")
    return root


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_closed_stream_is_no_reason_to_fail(learned: Path, redirection: str) -> None:
    done = shell(f"bankctl log {redirection}", learned)

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_and_a_full_disk_have_their_exit_codes(learned: Path) -> None:
    gone = shell("bankctl log | true; exit ${PIPESTATUS[0]}", learned)
    full = shell("bankctl log > /dev/full", learned)

    assert gone.returncode in {0, 141}
    assert full.returncode == 3
    assert full.stderr == b"bankctl: No space left on device\n"


def test_a_locale_that_is_not_utf8_changes_nothing_but_what_the_terminal_can_show(learned: Path) -> None:
    found = shell("bankctl search 가치관 --json", learned, **FOREIGN)
    shown = shell("bankctl search 가치관", learned, **FOREIGN)
    in_letters = shell("bankctl search 가치관 --json", learned)
    added = shell("bankctl add 'W: 커피를 마신다.' && tail -n 1 memory/*-*-*.md", learned, **FOREIGN)
    korean = shell("bankctl search 가치관", learned, **FOREIGN, PYTHONIOENCODING="euc-kr")

    assert found.stdout.isascii()
    assert "정직을 최우선으로 한다." in in_letters.stdout.decode()
    assert json.loads(found.stdout)["hits"][0]["text"] == "가치관: 정직을 최우선으로 한다."
    assert b"\\uac00\\uce58\\uad00" in shown.stdout
    assert "커피를 마신다.".encode() in added.stdout
    assert "정직을 최우선으로" in korean.stdout.decode("euc-kr")
    assert [one.returncode for one in (found, shown, added, korean)] == [0, 0, 0, 0]


def test_a_bug_has_an_exit_code_that_no_answer_has(bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bankd.cli.search.search_command", lambda _: {}["no"])

    said = bankctl("search", "tea")

    assert said.code == 70
    assert "KeyError" in said.err
    assert said.err.splitlines()[-1].startswith("bankctl: this is a bug in bankd")


def test_the_next_step_that_init_names_can_be_typed_as_it_stands(tmp_path: Path, bankctl: Run) -> None:
    root = tmp_path / "내 노트's 금고"

    said = bankctl("init", str(root)).out

    (line,) = (line for line in said.splitlines() if line.strip().startswith("cd "))
    there = subprocess.run(["bash", "-c", line.split("&&")[0] + "&& pwd"], capture_output=True, check=True)
    assert there.stdout.decode().strip() == str(root)


def test_nothing_to_heal_is_json_too(root: Path, bankctl: Run) -> None:
    assert bankctl("page", "links", "--heal", "--json").json["links"] == []


def test_the_workspace_may_be_named_after_the_action(root: Path, bankctl: Run) -> None:
    assert bankctl("review", "list", "blocked", "--workspace", str(root), "--json").json == {"blocked": [], "prose": 0}


@pytest.mark.parametrize("limit", ["-n 8", "-v 60000", "-v 200000"])
@pytest.mark.parametrize("words", ["cycle micro", "search deploy"])
def test_a_limit_of_the_shell_ends_in_a_sentence(learned: Path, limit: str, words: str) -> None:
    said = shell(f"ulimit {limit}; bankctl {words}", learned)

    assert said.returncode in {0, 1, 3}
    assert b"Traceback" not in said.stderr
    assert said.returncode == 0 or said.stdout or said.stderr.startswith((b"bankctl: ", b"! "))


def test_a_shell_that_starts_does_not_wait_for_what_commands_do() -> None:
    program = "from bankd.cli.faces import read_commands; read_commands(); import sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert "bankd.cli.base" in loaded
    assert not {"bankd.cli.show", "bankd.cycle", "bankd.wiring.workspace", "bankd.memory.report", "yaml"} & set(loaded)
