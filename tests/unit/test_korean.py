"""All that bankd says has Korean, and texts of memories stay as they are."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bankd.app import waiting
from bankd.app.waiting import DECISIONS, KINDS, WAYS
from bankd.cli import main
from bankd.cli.base import _ROWS, COMMANDS, GROUPS, columns_in, make_parser
from bankd.health.schedule import RunOutcome
from bankd.memory.report import _SENTENCES, CHAPTERS
from bankd.search.related import Tie
from bankd.translate import messages as korean
from bankd.translate import translate
from bankd.ui import application, review, views
from tests.messages import messages

HANGUL = re.compile("[가-힣]")
TEMPLATES = Path(application.__file__).parent / "templates"


def test_no_message_of_the_code_is_without_korean() -> None:
    assert {text: where for text, where in messages().items() if text not in korean()} == {}


def test_no_word_of_help_is_without_korean() -> None:
    helps = {row[2] for rows in _ROWS.values() for row in rows if len(row) > 2}
    helps |= {help_ for group in GROUPS.values() for _, help_ in group.values()} | {group for group in GROUPS if group}

    assert not helps - korean().keys()


def test_no_word_of_page_and_review_is_without_korean() -> None:
    texts = "".join(path.read_text("utf-8") for path in TEMPLATES.iterdir())
    asked = set(re.findall(r'\bt\("([^"]+)"[,)]', texts))
    asked |= set(re.findall(r'\("[\w-]+", "([A-Z][^"]+|[a-z]+ [^"]+)"', texts))  # menus, which are translated in loops
    asked |= set(re.findall(r'Choice\(\s*"\w", "\w+", "([^"]+)"', inspect.getsource(waiting)))
    asked |= {*review.DONE.values(), *KINDS.values(), *views.SETTINGS_SHOWN.values(), *views.COUNTED.values()}
    asked |= {*WAYS.values(), *(said for _, said in _SENTENCES.values())}
    asked |= {title for title, _ in CHAPTERS} | {view.capitalize() for view in application.PLACES}
    asked |= {*application.KIND_WORDS.values(), *Tie, *RunOutcome, *(one.done for one in DECISIONS.values())}

    asked |= {
        *["text", "words", "order", "tree", "node", "beside", "entity", "asked", "floors", "meaning", "score"]
    }  # --explain

    assert len(asked) > 200
    assert not asked - korean().keys()


def test_the_korean_takes_what_the_english_has() -> None:
    places = re.compile(r"\{\d?(?::[^}]*)?\}")

    assert not [text for text, said in korean().items() if len(places.findall(text)) != len(places.findall(said))]


def test_a_finished_text_is_told_by_its_own_key_also_behind_a_place() -> None:
    wrong = {}
    for key in korean().keys() - {"", *(text for text in korean() if "\n" in text)}:
        words = ["bank/entities/Mira.md", "'Europe/Berlinn'", "2026-11-28"][: key.count("{}")] * 3
        text = key.format(*words)
        behind = translate(f"/x/bankd.yaml:13: {text}", korean=True)
        if f"{{}}: {key}" not in korean() and behind != f"/x/bankd.yaml:13: {translate(text, korean=True)}":
            wrong[key] = behind

    assert wrong == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_is_korean_and_fits_the_screen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    parser = make_parser(name)
    said = parser.format_help()

    assert not [one.help for one in parser._actions if one.help and not HANGUL.search(one.help)]
    assert said.count("\n") <= 30
    assert not [line for line in said.split("\n")[2:] if columns_in(line) > 80 and "{" not in line]


def test_texts_of_memories_stay_and_slips_are_answered_in_korean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")

    assert translate("m-x: no memory of the bank has this id") == "m-x: 이 ID의 기억이 저장소에 없습니다"
    assert translate("a: nothing new; nothing was changed") == "a: 새로운 것 없음; 아무것도 바꾸지 않았습니다"
    assert translate("was nothing new until 2026-05-11") == "2026-05-11까지 nothing new"
    said = "설정하지 않음: decay.per_day: 0에서 1까지의 수여야 합니다: 'x'; f 파일은 그대로입니다"
    assert translate("not set: decay.per_day: must be a number from 0 to 1, not 'x'; f is as it was") == said
    one = "이렇게 적어야 합니다: 이 가운데 하나: own, all (지금은 'x')"
    assert translate("must be one of own, all, not 'x'") == one
    assert main(["serach"]) == 2
    assert (
        capsys.readouterr().err == "bankctl: 모르는 명령: serach\nbankctl: search 말인가요? 명령 목록: bankctl --help\n"
    )
    assert main(["log", "-n", "x"]) == 2
    assert "인자 -n/--limit: 0에서 999999까지의 수여야 합니다: 'x'" in capsys.readouterr().err
    assert main(["--help"]) == 0
    assert "매일 쓰는 명령\n  search       기억을 한국어와 영어로 찾습니다\n" in capsys.readouterr().out


def test_who_reads_english_never_loads_the_korean() -> None:
    code = "from bankd.cli import main; main(['search', 'x']); from bankd.translate import messages; print(messages.cache_info().currsize)"
    env = {"LC_ALL": "C.UTF-8", "BANKD_WORKSPACE": "/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)

    assert done.stdout == "0\n"
