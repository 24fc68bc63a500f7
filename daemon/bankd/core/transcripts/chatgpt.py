"""The export of ChatGPT: `conversations.json`, each conversation a tree of which the branch that was shown last counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bankd.core.transcripts.turns import Dialogue, Row, Turn, moment_of, said_texts, turn_key


def is_chatgpt_export(row: Row) -> bool:
    """Whether an object is a conversation of ChatGPT."""
    return isinstance(row.get("mapping"), dict)


def read_chatgpt_export(row: Row) -> Dialogue:
    """One conversation of an export."""
    own = str(row.get("conversation_id") or row.get("id") or turn_key(row.get("title"), row.get("create_time")))
    return Dialogue(own, str(row.get("title") or ""), tuple(_turns(row)))


def _turns(row: Row) -> Iterator[Turn]:
    for id_, message in reversed(list(_branch(row["mapping"], row.get("current_node")))):
        author, content = message.get("author"), message.get("content")
        role = author.get("role") if isinstance(author, dict) else ""
        is_hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        if role in {"user", "assistant"} and isinstance(content, dict) and not is_hidden:
            text = "\n\n".join(said_texts(content.get("parts")))
            yield Turn(str(role), moment_of(message.get("create_time") or row.get("create_time")), text, turn_key(id_))


def _branch(mapping: Mapping[str, Any], leaf: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages from the last one shown up to the first; without one known, all in the order of the file, backwards."""
    way = list(_upwards(mapping, leaf)) or list(mapping)[::-1]
    for id_ in way:
        message = (mapping[id_] or {}).get("message")
        if isinstance(message, dict):
            yield id_, message


def _upwards(mapping: Mapping[str, Any], leaf: object) -> Iterator[str]:
    here, seen = leaf, set[str]()
    while isinstance(here, str) and here in mapping and here not in seen:
        seen.add(here)
        yield here
        here = (mapping[here] or {}).get("parent")
