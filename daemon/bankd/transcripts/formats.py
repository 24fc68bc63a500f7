"""Reads conversations in every format that agents and chat services keep, as turns.

Agents' sessions are rows of JSON, one format per agent: Claude Code (`~/.claude/projects/*/SESSION.jsonl`), Codex
(`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`), OpenClaw (`~/.openclaw/agents/*/sessions/SESSION.jsonl`), Hermes (JSON
lines, or one object with all `messages`). ChatGPT and Claude.ai export a `conversations.json`. A Markdown file holds
notes: each block is a turn without a speaker.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, islice
from typing import Any, TypeAlias

from bankd.pages.names import day_in, without_days
from bankd.pages.page import properties_of
from bankd.pages.scanner import BlockKind, Document, scan_text
from bankd.pages.text import parse_json
from bankd.words.days import may_be_today, read_iso_moment

Row: TypeAlias = Mapping[str, Any]

_TOOL_COLUMNS = 160
"""Characters of a tool's call or output that are kept: enough to know which it was."""
_OWN_TOOL = "bankd"
"""Part of the name of each of our own tools, in all agents. What they give is never taken in."""
_SPEAKERS = ("user", "assistant")
"""A tuple instead of a set: the value looked up may be a list or an object, which is not hashable."""


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
    passed: Mapping[str, int] = field(default_factory=dict)
    """How many rows were passed over, by their type."""
    origin: str = ""
    """The file that notes stand in; two files may have one name."""
    folder: str = ""
    """The folder in which a session began, if it is known."""


