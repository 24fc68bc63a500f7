"""A turn of a conversation, as every format is read, and what the formats have in common.

What agents keep of a session, as rows of JSON, one format an agent.

Claude Code: `~/.claude/projects/*/SESSION.jsonl`. Dialogue is only what has a `message`, a uuid and a timestamp and stands
outside of side chains; attachments hold what hooks put in.
Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, rows of {timestamp, type, payload}.
OpenClaw: `~/.openclaw/agents/*/sessions/SESSION.jsonl`, a tree of entries that is appended to.
Hermes: JSON lines of {role, content, timestamp}, or one object with all `messages`.

What chat services export, a `conversations.json` each.

ChatGPT: each conversation a tree, of which the branch that was shown last counts.
Claude.ai: a list of conversations with their `chat_messages`.

Which agent or service a source is from, and the conversations in it; of Markdown, each block is a turn of nobody.
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

from bankd.pages.scanner import BlockKind, scan_text
from bankd.pages.text import parse_json
from bankd.words.days import may_be_today, read_iso_moment

Row: TypeAlias = Mapping[str, Any]

_TOOL_COLUMNS = 160
"""Characters of a tool's call or output that are kept: enough to know which it was."""
_OWN_TOOL = "bankd"
"""What the names of our own tools have in them, however an agent writes them: what they give is never taken in."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said; `key` stays the same as often as the source is read. The moment is aware, or unknown."""

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
    """A conversation with what names its logs; `day` is that of all of it, as `2026-05-04`, where the source says so."""

    name: str
    title: str
    turns: tuple[Turn, ...]
    torn: tuple[TornRow, ...] = ()
    day: str = ""
    is_quoted: bool = True


def turn_key(*parts: object) -> str:
    """A name for a turn: 48 bits of SHA-256 of what stays the same."""
    said = "\0".join(str(part) for part in parts)
    return sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def object_at(row: Row, name: str) -> Row:
    """The object in a field; an empty one where there is something else: what agents write changes with their versions."""
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def list_at(row: Row, name: str) -> Sequence[Any]:
    """The list in a field; an empty one where there is something else."""
    value = row.get(name)
    return value if isinstance(value, list) else ()


def parse_json_rows(lines: Iterable[str]) -> Iterator[Row | TornRow]:
    """The objects of JSON lines; an unfinished last line, one that no line break ends, is left for the next time."""
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
    """A moment as ISO text, or as seconds or milliseconds of the epoch; None where it is none that a zone has."""
    if isinstance(value, str):
        moment = read_iso_moment(value)
        return moment.replace(tzinfo=UTC) if moment and not moment.tzinfo else moment
    if isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError, OSError):
            moment = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
            return moment if may_be_today(moment.date()) else None
    return None


def said_texts(content: object) -> list[str]:
    """The texts of a message's content: a string, or blocks of which only those of text are what somebody said."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [text for block in blocks if (text := _text_of(block))]


def _text_of(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict) or block.get("type") not in ("text", "input_text", "output_text", None):
        return ""
    text = block.get("text")
    return text if isinstance(text, str) else ""


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
_SPEAKERS = ("user", "assistant")
"""No set, as those below: what is looked for may be a list or an object, in versions to come."""
_PUT_IN = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<skills_instructions>")
"""How texts begin that Codex puts into the user's mouth, in versions that do not say where a text is from."""


def is_claude_code_row(row: Row) -> bool:
    """Whether a row is one of Claude Code's."""
    return "sessionId" in row and "type" in row


def read_claude_code_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a transcript."""
    tools: dict[str, str] = {}
    for row in rows:
        message = row.get("message")
        is_left_out = any(row.get(key) for key in ("isSidechain", "isMeta", "isCompactSummary"))
        if isinstance(message, dict) and row.get("type") in _SPEAKERS and row.get("uuid") and not is_left_out:
            content = message.get("content")
            speaker = "tool" if _is_result(content) else str(row["type"])
            text = "\n\n".join(filter(None, _parts(content, tools)))
            yield Turn(speaker, moment_of(row.get("timestamp")), text, turn_key(row["uuid"]))


def _is_result(content: object) -> bool:
    blocks = content if isinstance(content, list) else []
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def _parts(content: object, tools: dict[str, str]) -> Iterator[str]:
    for block in [content] if isinstance(content, str) else content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            yield from (_REMINDER.sub("", text).strip() for text in said_texts([block]))
        elif block.get("type") == "tool_use":
            tools[str(block.get("id"))] = str(block.get("name"))
            yield tool_call(block.get("name"), block.get("input"))
        elif block.get("type") == "tool_result":
            yield tool_output(tools.get(str(block.get("tool_use_id")), ""), block.get("content"))
        else:
            yield from (_REMINDER.sub("", text).strip() for text in said_texts([block]))


def is_codex_row(row: Row) -> bool:
    """Whether a row is one of Codex's."""
    return "payload" in row and "type" in row


def read_codex_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a rollout."""
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


def is_openclaw_row(row: Row) -> bool:
    """Whether a row is one of OpenClaw's."""
    is_header = row.get("type") == "session" and "version" in row
    return is_header or (row.get("type") == "message" and isinstance(row.get("message"), dict) and "id" in row)


