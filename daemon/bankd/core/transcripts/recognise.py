"""Which agent or service a source is from, and the conversations in it; of Markdown, each block is a turn of nobody."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from bankd.core.markdown.scanner import BlockKind, scan_text
from bankd.core.markdown.utf8 import parse_json
from bankd.core.transcripts.agent_sessions import SESSION_FORMATS, read_hermes_turns
from bankd.core.transcripts.chat_exports import EXPORT_FORMATS
from bankd.core.transcripts.turns import Dialogue, Row, TornRow, Turn, parse_json_rows, turn_key

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
    for agent, (is_row, read_turns) in SESSION_FORMATS.items():
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
        whole = parse_json(text)
    except (ValueError, RecursionError):
        return None
    listed = [row for row in whole if isinstance(row, dict)] if isinstance(whole, list) else []
    for agent, (is_conversation, read) in EXPORT_FORMATS.items():
        if any(map(is_conversation, listed)):
            return Recognised(agent, [read(row) for row in listed if is_conversation(row)])
    messages = whole.get("messages") if isinstance(whole, dict) else None
    if isinstance(messages, list):
        turns = tuple(read_hermes_turns(row for row in messages if isinstance(row, dict)))
        return Recognised("hermes", [Dialogue(stem, "", turns)])
    return None


def read_markdown(path: str, text: str) -> Recognised:
    """Read Markdown; whose it is, its path says."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    known = next((agent for part, agent in _NOTES if part in path.casefold()), "")
    agent = known or ("openclaw" if stem in _OPENCLAW_NOTES else "markdown")
    return Recognised(agent, [_read_notes(stem, text)])


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PASSED_OVER = {BlockKind.BLANK, BlockKind.FRONT_MATTER}


def _read_notes(stem: str, text: str) -> Dialogue:
    """A Markdown file by its name without the ending; one whose name is a day is the log of that day."""
    day = _DAY.search(stem)
    name = _DAY.sub("", stem).strip("-_ ")
    return Dialogue(name, name or stem, tuple(_note_turns(text)), (), day[0] if day else "", is_quoted=False)


def _note_turns(text: str) -> Iterator[Turn]:
    document, heading, seen = scan_text(text.removeprefix("\ufeff")), "", Counter[str]()
    for block in document.blocks:
        if block.depth or block.kind in _PASSED_OVER:
            continue
        if block.kind is BlockKind.HEADING:
            heading = "".join(document.lines[block.start : block.end]).strip()
            continue
        said = "".join(document.lines[block.start : max(block.end, block.whole_end)]).rstrip()
        key = turn_key(heading, said)
        seen[key] += 1
        yield Turn(heading, None, said, turn_key(key, seen[key]))
