"""The turns of the samples in the formats of their agents, read as an import reads them, and what is proposed of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.adapters.korean.analyses import AnalysisCache
from bankd.adapters.korean.kiwi import KiwiWorker, kiwi_version
from bankd.adapters.korean.wordings import CachedWordings
from bankd.adapters.system.clock import read_monotonic
from bankd.core.distil.proposing import Proposal, propose, sentences_said
from bankd.core.distil.sections import sections_of
from bankd.core.lifecycle.retain import read_log
from bankd.core.transcripts.day_logs import chunks, new_turns
from bankd.core.transcripts.recognise import Recognised, read_export, read_lines

_TURN = re.compile(r"(?P<agent>[\w-]+) (?P<speaker>user|assistant): (?P<text>.+)")
_AT = "2026-05-04T09:{:02}:00.000Z"


class SampleTurn(NamedTuple):
    """A turn, and the sentences in it that ask to be remembered."""

    agent: str
    speaker: str
    text: str
    wanted: frozenset[str]
    is_reported: bool


class Judged(NamedTuple):
    """What was to be proposed of a turn, and what was."""

    agent: str
    wanted: frozenset[str]
    proposed: frozenset[str]
    is_reported: bool

    @property
    def right(self) -> int:
        """How many proposals say what was to be proposed: the sentence, or what is left of it without the request."""
        return sum(any(one.strip(" .!") in wanted or wanted in one for wanted in self.wanted) for one in self.proposed)

    @property
    def is_right(self) -> bool:
        """Whether all of it was proposed, and nothing else."""
        return self.right == len(self.wanted) == len(self.proposed)


def read_turns() -> list[SampleTurn]:
    """The turns of the samples."""
    found = map(_TURN.fullmatch, (Path(__file__).parent / "turns.txt").read_text(encoding="utf-8").splitlines())
    return [
        SampleTurn(
            one["agent"], one["speaker"], re.sub("[«»]", "", one["text"]),
            frozenset(re.findall("«(.+?)»", one["text"])), bool(number % 2),
        )
        for number, one in enumerate(found) if one
    ]  # fmt: skip


def judge_turns() -> list[Judged]:
    """What is proposed of each turn, by itself."""
    turns = read_turns()
    with TemporaryDirectory() as folder:
        wordings = CachedWordings(AnalysisCache(Path(folder)), KiwiWorker(read_monotonic), kiwi_version)
        return [_judge(turn, _proposals(_as_log(turn), wordings)) for turn in turns]


def _judge(turn: SampleTurn, proposals: Iterable[Proposal]) -> Judged:
    return Judged(turn.agent, turn.wanted, frozenset(one.text for one in proposals), turn.is_reported)


def _proposals(log: str, wordings: CachedWordings) -> list[Proposal]:
    said = [*sentences_said(sections_of(read_log("2026-05-04.md", log, anywhere=True), log))]
    return propose(said, wordings.take_apart(one.text for one in said), frozenset())


def _as_log(turn: SampleTurn) -> str:
    """The text of the log that an import makes of a turn."""
    recognised = _recognise(turn)
    assert recognised is not None
    assert recognised.agent == turn.agent
    (conversation,) = recognised.conversations
    (said,) = new_turns(conversation, frozenset(), lambda at: at or datetime(2026, 5, 4, tzinfo=UTC)).values()
    return "".join(chunks(said, conversation.is_quoted, str))


def _recognise(turn: SampleTurn) -> Recognised | None:
    at, content = _AT.format(30), [{"type": "text", "text": turn.text}]
    rows: Mapping[str, Sequence[Mapping[str, Any]]] = {
        "claude-code": [{"type": turn.speaker, "message": {"role": turn.speaker, "content": turn.text}, "uuid": "u", "timestamp": at, "sessionId": "s", "isSidechain": False}],
        "codex": [{"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": turn.speaker, "content": [{"type": "input_text", "text": turn.text}]}}],
        "openclaw": [{"type": "session", "version": 3, "id": "s"}, {"type": "message", "id": "m", "timestamp": at, "message": {"role": turn.speaker, "content": content}}],
        "hermes": [{"role": turn.speaker, "content": turn.text, "timestamp": at}],
    }  # fmt: skip
    if turn.agent in rows:
        return read_lines("s", [json.dumps(row) + "\n" for row in rows[turn.agent]])
    message = {
        "author": {"role": turn.speaker},
        "create_time": 1777887000,
        "content": {"content_type": "text", "parts": [turn.text]},
    }
    return read_export(
        "conversations",
        json.dumps(
            [
                {
                    "id": "c",
                    "title": "t",
                    "create_time": 1777887000,
                    "mapping": {"n": {"message": message, "parent": None}},
                    "current_node": "n",
                }
            ]
        ),
    )
