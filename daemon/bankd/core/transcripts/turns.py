"""A turn of a conversation, as every format is read, and what the formats have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeAlias

from bankd.core.language.dates.spans import may_be_today, read_iso_moment
from bankd.core.markdown.utf8 import parse_json

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
