"""Reads conversations in every format that agents and chat services keep, as turns.

Agents' sessions are rows of JSON, one format an agent: Claude Code (`~/.claude/projects/*/SESSION.jsonl`), Codex
(`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`), OpenClaw (`~/.openclaw/agents/*/sessions/SESSION.jsonl`), Hermes (JSON
lines, or one object with all `messages`). ChatGPT and Claude.ai export a `conversations.json`. A Markdown file is notes:
each block is a turn of nobody.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, islice
from typing import Any, TypeAlias

from bankd.pages.page import properties_of
from bankd.pages.scanner import BlockKind, scan_text
from bankd.pages.text import parse_json
from bankd.words.days import may_be_today, read_iso_moment

Row: TypeAlias = Mapping[str, Any]

_TOOL_COLUMNS = 160
"""Characters of a tool's call or output that are kept: enough to know which it was."""
_OWN_TOOL = "bankd"
"""Part of the name of each of our own tools, in all agents. What they give is never taken in."""
_SPEAKERS = ("user", "assistant")
"""A tuple and no set: the value that is looked up may be a list or an object (not hashable)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said. `key` is the same each time the source is read. The moment is aware, or None."""

    speaker: str
    at: datetime | None
    text: str
    key: str


@dataclass(frozen=True, slots=True)
class TornRow:
    """A 1-based line of a source that cannot be read, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation. `name` names its logs; `day` (such as `2026-05-04`) is the day of all turns if the source has one."""

    name: str
    title: str
    turns: tuple[Turn, ...]
    torn: tuple[TornRow, ...] = ()
    day: str = ""
    is_quoted: bool = True


def turn_key(*parts: object) -> str:
    """A key for a turn: 48 bits of SHA-256 of the parts, which must stay the same."""
    said = "\0".join(str(part) for part in parts)
    return sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def object_at(row: Row, name: str) -> Row:
    """The object in a field; an empty one if it is something else, since formats change with versions."""
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def list_at(row: Row, name: str) -> Sequence[Any]:
    """The list in a field; an empty one if it is something else."""
    value = row.get(name)
    return value if isinstance(value, list) else ()


def parse_json_rows(lines: Iterable[str]) -> Iterator[Row | TornRow]:
    """The objects of JSON lines. A last line without a line break is unfinished, and is left for the next time."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except (ValueError, RecursionError):
            if line.endswith("\n"):
                yield TornRow(number, "no JSON; the line is torn or was edited")
            continue
        yield row if isinstance(row, dict) else TornRow(number, "no JSON object")


def moment_of(value: object) -> datetime | None:
    """A moment from ISO text, or from seconds or milliseconds of the epoch; None if it cannot be one."""
    if isinstance(value, str):
        moment = read_iso_moment(value)
        return moment.replace(tzinfo=UTC) if moment and not moment.tzinfo else moment
    if isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError, OSError):
            moment = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
            return moment if may_be_today(moment.date()) else None
    return None


def said_texts(content: object) -> list[str]:
    """The texts of a message's content: a string, or the blocks of text in a list."""
    if isinstance(content, str):
        return [content]
    kinds = ("text", "input_text", "output_text", None)
    texts = (
        block.get("text") if isinstance(block, dict) and block.get("type") in kinds else block
        for block in (content if isinstance(content, list) else ())
    )
    return [text for text in texts if text and isinstance(text, str)]


def tool_call(name: object, arguments: object) -> str:
    """A tool's call as one line; nothing for our own tools."""
    said = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return "" if _OWN_TOOL in str(name) else f"[{name}: {one_line(said)}]"


def tool_output(name: object, output: object) -> str:
    """A tool's output as one line; nothing for our own tools."""
    said = one_line(" ".join(said_texts(output)))
    return f"[gave: {said}]" if said and _OWN_TOOL not in str(name) else ""


def one_line(text: str) -> str:
    """A text cut to a line."""
    line = " ".join(text[: 8 * _TOOL_COLUMNS].split())
    return line if len(line) <= _TOOL_COLUMNS else line[:_TOOL_COLUMNS] + "…"


_REMINDER = re.compile(r"<(system-reminder|local-command-\w+|command-\w+)>.*?</\1>\s*", re.DOTALL)


