"""Sessions of Hermes: JSON lines of {role, content, timestamp}, or one object with all `messages`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bankd.core.transcripts.turns import Row, Turn, moment_of, said_texts, tool_call, tool_output, turn_key


def is_hermes_row(row: Row) -> bool:
    """Whether a row is one of Hermes'."""
    return "role" in row and ("content" in row or "tool_calls" in row or row["role"] == "session_meta")


def read_hermes_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session; a row without a moment is told from its like by its number."""
    for number, row in enumerate(rows):
        role = row.get("role")
        if role in {"user", "assistant", "tool"}:
            at = moment_of(row.get("timestamp"))
            yield Turn(str(role), at, _said(row), turn_key(number, role, "".join(said_texts(row.get("content")))))


def _said(row: Row) -> str:
    if row.get("role") == "tool":
        return tool_output(row.get("tool_name") or row.get("name"), row.get("content"))
    calls = [call.get("function") for call in row.get("tool_calls") or () if isinstance(call, Mapping)]
    named = [tool_call(call.get("name"), call.get("arguments")) for call in calls if isinstance(call, Mapping)]
    return "\n\n".join(filter(None, [*said_texts(row.get("content")), *named]))