def read_openclaw_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session."""
    for row in rows:
        message = row.get("message")
        if row.get("type") == "message" and isinstance(message, dict):
            speaker, text = _said_in_openclaw(message)
            yield Turn(speaker, moment_of(row.get("timestamp")), text, turn_key(row.get("id"), speaker))


def _said_in_openclaw(message: dict[str, Any]) -> tuple[str, str]:
    role, content = message.get("role"), message.get("content")
    if role == "toolResult":
        return "tool", tool_output(message.get("toolName"), content)
    if role not in _SPEAKERS:
        return "", ""
    blocks = content if isinstance(content, list) else []
    calls = [block for block in blocks if isinstance(block, dict) and block.get("type") == "toolCall"]
    said = [*said_texts(content), *(tool_call(call.get("name"), call.get("arguments")) for call in calls)]
    return str(role), "\n\n".join(filter(None, said))


def is_hermes_row(row: Row) -> bool:
    """Whether a row is one of Hermes'."""
    return "role" in row and ("content" in row or "tool_calls" in row or row["role"] == "session_meta")


def read_hermes_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session; the number of a row tells it from others like it that have no time."""
    for number, row in enumerate(rows):
        role = row.get("role")
        if role in (*_SPEAKERS, "tool"):
            at = moment_of(row.get("timestamp"))
            yield Turn(
                str(role), at, _said_in_hermes(row), turn_key(number, role, "".join(said_texts(row.get("content"))))
            )


def _said_in_hermes(row: Row) -> str:
    if row.get("role") == "tool":
        return tool_output(row.get("tool_name") or row.get("name"), row.get("content"))
    calls = [call.get("function") for call in list_at(row, "tool_calls") if isinstance(call, Mapping)]
    named = [tool_call(call.get("name"), call.get("arguments")) for call in calls if isinstance(call, Mapping)]
    return "\n\n".join(filter(None, [*said_texts(row.get("content")), *named]))


Reader: TypeAlias = Callable[[Iterable[Row]], Iterator[Turn]]

SESSION_FORMATS: Mapping[str, tuple[Callable[[Row], bool], Reader]] = {
    "claude-code": (is_claude_code_row, read_claude_code_turns),
    "codex": (is_codex_row, read_codex_turns),
    "openclaw": (is_openclaw_row, read_openclaw_turns),
    "hermes": (is_hermes_row, read_hermes_turns),
}
"""By agent: whether a row is one of its, and the turns in its rows."""


_SENDERS = {"human": "user", "assistant": "assistant"}


def is_chatgpt_export(row: Row) -> bool:
    """Whether an object is a conversation of ChatGPT."""
    return isinstance(row.get("mapping"), dict)


def read_chatgpt_export(row: Row) -> Dialogue:
    """One conversation of an export."""
    own = str(row.get("conversation_id") or row.get("id") or turn_key(row.get("title"), row.get("create_time")))
    return Dialogue(own, str(row.get("title") or ""), tuple(_shown_turns(row)))


def _shown_turns(row: Row) -> Iterator[Turn]:
    for id_, message in reversed(list(_branch(row["mapping"], row.get("current_node")))):
        role = object_at(message, "author").get("role")
        is_hidden = object_at(message, "metadata").get("is_visually_hidden_from_conversation")
        if role in ("user", "assistant") and isinstance(message.get("content"), dict) and not is_hidden:
            text = "\n\n".join(said_texts(message["content"].get("parts")))
            yield Turn(str(role), moment_of(message.get("create_time") or row.get("create_time")), text, turn_key(id_))


def _branch(mapping: Mapping[str, Any], leaf: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages from the last one shown up to the first; without one known, all in the order of the file, backwards."""
    way = list(_upwards(mapping, leaf)) or list(mapping)[::-1]
    for id_ in way:
        message = object_at(mapping, id_).get("message")
        if isinstance(message, dict):
            yield id_, message


def _upwards(mapping: Mapping[str, Any], leaf: object) -> Iterator[str]:
    here, seen = leaf, set[str]()
    while isinstance(here, str) and here in mapping and here not in seen:
        seen.add(here)
        yield here
        here = object_at(mapping, here).get("parent")


def is_claude_ai_export(row: Row) -> bool:
    """Whether an object is a conversation of Claude.ai."""
    return isinstance(row.get("chat_messages"), list)


def read_claude_ai_export(row: Row) -> Dialogue:
    """One conversation of an export."""
    own = str(row.get("uuid") or turn_key(row.get("name"), row.get("created_at")))
    return Dialogue(own, str(row.get("name") or ""), tuple(_chat_turns(row)))


def _chat_turns(row: Row) -> Iterator[Turn]:
    for message in row["chat_messages"]:
        speaker = _SENDERS.get(str(message.get("sender"))) if isinstance(message, dict) else None
        if speaker:
            at = moment_of(message.get("created_at") or row.get("created_at"))
            text = "\n\n".join(said_texts(message.get("content"))) or str(message.get("text") or "")
            yield Turn(speaker, at, text, turn_key(message.get("uuid") or (speaker, at, text)))


EXPORT_FORMATS: Mapping[str, tuple[Callable[[Row], bool], Callable[[Row], Dialogue]]] = {
    "chatgpt": (is_chatgpt_export, read_chatgpt_export),
    "claude-ai": (is_claude_ai_export, read_claude_ai_export),
}
"""By service: whether an object is a conversation of its, and what was said in it."""


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