def read_claude_code_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a transcript of Claude Code.

    A turn has a `message`, a uuid and a timestamp, and is not in a side chain. Attachments hold what hooks put in.
    """
    tools: dict[str, str] = {}
    for row in rows:
        message = row.get("message")
        is_left_out = any(row.get(key) for key in ("isSidechain", "isMeta", "isCompactSummary"))
        if isinstance(message, dict) and row.get("type") in _SPEAKERS and row.get("uuid") and not is_left_out:
            content = message.get("content")
            blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
            is_result = any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
            text = "\n\n".join(filter(None, _parts(blocks, tools)))
            speaker = "tool" if is_result else str(row["type"])
            yield Turn(speaker, moment_of(row.get("timestamp")), text, turn_key(row["uuid"]))


def _parts(blocks: Iterable[object], tools: dict[str, str]) -> Iterator[str]:
    """The texts of a message's blocks. `tools` learns the name of each call, and tells it to the call's output."""
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else ""
        if isinstance(block, dict) and kind == "tool_use":
            tools[str(block.get("id"))] = str(block.get("name"))
            yield tool_call(block.get("name"), block.get("input"))
        elif isinstance(block, dict) and kind == "tool_result":
            yield tool_output(tools.get(str(block.get("tool_use_id")), ""), block.get("content"))
        else:
            yield from (_REMINDER.sub("", text).strip() for text in said_texts([block]))


_PUT_IN = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<skills_instructions>")
"""Beginnings of texts that Codex itself adds as the user, in versions that do not say where a text is from."""


def read_codex_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a rollout of Codex: rows of {timestamp, type, payload}."""
    tools: dict[str, str] = {}
    for row in rows:
        payload = row.get("payload")
        if row.get("type") == "response_item" and isinstance(payload, dict):
            speaker, text = _said_in_codex(payload, tools)
            at = row.get("timestamp")
            own = payload.get("id") or payload.get("call_id") or text
            yield Turn(speaker, moment_of(at), text, turn_key(at, speaker, own))


def _said_in_codex(payload: dict[str, Any], tools: dict[str, str]) -> tuple[str, str]:
    kind = payload.get("type")
    if kind == "message" and payload.get("role") in _SPEAKERS and not _is_put_in(payload):
        return str(payload["role"]), "\n\n".join(said_texts(payload.get("content")))
    if kind in ("function_call", "custom_tool_call"):
        name = f"{payload.get('namespace') or ''}{payload.get('name')}"
        tools[str(payload.get("call_id"))] = name
        return "assistant", tool_call(name, payload.get("arguments") or payload.get("input"))
    if kind in ("function_call_output", "custom_tool_call_output"):
        return "tool", tool_output(tools.get(str(payload.get("call_id")), ""), payload.get("output"))
    return "", ""


def _is_put_in(payload: dict[str, Any]) -> bool:
    items = list_at(object_at(payload, "internal_chat_message_metadata_passthrough"), "content_item_metadata")
    kinds = [object_at(item, "provenance").get("type") for item in items if isinstance(item, dict)]
    first = next(iter(said_texts(payload.get("content"))), "")
    return "harness" in kinds or first.lstrip().startswith(_PUT_IN)


def read_openclaw_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session of OpenClaw, a tree of entries that is appended to."""
    for row in rows:
        message = row.get("message")
        if row.get("type") != "message" or not isinstance(message, dict):
            continue
        role, content, speaker, text = message.get("role"), message.get("content"), "", ""
        if role == "toolResult":
            speaker, text = "tool", tool_output(message.get("toolName"), content)
        elif role in _SPEAKERS:
            blocks = content if isinstance(content, list) else []
            calls = [block for block in blocks if isinstance(block, dict) and block.get("type") == "toolCall"]
            said = [*said_texts(content), *(tool_call(call.get("name"), call.get("arguments")) for call in calls)]
            speaker, text = str(role), "\n\n".join(filter(None, said))
        yield Turn(speaker, moment_of(row.get("timestamp")), text, turn_key(row.get("id"), speaker))


def read_hermes_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session of Hermes. The number of a row is in its key, for rows may be equal and have no time."""
    for number, row in enumerate(rows):
        role, said = row.get("role"), said_texts(row.get("content"))
        if role not in (*_SPEAKERS, "tool"):
            continue
        if role == "tool":
            text = tool_output(row.get("tool_name") or row.get("name"), row.get("content"))
        else:
            calls = [object_at(call, "function") for call in list_at(row, "tool_calls") if isinstance(call, Mapping)]
            named = [tool_call(call.get("name"), call.get("arguments")) for call in calls if call]
            text = "\n\n".join(filter(None, [*said, *named]))
        yield Turn(str(role), moment_of(row.get("timestamp")), text, turn_key(number, role, "".join(said)))


Reader: TypeAlias = Callable[[Iterable[Row]], Iterator[Turn]]

SESSION_FORMATS: Mapping[str, tuple[Callable[[Row], bool], Reader]] = {
    "claude-code": (lambda row: "sessionId" in row and "type" in row, read_claude_code_turns),
    "codex": (lambda row: "payload" in row and "type" in row, read_codex_turns),
    "openclaw": (
        lambda row: (
            (row.get("type") == "session" and "version" in row)
            or (row.get("type") == "message" and isinstance(row.get("message"), dict) and "id" in row)
        ),
        read_openclaw_turns,
    ),
    "hermes": (
        lambda row: "role" in row and ("content" in row or "tool_calls" in row or row["role"] == "session_meta"),
        read_hermes_turns,
    ),
}
"""By agent: whether a row is in its format, and what reads its rows."""


