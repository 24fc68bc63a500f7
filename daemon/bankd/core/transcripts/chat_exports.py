"""What chat services export, a `conversations.json` each.

ChatGPT: each conversation a tree, of which the branch that was shown last counts.
Claude.ai: a list of conversations with their `chat_messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bankd.core.transcripts.turns import Dialogue, Row, Turn, moment_of, object_at, said_texts, turn_key

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
