"""A real llama.cpp with a small model: the wire holds, and the grammar, whatever nonsense the model says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bankd.memory.retain import read_log
from bankd.night.asking import DistilledLine, Prompt, Reply, Unanswered
from bankd.night.believe import LineSources, problems_in, verifying_prompt
from bankd.night.distil import lines_in, prompt_for
from bankd.night.match import matching_prompt, relations_in
from bankd.night.sections import log_pieces, sections_of
from bankd.settings import DistilPolicy
from bankd.storage.events import ReplyLog
from bankd.storage.tree import FileTree
from bankd.system.clock import read_monotonic
from bankd.workers.models import ModelDoor

pytestmark = pytest.mark.full
SCHEMA = {
    "type": "object",
    "properties": {"tag": {"type": "string", "enum": ["W", "B", "O", "S"]}, "sure": {"type": "boolean"}},
    "required": ["tag", "sure"],
    "additionalProperties": False,
}
NOW = datetime(2026, 5, 2, 3, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    python = os.environ.get("BANKD_LLAMA_PYTHON")
    if not python:
        pytest.skip("BANKD_LLAMA_PYTHON names no Python with xllamacpp; tests/agents/install FOLDER all puts one there")
    command = [python, str(Path(__file__).with_name("llama_server.py"))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as server:  # type: ignore[call-overload]
        yield server.stdout.readline().strip()
        server.kill()


def ask(url: str, root: Path, prompts: list[Prompt]) -> list[Reply | Unanswered]:
    settings = DistilPolicy(provider="openai", model="gemma", url=f"{url}/v1", seconds=300, retries=0)
    with (
        closing(FileTree(root)) as tree,
        closing(ModelDoor(settings, ReplyLog(tree, "host"), NOW, read_monotonic, lambda _: None)) as door,
    ):
        return door.answer(prompts)


def test_what_it_says_has_the_form_that_was_asked_for(url: str, tmp_path: Path) -> None:
    texts = ("The port is 8080.", "서버 포트는 8080이다.")
    answers = ask(
        url, tmp_path, [Prompt("t", "Say the tag of the statement, as JSON.", text, SCHEMA, 300) for text in texts]
    )

    for one in answers:
        assert isinstance(one, Reply)
        assert isinstance(one.value, dict)
        assert one.value["tag"] in "WBOS"
        assert one.input_tokens > 10
        assert one.output_tokens > 0


TEXT = "# 2026-05-02\n\nWe moved the queue to SQLite. Dana signs the release.\n"
SECTIONS = [*sections_of(read_log("2026-05-02.md", TEXT, anywhere=False), TEXT)]
(PIECE,) = log_pieces("2026-05-02.md", TEXT, SECTIONS, ())
LINE = DistilledLine("W", (), "Dana signs the release.", (3,))


def test_what_bankd_asks_is_answered_by_the_schema_or_waits(url: str, tmp_path: Path) -> None:
    verifying = verifying_prompt([LINE], [LineSources("a log", {3: LINE.text}, None)])
    matching = matching_prompt("Dana signs it.", ["Dana signs the release."])
    prompts = [prompt_for([PIECE], [], [], ["decisions"]), verifying, matching]

    read, verified, matched = ask(url, tmp_path, [prompt._replace(most_tokens=60) for prompt in prompts])

    waits = [reply.reason for reply in (read, verified, matched) if isinstance(reply, Unanswered)]
    assert set(waits) <= {"the answer was cut off at its longest"}
    if isinstance(read, Reply):
        assert all(line.tag in "WBOS" for made in lines_in(read.value, [PIECE], [], []) for line in made)
    if isinstance(verified, Reply):
        assert len(problems_in(verified.value, 1)) == 1
    if isinstance(matched, Reply):
        assert len(relations_in(matched.value, 1)) == 1