def read_chatgpt_export(row: Row) -> Dialogue:
    """One conversation of an export of ChatGPT: a tree, of which the branch shown last counts."""
    own = str(row.get("conversation_id") or row.get("id") or turn_key(row.get("title"), row.get("create_time")))
    return Dialogue(own, str(row.get("title") or ""), tuple(_shown_turns(row)))


def _shown_turns(row: Row) -> Iterator[Turn]:
    for id_, message in reversed(list(_branch(row["mapping"], row.get("current_node")))):
        role = object_at(message, "author").get("role")
        is_hidden = object_at(message, "metadata").get("is_visually_hidden_from_conversation")
        if role in _SPEAKERS and isinstance(message.get("content"), dict) and not is_hidden:
            text = "\n\n".join(said_texts(message["content"].get("parts")))
            yield Turn(str(role), moment_of(message.get("create_time") or row.get("create_time")), text, turn_key(id_))


def _branch(mapping: Mapping[str, Any], leaf: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages from the last one shown up to the first. If the last is unknown: all, in the file's reverse order."""
    here, way = leaf, dict[str, None]()
    while isinstance(here, str) and here in mapping and here not in way:
        way[here] = None
        here = object_at(mapping, here).get("parent")
    for id_ in list(way) or list(mapping)[::-1]:
        message = object_at(mapping, id_).get("message")
        if isinstance(message, dict):
            yield id_, message


def read_claude_ai_export(row: Row) -> Dialogue:
    """One conversation of an export of Claude.ai, with its `chat_messages`."""
    speakers, turns = {"human": "user", "assistant": "assistant"}, list[Turn]()
    for message in row["chat_messages"]:
        if isinstance(message, dict) and (speaker := speakers.get(str(message.get("sender")))):
            at = moment_of(message.get("created_at") or row.get("created_at"))
            text = "\n\n".join(said_texts(message.get("content"))) or str(message.get("text") or "")
            turns.append(Turn(speaker, at, text, turn_key(message.get("uuid") or (speaker, at, text))))
    own = str(row.get("uuid") or turn_key(row.get("name"), row.get("created_at")))
    return Dialogue(own, str(row.get("name") or ""), tuple(turns))


EXPORT_FORMATS: Mapping[str, tuple[Callable[[Row], bool], Callable[[Row], Dialogue]]] = {
    "chatgpt": (lambda row: isinstance(row.get("mapping"), dict), read_chatgpt_export),
    "claude-ai": (lambda row: isinstance(row.get("chat_messages"), list), read_claude_ai_export),
}
"""By service: whether an object is a conversation in its format, and what reads it."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The agent or service that a source is from, and its conversations."""

    agent: str
    conversations: Sequence[Dialogue]


def read_lines(stem: str, lines: Iterable[str]) -> Recognised | None:
    """Read JSON lines, as agents keep a session; None if the format is unknown."""
    torn: list[TornRow] = []

    def sound() -> Iterator[Row]:
        for row in parse_json_rows(lines):
            if isinstance(row, TornRow):
                torn.append(row)
            else:
                yield row

    rows = sound()
    sample = list(islice(rows, 50))  # Claude Code writes a few rows of its queue first
    for agent, (is_row, read_turns) in SESSION_FORMATS.items():
        if any(map(is_row, sample)):
            turns = tuple(turn for turn in read_turns(chain(sample, rows)) if turn.speaker)
            return Recognised(agent, [Dialogue(stem, "", turns, tuple(torn))])
    return None


def read_export(stem: str, text: str) -> Recognised | None:
    """Read one JSON value: an export of conversations, or a session of Hermes; None for anything else."""
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
    """Read Markdown notes. The path says whose they are; a day in the file's name is the day of all."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    folders = (("openclaw", "openclaw"), ("hermes", "hermes"), ("/.claude/", "claude-code"))
    known = next((agent for part, agent in folders if part in path.casefold()), "")
    agent = known or ("openclaw" if stem in {"MEMORY", "USER", "SOUL", "IDENTITY"} else "markdown")
    day, name = _DAY.search(stem), _DAY.sub("", stem).strip("-_ ")
    turns = tuple(_note_turns(text))
    return Recognised(agent, [Dialogue(name, name or stem, turns, (), day[0] if day else "", is_quoted=False)])


_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _note_turns(text: str) -> Iterator[Turn]:
    document, heading, seen = scan_text(text.removeprefix("\ufeff")), "", Counter[str]()
    for _, said in properties_of(document):
        yield Turn("", None, said, turn_key("front matter", said))
    for block in document.blocks:
        if block.depth or block.kind in {BlockKind.BLANK, BlockKind.FRONT_MATTER}:
            continue
        if block.kind is BlockKind.HEADING:
            heading = "".join(document.lines[block.start : block.end]).strip()
            continue
        said = "".join(document.lines[block.start : max(block.end, block.whole_end)]).rstrip()
        key = turn_key(heading, said)
        seen[key] += 1
        yield Turn(heading, None, said, turn_key(key, seen[key]))
