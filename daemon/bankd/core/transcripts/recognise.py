"""Which agent or service a source is from, and the conversations in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

from bankd.core.transcripts import chatgpt, claude_ai, claude_code, codex, hermes, openclaw
from bankd.core.transcripts.notes import read_notes
from bankd.core.transcripts.turns import Dialogue, Row, TornRow, Turn, parse_json_rows

Reader: TypeAlias = Callable[[Iterable[Row]], Iterator[Turn]]

_LINES: Mapping[str, tuple[Callable[[Row], bool], Reader]] = {
    "claude-code": (claude_code.is_claude_code_row, claude_code.read_claude_code_turns),
    "codex": (codex.is_codex_row, codex.read_codex_turns),
    "openclaw": (openclaw.is_openclaw_row, openclaw.read_openclaw_turns),
    "hermes": (hermes.is_hermes_row, hermes.read_hermes_turns),
}
_EXPORTS: Mapping[str, tuple[Callable[[Row], bool], Callable[[Row], Dialogue]]] = {
    "chatgpt": (chatgpt.is_chatgpt_export, chatgpt.read_chatgpt_export),
    "claude-ai": (claude_ai.is_claude_ai_export, claude_ai.read_claude_ai_export),
}
_NOTES = (("openclaw", "openclaw"), ("hermes", "hermes"), ("/.claude/", "claude-code"))
_OPENCLAW_NOTES = {"MEMORY", "USER", "SOUL", "IDENTITY"}
_SAMPLE = 50
"""Rows that are looked at: Claude Code writes a few of the queue's first."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a source is: the agent, and its conversations."""

    agent: str
    conversations: Sequence[Dialogue]


def read_lines(stem: str, lines: Iterable[str]) -> Recognised | None:
    """Read JSON lines, as agents keep a session; None when no agent that we know writes such."""
    torn: list[TornRow] = []
    rows = _sound(parse_json_rows(lines), torn)
    sample = list(islice(rows, _SAMPLE))
    for agent, (is_row, read_turns) in _LINES.items():
        if any(map(is_row, sample)):
            turns = tuple(turn for turn in read_turns(chain(sample, rows)) if turn.speaker)
            return Recognised(agent, [Dialogue(stem, "", turns, tuple(torn))])
    return None


def _sound(rows: Iterable[Row | TornRow], torn: list[TornRow]) -> Iterator[Row]:
    for row in rows:
        if isinstance(row, TornRow):
            torn.append(row)
        else:
            yield row


def read_export(stem: str, text: str) -> Recognised | None:
    """Read one JSON value: an export of conversations, or a session with all its messages; None for anything else."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    listed = [row for row in whole if isinstance(row, dict)] if isinstance(whole, list) else []
    for agent, (is_conversation, read) in _EXPORTS.items():
        if any(map(is_conversation, listed)):
            return Recognised(agent, [read(row) for row in listed if is_conversation(row)])
    messages = whole.get("messages") if isinstance(whole, dict) else None
    if isinstance(messages, list):
        turns = tuple(hermes.read_hermes_turns(row for row in messages if isinstance(row, dict)))
        return Recognised("hermes", [Dialogue(stem, "", turns)])
    return None


def read_markdown(path: str, text: str) -> Recognised:
    """Read Markdown; whose it is, its path says."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    known = next((agent for part, agent in _NOTES if part in path.casefold()), "")
    agent = known or ("openclaw" if stem in _OPENCLAW_NOTES else "markdown")
    return Recognised(agent, [read_notes(stem, text)])