def turn_key(*parts: object) -> str:
    """A key for a turn: 48 bits of SHA-256 of the parts, which must stay the same."""
    return sha256("\0".join(str(part) for part in parts).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def object_at(row: Row, name: str) -> Row:
    """The object in a field; an empty one if it is something else, since formats change with versions."""
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def list_at(row: Row, name: str) -> Sequence[Any]:
    """The list in a field; an empty one if it is something else."""
    value = row.get(name)
    return value if isinstance(value, list) else ()


def parse_json_rows(lines: Iterable[str], torn: list[TornRow]) -> Iterator[Row]:
    """The objects of JSON lines; `torn` gets the other lines. A last line without a line break is left for the next time."""
    for number, line in enumerate(lines, 1):
        try:
            row = parse_json(line) if line.strip() else None
        except (ValueError, RecursionError):
            if line.endswith("\n"):
                torn.append(TornRow(number, "no JSON; the line is torn or was edited"))
            continue
        if isinstance(row, dict):
            yield row
        elif line.strip():
            torn.append(TornRow(number, "no JSON object"))


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


def spoken(role: object, content: object, calls: Iterable[str] = ()) -> str:
    """What somebody says in a message: of the user what was typed; then the calls of tools."""
    said = said_texts(content)
    return "\n\n".join(filter(None, [*(map(own_words, said) if role == "user" else said), *calls]))


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


_NAME = r"(?:[A-Za-z]+[-_][\w-]*|system)"
_ELEMENT = re.compile(rf"\s*<({_NAME})(?:\s[^<>]*)?>(.*?)</\1>\s*", re.DOTALL)
_LAST_ELEMENT = re.compile(rf"</({_NAME})>\s*\Z")
_TYPED = {"user-memory-input", "command-args"}
"""Elements that hold what a person typed."""
_BY_PROGRAM = re.compile(
    r"\s*(?:\[Request interrupted by user[^\]]*\]\s*\Z|This session is being continued from a previous conversation"
    r"|Caveat: The messages below were generated by the user while running local commands|# AGENTS\.md instructions)"
)


def own_words(text: str) -> str:
    """The text that the user typed, without the elements `<name-of-it>…</name-of-it>` that programs put before or after it.

    Their names change with each version, so any name of two words counts; a person's own `<task>` stays.
    """
    typed: list[str] = []
    while found := _ELEMENT.match(text):
        typed += [found[2].strip()] if found[1] in _TYPED else []
        text = text[found.end() :]
    while found := _LAST_ELEMENT.search(text):
        start = text.rfind(f"<{found[1]}", 0, found.start())
        if start < 0 or not (text[:start].endswith(("\n", ">")) or found[1] == "system-reminder"):
            break
        text = text[:start].rstrip()
    return "\n\n".join(filter(None, [*typed, "" if _BY_PROGRAM.match(text) else text.strip()]))


BY_PROGRAM = "put in by the program"
_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")
_REFUSED = re.compile(r"The user doesn't want to .*?(?:the user said|reason for the rejection):\s*(.+)", re.DOTALL)


class _Prompts:
    """Collects turns of a transcript that may have a prompt in rows of two types; each prompt counts once."""

    def __init__(self) -> None:
        self.turns: list[Turn | str] = []
        self._told: dict[int, Turn] = {}  # by place, the prompts that only a second type of row told
        self._waiting: set[int] = set()  # of these, the ones that the agent did not get
        self._heard: Counter[str] = Counter()

    def say(self, turn: Turn, *, is_told_after: bool = False) -> None:
        """Add a turn. A prompt that was told before keeps its key, so that a later import knows it."""
        if turn.speaker == "user" and turn.text:
            if places := self._places(turn.text):
                turn = replace(turn, key=self._drop(places[0]).key)
            elif is_told_after:
                self._heard[_folded(turn.text)] += 1
        self.turns.append(turn)

    def tell(self, turn: Turn, *, is_given: bool) -> None:
        """Add a prompt by the other type of row; it counts when no turn says it and the agent got it."""
        place = len(self.turns)
        if self._heard[_folded(turn.text)] > 0:
            self._heard[_folded(turn.text)] -= 1
        elif turn.text:
            self._told[place] = turn
            self._waiting |= set() if is_given else {place}
            self.turns.append(turn)

    def give(self, text: str) -> None:
        """The agent got this prompt, or with an empty text the first that waits."""
        self._waiting -= {*self._places(text)[:1]}

    def take_back(self, text: str) -> None:
        """The user took a prompt back, or with an empty text all that wait."""
        for place in self._places(text)[: 1 if text else None]:
            self._drop(place)

    def all(self) -> Iterator[Turn | str]:
        """All turns, without the prompts that still wait."""
        return (turn for at, turn in enumerate(self.turns) if at not in self._waiting)

    def _places(self, text: str) -> list[int]:
        """Where the told prompts with this text stand, or with an empty text all that wait."""
        if not text:
            return sorted(self._waiting)
        return [place for place, turn in self._told.items() if _folded(turn.text) == _folded(text)]

    def _drop(self, place: int) -> Turn:
        self._waiting.discard(place)
        turn = self._told.pop(place)
        self.turns[place] = replace(turn, text="")
        return turn


def _folded(text: str) -> str:
    return " ".join(text.split())


def read_claude_code_turns(rows: Iterable[Row]) -> Iterator[Turn | str]:
    """The turns of a transcript of Claude Code, and the type of each row that holds none.

    A turn has a `message`, a uuid and a timestamp, and is not in a side chain. A prompt typed while the agent works is an
    attachment, or only stands in the rows of the queue.
    """
    tools: dict[str, str] = {}
    prompts = _Prompts()
    for row in rows:
        message, at = row.get("message"), moment_of(row.get("timestamp"))
        attachment, kind = object_at(row, "attachment"), str(row.get("type"))
        if kind == "queue-operation":
            _queue(row, at, prompts)
        elif attachment.get("type") == "queued_command" and attachment.get("commandMode", "prompt") == "prompt":
            text = own_words("\n\n".join(said_texts(attachment.get("prompt"))))
            prompts.say(Turn("user", at, text, turn_key(row.get("uuid") or (row.get("timestamp"), text))))
        elif not (isinstance(message, dict) and kind in _SPEAKERS and row.get("uuid")):
            prompts.turns.append(kind)
        elif _is_by_program(row, message):
            prompts.turns.append(BY_PROGRAM)
        else:
            content = message.get("content")
            blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
            parts = _parts(blocks, kind, tools)
            for number, (speaker, said) in enumerate(parts.items()):
                prompts.say(Turn(speaker, at, said, turn_key(row["uuid"], *([speaker] if number else []))))
            if kind == "user" and not parts:
                prompts.turns.append(BY_PROGRAM)
    return prompts.all()


def _queue(row: Row, at: datetime | None, prompts: _Prompts) -> None:
    """Follow the queue of prompts; one that was removed without being absorbed was taken back."""
    operation, said = row.get("operation"), row.get("content")
    text = own_words("\n\n".join(said_texts(said)))
    if operation == "enqueue":
        prompts.tell(Turn("user", at, text, turn_key("queued", row.get("timestamp"), text)), is_given=False)
    elif operation == "dequeue" or "absorbed" in str(row.get("reason")):
        prompts.give(text)
    elif operation in {"remove", "popAll"}:
        prompts.take_back(text)


def _is_by_program(row: Row, message: Row) -> bool:
    origin = row.get("origin")
    source = origin.get("kind") if isinstance(origin, dict) else origin
    is_marked = any(row.get(key) for key in _NOT_SAID) or message.get("model") == "<synthetic>"
    return is_marked or (source is not None and source not in {"human", "user"})


def _parts(blocks: Iterable[object], kind: str, tools: dict[str, str]) -> dict[str, str]:
    """The texts of a message's blocks, by speaker. `tools` keeps the name of each call for the call's output.

    What the user types with a refusal, or chooses when asked, stands inside the result of a tool.
    """
    said: dict[str, list[str]] = {}
    for block in blocks:
        row = block if isinstance(block, dict) else {}
        name = tools.get(str(row.get("tool_use_id")), "")
        whole = "\n".join(said_texts(row.get("content"))) if row.get("type") == "tool_result" else ""
        refusal = _REFUSED.match(whole)
        if row.get("type") == "tool_use":
            tools[str(row.get("id"))] = str(row.get("name"))
            said.setdefault(kind, []).append(tool_call(row.get("name"), row.get("input")))
        elif refusal or (whole and name == "AskUserQuestion"):
            said.setdefault("user", []).append(refusal[1].strip() if refusal else whole)
        elif row.get("type") == "tool_result":
            said.setdefault("tool", []).append(tool_output(name, row.get("content")))
        else:
            texts = said_texts([block])
            said.setdefault(kind, []).extend(map(own_words, texts) if kind == "user" else texts)
    found = ((speaker, "\n\n".join(filter(None, texts))) for speaker, texts in said.items())
    return {speaker: text for speaker, text in found if text}


def read_codex_turns(rows: Iterable[Row]) -> Iterator[Turn | str]:
    """The turns of a rollout of Codex, rows of {timestamp, type, payload}, and the type of each row that holds none."""
    tools: dict[str, str] = {}
    prompts = _Prompts()
    for row in rows:
        payload, kind, at = object_at(row, "payload"), row.get("type"), row.get("timestamp")
        if kind == "response_item":
            speaker, text = _said_in_codex(payload, tools)
            own = payload.get("id") or payload.get("call_id")
            if text:
                key = turn_key(payload.get("type"), own) if own else turn_key(at, speaker, text)
                prompts.say(Turn(speaker, moment_of(at), text, key), is_told_after=True)
            else:
                prompts.turns.append(str(payload.get("type")))
        elif kind == "event_msg" and payload.get("type") == "user_message":
            text = own_words(str(payload.get("message") or ""))
            prompts.tell(Turn("user", moment_of(at), text, turn_key(at, "user", text)), is_given=True)
        else:
            prompts.turns.append(str(payload.get("type") if kind == "event_msg" else kind))
    return prompts.all()


def _said_in_codex(payload: Row, tools: dict[str, str]) -> tuple[str, str]:
    kind = payload.get("type")
    if kind == "message" and payload.get("role") in _SPEAKERS and not _is_put_in(payload):
        return str(payload["role"]), spoken(payload["role"], payload.get("content"))
    if kind in ("function_call", "custom_tool_call"):
        name = f"{payload.get('namespace') or ''}{payload.get('name')}"
        tools[str(payload.get("call_id"))] = name
        return "assistant", tool_call(name, payload.get("arguments") or payload.get("input"))
    if kind in ("function_call_output", "custom_tool_call_output"):
        return "tool", tool_output(tools.get(str(payload.get("call_id")), ""), payload.get("output"))
    return "", ""


def _is_put_in(payload: Row) -> bool:
    items = list_at(object_at(payload, "internal_chat_message_metadata_passthrough"), "content_item_metadata")
    return "harness" in [object_at(item, "provenance").get("type") for item in items if isinstance(item, dict)]


def _said_in_message(role: object, content: object, tool: object, calls: Iterable[Row]) -> tuple[str, str]:
    """The speaker and the text of a message of OpenClaw or Hermes; nobody where its role is another."""
    if role == "tool":
        return "tool", tool_output(tool, content)
    named = (tool_call(call.get("name"), call.get("arguments")) for call in calls)
    return (str(role), spoken(role, content, named)) if role in _SPEAKERS else ("", "")


def read_openclaw_turns(rows: Iterable[Row]) -> Iterator[Turn | str]:
    """The turns of a session of OpenClaw, a tree of entries that is appended to."""
    for row in rows:
        message = row.get("message")
        if row.get("type") != "message" or not isinstance(message, dict):
            yield str(row.get("type"))
            continue
        role, at = "tool" if message.get("role") == "toolResult" else message.get("role"), row.get("timestamp")
        blocks = (block for block in list_at(message, "content") if isinstance(block, dict))
        calls = (block for block in blocks if block.get("type") == "toolCall")
        speaker, text = _said_in_message(role, message.get("content"), message.get("toolName"), calls)
        yield Turn(speaker, moment_of(at), text, turn_key(row.get("id"), at, speaker))


def read_hermes_turns(rows: Iterable[Row]) -> Iterator[Turn | str]:
    """The turns of a session of Hermes. The number of a row is in its key, for rows may be equal and have no time."""
    for number, row in enumerate(rows):
        role, content, at = row.get("role"), row.get("content"), row.get("timestamp")
        calls = (object_at(call, "function") for call in list_at(row, "tool_calls") if isinstance(call, Mapping))
        speaker, text = _said_in_message(role, content, row.get("tool_name") or row.get("name"), filter(None, calls))
        key = turn_key(number, at, role, "".join(said_texts(content)))
        yield Turn(speaker, moment_of(at), text, key) if speaker else str(role)


Reader: TypeAlias = Callable[[Iterable[Row]], Iterator[Turn | str]]

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
"""For each agent a test whether a row is in its format, and the function that reads its rows."""


def read_chatgpt_export(row: Row) -> Dialogue:
    """One conversation of an export of ChatGPT: a tree, of which the branch shown last counts."""
    own = str(row.get("conversation_id") or row.get("id") or turn_key(row.get("title"), row.get("create_time")))
    turns = list[Turn]()
    for id_, message in reversed(list(_branch(row["mapping"], row.get("current_node")))):
        role = object_at(message, "author").get("role")
        is_hidden = object_at(message, "metadata").get("is_visually_hidden_from_conversation")
        if role in _SPEAKERS and isinstance(message.get("content"), dict) and not is_hidden:
            text = "\n\n".join(said_texts(message["content"].get("parts")))
            at = moment_of(message.get("create_time") or row.get("create_time"))
            turns.append(Turn(str(role), at, text, turn_key(id_)))
    return Dialogue(own, str(row.get("title") or ""), tuple(turns))


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
"""For each service a test whether an object is a conversation in its format, and the function that reads it."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The agent or service that a source is from, and its conversations."""

    agent: str
    conversations: Sequence[Dialogue]


def read_lines(stem: str, lines: Iterable[str]) -> Recognised | None:
    """Read JSON lines, as agents keep a session; None if the format is unknown."""
    torn = list[TornRow]()
    rows = parse_json_rows(lines, torn)
    sample = list(islice(rows, 50))  # Claude Code writes a few rows of its queue first
    folders = (row.get("cwd") or object_at(row, "payload").get("cwd") for row in sample)
    folder = next((said for said in folders if isinstance(said, str) and said), "")
    for agent, (is_row, read_turns) in SESSION_FORMATS.items():
        if any(map(is_row, sample)):
            session = _dialogue(stem, read_turns(chain(sample, rows)), torn)
            return Recognised(agent, [replace(session, folder=folder)])
    return None


def _dialogue(name: str, found: Iterable[Turn | str], torn: Sequence[TornRow] = ()) -> Dialogue:
    """A session; a turn without a time is known only there, since another session may say the same in the same row."""
    said = list(found)
    turns = tuple(
        turn if turn.at else replace(turn, key=turn_key(name, turn.key))
        for turn in said
        if isinstance(turn, Turn) and turn.speaker
    )
    return Dialogue(name, "", turns, tuple(torn), passed=Counter(kind for kind in said if isinstance(kind, str)))


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
        turns = read_hermes_turns(row for row in messages if isinstance(row, dict))
        return Recognised("hermes", [_dialogue(stem, turns)])
    return None


def read_markdown(path: str, text: str) -> Recognised:
    """Read Markdown notes. The path says whose they are; a day in the file's name or front matter is the day of all."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    folders = (("openclaw", "openclaw"), ("hermes", "hermes"), ("/.claude/", "claude-code"))
    known = next((agent for part, agent in folders if part in path.casefold()), "")
    agent = known or ("openclaw" if stem in {"MEMORY", "USER", "SOUL", "IDENTITY"} else "markdown")
    document = scan_text(text.removeprefix("\ufeff"))
    day, name = day_in(stem), without_days(stem)
    if day is None and stem[:2].isdecimal() and (day := day_in("/".join(path.split("/")[-3:]))):
        name = stem[2:]
    name = name.strip("-_ ")
    dated = (said.partition(": ")[2] for _, said in properties_of(document) if _DATED.match(said))
    day = day or next(filter(None, map(day_in, dated)), None)
    turns = tuple(_note_turns(document))
    said_on = day.isoformat() if day else ""
    return Recognised(agent, [Dialogue(name, name or stem, turns, (), said_on, is_quoted=False, origin=path)])


_DATED = re.compile(r"(?:date|day|created|created[_ -]?at|날짜|작성일|생성일): ", re.IGNORECASE)


def _note_turns(document: Document) -> Iterator[Turn]:
    heading, seen = "", Counter[str]()
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
