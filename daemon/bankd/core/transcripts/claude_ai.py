"""The export of Claude.ai: `conversations.json`, a list of conversations with their `chat_messages`."""

from __future__ import annotations

from collections.abc import Iterator

from bankd.core.transcripts.turns import Dialogue, Row, Turn, moment_of, said_texts, turn_key

_SPEAKERS = {"human": "user", "assistant": "assistant"}


def is_claude_ai_export(row: Row) -> bool:
    """Whether an object is a conversation of Claude.ai."""
    return isinstance(row.get("chat_messages"), list)


def read_claude_ai_export(row: Row) -> Dialogue:
    """One conversation of an export."""
    own = str(row.get("uuid") or turn_key(row.get("name"), row.get("created_at")))
    return Dialogue(own, str(row.get("name") or ""), tuple(_turns(row)))


def _turns(row: Row) -> Iterator[Turn]:
    for message in row["chat_messages"]:
        speaker = _SPEAKERS.get(message.get("sender", "")) if isinstance(message, dict) else None
        if speaker:
            at = moment_of(message.get("created_at") or row.get("created_at"))
            text = "\n\n".join(said_texts(message.get("content"))) or str(message.get("text") or "")
            yield Turn(speaker, at, text, turn_key(message.get("uuid") or (speaker, at, text)))
